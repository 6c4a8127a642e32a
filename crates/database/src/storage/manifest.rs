//! The engine's manifests, checked before the engine opens them.
//!
//! Each key space has a folder with a file `current`, which names the file that lists its tables and
//! holds that file's checksum. lsm-tree 3 does not compare it: a changed list ends the process in
//! an assertion, or is believed. A key space without `current` fjall takes for one that was never
//! finished, and deletes. Both are refused here, while everything is still there.
//!
//! `current` is `version:u64 xxh3-of-the-list:u128 00`, little-endian; the list is called `vVERSION`.

use std::io;
use std::path::Path;

use xxhash_rust::xxh3::xxh3_128;

use super::StorageError;

const KEYSPACES_FOLDER: &str = "keyspaces";
const CURRENT_FILE: &str = "current";
const CURRENT_BYTES: usize = 25;

/// Checks the manifests of all key spaces in the engine's folder. Gives whether there are any: a new
/// database has none.
pub fn check(folder: &Path) -> Result<bool, StorageError> {
    let keyspaces = folder.join(KEYSPACES_FOLDER);
    let entries = match std::fs::read_dir(&keyspaces) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
        Err(error) => return Err(unreadable(&keyspaces, &error)),
    };
    let mut any = false;
    for entry in entries {
        let path = entry.map_err(|error| unreadable(&keyspaces, &error))?.path();
        if path.is_dir() {
            check_keyspace(&path)?;
            any = true;
        }
    }
    Ok(any)
}

fn check_keyspace(folder: &Path) -> Result<(), StorageError> {
    let current = folder.join(CURRENT_FILE);
    let (version, sum) = decode(&read(&current)?).ok_or_else(|| damaged(&current))?;
    let list = folder.join(format!("v{version}"));
    if xxh3_128(&read(&list)?) == sum { Ok(()) } else { Err(damaged(&list)) }
}

fn decode(current: &[u8]) -> Option<(u64, u128)> {
    if current.len() != CURRENT_BYTES {
        return None;
    }
    let (version, rest) = current.split_at_checked(8)?;
    let (sum, _) = rest.split_at_checked(16)?;
    Some((u64::from_le_bytes(version.try_into().ok()?), u128::from_le_bytes(sum.try_into().ok()?)))
}

fn read(path: &Path) -> Result<Vec<u8>, StorageError> {
    std::fs::read(path).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => {
            StorageError::Damaged(format!("the file `{}` is missing", path.display()))
        }
        _ => unreadable(path, &error),
    })
}

fn unreadable(path: &Path, error: &io::Error) -> StorageError {
    StorageError::Io(format!("`{}`: {error}", path.display()))
}

fn damaged(path: &Path) -> StorageError {
    StorageError::Damaged(format!("the file `{}` is not as it was written", path.display()))
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;
    use crate::storage::Storage as _;
    use crate::storage::fjall::{FjallOptions, FjallStorage};

    /// A storage that was closed, and a manifest file of each kind in it.
    fn closed() -> (tempfile::TempDir, PathBuf, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let options = FjallOptions::default();
        FjallStorage::open(folder.path(), folder.path(), options).unwrap().settle().unwrap();
        let keyspace = folder.path().join(KEYSPACES_FOLDER).join("2");
        let current = keyspace.join(CURRENT_FILE);
        let (version, _) = decode(&std::fs::read(&current).unwrap()).unwrap();
        (folder, current, keyspace.join(format!("v{version}")))
    }

    /// The engine itself would panic, believe it, or refuse, depending on the bit.
    #[test]
    fn every_changed_bit_is_reported() {
        let (folder, current, list) = closed();
        check(folder.path()).unwrap();
        // The last byte of `current` says which checksum it is, and there is only one.
        for (path, ignored) in [(current, 1), (list, 0)] {
            let whole = std::fs::read(&path).unwrap();
            let counting = whole.len() - ignored;
            for bit in 0..counting * 8 {
                let mut changed = whole.clone();
                changed[bit / 8] ^= 1 << (bit % 8);
                std::fs::write(&path, changed).unwrap();
                assert!(check(folder.path()).is_err(), "bit {bit} of {}", path.display());
            }
            std::fs::write(&path, whole).unwrap();
        }
        check(folder.path()).unwrap();
    }

    /// The engine itself would delete the key space.
    #[test]
    fn a_missing_file_is_reported_and_nothing_is_deleted() {
        let (folder, current, list) = closed();
        for path in [current, list.clone()] {
            let whole = std::fs::read(&path).unwrap();
            std::fs::remove_file(&path).unwrap();
            let opened = FjallStorage::open(folder.path(), folder.path(), FjallOptions::default());
            let error = opened.err().unwrap();
            assert!(matches!(&error, StorageError::Damaged(what) if what.contains("missing")));
            std::fs::write(&path, whole).unwrap();
        }
        assert!(list.exists());
        FjallStorage::open(folder.path(), folder.path(), FjallOptions::default()).unwrap();
    }
}
