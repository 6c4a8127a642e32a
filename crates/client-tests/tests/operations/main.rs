//! The AWS SDK for Rust against a running server.

#[tokio::test]
async fn lists() {
    let config = aws_sdk_dynamodb::Config::builder()
        .behavior_version(aws_sdk_dynamodb::config::BehaviorVersion::latest())
        .http_client(aws_smithy_http_client::Builder::new().build_http())
        .build();
    let streams = aws_sdk_dynamodbstreams::Config::builder().build();
    drop((config, streams));
}
