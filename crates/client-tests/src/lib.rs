//! Does the AWS SDK for Rust work with the server as it is?
//!
//! The answer is in `tests/operations`, which talks to a server that is already running and is
//! therefore left out of `cargo test`; `tests/clients/run rust` starts one. Nothing here is for other
//! crates to use.
