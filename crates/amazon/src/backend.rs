//! The store's operations on the SDK's client, each tried once: the store tries again.

use std::collections::HashMap;

use aws_sdk_dynamodb::operation::delete_item::DeleteItemError;
use aws_sdk_dynamodb::operation::put_item::PutItemError;
use aws_sdk_dynamodb::operation::transact_get_items::TransactGetItemsError;
use aws_sdk_dynamodb::operation::transact_write_items::TransactWriteItemsError;
use aws_sdk_dynamodb::operation::update_item::UpdateItemError;
use aws_sdk_dynamodb::types::{
    AttributeValue as Sdk, ConsumedCapacity, Get, KeysAndAttributes, ReturnConsumedCapacity,
    ReturnValue, ReturnValuesOnConditionCheckFailure as OnFailure, TransactGetItem, WriteRequest,
};
use store::BackendError;
use store::backend::{
    Action, Answer, Backend, BatchRead, Change, Consumed, Pending, Query, QueryAnswer, Read,
};
use values::Item;

use crate::Amazon;
use crate::actions::{transact_item, write_request};
use crate::failure::{cancelled, condition, failure, incomplete, not_a_value};
use crate::values::{from_sdk, names_to_sdk, to_sdk, values_to_sdk};

impl Backend for Amazon {
    fn get<'a>(&'a self, read: &'a Read) -> Pending<'a, Option<Item>> {
        Box::pin(async move {
            let request = self
                .items
                .get_item()
                .table_name(&*read.table_name)
                .set_key(Some(to_sdk(&read.key)))
                .consistent_read(read.consistent)
                .return_consumed_capacity(self.capacity());
            let sent = request.send().await.map_err(failure)?;
            answer(optional(sent.item)?, sent.consumed_capacity)
        })
    }

    fn batch_get<'a>(&'a self, reads: &'a [Read]) -> Pending<'a, BatchRead> {
        Box::pin(async move {
            let mut keys: HashMap<String, (Vec<HashMap<String, Sdk>>, bool)> = HashMap::new();
            for read in reads {
                let (keys, consistent) = keys.entry(read.table_name.clone()).or_default();
                keys.push(to_sdk(&read.key));
                *consistent |= read.consistent;
            }
            let mut request = self.items.batch_get_item().return_consumed_capacity(self.capacity());
            for (table_name, (keys, consistent)) in keys {
                let keys = KeysAndAttributes::builder().set_keys(Some(keys));
                let keys = keys.consistent_read(consistent).build().map_err(incomplete)?;
                request = request.request_items(table_name, keys);
            }
            let sent = request.send().await.map_err(failure)?;
            let mut batch = BatchRead::default();
            for (table_name, items) in sent.responses.into_iter().flatten() {
                for item in items {
                    batch.found.push((table_name.clone(), whole(item)?));
                }
            }
            for (table_name, keys) in sent.unprocessed_keys.into_iter().flatten() {
                let consistent = keys.consistent_read.unwrap_or_default();
                for key in keys.keys {
                    let (table_name, key) = (table_name.clone(), whole(key)?);
                    batch.unprocessed.push(Read { table_name, key, consistent });
                }
            }
            answer(batch, sent.consumed_capacity.into_iter().flatten())
        })
    }

    fn transact_get<'a>(&'a self, reads: &'a [Read]) -> Pending<'a, Vec<Option<Item>>> {
        Box::pin(async move {
            let mut request =
                self.items.transact_get_items().return_consumed_capacity(self.capacity());
            for read in reads {
                let get = Get::builder().table_name(&*read.table_name);
                let get = get.set_key(Some(to_sdk(&read.key))).build().map_err(incomplete)?;
                request = request.transact_items(TransactGetItem::builder().get(get).build());
            }
            let sent = request.send().await.map_err(|error| match error.as_service_error() {
                Some(TransactGetItemsError::TransactionCanceledException(reasons)) => {
                    cancelled(reasons.cancellation_reasons())
                }
                _ => failure(error),
            })?;
            let mut items = Vec::with_capacity(reads.len());
            for response in sent.responses.into_iter().flatten() {
                // Some services send an empty map for an item that is not there.
                items.push(optional(response.item)?.filter(|item| !item.is_empty()));
            }
            answer(items, sent.consumed_capacity.into_iter().flatten())
        })
    }

    fn query<'a>(&'a self, query: &'a Query) -> Pending<'a, QueryAnswer> {
        Box::pin(async move {
            let request = self
                .items
                .query()
                .table_name(&query.table_name)
                .set_index_name(query.index.clone())
                .key_condition_expression(&query.key_condition)
                .set_filter_expression(query.filter.clone())
                .set_expression_attribute_names(names_to_sdk(&query.names))
                .set_expression_attribute_values(values_to_sdk(&query.values))
                .consistent_read(query.consistent)
                .scan_index_forward(!query.descending)
                .limit(i32::try_from(query.limit).unwrap_or(i32::MAX))
                .set_exclusive_start_key(query.start.as_ref().map(to_sdk))
                .return_consumed_capacity(self.capacity());
            let sent = request.send().await.map_err(failure)?;
            let items = sent.items.into_iter().flatten().map(whole).collect::<Result<_, _>>()?;
            let value = QueryAnswer {
                items,
                evaluated: u64::try_from(sent.scanned_count).unwrap_or_default(),
                last: optional(sent.last_evaluated_key)?.filter(|key| !key.is_empty()),
            };
            answer(value, sent.consumed_capacity)
        })
    }

    fn write<'a>(&'a self, write: &'a Action) -> Pending<'a, Option<Item>> {
        Box::pin(async move {
            match &write.change {
                Change::Put(item) => self.put(write, item).await,
                Change::Update { key, expression } => self.update(write, key, expression).await,
                Change::Delete { key } => self.delete(write, key).await,
                // DynamoDB has it in transactions only.
                Change::Check { .. } => {
                    let checked = self.transact_write(&mut vec![write.clone()], None).await?;
                    Ok(Answer { value: None, consumed: checked.consumed })
                }
            }
        })
    }

    fn batch_write<'a>(&'a self, writes: &'a [Action]) -> Pending<'a, Vec<usize>> {
        Box::pin(async move {
            let mut requests: HashMap<String, Vec<WriteRequest>> = HashMap::new();
            let mut places = Vec::new();
            for (at, write) in writes.iter().enumerate() {
                if let Some(request) = write_request(write)? {
                    requests.entry(write.table_name.clone()).or_default().push(request.clone());
                    places.push((at, request));
                }
            }
            let request = self.items.batch_write_item().set_request_items(Some(requests));
            let request = request.return_consumed_capacity(self.capacity());
            let sent = request.send().await.map_err(failure)?;
            let left = sent.unprocessed_items.unwrap_or_default();
            let is_left = |(at, request): &(usize, WriteRequest)| {
                let table = left.get(&writes[*at].table_name);
                table.is_some_and(|left| left.contains(request))
            };
            let left = places.iter().filter(|place| is_left(place)).map(|(at, _)| *at).collect();
            answer(left, sent.consumed_capacity.into_iter().flatten())
        })
    }

    fn transact_write<'a>(
        &'a self,
        writes: &'a mut Vec<Action>,
        token: Option<&'a str>,
    ) -> Pending<'a, ()> {
        Box::pin(async move {
            let items = writes.iter().map(transact_item).collect::<Result<Vec<_>, _>>()?;
            let request = self
                .items
                .transact_write_items()
                .set_transact_items(Some(items))
                .set_client_request_token(token.map(str::to_owned))
                .return_consumed_capacity(self.capacity());
            let sent = request.send().await.map_err(|error| match error.as_service_error() {
                Some(TransactWriteItemsError::TransactionCanceledException(reasons)) => {
                    cancelled(reasons.cancellation_reasons())
                }
                _ => failure(error),
            })?;
            answer((), sent.consumed_capacity.into_iter().flatten())
        })
    }
}

type Written = Result<Answer<Option<Item>>, BackendError>;

impl Amazon {
    async fn put(&self, write: &Action, item: &Item) -> Written {
        let request = self
            .items
            .put_item()
            .table_name(&write.table_name)
            .set_item(Some(to_sdk(item)))
            .set_condition_expression(write.condition.clone())
            .set_expression_attribute_names(names_to_sdk(&write.names))
            .set_expression_attribute_values(values_to_sdk(&write.values))
            .return_values_on_condition_check_failure(OnFailure::AllOld)
            .return_consumed_capacity(self.capacity());
        let sent = request.send().await.map_err(|error| match error.as_service_error() {
            Some(PutItemError::ConditionalCheckFailedException(failed)) => {
                condition(failed.item.clone())
            }
            _ => failure(error),
        })?;
        answer(None, sent.consumed_capacity)
    }

    async fn update(&self, write: &Action, key: &Item, expression: &str) -> Written {
        let request = self
            .items
            .update_item()
            .table_name(&write.table_name)
            .set_key(Some(to_sdk(key)))
            .update_expression(expression)
            .set_condition_expression(write.condition.clone())
            .set_expression_attribute_names(names_to_sdk(&write.names))
            .set_expression_attribute_values(values_to_sdk(&write.values))
            .return_values(ReturnValue::AllNew)
            .return_values_on_condition_check_failure(OnFailure::AllOld)
            .return_consumed_capacity(self.capacity());
        let sent = request.send().await.map_err(|error| match error.as_service_error() {
            Some(UpdateItemError::ConditionalCheckFailedException(failed)) => {
                condition(failed.item.clone())
            }
            _ => failure(error),
        })?;
        answer(optional(sent.attributes)?, sent.consumed_capacity)
    }

    async fn delete(&self, write: &Action, key: &Item) -> Written {
        let request = self
            .items
            .delete_item()
            .table_name(&write.table_name)
            .set_key(Some(to_sdk(key)))
            .set_condition_expression(write.condition.clone())
            .set_expression_attribute_names(names_to_sdk(&write.names))
            .set_expression_attribute_values(values_to_sdk(&write.values))
            .return_values(ReturnValue::AllOld)
            .return_values_on_condition_check_failure(OnFailure::AllOld)
            .return_consumed_capacity(self.capacity());
        let sent = request.send().await.map_err(|error| match error.as_service_error() {
            Some(DeleteItemError::ConditionalCheckFailedException(failed)) => {
                condition(failed.item.clone())
            }
            _ => failure(error),
        })?;
        answer(optional(sent.attributes)?, sent.consumed_capacity)
    }

    fn capacity(&self) -> ReturnConsumedCapacity {
        if self.measured { ReturnConsumedCapacity::Indexes } else { ReturnConsumedCapacity::None }
    }
}

fn whole(item: HashMap<String, Sdk>) -> Result<Item, BackendError> {
    from_sdk(item).map_err(|_| not_a_value())
}

fn optional(item: Option<HashMap<String, Sdk>>) -> Result<Option<Item>, BackendError> {
    item.map(whole).transpose()
}

fn answer<T>(
    value: T,
    capacities: impl IntoIterator<Item = ConsumedCapacity>,
) -> Result<Answer<T>, BackendError> {
    let mut consumed = Vec::new();
    for capacity in capacities {
        let table_name = capacity.table_name().unwrap_or_default();
        let mut charge = |index: Option<&String>, units: Option<f64>| {
            if let Some(units) = units.filter(|units| *units > 0.0) {
                let (table_name, index) = (table_name.to_owned(), index.cloned());
                consumed.push(Consumed { table_name, index, units });
            }
        };
        charge(None, capacity.table().and_then(|table| table.capacity_units()));
        let indexes = [capacity.global_secondary_indexes(), capacity.local_secondary_indexes()];
        for (name, units) in indexes.into_iter().flatten().flatten() {
            charge(Some(name), units.capacity_units());
        }
    }
    Ok(Answer { value, consumed })
}
