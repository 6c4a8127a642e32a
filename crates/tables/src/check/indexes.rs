//! Indexes: DynamoDB's limits, keys that exist, projections that make sense.

use values::AttributeType;
use values::limits;

use super::{attribute_names, no_duplicates};
use crate::document::{Index, ProjectionType, Table};
use crate::problem::Findings;

pub(super) fn check(table: &Table, findings: &mut Findings) {
    let global = table.global_secondary_indexes.len();
    let pointer = |at: usize| match at.checked_sub(global) {
        None => format!("/globalSecondaryIndexes/{at}"),
        Some(at) => format!("/localSecondaryIndexes/{at}"),
    };
    let names = table.indexes().map(|index| index.index_name.as_str());
    no_duplicates(names, "indexes", |at| pointer(at) + "/indexName", findings);
    for (at, index) in table.indexes().enumerate() {
        let pointer = pointer(at);
        check_key(table, &index.partition_key, &format!("{pointer}/partitionKey"), findings);
        if let Some(sort) = &index.sort_key {
            check_key(table, sort, &format!("{pointer}/sortKey"), findings);
        }
        check_projection(table, index, &pointer, findings);
        if at >= global {
            check_local(table, index, &pointer, findings);
        }
        check_twin(table, index, at, &pointer, findings);
    }
    let included: usize = table.indexes().map(|index| index.non_key_attributes.len()).sum();
    if included > limits::PROJECTED_ATTRIBUTES_MAX {
        let message = format!("the indexes include {included} attributes together");
        let remedy =
            format!("Include at most {}, or project ALL", limits::PROJECTED_ATTRIBUTES_MAX);
        findings.error("/globalSecondaryIndexes", message, remedy);
    }
}

fn check_key(table: &Table, name: &str, pointer: &str, findings: &mut Findings) {
    use AttributeType::{B, N, S};
    match table.attribute_type(name) {
        None => {
            let message = format!("the index key {name} is not among `attributes`");
            let remedy = format!("Add it there, or use one of {}", attribute_names(table));
            findings.error(pointer, message, remedy);
        }
        Some(S | N | B) => {}
        Some(other) => {
            let message = format!("the index key {name} has type {other}");
            let remedy =
                "Keys are S, N or B: store the value as text beside it, as a key of its own";
            findings.error(pointer, message, remedy);
        }
    }
}

fn check_projection(table: &Table, index: &Index, pointer: &str, findings: &mut Findings) {
    let includes = index.projection_type == ProjectionType::Include;
    if includes == index.non_key_attributes.is_empty() {
        let message = if includes {
            format!("{} includes attributes but names none", index.index_name)
        } else {
            format!("{} names attributes to include but projects otherwise", index.index_name)
        };
        let remedy =
            "Use `nonKeyAttributes` with \"projectionType\": \"INCLUDE\", and only with it";
        findings.error(format!("{pointer}/projectionType"), message, remedy);
    }
    for (at, name) in index.non_key_attributes.iter().enumerate() {
        if table.attribute(name).is_none() {
            let message =
                format!("{} includes {name}, which is not among `attributes`", index.index_name);
            let remedy = format!("Use one of {}", attribute_names(table));
            findings.error(format!("{pointer}/nonKeyAttributes/{at}"), message, remedy);
        }
    }
}

fn check_local(table: &Table, index: &Index, pointer: &str, findings: &mut Findings) {
    let partition = &table.primary_key.partition_key.name;
    if index.partition_key != *partition {
        let message = format!(
            "the local index {} has another partition key than the table",
            index.index_name
        );
        let remedy = format!("Write {partition:?}, or make the index a global one");
        findings.error(format!("{pointer}/partitionKey"), message, remedy);
    }
    if table.primary_key.sort_key.is_none() {
        let message = format!("the table has no sort key, so {} cannot be local", index.index_name);
        findings.error(pointer, message, "Make the index a global one");
    }
    if index.sort_key.is_none() {
        let message = format!("the local index {} has no sort key", index.index_name);
        findings.error(pointer, message, "Name the attribute that it sorts by");
    }
}

/// Two equal indexes cost every write twice. Where a decision says so, somebody has thought of it.
fn check_twin(table: &Table, index: &Index, at: usize, pointer: &str, findings: &mut Findings) {
    let is_twin = |other: &&Index| {
        other.key_names() == index.key_names() && other.projection_type == index.projection_type
    };
    let twin = table.indexes().take(at).find(is_twin);
    if let Some(twin) = twin.filter(|_| index.decisions.is_empty()) {
        let message = format!("{} and {} are the same index", twin.index_name, index.index_name);
        let remedy = "Remove one, or name the decision that asks for both";
        findings.warn(format!("{pointer}/indexName"), message, remedy);
    }
}
