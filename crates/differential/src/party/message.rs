//! A request as it goes over the wire. Not every one can be read.

use std::fmt;

use serde_json::Value;
use wire::Operation;

/// What a client sends, but for what is the same in every request.
#[derive(Clone, Debug)]
pub struct Message {
    /// `x-amz-target`.
    pub target: Option<String>,
    /// `content-type`.
    pub content_type: Option<&'static str>,
    /// The body.
    pub body: String,
}

impl Message {
    /// The request that an SDK makes.
    pub fn new(operation: &str, body: &Value) -> Self {
        Message {
            target: Operation::named(operation).map(Operation::target),
            content_type: Some("application/x-amz-json-1.0"),
            body: body.to_string(),
        }
    }
}

impl fmt::Display for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Message { target, content_type, body } = self;
        let header = |value: Option<&str>| value.unwrap_or("(none)").to_owned();
        write!(f, "{}, {}: {body}", header(target.as_deref()), header(*content_type))
    }
}
