//! The shape a body must have: what each member is in JSON. A mismatch is a
//! `SerializationException` in the words of the service's Java reader.

use std::fmt::Display;

use values::json::{Members, Node};

use super::echo::lower_camel;
use crate::WireError;

/// What a member is in JSON.
#[derive(Debug)]
pub(super) enum Shape {
    /// A string.
    Text,
    /// A boolean, or one of the strings that read as one.
    Flag,
    /// A whole number of 32 bits.
    Integer,
    /// A whole number of 64 bits.
    Long,
    /// An attribute value; what is inside is read by `values`.
    Value,
    /// An array.
    List(&'static Shape),
    /// An object with names of the client's choice.
    Map(&'static Shape),
    /// An object with known members. Unknown ones are ignored.
    Structure(&'static Structure),
}

impl Shape {
    /// Whether something other than attribute values is inside.
    fn is_nested(&self) -> bool {
        match self {
            Shape::List(element) | Shape::Map(element) => !matches!(element, Shape::Value),
            Shape::Structure(_) => true,
            Shape::Text | Shape::Flag | Shape::Integer | Shape::Long | Shape::Value => false,
        }
    }
}

/// A known object: its name in the service's model, and its members.
#[derive(Debug)]
pub(super) struct Structure {
    pub(super) name: &'static str,
    pub(super) members: &'static [(&'static str, Shape)],
}

const MODEL: &str = "com.amazonaws.dynamodb.v20120810";
const OBJECT_NOT_EXPECTED: &str = "Start of structure or map found where not expected";
const FIELD_TYPE: &str = "Unexpected field type";
const ELEMENT_TYPE: &str = "Unexpected value type in payload";
/// A list or map was expected inside a list or map: the Java reader fails on its own account.
const NESTED_COLLECTION: &str = "class sun.reflect.generics.reflectiveObjects.ParameterizedTypeImpl \
     cannot be cast to class java.lang.Class (sun.reflect.generics.reflectiveObjects.\
     ParameterizedTypeImpl and java.lang.Class are in module java.base of loader 'bootstrap')";

/// Where a value stands; the service has other words for elements than for members.
#[derive(Clone, Copy, PartialEq)]
enum Place {
    Member,
    Element,
}

/// Checks a whole body and gives its members.
pub(super) fn check<'a>(
    structure: &'static Structure,
    body: &'a Node,
) -> Result<&'a Members, WireError> {
    let Node::Object(members) = body else {
        return Err(WireError::serialization(""));
    };
    check_members(structure, members)?;
    Ok(members)
}

fn check_members(structure: &'static Structure, members: &Members) -> Result<(), WireError> {
    for (name, shape) in structure.members {
        if let Some(value) = members.get(name).filter(|value| !value.is_null()) {
            check_value(shape, value, Place::Member)?;
        }
    }
    Ok(())
}

fn check_value(shape: &'static Shape, value: &Node, place: Place) -> Result<(), WireError> {
    match (shape, value) {
        (Shape::Text, Node::String(_)) | (Shape::Flag, Node::Bool(_)) => Ok(()),
        (Shape::Integer | Shape::Long, Node::Number(_)) | (Shape::Value, Node::Object(_)) => Ok(()),
        (Shape::Flag, Node::String(text)) if flag_from_text(text).is_some() => Ok(()),
        (Shape::List(element), Node::Array(values)) => check_elements(element, values.iter()),
        (Shape::Map(element), Node::Object(values)) => check_elements(element, values.values()),
        (Shape::Structure(structure), Node::Object(members)) => check_members(structure, members),
        _ => Err(WireError::serialization(mismatch(shape, value, place))),
    }
}

fn check_elements<'a>(
    shape: &'static Shape,
    values: impl Iterator<Item = &'a Node>,
) -> Result<(), WireError> {
    for value in values.filter(|value| !value.is_null()) {
        check_value(shape, value, Place::Element)?;
    }
    Ok(())
}

/// The path of the first null inside a list or map. It must not be passed over as an absent member
/// is: with it would go an action of a transaction, or a condition. Attribute values say so
/// themselves.
pub(super) fn null_element(structure: &'static Structure, members: &Members) -> Option<String> {
    let mut nested = structure.members.iter().filter(|(_, shape)| shape.is_nested());
    nested.find_map(|(name, shape)| {
        let inner = null_inside(shape, members.get(name)?)?;
        Some(format!("{}{inner}", lower_camel(name)))
    })
}

fn null_inside(shape: &'static Shape, value: &Node) -> Option<String> {
    let at = |name: &dyn Display, element: &'static Shape, value: &Node| match (element, value) {
        (Shape::Value, _) => None,
        (_, Node::Null) => Some(format!(".{name}.member")),
        _ => null_inside(element, value).map(|inner| format!(".{name}.member{inner}")),
    };
    match (shape, value) {
        (Shape::List(element), Node::Array(values)) => {
            values.iter().enumerate().find_map(|(index, value)| at(&(index + 1), element, value))
        }
        (Shape::Map(element), Node::Object(values)) => {
            values.iter().find_map(|(name, value)| at(&name, element, value))
        }
        (Shape::Structure(structure), Node::Object(members)) => {
            null_element(structure, members).map(|inner| format!(".{inner}"))
        }
        _ => None,
    }
}

fn mismatch(shape: &Shape, value: &Node, place: Place) -> String {
    match (shape, value) {
        (Shape::List(_) | Shape::Map(_), _) if place == Place::Element => NESTED_COLLECTION.into(),
        (Shape::List(_), Node::Object(_)) => OBJECT_NOT_EXPECTED.into(),
        (Shape::Map(_), Node::Array(_)) => {
            format!("Unrecognized collection type {}", java_type(shape))
        }
        (_, Node::Array(_)) => format!("Unrecognized collection type class {}", java_type(shape)),
        (Shape::Value | Shape::Structure(_), _) if place == Place::Element => ELEMENT_TYPE.into(),
        (Shape::List(_) | Shape::Map(_) | Shape::Value | Shape::Structure(_), _) => {
            FIELD_TYPE.into()
        }
        (_, Node::Object(_)) => OBJECT_NOT_EXPECTED.into(),
        (Shape::Flag, Node::String(_)) => "Unexpected token received from parser".into(),
        (_, scalar) => {
            let simple = java_type(shape).trim_start_matches("java.lang.").to_owned();
            format!("{} cannot be converted to {simple}", token_name(scalar))
        }
    }
}

/// The name that the service's JSON reader has for a scalar.
fn token_name(value: &Node) -> &'static str {
    match value {
        Node::Bool(true) => "TRUE_VALUE",
        Node::Bool(false) => "FALSE_VALUE",
        Node::Number(number) if number.is_f64() => "DECIMAL_VALUE",
        Node::Number(_) => "NUMBER_VALUE",
        _ => "STRING_VALUE",
    }
}

fn java_type(shape: &Shape) -> String {
    match shape {
        Shape::Text => "java.lang.String".into(),
        Shape::Flag => "java.lang.Boolean".into(),
        Shape::Integer => "java.lang.Integer".into(),
        Shape::Long => "java.lang.Long".into(),
        Shape::Value => format!("{MODEL}.AttributeValue"),
        Shape::List(element) => format!("java.util.List<{}>", java_type(element)),
        Shape::Map(element) => format!("java.util.Map<java.lang.String, {}>", java_type(element)),
        Shape::Structure(structure) => format!("{MODEL}.{}", structure.name),
    }
}

/// The boolean that a string reads as, in any case; nothing is trimmed.
pub(super) fn flag_from_text(text: &str) -> Option<bool> {
    match text.to_ascii_lowercase().as_str() {
        "true" | "t" | "yes" | "y" | "1" => Some(true),
        "false" | "f" | "no" | "n" | "0" => Some(false),
        _ => None,
    }
}
