//! What serde says when a type and an item do not fit.

use std::fmt;

/// An error of the conversion, in words.
#[derive(Debug)]
pub(super) struct ConversionError(String);

impl ConversionError {
    pub fn new(message: impl Into<String>) -> Self {
        ConversionError(message.into())
    }
}

impl fmt::Display for ConversionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for ConversionError {}

impl serde::ser::Error for ConversionError {
    fn custom<T: fmt::Display>(message: T) -> Self {
        ConversionError(message.to_string())
    }
}

impl serde::de::Error for ConversionError {
    fn custom<T: fmt::Display>(message: T) -> Self {
        ConversionError(message.to_string())
    }
}
