//! Somebody else was quicker: what they left is read, and the change is made to that. Only who sent
//! If-Match is told of it (C2-59).

use std::time::Duration;

use changes::CommitError;
use kernel::Error;
use values::Item;
use web::Answer;

use crate::Tenancy;

/// How often a change is tried while others change the same thing.
const ATTEMPTS_MAX: u32 = 10;
/// The longest pause before the second attempt; it doubles.
const PAUSE_FIRST_MS: u64 = 4;
const PAUSE_MAX_MS: u64 = 250;

/// Why an attempt changed nothing.
#[derive(Debug)]
pub enum Miss {
    /// Somebody else changed the same thing since it was read, to this if it is known.
    Lost(Option<Item>),
    /// It would be refused however often it is tried.
    Refused(Error),
}

impl From<Error> for Miss {
    fn from(error: Error) -> Miss {
        Miss::Refused(error)
    }
}

impl From<store::Error> for Miss {
    fn from(error: store::Error) -> Miss {
        Miss::Refused(error.into())
    }
}

impl Miss {
    /// Of a change whose every condition asks that things are as they were read.
    pub fn of_any(error: CommitError) -> Miss {
        match error {
            CommitError::Condition { found, .. } => Miss::Lost(found),
            error => Miss::Refused(error.into()),
        }
    }
}

/// The attempts of one request.
pub struct Attempts<'a> {
    tenancy: &'a Tenancy,
    made: u32,
}

impl Tenancy {
    /// None was made yet.
    pub(crate) fn attempts(&self) -> Attempts<'_> {
        Attempts { tenancy: self, made: 0 }
    }

    /// Makes a change that reads again by itself what it is about.
    pub(crate) async fn until_done<F>(&self, attempt: impl Fn() -> F) -> Result<Answer, Error>
    where
        F: Future<Output = Result<Answer, Miss>>,
    {
        let mut attempts = self.attempts();
        loop {
            match attempt().await {
                Ok(answer) => return Ok(answer),
                Err(miss) => attempts.after(miss).await?,
            };
        }
    }
}

impl Attempts<'_> {
    /// Pauses before the next attempt, and gives what the last one found; or says why there is none.
    /// The pauses are random, so that those who met do not meet again.
    pub async fn after(&mut self, miss: Miss) -> Result<Option<Item>, Error> {
        let found = match miss {
            Miss::Lost(found) => found,
            Miss::Refused(error) => return Err(error),
        };
        self.made += 1;
        if self.made == ATTEMPTS_MAX {
            return Err(Error::unavailable("others kept changing the same thing of a tenant"));
        }
        let longest = (PAUSE_FIRST_MS << self.made).min(PAUSE_MAX_MS);
        let [chance] = self.tenancy.platform().ids().bytes::<1>()?;
        let pause = longest * u64::from(chance) / 255;
        tokio::time::sleep(Duration::from_millis(pause)).await;
        Ok(found)
    }
}
