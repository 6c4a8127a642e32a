//! The error body: `__type`, a message, and what a few errors carry besides.

use std::fmt;

use database::{CancellationReason, Error};
use serde_json::{Map, Value, json};
use values::json::item_to_json;

const SERVICE: &str = "com.amazonaws.dynamodb.v20120810#";

/// An error as it goes over the wire.
#[derive(Clone, Debug, PartialEq)]
pub struct WireError {
    /// Which exception it is.
    pub kind: ErrorKind,
    /// The text; empty for the few errors that DynamoDB sends without one.
    pub message: String,
    /// Further members of the body: `Item` or `CancellationReasons`.
    pub extra: Map<String, Value>,
}

/// The exception that an error is, and with it who raised it: the request framework or the service.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// The body is not JSON, or not of the operation's shape.
    Serialization,
    /// A member or parameter breaks a rule.
    Validation,
    /// There is no such operation.
    UnknownOperation,
    /// An error of the request framework, by its exception name: who is calling, mostly.
    Framework(&'static str),
    /// An error of the service, by its exception name.
    Service(&'static str),
}

impl ErrorKind {
    /// The value of `__type`, prefix included.
    pub fn type_name(self) -> String {
        match self {
            ErrorKind::Serialization => "com.amazon.coral.service#SerializationException".into(),
            ErrorKind::Validation => "com.amazon.coral.validate#ValidationException".into(),
            ErrorKind::UnknownOperation => {
                "com.amazon.coral.service#UnknownOperationException".into()
            }
            ErrorKind::Framework(name) => format!("com.amazon.coral.service#{name}"),
            ErrorKind::Service(name) => format!("{SERVICE}{name}"),
        }
    }

    /// The exception's name without its prefix.
    pub const fn name(self) -> &'static str {
        match self {
            ErrorKind::Serialization => "SerializationException",
            ErrorKind::Validation => "ValidationException",
            ErrorKind::UnknownOperation => "UnknownOperationException",
            ErrorKind::Framework(name) | ErrorKind::Service(name) => name,
        }
    }
}

impl WireError {
    /// A `SerializationException`.
    pub fn serialization(message: impl Into<String>) -> Self {
        WireError { kind: ErrorKind::Serialization, message: message.into(), extra: Map::new() }
    }

    /// A `ValidationException`.
    pub fn validation(message: impl Into<String>) -> Self {
        WireError { kind: ErrorKind::Validation, message: message.into(), extra: Map::new() }
    }

    /// An error of the request framework.
    pub fn framework(name: &'static str, message: impl Into<String>) -> Self {
        WireError { kind: ErrorKind::Framework(name), message: message.into(), extra: Map::new() }
    }

    /// An `UnknownOperationException`.
    pub fn unknown_operation() -> Self {
        WireError { kind: ErrorKind::UnknownOperation, message: String::new(), extra: Map::new() }
    }

    /// The body. The service spells the text's member `message`, but `Message` in a
    /// `SerializationException` and in a cancelled transaction, and leaves out an empty one.
    pub fn to_json(&self) -> Value {
        let mut body = self.extra.clone();
        body.insert("__type".to_owned(), Value::String(self.kind.type_name()));
        if !self.message.is_empty() {
            let capital = matches!(
                self.kind,
                ErrorKind::Serialization | ErrorKind::Service("TransactionCanceledException")
            );
            let member = if capital { "Message" } else { "message" };
            body.insert(member.to_owned(), Value::String(self.message.clone()));
        }
        Value::Object(body)
    }
}

impl From<Error> for WireError {
    fn from(error: Error) -> Self {
        let kind = match &error {
            Error::Validation(_) => ErrorKind::Validation,
            other => ErrorKind::Service(other.code()),
        };
        let message = error.to_string();
        let mut extra = Map::new();
        match error {
            Error::ConditionalCheckFailed { item: Some(item) } => {
                extra.insert("Item".to_owned(), item_to_json(&item));
            }
            Error::TransactionCanceled(reasons) => {
                let reasons = reasons.iter().map(reason_to_json).collect();
                extra.insert("CancellationReasons".to_owned(), Value::Array(reasons));
            }
            _ => {}
        }
        WireError { kind, message, extra }
    }
}

fn reason_to_json(reason: &CancellationReason) -> Value {
    let mut body = json!({ "Code": reason.code.as_str() });
    if let Some(message) = &reason.message {
        body["Message"] = Value::String(message.clone());
    }
    if let Some(item) = &reason.item {
        body["Item"] = item_to_json(item);
    }
    body
}

impl fmt::Display for WireError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.kind.name(), self.message)
    }
}

impl std::error::Error for WireError {}
