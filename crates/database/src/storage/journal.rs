//! The engine's journals, checked before the engine opens them.
//!
//! fjall ends reading a journal at the first entry it cannot decode, whichever journal that is, and
//! goes on with the next: one flipped bit in a journal that was complete would take entries out of
//! the middle. It also refuses to open when the last batch of the last journal was written in part.
//! So every journal is read here first. One that was complete must be whole, or the database is
//! damaged. The last one may end in a batch that a crash cut short: that tail is moved to a file
//! beside the storage and cut off. (Whether an acknowledged commit was in it, the watermark and the
//! marks of the key spaces tell.) The marks must also follow one another from batch to batch: a
//! journal that lost whole batches at its end, or all of them, looks whole by itself.
//!
//! The format, fjall 3: a journal is a row of batches and then zeros. A batch is
//! `01 count:u32 seqno:u64`, `count` times an item or a clear, and
//! `03 xxh3-of-items:u64 "FJL" 03`; an item is `02 type:u8 compression:u8 keyspace:u64 key-length:u16
//! value-length:u32 stored-length:u32 key value`, a clear `04 keyspace:u64`; integers little-endian.

use std::fs::{File, OpenOptions};
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use xxhash_rust::xxh3::Xxh3Default;

use super::StorageError;
use crate::mark::{self, Mark};
use crate::notice;

const TAG_START: u8 = 1;
const TAG_ITEM: u8 = 2;
const TAG_END: u8 = 3;
const TAG_CLEAR: u8 = 4;
const TRAILER: [u8; 4] = *b"FJL\x03";

/// Checks all journals in the engine's folder; tails that a crash cut short go to `aside`. Gives the
/// last commit in them, if there is one.
pub fn check(folder: &Path, aside: &Path) -> Result<Option<u64>, StorageError> {
    let mut journals = journals(folder).map_err(|error| unreadable(folder, &error))?;
    let mut end = None;
    let Some((_, last)) = journals.pop() else { return Ok(end) };
    for (_, path) in journals {
        let scan = scan(&path, &mut end)?;
        if !scan.ends_in_zeros {
            return Err(StorageError::Damaged(format!(
                "the journal `{}` cannot be read from byte {} on",
                path.display(),
                scan.whole_bytes
            )));
        }
    }
    let scan = scan(&last, &mut end)?;
    if !scan.ends_in_zeros {
        cut(&last, scan.whole_bytes, aside).map_err(|error| unreadable(&last, &error))?;
    }
    Ok(end)
}

/// Is there a journal?
pub fn exists(folder: &Path) -> bool {
    journals(folder).is_ok_and(|journals| !journals.is_empty())
}

fn unreadable(path: &Path, error: &io::Error) -> StorageError {
    StorageError::Io(format!("`{}`: {error}", path.display()))
}

/// The journals with their numbers, oldest first. A new database has none.
fn journals(folder: &Path) -> io::Result<Vec<(u64, PathBuf)>> {
    let entries = match std::fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    let mut journals = Vec::new();
    for entry in entries {
        let path = entry?.path();
        let number = path.file_name().and_then(|name| name.to_str()?.strip_suffix(".jnl"));
        if let Some(number) = number.and_then(|number| number.parse().ok()) {
            journals.push((number, path));
        }
    }
    journals.sort();
    Ok(journals)
}

/// What a journal holds.
struct Scan {
    /// Bytes up to the end of the last whole batch.
    whole_bytes: u64,
    /// Nothing but zeros follows.
    ends_in_zeros: bool,
}

/// Reads a journal; `end` is the last commit in the journals before it, and then in this one.
fn scan(path: &Path, end: &mut Option<u64>) -> Result<Scan, StorageError> {
    let at = |error: io::Error| unreadable(path, &error);
    let file = File::open(path).map_err(at)?;
    let mut reader = Reader { inner: BufReader::with_capacity(1 << 18, file), at: 0 };
    let mut whole_bytes = 0;
    loop {
        match reader.batch() {
            Ok(Some(batch)) => follow(path, end, batch)?,
            Ok(None) => break,
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => break,
            Err(error) => return Err(at(error)),
        }
        whole_bytes = reader.at;
    }
    let mut rest = reader.inner.into_inner();
    rest.seek(SeekFrom::Start(whole_bytes)).map_err(at)?;
    Ok(Scan { whole_bytes, ends_in_zeros: is_zeros(rest).map_err(at)? })
}

/// Does the batch go on where the one before it ended?
fn follow(path: &Path, end: &mut Option<u64>, batch: Batch) -> Result<(), StorageError> {
    let Some(mark) = batch.mark else { return Ok(()) };
    if let Some(end) = *end
        && end != mark.before
    {
        return Err(StorageError::Damaged(format!(
            "the journal `{}` goes on from commit {}, and what is left before it ends at commit {end}",
            path.display(),
            mark.before
        )));
    }
    *end = Some(mark.sequence);
    Ok(())
}

fn is_zeros(mut rest: File) -> io::Result<bool> {
    // Compared as slices: fjall allocates 64 MiB ahead, which takes long byte by byte.
    let zeros = vec![0; 1 << 18];
    let mut chunk = zeros.clone();
    loop {
        let read = rest.read(&mut chunk)?;
        if read == 0 {
            return Ok(true);
        }
        if chunk.get(..read) != zeros.get(..read) {
            return Ok(false);
        }
    }
}

/// Moves what follows the last whole batch to a file of its own.
fn cut(journal: &Path, whole_bytes: u64, aside: &Path) -> io::Result<()> {
    let mut file = OpenOptions::new().read(true).write(true).open(journal)?;
    file.seek(SeekFrom::Start(whole_bytes))?;
    let mut tail = Vec::new();
    file.read_to_end(&mut tail)?;
    let used = tail.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
    tail.truncate(used);
    let name = journal.file_stem().and_then(|name| name.to_str()).unwrap_or("journal");
    let kept = aside.join(format!("journal-{name}-from-{whole_bytes}"));
    std::fs::write(&kept, &tail)?;
    File::open(&kept)?.sync_all()?;
    notice::warning(&format!(
        "What follows byte {whole_bytes} of `{}` is not a whole commit, as after a crash; it was moved \
         to `{}`",
        journal.display(),
        kept.display()
    ));
    file.set_len(whole_bytes)?;
    file.sync_all()
}

/// A whole batch.
#[derive(Clone, Copy, Default)]
struct Batch {
    mark: Option<Mark>,
}

struct Reader {
    inner: BufReader<File>,
    at: u64,
}

impl Reader {
    /// Reads one batch, if what is there is a whole one.
    fn batch(&mut self) -> io::Result<Option<Batch>> {
        let [tag] = self.take::<1>(None)?;
        if tag != TAG_START {
            return Ok(None);
        }
        let mut batch = Batch::default();
        let count = u32::from_le_bytes(self.take(None)?);
        self.take::<8>(None)?;
        let mut sum = Xxh3Default::new();
        for _ in 0..count {
            if !self.item(&mut sum, &mut batch)? {
                return Ok(None);
            }
        }
        let [tag] = self.take::<1>(None)?;
        let expected = u64::from_le_bytes(self.take(None)?);
        let trailer = self.take::<4>(None)?;
        let whole = tag == TAG_END && trailer == TRAILER && sum.digest() == expected;
        Ok(whole.then_some(batch))
    }

    fn item(&mut self, sum: &mut Xxh3Default, batch: &mut Batch) -> io::Result<bool> {
        let [tag] = self.take::<1>(None)?;
        match tag {
            TAG_ITEM => {
                sum.update(&[tag]);
                self.take::<10>(Some(sum))?;
                let key_length = u16::from_le_bytes(self.take(Some(sum))?);
                self.take::<4>(Some(sum))?;
                let stored_length = u32::from_le_bytes(self.take(Some(sum))?);
                if usize::from(key_length) == mark::KEY.len()
                    && stored_length as usize == mark::BYTES
                {
                    let key = self.take::<{ mark::KEY.len() }>(Some(sum))?;
                    let value = self.take::<{ mark::BYTES }>(Some(sum))?;
                    batch.mark = batch.mark.or(Mark::decode(&value).filter(|_| key == mark::KEY));
                } else {
                    self.skip(u64::from(key_length) + u64::from(stored_length), sum)?;
                }
                Ok(true)
            }
            TAG_CLEAR => {
                self.take::<8>(None)?;
                Ok(true)
            }
            _ => Ok(false),
        }
    }

    fn take<const N: usize>(&mut self, sum: Option<&mut Xxh3Default>) -> io::Result<[u8; N]> {
        let mut bytes = [0; N];
        self.inner.read_exact(&mut bytes)?;
        self.at += N as u64;
        if let Some(sum) = sum {
            sum.update(&bytes);
        }
        Ok(bytes)
    }

    /// Adds so many bytes to the sum, however many a damaged length claims there are.
    fn skip(&mut self, length: u64, sum: &mut Xxh3Default) -> io::Result<()> {
        let mut chunk = [0; 4096];
        let mut left = length;
        while left > 0 {
            let wanted = chunk.len().min(usize::try_from(left).unwrap_or(usize::MAX));
            let Some(part) = chunk.get_mut(..wanted) else { break };
            self.inner.read_exact(part)?;
            sum.update(part);
            left -= wanted as u64;
        }
        self.at += length;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;

    use super::*;
    use crate::storage::fjall::{FjallOptions, FjallStorage};
    use crate::storage::{Durability, Space, Storage as _};

    /// A folder with the journal that an engine left which wrote ten batches and was killed; and how
    /// many bytes of it count.
    fn killed() -> (tempfile::TempDir, PathBuf, usize) {
        let live = tempfile::tempdir().unwrap();
        let storage =
            FjallStorage::open(live.path(), live.path(), FjallOptions::default()).unwrap();
        for number in 0_u8..10 {
            let write = |first: u8, value: Vec<u8>| {
                (Bytes::copy_from_slice(&[first, number]), Bytes::from(value))
            };
            let writes = [write(1, vec![number; 9000]), write(2, vec![])];
            let mut writes = writes.iter().map(|(key, value)| (Space::Items, key, Some(value)));
            storage.commit(&mut writes, Durability::Durable).unwrap();
        }
        let (number, journal) = journals(live.path()).unwrap().pop().unwrap();
        let folder = tempfile::tempdir().unwrap();
        let copy = folder.path().join(format!("{number}.jnl"));
        std::fs::copy(journal, &copy).unwrap();
        let bytes = std::fs::read(&copy).unwrap();
        let used = bytes.iter().rposition(|byte| *byte != 0).unwrap() + 1;
        (folder, copy, used)
    }

    fn aside_files(folder: &Path) -> usize {
        let names = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name());
        names.filter(|name| name.to_str().unwrap().starts_with("journal-")).count()
    }

    fn change(path: &Path, at: usize) {
        let mut bytes = std::fs::read(path).unwrap();
        bytes[at] ^= 0x10;
        std::fs::write(path, bytes).unwrap();
    }

    #[test]
    fn a_whole_journal_is_left_alone() {
        let (folder, journal, used) = killed();
        let before = std::fs::read(&journal).unwrap();
        check(folder.path(), folder.path()).unwrap();
        assert!(std::fs::read(&journal).unwrap() == before);
        let scan = scan(&journal, &mut None).unwrap();
        assert_eq!((scan.whole_bytes, scan.ends_in_zeros), (used as u64, true));
    }

    /// The engine itself would skip what follows the damage and open with a hole.
    #[test]
    fn damage_in_a_journal_that_was_complete_is_reported() {
        let (folder, journal, used) = killed();
        std::fs::copy(&journal, folder.path().join("900.jnl")).unwrap();
        change(&journal, used / 2);
        let error = check(folder.path(), folder.path()).unwrap_err();
        assert!(matches!(error, StorageError::Damaged(_)), "{error}");
    }

    /// By itself the shorter journal looks whole; what follows it tells.
    #[test]
    fn a_journal_that_lost_its_last_batches_is_reported_by_the_one_after_it() {
        let folder = tempfile::tempdir().unwrap();
        let (earlier, later) = (folder.path().join("1.jnl"), folder.path().join("2.jnl"));
        let (first, second) = (marked_batches(1..=10), marked_batches(11..=12));
        std::fs::write(&later, second.concat()).unwrap();
        std::fs::write(&earlier, first.concat()).unwrap();
        check(folder.path(), folder.path()).unwrap();
        for left in 1..10 {
            std::fs::write(&earlier, first[..left].concat()).unwrap();
            let error = check(folder.path(), folder.path()).unwrap_err();
            assert!(error.to_string().contains("goes on from commit 10"), "{error}");
        }
    }

    /// The journal of an engine that wrote these commits, batch by batch.
    fn marked_batches(commits: std::ops::RangeInclusive<u64>) -> Vec<Vec<u8>> {
        let folder = tempfile::tempdir().unwrap();
        let storage =
            FjallStorage::open(folder.path(), folder.path(), FjallOptions::default()).unwrap();
        let mut batches = Vec::new();
        let mut length = 0;
        for sequence in commits {
            let mark = Mark { before: sequence - 1, sequence };
            let key = Bytes::from_static(mark::KEY);
            let writes =
                [(Bytes::from_static(b"key"), Bytes::from(vec![1; 50])), (key, mark.encode())];
            let mut writes = writes.iter().map(|(key, value)| (Space::Items, key, Some(value)));
            storage.commit(&mut writes, Durability::Durable).unwrap();
            let (_, journal) = journals(folder.path()).unwrap().pop().unwrap();
            let end = scan(&journal, &mut None).unwrap().whole_bytes as usize;
            batches.push(std::fs::read(&journal).unwrap()[length..end].to_vec());
            length = end;
        }
        batches
    }

    /// The engine itself would refuse to open: the end of the batch is there, its middle is not.
    #[test]
    fn a_last_batch_that_was_written_in_part_is_cut_off_and_kept_aside() {
        let (folder, journal, used) = killed();
        change(&journal, used - 4000);
        check(folder.path(), folder.path()).unwrap();
        assert_eq!(aside_files(folder.path()), 1);
        let left = scan(&journal, &mut None).unwrap();
        assert!(left.ends_in_zeros && left.whole_bytes < used as u64);
    }
}
