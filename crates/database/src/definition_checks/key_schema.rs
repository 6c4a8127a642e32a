//! Keys: which attributes they may have, and that the definitions are those of the keys.

use super::java_order::{self, Table};
use super::texts;
use crate::Error;
use crate::shapes::{AttributeDefinition, KeySchemaElement, KeyType};

/// Attributes of each kind in the key of a global index.
const PER_KIND_MAX: usize = 4;

/// No attribute may be defined twice.
pub fn definitions(definitions: &[AttributeDefinition]) -> Result<(), Error> {
    for (position, definition) in definitions.iter().enumerate() {
        let name = &definition.attribute_name;
        if definitions[..position].iter().any(|earlier| earlier.attribute_name == *name) {
            return Err(Error::Validation(format!("Attribute Name is duplicated: {name}")));
        }
    }
    Ok(())
}

/// Every attribute of a key must be defined.
pub fn defined(
    schema: &[KeySchemaElement],
    definitions: &[AttributeDefinition],
) -> Result<(), Error> {
    // Counted with repetitions, so that a key of one attribute twice gets this text too (rule of
    // the public conformance suite).
    if definitions.len() < schema.len() {
        return Err(Error::Validation(texts::KEY_WITHOUT_DEFINITION.to_owned()));
    }
    let is_defined = |element: &KeySchemaElement| {
        definitions.iter().any(|definition| definition.attribute_name == element.attribute_name)
    };
    if schema.iter().all(is_defined) {
        return Ok(());
    }
    Err(texts::invalid(format!(
        "Some index key attributes are not defined in AttributeDefinitions. \
         Keys: [{}], AttributeDefinitions: [{}]",
        java_order::list(attribute_names(schema), Table::ForNames),
        java_order::list(defined_names(definitions), Table::ForNames)
    )))
}

/// The key of a table or a local index: a hash attribute, and maybe a range attribute.
pub fn one_or_two(schema: &[KeySchemaElement]) -> Result<(), Error> {
    let refused = |text: &str| Err(Error::Validation(text.to_owned()));
    match schema {
        [first, ..] if first.key_type != KeyType::Hash => refused(texts::FIRST_IS_NOT_HASH),
        [first, second, ..] if first.attribute_name == second.attribute_name => {
            refused(texts::HASH_IS_RANGE)
        }
        [_, second, ..] if second.key_type != KeyType::Range => refused(texts::SECOND_IS_NOT_RANGE),
        _ => Ok(()),
    }
}

/// The key of a global index: up to four hash attributes, then up to four range attributes
/// (captured 2026-10-09).
pub fn up_to_four(schema: &[KeySchemaElement]) -> Result<(), Error> {
    if schema.first().is_some_and(|first| first.key_type != KeyType::Hash) {
        return Err(Error::Validation(texts::FIRST_IS_NOT_HASH.to_owned()));
    }
    for (position, element) in schema.iter().enumerate() {
        let mut earlier = schema[..position].iter();
        if earlier.any(|earlier| earlier.attribute_name == element.attribute_name) {
            let is_pair = schema.len() == 2 && element.key_type == KeyType::Range;
            let text = if is_pair { texts::HASH_IS_RANGE } else { texts::KEY_REPEATS_ATTRIBUTE };
            return Err(Error::Validation(text.to_owned()));
        }
    }
    if !schema.is_sorted_by_key(|element| element.key_type == KeyType::Range) {
        return Err(texts::invalid(
            "All HASH key attributes must precede RANGE key attributes in the KeySchema",
        ));
    }
    for (key_type, name) in [(KeyType::Hash, "HASH"), (KeyType::Range, "RANGE")] {
        let count = schema.iter().filter(|element| element.key_type == key_type).count();
        if count > PER_KIND_MAX {
            return Err(texts::invalid(format!(
                "The KeySchema exceeds the maximum allowed number of {name} key attributes"
            )));
        }
    }
    Ok(())
}

/// CreateTable: every definition must be used by a key. `indexes` are the keys of all indexes.
pub fn all_used(
    table: &[KeySchemaElement],
    indexes: &[&[KeySchemaElement]],
    definitions: &[AttributeDefinition],
) -> Result<(), Error> {
    let used = || attribute_names(table).chain(indexes.iter().flat_map(|key| attribute_names(key)));
    if defined_names(definitions).all(|name| used().any(|used| used == name)) {
        return Ok(());
    }
    if indexes.is_empty() {
        return Err(texts::invalid(texts::DEFINITION_COUNT));
    }
    Err(texts::invalid(format!(
        "Some AttributeDefinitions are not used. AttributeDefinitions: [{}], keys used: [{}]",
        java_order::list(defined_names(definitions), Table::ForNames),
        java_order::list(used(), Table::Default)
    )))
}

fn attribute_names(schema: &[KeySchemaElement]) -> impl Iterator<Item = &str> {
    schema.iter().map(|element| element.attribute_name.as_str())
}

fn defined_names(definitions: &[AttributeDefinition]) -> impl Iterator<Item = &str> {
    definitions.iter().map(|definition| definition.attribute_name.as_str())
}
