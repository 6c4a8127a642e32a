//! Where tables are put: anything that takes DynamoDB's requests.

use std::fmt;
use std::future::Future;

use serde_json::Value;

/// A place for tables. It takes a request of DynamoDB's JSON API by the operation's name, and
/// gives the body of the answer.
pub trait Target {
    /// Executes an operation.
    fn call(
        &self,
        operation: &'static str,
        body: &Value,
    ) -> impl Future<Output = Result<Value, TargetError>> + Send;

    /// What it is called in messages.
    fn describe(&self) -> String;

    /// How many tables are worked on at once. One, because a service limits how often it is asked.
    fn at_once(&self) -> usize {
        1
    }
}

/// Why an operation was not executed.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TargetError {
    /// The service refused it. Read its words; they are its own.
    Refused {
        /// The exception's name.
        code: String,
        /// What the service says.
        message: String,
    },
    /// The target does not know the operation. Do without.
    NotOffered {
        /// The operation.
        operation: String,
    },
    /// There was no answer. Check the endpoint, the network and the credentials.
    Unreachable {
        /// What the client says.
        message: String,
    },
}

impl TargetError {
    /// Whether the service refused with this exception.
    pub fn is(&self, exception: &str) -> bool {
        matches!(self, TargetError::Refused { code, .. } if code == exception)
    }
}

impl fmt::Display for TargetError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TargetError::Refused { code, message } => write!(f, "{code}: {message}"),
            TargetError::NotOffered { operation } => {
                write!(f, "the target does not offer {operation}")
            }
            TargetError::Unreachable { message } => write!(
                f,
                "there was no answer: {message}. Check the endpoint, the region, the network and \
                 the credentials"
            ),
        }
    }
}

impl std::error::Error for TargetError {}
