//! What does hostile input do? Every reader of text that strangers send is a target here: a function
//! that takes bytes and must come back, without a panic and soon, whatever they are.
//!
//! `cargo run --release -p fuzz -- all --seconds 60` mutates the inputs in `corpus/`; what breaks a
//! target is written there, and is tried by `./test` from then on.

mod mutate;
mod targets;

pub use mutate::Mutator;
pub use targets::{TARGETS, Target, find};

use std::io;
use std::path::{Path, PathBuf};

/// Where the inputs of a target are kept.
pub fn corpus(target: &Target) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus").join(target.name)
}

/// The inputs of a target, by name.
pub fn inputs(target: &Target) -> io::Result<Vec<(String, Vec<u8>)>> {
    let mut inputs = Vec::new();
    for entry in std::fs::read_dir(corpus(target))? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        inputs.push((name, std::fs::read(entry.path())?));
    }
    inputs.sort();
    Ok(inputs)
}
