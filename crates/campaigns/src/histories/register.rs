//! One item as a register: what conditional writes and consistent reads of it may answer.

use super::linearizability::Model;

/// What an item holds: a number that no two writes share, or there is no item.
pub type Value = Option<u64>;

/// What a client asks of the item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Request {
    /// GetItem with a consistent read.
    Read,
    /// PutItem, asking for what was there.
    Put(u64),
    /// PutItem if there is no item.
    PutIfAbsent(u64),
    /// UpdateItem if the item holds this number.
    Replace {
        /// The number it must hold.
        expected: u64,
        /// The number it gets.
        new: u64,
    },
    /// DeleteItem, asking for what was there.
    Delete,
    /// DeleteItem if the item holds this number.
    DeleteIf(u64),
}

/// What the client hears.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// What the item holds, or held before the write.
    Was(Value),
    /// The condition was true.
    Done,
    /// The condition was false.
    ConditionFailed,
    /// Nothing happened, for a reason that has nothing to do with the item.
    Refused,
}

/// The model of one item.
#[derive(Clone, Copy, Debug, Default)]
pub struct Register;

impl Model for Register {
    type State = Value;
    type Input = Request;
    type Output = Answer;

    fn start(&self) -> Value {
        None
    }

    fn step(&self, state: &Value, request: &Request, answer: Option<&Answer>) -> Option<Value> {
        if answer == Some(&Answer::Refused) {
            return Some(*state);
        }
        let conditional = |holds: bool, new: Value| {
            if holds { (new, Answer::Done) } else { (*state, Answer::ConditionFailed) }
        };
        let (after, expected) = match *request {
            Request::Read => (*state, Answer::Was(*state)),
            Request::Put(new) => (Some(new), Answer::Was(*state)),
            Request::Delete => (None, Answer::Was(*state)),
            Request::PutIfAbsent(new) => conditional(state.is_none(), Some(new)),
            Request::Replace { expected, new } => conditional(*state == Some(expected), Some(new)),
            Request::DeleteIf(expected) => conditional(*state == Some(expected), None),
        };
        answer.is_none_or(|answer| *answer == expected).then_some(after)
    }
}
