//! How is Amazon DynamoDB reached?
