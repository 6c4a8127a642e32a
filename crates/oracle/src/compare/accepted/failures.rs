//! Accepted differences in errors.

use super::Applied;
use crate::compare::Case;
use crate::party::{Failure, UNREADABLE};

/// Both errors, if both are.
fn failures<'a>(case: &'a Case<'_>) -> Option<(&'a Failure, &'a Failure)> {
    Some((case.ours.failure()?, case.theirs.failure()?))
}

/// Gives the reference our outcome.
fn accept(case: &mut Case<'_>) -> Applied {
    case.theirs = case.ours.clone();
    Applied::Yes
}

pub(super) fn reference_answers_unreadable_bodies_with_serde_texts(case: &mut Case<'_>) -> Applied {
    let Some((ours, theirs)) = failures(case) else { return Applied::No };
    let is_framework =
        ["SerializationException", "ValidationException"].contains(&ours.kind.as_str());
    if is_framework && theirs.message.starts_with(UNREADABLE) { accept(case) } else { Applied::No }
}
