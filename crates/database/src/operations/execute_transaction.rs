//! ExecuteTransaction: up to 100 PartiQL statements that all read or all write, all or nothing.
#![expect(missing_docs, reason = "the fields are DynamoDB's own, described in its API reference")]

use std::collections::HashSet;
use std::sync::Arc;

use expressions::partiql::Statement;
use values::{AttributeValue, Item, limits, size};

use crate::catalog::Table;
use crate::item_checks::{self, Misfit};
use crate::operations::transact_get_items::{TransactGetItemsResponse, TransactRead, item_key};
use crate::operations::transact_write_items::cancelled_by_misfit;
use crate::partiql::{self, Unfit};
use crate::shapes::{
    ConsumedCapacity, ReturnConsumedCapacity, ReturnValuesOnConditionCheckFailure,
};
use crate::write::PreparedWrite;
use crate::{CancellationCode, CancellationReason, Database, Error, text, tokens};

#[derive(Clone, Debug, Default, PartialEq)]
pub struct ExecuteTransactionRequest {
    pub transact_statements: Vec<ParameterizedStatement>,
    pub client_request_token: Option<String>,
    pub return_consumed_capacity: ReturnConsumedCapacity,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct ParameterizedStatement {
    pub statement: String,
    pub parameters: Vec<AttributeValue>,
    pub return_values_on_condition_check_failure: ReturnValuesOnConditionCheckFailure,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct ExecuteTransactionResponse {
    /// One entry for each SELECT, `None` where there is no item; empty for writes.
    pub responses: Vec<Option<Item>>,
    pub consumed_capacity: Option<Vec<ConsumedCapacity>>,
}

/// A statement with its table.
struct Member {
    table: Arc<Table>,
    statement: Statement,
    return_item_on_failure: bool,
}

impl Database {
    /// ExecuteTransaction: up to 100 PartiQL statements that all read or all write, all or nothing.
    pub async fn execute_transaction(
        &self,
        request: ExecuteTransactionRequest,
    ) -> Result<ExecuteTransactionResponse, Error> {
        let statements = &request.transact_statements;
        let token = request.client_request_token.as_deref();
        let token = tokens::Claimed::of_statements(token, statements)?;
        check_members(statements)?;
        let parsed = parse(statements)?;
        let is_read = parsed.iter().all(Statement::is_read);
        if !is_read && parsed.iter().any(Statement::is_read) {
            return Err(Error::Validation(text::MIXED_TRANSACTION.to_owned()));
        }
        let members = self.members(statements, parsed)?;
        let mode = request.return_consumed_capacity;
        if is_read {
            let reads = reads(members)?;
            let TransactGetItemsResponse { responses, consumed_capacity } =
                self.read_transaction(&reads, mode)?;
            return Ok(ExecuteTransactionResponse { responses, consumed_capacity });
        }
        let _token_claim = self.claim_token(token.as_ref())?;
        let writes = writes(members)?;
        let tables: Vec<Arc<Table>> = writes.iter().map(|write| Arc::clone(&write.table)).collect();
        let is_reported = mode != ReturnConsumedCapacity::None;
        let outcome = self.run_transaction(writes, token, is_reported, || {}).await?;
        let table_names: Vec<&str> = tables.iter().map(|table| table.name.as_str()).collect();
        let consumed_capacity = outcome.capacity(&table_names, mode);
        Ok(ExecuteTransactionResponse { responses: Vec::new(), consumed_capacity })
    }

    /// Finds the tables. One that does not exist cancels the transaction (DX).
    fn members(
        &self,
        statements: &[ParameterizedStatement],
        parsed: Vec<Statement>,
    ) -> Result<Vec<Member>, Error> {
        let mut members = Vec::with_capacity(parsed.len());
        let mut reasons = Vec::with_capacity(parsed.len());
        for (statement, request) in parsed.into_iter().zip(statements) {
            match self.statement_table(&statement) {
                Ok(table) => {
                    reasons.push(CancellationReason::NONE);
                    let return_item_on_failure = request.return_values_on_condition_check_failure
                        == ReturnValuesOnConditionCheckFailure::AllOld;
                    members.push(Member { table, statement, return_item_on_failure });
                }
                Err(Error::ResourceNotFound(message)) => reasons.push(CancellationReason {
                    code: CancellationCode::ResourceNotFound,
                    message: Some(message),
                    item: None,
                }),
                Err(error) => return Err(error),
            }
        }
        if members.len() < reasons.len() {
            return Err(Error::TransactionCanceled(reasons));
        }
        Ok(members)
    }
}

/// What can be said of the request without reading a statement.
fn check_members(statements: &[ParameterizedStatement]) -> Result<(), Error> {
    if statements.is_empty() {
        let constraint = "greater than or equal to 1";
        return Err(Error::Validation(text::length_of("[]", "transactStatements", constraint)));
    }
    if statements.len() > limits::TRANSACTION_ACTIONS_MAX {
        let constraint = "less than or equal to 100";
        return Err(Error::Validation(text::length_of("[...]", "transactStatements", constraint)));
    }
    for (position, statement) in statements.iter().enumerate() {
        let member = format!("transactStatements.{}.member.statement", position + 1);
        partiql::check_statement(&statement.statement, &member)?;
    }
    for statement in statements {
        partiql::check_parameters(&statement.parameters)?;
    }
    let bytes = |statement: &ParameterizedStatement| {
        let parameters: usize = statement.parameters.iter().map(size::value_size).sum();
        statement.statement.len() + parameters
    };
    if statements.iter().map(bytes).sum::<usize>() > limits::TRANSACTION_BYTES_MAX {
        return Err(Error::Validation(text::TRANSACTION_TOO_LARGE.to_owned()));
    }
    Ok(())
}

/// Reads the statements. The first that is at fault refuses the request, with its position.
fn parse(statements: &[ParameterizedStatement]) -> Result<Vec<Statement>, Error> {
    let mut parsed = Vec::with_capacity(statements.len());
    for (position, request) in statements.iter().enumerate() {
        let refused =
            |message: &str| Error::Validation(text::in_transact_statement(position, message));
        let statement = expressions::partiql::parse(&request.statement, &request.parameters)
            .map_err(|error| refused(&error.to_string()))?;
        if statement.has_returning() {
            return Err(refused(text::RETURNING_IN_TRANSACTION));
        }
        match &statement {
            Statement::Select(select) if select.index_name.is_some() => {
                return Err(refused(text::INDEX_IN_TRANSACTION));
            }
            Statement::Exists(select) if select.index_name.is_some() => {
                return Err(refused(text::INDEX_IN_EXISTS));
            }
            _ => {}
        }
        parsed.push(statement);
    }
    Ok(parsed)
}

/// The items to read: each SELECT names the key of one and nothing else.
fn reads(members: Vec<Member>) -> Result<Vec<TransactRead>, Error> {
    let count = members.len();
    let mut reads = Vec::with_capacity(count);
    let mut seen = HashSet::new();
    for (position, member) in members.into_iter().enumerate() {
        let Member { table, statement, .. } = member;
        let Statement::Select(select) = statement else { continue };
        let key = select.filter.exact_key(&partiql::key_types(&table.keys)).ok_or_else(|| {
            let message = text::select_without_key("ExecuteTransaction");
            Error::Validation(text::in_transact_statement(position, &message))
        })?;
        let key = match item_key(&table, &key, select.projection.as_ref()) {
            Ok(key) => key,
            Err(Misfit::Schema(message)) => {
                return Err(cancelled_by_misfit(count, position, message));
            }
            Err(misfit) => return Err(misfit.into()),
        };
        if !seen.insert(key.clone()) {
            return Err(Error::Validation(text::ITEM_TWICE_IN_TRANSACTION.to_owned()));
        }
        let table_name = table.name.clone();
        reads.push(TransactRead { table_name, key, projection: select.projection });
    }
    Ok(reads)
}

/// The writes: one that does not fit its table cancels the transaction (rule 50).
fn writes(members: Vec<Member>) -> Result<Vec<PreparedWrite>, Error> {
    let count = members.len();
    let mut writes = Vec::with_capacity(count);
    let mut seen = HashSet::new();
    let mut misfit = None;
    for (position, member) in members.into_iter().enumerate() {
        let Member { table, statement, return_item_on_failure } = member;
        let is_insert = matches!(statement, Statement::Insert { .. });
        match partiql::prepare(&table, statement, return_item_on_failure) {
            Ok(prepared) => {
                if !seen.insert(prepared.write.key.clone()) {
                    return Err(Error::Validation(text::ITEM_TWICE_IN_TRANSACTION.to_owned()));
                }
                writes.push(prepared.write);
            }
            Err(Unfit::Misfit(Misfit::Schema(message))) => {
                misfit.get_or_insert((position, message));
            }
            // In a transaction it has GetItem's words (DX).
            Err(Unfit::KeyType(_)) => {
                misfit.get_or_insert((position, item_checks::NO_SCHEMA_MATCH.to_owned()));
            }
            Err(Unfit::Misfit(empty)) => return Err(empty.into()),
            // An item too large refuses the request as it stands (rule 26).
            Err(Unfit::Other(error)) if is_insert => return Err(error),
            Err(Unfit::NotAKey(error) | Unfit::Other(error)) => {
                return Err(match error {
                    Error::Validation(message) => {
                        Error::Validation(text::in_transact_statement(position, &message))
                    }
                    other => other,
                });
            }
        }
    }
    match misfit {
        None => Ok(writes),
        Some((position, message)) => Err(cancelled_by_misfit(count, position, message)),
    }
}
