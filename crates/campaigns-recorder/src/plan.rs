//! What the recorder is told, by environment variables:
//!
//! - `CRASHLAB_ROOT`: the folder to watch. Without it every call passes untouched.
//! - `CRASHLAB_TRACE`: write the calls down in this file.
//! - `CRASHLAB_LEDGER`: what is written to this file is written down as well, as the ledger.
//! - `CRASHLAB_SYNC=skip`: do not really sync. The trace is what counts, and it is faster.
//! - `CRASHLAB_AT=class:count:deed`: at the `count`-th call of a class, do something. Classes:
//!   `create`, `write`, `resize`, `rename`, `unlink`, `sync`, or `any`. Deeds: `end` ends the
//!   process before the call, `fail` lets this one call fail with an input/output error, `fail-on`
//!   lets it and all later calls of the class fail, `full` likewise with "no space left".
//! - `CRASHLAB_DONE`: a file that is created when a call was made to fail.

use std::ffi::OsString;

/// A kind of call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    Create,
    Write,
    Resize,
    Rename,
    Unlink,
    Sync,
}

/// What to do instead of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Deed {
    /// End the process.
    End,
    /// Return this error.
    Fail(i32),
}

/// Which call is meant, and what to do.
#[derive(Debug)]
pub struct Plan {
    /// `None` is any.
    class: Option<Class>,
    count: u64,
    deed: Deed,
    lasting: bool,
    seen: u64,
}

impl Plan {
    /// Reads `class:count:deed`.
    pub fn parse(text: &str) -> Option<Plan> {
        let mut parts = text.split(':');
        let class = match parts.next()? {
            "any" => None,
            "create" => Some(Class::Create),
            "write" => Some(Class::Write),
            "resize" => Some(Class::Resize),
            "rename" => Some(Class::Rename),
            "unlink" => Some(Class::Unlink),
            "sync" => Some(Class::Sync),
            _ => return None,
        };
        let count = parts.next()?.parse().ok()?;
        let (deed, lasting) = match parts.next()? {
            "end" => (Deed::End, false),
            "fail" => (Deed::Fail(libc::EIO), false),
            "fail-on" => (Deed::Fail(libc::EIO), true),
            "full" => (Deed::Fail(libc::ENOSPC), true),
            _ => return None,
        };
        Some(Plan { class, count, deed, lasting, seen: 0 })
    }

    /// Counts a call; says what to do instead of it.
    pub fn meet(&mut self, class: Class) -> Option<Deed> {
        if self.class.is_some_and(|wanted| wanted != class) {
            return None;
        }
        self.seen += 1;
        let is_due = self.seen == self.count || (self.lasting && self.seen > self.count);
        is_due.then_some(self.deed)
    }
}

/// An environment variable.
pub fn variable(name: &str) -> Option<OsString> {
    std::env::var_os(name).filter(|value| !value.is_empty())
}
