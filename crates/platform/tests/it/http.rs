//! The HTTP shell, with a small service behind it.

mod answers;
mod bad_input;
mod documents;
mod matrix;
mod pipeline;
pub mod sample;
