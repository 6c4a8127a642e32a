//! fsync, fdatasync, syncfs.
#![expect(unsafe_code, reason = "takes the place of calls of the C library")]

use std::ffi::c_int;

use crate::format::Kind;
use crate::plan::Class;
use crate::real::real;
use crate::recorder::{recorder, set_error};

/// Syncs with the real call. Its begin and its end are written down: what was written before the
/// begin is on disk at the end, and nothing else is sure. Other calls go on meanwhile.
fn watch_sync(descriptor: c_int, everything: bool, real: impl FnOnce() -> c_int) -> c_int {
    let Some(mut guard) = recorder() else { return real() };
    let Some(file) = guard.file(descriptor).cloned().filter(|file| !file.is_ledger) else {
        drop(guard);
        return real();
    };
    if let Some(error) = guard.meet(Class::Sync, &file.path) {
        set_error(error);
        return -1;
    }
    let inode = if everything { 0 } else { file.inode };
    let number = guard.next_sync();
    guard.record(Kind::SyncBegin, inode, number, &[]);
    let skips = guard.skips_syncs;
    drop(guard);
    let result = if skips { 0 } else { real() };
    if result == 0
        && let Some(mut guard) = recorder()
    {
        guard.record(Kind::SyncEnd, inode, number, &[]);
    }
    result
}

/// # Safety
/// As for the C library's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fsync(descriptor: c_int) -> c_int {
    let real = real!(c"fsync" as fn(c_int) -> c_int);
    // SAFETY: the caller's promise.
    watch_sync(descriptor, false, || unsafe { real(descriptor) })
}

/// # Safety
/// As for the C library's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fdatasync(descriptor: c_int) -> c_int {
    let real = real!(c"fdatasync" as fn(c_int) -> c_int);
    // SAFETY: the caller's promise.
    watch_sync(descriptor, false, || unsafe { real(descriptor) })
}

/// # Safety
/// As for the C library's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn syncfs(descriptor: c_int) -> c_int {
    let real = real!(c"syncfs" as fn(c_int) -> c_int);
    // SAFETY: the caller's promise.
    watch_sync(descriptor, true, || unsafe { real(descriptor) })
}
