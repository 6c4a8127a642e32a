//! The primary key: declared attributes of the same type that every item has.

use crate::document::{KeyAttribute, Table};
use crate::problem::Findings;

pub(super) fn check(table: &Table, findings: &mut Findings) {
    let key = &table.primary_key;
    check_key(table, &key.partition_key, "partitionKey", findings);
    if let Some(sort) = &key.sort_key {
        check_key(table, sort, "sortKey", findings);
        if sort.name == key.partition_key.name {
            let message = "partition key and sort key are the same attribute";
            let remedy = "Name another attribute as the sort key, or leave it out";
            findings.error("/primaryKey/sortKey/name", message, remedy);
        }
    }
}

fn check_key(table: &Table, key: &KeyAttribute, member: &str, findings: &mut Findings) {
    let pointer = format!("/primaryKey/{member}");
    let name = &key.name;
    let Some(position) = table.attributes.iter().position(|known| known.name == *name) else {
        let message = format!("the key attribute {name} is not among `attributes`");
        findings.error(format!("{pointer}/name"), message, "Add it there, with its description");
        return;
    };
    let attribute = &table.attributes[position];
    if attribute.attribute_type.descriptor() != key.key_type {
        let other = attribute.attribute_type;
        let message = format!(
            "the key attribute {name} has type {}, but type {other} among `attributes`",
            key.key_type
        );
        findings.error(format!("{pointer}/type"), message, "Write the same type in both places");
    }
    if !attribute.required || !attribute.item_types.is_empty() {
        let message = format!("the key attribute {name} is not in every item");
        let remedy = "Write \"required\": true and leave `itemTypes` out";
        findings.error(format!("/attributes/{position}"), message, remedy);
    }
}
