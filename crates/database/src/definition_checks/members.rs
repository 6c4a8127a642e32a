//! Constraints on single members of a request (lengths, patterns, smallest values): the service
//! collects those that are broken and reports them together, ten at most.

use std::fmt::Display;

use super::{KeySchemaText, constraint_text, is_name_pattern};
use crate::Error;
use crate::shapes::{KeySchemaElement, Projection, ProvisionedThroughput};

/// The service names no more broken constraints than this in one answer.
const REPORTED_MAX: usize = 10;

/// Names projected by one index.
const NON_KEY_ATTRIBUTES_MAX: usize = 20;

/// The constraints broken so far.
#[derive(Debug, Default)]
pub struct Members(Vec<String>);

impl Members {
    /// All constraints hold, or an error that names those that do not.
    pub fn finish(mut self) -> Result<(), Error> {
        self.0.truncate(REPORTED_MAX);
        let count = self.0.len();
        if count == 0 {
            return Ok(());
        }
        let errors = if count == 1 { "error" } else { "errors" };
        let text = format!("{count} validation {errors} detected: {}", self.0.join("; "));
        Err(Error::Validation(text))
    }

    /// Notes a broken constraint.
    pub fn broken(&mut self, value: impl Display, path: &str, constraint: &str) {
        self.0.push(constraint_text(value, path, constraint));
    }

    /// A length in characters.
    pub fn length(&mut self, value: &str, path: &str, min: usize, max: usize) {
        self.count(value.chars().count(), value, path, min, max);
    }

    /// A length that was counted already.
    pub fn count(
        &mut self,
        length: usize,
        value: impl Display,
        path: &str,
        min: usize,
        max: usize,
    ) {
        if length < min {
            let text = format!("Member must have length greater than or equal to {min}");
            self.broken(value, path, &text);
        } else if length > max {
            let text = format!("Member must have length less than or equal to {max}");
            self.broken(value, path, &text);
        }
    }

    /// The name of a table or index: the pattern is reported before the length.
    pub fn name(&mut self, name: &str, path: &str) {
        if !is_name_pattern(name) {
            self.broken(name, path, super::texts::NAME_PATTERN);
        }
        self.length(name, path, 3, 255);
    }

    /// A number's bounds.
    pub fn value(&mut self, value: i64, path: &str, min: i64, max: i64) {
        if value < min {
            let text = format!("Member must have value greater than or equal to {min}");
            self.broken(value, path, &text);
        } else if value > max {
            let text = format!("Member must have value less than or equal to {max}");
            self.broken(value, path, &text);
        }
    }

    /// Provisioned throughput: write units are reported before read units.
    pub fn throughput(&mut self, throughput: Option<ProvisionedThroughput>, path: &str) {
        if let Some(units) = throughput {
            let path = format!("{path}.writeCapacityUnits");
            self.value(units.write_capacity_units, &path, 1, i64::MAX);
        }
        if let Some(units) = throughput {
            let path = format!("{path}.readCapacityUnits");
            self.value(units.read_capacity_units, &path, 1, i64::MAX);
        }
    }

    /// A key schema. One that is too long is reported at `keySchema`, wherever it stands (captured
    /// 2026-10-09).
    pub fn key_schema(&mut self, schema: &[KeySchemaElement], path: &str, max: usize) {
        let path_of_length = if schema.is_empty() { path } else { "keySchema" };
        self.count(schema.len(), KeySchemaText(schema), path_of_length, 1, max);
        for (position, element) in schema.iter().enumerate() {
            let path = format!("{path}.{}.member.attributeName", position + 1);
            self.length(&element.attribute_name, &path, 1, 255);
        }
    }

    /// A projection.
    pub fn projection(&mut self, projection: &Projection, path: &str) {
        let Some(names) = &projection.non_key_attributes else { return };
        let path = format!("{path}.projection.nonKeyAttributes");
        let list = format!("[{}]", names.join(", "));
        self.count(names.len(), list, &path, 1, NON_KEY_ATTRIBUTES_MAX);
        for (position, name) in names.iter().enumerate() {
            self.length(name, &format!("{path}.{}.member", position + 1), 1, 255);
        }
    }
}
