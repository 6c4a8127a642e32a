//! GetItem: read one item by its key.
#![expect(missing_docs, reason = "the fields are DynamoDB's own, described in its API reference")]

use bytes::Bytes;
use expressions::Projection;
use values::{Item, size};

use crate::capacity::{self, Meter};
use crate::expression_parameters::{Present, projection};
use crate::keys::ItemKey;
use crate::read::{ItemForm, formed};
use crate::shapes::{ConsumedCapacity, ExpressionAttributeNames, ReturnConsumedCapacity};
use crate::storage::{Snapshot, Space};
use crate::{Database, Error, definition_checks, item_checks, stored};

#[derive(Clone, Debug, Default, PartialEq)]
pub struct GetItemRequest {
    pub table_name: String,
    pub key: Item,
    pub consistent_read: bool,
    pub projection_expression: Option<String>,
    pub expression_attribute_names: Option<ExpressionAttributeNames>,
    pub attributes_to_get: Option<Vec<String>>,
    pub return_consumed_capacity: ReturnConsumedCapacity,
}

/// Which item to read: a request without what asks for a part of it.
#[derive(Clone, Copy, Debug)]
pub struct ItemPlace<'a> {
    pub table_name: &'a str,
    pub key: &'a Item,
    pub consistent_read: bool,
    pub return_consumed_capacity: ReturnConsumedCapacity,
}

impl GetItemRequest {
    fn place(&self) -> ItemPlace<'_> {
        ItemPlace {
            table_name: &self.table_name,
            key: &self.key,
            consistent_read: self.consistent_read,
            return_consumed_capacity: self.return_consumed_capacity,
        }
    }
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct GetItemResponse<F = Item> {
    pub item: Option<F>,
    pub consumed_capacity: Option<ConsumedCapacity>,
}

impl Database {
    /// GetItem: read one item by its key.
    pub async fn get_item(&self, request: GetItemRequest) -> Result<GetItemResponse, Error> {
        self.get_item_as(request).await
    }

    /// The same, with the item in another form.
    pub async fn get_item_as<F: ItemForm>(
        &self,
        request: GetItemRequest,
    ) -> Result<GetItemResponse<F>, Error> {
        let projection = parse(&request)?;
        self.get_item_at(request.place(), projection.as_ref()).await
    }

    /// GetItem of a whole item for a caller in this process, who need not give its key away.
    pub async fn get_whole_item(&self, place: ItemPlace<'_>) -> Result<GetItemResponse, Error> {
        definition_checks::table_name(place.table_name)?;
        self.get_item_at(place, None).await
    }

    async fn get_item_at<F: ItemForm>(
        &self,
        place: ItemPlace<'_>,
        projection: Option<&Projection>,
    ) -> Result<GetItemResponse<F>, Error> {
        item_checks::key_content(place.key)?;
        let table = self.table("GetItem", place.table_name)?;
        let key = item_checks::key(&table, place.key)?;
        let nested = projection.into_iter().flat_map(Projection::nested_attribute_names);
        item_checks::no_path_into_keys(&table, nested)?;
        let bytes = read(&*self.snapshot(), &key)?;
        let (item, size) = match (bytes, projection) {
            (None, _) => (None, 0),
            (Some(bytes), None) => {
                let (item, size) = formed(&bytes)?;
                (Some(item), size)
            }
            (Some(bytes), Some(projection)) => {
                let item = stored::item(&bytes)?;
                (Some(F::from_item(projection.apply(&item))), size::item_size(&item))
            }
        };
        let mut meter = Meter::default();
        if place.return_consumed_capacity != ReturnConsumedCapacity::None {
            meter.charge_table(capacity::read_units(size, place.consistent_read));
        }
        Ok(GetItemResponse {
            item,
            consumed_capacity: meter.report(place.table_name, place.return_consumed_capacity, None),
        })
    }
}

fn parse(request: &GetItemRequest) -> Result<Option<Projection>, Error> {
    definition_checks::table_name(&request.table_name)?;
    let mut placeholders = Present {
        legacy: &[("AttributesToGet", request.attributes_to_get.is_some())],
        expressions: &[("ProjectionExpression", request.projection_expression.is_some())],
        names: request.expression_attribute_names.as_ref(),
        values: None,
        listed_as_null: &[],
    }
    .check()?;
    let projection = projection(
        &mut placeholders,
        request.projection_expression.as_deref(),
        request.attributes_to_get.as_deref(),
    )?;
    placeholders.finish()?;
    Ok(projection)
}

/// The stored bytes of an item.
pub(crate) fn read(snapshot: &dyn Snapshot, key: &ItemKey) -> Result<Option<Bytes>, Error> {
    snapshot
        .get(Space::Items, key.bytes())
        .map_err(|error| Error::Stopped(format!("The item cannot be read: {error}")))
}
