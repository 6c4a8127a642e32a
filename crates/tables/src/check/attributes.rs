//! Attributes: names, and constraints that fit their types.

use regex::Regex;
use serde_json::Value;
use values::AttributeType;

use super::no_duplicates;
use crate::document::{Attribute, Elements, Table};
use crate::problem::Findings;

pub(super) fn check(table: &Table, findings: &mut Findings) {
    check_overlaps(table, findings);
    for (index, attribute) in table.attributes.iter().enumerate() {
        let pointer = format!("/attributes/{index}");
        for (at, kind) in attribute.item_types.iter().enumerate() {
            if !table.item_types.iter().any(|known| known.name == *kind) {
                let known: Vec<_> = table.item_types.iter().map(|kind| &*kind.name).collect();
                let message =
                    format!("{} names the kind {kind}, which does not exist", attribute.name);
                let remedy = format!("Write one of {}", known.join(", "));
                findings.error(format!("{pointer}/itemTypes/{at}"), message, remedy);
            }
        }
        check_attribute(attribute, &pointer, findings);
    }
}

/// Two attributes may share a name if no kind of item has both, and if their types agree.
fn check_overlaps(table: &Table, findings: &mut Findings) {
    for (index, attribute) in table.attributes.iter().enumerate() {
        let before = &table.attributes[..index];
        let Some(other) = before.iter().find(|other| other.name == attribute.name) else {
            continue;
        };
        let name = &attribute.name;
        let pointer = format!("/attributes/{index}/name");
        let shares = |kind: &String| before.iter().any(|o| o.name == *name && o.is_in(kind));
        if attribute.item_types.is_empty() || attribute.item_types.iter().any(shares) {
            let message = format!("there are two attributes named {name} in one kind of item");
            let remedy = "Rename one, or name different kinds in `itemTypes`";
            findings.error(pointer, message, remedy);
        } else if other.attribute_type != attribute.attribute_type {
            let message = format!("{name} has different types in different kinds of item");
            findings.error(pointer, message, "Give both the same type, or rename one");
        }
    }
}

fn check_attribute(attribute: &Attribute, pointer: &str, findings: &mut Findings) {
    let kind = attribute.attribute_type;
    let name = &attribute.name;
    let mut wants = |given: bool, member: &str, types: &[AttributeType]| {
        if given && !types.contains(&kind) {
            let types: Vec<_> = types.iter().map(|kind| kind.descriptor()).collect();
            let message = format!("{name} has `{member}` but type {kind}");
            let remedy = format!("Remove `{member}`, or make the type {}", types.join(" or "));
            findings.error(format!("{pointer}/{member}"), message, remedy);
        }
    };
    use AttributeType::{L, M, N, Ns, S, Ss};
    wants(!attribute.choices.is_empty(), "enum", &[S, N, Ss, Ns]);
    wants(!attribute.suggested.is_empty(), "suggested", &[S]);
    wants(attribute.pattern.is_some(), "pattern", &[S]);
    wants(attribute.min_length.is_some(), "minLength", &[S]);
    wants(attribute.max_length.is_some(), "maxLength", &[S]);
    wants(attribute.minimum.is_some(), "minimum", &[N]);
    wants(attribute.maximum.is_some(), "maximum", &[N]);
    wants(!attribute.attributes.is_empty(), "attributes", &[M]);
    wants(attribute.elements.is_some(), "elements", &[L]);
    if let Some(format) = attribute.format {
        wants(true, "format", if format.is_for_numbers() { &[N] } else { &[S] });
    }
    check_values(attribute, pointer, findings);
    check_fields(&attribute.attributes, pointer, findings);
    if let Some(elements) = &attribute.elements {
        check_elements(elements, &format!("{pointer}/elements"), findings);
    }
}

fn check_fields(fields: &[Attribute], pointer: &str, findings: &mut Findings) {
    let names = fields.iter().map(|field| field.name.as_str());
    no_duplicates(names, "fields", |at| format!("{pointer}/attributes/{at}/name"), findings);
    for (at, field) in fields.iter().enumerate() {
        check_attribute(field, &format!("{pointer}/attributes/{at}"), findings);
    }
}

fn check_elements(elements: &Elements, pointer: &str, findings: &mut Findings) {
    if !elements.attributes.is_empty() && elements.attribute_type != AttributeType::M {
        let message =
            format!("the elements have `attributes` but type {}", elements.attribute_type);
        findings.error(format!("{pointer}/attributes"), message, "Make the type M, or remove them");
    }
    check_fields(&elements.attributes, pointer, findings);
}

/// The pattern can be read, the smallest is not above the largest, and what is listed is allowed.
fn check_values(attribute: &Attribute, pointer: &str, findings: &mut Findings) {
    let name = &attribute.name;
    let pattern = attribute.pattern.as_deref().map(Regex::new);
    if let Some(Err(error)) = &pattern {
        // The last line says what is wrong; those before it draw where.
        let error = error.to_string();
        let why = error.lines().last().unwrap_or_default().trim_start_matches("error: ");
        let message = format!("the pattern of {name} is not a regular expression: {why}");
        findings.error(format!("{pointer}/pattern"), message, "Correct it");
    }
    let reversed = matches!((&attribute.minimum, &attribute.maximum), (Some(a), Some(b)) if a > b)
        || matches!((attribute.min_length, attribute.max_length), (Some(a), Some(b)) if a > b);
    if reversed {
        let message = format!("the least of {name} is more than the most");
        findings.error(pointer, message, "Exchange the two");
    }
    let is_number = matches!(attribute.attribute_type, AttributeType::N | AttributeType::Ns);
    for (at, choice) in attribute.choices.iter().enumerate() {
        if choice.is_number() != is_number {
            let kind = attribute.attribute_type;
            let message = format!("{name} has type {kind}, but lists {choice}");
            let remedy = if is_number { "Write a number" } else { "Write a text in quotes" };
            findings.error(format!("{pointer}/enum/{at}"), message, remedy);
        }
    }
    let Some(default) = &attribute.default else { return };
    let is_listed = attribute.choices.is_empty() || attribute.choices.contains(default);
    if !fits(attribute.attribute_type, default) || !is_listed {
        let message = format!("the default {default} of {name} is not a value it may have");
        let remedy = match attribute.choices.first() {
            Some(first) => format!("Write one of its `enum`, such as {first}"),
            None => format!("Write a value of type {}", attribute.attribute_type),
        };
        findings.error(format!("{pointer}/default"), message, remedy);
    }
}

/// Whether a JSON value can stand for a value of the type.
fn fits(kind: AttributeType, value: &Value) -> bool {
    match kind {
        AttributeType::S | AttributeType::B => value.is_string(),
        AttributeType::N => value.is_number(),
        AttributeType::Bool => value.is_boolean(),
        AttributeType::M => value.is_object(),
        _ => value.is_array(),
    }
}
