//! ExecuteStatement, BatchExecuteStatement, ExecuteTransaction.

use database::Database;
use database::operations::{
    BatchExecuteStatementRequest, BatchExecuteStatementResponse, BatchStatementError,
    BatchStatementRequest, BatchStatementResponse, ExecuteStatementRequest,
    ExecuteStatementResponse, ExecuteTransactionRequest, ExecuteTransactionResponse,
    ParameterizedStatement,
};

use super::answer::{Answer, Json, list};
use super::enums::word;
use super::members::{flag, integer, objects, owned, required};
use super::value::{Decoder, Wording};
use super::{capacity, read, rules, shapes};
use crate::WireError;
use values::json::{Members, Node};

/// Executes an ExecuteStatement request.
pub(super) async fn execute_statement(database: &Database, body: &Node) -> Result<Json, WireError> {
    let response = database.execute_statement(execute_statement_request(body)?).await?;
    Ok(execute_statement_answer(&response))
}

/// Reads an ExecuteStatement request.
pub fn execute_statement_request(body: &Node) -> Result<ExecuteStatementRequest, WireError> {
    let (shape, stages) =
        (&shapes::statements::EXECUTE_STATEMENT, rules::statements::EXECUTE_STATEMENT);
    read(shape, stages, Wording::Older, body, |decoder, members| {
        Ok(ExecuteStatementRequest {
            statement: required(members, "Statement"),
            parameters: decoder.values(members, "Parameters")?.unwrap_or_default(),
            consistent_read: flag(members, "ConsistentRead").unwrap_or_default(),
            next_token: owned(members, "NextToken"),
            limit: integer(members, "Limit").map(|limit| limit.value),
            return_consumed_capacity: word(members, "ReturnConsumedCapacity").unwrap_or_default(),
            return_values_on_condition_check_failure: word(
                members,
                "ReturnValuesOnConditionCheckFailure",
            )
            .unwrap_or_default(),
        })
    })
}

/// Writes an ExecuteStatement answer.
pub fn execute_statement_answer(response: &ExecuteStatementResponse) -> Json {
    Answer::new()
        .items("Items", Some(&response.items))
        .maybe("NextToken", response.next_token.as_deref())
        .item("LastEvaluatedKey", response.last_evaluated_key.as_ref())
        .maybe("ConsumedCapacity", response.consumed_capacity.as_ref().map(capacity::consumed))
        .done()
}

/// Executes a BatchExecuteStatement request.
pub(super) async fn batch_execute_statement(
    database: &Database,
    body: &Node,
) -> Result<Json, WireError> {
    let response = database.batch_execute_statement(batch_execute_statement_request(body)?).await?;
    Ok(batch_execute_statement_answer(&response))
}

/// Reads a BatchExecuteStatement request.
pub fn batch_execute_statement_request(
    body: &Node,
) -> Result<BatchExecuteStatementRequest, WireError> {
    let (shape, stages) =
        (&shapes::statements::BATCH_EXECUTE_STATEMENT, rules::statements::BATCH_EXECUTE_STATEMENT);
    read(shape, stages, Wording::Older, body, |_, members| {
        let statements = objects(members, "Statements").into_iter().flatten();
        Ok(BatchExecuteStatementRequest {
            statements: statements.map(batch_statement).collect::<Result<_, _>>()?,
            return_consumed_capacity: word(members, "ReturnConsumedCapacity").unwrap_or_default(),
        })
    })
}

/// A parameter that is no value fails its statement, not the batch (DX).
fn batch_statement(members: &Members) -> Result<BatchStatementRequest, WireError> {
    let mut decoder = Decoder::new(Wording::Older);
    let parameters = decoder.values(members, "Parameters")?.unwrap_or_default();
    Ok(BatchStatementRequest {
        statement: required(members, "Statement"),
        parameters,
        refused_parameter: decoder.finish().err().map(|error| error.message),
        consistent_read: flag(members, "ConsistentRead").unwrap_or_default(),
        return_values_on_condition_check_failure: word(
            members,
            "ReturnValuesOnConditionCheckFailure",
        )
        .unwrap_or_default(),
    })
}

/// Writes a BatchExecuteStatement answer.
pub fn batch_execute_statement_answer(response: &BatchExecuteStatementResponse) -> Json {
    let error = |error: &BatchStatementError| {
        Answer::new()
            .with("Code", error.code)
            .with("Message", error.message.as_str())
            .item("Item", error.item.as_ref())
            .done()
    };
    let one = |response: &BatchStatementResponse| {
        Answer::new()
            .maybe("Error", response.error.as_ref().map(error))
            .maybe("TableName", response.table_name.as_deref())
            .item("Item", response.item.as_ref())
            .done()
    };
    Answer::new()
        .with("Responses", list(&response.responses, one))
        .maybe(
            "ConsumedCapacity",
            response.consumed_capacity.as_deref().map(capacity::consumed_by_tables),
        )
        .done()
}

/// Executes an ExecuteTransaction request.
pub(super) async fn execute_transaction(
    database: &Database,
    body: &Node,
) -> Result<Json, WireError> {
    let response = database.execute_transaction(execute_transaction_request(body)?).await?;
    Ok(execute_transaction_answer(&response))
}

/// Reads an ExecuteTransaction request.
pub fn execute_transaction_request(body: &Node) -> Result<ExecuteTransactionRequest, WireError> {
    let (shape, stages) =
        (&shapes::statements::EXECUTE_TRANSACTION, rules::statements::EXECUTE_TRANSACTION);
    read(shape, stages, Wording::Older, body, |decoder, members| {
        let mut transact_statements = Vec::new();
        for statement in objects(members, "TransactStatements").into_iter().flatten() {
            transact_statements.push(ParameterizedStatement {
                statement: required(statement, "Statement"),
                parameters: decoder.values(statement, "Parameters")?.unwrap_or_default(),
                return_values_on_condition_check_failure: word(
                    statement,
                    "ReturnValuesOnConditionCheckFailure",
                )
                .unwrap_or_default(),
            });
        }
        Ok(ExecuteTransactionRequest {
            transact_statements,
            client_request_token: owned(members, "ClientRequestToken"),
            return_consumed_capacity: word(members, "ReturnConsumedCapacity").unwrap_or_default(),
        })
    })
}

/// Writes an ExecuteTransaction answer.
pub fn execute_transaction_answer(response: &ExecuteTransactionResponse) -> Json {
    let one = |item: &Option<values::Item>| Answer::new().item("Item", item.as_ref()).done();
    Answer::new()
        .with("Responses", list(&response.responses, one))
        .maybe(
            "ConsumedCapacity",
            response.consumed_capacity.as_deref().map(capacity::consumed_by_tables),
        )
        .done()
}
