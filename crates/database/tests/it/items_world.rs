//! A small database for tests of items: tables, and requests written as DynamoDB JSON.

use std::future::Future;

use database::operations::*;
use database::shapes::*;
use database::{Database, Error, Options};
use serde_json::Value;
use values::{AttributeValue, Item, json};

/// An item from DynamoDB JSON.
pub fn item(value: Value) -> Item {
    json::item_from_json(&value.into()).unwrap()
}

/// Expression values from DynamoDB JSON.
pub fn expression_values(value: Value) -> Option<ExpressionAttributeValues> {
    Some(item(value).into_iter().map(|(name, value)| (name.into(), value)).collect())
}

/// Waits for an operation.
pub fn wait<F: Future>(future: F) -> F::Output {
    tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(future)
}

fn key_schema(hash: &str, sort: Option<&str>) -> Vec<KeySchemaElement> {
    let element =
        |name: &str, key_type| KeySchemaElement { attribute_name: name.to_owned(), key_type };
    let mut schema = vec![element(hash, KeyType::Hash)];
    schema.extend(sort.map(|sort| element(sort, KeyType::Range)));
    schema
}

fn projection(projection_type: ProjectionType, names: &[&str]) -> Projection {
    let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
    Projection {
        projection_type: Some(projection_type),
        non_key_attributes: (!names.is_empty()).then_some(names),
    }
}

/// Table `things`: hash `pk` (S), sort `sk` (N); global indexes `by-colour` (ALL, colour S + sk),
/// `by-size` (KEYS_ONLY, size N) and `by-keeper` (INCLUDE note; keeper S); local index `by-rank`
/// (KEYS_ONLY; rank N).
pub fn things() -> Database {
    things_in(Options::in_memory())
}

/// The same in a database that is opened so.
pub fn things_in(options: Options) -> Database {
    let database = Database::open(options).unwrap();
    let definition = |name: &str, attribute_type| AttributeDefinition {
        attribute_name: name.to_owned(),
        attribute_type,
    };
    use ScalarAttributeType::{N, S};
    let global = |name: &str, hash: &str, sort: Option<&str>, projection| GlobalSecondaryIndex {
        index_name: name.to_owned(),
        key_schema: key_schema(hash, sort),
        projection,
        ..GlobalSecondaryIndex::default()
    };
    let request = CreateTableRequest {
        table_name: "things".to_owned(),
        attribute_definitions: vec![
            definition("pk", S),
            definition("sk", N),
            definition("colour", S),
            definition("size", N),
            definition("keeper", S),
            definition("rank", N),
        ],
        key_schema: key_schema("pk", Some("sk")),
        local_secondary_indexes: Some(vec![LocalSecondaryIndex {
            index_name: "by-rank".to_owned(),
            key_schema: key_schema("pk", Some("rank")),
            projection: projection(ProjectionType::KeysOnly, &[]),
        }]),
        global_secondary_indexes: Some(vec![
            global("by-colour", "colour", Some("sk"), projection(ProjectionType::All, &[])),
            global("by-size", "size", None, projection(ProjectionType::KeysOnly, &[])),
            global("by-keeper", "keeper", None, projection(ProjectionType::Include, &["note"])),
        ]),
        billing_mode: Some(BillingMode::PayPerRequest),
        ..CreateTableRequest::default()
    };
    wait(database.create_table(request)).unwrap();
    database
}

/// Puts an item into `things`.
pub fn put(database: &Database, value: Value) -> Result<PutItemResponse, Error> {
    let request = PutItemRequest {
        table_name: "things".to_owned(),
        item: item(value),
        return_values: ReturnValues::AllOld,
        return_consumed_capacity: ReturnConsumedCapacity::Indexes,
        ..PutItemRequest::default()
    };
    wait(database.put_item(request))
}

/// Reads an item of `things`.
pub fn get(database: &Database, pk: &str, sk: i64) -> Option<Item> {
    let request = GetItemRequest {
        table_name: "things".to_owned(),
        key: key(pk, sk),
        consistent_read: true,
        ..GetItemRequest::default()
    };
    wait(database.get_item(request)).unwrap().item
}

/// A key of `things`.
pub fn key(pk: &str, sk: i64) -> Item {
    Item::from([("pk", AttributeValue::from(pk)), ("sk", AttributeValue::from(sk))])
}

/// An update of an item of `things`.
pub fn update(pk: &str, sk: i64, expression: &str) -> UpdateItemRequest {
    UpdateItemRequest {
        table_name: "things".to_owned(),
        key: key(pk, sk),
        update_expression: Some(expression.to_owned()),
        ..UpdateItemRequest::default()
    }
}

/// A query of `things`.
pub fn query(index: Option<&str>, condition: &str, values: Value) -> QueryRequest {
    QueryRequest {
        table_name: "things".to_owned(),
        index_name: index.map(str::to_owned),
        key_condition_expression: Some(condition.to_owned()),
        expression_attribute_values: expression_values(values),
        return_consumed_capacity: ReturnConsumedCapacity::Indexes,
        ..QueryRequest::default()
    }
}

/// The sort keys of the items, in order.
pub fn sort_keys(items: &[Item]) -> Vec<String> {
    items
        .iter()
        .map(|item| match item.get("sk") {
            Some(AttributeValue::N(number)) => number.to_string(),
            other => format!("{other:?}"),
        })
        .collect()
}

/// The text of an operation's error.
pub fn refusal<T: std::fmt::Debug>(outcome: Result<T, Error>) -> String {
    outcome.unwrap_err().to_string()
}
