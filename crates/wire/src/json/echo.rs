//! How the service shows a value in a constraint message: the text that its Java model prints.
//! Maps list their entries by name here, in the order of a Java hash table there.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use values::json::{Members, Node};

use super::shape::{Shape, Structure};

/// An echo is cut off here: one refused request must not make an answer of its own size.
const LENGTH_MAX: usize = 100_000;

/// The fields of the model's attribute value, in the order in which it prints them.
const ATTRIBUTE_FIELDS: [(&str, &str); 16] = [
    ("s", "S"),
    ("n", "N"),
    ("b", "B"),
    ("iNT", ""),
    ("dECIMAL", ""),
    ("dOUBLE", ""),
    ("sS", "SS"),
    ("nS", "NS"),
    ("bS", "BS"),
    ("iNTSET", ""),
    ("dECIMALSET", ""),
    ("dOUBLESET", ""),
    ("m", "M"),
    ("l", "L"),
    ("nULL", "NULL"),
    ("bOOL", "BOOL"),
];

/// The value as the service would print it.
pub(super) fn echo(shape: &Shape, value: &Node) -> String {
    let mut text = String::new();
    write(&mut text, shape, value);
    if let Some((end, _)) = text.char_indices().nth(LENGTH_MAX) {
        text.truncate(end);
    }
    text
}

/// `TableName` as `tableName`, the way constraint messages and the Java model spell members.
pub(super) fn lower_camel(name: &str) -> String {
    let mut characters = name.chars();
    match characters.next() {
        Some(first) => first.to_ascii_lowercase().to_string() + characters.as_str(),
        None => String::new(),
    }
}

fn write(text: &mut String, shape: &Shape, value: &Node) {
    if text.len() > LENGTH_MAX {
        return;
    }
    match (shape, value) {
        (_, Node::Null) => text.push_str("null"),
        (Shape::List(element), Node::Array(values)) => {
            write_list(text, values, |text, value| write(text, element, value));
        }
        (Shape::Map(element), Node::Object(values)) => {
            write_map(text, values, |text, value| write(text, element, value));
        }
        (Shape::Structure(structure), Node::Object(members)) => {
            write_structure(text, structure, members);
        }
        (Shape::Value, Node::Object(members)) => write_attribute(text, members),
        (_, Node::String(string)) => text.push_str(string),
        (_, other) => text.push_str(&other.to_string()),
    }
}

fn write_list(text: &mut String, values: &[Node], mut element: impl FnMut(&mut String, &Node)) {
    text.push('[');
    for (index, value) in values.iter().enumerate() {
        if index > 0 {
            text.push_str(", ");
        }
        element(text, value);
    }
    text.push(']');
}

fn write_map(text: &mut String, values: &Members, mut element: impl FnMut(&mut String, &Node)) {
    text.push('{');
    for (index, (name, value)) in values.iter().enumerate() {
        if index > 0 {
            text.push_str(", ");
        }
        text.push_str(name);
        text.push('=');
        element(text, value);
    }
    text.push('}');
}

fn write_structure(text: &mut String, structure: &Structure, members: &Members) {
    text.push_str(structure.name);
    text.push('(');
    for (index, (name, shape)) in structure.members.iter().enumerate() {
        if index > 0 {
            text.push_str(", ");
        }
        text.push_str(&lower_camel(name));
        text.push('=');
        write(text, shape, members.get(name).unwrap_or(&Node::Null));
    }
    text.push(')');
}

fn write_attribute(text: &mut String, members: &Members) {
    text.push_str("AttributeValue(");
    for (index, (field, descriptor)) in ATTRIBUTE_FIELDS.iter().enumerate() {
        if index > 0 {
            text.push_str(", ");
        }
        text.push_str(field);
        text.push('=');
        match members.get(descriptor) {
            Some(value) => write_attribute_content(text, descriptor, value),
            None => text.push_str("null"),
        }
    }
    text.push(')');
}

fn write_attribute_content(text: &mut String, descriptor: &str, value: &Node) {
    match (descriptor, value) {
        ("B", Node::String(encoded)) => text.push_str(&byte_buffer(encoded)),
        ("BS", Node::Array(values)) => write_list(text, values, |text, value| {
            text.push_str(&byte_buffer(value.as_str().unwrap_or_default()));
        }),
        ("SS" | "NS", list) => write(text, &Shape::List(&Shape::Text), list),
        ("M", map) => write(text, &Shape::Map(&Shape::Value), map),
        ("L", list) => write(text, &Shape::List(&Shape::Value), list),
        (_, scalar) => write(text, &Shape::Text, scalar),
    }
}

fn byte_buffer(encoded: &str) -> String {
    let length = STANDARD.decode(encoded).map(|bytes| bytes.len()).unwrap_or_default();
    format!("java.nio.HeapByteBuffer[pos=0 lim={length} cap={length}]")
}
