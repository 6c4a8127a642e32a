//! What a table, an index or a tag may be: every check of a request before anything is written, in
//! the service's order and with its texts ([`texts`]).
//!
//! [`create_table`] and [`update_table`] say the order; the other modules hold the single rules.

mod create_table;
mod indexes;
mod java_order;
mod key_schema;
mod members;
mod settings;
mod tags;
pub mod texts;
mod throughput;
mod update_indexes;
mod update_table;

use std::fmt::{self, Display};

pub use create_table::create_table;
pub use members::Members;
pub use settings::encryption_changes;
pub use tags::{tag_keys, tags, tags_together};
pub use throughput::{warm_throughput, without_members};
pub use update_indexes::index_updates;
pub use update_table::{against_table, update_table};

use crate::shapes::{KeySchemaElement, KeyType};
use crate::{Error, Options, arn};

/// The table name of an operation on items: one error for each name, the length before the pattern
/// (captured 2026-10-09; rule 3 for the empty one). ARNs are taken too; [`arn::table_name_of`] gives
/// the name in them.
pub fn table_name(given: &str) -> Result<(), Error> {
    if given.is_empty() {
        return Err(Error::Validation(
            "1 validation error detected: Value at 'TableName' failed to satisfy constraint: \
             Member must have length greater than or equal to 1"
                .to_owned(),
        ));
    }
    if given.starts_with("arn:") {
        return arn::table_name_of(given).map(drop);
    }
    let mut members = Members::default();
    members.length(given, "tableName", 3, 255);
    members.finish()?;
    pattern(given)
}

/// The table name of an operation on tables, taken from an ARN if need be.
pub fn managed_table_name<'a>(
    options: &Options,
    operation: &str,
    given: &'a str,
) -> Result<&'a str, Error> {
    let name = arn::own_table(options, operation, given)?;
    if !(3..=255).contains(&name.chars().count()) {
        return Err(Error::Validation(texts::TABLE_NAME_LENGTH.to_owned()));
    }
    pattern(name)?;
    Ok(name)
}

fn pattern(name: &str) -> Result<(), Error> {
    let mut members = Members::default();
    if !is_name_pattern(name) {
        members.broken(name, "tableName", texts::NAME_PATTERN);
    }
    members.finish()
}

/// Only letters, digits, `_`, `.` and `-`, and at least one.
fn is_name_pattern(name: &str) -> bool {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-');
    !name.is_empty() && name.bytes().all(allowed)
}

/// May a table or index have this name?
pub fn is_name(name: &str) -> bool {
    (3..=255).contains(&name.len()) && is_name_pattern(name)
}

/// One broken constraint as the service words it.
pub fn constraint_text(value: impl Display, path: &str, constraint: &str) -> String {
    format!("Value '{value}' at '{path}' failed to satisfy constraint: {constraint}")
}

/// A key schema as the service shows it in texts.
struct KeySchemaText<'a>(&'a [KeySchemaElement]);

impl Display for KeySchemaText<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[")?;
        for (position, element) in self.0.iter().enumerate() {
            let separator = if position == 0 { "" } else { ", " };
            let key_type = match element.key_type {
                KeyType::Hash => "HASH",
                KeyType::Range => "RANGE",
            };
            write!(
                f,
                "{separator}KeySchemaElement(attributeName={}, keyType={key_type})",
                element.attribute_name
            )?;
        }
        f.write_str("]")
    }
}
