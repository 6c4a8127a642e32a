//! Does the database keep its promises? Tools that break it on purpose and check what is left.

pub mod histories;
