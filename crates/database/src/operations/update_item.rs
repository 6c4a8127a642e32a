//! UpdateItem: change attributes of an item, creating it if need be.
#![expect(missing_docs, reason = "the fields are DynamoDB's own, described in its API reference")]

use expressions::legacy::{AttributeValueUpdate, ConditionalOperator, ExpectedAttributeValue};
use expressions::{Condition, Update, legacy};
use std::collections::BTreeMap;
use std::sync::Arc;
use values::Item;

use crate::expression_parameters::{ParameterProblem, Present, write_condition};
use crate::shapes::{
    ConsumedCapacity, ExpressionAttributeNames, ExpressionAttributeValues, ItemCollectionMetrics,
    ReturnConsumedCapacity, ReturnItemCollectionMetrics, ReturnValues,
    ReturnValuesOnConditionCheckFailure,
};
use crate::write::{Mutation, PreparedWrite, Written};
use crate::{Database, Error, collections, definition_checks, item_checks, text};

#[derive(Clone, Debug, Default, PartialEq)]
pub struct UpdateItemRequest {
    pub table_name: String,
    pub key: Item,
    pub update_expression: Option<String>,
    pub condition_expression: Option<String>,
    pub expression_attribute_names: Option<ExpressionAttributeNames>,
    pub expression_attribute_values: Option<ExpressionAttributeValues>,
    pub attribute_updates: Option<BTreeMap<String, AttributeValueUpdate>>,
    pub expected: Option<BTreeMap<String, ExpectedAttributeValue>>,
    pub conditional_operator: Option<ConditionalOperator>,
    pub return_values: ReturnValues,
    pub return_values_on_condition_check_failure: ReturnValuesOnConditionCheckFailure,
    pub return_consumed_capacity: ReturnConsumedCapacity,
    pub return_item_collection_metrics: ReturnItemCollectionMetrics,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct UpdateItemResponse {
    pub attributes: Option<Item>,
    pub consumed_capacity: Option<ConsumedCapacity>,
    pub item_collection_metrics: Option<ItemCollectionMetrics>,
}

impl Database {
    /// UpdateItem: change attributes of an item, creating it if need be.
    pub async fn update_item(
        &self,
        request: UpdateItemRequest,
    ) -> Result<UpdateItemResponse, Error> {
        definition_checks::table_name(&request.table_name)?;
        let (update, condition) = parse(&request).map_err(ParameterProblem::in_envelope)?;
        item_checks::key_content(&request.key).map_err(text::in_envelope)?;
        let table = self.table("UpdateItem", &request.table_name)?;
        let key = item_checks::key(&table, &request.key)?;
        if let Some(name) = update.attribute_names().find(|name| table.keys.contains(name)) {
            return Err(Error::Validation(text::key_update(name)));
        }
        let nested = condition.iter().flat_map(Condition::nested_attribute_names);
        item_checks::no_path_into_keys(&table, update.nested_attribute_names().chain(nested))?;
        let update = Arc::new(update);
        let written = self
            .write(PreparedWrite {
                table: Arc::clone(&table),
                key,
                mutation: Mutation::Update(Arc::clone(&update), request.key.clone()),
                condition,
                return_item_on_failure: request.return_values_on_condition_check_failure
                    == ReturnValuesOnConditionCheckFailure::AllOld,
            })
            .await?;
        let item_collection_metrics = collections::metrics(
            &table,
            request.return_item_collection_metrics,
            &request.key,
            &written.effect,
        );
        Ok(UpdateItemResponse {
            consumed_capacity: written
                .capacity(&request.table_name, request.return_consumed_capacity),
            item_collection_metrics,
            attributes: returned(request.return_values, &update, written),
        })
    }
}

/// The attributes the answer shows; none at all rather than an empty map (rule 43).
fn returned(mode: ReturnValues, update: &Update, written: Written) -> Option<Item> {
    let shown = match mode {
        ReturnValues::None => None,
        ReturnValues::AllOld => written.old,
        ReturnValues::AllNew => written.new.map(Arc::unwrap_or_clone),
        ReturnValues::UpdatedOld => written.old.map(|old| update.touched_old(&old)),
        ReturnValues::UpdatedNew => written.new.map(|new| update.touched_new(&new)),
    };
    shown.filter(|item| !item.is_empty())
}

fn parse(request: &UpdateItemRequest) -> Result<(Update, Option<Condition>), ParameterProblem> {
    let mut placeholders = Present {
        legacy: &[
            ("AttributeUpdates", request.attribute_updates.is_some()),
            ("Expected", request.expected.is_some()),
            ("ConditionalOperator", request.conditional_operator.is_some()),
        ],
        expressions: &[
            ("UpdateExpression", request.update_expression.is_some()),
            ("ConditionExpression", request.condition_expression.is_some()),
        ],
        names: request.expression_attribute_names.as_ref(),
        values: request.expression_attribute_values.as_ref(),
        listed_as_null: &[],
    }
    .check()?;
    // An empty condition is reported ahead of anything about the update.
    if request.condition_expression.as_deref() == Some("") {
        placeholders.condition("")?;
    }
    let update = match (&request.update_expression, &request.attribute_updates) {
        (Some(text), _) => placeholders.update(text)?,
        (None, Some(updates)) => legacy::attribute_updates(updates)?,
        (None, None) => legacy::attribute_updates(&BTreeMap::new())?,
    };
    let condition = write_condition(
        &mut placeholders,
        request.condition_expression.as_deref(),
        request.expected.as_ref(),
        request.conditional_operator,
    )?;
    placeholders.finish()?;
    Ok((update, condition))
}
