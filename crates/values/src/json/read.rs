//! From JSON to values.

use std::collections::BTreeSet;

use super::{JsonError, LEVELS_MAX, Members, Node, shape};
use crate::{AttributeType, AttributeValue, Item, Name, Number, ValueError};

pub(super) fn value(json: &Node) -> Result<AttributeValue, JsonError> {
    value_within(json, LEVELS_MAX)
}

pub(super) fn item(json: &Node) -> Result<Item, JsonError> {
    item_within(json, LEVELS_MAX)
}

fn value_within(json: &Node, levels: usize) -> Result<AttributeValue, JsonError> {
    let inner = levels.checked_sub(1).ok_or(JsonError::Value(ValueError::NestingTooDeep))?;
    let object = shape::object(json)?;
    let mut members = shape::members(object);
    match (members.next(), members.next()) {
        (Some((attribute_type, json)), None) => member(attribute_type, json, inner),
        (None, _) => Err(ValueError::NoDatatype.into()),
        (Some(_), Some(_)) => Err(several_datatypes(object)),
    }
}

fn item_within(json: &Node, levels: usize) -> Result<Item, JsonError> {
    let members = shape::map(json)?;
    // Exactly as much room as is needed: most maps are small, and a request may have many.
    let mut attributes = Vec::with_capacity(members.len());
    for (name, json) in members {
        attributes.push((Name::from(name), value_within(json, levels)?));
    }
    Ok(Item::from(attributes))
}

fn member(
    attribute_type: AttributeType,
    json: &Node,
    levels: usize,
) -> Result<AttributeValue, JsonError> {
    Ok(match attribute_type {
        AttributeType::S => AttributeValue::S(shape::string(json)?.to_owned()),
        AttributeType::N => AttributeValue::N(number(json)?),
        AttributeType::B => AttributeValue::B(shape::binary(json)?),
        AttributeType::Bool => AttributeValue::Bool(shape::boolean(json)?),
        AttributeType::Null => match (shape::boolean(json)?, json) {
            (true, _) => AttributeValue::Null,
            // Rule 16.
            (false, Node::Bool(_)) => return Err(ValueError::NullIsFalse.into()),
            (false, _) => return Err(ValueError::NullReadsAsFalse.into()),
        },
        AttributeType::M => AttributeValue::M(item_within(json, levels)?),
        AttributeType::L => AttributeValue::L(
            shape::list(json)?
                .iter()
                .map(|json| value_within(json, levels))
                .collect::<Result<_, _>>()?,
        ),
        AttributeType::Ss => {
            let members = members(json, |json| shape::string(json).map(str::to_owned))?;
            AttributeValue::Ss(distinct(members, ValueError::DuplicateStrings)?)
        }
        AttributeType::Ns => {
            let members = members(json, number)?;
            AttributeValue::Ns(distinct(members, |_| ValueError::DuplicateNumbers)?)
        }
        AttributeType::Bs => {
            let members = members(json, shape::binary)?;
            AttributeValue::Bs(distinct(members, ValueError::DuplicateBinaries)?)
        }
    })
}

fn number(json: &Node) -> Result<Number, JsonError> {
    Ok(shape::string(json)?.parse::<Number>()?)
}

fn members<T>(
    json: &Node,
    read: impl Fn(&Node) -> Result<T, JsonError>,
) -> Result<Vec<T>, JsonError> {
    shape::list(json)?.iter().map(read).collect()
}

/// A set of the members, or an error that names them as sent.
fn distinct<T: Ord>(
    members: Vec<T>,
    error: impl FnOnce(Vec<T>) -> ValueError,
) -> Result<BTreeSet<T>, JsonError> {
    let mut sorted: Vec<&T> = members.iter().collect();
    sorted.sort_unstable();
    if sorted.windows(2).any(|pair| pair[0] == pair[1]) {
        return Err(error(members).into());
    }
    Ok(members.into_iter().collect())
}

/// What the service finds first in a value with several types: an empty set, a `NULL` that is false,
/// then a number it cannot read, and only then that there are several (DX, October 2026).
fn several_datatypes(object: &Members) -> JsonError {
    let is_empty = |json: &Node| json.as_array().is_some_and(<[Node]>::is_empty);
    let empty_set =
        shape::members(object).find_map(|(attribute_type, json)| match attribute_type {
            AttributeType::Ss if is_empty(json) => Some(ValueError::EmptyStringSet),
            AttributeType::Ns if is_empty(json) => Some(ValueError::EmptyNumberSet),
            AttributeType::Bs if is_empty(json) => Some(ValueError::EmptyBinarySet),
            _ => None,
        });
    if let Some(error) = empty_set {
        return error.into();
    }
    let is_false = |(attribute_type, json): (AttributeType, &Node)| {
        attribute_type == AttributeType::Null && shape::boolean(json) == Ok(false)
    };
    if shape::members(object).any(is_false) {
        return ValueError::NullReadsAsFalse.into();
    }
    let unreadable =
        shape::members(object).find_map(|(attribute_type, json)| match attribute_type {
            AttributeType::N => number(json).err(),
            AttributeType::Ns => members(json, number).err(),
            _ => None,
        });
    unreadable.unwrap_or_else(|| ValueError::SeveralDatatypes.into())
}

impl From<ValueError> for JsonError {
    fn from(error: ValueError) -> JsonError {
        JsonError::Value(error)
    }
}
