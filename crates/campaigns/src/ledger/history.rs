//! The ledger read back: one attempt for each operation that was sent.

use std::collections::HashMap;

use super::{Event, Note};
use crate::workload::{Operation, OperationId, Plan};

/// What is known about an operation's actions, one bit for each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Certainty {
    /// These happened.
    pub certain: u32,
    /// These may have happened; all that are certain are also possible.
    pub possible: u32,
}

impl Certainty {
    /// Nothing happened.
    pub const NONE: Certainty = Certainty { certain: 0, possible: 0 };

    /// Everything happened.
    pub fn all(operation: &Operation) -> Certainty {
        let bits = u32::MAX.checked_shr(32 - operation.actions.len() as u32).unwrap_or(0);
        Certainty { certain: bits, possible: bits }
    }

    /// Anything may have happened.
    pub fn open(operation: &Operation) -> Certainty {
        Certainty { certain: 0, ..Certainty::all(operation) }
    }

    /// Did the action at this position happen?
    pub const fn is_certain(self, position: usize) -> bool {
        self.certain >> position & 1 == 1
    }

    /// May the action at this position have happened?
    pub const fn is_possible(self, position: usize) -> bool {
        self.possible >> position & 1 == 1
    }
}

/// What an answer said was there before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Replaced {
    /// Nothing about it.
    NotTold,
    /// The item that this operation had written; or that there was none.
    Told(Option<u64>),
}

/// One operation as its sender saw it. Times are places in the ledger.
#[derive(Clone, Debug)]
pub struct Attempt {
    /// What was asked for.
    pub operation: Operation,
    /// When it was sent.
    pub sent: usize,
    /// Since when it can no longer take effect: it was answered, or the process had ended.
    pub ended: Option<usize>,
    /// What is known about it.
    pub certainty: Certainty,
    /// What the answer said.
    pub replaced: Replaced,
    /// The answer was one that should never be given.
    pub unexpected: bool,
}

/// All attempts, in the order in which they were sent.
#[derive(Clone, Debug, Default)]
pub struct History {
    /// The attempts.
    pub attempts: Vec<Attempt>,
    by_id: HashMap<OperationId, usize>,
    /// How many notes it was made from.
    pub notes: usize,
}

impl History {
    /// The history that these notes tell.
    pub fn new(plan: &Plan, notes: &[Note]) -> History {
        let mut history = History { notes: notes.len(), ..History::default() };
        for (moment, note) in notes.iter().enumerate() {
            history.add(plan, moment, note);
        }
        history
    }

    fn add(&mut self, plan: &Plan, moment: usize, note: &Note) {
        let Some(place) = self.by_id.get(&note.id) else {
            let operation = plan.operation(note.id);
            self.by_id.insert(note.id, self.attempts.len());
            self.attempts.push(Attempt {
                sent: moment,
                ended: None,
                certainty: Certainty::open(&operation),
                replaced: Replaced::NotTold,
                unexpected: false,
                operation,
            });
            return;
        };
        let attempt = &mut self.attempts[*place];
        match note.event {
            Event::Sent => {}
            Event::Unknown => attempt.ended = None,
            Event::Unexpected => attempt.unexpected = true,
            Event::Answered(certainty, replaced) => {
                attempt.ended = Some(moment);
                attempt.certainty = certainty;
                attempt.replaced = replaced;
            }
        }
    }

    /// The place of an operation among the attempts.
    pub fn place(&self, id: OperationId) -> Option<usize> {
        self.by_id.get(&id).copied()
    }

    /// Attempts that have not ended.
    pub fn open(&self) -> impl Iterator<Item = (usize, &Attempt)> {
        self.attempts.iter().enumerate().filter(|(_, attempt)| attempt.ended.is_none())
    }

    /// How many were acknowledged.
    pub fn acknowledged(&self) -> usize {
        let done = |attempt: &&Attempt| attempt.ended.is_some() && attempt.certainty.certain != 0;
        self.attempts.iter().filter(done).count()
    }
}
