//! Where a history takes place: a database in memory, on disk, or on a storage that fails midway.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use database::options::Location;
use database::storage::faulty::{Fault, FaultyStorage};
use database::storage::memory::MemoryStorage;
use database::{Database, OpenError, Options};

use crate::chance;

/// Which storage a history runs on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// In memory.
    Memory,
    /// In a folder.
    Disk,
    /// In memory, and one of the calls of the storage fails: the database stops, some outcomes stay
    /// unknown, and it is opened again on what is left.
    Failing,
}

/// The place of one history, with its clock.
#[derive(Debug)]
pub struct Ground {
    kind: Kind,
    folder: PathBuf,
    memory: Memory,
    clock: AtomicU64,
}

struct Memory {
    inner: MemoryStorage,
    faulty: FaultyStorage<MemoryStorage>,
}

impl std::fmt::Debug for Memory {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Memory")
    }
}

impl Ground {
    /// A new place; the folder is used only by [`Kind::Disk`].
    pub fn new(kind: Kind, folder: PathBuf) -> Ground {
        let inner = MemoryStorage::default();
        let memory = Memory { faulty: FaultyStorage::new(inner.clone()), inner };
        Ground { kind, folder, memory, clock: AtomicU64::new(0) }
    }

    /// The next moment. Moments order everything that happens in the history.
    pub fn now(&self) -> u64 {
        self.clock.fetch_add(1, Ordering::SeqCst)
    }

    /// Opens the database.
    pub fn open(&self, random: &mut fastrand::Rng) -> Result<Database, OpenError> {
        let mut options = match self.kind {
            Kind::Memory => self.on_memory(),
            Kind::Failing => Options::at(Location::Storage(Arc::new(self.memory.faulty.clone()))),
            Kind::Disk => {
                let mut options = Options::folder(&self.folder);
                options.engine = chance::engine_options(random);
                options
            }
        };
        options.background_work = false;
        Database::open(options)
    }

    /// Lets a later call of the storage fail, if that is the kind.
    pub fn plant_failure(&self, random: &mut fastrand::Rng) {
        if self.kind == Kind::Failing {
            let at_call = random.u64(200..5_000);
            self.memory.faulty.set_fault(Fault { at_call, sticky: true, torn: random.bool() });
        }
    }

    /// Closes the database and opens it again, without faults.
    pub fn reopen(&self, database: Database) -> Result<Database, OpenError> {
        database.close();
        drop(database);
        let mut options = match self.kind {
            Kind::Memory | Kind::Failing => self.on_memory(),
            Kind::Disk => Options::folder(&self.folder),
        };
        options.background_work = false;
        Database::open(options)
    }

    fn on_memory(&self) -> Options {
        Options::at(Location::Storage(Arc::new(self.memory.inner.clone())))
    }
}
