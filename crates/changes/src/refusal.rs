//! What it means that the condition of a write is false: each write says so itself.

use std::sync::Arc;

use kernel::Error;
use values::Item;

/// Why a change was not made.
#[derive(Debug)]
pub enum Rejection {
    /// Another request changed the same item first. The change may succeed if it is prepared again.
    Conflict,
    /// The change is refused, however often it is tried.
    Refused(Error),
}

impl From<Error> for Rejection {
    fn from(error: Error) -> Rejection {
        Rejection::Refused(error)
    }
}

impl From<store::Error> for Rejection {
    fn from(error: store::Error) -> Rejection {
        Rejection::Refused(error.into())
    }
}

/// Without another attempt, a conflict is the caller's to solve.
impl From<Rejection> for Error {
    fn from(rejection: Rejection) -> Error {
        match rejection {
            Rejection::Conflict => Error::changed_meanwhile(),
            Rejection::Refused(error) => error,
        }
    }
}

/// What a false condition means: the answer to the item as it was found.
#[derive(Clone)]
pub struct Refusal(Meaning);

#[derive(Clone)]
enum Meaning {
    Conflict,
    Error(Error),
    Decide(Arc<dyn Fn(Option<Item>) -> Rejection + Send + Sync>),
}

/// The item is not as it was read: another request was faster, and the change is prepared again.
pub struct Conflict;

impl From<Conflict> for Refusal {
    fn from(Conflict: Conflict) -> Refusal {
        Refusal(Meaning::Conflict)
    }
}

impl From<Error> for Refusal {
    fn from(error: Error) -> Refusal {
        Refusal(Meaning::Error(error))
    }
}

impl<F, R> From<F> for Refusal
where
    F: Fn(Option<Item>) -> R + Send + Sync + 'static,
    R: Into<Rejection>,
{
    fn from(decide: F) -> Refusal {
        Refusal(Meaning::Decide(Arc::new(move |found| decide(found).into())))
    }
}

impl Refusal {
    /// The rejection, for the item as it was found.
    pub fn of(self, found: Option<Item>) -> Rejection {
        match self.0 {
            Meaning::Conflict => Rejection::Conflict,
            Meaning::Error(error) => Rejection::Refused(error),
            Meaning::Decide(decide) => decide(found),
        }
    }
}
