//! The two that answer: the database under test, and the reference, in process or over HTTP.

mod message;
mod reference;
mod remote;
mod subject;

pub use message::Message;
pub use reference::Reference;
pub(crate) use reference::UNREADABLE;
pub use remote::{Host, Remote};
pub use subject::Subject;

use serde_json::{Map, Value};

/// Somebody who answers DynamoDB requests.
pub trait Party {
    /// Executes an operation.
    fn call(&mut self, operation: &str, body: &Value) -> Outcome;

    /// Takes a request as it goes over the wire, well-formed or not. In process there is no wire.
    fn send(&mut self, _message: &Message) -> Outcome {
        Outcome::Failure(Failure::new("NoWire", "in process there is no wire"))
    }

    /// Lets work happen that nobody waits for, such as filling an index.
    fn rest(&mut self) {}
}

/// What a request comes to.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// The answer.
    Answer(Value),
    /// The error.
    Failure(Failure),
}

/// An error.
#[derive(Clone, Debug, PartialEq)]
pub struct Failure {
    /// The exception's name, without prefix.
    pub kind: String,
    /// Its text.
    pub message: String,
    /// What else the body holds.
    pub extra: Map<String, Value>,
    /// The status, if it came over HTTP.
    pub status: Option<u16>,
}

impl Outcome {
    /// The answer, if it is one.
    pub fn answer(&self) -> Option<&Value> {
        match self {
            Outcome::Answer(answer) => Some(answer),
            Outcome::Failure(_) => None,
        }
    }

    /// The error, if it is one.
    pub fn failure(&self) -> Option<&Failure> {
        match self {
            Outcome::Answer(_) => None,
            Outcome::Failure(failure) => Some(failure),
        }
    }
}

impl Failure {
    /// An error that carries nothing but its text.
    pub fn new(kind: &str, message: impl Into<String>) -> Self {
        Failure { kind: kind.to_owned(), message: message.into(), extra: Map::new(), status: None }
    }

    /// An error body, prefix and all.
    pub fn from_body(body: Value) -> Self {
        let mut extra = match body {
            Value::Object(members) => members,
            _ => Map::new(),
        };
        let mut text = |name: &str| match extra.remove(name) {
            Some(Value::String(text)) => text,
            _ => String::new(),
        };
        let kind = text("__type");
        let message = text("message") + &text("Message");
        let kind = kind.rsplit('#').next().unwrap_or_default().to_owned();
        Failure { kind, message, extra, status: None }
    }
}
