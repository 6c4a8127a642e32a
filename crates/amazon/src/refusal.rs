//! The SDK's errors, in the service's own words.

use std::error::Error;

use aws_sdk_dynamodb::error::{ProvideErrorMetadata, SdkError};
use aws_smithy_types::error::operation::BuildError;
use tables::TargetError;

/// What an operation's error means to whoever applies tables.
pub(crate) fn refusal<E, R>(operation: &'static str, error: SdkError<E, R>) -> TargetError
where
    E: ProvideErrorMetadata + Error + Send + Sync + 'static,
    R: std::fmt::Debug + Send + Sync + 'static,
{
    match error.code() {
        Some("UnknownOperationException") => {
            TargetError::NotOffered { operation: operation.to_owned() }
        }
        Some(code) => TargetError::Refused {
            code: code.to_owned(),
            message: error.message().unwrap_or("the service gives no reason").to_owned(),
        },
        None => TargetError::Unreachable { message: chain(&error) },
    }
}

/// An error and its causes, on one line.
pub(crate) fn chain(error: &dyn Error) -> String {
    let mut texts = vec![error.to_string()];
    let mut cause = error.source();
    while let Some(error) = cause {
        texts.push(error.to_string());
        cause = error.source();
    }
    texts.retain(|text| !text.is_empty());
    texts.dedup();
    texts.join(": ").trim_end_matches('.').to_owned()
}

/// A request that lacks a member never leaves this process.
pub(crate) fn incomplete(error: BuildError) -> TargetError {
    TargetError::Refused { code: "ValidationException".to_owned(), message: error.to_string() }
}
