//! What was sent and what was answered, in the order in which it happened.
//!
//! A writer notes an operation *before* it sends it and again *after* the answer, with one `write`
//! to a file opened for appending. The page cache outlives a killed process, so the file is complete;
//! and the place of a note in the file is a clock: whatever is noted as answered before another
//! operation is noted as sent did come before it.
//!
//! ```text
//! note: id:u64 | event:u8 | told:u8 | 0:u16 | certain:u32 | possible:u32 | replaced:u64 | check:u32
//! ```

mod history;

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

pub use history::{Attempt, Certainty, History, Replaced};
use xxhash_rust::xxh3::xxh3_64;

use crate::workload::{Operation, OperationId, Outcome};

/// Bytes of one note.
pub const NOTE_BYTES: usize = 32;

const EVENT_SENT: u8 = 1;
const EVENT_ANSWERED: u8 = 2;
const EVENT_UNKNOWN: u8 = 3;
const EVENT_UNEXPECTED: u8 = 4;

/// One line of the ledger.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Note {
    /// The operation.
    pub id: OperationId,
    /// What happened to it.
    pub event: Event,
}

/// What happened to an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// It is about to be sent.
    Sent,
    /// It was answered, or a check afterwards found out what had become of it.
    Answered(Certainty, Replaced),
    /// The database said that it does not know.
    Unknown,
    /// The answer is one that should never be given.
    Unexpected,
}

impl Event {
    /// The event that an answer is.
    pub fn of(operation: &Operation, outcome: &Outcome) -> Event {
        let all = Certainty::all(operation);
        match outcome {
            Outcome::Refused(_) => Event::Answered(Certainty::NONE, Replaced::NotTold),
            Outcome::Unknown => Event::Unknown,
            Outcome::Unexpected(_) => Event::Unexpected,
            Outcome::Done { replaced, unprocessed } => {
                let carried_out = all.certain & !unprocessed;
                let certainty = Certainty { certain: carried_out, possible: carried_out };
                let single = operation.kind == crate::workload::Kind::Single;
                let told = if single { Replaced::Told(*replaced) } else { Replaced::NotTold };
                Event::Answered(certainty, told)
            }
        }
    }
}

impl Note {
    /// The bytes of the note.
    pub fn encode(&self) -> [u8; NOTE_BYTES] {
        let (event, certainty, replaced) = match self.event {
            Event::Sent => (EVENT_SENT, Certainty::NONE, Replaced::NotTold),
            Event::Answered(certainty, replaced) => (EVENT_ANSWERED, certainty, replaced),
            Event::Unknown => (EVENT_UNKNOWN, Certainty::NONE, Replaced::NotTold),
            Event::Unexpected => (EVENT_UNEXPECTED, Certainty::NONE, Replaced::NotTold),
        };
        let (told, replaced) = match replaced {
            Replaced::NotTold => (0, 0),
            Replaced::Told(None) => (1, 0),
            Replaced::Told(Some(writer)) => (2, writer),
        };
        let mut bytes = [0; NOTE_BYTES];
        bytes[0..8].copy_from_slice(&self.id.0.to_be_bytes());
        bytes[8] = event;
        bytes[9] = told;
        bytes[12..16].copy_from_slice(&certainty.certain.to_be_bytes());
        bytes[16..20].copy_from_slice(&certainty.possible.to_be_bytes());
        bytes[20..28].copy_from_slice(&replaced.to_be_bytes());
        let check = check(&bytes[..28]);
        bytes[28..].copy_from_slice(&check);
        bytes
    }

    /// Reads the bytes of a note; `None` if they are not one.
    pub fn decode(bytes: &[u8]) -> Option<Note> {
        let body = bytes.get(..28)?;
        if bytes.len() != NOTE_BYTES || bytes.get(28..)? != check(body) {
            return None;
        }
        let number = |at: usize| Some(u64::from_be_bytes(body.get(at..at + 8)?.try_into().ok()?));
        let bits = |at: usize| Some(u32::from_be_bytes(body.get(at..at + 4)?.try_into().ok()?));
        let replaced = match body[9] {
            0 => Replaced::NotTold,
            1 => Replaced::Told(None),
            _ => Replaced::Told(Some(number(20)?)),
        };
        let event = match body[8] {
            EVENT_SENT => Event::Sent,
            EVENT_ANSWERED => {
                Event::Answered(Certainty { certain: bits(12)?, possible: bits(16)? }, replaced)
            }
            EVENT_UNKNOWN => Event::Unknown,
            EVENT_UNEXPECTED => Event::Unexpected,
            _ => return None,
        };
        Some(Note { id: OperationId(number(0)?), event })
    }
}

fn check(body: &[u8]) -> [u8; 4] {
    (xxh3_64(body) as u32).to_be_bytes()
}

/// A ledger open for notes.
#[derive(Debug)]
pub struct Ledger {
    file: File,
}

impl Ledger {
    /// Opens the file, creating it if need be.
    pub fn open(path: &Path) -> io::Result<Ledger> {
        Ok(Ledger { file: OpenOptions::new().create(true).append(true).open(path)? })
    }

    /// Notes an event: one `write`, so that notes of several threads do not mix.
    pub fn note(&self, id: OperationId, event: Event) -> io::Result<()> {
        let bytes = Note { id, event }.encode();
        let written = (&self.file).write(&bytes)?;
        if written == bytes.len() {
            Ok(())
        } else {
            Err(io::Error::other("a note was written in part"))
        }
    }
}

/// Reads notes. A note that is incomplete at the end was being written when the process was killed.
pub fn read_notes(bytes: &[u8]) -> io::Result<Vec<Note>> {
    let damaged = || io::Error::other("the ledger holds something that is no note");
    let notes = bytes.chunks_exact(NOTE_BYTES).map(Note::decode);
    notes.map(|note| note.ok_or_else(damaged)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_read_back() {
        let certainty = Certainty { certain: 5, possible: 7 };
        let events = [
            Event::Sent,
            Event::Answered(Certainty::NONE, Replaced::NotTold),
            Event::Answered(certainty, Replaced::Told(None)),
            Event::Answered(certainty, Replaced::Told(Some(u64::MAX))),
            Event::Unknown,
            Event::Unexpected,
        ];
        let notes = events.map(|event| Note { id: OperationId::new(1, 2, 3), event });
        let mut bytes: Vec<u8> = notes.iter().flat_map(Note::encode).collect();
        assert_eq!(read_notes(&bytes).unwrap(), notes);
        bytes.extend_from_slice(&notes[0].encode()[..20]);
        assert_eq!(read_notes(&bytes).unwrap(), notes);
        bytes[40] ^= 1;
        assert!(read_notes(&bytes).is_err());
    }
}
