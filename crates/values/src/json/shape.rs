//! Which JSON has the shape of an attribute value, and how the service words it when it has not.
//!
//! The texts are those of the service's `SerializationException`, as dynalite's tests assert them
//! type by type against the service; DX agrees where it overlaps.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::{JsonError, LEVELS_MAX, Members, Node};
use crate::{AttributeType, ValueError};

const ATTRIBUTE_VALUE_CLASS: &str = "com.amazonaws.dynamodb.v20120810.AttributeValue";

/// Checks the shape of one attribute value and of everything inside it.
pub(super) fn value(json: &Node) -> Result<(), JsonError> {
    value_within(json, LEVELS_MAX)
}

/// Checks the shape of a map of attribute values.
pub(super) fn item(json: &Node) -> Result<(), JsonError> {
    item_within(json, LEVELS_MAX)
}

fn value_within(json: &Node, levels: usize) -> Result<(), JsonError> {
    // What lies deeper is refused for its depth whatever its shape.
    let Some(inner) = levels.checked_sub(1) else { return Ok(()) };
    // JSON null stands for an absent value: not a matter of shape.
    if matches!(json, Node::Null | Node::Deep) {
        return Ok(());
    }
    members(object(json)?)
        .try_for_each(|(attribute_type, json)| member(attribute_type, json, inner))
}

fn item_within(json: &Node, levels: usize) -> Result<(), JsonError> {
    map(json)?.values().try_for_each(|json| value_within(json, levels))
}

fn member(attribute_type: AttributeType, json: &Node, levels: usize) -> Result<(), JsonError> {
    match attribute_type {
        _ if *json == Node::Deep => Ok(()),
        AttributeType::S | AttributeType::N => string(json).map(drop),
        AttributeType::B => binary(json).map(drop),
        AttributeType::Bool | AttributeType::Null => boolean(json).map(drop),
        AttributeType::M => item_within(json, levels),
        AttributeType::L => list(json)?.iter().try_for_each(|json| value_within(json, levels)),
        AttributeType::Ss | AttributeType::Ns => {
            list(json)?.iter().try_for_each(|json| string(json).map(drop))
        }
        AttributeType::Bs => list(json)?.iter().try_for_each(|json| binary(json).map(drop)),
    }
}

/// The typed members of an attribute value. An unknown name is ignored, and a member that is JSON
/// null counts as absent: `{"S": "a", "N": null}` is a string.
pub(super) fn members(object: &Members) -> impl Iterator<Item = (AttributeType, &Node)> {
    object.iter().filter(|(_, json)| !json.is_null()).filter_map(|(name, json)| {
        AttributeType::from_descriptor(name).map(|attribute_type| (attribute_type, json))
    })
}

/// An attribute value's object.
pub(super) fn object(json: &Node) -> Result<&Members, JsonError> {
    match json {
        Node::Object(object) => Ok(object),
        Node::Null => Err(JsonError::Value(ValueError::NoDatatype)),
        Node::Deep => Err(too_deep()),
        Node::Array(_) => {
            Err(refused(format!("Unrecognized collection type class {ATTRIBUTE_VALUE_CLASS}")))
        }
        _ => Err(refused("Unexpected value type in payload")),
    }
}

/// A map of attribute values: an item, or the content of `M`.
pub(super) fn map(json: &Node) -> Result<&Members, JsonError> {
    match json {
        Node::Object(map) => Ok(map),
        Node::Array(_) => Err(refused(format!(
            "Unrecognized collection type java.util.Map<java.lang.String, {ATTRIBUTE_VALUE_CLASS}>"
        ))),
        Node::Deep => Err(too_deep()),
        _ => Err(refused("Unexpected field type")),
    }
}

/// The content of `L`, `SS`, `NS`, `BS`.
pub(super) fn list(json: &Node) -> Result<&[Node], JsonError> {
    match json {
        Node::Array(list) => Ok(list),
        Node::Object(_) => Err(structure()),
        Node::Deep => Err(too_deep()),
        _ => Err(refused("Unexpected field type")),
    }
}

/// The content of `S` and `N`, and a member of `SS` and `NS`.
pub(super) fn string(json: &Node) -> Result<&str, JsonError> {
    match json {
        Node::String(text) => Ok(text),
        Node::Bool(true) => Err(refused("TRUE_VALUE cannot be converted to String")),
        Node::Bool(false) => Err(refused("FALSE_VALUE cannot be converted to String")),
        Node::Number(number) => {
            Err(refused(format!("{} cannot be converted to String", number_token(number))))
        }
        Node::Array(_) => Err(refused("Unrecognized collection type class java.lang.String")),
        Node::Object(_) => Err(structure()),
        Node::Null => Err(refused("Unexpected field type")),
        Node::Deep => Err(too_deep()),
    }
}

/// The content of `BOOL` and `NULL`. The service takes some strings for booleans, in any case
/// (DX, October 2026).
pub(super) fn boolean(json: &Node) -> Result<bool, JsonError> {
    const TRUE: [&str; 5] = ["true", "t", "yes", "y", "1"];
    const FALSE: [&str; 5] = ["false", "f", "no", "n", "0"];
    let is_one_of =
        |text: &str, words: [&str; 5]| words.iter().any(|word| word.eq_ignore_ascii_case(text));
    match json {
        Node::Bool(boolean) => Ok(*boolean),
        Node::String(text) if is_one_of(text, TRUE) => Ok(true),
        Node::String(text) if is_one_of(text, FALSE) => Ok(false),
        Node::String(_) | Node::Null => Err(refused("Unexpected token received from parser")),
        Node::Number(number) => {
            Err(refused(format!("{} cannot be converted to Boolean", number_token(number))))
        }
        // Unlike at any other place, without a word.
        Node::Array(_) => Err(refused("")),
        Node::Object(_) => Err(structure()),
        Node::Deep => Err(too_deep()),
    }
}

/// The content of `B`, and a member of `BS`: padded base64 (rule 17).
pub(super) fn binary(json: &Node) -> Result<Vec<u8>, JsonError> {
    match json {
        Node::String(text) => {
            STANDARD.decode(text.as_bytes()).map_err(|_| refused(describe_invalid_base64(text)))
        }
        Node::Array(_) => Err(refused("Unrecognized collection type class java.nio.ByteBuffer")),
        Node::Object(_) => Err(structure()),
        Node::Deep => Err(too_deep()),
        _ => Err(refused("only base-64-encoded strings are convertible to bytes")),
    }
}

fn describe_invalid_base64(text: &str) -> String {
    let length = text.encode_utf16().count();
    if !length.is_multiple_of(4) {
        return format!(
            "Base64 encoded length is expected a multiple of 4 bytes but found: {length}"
        );
    }
    let is_alphabet = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '/' | '=');
    match text.chars().find(|&c| !is_alphabet(c)) {
        Some(character) => format!("Invalid Base64 character: '{character}'"),
        // Padding in the middle, or bits set that no byte uses. The misspelling is the service's.
        None => "Invalid last non-pad Base64 character dectected".to_owned(),
    }
}

/// What the service calls a number token: by how it was written.
fn number_token(number: &serde_json::Number) -> &'static str {
    if number.is_f64() { "DECIMAL_VALUE" } else { "NUMBER_VALUE" }
}

fn too_deep() -> JsonError {
    JsonError::Value(ValueError::NestingTooDeep)
}

fn structure() -> JsonError {
    refused("Start of structure or map found where not expected")
}

fn refused(message: impl Into<String>) -> JsonError {
    JsonError::Shape(message.into())
}
