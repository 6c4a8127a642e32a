//! One value against what the document says about it.

use serde_json::Value;
use values::{AttributeType, AttributeValue, Number};

use super::{Problems, formats};
use crate::document::{Attribute, Elements, Format};

/// Checks a value of an attribute or field.
pub(super) fn check(
    attribute: &Attribute,
    value: &AttributeValue,
    path: &str,
    problems: &mut Problems,
) {
    if !has_type(value, attribute.attribute_type, path, problems) {
        return;
    }
    check_choice(&attribute.choices, value, path, problems);
    check_format(attribute.format, value, path, problems);
    match value {
        AttributeValue::S(text) => check_text(attribute, text, path, problems),
        AttributeValue::N(number) => check_range(attribute, number, path, problems),
        AttributeValue::M(map) => check_fields(&attribute.attributes, map, path, problems),
        AttributeValue::L(list) => {
            for (at, element) in list.iter().enumerate() {
                if let Some(elements) = &attribute.elements {
                    check_element(elements, element, &format!("{path}[{at}]"), problems);
                }
            }
        }
        _ => {}
    }
}

fn check_element(elements: &Elements, value: &AttributeValue, path: &str, problems: &mut Problems) {
    if !has_type(value, elements.attribute_type, path, problems) {
        return;
    }
    check_choice(&elements.choices, value, path, problems);
    check_format(elements.format, value, path, problems);
    if let AttributeValue::M(map) = value {
        check_fields(&elements.attributes, map, path, problems);
    }
}

/// A map whose fields the document does not list is free.
fn check_fields(fields: &[Attribute], map: &values::Item, path: &str, problems: &mut Problems) {
    for field in fields {
        let path = format!("{path}.{}", field.name);
        match map.get(&field.name) {
            Some(value) => check(field, value, &path, problems),
            None if field.required => {
                problems.add(path, format!("it is missing. {}", field.description));
            }
            None => {}
        }
    }
    for name in map.keys() {
        if !fields.is_empty() && !fields.iter().any(|field| field.name == *name) {
            problems.add(format!("{path}.{name}"), "the document has no such field");
        }
    }
}

fn has_type(
    value: &AttributeValue,
    wanted: AttributeType,
    path: &str,
    problems: &mut Problems,
) -> bool {
    let found = value.attribute_type();
    if found != wanted {
        problems.add(path, format!("it has type {found}, and should have type {wanted}"));
    }
    found == wanted
}

fn check_choice(choices: &[Value], value: &AttributeValue, path: &str, problems: &mut Problems) {
    if choices.is_empty() {
        return;
    }
    let is_listed = |text: &str| {
        choices.iter().any(|choice| match choice {
            Value::String(choice) => choice == text,
            Value::Number(choice) => choice.to_string() == text,
            _ => false,
        })
    };
    let listed = match value {
        AttributeValue::S(text) => is_listed(text),
        AttributeValue::N(number) => is_listed(&number.to_string()),
        AttributeValue::Ss(members) => members.iter().all(|member| is_listed(member)),
        AttributeValue::Ns(members) => members.iter().all(|member| is_listed(&member.to_string())),
        _ => true,
    };
    if !listed {
        let choices: Vec<_> = choices.iter().map(Value::to_string).collect();
        problems.add(path, format!("it should be one of {}", choices.join(", ")));
    }
}

fn check_format(
    format: Option<Format>,
    value: &AttributeValue,
    path: &str,
    problems: &mut Problems,
) {
    let Some(format) = format else { return };
    let fits = match value {
        AttributeValue::S(text) => formats::fits_text(format, text),
        AttributeValue::N(number) => formats::fits_number(format, number),
        _ => true,
    };
    if !fits {
        problems.add(path, format!("it should be {}", formats::example(format)));
    }
}

fn check_text(attribute: &Attribute, text: &str, path: &str, problems: &mut Problems) {
    let length = text.chars().count();
    if attribute.min_length.is_some_and(|least| length < least) {
        let least = attribute.min_length.unwrap_or_default();
        problems.add(path, format!("it has {length} characters, and needs at least {least}"));
    }
    if attribute.max_length.is_some_and(|most| length > most) {
        let most = attribute.max_length.unwrap_or_default();
        problems.add(path, format!("it has {length} characters, and may have {most}"));
    }
    if let Some(pattern) = &attribute.pattern
        && !attribute.matches(text)
    {
        problems.add(path, format!("it should match {pattern}"));
    }
}

fn check_range(attribute: &Attribute, number: &Number, path: &str, problems: &mut Problems) {
    let limit =
        |limit: Option<f64>| limit.and_then(|limit| limit.to_string().parse::<Number>().ok());
    if let Some(least) = limit(attribute.minimum).filter(|least| number < least) {
        problems.add(path, format!("it is {number}, and should be at least {least}"));
    }
    if let Some(most) = limit(attribute.maximum).filter(|most| number > most) {
        problems.add(path, format!("it is {number}, and should be at most {most}"));
    }
}
