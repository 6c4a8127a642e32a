//! Scan: every item of a table or index, a page at a time, in one or many segments.
#![expect(missing_docs, reason = "the fields are DynamoDB's own, described in its API reference")]

use bytes::Bytes;
use expressions::legacy::{ConditionalOperator, LegacyCondition};
use expressions::{Condition, Projection};
use std::collections::BTreeMap;
use values::{Item, limits};

use crate::expression_parameters::{Present, filter, projection};
use crate::read::{ItemForm, PageRequest, Shown, Target, check_select};
use crate::shapes::{
    ConsumedCapacity, ExpressionAttributeNames, ExpressionAttributeValues, ReturnConsumedCapacity,
    Select,
};
use crate::{Database, Error, definition_checks, item_checks, keys, text};

#[derive(Clone, Debug, Default, PartialEq)]
pub struct ScanRequest {
    pub table_name: String,
    pub index_name: Option<String>,
    pub filter_expression: Option<String>,
    pub projection_expression: Option<String>,
    pub expression_attribute_names: Option<ExpressionAttributeNames>,
    pub expression_attribute_values: Option<ExpressionAttributeValues>,
    pub scan_filter: Option<BTreeMap<String, LegacyCondition>>,
    pub conditional_operator: Option<ConditionalOperator>,
    pub attributes_to_get: Option<Vec<String>>,
    pub select: Option<Select>,
    pub consistent_read: bool,
    pub limit: Option<i64>,
    pub segment: Option<i64>,
    pub total_segments: Option<i64>,
    pub exclusive_start_key: Option<Item>,
    pub return_consumed_capacity: ReturnConsumedCapacity,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct ScanResponse<F = Item> {
    /// Absent with `Select` = `COUNT`.
    pub items: Option<Vec<F>>,
    pub count: u64,
    pub scanned_count: u64,
    pub last_evaluated_key: Option<Item>,
    pub consumed_capacity: Option<ConsumedCapacity>,
}

impl Database {
    /// Scan: every item of a table or index, a page at a time, in one or many segments.
    pub async fn scan(&self, request: ScanRequest) -> Result<ScanResponse, Error> {
        self.scan_as(request).await
    }

    /// The same, with the items in another form.
    pub async fn scan_as<F: ItemForm>(
        &self,
        request: ScanRequest,
    ) -> Result<ScanResponse<F>, Error> {
        let (filter, projection) = parse(&request)?;
        let segment = Segment::new(&request)?;
        let table = self.table("Scan", &request.table_name)?;
        let target = Target::new(&table, request.index_name.as_deref(), request.consistent_read)?;
        let nested = filter.iter().flat_map(Condition::nested_attribute_names);
        item_checks::no_path_into_keys(&table, nested)?;
        let shown = Shown::new(&target, request.select, projection)?;
        let (start, end) = segment.range(target.prefix());
        let mut page = PageRequest {
            target,
            start,
            end,
            reverse: false,
            limit: request.limit.and_then(|limit| usize::try_from(limit).ok()),
            filter: filter.as_ref(),
            shown: &shown,
            consistent: request.consistent_read,
            bytes_before: 0,
        };
        if let Some(key) = &request.exclusive_start_key {
            let key = target.start_key(key)?;
            if key < page.start || key >= page.end {
                return Err(Error::Validation(segment.foreign_start_key()));
            }
            page.resume_after(key);
        }
        let page = page.read(&*self.snapshot())?;
        Ok(ScanResponse {
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

/// One of several equal parts of the bucket space (see [`crate::keys`]).
#[derive(Clone, Copy)]
struct Segment {
    number: u64,
    total: u64,
}

impl Segment {
    fn new(request: &ScanRequest) -> Result<Segment, Error> {
        let message = match (request.segment, request.total_segments) {
            (Some(number), Some(total)) if number >= total => {
                return Err(Error::Validation(format!(
                    "The Segment parameter is zero-based and must be less than parameter TotalSegments: Segment: {number} is not less than TotalSegments: {total}"
                )));
            }
            (None, None) => return Ok(Segment { number: 0, total: 1 }),
            (Some(number), Some(total)) => {
                let unsigned = |value: i64| u64::try_from(value).unwrap_or_default();
                return Ok(Segment { number: unsigned(number), total: unsigned(total) });
            }
            (Some(_), None) => {
                "The TotalSegments parameter is required but was not present in the request when Segment parameter is present"
            }
            (None, Some(_)) => {
                "The Segment parameter is required but was not present in the request when parameter TotalSegments is present"
            }
        };
        Err(Error::Validation(message.to_owned()))
    }

    /// The storage keys of this segment, under a table's or index's prefix.
    fn range(&self, prefix: Vec<u8>) -> (Bytes, Bytes) {
        let bound = |segment: u64| {
            let bucket = u32::try_from((segment << 32) / self.total).ok()?;
            let mut bytes = prefix.clone();
            bytes.extend_from_slice(&bucket.to_be_bytes());
            Some(Bytes::from(bytes))
        };
        let start = if self.number == 0 { None } else { bound(self.number) };
        let end = bound(self.number + 1);
        (
            start.unwrap_or_else(|| prefix.clone().into()),
            end.unwrap_or_else(|| keys::prefix_end(&prefix)),
        )
    }

    fn foreign_start_key(&self) -> String {
        format!(
            "The provided starting key is invalid: Invalid ExclusiveStartKey. Please use ExclusiveStartKey with correct Segment. TotalSegments: {} Segment: {}",
            self.total, self.number
        )
    }
}

fn parse(request: &ScanRequest) -> Result<(Option<Condition>, Option<Projection>), Error> {
    definition_checks::table_name(&request.table_name)?;
    check_numbers(request)?;
    let mut placeholders = Present {
        legacy: &[
            ("AttributesToGet", request.attributes_to_get.is_some()),
            ("ScanFilter", request.scan_filter.is_some()),
            ("ConditionalOperator", request.conditional_operator.is_some()),
        ],
        expressions: &[
            ("ProjectionExpression", request.projection_expression.is_some()),
            ("FilterExpression", request.filter_expression.is_some()),
        ],
        names: request.expression_attribute_names.as_ref(),
        values: request.expression_attribute_values.as_ref(),
        listed_as_null: &["FilterExpression"],
    }
    .check()?;
    check_select(
        request.select,
        request.attributes_to_get.is_some(),
        request.projection_expression.is_some(),
        request.index_name.is_some(),
    )?;
    let filter = filter(
        &mut placeholders,
        request.filter_expression.as_deref(),
        request.scan_filter.as_ref(),
        request.conditional_operator,
    )?;
    let projection = projection(
        &mut placeholders,
        request.projection_expression.as_deref(),
        request.attributes_to_get.as_deref(),
    )?;
    placeholders.finish()?;
    if let Some(key) = &request.exclusive_start_key {
        let invalid = |error| format!("{}: {error}", text::START_KEY_INVALID);
        item_checks::key_content(key).map_err(|error| Error::Validation(invalid(error)))?;
    }
    Ok((filter, projection))
}

fn check_numbers(request: &ScanRequest) -> Result<(), Error> {
    let total_max = i64::from(limits::TOTAL_SEGMENTS_MAX);
    let bounds = [
        ("Limit", request.limit, 1, i64::MAX),
        ("Segment", request.segment, 0, total_max - 1),
        ("TotalSegments", request.total_segments, 1, total_max),
    ];
    for (member, value, minimum, maximum) in bounds {
        let Some(value) = value else { continue };
        if value < minimum {
            return Err(Error::Validation(text::at_least(member, minimum)));
        }
        if value > maximum {
            return Err(Error::Validation(text::at_most(member, maximum)));
        }
    }
    Ok(())
}
