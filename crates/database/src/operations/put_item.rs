//! PutItem: store a whole item, replacing what was there.
#![expect(missing_docs, reason = "the fields are DynamoDB's own, described in its API reference")]

use expressions::Condition;
use expressions::legacy::{ConditionalOperator, ExpectedAttributeValue};
use std::collections::BTreeMap;
use std::sync::Arc;
use values::Item;

use crate::expression_parameters::{ParameterProblem, Present, write_condition};
use crate::shapes::{
    ConsumedCapacity, ExpressionAttributeNames, ExpressionAttributeValues, ItemCollectionMetrics,
    ReturnConsumedCapacity, ReturnItemCollectionMetrics, ReturnValues,
    ReturnValuesOnConditionCheckFailure,
};
use crate::stored::NewItem;
use crate::write::{Mutation, PreparedWrite};
use crate::{Database, Error, collections, definition_checks, item_checks, text};

/// The item may be an `Arc`, for callers who keep it to ask again.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PutItemRequest<I = Item> {
    pub table_name: String,
    pub item: I,
    pub condition_expression: Option<String>,
    pub expression_attribute_names: Option<ExpressionAttributeNames>,
    pub expression_attribute_values: Option<ExpressionAttributeValues>,
    pub expected: Option<BTreeMap<String, ExpectedAttributeValue>>,
    pub conditional_operator: Option<ConditionalOperator>,
    pub return_values: ReturnValues,
    pub return_values_on_condition_check_failure: ReturnValuesOnConditionCheckFailure,
    pub return_consumed_capacity: ReturnConsumedCapacity,
    pub return_item_collection_metrics: ReturnItemCollectionMetrics,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct PutItemResponse {
    pub attributes: Option<Item>,
    pub consumed_capacity: Option<ConsumedCapacity>,
    pub item_collection_metrics: Option<ItemCollectionMetrics>,
}

impl Database {
    /// PutItem: store a whole item, replacing what was there.
    pub async fn put_item<I: Into<Arc<Item>>>(
        &self,
        request: PutItemRequest<I>,
    ) -> Result<PutItemResponse, Error> {
        definition_checks::table_name(&request.table_name)?;
        let condition = parse(&request).map_err(ParameterProblem::in_envelope)?;
        let PutItemRequest { item, return_values, .. } = request;
        let item: Arc<Item> = item.into();
        values::validate::item(&item)
            .map_err(|error| Error::Validation(text::enveloped(&error.single_item_message())))?;
        let size = item_checks::size_to_put(&item)?;
        let table = self.table("PutItem", &request.table_name)?;
        let key = item_checks::item(&table, &item)?;
        let nested = condition.iter().flat_map(Condition::nested_attribute_names);
        item_checks::no_path_into_keys(&table, nested)?;
        let written = self
            .write(PreparedWrite {
                table: Arc::clone(&table),
                key,
                mutation: Mutation::Put(NewItem::of_size(item, size)),
                condition,
                return_item_on_failure: request.return_values_on_condition_check_failure
                    == ReturnValuesOnConditionCheckFailure::AllOld,
            })
            .await?;
        let item_collection_metrics = written.new.as_ref().and_then(|item| {
            collections::metrics(
                &table,
                request.return_item_collection_metrics,
                item,
                &written.effect,
            )
        });
        Ok(PutItemResponse {
            consumed_capacity: written
                .capacity(&request.table_name, request.return_consumed_capacity),
            item_collection_metrics,
            attributes: written.old.filter(|_| return_values == ReturnValues::AllOld),
        })
    }
}

fn parse<I>(request: &PutItemRequest<I>) -> Result<Option<Condition>, ParameterProblem> {
    let mut placeholders = Present {
        legacy: &[
            ("Expected", request.expected.is_some()),
            ("ConditionalOperator", request.conditional_operator.is_some()),
        ],
        expressions: &[("ConditionExpression", request.condition_expression.is_some())],
        names: request.expression_attribute_names.as_ref(),
        values: request.expression_attribute_values.as_ref(),
        listed_as_null: &[],
    }
    .check()?;
    let condition = write_condition(
        &mut placeholders,
        request.condition_expression.as_deref(),
        request.expected.as_ref(),
        request.conditional_operator,
    )?;
    if !matches!(request.return_values, ReturnValues::None | ReturnValues::AllOld) {
        let message = text::RETURN_VALUES_OLD_ONLY.to_owned();
        return Err(ParameterProblem::Combination(message));
    }
    placeholders.finish()?;
    Ok(condition)
}
