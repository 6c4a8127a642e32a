//! The members of every request, as DynamoDB's service model lists them.

pub(super) mod items;
pub(super) mod statements;
pub(super) mod streams;
pub(super) mod tables;

use super::shape::{Shape, Structure};

/// A list of strings.
const TEXTS: Shape = Shape::List(&Shape::Text);
/// A map of attribute values: an item, a key, `ExpressionAttributeValues`.
const ATTRIBUTES: Shape = Shape::Map(&Shape::Value);
/// `ExpressionAttributeNames`.
const NAMES: Shape = Shape::Map(&Shape::Text);

/// A request without members.
pub(super) const NOTHING: Structure = Structure { name: "Nothing", members: &[] };
