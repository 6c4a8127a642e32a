//! The requests and answers of PartiQL statements.

use database::operations::{
    BatchExecuteStatementResponse, BatchStatementError, BatchStatementResponse,
    ExecuteStatementResponse, ExecuteTransactionResponse,
};
use database::shapes::ReturnValuesOnConditionCheckFailure;
use serde_json::{Value, json};
use values::{AttributeValue, Item};
use wire::ErrorKind;
use wire::json::statements;

use crate::{read, refused};

#[track_caller]
fn check(operation: &str, body: Value, message: &str) {
    refused(read(operation, &body), ErrorKind::Validation, message);
}

const EMPTY_PARAMETERS: &str =
    "failed to satisfy constraint: Member must have length greater than or equal to 1";
const CAPACITY: &str = "Value 'BOGUS' at 'returnConsumedCapacity' failed to satisfy constraint: \
                        Member must satisfy enum value set: [INDEXES, TOTAL, NONE]";

/// Captured by dynoxide: every violation is listed, in the order of this operation.
#[test]
fn a_statement_lists_what_is_wrong_with_it() {
    let long = "s".repeat(8193);
    let too_long = format!(
        "Value '{long}' at 'statement' failed to satisfy constraint: Member must have length less \
         than or equal to 8192"
    );
    check(
        "ExecuteStatement",
        json!({"Statement": long, "Parameters": []}),
        &format!(
            "2 validation errors detected: {too_long}; Value '[]' at 'parameters' {EMPTY_PARAMETERS}"
        ),
    );
    check(
        "ExecuteStatement",
        json!({"Statement": long, "ReturnConsumedCapacity": "BOGUS", "Limit": 0}),
        &format!(
            "3 validation errors detected: Value '0' at 'limit' failed to satisfy constraint: \
             Member must have value greater than or equal to 1; {too_long}; {CAPACITY}"
        ),
    );
    check(
        "ExecuteStatement",
        json!({}),
        "1 validation error detected: Value null at 'statement' failed to satisfy constraint: \
         Member must not be null",
    );
    check(
        "ExecuteStatement",
        json!({"Statement": "s", "NextToken": ""}),
        &format!("1 validation error detected: Value '' at 'nextToken' {EMPTY_PARAMETERS}"),
    );
    assert!(read("ExecuteStatement", &json!({"Statement": "é".repeat(8192)})).is_ok());
}

#[test]
fn a_batch_lists_its_members_after_the_capacity() {
    check(
        "BatchExecuteStatement",
        json!({
            "Statements": [{"Statement": ""}, {"Statement": "s", "Parameters": []}],
            "ReturnConsumedCapacity": "BOGUS",
        }),
        &format!(
            "3 validation errors detected: {CAPACITY}; Value '' at 'statements.1.member.statement' \
             {EMPTY_PARAMETERS}; Value '[]' at 'statements.2.member.parameters' {EMPTY_PARAMETERS}"
        ),
    );
    let shown = "BatchStatementRequest(statement=s, parameters=null, consistentRead=null, \
                 returnValuesOnConditionCheckFailure=null)";
    check(
        "BatchExecuteStatement",
        json!({"Statements": vec![json!({"Statement": "s"}); 26]}),
        &format!(
            "1 validation error detected: Value '[{}]' at 'statements' failed to satisfy \
             constraint: Member must have length less than or equal to 25",
            vec![shown; 26].join(", ")
        ),
    );
}

#[test]
fn a_transaction_lists_its_token_first_and_the_capacity_last() {
    let token = "t".repeat(40);
    check(
        "ExecuteTransaction",
        json!({
            "TransactStatements": [{"Statement": ""}],
            "ClientRequestToken": token,
            "ReturnConsumedCapacity": "BOGUS",
        }),
        &format!(
            "3 validation errors detected: Value '{token}' at 'clientRequestToken' failed to \
             satisfy constraint: Member must have length less than or equal to 36; Value '' at \
             'transactStatements.1.member.statement' {EMPTY_PARAMETERS}; {CAPACITY}"
        ),
    );
    check(
        "ExecuteTransaction",
        json!({"TransactStatements": []}),
        &format!(
            "1 validation error detected: Value '[]' at 'transactStatements' {EMPTY_PARAMETERS}"
        ),
    );
}

/// A parameter that is no value refuses a statement, but in a batch only its own.
#[test]
fn a_refused_parameter_fails_one_statement_of_a_batch() {
    let bad = json!({"Statement": "s", "Parameters": [{"N": "one"}]});
    let message = "The parameter cannot be converted to a numeric value: one";
    check("ExecuteStatement", bad.clone(), message);
    check("ExecuteTransaction", json!({"TransactStatements": [bad]}), message);
    let request = statements::batch_execute_statement_request(&node!({"Statements": [
        bad,
        {"Statement": "t", "Parameters": [{"S": "a"}], "ConsistentRead": true,
            "ReturnValuesOnConditionCheckFailure": "ALL_OLD"},
    ]}))
    .unwrap();
    assert_eq!(request.statements[0].refused_parameter.as_deref(), Some(message));
    let second = &request.statements[1];
    assert_eq!(second.refused_parameter, None);
    assert_eq!(second.parameters, vec![AttributeValue::from("a")]);
    assert!(second.consistent_read);
    assert_eq!(
        second.return_values_on_condition_check_failure,
        ReturnValuesOnConditionCheckFailure::AllOld
    );
}

#[test]
fn a_statement_request_is_read_whole() {
    let request = statements::execute_statement_request(&node!({
        "Statement": "SELECT", "Parameters": [{"BOOL": true}], "ConsistentRead": true,
        "NextToken": "next", "Limit": 3,
    }))
    .unwrap();
    assert_eq!(request.statement, "SELECT");
    assert_eq!(request.parameters, vec![AttributeValue::Bool(true)]);
    assert!(request.consistent_read);
    assert_eq!(request.next_token.as_deref(), Some("next"));
    assert_eq!(request.limit, Some(3));
}

#[test]
fn answers_name_what_they_hold() {
    let item = Item::from([("a", AttributeValue::from(1))]);
    let shown = json!({"a": {"N": "1"}});
    assert_eq!(
        statements::execute_statement_answer(&ExecuteStatementResponse::default()),
        json!({"Items": []})
    );
    assert_eq!(
        statements::execute_statement_answer(&ExecuteStatementResponse {
            items: vec![item.clone()],
            next_token: Some("next".to_owned()),
            last_evaluated_key: Some(item.clone()),
            consumed_capacity: None,
        }),
        json!({"Items": [shown], "NextToken": "next", "LastEvaluatedKey": shown})
    );
    let error = BatchStatementError {
        code: "ConditionalCheckFailed",
        message: "no".to_owned(),
        item: Some(item.clone()),
    };
    let failed = BatchStatementResponse { error: Some(error), ..Default::default() };
    let done = BatchStatementResponse {
        table_name: Some("T".to_owned()),
        item: Some(item.clone()),
        ..Default::default()
    };
    assert_eq!(
        statements::batch_execute_statement_answer(&BatchExecuteStatementResponse {
            responses: vec![failed, done],
            consumed_capacity: None,
        }),
        json!({"Responses": [
            {"Error": {"Code": "ConditionalCheckFailed", "Message": "no", "Item": shown}},
            {"TableName": "T", "Item": shown},
        ]})
    );
    assert_eq!(
        statements::execute_transaction_answer(&ExecuteTransactionResponse {
            responses: vec![Some(item), None],
            consumed_capacity: None,
        }),
        json!({"Responses": [{"Item": shown}, {}]})
    );
}
