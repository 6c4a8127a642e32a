//! One value against what the document says about it.

use serde_json::Value;
use values::{AttributeType, AttributeValue, Number};

use super::{Problems, formats};
use crate::document::{Attribute, Elements, Format};

/// Where a value is within an item. Made into text only for a problem.
pub(super) struct Path<'a> {
    parent: Option<&'a Path<'a>>,
    step: Step<'a>,
}

#[derive(Clone, Copy)]
enum Step<'a> {
    Name(&'a str),
    Element(usize),
}

impl<'a> Path<'a> {
    pub(super) fn of(name: &'a str) -> Path<'a> {
        Path { parent: None, step: Step::Name(name) }
    }
}

impl From<&Path<'_>> for String {
    fn from(path: &Path<'_>) -> String {
        let parent = path.parent.map(String::from);
        match (parent, path.step) {
            (None, Step::Name(name)) => name.to_owned(),
            (Some(parent), Step::Name(name)) => format!("{parent}.{name}"),
            (parent, Step::Element(at)) => format!("{}[{at}]", parent.unwrap_or_default()),
        }
    }
}

/// Checks a value of an attribute or field.
pub(super) fn check(
    attribute: &Attribute,
    value: &AttributeValue,
    path: &Path<'_>,
    problems: &mut Problems,
) {
    if !has_type(value, attribute.attribute_type, path, problems) {
        return;
    }
    if !attribute.choices.is_empty() {
        check_choice(&attribute.choices, value, path, problems);
    }
    if let Some(format) = attribute.format {
        check_format(format, value, path, problems);
    }
    match value {
        AttributeValue::S(text) => check_text(attribute, text, path, problems),
        AttributeValue::N(number) => check_range(attribute, number, path, problems),
        AttributeValue::M(map) => check_fields(&attribute.attributes, map, path, problems),
        AttributeValue::L(list) => {
            for (at, element) in list.iter().enumerate() {
                if let Some(elements) = &attribute.elements {
                    let path = Path { parent: Some(path), step: Step::Element(at) };
                    check_element(elements, element, &path, problems);
                }
            }
        }
        _ => {}
    }
}

fn check_element(
    elements: &Elements,
    value: &AttributeValue,
    path: &Path<'_>,
    problems: &mut Problems,
) {
    if !has_type(value, elements.attribute_type, path, problems) {
        return;
    }
    if !elements.choices.is_empty() {
        check_choice(&elements.choices, value, path, problems);
    }
    if let Some(format) = elements.format {
        check_format(format, value, path, problems);
    }
    if let AttributeValue::M(map) = value {
        check_fields(&elements.attributes, map, path, problems);
    }
}

/// A map whose fields the document does not list is free.
fn check_fields(
    fields: &[Attribute],
    map: &values::Item,
    path: &Path<'_>,
    problems: &mut Problems,
) {
    for field in fields {
        let path = Path { parent: Some(path), step: Step::Name(&field.name) };
        match map.get(&field.name) {
            Some(value) => check(field, value, &path, problems),
            None if field.required => {
                problems.add(&path, format!("it is missing. {}", field.description));
            }
            None => {}
        }
    }
    for name in map.keys() {
        if !fields.is_empty() && !fields.iter().any(|field| field.name == *name) {
            let path = Path { parent: Some(path), step: Step::Name(name) };
            problems.add(&path, "the document has no such field");
        }
    }
}

fn has_type(
    value: &AttributeValue,
    wanted: AttributeType,
    path: &Path<'_>,
    problems: &mut Problems,
) -> bool {
    let found = value.attribute_type();
    if found != wanted {
        problems.add(path, format!("it has type {found}, and should have type {wanted}"));
    }
    found == wanted
}

fn check_choice(
    choices: &[Value],
    value: &AttributeValue,
    path: &Path<'_>,
    problems: &mut Problems,
) {
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

fn check_format(format: Format, value: &AttributeValue, path: &Path<'_>, problems: &mut Problems) {
    let fits = match value {
        AttributeValue::S(text) => formats::fits_text(format, text),
        AttributeValue::N(number) => formats::fits_number(format, number),
        _ => true,
    };
    if !fits {
        problems.add(path, format!("it should be {}", formats::example(format)));
    }
}

fn check_text(attribute: &Attribute, text: &str, path: &Path<'_>, problems: &mut Problems) {
    let is_bounded = attribute.min_length.is_some() || attribute.max_length.is_some();
    let length = if is_bounded { text.chars().count() } else { 0 };
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

fn check_range(attribute: &Attribute, number: &Number, path: &Path<'_>, problems: &mut Problems) {
    if let Some(least) = attribute.minimum.as_ref().filter(|least| number < *least) {
        problems.add(path, format!("it is {number}, and should be at least {least}"));
    }
    if let Some(most) = attribute.maximum.as_ref().filter(|most| number > *most) {
        problems.add(path, format!("it is {number}, and should be at most {most}"));
    }
}
