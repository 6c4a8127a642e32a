//! Kinds of item: key patterns that can be read, made and told apart.

use super::{attribute_names, no_duplicates};
use crate::document::{ItemType, Table};
use crate::located::step;
use crate::pattern::{Part, Pattern};
use crate::problem::Findings;

pub(super) fn check(table: &Table, findings: &mut Findings) {
    let names = table.item_types.iter().map(|kind| kind.name.as_str());
    no_duplicates(names, "kinds of item", |at| format!("/itemTypes/{at}/name"), findings);
    for (at, kind) in table.item_types.iter().enumerate() {
        let pointer = format!("/itemTypes/{at}/keys");
        check_partition(table, kind, &pointer, findings);
        for (key, text) in &kind.keys {
            let pointer = step(&pointer, key);
            check_attribute(table, kind, key, &pointer, findings);
            match Pattern::read(text) {
                Ok(pattern) => check_pattern(table, kind, &pattern, &pointer, findings),
                Err(_) => findings.error(pointer, unreadable(text), REMEDY),
            }
        }
        check_alike(table, at, &pointer, findings);
    }
}

/// What is wrong with a pattern that cannot be read.
pub(super) fn unreadable(text: &str) -> String {
    format!("the key pattern {text} has a brace without its partner")
}

/// What to write instead.
pub(super) const REMEDY: &str = "Write the name of an attribute between { and }";

fn check_partition(table: &Table, kind: &ItemType, pointer: &str, findings: &mut Findings) {
    let partition = &table.primary_key.partition_key.name;
    if !kind.keys.contains_key(partition) {
        let message = format!("{} has no pattern for the partition key {partition}", kind.name);
        let remedy = format!("Add \"{partition}\": \"{{{partition}}}\", or say how it is made");
        findings.error(pointer, message, remedy);
    }
}

fn check_attribute(
    table: &Table,
    kind: &ItemType,
    key: &str,
    pointer: &str,
    findings: &mut Findings,
) {
    if !table.is_key(key) {
        let message = format!("{} has a pattern for {key}, which is not a key", kind.name);
        let remedy = "Remove it; patterns are for keys of the table and of its indexes";
        findings.error(pointer, message, remedy);
        return;
    }
    let of_kind = |name: &str| {
        table.attributes.iter().any(|known| known.name == name && known.is_in(&kind.name))
    };
    if table.attribute(key).is_some() && !of_kind(key) {
        let message = format!("{} has a pattern for {key}, but not the attribute", kind.name);
        let remedy = format!("Name {} in the attribute's `itemTypes`", kind.name);
        findings.error(pointer, message, remedy);
    }
}

fn check_pattern(
    table: &Table,
    kind: &ItemType,
    pattern: &Pattern,
    pointer: &str,
    findings: &mut Findings,
) {
    let parts = pattern.parts();
    for (at, part) in parts.iter().enumerate() {
        let Part::Placeholder(name) = part else { continue };
        let mut named = table.attributes.iter().filter(|known| known.name == *name).peekable();
        if named.peek().is_none() {
            let message =
                format!("the key pattern {pattern} names {name}, which is not an attribute");
            let remedy = format!("Use one of {}", attribute_names(table));
            findings.error(pointer, message, remedy);
            continue;
        }
        let Some(attribute) = named.find(|known| known.is_in(&kind.name)) else {
            let message =
                format!("the key pattern {pattern} names {name}, which {} lacks", kind.name);
            let remedy = format!("Name {} in the attribute's `itemTypes`", kind.name);
            findings.error(pointer, message, remedy);
            continue;
        };
        let hash_follows = parts[at + 1..]
            .iter()
            .any(|part| matches!(part, Part::Literal(text) if text.contains('#')));
        if hash_follows && !attribute.excludes_hash() {
            let message = format!("{name} may hold a #, so that {pattern} can be read in two ways");
            let remedy = format!("Give {name} a format, or the pattern ^[^#]+$");
            findings.warn(pointer, message, remedy);
        }
    }
}

/// Items of two kinds with the same key patterns could not be told apart.
fn check_alike(table: &Table, at: usize, pointer: &str, findings: &mut Findings) {
    let kind = &table.item_types[at];
    let primary = |kind: &ItemType| {
        let keys = table.key_names().into_iter();
        keys.map(|key| kind.keys.get(key).cloned()).collect::<Vec<_>>()
    };
    let before = &table.item_types[..at];
    if let Some(other) = before.iter().find(|other| primary(other) == primary(kind)) {
        let message = format!("{} and {} have the same key patterns", other.name, kind.name);
        findings.error(pointer, message, "Let a literal in one of their keys tell them apart");
    }
}
