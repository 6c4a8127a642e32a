//! Which bytes reach a disk, in which order? A library to preload (`LD_PRELOAD`) that stands between
//! a process and the file calls of its C library.
//!
//! It watches the files under one folder and can do three things with a call on them:
//! - write it down with its data, in the order in which the calls took place ([`format`]);
//! - let it fail, as a failing disk would;
//! - end the process there, as `kill -9` would.
//!
//! What it is told comes from the environment, see [`plan`]. It is no dependency of anything: the
//! `campaigns` crate reads the format through the same source file.

mod calls;
mod format;
mod plan;
mod real;
mod recorder;
