//! The errors of the API: DynamoDB's types and texts, and the few that are Plinth's own.

use std::fmt;

use values::Item;

/// What a request is answered with when it fails. [`Error::code`] is DynamoDB's exception name and
/// `Display` its message.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Error {
    /// The request breaks a rule. Correct it; repeating it will not help.
    Validation(String),
    /// The table, index or stream does not exist.
    ResourceNotFound(String),
    /// The table does not exist, in the words of the operations on backups.
    TableNotFound(String),
    /// The table exists already, or is being created, changed or deleted.
    ResourceInUse(String),
    /// The condition was false. Holds the item if the request asked for it.
    ConditionalCheckFailed {
        /// The item as it was found, with `ReturnValuesOnConditionCheckFailure` = `ALL_OLD`.
        item: Option<Item>,
    },
    /// INSERT of a key that is there already. Use UPDATE, or another key.
    DuplicateItem,
    /// The transaction did not happen; one reason for each of its actions.
    TransactionCanceled(Vec<CancellationReason>),
    /// A transaction is under way on this item. Try again.
    TransactionConflict,
    /// The same transaction token is being executed right now. Try again.
    TransactionInProgress,
    /// A client token was used again with other parameters.
    IdempotentParameterMismatch,
    /// An item collection of a table with local indexes would exceed 10 GB.
    ItemCollectionSizeLimitExceeded,
    /// More tables, indexes, ... than the service allows.
    LimitExceeded(String),
    /// The stream iterator is older than 15 minutes: get a new one.
    ExpiredIterator(String),
    /// The stream position lies before the oldest kept record: start from TRIM_HORIZON.
    TrimmedDataAccess(String),
    /// Well-formed, but not yours to see.
    AccessDenied(String),
    /// The database does not take this write now (the disk is nearly full, say); reads go on.
    Throttling(String),
    /// The database has stopped after a failed write, or is damaged. The text says what to do; the
    /// process should end and be started again.
    Stopped(String),
}

/// Why one action of a transaction did not happen.
#[derive(Clone, Debug, PartialEq)]
pub struct CancellationReason {
    /// `None` for an action that was not at fault.
    pub code: CancellationCode,
    /// DynamoDB's text; absent with code `None`.
    pub message: Option<String>,
    /// The item as it was found, if the action asked for it.
    pub item: Option<Item>,
}

impl CancellationReason {
    /// Not at fault.
    pub const NONE: CancellationReason =
        CancellationReason { code: CancellationCode::None, message: None, item: None };
}

/// The code of a [`CancellationReason`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CancellationCode {
    /// Not at fault.
    None,
    /// The condition was false.
    ConditionalCheckFailed,
    /// INSERT of a key that is there already.
    DuplicateItem,
    /// The item collection would exceed 10 GB.
    ItemCollectionSizeLimitExceeded,
    /// The table of a PartiQL statement does not exist.
    ResourceNotFound,
    /// Another transaction is under way on the item.
    TransactionConflict,
    /// The action breaks a rule that shows only against the table or item.
    ValidationError,
}

impl CancellationCode {
    /// The code as the service spells it.
    pub const fn as_str(self) -> &'static str {
        match self {
            CancellationCode::None => "None",
            CancellationCode::ConditionalCheckFailed => "ConditionalCheckFailed",
            CancellationCode::DuplicateItem => "DuplicateItem",
            CancellationCode::ResourceNotFound => "ResourceNotFound",
            CancellationCode::ItemCollectionSizeLimitExceeded => "ItemCollectionSizeLimitExceeded",
            CancellationCode::TransactionConflict => "TransactionConflict",
            CancellationCode::ValidationError => "ValidationError",
        }
    }
}

impl Error {
    /// DynamoDB's exception name.
    pub const fn code(&self) -> &'static str {
        match self {
            Error::Validation(_) => "ValidationException",
            Error::ResourceNotFound(_) => "ResourceNotFoundException",
            Error::TableNotFound(_) => "TableNotFoundException",
            Error::ResourceInUse(_) => "ResourceInUseException",
            Error::ConditionalCheckFailed { .. } => "ConditionalCheckFailedException",
            Error::DuplicateItem => "DuplicateItemException",
            Error::TransactionCanceled(_) => "TransactionCanceledException",
            Error::TransactionConflict => "TransactionConflictException",
            Error::TransactionInProgress => "TransactionInProgressException",
            Error::IdempotentParameterMismatch => "IdempotentParameterMismatchException",
            Error::ItemCollectionSizeLimitExceeded => "ItemCollectionSizeLimitExceededException",
            Error::LimitExceeded(_) => "LimitExceededException",
            Error::ExpiredIterator(_) => "ExpiredIteratorException",
            Error::TrimmedDataAccess(_) => "TrimmedDataAccessException",
            Error::AccessDenied(_) => "AccessDeniedException",
            Error::Throttling(_) => "ThrottlingException",
            Error::Stopped(_) => "InternalServerError",
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Validation(message)
            | Error::ResourceNotFound(message)
            | Error::TableNotFound(message)
            | Error::ResourceInUse(message)
            | Error::LimitExceeded(message)
            | Error::ExpiredIterator(message)
            | Error::TrimmedDataAccess(message)
            | Error::AccessDenied(message)
            | Error::Throttling(message)
            | Error::Stopped(message) => f.write_str(message),
            Error::ConditionalCheckFailed { .. } => f.write_str("The conditional request failed"),
            Error::DuplicateItem => f.write_str("Duplicate primary key exists in table"),
            Error::TransactionCanceled(reasons) => {
                let codes: Vec<&str> = reasons.iter().map(|reason| reason.code.as_str()).collect();
                write!(
                    f,
                    "Transaction cancelled, please refer cancellation reasons for specific reasons [{}]",
                    codes.join(", ")
                )
            }
            Error::TransactionConflict => f.write_str("Transaction is ongoing for the item"),
            Error::TransactionInProgress => {
                f.write_str("The transaction with the given request token is already in progress.")
            }
            Error::IdempotentParameterMismatch => {
                f.write_str("An error occurred (IdempotentParameterMismatchException)")
            }
            Error::ItemCollectionSizeLimitExceeded => {
                f.write_str("Item collection size limit exceeded.")
            }
        }
    }
}

impl std::error::Error for Error {}

impl From<expressions::ExpressionError> for Error {
    fn from(error: expressions::ExpressionError) -> Self {
        Error::Validation(error.to_string())
    }
}

impl From<values::ValueError> for Error {
    fn from(error: values::ValueError) -> Self {
        Error::Validation(error.to_string())
    }
}
