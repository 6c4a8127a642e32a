//! Is the chain what it was? The judgement itself, on whatever the events are read from: the store or
//! an export. It stops at the first thing that is wrong and names it.

use std::collections::BTreeMap;
use std::fmt;

use kernel::moment::Moment;

use super::canonical::NO_HASH;
use super::checkpoint::Checkpoint;
use super::head::Head;
use super::reseal;
use super::row::Row;
use super::signing::PublicKey;

pub(super) const OUT_OF_ORDER: &str = "it is out of order, or there are two of this number";

/// What was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// The account.
    pub account: String,
    /// How many events were proven.
    pub entries: u64,
    /// How many checkpoints were proven.
    pub checkpoints: u64,
    /// The last event that a signed checkpoint covers.
    pub sealed_through: u64,
    /// The last checkpoint whose events expired, as they should.
    pub pruned_through: Option<u64>,
    /// The first thing that is wrong.
    pub first_bad: Option<Bad>,
    /// Where the log was sealed anew after its end had been forged, and what was found then. It stays
    /// there: what was before such a place is proven only as far as it was sealed.
    pub breaks: Vec<Bad>,
}

impl Report {
    pub(super) fn bad(account: &str, bad: Bad) -> Report {
        Report {
            account: account.to_owned(),
            entries: 0,
            checkpoints: 0,
            sealed_through: 0,
            pruned_through: None,
            first_bad: Some(bad),
            breaks: Vec::new(),
        }
    }

    /// Whether nothing is wrong, and nothing was.
    pub fn is_good(&self) -> bool {
        self.first_bad.is_none() && self.breaks.is_empty()
    }
}

/// Something that is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bad {
    /// What it is about.
    pub place: Place,
    /// What is wrong with it.
    pub why: String,
}

/// A part of an account's log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// An event in the chain, whose places are in the view by account.
    Entry {
        /// Its number.
        sequence: u64,
        /// Its identifier, if it is there.
        event_id: Option<String>,
    },
    /// An event in the view by kind, which has what it says.
    EventView {
        /// Its number.
        sequence: u64,
        /// Its identifier.
        event_id: String,
    },
    /// The end of the chain.
    Head,
    /// A checkpoint.
    Checkpoint {
        /// Its number.
        number: u64,
    },
    /// The entry in the register of chains.
    Register,
    /// The keys that checkpoints are signed with.
    SigningKeys,
    /// A line of an export.
    Line {
        /// Its number, from 1.
        number: u64,
    },
}

impl fmt::Display for Bad {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.place {
            Place::Entry { sequence, event_id: Some(id) } => write!(f, "event {sequence} ({id})"),
            Place::Entry { sequence, event_id: None } => write!(f, "event {sequence}"),
            Place::EventView { sequence, event_id } => {
                write!(f, "event {sequence} ({event_id}) in the view by kind")
            }
            Place::Head => f.write_str("the end of the chain"),
            Place::Checkpoint { number } => write!(f, "checkpoint {number}"),
            Place::Register => f.write_str("the register of chains"),
            Place::SigningKeys => f.write_str("the signing keys"),
            Place::Line { number } => write!(f, "line {number}"),
        }?;
        write!(f, ": {}", self.why)
    }
}

impl Bad {
    pub(super) fn new(place: Place, why: impl Into<String>) -> Bad {
        Bad { place, why: why.into() }
    }

    pub(super) fn entry(row: &Row, why: impl Into<String>) -> Bad {
        let event_id = Some(row.event_id.clone());
        Bad::new(Place::Entry { sequence: row.sequence, event_id }, why)
    }

    pub(super) fn missing(sequence: u64) -> Bad {
        Bad::new(Place::Entry { sequence, event_id: None }, "it is missing")
    }

    fn checkpoint(number: u64, why: impl Into<String>) -> Bad {
        Bad::new(Place::Checkpoint { number }, why)
    }
}

/// By which rule events may have expired.
#[derive(Clone, Copy, Debug)]
pub(super) struct Expiry {
    pub retention_days: u32,
    pub held_since: Option<Moment>,
    pub now: Moment,
}

/// Walks along a chain.
pub(super) struct Verifier {
    account: String,
    /// By their last event.
    checkpoints: BTreeMap<u64, Checkpoint>,
    last_checkpoint: Option<Checkpoint>,
    /// Events up to this one may be missing.
    expired_through: u64,
    pruned_through: Option<u64>,
    next: u64,
    /// The hash of the event before the next; unknown where that one has expired.
    previous_hash: Option<String>,
    last_timestamp: Moment,
    entries: u64,
    breaks: Vec<Bad>,
}

impl Verifier {
    /// Starts with the checkpoints, which are proven first.
    pub fn new(
        account: &str,
        checkpoints: Vec<Checkpoint>,
        keys: &[PublicKey],
        expiry: Expiry,
    ) -> Result<Verifier, Bad> {
        check_checkpoints(account, &checkpoints, keys)?;
        // Events expired by the shortest time that was ever in force. A hold stopped it.
        let shortest = checkpoints.iter().map(|checkpoint| checkpoint.retention_days);
        let days = shortest.min().unwrap_or(u32::MAX).min(expiry.retention_days);
        let until = expiry.held_since.map_or(expiry.now, |held| held.min(expiry.now));
        let expired = checkpoints.iter().filter(|checkpoint| checkpoint.expires(days) <= until);
        let expired_through = expired.map(|checkpoint| checkpoint.last_sequence).max();
        Ok(Verifier {
            account: account.to_owned(),
            last_checkpoint: checkpoints.last().cloned(),
            checkpoints: checkpoints.into_iter().map(|one| (one.last_sequence, one)).collect(),
            expired_through: expired_through.unwrap_or(0),
            pruned_through: None,
            next: 1,
            previous_hash: Some(NO_HASH.to_owned()),
            last_timestamp: Moment::from_millis(0),
            entries: 0,
            breaks: Vec::new(),
        })
    }

    /// The number of the next event.
    pub fn next(&self) -> u64 {
        self.next
    }

    /// Whether an event may have expired.
    pub fn may_be_missing(&self, sequence: u64) -> bool {
        sequence <= self.expired_through
    }

    /// When an event may be removed at the earliest, by the checkpoint that covers it.
    pub fn expires(&self, sequence: u64, retention_days: u32) -> Option<Moment> {
        let (_, checkpoint) = self.checkpoints.range(sequence..).next()?;
        Some(checkpoint.expires(retention_days))
    }

    /// The next event that is there.
    pub fn entry(&mut self, row: &Row) -> Result<(), Bad> {
        if row.account != self.account {
            return Err(Bad::entry(row, "it is another account's"));
        }
        if row.sequence < self.next {
            return Err(Bad::entry(row, OUT_OF_ORDER));
        }
        if row.sequence > self.next {
            self.skip_to(row.sequence)?;
        }
        if self.previous_hash.as_ref().is_some_and(|hash| *hash != row.previous_hash) {
            return Err(Bad::entry(row, "it does not follow on the event before it"));
        }
        if row.computed_hash() != row.hash {
            return Err(Bad::entry(row, "its hash is not that of what it says"));
        }
        if row.timestamp < self.last_timestamp {
            return Err(Bad::entry(row, "it is older than the event before it"));
        }
        if let Some(checkpoint) = self.checkpoints.get(&row.sequence)
            && (checkpoint.last_hash != row.hash || checkpoint.last_timestamp != row.timestamp)
        {
            let number = checkpoint.number();
            return Err(Bad::entry(row, format!("checkpoint {number} has another event here")));
        }
        if let Some(found) = reseal::found_then(row) {
            let why = format!("the log was sealed anew here, because of {found}");
            self.breaks.push(Bad::entry(row, why));
        }
        self.last_timestamp = row.timestamp;
        self.previous_hash = Some(row.hash.clone());
        self.next = row.sequence + 1;
        self.entries += 1;
        Ok(())
    }

    /// Events before this one are missing: they may have expired.
    fn skip_to(&mut self, sequence: u64) -> Result<(), Bad> {
        if sequence - 1 > self.expired_through {
            return Err(Bad::missing(self.next));
        }
        let covering = self.checkpoints.range(sequence - 1..).next();
        self.pruned_through = covering.map(|(_, checkpoint)| checkpoint.number());
        let sealed = self.checkpoints.get(&(sequence - 1));
        self.previous_hash = sealed.map(|checkpoint| checkpoint.last_hash.clone());
        self.next = sequence;
        Ok(())
    }

    /// Does the end name the checkpoints that there are?
    pub fn check_checkpoints(&self, head: &Head) -> Result<(), Bad> {
        let (number, hash, sealed) = match &self.last_checkpoint {
            Some(last) => (last.number(), last.hash(), last.last_sequence),
            None => (0, NO_HASH.to_owned(), 0),
        };
        if head.checkpoint > number {
            return Err(Bad::checkpoint(number + 1, "it is missing"));
        }
        if head.checkpoint < number || sealed > head.sequence {
            return Err(Bad::checkpoint(number, "it is there, although the chain ends before it"));
        }
        if head.checkpoint_hash != hash || head.sealed_sequence != sealed {
            return Err(Bad::new(Place::Head, "it names another checkpoint than the last one"));
        }
        Ok(())
    }

    /// There is no further event: is this where the chain ends?
    pub fn check_end(&mut self, head: &Head) -> Result<(), Bad> {
        if head.account != self.account {
            return Err(Bad::new(Place::Head, "it is another account's"));
        }
        if head.sequence + 1 < self.next {
            let (sequence, event_id) = (head.sequence + 1, None);
            let why = "it is there, although the chain ends before it";
            return Err(Bad::new(Place::Entry { sequence, event_id }, why));
        }
        if head.sequence + 1 > self.next {
            self.skip_to(head.sequence + 1)?;
        }
        if self.previous_hash.as_ref().is_some_and(|hash| *hash != head.hash) {
            return Err(Bad::new(Place::Head, "it has another hash than the last event"));
        }
        Ok(())
    }

    pub fn report(self) -> Report {
        Report {
            account: self.account,
            entries: self.entries,
            checkpoints: self.checkpoints.len() as u64,
            sealed_through: self.last_checkpoint.map_or(0, |last| last.last_sequence),
            pruned_through: self.pruned_through,
            first_bad: None,
            breaks: self.breaks,
        }
    }
}

fn check_checkpoints(
    account: &str,
    checkpoints: &[Checkpoint],
    keys: &[PublicKey],
) -> Result<(), Bad> {
    let mut previous = NO_HASH.to_owned();
    let mut last_sequence = 0;
    for (at, checkpoint) in checkpoints.iter().enumerate() {
        let expected = at as u64 + 1;
        let number = checkpoint.number();
        if number > expected {
            return Err(Bad::checkpoint(expected, "it is missing"));
        }
        if number < expected {
            return Err(Bad::checkpoint(number, "it is out of order, or there are two"));
        }
        if checkpoint.account != account {
            return Err(Bad::checkpoint(number, "it is another account's"));
        }
        if !checkpoint.is_signed_by(keys) {
            return Err(Bad::checkpoint(number, "its signature is not by a key of this log"));
        }
        let follows = checkpoint.previous_hash == previous
            && checkpoint.first_sequence == last_sequence + 1
            && checkpoint.last_sequence >= checkpoint.first_sequence;
        if !follows {
            return Err(Bad::checkpoint(number, "it does not follow on the one before it"));
        }
        previous = checkpoint.hash();
        last_sequence = checkpoint.last_sequence;
    }
    Ok(())
}
