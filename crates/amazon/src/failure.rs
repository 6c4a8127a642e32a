//! The SDK's errors, as the store tells them apart: what may be tried again, and what may not.

use std::collections::HashMap;
use std::error::Error;

use aws_sdk_dynamodb::error::{ProvideErrorMetadata, SdkError};
use aws_sdk_dynamodb::types::{AttributeValue as Sdk, CancellationReason as SdkReason};
use aws_smithy_types::error::operation::BuildError;
use database::{CancellationCode, CancellationReason};
use store::BackendError;

use crate::refusal::chain;
use crate::values::from_sdk;

/// Nothing was done: somebody else is at it, or it is too much at once.
const BUSY: [&str; 7] = [
    "ProvisionedThroughputExceededException",
    "RequestLimitExceeded",
    "ThrottlingException",
    "Throttling",
    "TransactionConflictException",
    "TransactionInProgressException",
    "ReplicatedWriteConflictException",
];

/// The service failed, and may have done it.
const FAILED: [&str; 4] =
    ["InternalServerError", "InternalFailure", "ServiceUnavailable", "ServiceUnavailableException"];

/// What an operation's error means to the store.
pub(crate) fn failure<E, R>(error: SdkError<E, R>) -> BackendError
where
    E: ProvideErrorMetadata + Error + Send + Sync + 'static,
    R: std::fmt::Debug + Send + Sync + 'static,
{
    let message = error.message().unwrap_or("the service gives no reason").to_owned();
    match error.code() {
        Some(code) if BUSY.contains(&code) => BackendError::Busy(message),
        Some(code) if FAILED.contains(&code) => BackendError::Unavailable(message),
        Some(code) => BackendError::Refused { code: code.to_owned(), message },
        None => BackendError::Unavailable(chain(&error)),
    }
}

/// A false condition, with the item that was found.
pub(crate) fn condition(item: Option<HashMap<String, Sdk>>) -> BackendError {
    match item.map(from_sdk).transpose() {
        // The service sends an empty map for an item that is not there.
        Ok(found) => BackendError::ConditionFailed { found: found.filter(|item| !item.is_empty()) },
        Err(_) => not_a_value(),
    }
}

/// A cancelled transaction. Reasons of load alone make it busy.
pub(crate) fn cancelled(reasons: &[SdkReason]) -> BackendError {
    let mut known = Vec::with_capacity(reasons.len());
    let mut loaded = false;
    for reason in reasons {
        let code = match reason.code().unwrap_or("None") {
            "None" => CancellationCode::None,
            "ConditionalCheckFailed" => CancellationCode::ConditionalCheckFailed,
            "DuplicateItem" => CancellationCode::DuplicateItem,
            "ItemCollectionSizeLimitExceeded" => CancellationCode::ItemCollectionSizeLimitExceeded,
            "TransactionConflict" => CancellationCode::TransactionConflict,
            "ProvisionedThroughputExceeded" | "ThrottlingError" => {
                loaded = true;
                CancellationCode::TransactionConflict
            }
            _ => CancellationCode::ValidationError,
        };
        let Ok(item) = reason.item().cloned().map(from_sdk).transpose() else {
            return not_a_value();
        };
        let item = item.filter(|item| !item.is_empty());
        known.push(CancellationReason { code, message: reason.message().map(str::to_owned), item });
    }
    let harmless = |reason: &CancellationReason| {
        matches!(reason.code, CancellationCode::None | CancellationCode::TransactionConflict)
    };
    if loaded && known.iter().all(harmless) {
        return BackendError::Busy("the tables have too much to do".to_owned());
    }
    BackendError::TransactionCanceled(known)
}

pub(crate) fn not_a_value() -> BackendError {
    BackendError::Refused {
        code: "SerializationException".to_owned(),
        message: "the answer holds something that is not an attribute value".to_owned(),
    }
}

/// A request that lacks a member never leaves this process.
pub(crate) fn incomplete(error: BuildError) -> BackendError {
    BackendError::Refused { code: "ValidationException".to_owned(), message: error.to_string() }
}
