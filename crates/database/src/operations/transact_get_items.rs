//! TransactGetItems: up to 100 items as of one moment.
#![expect(missing_docs, reason = "the fields are DynamoDB's own, described in its API reference")]

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use expressions::Projection;
use values::{Item, limits, size};

use crate::capacity::{self, Kind, Meter, report};
use crate::catalog::Table;
use crate::expression_parameters::{Present, projection};
use crate::item_checks::{self, Misfit};
use crate::keys::ItemKey;
use crate::operations::get_item;
use crate::operations::transact_write_items::{cancelled_by_misfit, check_action_count};
use crate::shapes::{ConsumedCapacity, ExpressionAttributeNames, ReturnConsumedCapacity};
use crate::{Database, Error, definition_checks, stored, text};

#[derive(Clone, Debug, Default, PartialEq)]
pub struct TransactGetItemsRequest {
    pub transact_items: Vec<TransactGet>,
    pub return_consumed_capacity: ReturnConsumedCapacity,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct TransactGet {
    pub table_name: String,
    pub key: Item,
    pub projection_expression: Option<String>,
    pub expression_attribute_names: Option<ExpressionAttributeNames>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct TransactGetItemsResponse {
    /// One entry for each request, `None` where there is no item or the projection matches nothing.
    pub responses: Vec<Option<Item>>,
    pub consumed_capacity: Option<Vec<ConsumedCapacity>>,
}

impl Database {
    /// TransactGetItems: up to 100 items as of one moment.
    pub async fn transact_get_items(
        &self,
        request: TransactGetItemsRequest,
    ) -> Result<TransactGetItemsResponse, Error> {
        check_action_count(request.transact_items.len())?;
        let gets = &request.transact_items;
        let projections = gets.iter().map(parse).collect::<Result<Vec<_>, Error>>()?;
        let mut tables = Vec::with_capacity(gets.len());
        for get in gets {
            tables.push(self.table("GetItem", &get.table_name)?);
        }
        let keys = item_keys(&tables, gets, &projections)?;
        let reads = gets.iter().zip(keys).zip(projections).map(|((get, key), projection)| {
            TransactRead { table_name: get.table_name.clone(), key, projection }
        });
        self.read_transaction(&reads.collect::<Vec<_>>(), request.return_consumed_capacity)
    }

    /// Reads items as of one moment, with what that consumes.
    pub(crate) fn read_transaction(
        &self,
        reads: &[TransactRead],
        mode: ReturnConsumedCapacity,
    ) -> Result<TransactGetItemsResponse, Error> {
        let snapshot = self.snapshot();
        let mut meters: BTreeMap<&str, Meter> = BTreeMap::new();
        let mut responses = Vec::with_capacity(reads.len());
        let mut total_bytes = 0;
        for TransactRead { table_name, key, projection } in reads {
            let bytes = get_item::read(&*snapshot, key)?;
            let item = bytes.as_deref().map(stored::item).transpose()?;
            let item_size = item.as_ref().map_or(0, size::item_size);
            total_bytes += item_size;
            if total_bytes > limits::TRANSACTION_BYTES_MAX {
                return Err(Error::Validation(text::TRANSACTION_TOO_LARGE.to_owned()));
            }
            let meter = meters.entry(table_name).or_default();
            meter.charge_table(capacity::read_units(item_size, true) * 2.0);
            let shown = match projection {
                None => item,
                Some(projection) => item.map(|item| projection.apply(&item)),
            };
            responses.push(shown.filter(|item| !item.is_empty()));
        }
        let consumed_capacity = report(&meters, mode, Some(Kind::Read));
        Ok(TransactGetItemsResponse { responses, consumed_capacity })
    }
}

/// One read of a transaction.
pub(crate) struct TransactRead {
    pub table_name: String,
    pub key: ItemKey,
    pub projection: Option<Projection>,
}

fn parse(get: &TransactGet) -> Result<Option<Projection>, Error> {
    definition_checks::table_name(&get.table_name)?;
    let mut placeholders = Present {
        legacy: &[],
        expressions: &[("ProjectionExpression", get.projection_expression.is_some())],
        names: get.expression_attribute_names.as_ref(),
        values: None,
        listed_as_null: &[],
    }
    .check()?;
    let projection = projection(&mut placeholders, get.projection_expression.as_deref(), None)?;
    placeholders.finish()?;
    item_checks::key_content(&get.key)?;
    Ok(projection)
}

/// The storage key of one read.
pub(crate) fn item_key(
    table: &Table,
    key: &Item,
    projection: Option<&Projection>,
) -> Result<ItemKey, Misfit> {
    let key = item_checks::key(table, key)?;
    let nested = projection.into_iter().flat_map(Projection::nested_attribute_names);
    item_checks::no_path_into_keys(table, nested)?;
    Ok(key)
}

/// The storage keys: one that does not fit its table cancels the transaction (rule 50), one that
/// occurs twice refuses the request (rule 48).
fn item_keys(
    tables: &[Arc<Table>],
    gets: &[TransactGet],
    projections: &[Option<Projection>],
) -> Result<Vec<ItemKey>, Error> {
    let mut keys = Vec::with_capacity(gets.len());
    let mut seen = HashSet::new();
    let reads = tables.iter().zip(gets).zip(projections);
    for (position, ((table, get), projection)) in reads.enumerate() {
        match item_key(table, &get.key, projection.as_ref()) {
            Ok(key) => {
                if !seen.insert(key.clone()) {
                    return Err(Error::Validation(text::ITEM_TWICE_IN_TRANSACTION.to_owned()));
                }
                keys.push(key);
            }
            Err(Misfit::Schema(message)) => {
                return Err(cancelled_by_misfit(gets.len(), position, message));
            }
            Err(misfit) => return Err(misfit.into()),
        }
    }
    Ok(keys)
}
