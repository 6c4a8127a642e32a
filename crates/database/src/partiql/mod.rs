//! Carrying out PartiQL: what ExecuteStatement, BatchExecuteStatement and ExecuteTransaction share.
//!
//! A statement becomes what the other operations are made of. A write becomes a
//! [`PreparedWrite`](crate::write::PreparedWrite), so that conditions, indexes, capacity and the
//! commit are the same as for UpdateItem; a SELECT becomes pages of ranges, as Query and Scan read
//! them.

mod next_token;
mod select;
mod write;

pub use next_token::Fingerprint;
pub use select::SelectRequest;
pub use write::{StatementWrite, Unfit, prepare, refuse_foreign_key_types};

use std::sync::Arc;

use expressions::partiql::{self, Statement};
use values::{AttributeType, AttributeValue, limits, validate};

use crate::catalog::{KeyAttributes, Table};
use crate::{Database, Error, text};

/// The length of a statement, in characters.
pub fn check_statement(statement: &str, member: &str) -> Result<(), Error> {
    let constraint = match statement.chars().count() {
        0 => "greater than or equal to 1",
        1..=limits::STATEMENT_CHARACTERS_MAX => return Ok(()),
        _ => "less than or equal to 8192",
    };
    Err(Error::Validation(text::length_of(statement, member, constraint)))
}

/// Every parameter is checked before the statement is looked at, used or not (DX).
pub fn check_parameters(parameters: &[AttributeValue]) -> Result<(), Error> {
    Ok(parameters.iter().try_for_each(validate::value)?)
}

/// Reads a statement. EXISTS is for transactions only.
pub fn parse(statement: &str, parameters: &[AttributeValue]) -> Result<Statement, Error> {
    match partiql::parse(statement, parameters)? {
        Statement::Exists(_) => Err(expressions::ExpressionError::from(
            expressions::StatementProblem::ExistsOutsideTransaction,
        )
        .into()),
        statement => Ok(statement),
    }
}

/// The names and types of key attributes, hash before sort.
pub fn key_types(keys: &KeyAttributes) -> Vec<(&str, AttributeType)> {
    keys.iter().map(|attribute| (attribute.name.as_str(), attribute.attribute_type)).collect()
}

impl Database {
    /// The table that a statement names, by its name or its ARN.
    pub(crate) fn statement_table(&self, statement: &Statement) -> Result<Arc<Table>, Error> {
        let operation = match statement {
            Statement::Select(_) | Statement::Exists(_) => "PartiQLSelect",
            Statement::Insert { .. } => "PartiQLInsert",
            Statement::Update { .. } => "PartiQLUpdate",
            Statement::Delete { .. } => "PartiQLDelete",
        };
        self.table(operation, statement.table_name())
    }
}
