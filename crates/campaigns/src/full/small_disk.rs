//! A file system of a few hundred megabytes, in memory.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

const SIZE: &str = "size=320m";

/// A mounted file system; unmounted when it is dropped.
#[derive(Debug)]
pub(super) struct SmallDisk {
    path: PathBuf,
}

impl SmallDisk {
    /// Mounts it at a folder that is created.
    pub(super) fn mount(path: &Path) -> io::Result<SmallDisk> {
        std::fs::create_dir_all(path)?;
        let output =
            Command::new("mount").args(["-t", "tmpfs", "-o", SIZE, "tmpfs"]).arg(path).output()?;
        if !output.status.success() {
            return Err(io::Error::other(
                String::from_utf8_lossy(&output.stderr).trim().to_owned(),
            ));
        }
        Ok(SmallDisk { path: path.to_owned() })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Removes everything on it.
    pub(super) fn clear(&self) -> io::Result<()> {
        for entry in std::fs::read_dir(&self.path)? {
            let path = entry?.path();
            if path.is_dir() {
                std::fs::remove_dir_all(path)?;
            } else {
                std::fs::remove_file(path)?;
            }
        }
        Ok(())
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        // Nothing can be done about a failure here but say so.
        let unmounted = Command::new("umount").arg(&self.path).status();
        if !unmounted.is_ok_and(|status| status.success()) {
            println!("`{}` cannot be unmounted; unmount it by hand", self.path.display());
        }
    }
}

/// Takes space until only this much is left; gives the file that does.
pub(super) fn take_space(disk: &Path, left_bytes: u64) -> io::Result<PathBuf> {
    let path = disk.join("foreign");
    let file = File::create(&path)?;
    let taken = free_bytes(disk)?.saturating_sub(left_bytes);
    rustix::fs::fallocate(&file, rustix::fs::FallocateFlags::empty(), 0, taken.max(1))?;
    Ok(path)
}

fn free_bytes(disk: &Path) -> io::Result<u64> {
    let status = rustix::fs::statvfs(disk)?;
    Ok(status.f_bavail.saturating_mul(status.f_frsize))
}
