//! The workload as Plinth's own typed requests.

use std::collections::BTreeMap;

use database::operations::{
    BatchWriteItemRequest, CreateTableRequest, GetItemRequest, PutItemRequest, QueryRequest,
    TransactAction, TransactWrite, TransactWriteItemsRequest, UpdateItemRequest, WriteRequest,
};
use database::shapes::{
    AttributeDefinition, BillingMode, ExpressionAttributeValues, GlobalSecondaryIndex,
    KeySchemaElement, KeyType, Projection, ProjectionType, ScalarAttributeType,
};
use values::{AttributeValue, Item, Number};

use super::{ADD_ONE, CONDITION};
use crate::workload::{Dataset, Field, HISTORY, INDEXES, ORDERS, QUERY_ITEMS, Record, Step};

/// One request of the workload.
pub enum Request {
    /// PutItem.
    Put(PutItemRequest),
    /// UpdateItem.
    Update(UpdateItemRequest),
    /// TransactWriteItems.
    Transact(TransactWriteItemsRequest),
    /// GetItem.
    Get(GetItemRequest),
    /// Query.
    Query(QueryRequest),
}

/// The request for a step.
pub fn request(dataset: &Dataset, step: Step) -> Request {
    let table_name = ORDERS.to_owned();
    match step {
        Step::Put(number) => {
            let item = item(dataset.order(number));
            Request::Put(PutItemRequest { table_name, item, ..PutItemRequest::default() })
        }
        Step::Update(number) => Request::Update(UpdateItemRequest {
            table_name,
            key: item(dataset.key(number)),
            update_expression: Some(ADD_ONE.to_owned()),
            condition_expression: Some(CONDITION.to_owned()),
            expression_attribute_values: Some(update_values()),
            ..UpdateItemRequest::default()
        }),
        Step::Transact { put, updates: [first, second] } => {
            Request::Transact(TransactWriteItemsRequest {
                transact_items: vec![
                    transact_put(dataset, put),
                    transact_update(dataset, first),
                    transact_update(dataset, second),
                ],
                ..TransactWriteItemsRequest::default()
            })
        }
        Step::Get(number) => {
            let key = item(dataset.key(number));
            Request::Get(GetItemRequest { table_name, key, ..GetItemRequest::default() })
        }
        Step::Query(number) => {
            Request::Query(query(HISTORY, None, "account", dataset.account(number)))
        }
        Step::QueryIndex(number) => {
            let (index, hash, _) = INDEXES[0];
            Request::Query(query(ORDERS, Some(index), hash, dataset.customer(number)))
        }
    }
}

fn transact_put(dataset: &Dataset, number: u64) -> TransactWrite {
    let action = TransactAction { table_name: ORDERS.to_owned(), ..TransactAction::default() };
    TransactWrite::Put { item: item(dataset.order(number)).into(), action }
}

fn transact_update(dataset: &Dataset, number: u64) -> TransactWrite {
    TransactWrite::Update {
        update_expression: ADD_ONE.to_owned(),
        action: TransactAction {
            table_name: ORDERS.to_owned(),
            key: item(dataset.key(number)),
            condition_expression: Some(CONDITION.to_owned()),
            expression_attribute_values: Some(update_values()),
            ..TransactAction::default()
        },
    }
}

fn update_values() -> ExpressionAttributeValues {
    [(":one", 1_i64), (":zero", 0)].map(|(name, value)| (name.to_owned(), value.into())).into()
}

fn query(table: &str, index: Option<&str>, hash: &str, value: String) -> QueryRequest {
    QueryRequest {
        table_name: table.to_owned(),
        index_name: index.map(str::to_owned),
        key_condition_expression: Some(format!("{hash} = :hash")),
        expression_attribute_values: Some(BTreeMap::from([(":hash".to_owned(), value.into())])),
        limit: i64::try_from(QUERY_ITEMS).ok(),
        ..QueryRequest::default()
    }
}

/// Puts of many items of one table.
pub fn batch(table: &str, records: impl Iterator<Item = Record>) -> BatchWriteItemRequest {
    let puts = records.map(|record| WriteRequest::Put { item: item(record) }).collect();
    BatchWriteItemRequest {
        request_items: BTreeMap::from([(table.to_owned(), puts)]),
        ..BatchWriteItemRequest::default()
    }
}

/// The table with three indexes of all attributes.
pub fn orders_table() -> CreateTableRequest {
    let definitions = INDEXES.iter().flat_map(|&(_, hash, sort)| {
        [attribute(hash, ScalarAttributeType::S), attribute(sort, ScalarAttributeType::N)]
    });
    let all = Projection { projection_type: Some(ProjectionType::All), non_key_attributes: None };
    let indexes = INDEXES.map(|(name, hash, sort)| GlobalSecondaryIndex {
        index_name: name.to_owned(),
        key_schema: vec![key(hash, KeyType::Hash), key(sort, KeyType::Range)],
        projection: all.clone(),
        ..GlobalSecondaryIndex::default()
    });
    CreateTableRequest {
        table_name: ORDERS.to_owned(),
        attribute_definitions: [attribute("id", ScalarAttributeType::S)]
            .into_iter()
            .chain(definitions)
            .collect(),
        key_schema: vec![key("id", KeyType::Hash)],
        global_secondary_indexes: Some(indexes.to_vec()),
        billing_mode: Some(BillingMode::PayPerRequest),
        ..CreateTableRequest::default()
    }
}

/// The table with a sort key.
pub fn history_table() -> CreateTableRequest {
    CreateTableRequest {
        table_name: HISTORY.to_owned(),
        attribute_definitions: vec![
            attribute("account", ScalarAttributeType::S),
            attribute("position", ScalarAttributeType::N),
        ],
        key_schema: vec![key("account", KeyType::Hash), key("position", KeyType::Range)],
        billing_mode: Some(BillingMode::PayPerRequest),
        ..CreateTableRequest::default()
    }
}

/// The definition of a key attribute.
pub fn attribute(name: &str, attribute_type: ScalarAttributeType) -> AttributeDefinition {
    AttributeDefinition { attribute_name: name.to_owned(), attribute_type }
}

/// An element of a key schema.
pub fn key(name: &str, key_type: KeyType) -> KeySchemaElement {
    KeySchemaElement { attribute_name: name.to_owned(), key_type }
}

fn item(record: Record) -> Item {
    record.into_iter().map(|(name, field)| (name.to_owned(), value(field))).collect()
}

fn value(field: Field) -> AttributeValue {
    match field {
        Field::Text(text) => AttributeValue::S(text),
        Field::Number(number) => AttributeValue::N(Number::from(number.cast_signed())),
        Field::Flag(flag) => AttributeValue::Bool(flag),
        Field::Map(content) => AttributeValue::M(item(content)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_weigh_about_700_bytes() {
        let dataset = Dataset { items: 4000, seed: 1 };
        for record in [dataset.order(1), dataset.history(2)] {
            let size = values::size::item_size(&item(record));
            assert!((690..=705).contains(&size), "{size}");
        }
    }
}
