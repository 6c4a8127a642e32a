//! The workload as dynoxide's own typed requests.

use std::collections::HashMap;

use dynoxide::actions::create_table::CreateTableRequest;
use dynoxide::actions::get_item::GetItemRequest;
use dynoxide::actions::put_item::PutItemRequest;
use dynoxide::actions::query::QueryRequest;
use dynoxide::actions::transact_write_items::{
    TransactPut, TransactUpdate, TransactWriteItem, TransactWriteItemsRequest,
};
use dynoxide::actions::update_item::UpdateItemRequest;
use dynoxide::types::{
    AttributeDefinition, GlobalSecondaryIndex, KeySchemaElement, KeyType, Projection,
    ProjectionType, ScalarAttributeType,
};
use dynoxide::{AttributeValue, Item};

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
    Query(Box<QueryRequest>),
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
            let query = query(HISTORY, None, "account", dataset.account(number));
            Request::Query(Box::new(query))
        }
        Step::QueryIndex(number) => {
            let (index, hash, _) = INDEXES[0];
            let query = query(ORDERS, Some(index), hash, dataset.customer(number));
            Request::Query(Box::new(query))
        }
    }
}

fn transact_put(dataset: &Dataset, number: u64) -> TransactWriteItem {
    let put = TransactPut {
        table_name: ORDERS.to_owned(),
        item: item(dataset.order(number)),
        ..TransactPut::default()
    };
    TransactWriteItem { put: Some(put), ..TransactWriteItem::default() }
}

fn transact_update(dataset: &Dataset, number: u64) -> TransactWriteItem {
    let update = TransactUpdate {
        table_name: ORDERS.to_owned(),
        key: item(dataset.key(number)),
        update_expression: ADD_ONE.to_owned(),
        condition_expression: Some(CONDITION.to_owned()),
        expression_attribute_values: Some(update_values()),
        ..TransactUpdate::default()
    };
    TransactWriteItem { update: Some(update), ..TransactWriteItem::default() }
}

fn update_values() -> HashMap<String, AttributeValue> {
    let number = |value: &str| AttributeValue::N(value.to_owned());
    [(":one", "1"), (":zero", "0")].map(|(name, value)| (name.to_owned(), number(value))).into()
}

fn query(table: &str, index: Option<&str>, hash: &str, value: String) -> QueryRequest {
    let value = AttributeValue::S(value);
    QueryRequest {
        table_name: table.to_owned(),
        index_name: index.map(str::to_owned),
        key_condition_expression: Some(format!("{hash} = :hash")),
        expression_attribute_values: Some(HashMap::from([(":hash".to_owned(), value)])),
        scan_index_forward: true,
        limit: usize::try_from(QUERY_ITEMS).ok(),
        ..QueryRequest::default()
    }
}

/// The table with three indexes of all attributes.
pub fn orders_table() -> CreateTableRequest {
    let definitions = INDEXES.iter().flat_map(|&(_, hash, sort)| {
        [attribute(hash, ScalarAttributeType::S), attribute(sort, ScalarAttributeType::N)]
    });
    let all = Projection { projection_type: Some(ProjectionType::ALL), non_key_attributes: None };
    let indexes = INDEXES.map(|(name, hash, sort)| GlobalSecondaryIndex {
        index_name: name.to_owned(),
        key_schema: vec![key(hash, KeyType::HASH), key(sort, KeyType::RANGE)],
        projection: all.clone(),
        ..GlobalSecondaryIndex::default()
    });
    CreateTableRequest {
        table_name: ORDERS.to_owned(),
        attribute_definitions: [attribute("id", ScalarAttributeType::S)]
            .into_iter()
            .chain(definitions)
            .collect(),
        key_schema: vec![key("id", KeyType::HASH)],
        global_secondary_indexes: Some(indexes.to_vec()),
        billing_mode: Some("PAY_PER_REQUEST".to_owned()),
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
        key_schema: vec![key("account", KeyType::HASH), key("position", KeyType::RANGE)],
        billing_mode: Some("PAY_PER_REQUEST".to_owned()),
        ..CreateTableRequest::default()
    }
}

fn attribute(name: &str, attribute_type: ScalarAttributeType) -> AttributeDefinition {
    AttributeDefinition { attribute_name: name.to_owned(), attribute_type }
}

fn key(name: &str, key_type: KeyType) -> KeySchemaElement {
    KeySchemaElement { attribute_name: name.to_owned(), key_type }
}

/// A record as an item.
pub fn item(record: Record) -> Item {
    record.into_iter().map(|(name, field)| (name.to_owned(), value(field))).collect()
}

fn value(field: Field) -> AttributeValue {
    match field {
        Field::Text(text) => AttributeValue::S(text),
        Field::Number(number) => AttributeValue::N(number.to_string()),
        Field::Flag(flag) => AttributeValue::BOOL(flag),
        Field::Map(content) => AttributeValue::M(item(content)),
    }
}
