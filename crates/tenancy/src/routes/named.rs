//! Bodies with names in them: how a name is described to programs, and its rule told to people.

use std::ops::RangeInclusive;

use platform::Error;
use platform::error::VALIDATION_ERROR;
use platform::http::{Body, Description, Extract, Input};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use utoipa::ToSchema;
use utoipa::openapi::schema::{ObjectBuilder, SchemaType, Type};

use crate::names::pattern;

/// A name: its pattern asks for two visible characters.
const NAME: usize = 2;
/// Anything else in one line.
const LINE: usize = 1;

/// A JSON body whose names must be visible. Programs read the pattern; people would not.
pub struct Named<T>(pub T);

impl<S, T: DeserializeOwned + ToSchema + Send> Extract<S> for Named<T> {
    fn extract(input: &Input<'_, S>) -> Result<Named<T>, Error> {
        let Body(body) = Body::extract(input).map_err(in_words)?;
        Ok(Named(body))
    }

    fn describe(description: &mut Description) {
        <Body<T> as Extract<S>>::describe(description);
    }
}

/// The same problems, those of a name's pattern in words.
fn in_words(error: Error) -> Error {
    let Some(Value::Array(problems)) = error.details().get("errors") else { return error };
    let mut problems = problems.clone();
    for (visible, least) in [(NAME, "two"), (LINE, "one")] {
        let form = format!("should have the form {}", pattern(visible));
        let words = format!(
            "should be {least} or more characters in one line, all of them visible: no line breaks, \
             no control characters, no invisible ones"
        );
        for problem in problems.iter_mut().filter(|problem| problem["message"] == *form) {
            problem["message"] = json!(words);
        }
    }
    Error::new(VALIDATION_ERROR, error.to_string()).detail("errors", problems)
}

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
    ObjectBuilder::new()
        .schema_type(SchemaType::Array(vec![Type::String, Type::Null]))
        .description(Some(what))
        .min_length(Some(*length.start()))
        .max_length(Some(*length.end()))
        .pattern(Some(pattern(visible)))
}
