//! How a database is opened.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use crate::clock::{Clock, Ids, RandomIds, SystemClock};
use crate::storage::fjall::FjallOptions;
use crate::storage::{Durability, Storage};

/// Where the data is.
#[derive(Clone)]
pub enum Location {
    /// In this folder, which is created if need be.
    Folder(PathBuf),
    /// In a storage that the caller made: in memory, or faulty, for tests.
    Storage(Arc<dyn Storage>),
}

/// How a database is opened. Start from [`Options::folder`] or [`Options::in_memory`].
#[derive(Clone)]
pub struct Options {
    /// Where the data is.
    pub location: Location,
    /// When a write is acknowledged.
    pub durability: Durability,
    /// Settings of the storage engine.
    pub engine: FjallOptions,
    /// Where the time comes from.
    pub clock: Arc<dyn Clock>,
    /// Where table ids come from.
    pub ids: Arc<dyn Ids>,
    /// The region in ARNs and stream records.
    pub region: String,
    /// The account number in ARNs.
    pub account_id: String,
    /// Sweep expired items, fill new indexes and purge deleted ones in a thread of their own.
    /// Without it, [`crate::Database::run_background_work`] does one round when it is called.
    pub background_work: bool,
    /// Writes are refused while the disk has less free space than this.
    pub reserved_disk_bytes: u64,
    /// How long a new table answers as if it did not exist, and a deleted one keeps its name, unless
    /// DescribeTable asks before: as on AWS, to find programs that do not wait. No time at all unless
    /// it is set.
    pub table_creation_time: Duration,
    /// Told of each named point that is reached, for tests that end the process at one.
    pub points: Points,
}

/// Who is told when a named point of the write path or of background work is reached. Nobody, unless
/// a test asks for it.
#[derive(Clone, Default)]
pub struct Points(Option<Arc<dyn Fn(&'static str) + Send + Sync>>);

impl Points {
    /// Calls the function with the name of each point that is reached.
    pub fn new(reached: impl Fn(&'static str) + Send + Sync + 'static) -> Points {
        Points(Some(Arc::new(reached)))
    }

    /// This point is reached.
    pub(crate) fn reach(&self, point: &'static str) {
        if let Some(reached) = &self.0 {
            reached(point);
        }
    }
}

impl fmt::Debug for Points {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Points")
    }
}

impl Options {
    /// A database in a folder.
    pub fn folder(folder: impl Into<PathBuf>) -> Options {
        Options::at(Location::Folder(folder.into()))
    }

    /// A database that is forgotten when it is closed.
    pub fn in_memory() -> Options {
        Options::at(Location::Storage(Arc::new(crate::storage::memory::MemoryStorage::default())))
    }

    /// A database on a storage of the caller's.
    pub fn at(location: Location) -> Options {
        Options {
            location,
            durability: Durability::Durable,
            engine: FjallOptions::default(),
            clock: Arc::new(SystemClock),
            ids: Arc::new(RandomIds::default()),
            region: "us-east-1".to_owned(),
            account_id: "000000000000".to_owned(),
            background_work: true,
            reserved_disk_bytes: 128 << 20,
            table_creation_time: Duration::ZERO,
            points: Points::default(),
        }
    }
}

impl fmt::Debug for Options {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Options")
            .field("durability", &self.durability)
            .field("engine", &self.engine)
            .field("region", &self.region)
            .finish_non_exhaustive()
    }
}
