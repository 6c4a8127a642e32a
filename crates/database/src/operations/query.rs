//! Query: the items of one partition, in key order, a page at a time.
#![expect(missing_docs, reason = "the fields are DynamoDB's own, described in its API reference")]

use std::collections::BTreeMap;

use expressions::legacy::{self, ConditionalOperator, LegacyCondition};
use expressions::{Condition, KeyCondition, KeyRange, Projection};
use values::{AttributeValue, Item};

use crate::catalog::KeyAttribute;
use crate::expression_parameters::{Present, filter, projection};
use crate::read::{ItemForm, PageRequest, Shown, Target, check_select, meets};
use crate::shapes::{
    ConsumedCapacity, ExpressionAttributeNames, ExpressionAttributeValues, ReturnConsumedCapacity,
    Select,
};
use crate::{Database, Error, definition_checks, item_checks, text};

#[derive(Clone, Debug, Default, PartialEq)]
pub struct QueryRequest {
    pub table_name: String,
    pub index_name: Option<String>,
    pub key_condition_expression: Option<String>,
    pub filter_expression: Option<String>,
    pub projection_expression: Option<String>,
    pub expression_attribute_names: Option<ExpressionAttributeNames>,
    pub expression_attribute_values: Option<ExpressionAttributeValues>,
    pub key_conditions: Option<BTreeMap<String, LegacyCondition>>,
    pub query_filter: Option<BTreeMap<String, LegacyCondition>>,
    pub conditional_operator: Option<ConditionalOperator>,
    pub attributes_to_get: Option<Vec<String>>,
    pub select: Option<Select>,
    pub consistent_read: bool,
    /// Ascending unless `Some(false)`.
    pub scan_index_forward: Option<bool>,
    pub limit: Option<i64>,
    pub exclusive_start_key: Option<Item>,
    pub return_consumed_capacity: ReturnConsumedCapacity,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct QueryResponse<F = Item> {
    /// Absent with `Select` = `COUNT`.
    pub items: Option<Vec<F>>,
    pub count: u64,
    pub scanned_count: u64,
    pub last_evaluated_key: Option<Item>,
    pub consumed_capacity: Option<ConsumedCapacity>,
}

impl Database {
    /// Query: the items of one partition, in key order, a page at a time.
    pub async fn query(&self, request: QueryRequest) -> Result<QueryResponse, Error> {
        self.query_as(request).await
    }

    /// The same, with the items in another form.
    pub async fn query_as<F: ItemForm>(
        &self,
        request: QueryRequest,
    ) -> Result<QueryResponse<F>, Error> {
        let Parsed { key_condition, filter, projection } = parse(&request)?;
        let table = self.table("Query", &request.table_name)?;
        let target = Target::new(&table, request.index_name.as_deref(), request.consistent_read)?;
        let start_key =
            request.exclusive_start_key.as_ref().map(|key| target.start_key(key)).transpose()?;
        let range = key_condition.resolve(&target.hash_types(), &target.sort_types())?;
        target.check_values(&range)?;
        if let Some(start) = &request.exclusive_start_key {
            check_start_within(&target, &range, start)?;
        }
        if let Some(filter) = &filter {
            check_filter_names(&target, &request, filter)?;
            item_checks::no_path_into_keys(&table, filter.nested_attribute_names())?;
        }
        let (start, end) = target.range(&range)?;
        let shown = Shown::new(&target, request.select, projection)?;
        // Where the whole item is read, the filter sees all of it.
        if let Some(filter) = filter.as_ref().filter(|_| !shown.from_table) {
            target.check_filter(filter)?;
        }
        let mut page = PageRequest {
            target,
            start,
            end,
            reverse: request.scan_index_forward == Some(false),
            limit: request.limit.and_then(|limit| usize::try_from(limit).ok()),
            filter: filter.as_ref(),
            shown: &shown,
            consistent: request.consistent_read,
            bytes_before: 0,
        };
        if let Some(key) = start_key {
            page.resume_after(key);
        }
        let page = page.read(&*self.snapshot())?;
        Ok(QueryResponse {
            consumed_capacity: page.meter.report(
                &request.table_name,
                request.return_consumed_capacity,
                None,
            ),
            items: page.items,
            count: page.count,
            scanned_count: page.scanned_count,
            last_evaluated_key: page.last_evaluated_key,
        })
    }
}

const NO_KEY_CONDITION: &str = "Either the KeyConditions or KeyConditionExpression parameter must be specified in the request.";

struct Parsed {
    key_condition: KeyCondition,
    filter: Option<Condition>,
    projection: Option<Projection>,
}

fn parse(request: &QueryRequest) -> Result<Parsed, Error> {
    definition_checks::table_name(&request.table_name)?;
    if request.limit.is_some_and(|limit| limit < 1) {
        return Err(Error::Validation(text::at_least("Limit", 1)));
    }
    let has_older = request.attributes_to_get.is_some()
        || request.query_filter.is_some()
        || request.conditional_operator.is_some();
    let is_keyed_without_expression = request.key_condition_expression.is_none() && !has_older;
    let mut placeholders = Present {
        legacy: &[
            ("AttributesToGet", request.attributes_to_get.is_some()),
            ("QueryFilter", request.query_filter.is_some()),
            ("ConditionalOperator", request.conditional_operator.is_some()),
            // With an expression for anything but the key they are fine (rule 7).
            ("KeyConditions", request.key_conditions.is_some() && !is_keyed_without_expression),
        ],
        expressions: &[
            ("ProjectionExpression", request.projection_expression.is_some()),
            ("FilterExpression", request.filter_expression.is_some()),
            ("KeyConditionExpression", request.key_condition_expression.is_some()),
        ],
        names: request.expression_attribute_names.as_ref(),
        values: request.expression_attribute_values.as_ref(),
        listed_as_null: &["FilterExpression", "KeyConditionExpression"],
    }
    .check()?;
    check_select(
        request.select,
        request.attributes_to_get.is_some(),
        request.projection_expression.is_some(),
        request.index_name.is_some(),
    )?;
    let key_condition = match (&request.key_condition_expression, &request.key_conditions) {
        (Some(text), _) => placeholders.key_condition(text)?,
        (None, Some(conditions)) => legacy::key_condition(conditions)?,
        (None, None) => return Err(Error::Validation(NO_KEY_CONDITION.to_owned())),
    };
    let filter = filter(
        &mut placeholders,
        request.filter_expression.as_deref(),
        request.query_filter.as_ref(),
        request.conditional_operator,
    )?;
    let projection = projection(
        &mut placeholders,
        request.projection_expression.as_deref(),
        request.attributes_to_get.as_deref(),
    )?;
    placeholders.finish()?;
    if let Some(key) = &request.exclusive_start_key {
        item_checks::key_content(key)?;
    }
    Ok(Parsed { key_condition, filter, projection })
}

/// A filter is for what the key condition cannot say (rule 34).
fn check_filter_names(
    target: &Target<'_>,
    request: &QueryRequest,
    filter: &Condition,
) -> Result<(), Error> {
    let Some(name) = filter.attribute_names().find(|name| target.keys().contains(name)) else {
        return Ok(());
    };
    let parameter =
        if request.filter_expression.is_some() { "Filter Expression" } else { "QueryFilter" };
    Err(Error::Validation(text::key_in_filter(parameter, name)))
}

/// A start key that the key condition could never have led to is refused, with the service's own
/// order of reasons (rule 31).
fn check_start_within(target: &Target<'_>, range: &KeyRange, start: &Item) -> Result<(), Error> {
    let refuse = |message: &str| Err(Error::Validation(message.to_owned()));
    let at_most_one = "The query can return at most one row and cannot be restarted";
    let keys = target.keys();
    let holds = |(attribute, value): (&KeyAttribute, &AttributeValue)| {
        start.get(&attribute.name) == Some(value)
    };
    let mut hash: Vec<bool> = keys.hash.iter().zip(&range.hash).map(holds).collect();
    let last_hash = hash.pop().unwrap_or(true);
    if hash.contains(&false) {
        return refuse(at_most_one);
    }
    let within = keys.sort.iter().zip(&range.sort).all(|(attribute, condition)| {
        start.get(&attribute.name).is_some_and(|value| meets(condition, value))
    });
    if !within {
        return refuse("The provided starting key does not match the range key predicate");
    }
    match (last_hash, range.sort.is_empty()) {
        (true, _) => Ok(()),
        (false, false) => refuse(at_most_one),
        (false, true) if target.index.is_none() && keys.sort.is_empty() => {
            refuse("The provided exclusive start key is invalid")
        }
        (false, true) => refuse(
            "The provided starting key is outside query boundaries based on provided conditions",
        ),
    }
}
