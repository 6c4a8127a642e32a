//! Room on the disk: writes are refused while there is too little of it.
//!
//! A disk that fills up in the middle of a commit stops the database, and a server that is started
//! again on a full disk stops again. So writes end earlier, with an error that says why, while reads
//! go on; freeing space is all it takes to write again.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use crate::Error;
use crate::options::{Location, Options};

/// How long a measurement counts.
const MEASURE_EVERY: Duration = Duration::from_millis(100);

/// Watches the free space of the data folder's disk.
#[derive(Debug)]
pub struct DiskGuard {
    /// Absent for a database in memory.
    folder: Option<PathBuf>,
    reserved_bytes: u64,
    started: Instant,
    measured_at_millis: AtomicU64,
    is_low: AtomicBool,
}

impl DiskGuard {
    /// Watches the disk that the options name.
    pub fn new(options: &Options) -> DiskGuard {
        let folder = match &options.location {
            Location::Folder(folder) => Some(folder.clone()),
            Location::Storage(_) => None,
        };
        DiskGuard {
            folder,
            reserved_bytes: options.reserved_disk_bytes,
            started: Instant::now(),
            measured_at_millis: AtomicU64::new(u64::MAX),
            is_low: AtomicBool::new(false),
        }
    }

    /// Refuses a write while the disk is nearly full.
    pub fn check(&self) -> Result<(), Error> {
        self.refusal().map_or(Ok(()), |reason| Err(Error::Throttling(reason)))
    }

    /// Why writes are refused now, if they are.
    pub fn refusal(&self) -> Option<String> {
        let folder = self.folder.as_ref()?;
        let now = u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX);
        let measured_at = self.measured_at_millis.load(Ordering::Relaxed);
        let interval = MEASURE_EVERY.as_millis() as u64;
        if measured_at == u64::MAX || now.saturating_sub(measured_at) >= interval {
            self.measured_at_millis.store(now, Ordering::Relaxed);
            // A disk that cannot be asked will say what is wrong when it is written to.
            if let Ok(status) = rustix::fs::statvfs(folder) {
                let free = status.f_bavail.saturating_mul(status.f_frsize);
                self.is_low.store(free < self.reserved_bytes, Ordering::Relaxed);
            }
        }
        self.is_low.load(Ordering::Relaxed).then(|| {
            format!(
                "The disk of `{}` has less than {} MiB left: writes are refused, reads go on. Free some \
                 space; writes are taken again by themselves",
                folder.display(),
                self.reserved_bytes >> 20
            )
        })
    }
}
