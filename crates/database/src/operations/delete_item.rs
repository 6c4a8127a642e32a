//! DeleteItem: remove an item.
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
use crate::write::{Mutation, PreparedWrite};
use crate::{Database, Error, collections, definition_checks, item_checks, text};

#[derive(Clone, Debug, Default, PartialEq)]
pub struct DeleteItemRequest {
    pub table_name: String,
    pub key: Item,
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
pub struct DeleteItemResponse {
    pub attributes: Option<Item>,
    pub consumed_capacity: Option<ConsumedCapacity>,
    pub item_collection_metrics: Option<ItemCollectionMetrics>,
}

impl Database {
    /// DeleteItem: remove an item.
    pub async fn delete_item(
        &self,
        request: DeleteItemRequest,
    ) -> Result<DeleteItemResponse, Error> {
        definition_checks::table_name(&request.table_name)?;
        let condition = parse(&request).map_err(ParameterProblem::in_envelope)?;
        item_checks::key_content(&request.key).map_err(text::in_envelope)?;
        let table = self.table("DeleteItem", &request.table_name)?;
        let key = item_checks::key(&table, &request.key)?;
        let nested = condition.iter().flat_map(Condition::nested_attribute_names);
        item_checks::no_path_into_keys(&table, nested)?;
        let written = self
            .write(PreparedWrite {
                table: Arc::clone(&table),
                key,
                mutation: Mutation::Delete,
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
        Ok(DeleteItemResponse {
            consumed_capacity: written
                .capacity(&request.table_name, request.return_consumed_capacity),
            item_collection_metrics,
            attributes: written.old.filter(|_| request.return_values == ReturnValues::AllOld),
        })
    }
}

fn parse(request: &DeleteItemRequest) -> Result<Option<Condition>, ParameterProblem> {
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
