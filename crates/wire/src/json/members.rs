//! Reading members of a body whose shape has been checked.

use std::collections::BTreeMap;

use values::json::{Members, Node};

use super::shape::flag_from_text;

/// A whole number as the service reads it.
#[derive(Clone, Copy)]
pub(super) struct Integer {
    /// The value, cut to 32 bits and to its whole part.
    pub(super) value: i64,
    /// Whether anything was cut.
    pub(super) coerced: bool,
}

pub(super) fn text<'a>(members: &'a Members, name: &str) -> Option<&'a str> {
    members.get(name)?.as_str()
}

pub(super) fn owned(members: &Members, name: &str) -> Option<String> {
    text(members, name).map(str::to_owned)
}

/// Text that a member constraint has shown to be there.
pub(super) fn required(members: &Members, name: &str) -> String {
    owned(members, name).unwrap_or_default()
}

pub(super) fn flag(members: &Members, name: &str) -> Option<bool> {
    match members.get(name)? {
        Node::Bool(flag) => Some(*flag),
        Node::String(text) => flag_from_text(text),
        _ => None,
    }
}

/// A number of 32 bits: saturating, and without its fraction.
pub(super) fn integer(members: &Members, name: &str) -> Option<Integer> {
    let number = members.get(name)?.as_number()?;
    let (whole, fraction) = match (number.as_i64(), number.as_u64(), number.as_f64()) {
        (Some(whole), _, _) => (i128::from(whole), false),
        (_, Some(whole), _) => (i128::from(whole), false),
        // A float converts by saturating, so that no value is out of range here.
        (_, _, Some(float)) => (float.trunc() as i128, float.fract() != 0.0),
        _ => return None,
    };
    let cut = whole.clamp(i128::from(i32::MIN), i128::from(i32::MAX));
    let value = i64::try_from(cut).unwrap_or_default();
    Some(Integer { value, coerced: fraction || cut != whole })
}

/// A number of 64 bits.
pub(super) fn long(members: &Members, name: &str) -> Option<i64> {
    let number = members.get(name)?.as_number()?;
    number.as_i64().or_else(|| Some(number.as_f64()? as i64))
}

pub(super) fn object<'a>(members: &'a Members, name: &str) -> Option<&'a Members> {
    members.get(name)?.as_object()
}

pub(super) fn array<'a>(members: &'a Members, name: &str) -> Option<&'a [Node]> {
    members.get(name)?.as_array()
}

/// The objects of an array.
pub(super) fn objects<'a>(
    members: &'a Members,
    name: &str,
) -> Option<impl Iterator<Item = &'a Members>> {
    Some(array(members, name)?.iter().filter_map(Node::as_object))
}

/// A list of strings.
pub(super) fn texts(members: &Members, name: &str) -> Option<Vec<String>> {
    let values = array(members, name)?;
    Some(values.iter().filter_map(Node::as_str).map(str::to_owned).collect())
}

/// `ExpressionAttributeNames`.
pub(super) fn names(members: &Members, name: &str) -> Option<BTreeMap<String, String>> {
    let entries = object(members, name)?;
    let text = |(name, value): (&str, &Node)| Some((name.to_owned(), value.as_str()?.to_owned()));
    Some(entries.iter().filter_map(text).collect())
}

/// The name of a table that a request gives by name or by ARN.
pub(super) fn table_name_of(given: &str) -> &str {
    match given.strip_prefix("arn:").and_then(|arn| arn.split_once(":table/")) {
        Some((_, name)) if !name.contains('/') => name,
        _ => given,
    }
}

/// `TableName`, as it was given: name or ARN.
pub(super) fn table_name(members: &Members) -> String {
    required(members, "TableName")
}
