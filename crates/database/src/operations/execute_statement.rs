//! ExecuteStatement: one PartiQL statement.
#![expect(missing_docs, reason = "the fields are DynamoDB's own, described in its API reference")]

use std::sync::Arc;

use expressions::partiql::Statement;
use values::{AttributeValue, Item};

use crate::catalog::Table;
use crate::partiql::{self, Fingerprint, SelectRequest, StatementWrite};
use crate::shapes::{
    ConsumedCapacity, ReturnConsumedCapacity, ReturnValuesOnConditionCheckFailure,
};
use crate::{Database, Error, text};

#[derive(Clone, Debug, Default, PartialEq)]
pub struct ExecuteStatementRequest {
    pub statement: String,
    pub parameters: Vec<AttributeValue>,
    pub consistent_read: bool,
    pub next_token: Option<String>,
    pub limit: Option<i64>,
    pub return_consumed_capacity: ReturnConsumedCapacity,
    pub return_values_on_condition_check_failure: ReturnValuesOnConditionCheckFailure,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct ExecuteStatementResponse {
    /// What a SELECT found, or what RETURNING asked for; empty for other writes.
    pub items: Vec<Item>,
    pub next_token: Option<String>,
    pub last_evaluated_key: Option<Item>,
    pub consumed_capacity: Option<ConsumedCapacity>,
}

impl Database {
    /// ExecuteStatement: one PartiQL statement.
    pub async fn execute_statement(
        &self,
        request: ExecuteStatementRequest,
    ) -> Result<ExecuteStatementResponse, Error> {
        partiql::check_statement(&request.statement, "statement")?;
        if let Some(limit) = request.limit.filter(|limit| *limit < 1) {
            return Err(Error::Validation(format!(
                "1 validation error detected: Value '{limit}' at 'limit' failed to satisfy constraint: Member must have value greater than or equal to 1"
            )));
        }
        partiql::check_parameters(&request.parameters)?;
        let statement = partiql::parse(&request.statement, &request.parameters)?;
        if request.next_token.is_some() && !statement.is_read() {
            return Err(Error::Validation(text::NEXT_TOKEN_OF_WRITE.to_owned()));
        }
        let table = self.statement_table(&statement)?;
        match statement {
            Statement::Select(select) => {
                let mode = request.return_consumed_capacity;
                let selected = self.select(SelectRequest {
                    table: &table,
                    select,
                    consistent: request.consistent_read,
                    limit: request.limit.and_then(|limit| usize::try_from(limit).ok()),
                    next_token: request.next_token.as_deref(),
                    fingerprint: Fingerprint::new(&request.statement, &request.parameters),
                    parameters: &request.parameters,
                })?;
                Ok(ExecuteStatementResponse {
                    items: selected.items,
                    next_token: selected.next_token,
                    last_evaluated_key: selected.last_evaluated_key,
                    consumed_capacity: selected.meter.report(&table.name, mode, None),
                })
            }
            write => self.execute_write(&table, write, &request).await,
        }
    }

    async fn execute_write(
        &self,
        table: &Arc<Table>,
        statement: Statement,
        request: &ExecuteStatementRequest,
    ) -> Result<ExecuteStatementResponse, Error> {
        partiql::refuse_foreign_key_types(table, &statement)?;
        let return_item = request.return_values_on_condition_check_failure
            == ReturnValuesOnConditionCheckFailure::AllOld;
        let StatementWrite { write, returned } = partiql::prepare(table, statement, return_item)?;
        let written = self.write(write).await?;
        Ok(ExecuteStatementResponse {
            items: returned.of(&written).into_iter().collect(),
            consumed_capacity: written.capacity(&table.name, request.return_consumed_capacity),
            ..ExecuteStatementResponse::default()
        })
    }
}
