//! The back end in this process: the embedded database's own requests, without HTTP and JSON.

use std::collections::BTreeMap;
use std::sync::Arc;

use database::operations::batch_get_item::{BatchGetItemRequest, KeysAndAttributes};
use database::operations::batch_write_item::{BatchWriteItemRequest, WriteRequest};
use database::operations::delete_item::DeleteItemRequest;
use database::operations::get_item::ItemPlace;
use database::operations::put_item::PutItemRequest;
use database::operations::query::QueryRequest;
use database::operations::transact_get_items::{TransactGet, TransactGetItemsRequest};
use database::operations::transact_write_items::{ActionChange, ActionParts};
use database::operations::update_item::UpdateItemRequest;
use database::shapes::{
    ConsumedCapacity, ReturnConsumedCapacity, ReturnItemCollectionMetrics, ReturnValues,
    ReturnValuesOnConditionCheckFailure,
};
use database::{Database, Error, Stamp};
use values::Item;

use crate::backend::{
    Action, Answer, Backend, BackendError, BatchRead, Change, Consumed, Pending, Query,
    QueryAnswer, Read,
};

/// The embedded database as a back end.
#[derive(Clone)]
pub struct Embedded {
    database: Database,
    capacity: ReturnConsumedCapacity,
}

impl Embedded {
    /// A back end on this database.
    pub fn new(database: Database) -> Embedded {
        Embedded { database, capacity: ReturnConsumedCapacity::None }
    }

    /// The same, which also says what each operation costs.
    pub fn measured(database: Database) -> Embedded {
        Embedded { database, capacity: ReturnConsumedCapacity::Indexes }
    }
}

impl Backend for Embedded {
    fn get<'a>(&'a self, read: &'a Read) -> Pending<'a, Option<Item>> {
        Box::pin(async move {
            let place = ItemPlace {
                table_name: &read.table_name,
                key: &read.key,
                consistent_read: read.consistent,
                return_consumed_capacity: self.capacity,
            };
            let response = self.database.get_whole_item(place).await.map_err(failure)?;
            Ok(answer(response.item, response.consumed_capacity))
        })
    }

    fn batch_get<'a>(&'a self, reads: &'a [Read]) -> Pending<'a, BatchRead> {
        Box::pin(async move {
            let mut request_items = BTreeMap::<String, KeysAndAttributes>::new();
            for read in reads {
                let keys = request_items.entry(read.table_name.clone()).or_default();
                keys.keys.push(read.key.clone());
                keys.consistent_read |= read.consistent;
            }
            let return_consumed_capacity = self.capacity;
            let request = BatchGetItemRequest { request_items, return_consumed_capacity };
            let response = self.database.batch_get_item(request).await.map_err(failure)?;
            let mut batch = BatchRead::default();
            for (table_name, items) in response.responses {
                batch.found.extend(items.into_iter().map(|item| (table_name.clone(), item)));
            }
            for (table_name, keys) in response.unprocessed_keys {
                let consistent = keys.consistent_read;
                let read = |key| Read { table_name: table_name.clone(), key, consistent };
                batch.unprocessed.extend(keys.keys.into_iter().map(read));
            }
            Ok(answer(batch, response.consumed_capacity.into_iter().flatten()))
        })
    }

    fn transact_get<'a>(&'a self, reads: &'a [Read]) -> Pending<'a, Vec<Option<Item>>> {
        Box::pin(async move {
            let get = |read: &Read| TransactGet {
                table_name: read.table_name.clone(),
                key: read.key.clone(),
                projection_expression: None,
                expression_attribute_names: None,
            };
            let request = TransactGetItemsRequest {
                transact_items: reads.iter().map(get).collect(),
                return_consumed_capacity: self.capacity,
            };
            let response = self.database.transact_get_items(request).await.map_err(failure)?;
            Ok(answer(response.responses, response.consumed_capacity.into_iter().flatten()))
        })
    }

    fn query<'a>(&'a self, query: &'a Query) -> Pending<'a, QueryAnswer> {
        Box::pin(async move {
            let request = QueryRequest {
                table_name: query.table_name.clone(),
                index_name: query.index.clone(),
                key_condition_expression: Some(query.key_condition.clone()),
                filter_expression: query.filter.clone(),
                expression_attribute_names: some(&query.names),
                expression_attribute_values: some(&query.values),
                consistent_read: query.consistent,
                scan_index_forward: Some(!query.descending),
                limit: Some(i64::from(query.limit)),
                exclusive_start_key: query.start.clone(),
                return_consumed_capacity: self.capacity,
                ..QueryRequest::default()
            };
            let response = self.database.query(request).await.map_err(failure)?;
            let value = QueryAnswer {
                items: response.items.unwrap_or_default(),
                evaluated: response.scanned_count,
                last: response.last_evaluated_key,
            };
            Ok(answer(value, response.consumed_capacity))
        })
    }

    fn write<'a>(&'a self, write: &'a Action) -> Pending<'a, Option<Item>> {
        Box::pin(async move {
            let (attributes, consumed) = match &write.change {
                Change::Put(item) => self.put(write, item).await,
                Change::Update { key, expression } => self.update(write, key, expression).await,
                Change::Delete { key } => self.delete(write, key).await,
                Change::Check { .. } => {
                    // DynamoDB has it in transactions only.
                    return self
                        .transact_write(&mut vec![write.clone()], None)
                        .await
                        .map(|answer| Answer { value: None, consumed: answer.consumed });
                }
            }
            .map_err(failure)?;
            Ok(answer(attributes, consumed))
        })
    }

    fn batch_write<'a>(&'a self, writes: &'a [Action]) -> Pending<'a, Vec<usize>> {
        Box::pin(async move {
            let mut request_items = BTreeMap::<String, Vec<WriteRequest>>::new();
            for write in writes {
                if let Some(request) = write_request(write) {
                    request_items.entry(write.table_name.clone()).or_default().push(request);
                }
            }
            let request = BatchWriteItemRequest {
                request_items,
                return_consumed_capacity: self.capacity,
                ..BatchWriteItemRequest::default()
            };
            let response = self.database.batch_write_item(request).await.map_err(failure)?;
            let left = |write: &Action| {
                let requests = response.unprocessed_items.get(&write.table_name);
                requests.zip(write_request(write)).is_some_and(|(all, one)| all.contains(&one))
            };
            let left = (0..writes.len()).filter(|at| left(&writes[*at])).collect();
            Ok(answer(left, response.consumed_capacity.into_iter().flatten()))
        })
    }

    fn transact_write<'a>(
        &'a self,
        writes: &'a mut Vec<Action>,
        token: Option<&'a str>,
    ) -> Pending<'a, ()> {
        Box::pin(async move {
            let metrics = ReturnItemCollectionMetrics::None;
            let response = self.database.transact(writes, parts, token, self.capacity, metrics);
            let response = response.await.map_err(failure)?;
            Ok(answer((), response.consumed_capacity.into_iter().flatten()))
        })
    }

    fn is_in_process(&self) -> bool {
        true
    }

    fn stamp(&self, reads: &[Read]) -> Option<Stamp> {
        let keys = reads.iter().map(|read| (read.table_name.as_str(), &read.key));
        // Whoever reads what cannot be read is told why then.
        self.database.stamp(keys).ok().flatten()
    }

    fn is_unchanged(&self, stamp: &Stamp) -> bool {
        self.database.is_unchanged(stamp)
    }
}

type Written = Result<(Option<Item>, Option<ConsumedCapacity>), Error>;

impl Embedded {
    async fn put(&self, write: &Action, item: &Arc<Item>) -> Written {
        let request = PutItemRequest {
            table_name: write.table_name.clone(),
            item: Arc::clone(item),
            condition_expression: write.condition.clone(),
            expression_attribute_names: some(&write.names),
            expression_attribute_values: some(&write.values),
            return_values_on_condition_check_failure: ReturnValuesOnConditionCheckFailure::AllOld,
            return_consumed_capacity: self.capacity,
            ..PutItemRequest::default()
        };
        let response = self.database.put_item(request).await?;
        Ok((None, response.consumed_capacity))
    }

    async fn update(&self, write: &Action, key: &Item, expression: &str) -> Written {
        let request = UpdateItemRequest {
            table_name: write.table_name.clone(),
            key: key.clone(),
            update_expression: Some(expression.to_owned()),
            condition_expression: write.condition.clone(),
            expression_attribute_names: some(&write.names),
            expression_attribute_values: some(&write.values),
            return_values: ReturnValues::AllNew,
            return_values_on_condition_check_failure: ReturnValuesOnConditionCheckFailure::AllOld,
            return_consumed_capacity: self.capacity,
            ..UpdateItemRequest::default()
        };
        let response = self.database.update_item(request).await?;
        Ok((response.attributes, response.consumed_capacity))
    }

    async fn delete(&self, write: &Action, key: &Item) -> Written {
        let request = DeleteItemRequest {
            table_name: write.table_name.clone(),
            key: key.clone(),
            condition_expression: write.condition.clone(),
            expression_attribute_names: some(&write.names),
            expression_attribute_values: some(&write.values),
            return_values: ReturnValues::AllOld,
            return_values_on_condition_check_failure: ReturnValuesOnConditionCheckFailure::AllOld,
            return_consumed_capacity: self.capacity,
            ..DeleteItemRequest::default()
        };
        let response = self.database.delete_item(request).await?;
        Ok((response.attributes, response.consumed_capacity))
    }
}

fn write_request(write: &Action) -> Option<WriteRequest> {
    match &write.change {
        Change::Put(item) => Some(WriteRequest::Put { item: Item::clone(item) }),
        Change::Delete { key } => Some(WriteRequest::Delete { key: key.clone() }),
        Change::Update { .. } | Change::Check { .. } => None,
    }
}

fn parts(write: &Action) -> ActionParts<'_> {
    ActionParts {
        table_name: &write.table_name,
        change: match &write.change {
            Change::Put(item) => ActionChange::Put { item },
            Change::Update { key, expression } => {
                ActionChange::Update { key, update_expression: expression }
            }
            Change::Delete { key } => ActionChange::Delete { key },
            Change::Check { key } => ActionChange::ConditionCheck { key },
        },
        condition_expression: write.condition.as_deref(),
        expression_attribute_names: Some(&write.names).filter(|names| !names.is_empty()),
        expression_attribute_values: Some(&write.values).filter(|values| !values.is_empty()),
        return_values_on_condition_check_failure: ReturnValuesOnConditionCheckFailure::AllOld,
    }
}

/// DynamoDB refuses empty maps of names and values.
fn some<T: Clone>(map: &BTreeMap<String, T>) -> Option<BTreeMap<String, T>> {
    (!map.is_empty()).then(|| map.clone())
}

fn answer<T>(value: T, consumed: impl IntoIterator<Item = ConsumedCapacity>) -> Answer<T> {
    let mut units = Vec::new();
    for capacity in consumed {
        let table_name = &capacity.table_name;
        let mut charge = |index: Option<&String>, capacity: f64| {
            if capacity > 0.0 {
                let (table_name, index) = (table_name.clone(), index.cloned());
                units.push(Consumed { table_name, index, units: capacity });
            }
        };
        charge(None, capacity.table.map_or(0.0, |table| table.capacity_units));
        let indexes = [&capacity.global_secondary_indexes, &capacity.local_secondary_indexes];
        for (name, capacity) in indexes.into_iter().flatten() {
            charge(Some(name), capacity.capacity_units);
        }
    }
    Answer { value, consumed: units }
}

fn failure(error: Error) -> BackendError {
    match error {
        Error::ConditionalCheckFailed { item } => BackendError::ConditionFailed { found: item },
        Error::TransactionCanceled(reasons) => BackendError::TransactionCanceled(reasons),
        Error::TransactionConflict | Error::TransactionInProgress | Error::Throttling(_) => {
            BackendError::Busy(error.to_string())
        }
        // A stopped database does not start again by itself: trying again would only delay.
        error => {
            BackendError::Refused { code: error.code().to_owned(), message: error.to_string() }
        }
    }
}
