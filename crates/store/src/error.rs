//! Why the store did not do something.

use std::fmt;

use tables::ItemProblem;
use values::Item;

use crate::backend::BackendError;

/// Why a read or write did not happen.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Error {
    /// No document has it: the table, the access pattern, or the parameter. Correct the program, or
    /// the document.
    NotInDocuments(String),
    /// A value for an access pattern has the wrong type or would reach beyond its place in the key.
    BadParameter {
        /// The parameter.
        name: String,
        /// What is wrong with it.
        message: String,
    },
    /// The item is not what its table's document says.
    Invalid {
        /// The table's logical name.
        table: String,
        /// Whether it was read, and not about to be written.
        stored: bool,
        /// Everything that is wrong.
        problems: Vec<ItemProblem>,
    },
    /// The item does not fit the Rust type. Correct the type.
    NotTyped(String),
    /// The page token was changed, is somebody else's or another list's, or is too old. Start from
    /// the first page.
    PageToken,
    /// The condition was false: `found` tells a missing item from one that is not as expected.
    ConditionFailed {
        /// The item as it was found.
        found: Option<Item>,
    },
    /// The transaction did not happen, because of these actions.
    TransactionFailed(Vec<Reason>),
    /// Every attempt met somebody else's work or too much load. Nothing was done; try later.
    Busy(String),
    /// No attempt was answered. It may have been done; look before trying again.
    Unavailable(String),
    /// The service refused it, in its own words.
    Refused {
        /// DynamoDB's exception name.
        code: String,
        /// What it says.
        message: String,
    },
}

/// Why a transaction did not happen: one of its actions.
#[derive(Clone, Debug, PartialEq)]
pub struct Reason {
    /// The action's place in the transaction, from 0.
    pub action: usize,
    /// DynamoDB's code, `ConditionalCheckFailed` for a condition.
    pub code: &'static str,
    /// The item as it was found.
    pub found: Option<Item>,
}

impl Error {
    /// Whether a condition was false, of a write or of the transaction's action in this place.
    pub fn is_condition_of(&self, action: usize) -> bool {
        match self {
            Error::ConditionFailed { .. } => action == 0,
            Error::TransactionFailed(reasons) => reasons
                .iter()
                .any(|reason| reason.action == action && reason.code == "ConditionalCheckFailed"),
            _ => false,
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::NotInDocuments(message) | Error::NotTyped(message) => f.write_str(message),
            Error::BadParameter { name, message } => write!(f, "{name}: {message}"),
            Error::Invalid { table, stored, problems } => {
                let what = if *stored { "a stored item" } else { "the item" };
                write!(f, "{what} of {table} is not as the document says")?;
                problems.iter().try_for_each(|problem| write!(f, "; {problem}"))
            }
            Error::PageToken => f.write_str("the page token is not valid: start at the first page"),
            Error::ConditionFailed { found: None } => f.write_str("there is no such item"),
            Error::ConditionFailed { found: Some(_) } => {
                f.write_str("the item is not as expected: read it again")
            }
            Error::TransactionFailed(reasons) => {
                f.write_str("nothing was written")?;
                reasons
                    .iter()
                    .try_for_each(|reason| write!(f, "; action {}: {}", reason.action, reason.code))
            }
            Error::Busy(message) => write!(f, "{message}. Try again later"),
            Error::Unavailable(message) => {
                write!(f, "{message}. It may have been done: look before trying again")
            }
            Error::Refused { code, message } => write!(f, "{code}: {message}"),
        }
    }
}

impl std::error::Error for Error {}

impl From<BackendError> for Error {
    fn from(error: BackendError) -> Error {
        match error {
            BackendError::ConditionFailed { found } => Error::ConditionFailed { found },
            BackendError::TransactionCanceled(reasons) => {
                let at_fault = reasons
                    .into_iter()
                    .enumerate()
                    .filter(|(_, reason)| reason.code != database::CancellationCode::None);
                let reason = |(action, reason): (usize, database::CancellationReason)| Reason {
                    action,
                    code: reason.code.as_str(),
                    found: reason.item,
                };
                Error::TransactionFailed(at_fault.map(reason).collect())
            }
            BackendError::Busy(message) => Error::Busy(message),
            BackendError::Unavailable(message) => Error::Unavailable(message),
            BackendError::Refused { code, message } => Error::Refused { code, message },
        }
    }
}
