//! The file that holds the access keys: replaced as a whole, one writer at a time.

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Write as _};
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::{AccessKey, AccessKeyError};

const FORMAT: u32 = 1;

/// What tells one state of the file from the next.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Version {
    inode: u64,
    bytes: u64,
    seconds: i64,
    nanoseconds: i64,
}

#[derive(Serialize, Deserialize)]
struct Contents {
    format: u32,
    keys: Vec<AccessKey>,
}

pub(super) struct KeyFile {
    path: PathBuf,
}

impl KeyFile {
    pub(super) fn new(path: PathBuf) -> KeyFile {
        KeyFile { path }
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// None if there is no file.
    pub(super) fn version(&self) -> Option<Version> {
        let metadata = fs::metadata(&self.path).ok()?;
        Some(Version {
            inode: metadata.ino(),
            bytes: metadata.len(),
            seconds: metadata.mtime(),
            nanoseconds: metadata.mtime_nsec(),
        })
    }

    pub(super) fn read(&self) -> Result<Vec<AccessKey>, AccessKeyError> {
        let text = match fs::read(&self.path) {
            Ok(text) => text,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(self.cannot("read", &error)),
        };
        let contents: Contents = serde_json::from_slice(&text).map_err(|error| {
            AccessKeyError::new(format!("{} is damaged: {error}", self.path.display()))
        })?;
        if contents.format != FORMAT {
            return Err(AccessKeyError::new(format!(
                "{} has format {}, this version reads {FORMAT}: use the version that wrote it, or a \
                 newer one",
                self.path.display(),
                contents.format
            )));
        }
        Ok(contents.keys)
    }

    /// Changes the list, whoever else wants to.
    pub(super) fn change(
        &self,
        change: impl FnOnce(&mut Vec<AccessKey>) -> Result<(), AccessKeyError>,
    ) -> Result<(), AccessKeyError> {
        let lock = self.lock().map_err(|error| self.cannot("lock", &error))?;
        let mut keys = self.read()?;
        change(&mut keys)?;
        let contents = Contents { format: FORMAT, keys };
        let text = serde_json::to_vec_pretty(&contents).map_err(super::unreadable)?;
        self.replace(&text).map_err(|error| self.cannot("write", &error))?;
        drop(lock);
        Ok(())
    }

    fn lock(&self) -> io::Result<File> {
        let path = self.path.with_extension("lock");
        let lock = OpenOptions::new().create(true).truncate(false).write(true).open(path)?;
        lock.lock()?;
        Ok(lock)
    }

    fn replace(&self, text: &[u8]) -> io::Result<()> {
        let new = self.path.with_extension("new");
        let mut file =
            OpenOptions::new().create(true).write(true).truncate(true).mode(0o600).open(&new)?;
        file.write_all(text)?;
        file.sync_all()?;
        fs::rename(&new, &self.path)?;
        let folder = self.path.parent().filter(|folder| !folder.as_os_str().is_empty());
        File::open(folder.unwrap_or(Path::new(".")))?.sync_all()
    }

    fn cannot(&self, what: &str, error: &io::Error) -> AccessKeyError {
        AccessKeyError::new(format!("Cannot {what} {}: {error}", self.path.display()))
    }
}
