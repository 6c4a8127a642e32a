//! GetItem, PutItem, UpdateItem, DeleteItem.

use serde_json::{Map, Value, json};

use super::{Generator, touched};
use crate::expression::condition::{Subject, condition};
use crate::expression::projection::{attributes_to_get, projection};
use crate::expression::{Placeholders, legacy, update};
use crate::step::{Feature, Step};

/// Marks the look at an item after [`removal_of_nothing`].
pub(crate) const REMOVAL_OF_NOTHING: &str = "look after a removal of nothing";

pub(super) fn put_item(this: &mut Generator<'_>) -> Step {
    let table = this.table();
    let key = table.key(this.random);
    let there = this.peek(&table, &key);
    // Now and then the same item again: a write that changes nothing.
    let item = match &there {
        Some(item) if this.random.percent(8) => item.clone(),
        _ => table.item(this.random, key),
    };
    let mut body = json!({ "TableName": table.name, "Item": item });
    let features = guard(this, &mut body, there.as_ref());
    returns(this, &mut body, &["NONE", "ALL_OLD"]);
    Step::call("PutItem", body).with(touched(&table)).with(features)
}

pub(super) fn delete_item(this: &mut Generator<'_>) -> Step {
    let table = this.table();
    let key = table.key(this.random);
    let there = this.peek(&table, &key);
    let mut body = json!({ "TableName": table.name, "Key": key });
    let features = guard(this, &mut body, there.as_ref());
    returns(this, &mut body, &["NONE", "ALL_OLD"]);
    Step::call("DeleteItem", body).with(touched(&table)).with(features)
}

pub(super) fn update_item(this: &mut Generator<'_>) -> Step {
    let table = this.table();
    let key = table.key(this.random);
    let there = this.peek(&table, &key);
    let mut body = json!({ "TableName": table.name, "Key": key });
    let features = if this.random.percent(15) {
        if this.random.percent(90) {
            legacy::attribute_updates(this.random, &mut body, there.as_ref());
        }
        if this.random.percent(50) {
            legacy::expected(this.random, &mut body, there.as_ref());
        }
        Vec::new()
    } else {
        let mut placeholders = Placeholders::default();
        let expression = update::update(this.random, &mut placeholders, &table, there.as_ref());
        body["UpdateExpression"] = json!(expression);
        if this.random.percent(45) {
            let subject = Subject { item: there.as_ref(), except: &[] };
            let text = condition(this.random, &mut placeholders, &subject);
            body["ConditionExpression"] = json!(text);
            on_failure(this, &mut body);
        }
        placeholders.finish(&mut body)
    };
    returns(this, &mut body, &["NONE", "ALL_OLD", "UPDATED_OLD", "ALL_NEW", "UPDATED_NEW"]);
    Step::call("UpdateItem", body).with(touched(&table)).with(features)
}

/// An update that only removes, of an item that is not there, a look at what it made, and the end
/// of it. Only without a stream, which would tell.
pub(super) fn removal_of_nothing(this: &mut Generator<'_>) -> Vec<Step> {
    let table = this.table();
    let key = table.key(this.random);
    if table.stream.is_some() || this.peek(&table, &key).is_some() {
        return vec![update_item(this)];
    }
    let body = json!({ "TableName": table.name, "Key": key });
    let mut update = body.clone();
    update["UpdateExpression"] = json!("REMOVE a");
    let mut look = Step::call("GetItem", body.clone());
    look.fault = Some(REMOVAL_OF_NOTHING);
    let mut removal = Step::call("UpdateItem", update);
    removal.fault = Some("removal of nothing");
    vec![removal, look, Step::call("DeleteItem", body)]
}

pub(super) fn get_item(this: &mut Generator<'_>) -> Step {
    let table = this.table();
    let key = table.key(this.random);
    let there = this.peek(&table, &key);
    let mut body = json!({ "TableName": table.name, "Key": key });
    let mut features = vec![Feature::Index("table")];
    match this.random.below(5) {
        0 | 1 => {
            let mut placeholders = Placeholders::default();
            let text = projection(this.random, &mut placeholders, there.as_ref());
            body["ProjectionExpression"] = json!(text);
            features.extend(placeholders.finish(&mut body));
        }
        2 => {
            body["AttributesToGet"] = json!(attributes_to_get(this.random, there.as_ref()));
        }
        _ => {}
    }
    if this.random.percent(40) {
        body["ConsistentRead"] = json!(this.random.percent(70));
    }
    this.capacity(&mut body);
    Step::call("GetItem", body).with(features)
}

/// A condition, old or new, on about half of the writes.
fn guard(
    this: &mut Generator<'_>,
    body: &mut Value,
    item: Option<&Map<String, Value>>,
) -> Vec<Feature> {
    match this.random.below(20) {
        0..=9 => {
            let mut placeholders = Placeholders::default();
            let subject = Subject { item, except: &[] };
            let text = condition(this.random, &mut placeholders, &subject);
            body["ConditionExpression"] = json!(text);
            on_failure(this, body);
            placeholders.finish(body)
        }
        10 | 11 => {
            legacy::expected(this.random, body, item);
            on_failure(this, body);
            Vec::new()
        }
        _ => Vec::new(),
    }
}

fn on_failure(this: &mut Generator<'_>, body: &mut Value) {
    if this.random.percent(40) {
        let choice = *this.random.pick(&["ALL_OLD", "ALL_OLD", "NONE"]);
        body["ReturnValuesOnConditionCheckFailure"] = json!(choice);
    }
}

fn returns(this: &mut Generator<'_>, body: &mut Value, choices: &[&str]) {
    if this.random.percent(60) {
        body["ReturnValues"] = json!(this.random.pick(choices));
    }
    this.capacity(body);
    this.metrics(body);
}
