//! write and its relatives, ftruncate, fallocate.
#![expect(unsafe_code, reason = "takes the place of calls of the C library")]

use std::ffi::{c_int, c_void};

use libc::{iovec, off64_t};

use crate::format::Kind;
use crate::plan::Class;
use crate::real::real;
use crate::recorder::{position, recorder, set_error};

/// Does a write with the real call and writes down what it wrote. `offset` is where it was told to
/// write; without one it is where the descriptor stands.
///
/// # Safety
/// The parts must be readable, as for `writev`.
unsafe fn watch_write(
    descriptor: c_int,
    parts: &[iovec],
    offset: Option<off64_t>,
    real: impl FnOnce() -> isize,
) -> isize {
    let Some(mut recorder) = recorder() else { return real() };
    let Some(file) = recorder.file(descriptor).cloned() else {
        drop(recorder);
        return real();
    };
    if !file.is_ledger
        && let Some(error) = recorder.meet(Class::Write, &file.path)
    {
        set_error(error);
        return -1;
    }
    let written = real();
    let Ok(length) = usize::try_from(written) else { return written };
    let mut data = Vec::with_capacity(length);
    for part in parts {
        let wanted = part.iov_len.min(length - data.len());
        if wanted > 0 {
            // SAFETY: the caller's promise.
            let bytes = unsafe { std::slice::from_raw_parts(part.iov_base.cast::<u8>(), wanted) };
            data.extend_from_slice(bytes);
        }
    }
    if file.is_ledger {
        recorder.record(Kind::Ledger, file.inode, 0, &data);
    } else if length > 0 {
        let start = match offset {
            Some(offset) => u64::try_from(offset).unwrap_or(0),
            None => position(descriptor).saturating_sub(length as u64),
        };
        recorder.record(Kind::Write, file.inode, start, &data);
    }
    written
}

fn part(data: *const c_void, length: usize) -> [iovec; 1] {
    [iovec { iov_base: data.cast_mut(), iov_len: length }]
}

/// # Safety
/// As for `writev`.
unsafe fn parts<'a>(parts: *const iovec, count: c_int) -> &'a [iovec] {
    match usize::try_from(count) {
        // SAFETY: the caller's promise.
        Ok(count) if !parts.is_null() => unsafe { std::slice::from_raw_parts(parts, count) },
        _ => &[],
    }
}

/// # Safety
/// As for the C library's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn write(descriptor: c_int, data: *const c_void, length: usize) -> isize {
    let real = real!(c"write" as fn(c_int, *const c_void, usize) -> isize);
    // SAFETY: the caller's promise.
    unsafe { watch_write(descriptor, &part(data, length), None, || real(descriptor, data, length)) }
}

/// # Safety
/// As for the C library's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pwrite64(
    descriptor: c_int,
    data: *const c_void,
    length: usize,
    offset: off64_t,
) -> isize {
    let real = real!(c"pwrite64" as fn(c_int, *const c_void, usize, off64_t) -> isize);
    // SAFETY: the caller's promise.
    unsafe {
        watch_write(descriptor, &part(data, length), Some(offset), || {
            real(descriptor, data, length, offset)
        })
    }
}

/// # Safety
/// As for the C library's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pwrite(
    descriptor: c_int,
    data: *const c_void,
    length: usize,
    offset: off64_t,
) -> isize {
    // SAFETY: the caller's promise.
    unsafe { pwrite64(descriptor, data, length, offset) }
}

/// # Safety
/// As for the C library's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn writev(descriptor: c_int, vector: *const iovec, count: c_int) -> isize {
    let real = real!(c"writev" as fn(c_int, *const iovec, c_int) -> isize);
    // SAFETY: the caller's promise.
    unsafe {
        watch_write(descriptor, parts(vector, count), None, || real(descriptor, vector, count))
    }
}

/// # Safety
/// As for the C library's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pwritev64(
    descriptor: c_int,
    vector: *const iovec,
    count: c_int,
    offset: off64_t,
) -> isize {
    let real = real!(c"pwritev64" as fn(c_int, *const iovec, c_int, off64_t) -> isize);
    // SAFETY: the caller's promise.
    unsafe {
        watch_write(descriptor, parts(vector, count), Some(offset), || {
            real(descriptor, vector, count, offset)
        })
    }
}

/// # Safety
/// As for the C library's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pwritev(
    descriptor: c_int,
    vector: *const iovec,
    count: c_int,
    offset: off64_t,
) -> isize {
    // SAFETY: the caller's promise.
    unsafe { pwritev64(descriptor, vector, count, offset) }
}

/// # Safety
/// As for the C library's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ftruncate64(descriptor: c_int, length: off64_t) -> c_int {
    let real = real!(c"ftruncate64" as fn(c_int, off64_t) -> c_int);
    let mut recorder = recorder();
    let file = recorder.as_ref().and_then(|recorder| recorder.file(descriptor)).cloned();
    let inode = file.as_ref().map(|file| file.inode);
    if let (Some(recorder), Some(file)) = (recorder.as_mut(), file)
        && let Some(error) = recorder.meet(Class::Resize, &file.path)
    {
        set_error(error);
        return -1;
    }
    // SAFETY: the caller's promise.
    let result = unsafe { real(descriptor, length) };
    if let (0, Some(inode), Some(recorder)) = (result, inode, recorder.as_mut()) {
        recorder.record(Kind::Resize, inode, u64::try_from(length).unwrap_or(0), &[]);
    }
    result
}

/// # Safety
/// As for the C library's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ftruncate(descriptor: c_int, length: off64_t) -> c_int {
    // SAFETY: the caller's promise.
    unsafe { ftruncate64(descriptor, length) }
}

/// # Safety
/// As for the C library's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fallocate64(
    descriptor: c_int,
    mode: c_int,
    offset: off64_t,
    length: off64_t,
) -> c_int {
    let real = real!(c"fallocate64" as fn(c_int, c_int, off64_t, off64_t) -> c_int);
    note_unsupported(descriptor, b"fallocate");
    // SAFETY: the caller's promise.
    unsafe { real(descriptor, mode, offset, length) }
}

/// # Safety
/// As for the C library's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fallocate(
    descriptor: c_int,
    mode: c_int,
    offset: off64_t,
    length: off64_t,
) -> c_int {
    // SAFETY: the caller's promise.
    unsafe { fallocate64(descriptor, mode, offset, length) }
}

/// # Safety
/// As for the C library's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn copy_file_range(
    source: c_int,
    source_offset: *mut off64_t,
    target: c_int,
    target_offset: *mut off64_t,
    length: usize,
    flags: libc::c_uint,
) -> isize {
    type Offset = *mut off64_t;
    let real =
        real!(c"copy_file_range" as fn(c_int, Offset, c_int, Offset, usize, libc::c_uint) -> isize);
    note_unsupported(target, b"copy_file_range");
    // SAFETY: the caller's promise.
    unsafe { real(source, source_offset, target, target_offset, length, flags) }
}

fn note_unsupported(descriptor: c_int, name: &[u8]) {
    if let Some(mut recorder) = recorder()
        && let Some(inode) = recorder.file(descriptor).map(|file| file.inode)
    {
        recorder.record(Kind::Unsupported, inode, 0, name);
    }
}
