//! Running a sequence: each step on both sides.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use crate::compare::normalise::walk;
use crate::party::{Failure, Outcome, Party};
use crate::step::{Action, Step};

/// Pages are not followed further than this.
const PAGES_MAX: usize = 300;
/// Rounds of background work that an index gets to become active.
const ROUNDS_MAX: usize = 50;

/// One side, with the names it has given to things.
pub struct Side {
    /// Who answers.
    pub party: Box<dyn Party>,
}

impl Side {
    /// Executes a step and gives one outcome for all of it.
    pub fn execute(&mut self, step: &Step) -> Outcome {
        match &step.action {
            Action::Call { operation, body } => {
                let body = self.resolved(body);
                self.party.call(operation, &body)
            }
            Action::Send { message, .. } => self.party.send(message),
            Action::Pages { operation: "Query", body, .. } => self.query(body),
            Action::Pages { body, is_large, .. } => self.scan(body, *is_large),
            Action::Segments { body, total } => self.segments(body, *total),
            Action::ReadStream { table, limit, .. } => self.read_stream(table, *limit),
            Action::AwaitActive { table } => self.await_active(table),
            Action::AwaitGone { table } => self.await_gone(table),
            Action::Recount { table, indexes } => self.recount(table, indexes),
        }
    }

    /// The body with this side's ARNs in place of the marks.
    fn resolved(&mut self, body: &Value) -> Value {
        let Value::Object(members) = body else { return body.clone() };
        let mut resolved = members.clone();
        for value in resolved.values_mut() {
            let Some(mark) = value.as_str().and_then(|text| text.strip_prefix('$')) else {
                continue;
            };
            let Some((kind, table)) = mark.split_once(':') else { continue };
            let member = if kind == "table_arn" { "TableArn" } else { "LatestStreamArn" };
            *value = self.describe(table)[member].clone();
        }
        Value::Object(resolved)
    }

    fn describe(&mut self, table: &str) -> Value {
        let outcome = self.party.call("DescribeTable", &json!({ "TableName": table }));
        outcome.answer().map(|answer| answer["Table"].clone()).unwrap_or_default()
    }

    /// All pages of a Query, each for itself.
    fn query(&mut self, body: &Value) -> Outcome {
        let mut pages = Vec::new();
        let last = self.pages("Query", body, |page| pages.push(page));
        last.unwrap_or(Outcome::Answer(json!({ "Pages": pages })))
    }

    /// A whole Scan. The order of partitions is each implementation's own; within a partition
    /// items stay in order.
    fn scan(&mut self, body: &Value, is_large: bool) -> Outcome {
        let mut total = Total::default();
        let last = self.pages("Scan", body, |page| total.add(page));
        let pages = total.pages;
        let mut answer = total.into_answer(body, true);
        if body.get("Limit").is_some() && !is_large {
            answer["Pages"] = json!(pages);
        }
        last.unwrap_or(Outcome::Answer(answer))
    }

    fn segments(&mut self, body: &Value, count: usize) -> Outcome {
        let mut total = Total::default();
        for segment in 0..count {
            let mut body = body.clone();
            body["Segment"] = json!(segment);
            body["TotalSegments"] = json!(count);
            if let Some(failure) = self.pages("Scan", &body, |page| total.add(page)) {
                return failure;
            }
        }
        Outcome::Answer(total.into_answer(body, false))
    }

    /// Follows pages to the end; gives an outcome only if something failed on the way.
    fn pages(
        &mut self,
        operation: &str,
        body: &Value,
        mut take: impl FnMut(Value),
    ) -> Option<Outcome> {
        let mut body = body.clone();
        for _ in 0..PAGES_MAX {
            let page = match self.party.call(operation, &body) {
                Outcome::Answer(page) => page,
                failure @ Outcome::Failure(_) => return Some(failure),
            };
            let next = page.get("LastEvaluatedKey").cloned();
            take(page);
            body["ExclusiveStartKey"] = next?;
        }
        Some(Outcome::Failure(Failure::new("Endless", "the pages do not end")))
    }

    /// The records of a stream, by key: only the order within a key is promised.
    fn read_stream(&mut self, table: &str, limit: usize) -> Outcome {
        let arn = self.describe(table)["LatestStreamArn"].clone();
        let described = self.party.call("DescribeStream", &json!({ "StreamArn": arn }));
        let Outcome::Answer(described) = described else { return described };
        let shards = described["StreamDescription"]["Shards"].as_array().cloned();
        let mut by_key: BTreeMap<String, Vec<Value>> = BTreeMap::new();
        let mut is_consistent = true;
        for shard in shards.unwrap_or_default() {
            let place = json!({ "StreamArn": arn, "ShardId": shard["ShardId"] });
            let records = match self.records(&place, "TRIM_HORIZON", None, limit) {
                Ok(records) => records,
                Err(outcome) => return outcome,
            };
            is_consistent &= self.starts_where_told(&place, &records);
            for record in records {
                let key = record["dynamodb"]["Keys"].to_string();
                by_key.entry(key).or_default().push(record);
            }
        }
        Outcome::Answer(json!({ "Records": by_key, "OtherStartsAgree": is_consistent }))
    }

    /// All records of a shard from a place on.
    fn records(
        &mut self,
        place: &Value,
        kind: &str,
        sequence_number: Option<&Value>,
        limit: usize,
    ) -> Result<Vec<Value>, Outcome> {
        let mut body = place.clone();
        body["ShardIteratorType"] = json!(kind);
        if let Some(number) = sequence_number {
            body["SequenceNumber"] = number.clone();
        }
        let mut iterator = match self.party.call("GetShardIterator", &body) {
            Outcome::Answer(answer) => answer["ShardIterator"].clone(),
            failure @ Outcome::Failure(_) => return Err(failure),
        };
        let mut all = Vec::new();
        for _ in 0..PAGES_MAX {
            let body = json!({ "ShardIterator": iterator, "Limit": limit });
            let answer = match self.party.call("GetRecords", &body) {
                Outcome::Answer(answer) => answer,
                failure @ Outcome::Failure(_) => return Err(failure),
            };
            let records = answer["Records"].as_array().cloned().unwrap_or_default();
            let is_end = records.is_empty();
            all.extend(records);
            match answer.get("NextShardIterator") {
                Some(next) if !is_end => iterator = next.clone(),
                _ => break,
            }
        }
        Ok(all)
    }

    /// Whether a record in the middle is found again by its number, and nothing after the last.
    fn starts_where_told(&mut self, place: &Value, records: &[Value]) -> bool {
        let Some(middle) = records.get(records.len() / 2) else { return true };
        let number = &middle["dynamodb"]["SequenceNumber"];
        let rest = &records[records.len() / 2..];
        let at = self.records(place, "AT_SEQUENCE_NUMBER", Some(number), 1000);
        let after = self.records(place, "AFTER_SEQUENCE_NUMBER", Some(number), 1000);
        let latest = self.records(place, "LATEST", None, 1000);
        at.as_deref() == Ok(rest) && after.as_deref() == Ok(&rest[1..]) && latest == Ok(Vec::new())
    }

    fn await_active(&mut self, table: &str) -> Outcome {
        for _ in 0..ROUNDS_MAX {
            let described = self.describe(table);
            let indexes = described["GlobalSecondaryIndexes"].as_array();
            let is_active = described["TableStatus"] == "ACTIVE"
                && indexes.into_iter().flatten().all(|index| index["IndexStatus"] == "ACTIVE");
            if is_active {
                return Outcome::Answer(json!({ "TableStatus": "ACTIVE" }));
            }
            if described.is_null() {
                break;
            }
            self.party.rest();
        }
        Outcome::Failure(Failure::new("NotActive", format!("{table} does not become active")))
    }

    /// What DescribeTable says in the end: that there is no such table, unless it is protected.
    fn await_gone(&mut self, table: &str) -> Outcome {
        for _ in 0..ROUNDS_MAX {
            let outcome = self.party.call("DescribeTable", &json!({ "TableName": table }));
            match outcome.answer() {
                Some(answer) if answer["Table"]["TableStatus"] == "DELETING" => self.party.rest(),
                Some(answer) => {
                    return Outcome::Answer(json!({ "Status": answer["Table"]["TableStatus"] }));
                }
                None => return outcome,
            }
        }
        Outcome::Failure(Failure::new("NotGone", format!("{table} does not go away")))
    }

    /// What DescribeTable says of the number of items, beside the number there is.
    fn recount(&mut self, table: &str, indexes: &[String]) -> Outcome {
        let described = self.describe(table);
        let mut counts = Map::new();
        let body = json!({ "TableName": table, "Select": "COUNT" });
        counts.insert(table.to_owned(), self.counted(&body, &described["ItemCount"]));
        for index in indexes {
            let mut body = body.clone();
            body["IndexName"] = json!(index);
            let described = ["GlobalSecondaryIndexes", "LocalSecondaryIndexes"]
                .iter()
                .filter_map(|list| described[*list].as_array())
                .flatten()
                .find(|entry| entry["IndexName"] == json!(index));
            let said = described.map(|entry| entry["ItemCount"].clone()).unwrap_or_default();
            counts.insert(index.clone(), self.counted(&body, &said));
        }
        Outcome::Answer(Value::Object(counts))
    }

    fn counted(&mut self, body: &Value, described: &Value) -> Value {
        let mut total = Total::default();
        match self.pages("Scan", body, |page| total.add(page)) {
            None if json!(total.count) == *described => json!(total.count),
            None => json!(format!("described as {described}, counted {}", total.count)),
            Some(failure) => json!(format!("{failure:?}")),
        }
    }
}

/// The sum of the pages of a Scan.
#[derive(Default)]
struct Total {
    pages: usize,
    items: Option<Vec<Value>>,
    count: u64,
    scanned_count: u64,
    consumed: Option<Value>,
}

impl Total {
    fn add(&mut self, mut page: Value) {
        walk(&mut page);
        self.pages += 1;
        self.count += page["Count"].as_u64().unwrap_or_default();
        self.scanned_count += page["ScannedCount"].as_u64().unwrap_or_default();
        if let Some(items) = page["Items"].as_array() {
            self.items.get_or_insert_default().extend(items.iter().cloned());
        }
        self.consumed = page.get("ConsumedCapacity").cloned();
    }

    /// Capacity is rounded for each page, so that it compares only if there was one.
    fn into_answer(self, body: &Value, is_whole: bool) -> Value {
        let mut answer = json!({ "Count": self.count, "ScannedCount": self.scanned_count });
        if let Some(mut items) = self.items {
            let by_partition = body.get("IndexName").is_none()
                && is_whole
                && items.iter().all(|item| item.get("pk").is_some());
            if by_partition {
                items.sort_by_key(|item| item["pk"].to_string());
            } else {
                items.sort_by_key(Value::to_string);
            }
            answer["Items"] = Value::Array(items);
        }
        if let Some(consumed) = self.consumed.filter(|_| is_whole && self.pages == 1) {
            answer["ConsumedCapacity"] = consumed;
        }
        answer
    }
}
