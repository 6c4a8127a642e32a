//! Properties that hold for every value: what is written can be read back, encodings sort like the
//! values, arithmetic agrees with a model, and no bytes or text make anything panic.

#![expect(
    clippy::expect_used,
    clippy::panic,
    reason = "helpers of tests, which fail by panicking, are not marked as tests themselves"
)]

#[path = "properties/decimal.rs"]
mod decimal;
#[path = "properties/encodings.rs"]
mod encodings;
#[path = "properties/numbers.rs"]
mod numbers;
#[path = "properties/strategies.rs"]
mod strategies;
