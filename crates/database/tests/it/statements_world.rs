//! PartiQL on the table of `items_world`: statements in, answers out.

use database::operations::*;
use database::shapes::*;
use database::{Database, Error};
use serde_json::{Value, json};
use values::json::{item_to_json, value_from_json};
use values::{AttributeValue, Item};

use crate::items_world::{put, things, wait};

/// `things` with four items in partition `a` and one each in `b` and `c`.
pub fn stocked() -> Database {
    let database = things();
    for (pk, sk, colour) in [("a", 1, "red"), ("a", 2, "blue"), ("a", 3, "red"), ("b", 1, "red")] {
        let note = format!("{pk}{sk}");
        let value = json!({"pk": {"S": pk}, "sk": {"N": sk.to_string()}, "colour": {"S": colour},
            "note": {"S": note}, "rank": {"N": (10 - sk).to_string()}, "keeper": {"S": "kim"}});
        put(&database, value).unwrap();
    }
    put(&database, json!({"pk": {"S": "a"}, "sk": {"N": "4"}})).unwrap();
    put(&database, json!({"pk": {"S": "c"}, "sk": {"N": "1"}, "note": {"NULL": true}})).unwrap();
    database
}

/// A request with all capacity asked for.
pub fn request(statement: &str) -> ExecuteStatementRequest {
    ExecuteStatementRequest {
        statement: statement.to_owned(),
        return_consumed_capacity: ReturnConsumedCapacity::Indexes,
        return_values_on_condition_check_failure: ReturnValuesOnConditionCheckFailure::AllOld,
        ..ExecuteStatementRequest::default()
    }
}

/// Carries out a statement.
pub fn run(database: &Database, statement: &str) -> Result<ExecuteStatementResponse, Error> {
    wait(database.execute_statement(request(statement)))
}

/// Parameters from DynamoDB JSON.
pub fn parameters(values: Value) -> Vec<AttributeValue> {
    values.as_array().unwrap().iter().map(|value| value_from_json(&value.into()).unwrap()).collect()
}

/// The message of a refused statement.
#[track_caller]
pub fn refused(database: &Database, statement: &str) -> String {
    match run(database, statement).unwrap_err() {
        Error::Validation(message) => message,
        other => format!("{}: {other}", other.code()),
    }
}

/// `pk` and `sk` of the items found, in their order: `a1 a2`.
#[track_caller]
pub fn found(database: &Database, statement: &str) -> String {
    names(&run(database, statement).unwrap().items)
}

/// `pk` and `sk` of items: `a1 a2`.
pub fn names(items: &[Item]) -> String {
    let name = |item: &Item| {
        let json = item_to_json(item);
        let part = |name: &str, kind: &str| json[name][kind].as_str().unwrap_or("?").to_owned();
        part("pk", "S") + &part("sk", "N")
    };
    items.iter().map(name).collect::<Vec<_>>().join(" ")
}

/// The units of a statement: total, table, and those of the indexes that were charged.
#[track_caller]
pub fn units(database: &Database, statement: &str) -> (f64, f64, Vec<(String, f64)>) {
    split(run(database, statement).unwrap().consumed_capacity.unwrap())
}

/// The parts of a consumed capacity.
pub fn split(consumed: ConsumedCapacity) -> (f64, f64, Vec<(String, f64)>) {
    let indexes = consumed.local_secondary_indexes.into_iter();
    let indexes = indexes.chain(consumed.global_secondary_indexes);
    let indexes = indexes.map(|(name, capacity)| (name, capacity.capacity_units)).collect();
    (consumed.capacity_units, consumed.table.unwrap().capacity_units, indexes)
}
