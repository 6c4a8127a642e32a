//! open, openat, creat, close, dup.
#![expect(unsafe_code, reason = "takes the place of calls of the C library")]

use std::ffi::{CStr, c_char, c_int};

use super::absolute;
use crate::format::Kind;
use crate::plan::Class;
use crate::real::real;
use crate::recorder::{Watched, inode_at, inode_of, recorder, set_error};

type Open = unsafe extern "C" fn(c_int, *const c_char, c_int, libc::mode_t) -> c_int;

/// Opens with the real call and watches the descriptor if it lies in the folder.
///
/// # Safety
/// The path must be a C string, as for `openat`.
unsafe fn watch_open(
    real: Open,
    folder: c_int,
    path: *const c_char,
    flags: c_int,
    mode: libc::mode_t,
) -> c_int {
    let Some(mut recorder) = recorder() else {
        // SAFETY: the caller's promise.
        return unsafe { real(folder, path, flags, mode) };
    };
    // SAFETY: the caller's promise.
    let name = unsafe { CStr::from_ptr(path) };
    let path_bytes = absolute(&recorder, folder, name);
    let is_ledger = recorder.is_ledger(&path_bytes);
    let relative = recorder.relative(&path_bytes).map(<[u8]>::to_vec);
    if relative.is_none() && !is_ledger {
        drop(recorder);
        // SAFETY: the caller's promise.
        return unsafe { real(folder, path, flags, mode) };
    }
    let at = std::ffi::CString::new(path_bytes.clone()).unwrap_or_default();
    let creates = flags & libc::O_CREAT != 0 && inode_at(&at) == 0;
    if creates
        && !is_ledger
        && let Some(error) = recorder.meet(Class::Create, &path_bytes)
    {
        set_error(error);
        return -1;
    }
    // SAFETY: the caller's promise.
    let descriptor = unsafe { real(folder, path, flags, mode) };
    if descriptor < 0 {
        return descriptor;
    }
    let inode = inode_of(descriptor);
    if let Some(relative) = relative.filter(|_| !is_ledger) {
        if flags & libc::O_TMPFILE == libc::O_TMPFILE {
            recorder.record(Kind::Unsupported, inode, 0, b"O_TMPFILE");
        } else if creates {
            recorder.record(Kind::Create, inode, 0, &relative);
        } else if flags & libc::O_TRUNC != 0 {
            recorder.record(Kind::Resize, inode, 0, &[]);
        }
    }
    recorder.watch(descriptor, Watched { inode, path: path_bytes, is_ledger });
    descriptor
}

/// Every spelling of `open` and `openat` ends in the same call.
fn real_openat() -> Open {
    real!(c"openat64" as fn(c_int, *const c_char, c_int, libc::mode_t) -> c_int)
}

/// # Safety
/// As for the C library's.
#[unsafe(no_mangle)]
#[allow(
    unknown_lints,
    invalid_runtime_symbol_definitions,
    reason = "newer compilers ask for C's variadic form, which stable Rust cannot define; a mode \
              that the caller left out is only handed on"
)]
pub unsafe extern "C" fn open(path: *const c_char, flags: c_int, mode: libc::mode_t) -> c_int {
    // SAFETY: the caller's promise.
    unsafe { watch_open(real_openat(), libc::AT_FDCWD, path, flags, mode) }
}

/// # Safety
/// As for the C library's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn open64(path: *const c_char, flags: c_int, mode: libc::mode_t) -> c_int {
    // SAFETY: the caller's promise.
    unsafe { watch_open(real_openat(), libc::AT_FDCWD, path, flags, mode) }
}

/// # Safety
/// As for the C library's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn openat(
    folder: c_int,
    path: *const c_char,
    flags: c_int,
    mode: libc::mode_t,
) -> c_int {
    // SAFETY: the caller's promise.
    unsafe { watch_open(real_openat(), folder, path, flags, mode) }
}

/// # Safety
/// As for the C library's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn openat64(
    folder: c_int,
    path: *const c_char,
    flags: c_int,
    mode: libc::mode_t,
) -> c_int {
    // SAFETY: the caller's promise.
    unsafe { watch_open(real_openat(), folder, path, flags, mode) }
}

/// # Safety
/// As for the C library's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn creat(path: *const c_char, mode: libc::mode_t) -> c_int {
    let flags = libc::O_CREAT | libc::O_WRONLY | libc::O_TRUNC;
    // SAFETY: the caller's promise.
    unsafe { watch_open(real_openat(), libc::AT_FDCWD, path, flags, mode) }
}

/// # Safety
/// As for the C library's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn close(descriptor: c_int) -> c_int {
    let real = real!(c"close" as fn(c_int) -> c_int);
    let mut recorder = recorder();
    if let Some(recorder) = &mut recorder {
        recorder.forget(descriptor);
    }
    // SAFETY: the caller's promise. The lock is held, so that no other thread gets the same number
    // before it is forgotten.
    unsafe { real(descriptor) }
}

/// # Safety
/// As for the C library's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fcntl(descriptor: c_int, command: c_int, argument: usize) -> c_int {
    let real = real!(c"fcntl64" as fn(c_int, c_int, usize) -> c_int);
    // SAFETY: the caller's promise; the third argument is passed on as it came.
    let result = unsafe { real(descriptor, command, argument) };
    let copies = command == libc::F_DUPFD || command == libc::F_DUPFD_CLOEXEC;
    if copies
        && result >= 0
        && let Some(mut recorder) = recorder()
        && let Some(watched) = recorder.file(descriptor).cloned()
    {
        recorder.watch(result, watched);
    }
    result
}

/// # Safety
/// As for the C library's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fcntl64(descriptor: c_int, command: c_int, argument: usize) -> c_int {
    // SAFETY: the caller's promise.
    unsafe { fcntl(descriptor, command, argument) }
}
