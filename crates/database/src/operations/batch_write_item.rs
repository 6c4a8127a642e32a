//! BatchWriteItem: up to 25 puts and deletes of several tables, each on its own.
#![expect(missing_docs, reason = "the fields are DynamoDB's own, described in its API reference")]

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use values::{Item, limits};

use crate::capacity::{Meter, report};
use crate::catalog::Table;
use crate::shapes::{
    ConsumedCapacity, ItemCollectionMetrics, ReturnConsumedCapacity, ReturnItemCollectionMetrics,
};
use crate::stored::NewItem;
use crate::write::{Mutation, PreparedWrite, Written};
use crate::{Database, Error, collections, definition_checks, item_checks, text};

#[derive(Clone, Debug, Default, PartialEq)]
pub struct BatchWriteItemRequest {
    pub request_items: BTreeMap<String, Vec<WriteRequest>>,
    pub return_consumed_capacity: ReturnConsumedCapacity,
    pub return_item_collection_metrics: ReturnItemCollectionMetrics,
}

#[derive(Clone, Debug, PartialEq)]
pub enum WriteRequest {
    Put { item: Item },
    Delete { key: Item },
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct BatchWriteItemResponse {
    pub unprocessed_items: BTreeMap<String, Vec<WriteRequest>>,
    pub item_collection_metrics: BTreeMap<String, Vec<ItemCollectionMetrics>>,
    pub consumed_capacity: Option<Vec<ConsumedCapacity>>,
}

impl Database {
    /// BatchWriteItem: up to 25 puts and deletes of several tables, each on its own.
    ///
    /// The service promises no more than that; here they share one commit. Items that a transaction
    /// is writing come back as unprocessed.
    pub async fn batch_write_item(
        &self,
        request: BatchWriteItemRequest,
    ) -> Result<BatchWriteItemResponse, Error> {
        check(&request)?;
        let mut response = BatchWriteItemResponse::default();
        let mut writes = Vec::new();
        let mut places = Vec::new();
        let mut seen = HashSet::new();
        for (name, requests) in request.request_items {
            let table = self.table("BatchWriteItem", &name)?;
            for request in requests {
                let write = prepare(&table, &request)?;
                if !seen.insert(write.key.clone()) {
                    return Err(Error::Validation(text::DUPLICATE_KEYS.to_owned()));
                }
                if self.conflicts().contains(&write.key) {
                    response.unprocessed_items.entry(name.clone()).or_default().push(request);
                } else {
                    let key = match request {
                        WriteRequest::Put { item } => table.keys.project(&item),
                        WriteRequest::Delete { key } => key,
                    };
                    places.push((name.clone(), Arc::clone(&table), key));
                    writes.push(write);
                }
            }
        }
        let written = self
            .commit(move |transaction| {
                let writes = writes.into_iter();
                let written = writes.map(|write| write.execute(transaction).map_err(Error::from));
                written.collect::<Result<Vec<Written>, Error>>()
            })
            .await?;
        let mut meters: BTreeMap<&str, Meter> = BTreeMap::new();
        for ((name, table, key), written) in places.iter().zip(&written) {
            meters.entry(name).or_default().charge_write(&written.effect, false);
            let mode = request.return_item_collection_metrics;
            let metrics = collections::metrics(table, mode, key, &written.effect);
            if let Some(metrics) = metrics {
                let of_table =
                    response.item_collection_metrics.entry(table.name.clone()).or_default();
                of_table.retain(|known| known.item_collection_key != metrics.item_collection_key);
                of_table.push(metrics);
            }
        }
        response.consumed_capacity = report(&meters, request.return_consumed_capacity, None);
        Ok(response)
    }
}

fn check(request: &BatchWriteItemRequest) -> Result<(), Error> {
    if request.request_items.is_empty() {
        return Err(Error::Validation(
            "The requestItems parameter is required for BatchWriteItem".to_owned(),
        ));
    }
    let count: usize = request.request_items.values().map(Vec::len).sum();
    let bounds = 1..=limits::BATCH_WRITE_ITEMS_MAX;
    if request.request_items.values().any(|writes| !bounds.contains(&writes.len())) {
        return Err(Error::Validation(
            "1 validation error detected: Value at 'requestItems' failed to satisfy constraint: Map value must satisfy constraint: [Member must have length less than or equal to 25, Member must have length greater than or equal to 1]".to_owned(),
        ));
    }
    if count > limits::BATCH_WRITE_ITEMS_MAX {
        return Err(Error::Validation(
            "Too many items requested for the BatchWriteItem call".to_owned(),
        ));
    }
    for (name, requests) in &request.request_items {
        definition_checks::table_name(name)?;
        for request in requests {
            match request {
                WriteRequest::Put { item } => {
                    values::validate::item(item)?;
                    item_checks::size_to_put(item)?;
                }
                WriteRequest::Delete { key } => item_checks::key_content(key)?,
            }
        }
    }
    Ok(())
}

fn prepare(table: &Arc<Table>, request: &WriteRequest) -> Result<PreparedWrite, Error> {
    let (key, mutation) = match request {
        WriteRequest::Put { item } => {
            item_checks::has_key(table, item)?;
            let new = NewItem::from(Arc::new(item.clone()));
            (item_checks::item(table, item)?, Mutation::Put(new))
        }
        WriteRequest::Delete { key } => (item_checks::key(table, key)?, Mutation::Delete),
    };
    Ok(PreparedWrite {
        table: Arc::clone(table),
        key,
        mutation,
        condition: None,
        return_item_on_failure: false,
    })
}
