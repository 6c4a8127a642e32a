//! The calls that stand before those of the C library. Each one does what its namesake does, and
//! writes it down if it concerns the watched folder.

mod content;
mod names;
mod opening;
mod syncing;

use std::ffi::{CStr, c_int};

use crate::recorder::Recorder;

/// The absolute path that a call means by a folder's descriptor and a path.
fn absolute(recorder: &Recorder, folder: c_int, path: &CStr) -> Vec<u8> {
    let path = path.to_bytes();
    if path.starts_with(b"/") {
        return path.to_vec();
    }
    let start = if folder == libc::AT_FDCWD {
        let current = std::env::current_dir().unwrap_or_default();
        std::os::unix::ffi::OsStringExt::into_vec(current.into_os_string())
    } else {
        recorder.file(folder).map(|folder| folder.path.clone()).unwrap_or_default()
    };
    [start.as_slice(), b"/", path].concat()
}
