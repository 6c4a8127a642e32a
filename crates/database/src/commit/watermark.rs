//! A note, beside the storage, of the last commit known to be durable.
//!
//! The storage engine cuts its journal at the first entry it cannot read and opens with what is
//! left: after damage in the middle it would serve a smaller database without a word. The watermark
//! lies in a file of its own and is written after each group has been synced, so it is never ahead
//! of the storage. A database whose log ends before its watermark has lost commits and is not
//! opened.
//!
//! Two slots of 64 bytes, each in a block of 4 KiB of its own, are written in turn, so that a torn
//! write damages only one:
//! `sequence:u64 | time:u64 | hash:32 | unused:8 | xxh3 of the first 56 bytes:u64`.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;

use xxhash_rust::xxh3::xxh3_64;

use crate::log::LogHead;

const SLOT_BYTES: usize = 64;
const SLOT_OFFSETS: [u64; 2] = [0, 4096];
const SUM_OFFSET: usize = 56;
const HEAD_BYTES: usize = 48;

/// The open watermark file.
#[derive(Debug)]
pub struct Watermark {
    file: File,
    next_slot: usize,
}

/// What is wrong with a watermark file.
#[derive(Debug)]
pub enum WatermarkError {
    /// It could not be read or written.
    Io(io::Error),
    /// It is there, but neither slot holds.
    Damaged,
}

impl From<io::Error> for WatermarkError {
    fn from(error: io::Error) -> Self {
        WatermarkError::Io(error)
    }
}

impl Watermark {
    /// Opens the file, creating it for a new database; gives the later of its two notes.
    pub fn open(path: &Path) -> Result<(Watermark, LogHead), WatermarkError> {
        let file =
            OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path)?;
        if file.metadata()?.len() == 0 {
            // Both slots are on disk before the first note, so that notes only ever overwrite.
            let mut watermark = Watermark { file, next_slot: 0 };
            watermark.note(&LogHead::GENESIS)?;
            watermark.note(&LogHead::GENESIS)?;
            watermark.file.sync_all()?;
            return Ok((watermark, LogHead::GENESIS));
        }
        let read = |offset| -> io::Result<Option<LogHead>> {
            let mut slot = [0; SLOT_BYTES];
            match file.read_exact_at(&mut slot, offset) {
                Ok(()) => Ok(decode_slot(&slot)),
                Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(None),
                Err(error) => Err(error),
            }
        };
        let [first, second] = SLOT_OFFSETS;
        let (next_slot, head) = match (read(first)?, read(second)?) {
            (Some(head), None) => (1, head),
            (None, Some(head)) => (0, head),
            (Some(one), Some(two)) if one.sequence > two.sequence => (1, one),
            (Some(_), Some(two)) => (0, two),
            (None, None) => return Err(WatermarkError::Damaged),
        };
        Ok((Watermark { file, next_slot }, head))
    }

    /// Notes a commit that is durable.
    pub fn note(&mut self, head: &LogHead) -> io::Result<()> {
        let mut slot = [0; SLOT_BYTES];
        slot[..HEAD_BYTES].copy_from_slice(&head.encode());
        let sum = xxh3_64(&slot[..SUM_OFFSET]);
        slot[SUM_OFFSET..].copy_from_slice(&sum.to_be_bytes());
        self.file.write_all_at(&slot, SLOT_OFFSETS[self.next_slot])?;
        self.next_slot = 1 - self.next_slot;
        Ok(())
    }

    /// Makes the notes themselves durable.
    pub fn sync(&self) -> io::Result<()> {
        self.file.sync_data()
    }
}

fn decode_slot(slot: &[u8]) -> Option<LogHead> {
    let (body, sum) = slot.split_at_checked(SUM_OFFSET)?;
    let sum = u64::from_be_bytes(sum.try_into().ok()?);
    if xxh3_64(body) != sum {
        return None;
    }
    LogHead::decode(body.get(..HEAD_BYTES)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn head(sequence: u64) -> LogHead {
        LogHead { sequence, time: sequence * 10, hash: [sequence as u8; 32] }
    }

    #[test]
    fn the_later_note_counts_and_one_torn_slot_does_no_harm() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("watermark");
        let (mut watermark, first) = Watermark::open(&path).unwrap();
        assert_eq!(first, LogHead::GENESIS);
        for sequence in 1..=5 {
            watermark.note(&head(sequence)).unwrap();
        }
        assert_eq!(Watermark::open(&path).unwrap().1, head(5));

        // Slots alternate from slot 0, so note 5 is in slot 0: tear it.
        watermark.file.write_all_at(&[0xAA; 10], 0).unwrap();
        assert_eq!(Watermark::open(&path).unwrap().1, head(4));

        watermark.file.write_all_at(&[0xAA; 10], SLOT_OFFSETS[1]).unwrap();
        assert!(matches!(Watermark::open(&path), Err(WatermarkError::Damaged)));
    }
}
