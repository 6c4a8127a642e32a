//! Opening a database: what is checked before the first request is taken.
//!
//! 1. The format file: another format is refused before the storage engine sees the folder.
//! 2. The engine's journals are whole; it recovers; another process on the folder is refused.
//! 3. The chain of the log, from the last known point to its end.
//! 4. The watermark: the log must reach at least as far as the last commit known to be durable.
//! 5. The marks: every key space must have been written up to the log's end.
//! 6. The catalog.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bytes::Bytes;

use crate::catalog::{Catalog, StreamDefinition, Table, TableDefinition};
use crate::commit::{Watermark, WatermarkError};
use crate::keys;
use crate::log::{self, LogDamage, LogHead};
use crate::mark::{self, Mark};
use crate::options::{Location, Options};
use crate::storage::fjall::FjallStorage;
use crate::storage::{Snapshot, Space, Storage, StorageError};
use crate::stored;

/// The format this version writes, and the newest it reads.
pub const FORMAT_VERSION: u32 = 2;

const FORMAT_FILE: &str = "format";
const FORMAT_DRAFT_FILE: &str = "format.new";
const WATERMARK_FILE: &str = "watermark";
const STORAGE_FOLDER: &str = "storage";
const INTERRUPTED_PREFIX: &str = "interrupted-";
const FORMAT_LINE: &str = "plinth database, format ";

/// Why a database does not open. Each text says what to do.
#[derive(Debug)]
#[non_exhaustive]
pub enum OpenError {
    /// The folder or a file in it cannot be used.
    Io {
        /// Which one.
        path: PathBuf,
        /// What the system said.
        error: io::Error,
    },
    /// Another process has it open.
    Locked {
        /// The folder.
        folder: PathBuf,
    },
    /// Another version has written it.
    OtherFormat {
        /// What was found.
        found: u32,
    },
    /// The folder holds something, but not a database.
    NotADatabase {
        /// The folder.
        folder: PathBuf,
    },
    /// Commits that were acknowledged are missing.
    Shorter {
        /// The last commit known to be durable.
        expected: u64,
        /// The last commit found.
        found: u64,
    },
    /// Something in it is not what was written.
    Damaged {
        /// What.
        detail: String,
    },
}

impl fmt::Display for OpenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OpenError::Io { path, error } => write!(
                f,
                "`{}` cannot be used: {error}. Check that the folder exists, belongs to this user and \
                 that its disk has room",
                path.display()
            ),
            OpenError::Locked { folder } => write!(
                f,
                "another process has `{}` open. Stop it first, or use another data folder",
                folder.display()
            ),
            OpenError::OtherFormat { found } => write!(
                f,
                "the database has format {found}, and this version reads format {FORMAT_VERSION}. Use the \
                 version that wrote it, or a newer one"
            ),
            OpenError::NotADatabase { folder } => write!(
                f,
                "`{}` is not empty and not a database. Choose an empty folder or one that a database \
                 was created in",
                folder.display()
            ),
            OpenError::Shorter { expected, found } => write!(
                f,
                "the log ends at commit {found}, but commit {expected} was acknowledged: {} commits \
                 are lost to damage. Copy the folder, check the disk, and restore from a backup",
                expected - found
            ),
            OpenError::Damaged { detail } => write!(
                f,
                "the database is damaged: {detail}. Copy the folder, check the disk, and restore from \
                 a backup"
            ),
        }
    }
}

impl std::error::Error for OpenError {}

/// What opening finds.
pub struct Opened {
    /// The storage.
    pub storage: Arc<dyn Storage>,
    /// The tables.
    pub catalog: Arc<Catalog>,
    /// Where the log ends.
    pub head: LogHead,
    /// The commit from which it was checked.
    pub verified: u64,
    /// The note beside the storage, unless it is in memory.
    pub watermark: Option<Watermark>,
    /// The last commit in the journals: what the mark of the next one goes on from.
    pub marked: u64,
}

/// Opens the location and checks it.
pub fn open(options: &Options) -> Result<Opened, OpenError> {
    let (storage, note, journal_end): (Arc<dyn Storage>, _, _) = match &options.location {
        Location::Storage(storage) => (Arc::clone(storage), None, None),
        Location::Folder(folder) => {
            let fresh = check_format(folder)?;
            let storage = open_engine(folder, options, fresh)?;
            let note = open_watermark(&folder.join(WATERMARK_FILE), fresh)?;
            if fresh {
                write_format(folder)?;
            }
            let journal_end = storage.journal_end();
            (Arc::new(storage), Some(note), journal_end)
        }
    };
    let snapshot = storage.snapshot();
    let noted = note.as_ref().map_or(LogHead::GENESIS, |(_, head)| *head);
    let (verified, head) = check_log(&*snapshot, noted)?;
    check_marks(&*snapshot, head)?;
    let catalog = Arc::new(read_catalog(&*snapshot)?);
    drop(snapshot);
    let watermark = note.map(|(watermark, _)| watermark);
    let marked = journal_end.unwrap_or(head.sequence);
    Ok(Opened { storage, catalog, head, verified, watermark, marked })
}

/// Is this a new folder? Refuses formats that are newer and folders that hold something else.
fn check_format(folder: &Path) -> Result<bool, OpenError> {
    let at = |path: &Path| {
        let path = path.to_owned();
        move |error| OpenError::Io { path, error }
    };
    std::fs::create_dir_all(folder).map_err(at(folder))?;
    let path = folder.join(FORMAT_FILE);
    let text = match std::fs::read(&path) {
        Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let mut entries = std::fs::read_dir(folder).map_err(at(folder))?;
            // What a first start that was interrupted may have left.
            let ours = [STORAGE_FOLDER, WATERMARK_FILE, FORMAT_DRAFT_FILE];
            let foreign = entries.any(|entry| {
                entry.is_ok_and(|entry| {
                    let name = entry.file_name();
                    let is_ours = ours.iter().any(|ours| name == *ours);
                    !is_ours && !name.to_string_lossy().starts_with(INTERRUPTED_PREFIX)
                })
            });
            if foreign {
                return Err(OpenError::NotADatabase { folder: folder.to_owned() });
            }
            return Ok(true);
        }
        Err(error) => return Err(at(&path)(error)),
    };
    let found = text.strip_prefix(FORMAT_LINE).and_then(|rest| rest.trim_end().parse().ok());
    match found {
        Some(FORMAT_VERSION) => Ok(false),
        Some(found) => Err(OpenError::OtherFormat { found }),
        None => Err(OpenError::Damaged { detail: format!("`{}` cannot be read", path.display()) }),
    }
}

/// Written last, so that a folder with a format file is a complete database.
fn write_format(folder: &Path) -> Result<(), OpenError> {
    let path = folder.join(FORMAT_FILE);
    let draft = folder.join(FORMAT_DRAFT_FILE);
    let write = || {
        std::fs::write(&draft, format!("{FORMAT_LINE}{FORMAT_VERSION}\n"))?;
        std::fs::File::open(&draft)?.sync_all()?;
        std::fs::rename(&draft, &path)?;
        std::fs::File::open(folder)?.sync_all()?;
        // The folder itself may be new: without this, losing power could take it as a whole.
        match folder.canonicalize()?.parent() {
            Some(parent) => std::fs::File::open(parent)?.sync_all(),
            None => Ok(()),
        }
    };
    write().map_err(|error| OpenError::Io { path: path.clone(), error })
}

/// A first start that was interrupted can leave a storage that does not open. Nothing was
/// acknowledged in it: it is moved out of the way, and a new one begun.
fn open_engine(folder: &Path, options: &Options, fresh: bool) -> Result<FjallStorage, OpenError> {
    let path = folder.join(STORAGE_FOLDER);
    let opened = try_open_engine(folder, &path, options);
    if !fresh || !matches!(opened, Err(OpenError::Io { .. } | OpenError::Damaged { .. })) {
        return opened;
    }
    let away = (1..).map(|number| folder.join(format!("{INTERRUPTED_PREFIX}{number}")));
    let Some(away) = away.into_iter().find(|away| !away.exists()) else { return opened };
    std::fs::rename(&path, away).map_err(|error| OpenError::Io { path: path.clone(), error })?;
    try_open_engine(folder, &path, options)
}

fn try_open_engine(
    folder: &Path,
    path: &Path,
    options: &Options,
) -> Result<FjallStorage, OpenError> {
    FjallStorage::open(path, folder, options.engine).map_err(|error| match error {
        StorageError::Locked => OpenError::Locked { folder: folder.to_owned() },
        StorageError::Io(detail) => {
            OpenError::Io { path: path.to_owned(), error: io::Error::other(detail) }
        }
        StorageError::Damaged(detail) => OpenError::Damaged { detail },
        StorageError::Stopped => OpenError::Damaged { detail: error.to_string() },
    })
}

/// A folder without a format file has acknowledged nothing yet: what its watermark says is what a
/// first start that was interrupted left.
fn open_watermark(path: &Path, fresh: bool) -> Result<(Watermark, LogHead), OpenError> {
    if fresh && path.exists() {
        let removed = std::fs::remove_file(path);
        removed.map_err(|error| OpenError::Io { path: path.to_owned(), error })?;
    }
    // It is written before the format file, and from then on it has its two notes.
    if std::fs::metadata(path).is_ok_and(|file| file.len() == 0) {
        return Err(OpenError::Damaged { detail: format!("`{}` is empty", path.display()) });
    }
    Watermark::open(path).map_err(|error| match error {
        WatermarkError::Io(error) => OpenError::Io { path: path.to_owned(), error },
        WatermarkError::Damaged => {
            OpenError::Damaged { detail: format!("`{}` cannot be read", path.display()) }
        }
    })
}

/// Checks the log from the last known point; gives that point's commit and the log's end.
fn check_log(snapshot: &dyn Snapshot, noted: LogHead) -> Result<(u64, LogHead), OpenError> {
    let from = match read_meta(snapshot, b'l')? {
        Some(bytes) => decode_point(&bytes)?,
        None => log_anchor(snapshot)?,
    };
    let mut hash_at_note = (noted.sequence == from.sequence).then_some(from.hash);
    let head = log::verify(snapshot, from, |_| {}).map_err(damage)?;
    if noted.sequence > head.sequence {
        return Err(OpenError::Shorter { expected: noted.sequence, found: head.sequence });
    }
    if hash_at_note.is_none() && noted.sequence > 0 {
        let record = snapshot.get(Space::Log, &keys::log_record(noted.sequence));
        let record = record.map_err(|error| OpenError::Damaged { detail: error.to_string() })?;
        hash_at_note = record.and_then(log::CommitRecord::decode).map(|record| record.hash);
    }
    // A trimmed log may no longer hold the noted commit; the chain from the anchor vouches for it.
    if hash_at_note.is_some_and(|hash| hash != noted.hash) {
        let detail = format!("commit {} is not the one that was acknowledged", noted.sequence);
        return Err(OpenError::Damaged { detail });
    }
    Ok((from.sequence, head))
}

/// Does every space reach as far as the log?
fn check_marks(snapshot: &dyn Snapshot, head: LogHead) -> Result<(), OpenError> {
    for space in mark::SPACES {
        let damaged = |what: String| {
            let detail = format!("the key space `{}` {what}", space.name());
            OpenError::Damaged { detail }
        };
        let found = snapshot.get(space, mark::KEY).map_err(|error| damaged(error.to_string()))?;
        let mark = match found {
            // Nothing has been written yet.
            None => Mark::default(),
            Some(bytes) => Mark::decode(&bytes)
                .ok_or_else(|| damaged("has a mark that cannot be read".to_owned()))?,
        };
        if mark.sequence != head.sequence {
            let what = format!(
                "ends at commit {}, and the log at commit {}: what lies between is lost",
                mark.sequence, head.sequence
            );
            return Err(damaged(what));
        }
    }
    Ok(())
}

/// The commit before the oldest kept one.
pub fn log_anchor(snapshot: &dyn Snapshot) -> Result<LogHead, OpenError> {
    match read_meta(snapshot, b'a')? {
        Some(bytes) => decode_point(&bytes),
        None => Ok(LogHead::GENESIS),
    }
}

fn read_meta(snapshot: &dyn Snapshot, kind: u8) -> Result<Option<Bytes>, OpenError> {
    let value = snapshot.get(Space::Meta, &keys::meta(kind, &[]));
    value.map_err(|error| OpenError::Damaged { detail: error.to_string() })
}

fn decode_point(bytes: &[u8]) -> Result<LogHead, OpenError> {
    let damaged = || OpenError::Damaged { detail: "a point of the log cannot be read".to_owned() };
    LogHead::decode(bytes).ok_or_else(damaged)
}

fn damage(damage: LogDamage) -> OpenError {
    OpenError::Damaged { detail: damage.to_string() }
}

/// Checks the whole log from its oldest kept commit; gives how many commits it holds and its end.
/// `progress` is told each sequence number.
pub fn verify_whole_log(
    snapshot: &dyn Snapshot,
    progress: impl FnMut(u64),
) -> Result<(u64, LogHead), OpenError> {
    let anchor = log_anchor(snapshot)?;
    let head = log::verify(snapshot, anchor, progress).map_err(damage)?;
    Ok((head.sequence - anchor.sequence, head))
}

/// Reads every entry of the key spaces that the log led to, and every item; gives how many entries
/// there are. `progress` is told how many were read.
pub fn read_everything(
    snapshot: &dyn Snapshot,
    mut progress: impl FnMut(u64),
) -> Result<u64, OpenError> {
    let mut entries = 0;
    for space in [Space::Meta, Space::Items, Space::Index] {
        let damaged = |what: &dyn fmt::Display| {
            let detail = format!("the key space `{}` cannot be read: {what}", space.name());
            OpenError::Damaged { detail }
        };
        for entry in snapshot.range(space, Bytes::new(), Bytes::from_static(&[0xFF; 64]), false) {
            let (key, value) = entry.map_err(|error| damaged(&error))?;
            if space == Space::Items && key != mark::KEY {
                stored::item(&value).map_err(|error| damaged(&error))?;
            }
            entries += 1;
            progress(entries);
        }
    }
    Ok(entries)
}

fn read_catalog(snapshot: &dyn Snapshot) -> Result<Catalog, OpenError> {
    let mut catalog = Catalog::default();
    let unreadable = |what: &str| {
        let detail = format!("the definition of a {what} cannot be read");
        move |_| OpenError::Damaged { detail }
    };
    if let Some(bytes) = read_meta(snapshot, b'n')? {
        (catalog.last_table, catalog.last_stream) =
            stored::record(&bytes).map_err(unreadable("table number"))?;
    }
    for bytes in records(snapshot, b't')? {
        let definition: TableDefinition = stored::record(&bytes).map_err(unreadable("table"))?;
        let table = Table::new(definition);
        if table.keys.hash.len() != 1
            || table.indexes.iter().any(|index| index.keys.hash.is_empty())
        {
            let detail = format!("the table `{}` has no usable key", table.name);
            return Err(OpenError::Damaged { detail });
        }
        catalog.put_table(Arc::new(table));
    }
    for bytes in records(snapshot, b's')? {
        let stream: StreamDefinition = stored::record(&bytes).map_err(unreadable("stream"))?;
        catalog.streams.insert(stream.number, Arc::new(stream));
    }
    Ok(catalog)
}

fn records(snapshot: &dyn Snapshot, kind: u8) -> Result<Vec<Bytes>, OpenError> {
    let start = keys::meta(kind, &[]);
    let end = keys::prefix_end(&start);
    let entries = snapshot.range(Space::Meta, start, end, false);
    let values = entries.map(|entry| entry.map(|(_, value)| value));
    values
        .collect::<Result<_, _>>()
        .map_err(|error: StorageError| OpenError::Damaged { detail: error.to_string() })
}
