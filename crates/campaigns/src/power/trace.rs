//! Reads what the recorder wrote.

use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};

#[path = "../../../campaigns-recorder/src/format.rs"]
#[cfg_attr(not(test), expect(dead_code, reason = "the writing half is for the recorder and tests"))]
mod format;

use format::{HEADER_BYTES, Kind, MAGIC};

/// One call, in the order of the trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// Bytes of the trace were written to a file.
    Write {
        /// The file.
        inode: u64,
        /// Where in the file.
        offset: u64,
        /// Which bytes of the trace.
        data: Range<usize>,
    },
    /// A file has another length.
    Resize {
        /// The file.
        inode: u64,
        /// The new length.
        size: u64,
    },
    /// A file was created.
    Create {
        /// The file.
        inode: u64,
        /// Its name.
        path: PathBuf,
    },
    /// A folder was created.
    MakeFolder {
        /// The folder.
        inode: u64,
        /// Its name.
        path: PathBuf,
    },
    /// A file or folder got another name.
    Rename {
        /// The old one.
        from: PathBuf,
        /// The new one.
        to: PathBuf,
    },
    /// A name was removed.
    Remove {
        /// The name.
        path: PathBuf,
    },
    /// A sync was asked for.
    SyncBegin {
        /// Of this file or folder; 0 for everything.
        inode: u64,
        /// Which sync.
        number: u64,
    },
    /// A sync succeeded.
    SyncEnd {
        /// Of this file or folder; 0 for everything.
        inode: u64,
        /// Which sync.
        number: u64,
    },
    /// Bytes of the trace were appended to the ledger.
    Ledger(Range<usize>),
}

/// A trace with its data.
#[derive(Debug, Default)]
pub struct Trace {
    /// What happened.
    pub events: Vec<Event>,
    bytes: Vec<u8>,
}

impl Trace {
    /// Reads a trace from a file.
    pub fn read(path: &Path) -> io::Result<Trace> {
        Trace::parse(std::fs::read(path)?).map_err(io::Error::other)
    }

    /// The bytes that an event stands for.
    pub fn data(&self, range: &Range<usize>) -> &[u8] {
        self.bytes.get(range.clone()).unwrap_or_default()
    }

    /// Everything appended to the ledger before this event.
    pub fn ledger(&self, cut: usize) -> Vec<u8> {
        let notes = self.events.iter().take(cut).filter_map(|event| match event {
            Event::Ledger(range) => Some(self.data(range)),
            _ => None,
        });
        notes.collect::<Vec<&[u8]>>().concat()
    }

    fn parse(bytes: Vec<u8>) -> Result<Trace, String> {
        let mut events = Vec::new();
        let mut place = MAGIC.len();
        if !bytes.starts_with(MAGIC) {
            return Err("the trace does not start as one; is the recorder another version?".into());
        }
        while place < bytes.len() {
            let header = bytes.get(place..place + HEADER_BYTES).ok_or("the trace is cut off")?;
            let number = |at: usize| -> u64 {
                header[at..at + 8].iter().rev().fold(0, |sum, byte| sum << 8 | u64::from(*byte))
            };
            let length =
                header[17..].iter().rev().fold(0, |sum, byte| sum << 8 | usize::from(*byte));
            let data = place + HEADER_BYTES..place + HEADER_BYTES + length;
            let content = bytes.get(data.clone()).ok_or("the trace is cut off")?;
            place = data.end;
            let kind = KINDS.into_iter().find(|kind| *kind as u8 == header[0]);
            let kind = kind.ok_or_else(|| format!("a record of kind {}", header[0]))?;
            events.push(event(kind, number(1), number(9), content, data)?);
        }
        Ok(Trace { events, bytes })
    }
}

const KINDS: [Kind; 11] = [
    Kind::Write,
    Kind::Resize,
    Kind::Create,
    Kind::Rename,
    Kind::Unlink,
    Kind::MakeFolder,
    Kind::RemoveFolder,
    Kind::SyncBegin,
    Kind::SyncEnd,
    Kind::Ledger,
    Kind::Unsupported,
];

fn event(
    kind: Kind,
    inode: u64,
    number: u64,
    content: &[u8],
    data: Range<usize>,
) -> Result<Event, String> {
    let path = |bytes: &[u8]| PathBuf::from(String::from_utf8_lossy(bytes).into_owned());
    Ok(match kind {
        Kind::Write => Event::Write { inode, offset: number, data },
        Kind::Resize => Event::Resize { inode, size: number },
        Kind::Create => Event::Create { inode, path: path(content) },
        Kind::MakeFolder => Event::MakeFolder { inode, path: path(content) },
        Kind::Unlink | Kind::RemoveFolder => Event::Remove { path: path(content) },
        Kind::SyncBegin => Event::SyncBegin { inode, number },
        Kind::SyncEnd => Event::SyncEnd { inode, number },
        Kind::Ledger => Event::Ledger(data),
        Kind::Rename => {
            let mut names = content.split(|byte| *byte == 0).map(path);
            let (from, to) = (names.next().unwrap_or_default(), names.next().unwrap_or_default());
            Event::Rename { from, to }
        }
        Kind::Unsupported => {
            return Err(format!("a call that no image can show: {}", path(content).display()));
        }
    })
}

#[cfg(test)]
impl Trace {
    /// A trace made by hand.
    pub fn by_hand(events: Vec<Event>, bytes: &[u8]) -> Trace {
        Trace { events, bytes: bytes.to_vec() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_read_back() {
        let mut bytes = MAGIC.to_vec();
        let mut add = |kind, inode, number, data: &[u8]| {
            bytes.extend_from_slice(&format::header(kind, inode, number, data.len()));
            bytes.extend_from_slice(data);
        };
        add(Kind::Create, 5, 0, b"a/b");
        add(Kind::Write, 5, 70_000, b"hello");
        add(Kind::Rename, 0, 0, b"a/b\0a/c");
        add(Kind::SyncEnd, 5, 3, b"");
        let trace = Trace::parse(bytes.clone()).unwrap();
        let [create, write, rename, sync] = trace.events.as_slice() else { panic!("{trace:?}") };
        assert_eq!(*create, Event::Create { inode: 5, path: "a/b".into() });
        let Event::Write { inode: 5, offset: 70_000, data } = write else { panic!("{write:?}") };
        assert_eq!(trace.data(data), b"hello");
        assert_eq!(*rename, Event::Rename { from: "a/b".into(), to: "a/c".into() });
        assert_eq!(*sync, Event::SyncEnd { inode: 5, number: 3 });
        bytes.pop();
        bytes.truncate(bytes.len() - 1);
        assert!(Trace::parse(bytes).is_err());
        assert!(Trace::parse(b"something else".to_vec()).is_err());
    }
}
