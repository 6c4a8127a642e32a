//! BatchGetItem: up to 100 items of several tables.
#![expect(missing_docs, reason = "the fields are DynamoDB's own, described in its API reference")]

use std::collections::{BTreeMap, HashSet};

use expressions::Projection;
use values::{Item, limits, size};

use crate::capacity::{self, Meter, report};
use crate::catalog::Table;
use crate::expression_parameters::{Present, projection};
use crate::keys::ItemKey;
use crate::operations::get_item;
use crate::shapes::{ConsumedCapacity, ExpressionAttributeNames, ReturnConsumedCapacity};
use crate::{Database, Error, definition_checks, item_checks, stored, text};

#[derive(Clone, Debug, Default, PartialEq)]
pub struct BatchGetItemRequest {
    pub request_items: BTreeMap<String, KeysAndAttributes>,
    pub return_consumed_capacity: ReturnConsumedCapacity,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct KeysAndAttributes {
    pub keys: Vec<Item>,
    pub consistent_read: bool,
    pub projection_expression: Option<String>,
    pub expression_attribute_names: Option<ExpressionAttributeNames>,
    pub attributes_to_get: Option<Vec<String>>,
    /// Whoever read the request saw no key twice: two that are equal here were written differently,
    /// as `1000` and `1e3`, and are then two keys (rule 45). A BatchWriteItem knows no such thing.
    pub are_written_differently: bool,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct BatchGetItemResponse {
    pub responses: BTreeMap<String, Vec<Item>>,
    pub unprocessed_keys: BTreeMap<String, KeysAndAttributes>,
    pub consumed_capacity: Option<Vec<ConsumedCapacity>>,
}

impl Database {
    /// BatchGetItem: up to 100 items of several tables.
    pub async fn batch_get_item(
        &self,
        request: BatchGetItemRequest,
    ) -> Result<BatchGetItemResponse, Error> {
        let projections = check(&request)?;
        let mut gets = Vec::new();
        for ((name, wanted), projection) in request.request_items.iter().zip(projections) {
            let table = self.table("BatchGetItem", name)?;
            let keys = table_gets(&table, wanted)?;
            let nested = projection.iter().flat_map(Projection::nested_attribute_names);
            item_checks::no_path_into_keys(&table, nested)?;
            gets.push((name, keys, wanted, projection));
        }
        let snapshot = self.snapshot();
        let mut response = BatchGetItemResponse::default();
        let mut meters: BTreeMap<&str, Meter> = BTreeMap::new();
        let mut response_bytes = 0;
        for (name, keys, wanted, projection) in &gets {
            let items = response.responses.entry((*name).clone()).or_default();
            let meter = meters.entry(name).or_default();
            for (position, key) in keys.iter().enumerate() {
                let bytes = get_item::read(&*snapshot, key)?;
                let item = bytes.as_deref().map(stored::item).transpose()?;
                let item_size = item.as_ref().map_or(0, size::item_size);
                if response_bytes + item_size > limits::BATCH_RESPONSE_BYTES_MAX {
                    let rest = wanted.keys[position..].to_vec();
                    let rest = KeysAndAttributes { keys: rest, ..(*wanted).clone() };
                    response.unprocessed_keys.insert((*name).clone(), rest);
                    break;
                }
                response_bytes += item_size;
                meter.charge_table(capacity::read_units(item_size, wanted.consistent_read));
                let Some(item) = item else { continue };
                items.push(match projection {
                    None => item,
                    Some(projection) => projection.apply(&item),
                });
            }
        }
        response.consumed_capacity = report(&meters, request.return_consumed_capacity, None);
        Ok(response)
    }
}

/// All checks that need no table; gives each table's projection.
fn check(request: &BatchGetItemRequest) -> Result<Vec<Option<Projection>>, Error> {
    if request.request_items.is_empty() {
        return Err(Error::Validation(
            "1 validation error detected: Value at 'requestItems' failed to satisfy constraint: Member must have length greater than or equal to 1".to_owned(),
        ));
    }
    let count: usize = request.request_items.values().map(|wanted| wanted.keys.len()).sum();
    let mut tables = request.request_items.iter();
    if let Some((name, _)) =
        tables.find(|(_, wanted)| wanted.keys.len() > limits::BATCH_GET_ITEMS_MAX)
    {
        return Err(Error::Validation(format!(
            "1 validation error detected: Value at 'RequestItems.{name}.member.Keys' failed to satisfy constraint: Member must have length less than or equal to 100",
        )));
    }
    if count > limits::BATCH_GET_ITEMS_MAX {
        return Err(Error::Validation(
            "Too many items requested for the BatchGetItem call".to_owned(),
        ));
    }
    for (name, wanted) in &request.request_items {
        definition_checks::table_name(name)?;
        if wanted.keys.is_empty() {
            return Err(Error::Validation(format!(
                "1 validation error detected: Value '[]' at 'requestItems.{name}.member.keys' failed to satisfy constraint: Member must have length greater than or equal to 1"
            )));
        }
    }
    let any = |present: fn(&KeysAndAttributes) -> bool| request.request_items.values().any(present);
    // The older and the newer form may not be mixed even between tables (rule 7).
    Present {
        legacy: &[("AttributesToGet", any(|wanted| wanted.attributes_to_get.is_some()))],
        expressions: &[(
            "ProjectionExpression",
            any(|wanted| wanted.projection_expression.is_some()),
        )],
        names: None,
        values: None,
        listed_as_null: &[],
    }
    .check()?;
    let projections = request.request_items.values().map(parse).collect::<Result<_, _>>()?;
    let mut keys = request.request_items.values().flat_map(|wanted| &wanted.keys);
    keys.try_for_each(item_checks::key_content)?;
    Ok(projections)
}

fn parse(wanted: &KeysAndAttributes) -> Result<Option<Projection>, Error> {
    let mut placeholders = Present {
        legacy: &[("AttributesToGet", wanted.attributes_to_get.is_some())],
        expressions: &[("ProjectionExpression", wanted.projection_expression.is_some())],
        names: wanted.expression_attribute_names.as_ref(),
        values: None,
        listed_as_null: &[],
    }
    .check()?;
    let projection = projection(
        &mut placeholders,
        wanted.projection_expression.as_deref(),
        wanted.attributes_to_get.as_deref(),
    )?;
    placeholders.finish()?;
    Ok(projection)
}

fn table_gets(table: &Table, wanted: &KeysAndAttributes) -> Result<Vec<ItemKey>, Error> {
    let mut seen = HashSet::new();
    let mut keys = Vec::with_capacity(wanted.keys.len());
    for key in &wanted.keys {
        let key = item_checks::key(table, key)?;
        if !seen.insert(key.clone()) && !wanted.are_written_differently {
            return Err(Error::Validation(text::DUPLICATE_KEYS.to_owned()));
        }
        keys.push(key);
    }
    Ok(keys)
}
