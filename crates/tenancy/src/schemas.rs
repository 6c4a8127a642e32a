//! How a name is described to programs, and its rule told to people.

use std::ops::RangeInclusive;

use utoipa::openapi::extensions::ExtensionsBuilder;
use utoipa::openapi::schema::{ObjectBuilder, SchemaType, Type};

use crate::names::pattern;

/// A name: its pattern asks for two visible characters.
const NAME: usize = 2;
/// Anything else in one line.
const LINE: usize = 1;

/// An organisation's name.
pub fn organization_name() -> ObjectBuilder {
    let what = "The organisation's name; unique, however it is written.";
    text(NAME, 2..=100, what).schema_type(Type::String)
}

/// The name of a division, group or team.
pub fn node_name() -> ObjectBuilder {
    let what = "Its name, unique among its siblings, however it is written.";
    text(NAME, 2..=50, what).schema_type(Type::String)
}

/// A tenant's division.
pub fn division() -> ObjectBuilder {
    text(LINE, 2..=50, "The division it belongs to.")
}

/// A tenant's group.
pub fn group() -> ObjectBuilder {
    text(LINE, 2..=50, "The group it belongs to.")
}

/// A tenant's team.
pub fn team() -> ObjectBuilder {
    text(LINE, 2..=50, "The team it belongs to.")
}

/// A tenant's customer.
pub fn customer_id() -> ObjectBuilder {
    text(LINE, 1..=200, "The customer whose administrators may see it.")
}

/// A tenant's identifier elsewhere.
pub fn external_id() -> ObjectBuilder {
    text(LINE, 1..=200, "Its identifier in another system; unique.")
}

/// A text that may be null, unless its field says otherwise.
fn text(visible: usize, length: RangeInclusive<usize>, what: &str) -> ObjectBuilder {
    let least = if visible == NAME { "two" } else { "one" };
    let form = format!(
        "{least} or more characters in one line, all of them visible: no line breaks, no control \
         characters, no invisible ones"
    );
    ObjectBuilder::new()
        .schema_type(SchemaType::Array(vec![Type::String, Type::Null]))
        .description(Some(what))
        .min_length(Some(*length.start()))
        .max_length(Some(*length.end()))
        .pattern(Some(pattern(visible)))
        .extensions(Some(ExtensionsBuilder::new().add("x-form", form).build()))
}
