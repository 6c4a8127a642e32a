//! Optimistic concurrency: a change that met another one is prepared again from what is there now.

use std::time::Duration;

use kernel::{Error, Ids};

use crate::refusal::Rejection;

/// How often a change is prepared while others change the same item.
const ATTEMPTS_MAX: u32 = 10;
/// The longest pause before the second attempt; it doubles.
const PAUSE_FIRST_MS: u64 = 4;
const PAUSE_MAX_MS: u64 = 250;

/// Repeats an attempt until it succeeds or is refused. Pauses are random, so that requests that met
/// once do not meet again.
pub async fn until_committed<T, F>(ids: &Ids, attempt: impl Fn() -> F) -> Result<T, Error>
where
    F: Future<Output = Result<T, Rejection>>,
{
    let mut longest = PAUSE_FIRST_MS;
    for _ in 1..ATTEMPTS_MAX {
        match attempt().await {
            Ok(value) => return Ok(value),
            Err(Rejection::Refused(error)) => return Err(error),
            Err(Rejection::Conflict) => {}
        }
        longest = (longest * 2).min(PAUSE_MAX_MS);
        let [chance] = ids.bytes::<1>()?;
        tokio::time::sleep(Duration::from_millis(longest * u64::from(chance) / 255)).await;
    }
    match attempt().await {
        Err(Rejection::Conflict) => {
            Err(Error::unavailable("other requests kept changing the same item"))
        }
        outcome => outcome.map_err(Error::from),
    }
}
