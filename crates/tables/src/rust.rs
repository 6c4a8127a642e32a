//! Rust source: a function for each access pattern and each kind of item, with typed parameters.
//!
//! The text is as rustfmt would write it, so that the files can be compared without it.

mod names;
mod table;

use std::fmt::Write as _;

use crate::Documents;
use crate::document::System;
use crate::output::{OutputFile, camel, snake};
pub(crate) use names::function_name;

/// What tells a generated file from one that is written.
const MARK: &str = "do not edit, `ACCEPT=1 cargo nextest run -p tables` writes it anew";

/// All files: `lib.rs`, `<system>.rs`, `<system>/<table>.rs`.
pub fn files(documents: &Documents) -> Vec<OutputFile> {
    let mut files = vec![OutputFile::new("lib.rs", library(documents))];
    for system in &documents.systems {
        let name = snake(&system.system);
        files.push(OutputFile::new(format!("{name}.rs"), module(documents, system)));
        for table in documents.tables_of(&system.system) {
            let path = format!("{name}/{}.rs", snake(&table.table_name));
            files.push(OutputFile::new(path, table::file(table)));
        }
    }
    files
}

fn library(documents: &Documents) -> String {
    let mut text = format!(
        "//! Which reads and writes do the table documents name? A type for each table, with a function for
//! each access pattern and each kind of item: what no document names cannot be written down.
//!
//! Generated from `tables`: {MARK}.
//!
//! Not here: how a read or write is carried out, which is `store`, and what services do with it.

"
    );
    for system in &documents.systems {
        let _ = writeln!(text, "pub mod {};", snake(&system.system));
    }
    text
}

fn module(documents: &Documents, system: &System) -> String {
    let mut text = String::new();
    names::comment(&mut text, "//!", &system.description);
    text.push_str("//!\n");
    names::comment(
        &mut text,
        "//!",
        &format!("Generated from `tables/{}`: {MARK}.", system.system),
    );
    text.push('\n');
    let tables = documents.tables_of(&system.system);
    let mut tables: Vec<_> =
        tables.map(|table| (snake(&table.table_name), camel(&table.table_name))).collect();
    tables.sort();
    for (module, _) in &tables {
        let _ = writeln!(text, "pub mod {module};");
    }
    text.push('\n');
    for (module, table) in &tables {
        let _ = writeln!(text, "pub use {module}::{table};");
    }
    text
}
