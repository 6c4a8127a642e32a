//! What a schema cannot say about a table document.

mod access;
mod attributes;
mod conditions;
mod functions;
mod indexes;
mod item_types;
mod keys;
mod settings;

use crate::document::Table;
use crate::problem::Findings;

/// Notes everything that is wrong with a document that conforms to its schema.
pub(crate) fn check(table: &Table, findings: &mut Findings) {
    keys::check(table, findings);
    attributes::check(table, findings);
    indexes::check(table, findings);
    item_types::check(table, findings);
    settings::check(table, findings);
    access::check(table, findings);
    conditions::check(table, findings);
    functions::check(table, findings);
}

/// Notes every name after the first that is the same as one before it.
fn no_duplicates<'n>(
    names: impl Iterator<Item = &'n str>,
    what: &str,
    pointer: impl Fn(usize) -> String,
    findings: &mut Findings,
) {
    let mut seen = Vec::new();
    for (at, name) in names.enumerate() {
        if seen.contains(&name) {
            let message = format!("there are two {what} named {name}");
            findings.error(pointer(at), message, "Rename one of them, or remove it");
        }
        seen.push(name);
    }
}

/// The names of all attributes, for a remedy.
fn attribute_names(table: &Table) -> String {
    let mut names: Vec<_> = table.attributes.iter().map(|known| known.name.as_str()).collect();
    names.dedup();
    names.join(", ")
}
