//! TransactGetItems and TransactWriteItems, with tokens and their replays.

use serde_json::{Map, Value, json};

use super::{Generator, touched};
use crate::expression::condition::{Subject, condition};
use crate::expression::projection::projection;
use crate::expression::{Placeholders, update};
use crate::step::{Feature, Step};
use crate::world::Table;

pub(super) fn transact_get_items(this: &mut Generator<'_>) -> Step {
    let mut items = Vec::new();
    for (table, key) in targets(this, 5) {
        let mut get = json!({ "TableName": table.name, "Key": key });
        if this.random.percent(35) {
            let there = this.peek(&table, &key);
            let mut placeholders = Placeholders::default();
            let text = projection(this.random, &mut placeholders, there.as_ref());
            get["ProjectionExpression"] = json!(text);
            placeholders.finish(&mut get);
        }
        items.push(json!({ "Get": get }));
    }
    let mut body = json!({ "TransactItems": items });
    this.capacity(&mut body);
    Step::call("TransactGetItems", body).with(vec![Feature::Index("table")])
}

pub(super) fn transact_write_items(this: &mut Generator<'_>) -> Step {
    if !this.world.tokens.is_empty() && this.random.percent(20) {
        return replay(this);
    }
    let mut items = Vec::new();
    let mut features = Vec::new();
    for (table, key) in targets(this, 4) {
        let (name, action, used) = action(this, &table, key);
        items.push(json!({ name: action }));
        features.extend(used);
        features.extend(touched(&table));
    }
    let mut body = json!({ "TransactItems": items });
    this.capacity(&mut body);
    this.metrics(&mut body);
    if this.random.percent(40) {
        body["ClientRequestToken"] = json!(format!("token-{}", this.world.tokens.len()));
        this.world.tokens.push(body.clone());
    }
    Step::call("TransactWriteItems", body).with(features)
}

/// The same token again: with the same body, or with another.
fn replay(this: &mut Generator<'_>) -> Step {
    let mut body = this.random.pick(&this.world.tokens).clone();
    if this.random.percent(30)
        && let Some(items) = body["TransactItems"].as_array_mut()
    {
        let table = &this.world.tables[0];
        let key = table.key(this.random);
        items.truncate(1);
        items[0] = json!({ "Delete": { "TableName": table.name, "Key": key } });
    }
    this.capacity(&mut body);
    let mut step = Step::call("TransactWriteItems", body);
    step.fault = Some("token used again");
    step
}

/// Keys of one or more tables, all different.
fn targets(this: &mut Generator<'_>, most: usize) -> Vec<(Table, Map<String, Value>)> {
    let mut targets: Vec<(Table, Map<String, Value>)> = Vec::new();
    for _ in 0..this.random.between(1, most) {
        let table = this.table();
        let key = table.key(this.random);
        if !targets.iter().any(|(known, other)| known.name == table.name && *other == key) {
            targets.push((table, key));
        }
    }
    targets
}

fn action(
    this: &mut Generator<'_>,
    table: &Table,
    key: Map<String, Value>,
) -> (&'static str, Value, Vec<Feature>) {
    let there = this.peek(table, &key);
    let mut placeholders = Placeholders::default();
    let mut action = json!({ "TableName": table.name });
    let name = *this.random.pick(&["Put", "Update", "Delete", "ConditionCheck"]);
    match name {
        "Put" => action["Item"] = Value::Object(table.item(this.random, key)),
        "Update" => {
            action["Key"] = Value::Object(key);
            let text = update::update(this.random, &mut placeholders, table, there.as_ref());
            action["UpdateExpression"] = json!(text);
        }
        _ => action["Key"] = Value::Object(key),
    }
    if name == "ConditionCheck" || this.random.percent(25) {
        let subject = Subject { item: there.as_ref(), except: &[] };
        let text = condition(this.random, &mut placeholders, &subject);
        action["ConditionExpression"] = json!(text);
        if this.random.percent(50) {
            action["ReturnValuesOnConditionCheckFailure"] = json!("ALL_OLD");
        }
    }
    let features = placeholders.finish(&mut action);
    (name, action, features)
}
