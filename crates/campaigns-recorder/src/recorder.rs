//! The state: which descriptors are watched, and the trace.
#![expect(unsafe_code, reason = "asks the C library about descriptors and writes the trace")]

use std::collections::HashMap;
use std::ffi::{CStr, c_int};
use std::os::unix::ffi::OsStringExt;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use crate::format::{self, Kind};
use crate::plan::{Class, Deed, Plan, variable};
use crate::real::real;

/// What a watched descriptor stands for.
#[derive(Clone, Debug)]
pub struct Watched {
    /// The file or folder.
    pub inode: u64,
    /// Its absolute path when it was opened.
    pub path: Vec<u8>,
    /// It is the ledger.
    pub is_ledger: bool,
}

/// Everything the recorder knows.
#[derive(Debug)]
pub struct Recorder {
    root: Vec<u8>,
    ledger: Option<Vec<u8>>,
    trace: Option<c_int>,
    plan: Option<Plan>,
    done: Option<Vec<u8>>,
    files: HashMap<c_int, Watched>,
    syncs: u64,
    /// Syncs are only written down.
    pub skips_syncs: bool,
}

/// The recorder, if there is a folder to watch.
pub fn recorder() -> Option<MutexGuard<'static, Recorder>> {
    static RECORDER: OnceLock<Option<Mutex<Recorder>>> = OnceLock::new();
    let recorder = RECORDER.get_or_init(|| Recorder::from_environment().map(Mutex::new));
    recorder.as_ref().map(|recorder| recorder.lock().unwrap_or_else(PoisonError::into_inner))
}

impl Recorder {
    fn from_environment() -> Option<Recorder> {
        let root = variable("CRASHLAB_ROOT")?.into_vec();
        let plan = variable("CRASHLAB_AT").and_then(|text| Plan::parse(text.to_str()?));
        let mut recorder = Recorder {
            root,
            ledger: variable("CRASHLAB_LEDGER").map(OsStringExt::into_vec),
            trace: variable("CRASHLAB_TRACE").map(|path| create(path.into_vec())),
            plan,
            done: variable("CRASHLAB_DONE").map(OsStringExt::into_vec),
            files: HashMap::new(),
            syncs: 0,
            skips_syncs: variable("CRASHLAB_SYNC").is_some_and(|value| value == "skip"),
        };
        recorder.append(format::MAGIC);
        Some(recorder)
    }

    /// The path relative to the watched folder, if it lies in it.
    pub fn relative<'a>(&self, path: &'a [u8]) -> Option<&'a [u8]> {
        let rest = path.strip_prefix(self.root.as_slice())?;
        if rest.is_empty() { Some(rest) } else { rest.strip_prefix(b"/") }
    }

    /// Is this the ledger?
    pub fn is_ledger(&self, path: &[u8]) -> bool {
        self.ledger.as_deref() == Some(path)
    }

    /// What a descriptor stands for, if it is watched.
    pub fn file(&self, descriptor: c_int) -> Option<&Watched> {
        self.files.get(&descriptor)
    }

    /// Watches a descriptor.
    pub fn watch(&mut self, descriptor: c_int, watched: Watched) {
        self.files.insert(descriptor, watched);
    }

    /// The descriptor is closed.
    pub fn forget(&mut self, descriptor: c_int) {
        self.files.remove(&descriptor);
    }

    /// A number for the next sync.
    pub fn next_sync(&mut self) -> u64 {
        self.syncs += 1;
        self.syncs
    }

    /// Counts a call on a file; gives the error it must fail with, having noted the first such
    /// file. May not return at all.
    pub fn meet(&mut self, class: Class, file: &[u8]) -> Option<c_int> {
        match self.plan.as_mut()?.meet(class)? {
            Deed::Fail(error) => {
                if let Some(path) = self.done.take() {
                    write_all(create(path), file);
                }
                Some(error)
            }
            Deed::End => {
                // SAFETY: sends a signal to this very process.
                unsafe { libc::kill(libc::getpid(), libc::SIGKILL) };
                loop {
                    std::thread::park();
                }
            }
        }
    }

    /// Writes a record.
    pub fn record(&mut self, kind: Kind, inode: u64, number: u64, data: &[u8]) {
        if self.trace.is_some() {
            let mut bytes = Vec::with_capacity(format::HEADER_BYTES + data.len());
            bytes.extend_from_slice(&format::header(kind, inode, number, data.len()));
            bytes.extend_from_slice(data);
            self.append(&bytes);
        }
    }

    fn append(&mut self, bytes: &[u8]) {
        if let Some(trace) = self.trace {
            write_all(trace, bytes);
        }
    }
}

/// Writes past the recorder. What is written in part would lie about what the process did.
fn write_all(descriptor: c_int, mut bytes: &[u8]) {
    let write = real!(c"write" as fn(c_int, *const libc::c_void, usize) -> isize);
    while !bytes.is_empty() {
        // SAFETY: the pointer and the length are those of a slice.
        let written = unsafe { write(descriptor, bytes.as_ptr().cast(), bytes.len()) };
        let Ok(written) = usize::try_from(written) else { std::process::abort() };
        bytes = bytes.get(written..).unwrap_or_default();
    }
}

/// Creates a file that is not watched, whatever its name.
fn create(path: Vec<u8>) -> c_int {
    let Ok(path) = std::ffi::CString::new(path) else { std::process::abort() };
    let open = real!(c"open64" as fn(*const libc::c_char, c_int, libc::mode_t) -> c_int);
    let flags = libc::O_WRONLY | libc::O_CREAT | libc::O_TRUNC | libc::O_APPEND | libc::O_CLOEXEC;
    // SAFETY: the path is a C string.
    let descriptor = unsafe { open(path.as_ptr(), flags, 0o644) };
    if descriptor < 0 {
        std::process::abort();
    }
    descriptor
}

/// The inode behind a descriptor; 0 if it is none.
pub fn inode_of(descriptor: c_int) -> u64 {
    // SAFETY: all zeros is a valid value of this plain structure.
    let mut status: libc::stat64 = unsafe { std::mem::zeroed() };
    // SAFETY: the structure outlives the call.
    let failed = unsafe { libc::fstat64(descriptor, &raw mut status) } != 0;
    if failed { 0 } else { status.st_ino }
}

/// The inode at a path; 0 if there is nothing.
pub fn inode_at(path: &CStr) -> u64 {
    // SAFETY: all zeros is a valid value of this plain structure.
    let mut status: libc::stat64 = unsafe { std::mem::zeroed() };
    // SAFETY: the path is a C string, and the structure outlives the call.
    let failed = unsafe { libc::lstat64(path.as_ptr(), &raw mut status) } != 0;
    if failed { 0 } else { status.st_ino }
}

/// Where the next byte of a descriptor is read or written.
pub fn position(descriptor: c_int) -> u64 {
    // SAFETY: moves nothing.
    let position = unsafe { libc::lseek64(descriptor, 0, libc::SEEK_CUR) };
    u64::try_from(position).unwrap_or(0)
}

/// Sets the error that a failing call leaves.
pub fn set_error(error: c_int) {
    // SAFETY: the address is this thread's own.
    unsafe { *libc::__errno_location() = error };
}
