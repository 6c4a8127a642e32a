//! rename, unlink, link, mkdir, rmdir.
#![expect(unsafe_code, reason = "takes the place of calls of the C library")]

use std::ffi::{CStr, c_char, c_int};

use super::absolute;
use crate::format::Kind;
use crate::plan::Class;
use crate::real::real;
use crate::recorder::{Recorder, inode_at, recorder, set_error};

/// Does a call on one or two names, and lets `note` write it down if it succeeds and they lie in the
/// watched folder.
///
/// # Safety
/// The paths must be C strings.
unsafe fn watch_names<const N: usize>(
    class: Option<Class>,
    names: [(c_int, *const c_char); N],
    real: impl FnOnce() -> c_int,
    note: impl FnOnce(&mut Recorder, [&[u8]; N]),
) -> c_int {
    let Some(mut recorder) = recorder() else { return real() };
    let paths = names.map(|(folder, path)| {
        // SAFETY: the caller's promise.
        absolute(&recorder, folder, unsafe { CStr::from_ptr(path) })
    });
    let watched = paths.iter().all(|path| recorder.relative(path).is_some());
    if !watched {
        drop(recorder);
        return real();
    }
    if let Some(error) = class.and_then(|class| recorder.meet(class, &paths.concat())) {
        set_error(error);
        return -1;
    }
    let result = real();
    if result == 0 {
        let relative = paths
            .each_ref()
            .map(|path| recorder.relative(path).map(<[u8]>::to_vec).unwrap_or_default());
        note(&mut recorder, relative.each_ref().map(Vec::as_slice));
    }
    result
}

fn note_rename(recorder: &mut Recorder, [from, to]: [&[u8]; 2]) {
    recorder.record(Kind::Rename, 0, 0, &[from, b"\0", to].concat());
}

/// # Safety
/// As for the C library's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rename(from: *const c_char, to: *const c_char) -> c_int {
    let real = real!(c"rename" as fn(*const c_char, *const c_char) -> c_int);
    let names = [(libc::AT_FDCWD, from), (libc::AT_FDCWD, to)];
    // SAFETY: the caller's promise.
    unsafe { watch_names(Some(Class::Rename), names, || real(from, to), note_rename) }
}

/// # Safety
/// As for the C library's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn renameat(
    from_folder: c_int,
    from: *const c_char,
    to_folder: c_int,
    to: *const c_char,
) -> c_int {
    let real = real!(c"renameat" as fn(c_int, *const c_char, c_int, *const c_char) -> c_int);
    let names = [(from_folder, from), (to_folder, to)];
    // SAFETY: the caller's promise.
    let call = || unsafe { real(from_folder, from, to_folder, to) };
    // SAFETY: the caller's promise.
    unsafe { watch_names(Some(Class::Rename), names, call, note_rename) }
}

/// # Safety
/// As for the C library's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn renameat2(
    from_folder: c_int,
    from: *const c_char,
    to_folder: c_int,
    to: *const c_char,
    flags: libc::c_uint,
) -> c_int {
    type Path = *const c_char;
    let real = real!(c"renameat2" as fn(c_int, Path, c_int, Path, libc::c_uint) -> c_int);
    let names = [(from_folder, from), (to_folder, to)];
    // SAFETY: the caller's promise.
    let call = || unsafe { real(from_folder, from, to_folder, to, flags) };
    // SAFETY: the caller's promise.
    unsafe { watch_names(Some(Class::Rename), names, call, note_rename) }
}

/// # Safety
/// As for the C library's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn unlink(path: *const c_char) -> c_int {
    let real = real!(c"unlink" as fn(*const c_char) -> c_int);
    let note = |recorder: &mut Recorder, [path]: [&[u8]; 1]| {
        recorder.record(Kind::Unlink, 0, 0, path);
    };
    let names = [(libc::AT_FDCWD, path)];
    // SAFETY: the caller's promise.
    unsafe { watch_names(Some(Class::Unlink), names, || real(path), note) }
}

/// # Safety
/// As for the C library's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn unlinkat(folder: c_int, path: *const c_char, flags: c_int) -> c_int {
    let real = real!(c"unlinkat" as fn(c_int, *const c_char, c_int) -> c_int);
    let is_folder = flags & libc::AT_REMOVEDIR != 0;
    let note = |recorder: &mut Recorder, [path]: [&[u8]; 1]| {
        let kind = if is_folder { Kind::RemoveFolder } else { Kind::Unlink };
        recorder.record(kind, 0, 0, path);
    };
    // SAFETY: the caller's promise.
    let call = || unsafe { real(folder, path, flags) };
    // SAFETY: the caller's promise.
    unsafe { watch_names(Some(Class::Unlink), [(folder, path)], call, note) }
}

/// # Safety
/// As for the C library's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rmdir(path: *const c_char) -> c_int {
    let real = real!(c"rmdir" as fn(*const c_char) -> c_int);
    let note = |recorder: &mut Recorder, [path]: [&[u8]; 1]| {
        recorder.record(Kind::RemoveFolder, 0, 0, path);
    };
    let names = [(libc::AT_FDCWD, path)];
    // SAFETY: the caller's promise.
    unsafe { watch_names(Some(Class::Unlink), names, || real(path), note) }
}

/// # Safety
/// As for the C library's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mkdir(path: *const c_char, mode: libc::mode_t) -> c_int {
    let real = real!(c"mkdir" as fn(*const c_char, libc::mode_t) -> c_int);
    let note = |recorder: &mut Recorder, [relative]: [&[u8]; 1]| {
        // SAFETY: the caller's promise.
        let inode = inode_at(unsafe { CStr::from_ptr(path) });
        recorder.record(Kind::MakeFolder, inode, 0, relative);
    };
    let names = [(libc::AT_FDCWD, path)];
    // SAFETY: the caller's promise.
    unsafe { watch_names(Some(Class::Create), names, || real(path, mode), note) }
}

/// # Safety
/// As for the C library's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn link(from: *const c_char, to: *const c_char) -> c_int {
    let real = real!(c"link" as fn(*const c_char, *const c_char) -> c_int);
    let note = |recorder: &mut Recorder, [_, _]: [&[u8]; 2]| {
        recorder.record(Kind::Unsupported, 0, 0, b"link");
    };
    let names = [(libc::AT_FDCWD, from), (libc::AT_FDCWD, to)];
    // SAFETY: the caller's promise.
    unsafe { watch_names(None, names, || real(from, to), note) }
}
