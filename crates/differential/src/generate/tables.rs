//! Steps on tables as a whole: indexes that come and go, streams, time to live, tags.

use serde_json::{Value, json};

use super::Generator;
use crate::step::{Action, Step};
use crate::world::{IndexKind, Table};

pub(super) fn table_step(this: &mut Generator<'_>) -> Vec<Step> {
    match this.random.below(12) {
        0 => add_index(this),
        1 => remove_index(this),
        2 => change_stream(this),
        3 => vec![describe(this, "DescribeTable")],
        4 => vec![time_to_live(this)],
        5 => vec![describe(this, "DescribeTimeToLive")],
        6 | 7 => vec![tags(this)],
        8 => vec![other_setting(this)],
        9 => vec![list_tables(this)],
        10 => vec![create_again(this)],
        _ => vec![read_stream(this)],
    }
}

fn waiting(table: &Table, step: Step) -> Vec<Step> {
    let action = Action::AwaitActive { table: table.name.clone() };
    vec![step, Step { action, features: Vec::new(), fault: None }]
}

fn add_index(this: &mut Generator<'_>) -> Vec<Step> {
    let number = this.random.below(this.world.tables.len());
    let table = &this.world.tables[number];
    if table.indexes.len() >= 5 {
        return remove_index(this);
    }
    let index = table.new_index_of(this.random, IndexKind::Global);
    let body = json!({
        "TableName": table.name,
        "AttributeDefinitions": index.definitions(),
        "GlobalSecondaryIndexUpdates": [{ "Create": index.request(table.is_provisioned) }],
    });
    let steps = waiting(table, Step::call("UpdateTable", body));
    this.world.tables[number].indexes.push(index);
    steps
}

fn remove_index(this: &mut Generator<'_>) -> Vec<Step> {
    let number = this.random.below(this.world.tables.len());
    let table = &this.world.tables[number];
    let global = table.indexes.iter().position(|index| index.kind == IndexKind::Global);
    let Some(position) = global else { return vec![describe(this, "DescribeTable")] };
    let body = json!({
        "TableName": table.name,
        "GlobalSecondaryIndexUpdates": [
            { "Delete": { "IndexName": table.indexes[position].name } },
        ],
    });
    let steps = waiting(table, Step::call("UpdateTable", body));
    this.world.tables[number].indexes.remove(position);
    steps
}

fn change_stream(this: &mut Generator<'_>) -> Vec<Step> {
    let number = this.random.below(this.world.tables.len());
    let table = &this.world.tables[number];
    let (specification, stream) = match table.stream {
        Some(_) => (json!({ "StreamEnabled": false }), None),
        None => {
            let view = *this.random.pick(&["NEW_AND_OLD_IMAGES", "KEYS_ONLY"]);
            (json!({ "StreamEnabled": true, "StreamViewType": view }), Some(view))
        }
    };
    let body = json!({ "TableName": table.name, "StreamSpecification": specification });
    let steps = waiting(table, Step::call("UpdateTable", body));
    let table = &mut this.world.tables[number];
    table.is_stream_restarted |= table.stream.is_some();
    table.stream = stream;
    steps
}

fn describe(this: &mut Generator<'_>, operation: &'static str) -> Step {
    let table = this.table();
    Step::call(operation, json!({ "TableName": table.name }))
}

/// Time to live changes once; a second change is refused, but the reference makes it.
fn time_to_live(this: &mut Generator<'_>) -> Step {
    let number = this.random.below(this.world.tables.len());
    let is_changed = this.world.tables[number].is_time_to_live_changed;
    if is_changed && this.random.percent(80) {
        return describe(this, "DescribeTimeToLive");
    }
    let table = &mut this.world.tables[number];
    table.is_time_to_live_changed = true;
    let specification = json!({
        "AttributeName": this.random.pick(&["expires", "num"]),
        "Enabled": this.random.percent(90),
    });
    let body = json!({ "TableName": table.name, "TimeToLiveSpecification": specification });
    Step::call("UpdateTimeToLive", body)
}

fn tags(this: &mut Generator<'_>) -> Step {
    let table = this.table();
    let arn = format!("$table_arn:{}", table.name);
    let keys = this.random.some(&["owner", "stage", "cost"], 2);
    match this.random.below(3) {
        0 => {
            let tag = |key: &&str| json!({ "Key": key, "Value": "value" });
            let tags: Vec<Value> = keys.iter().map(tag).collect();
            Step::call("TagResource", json!({ "ResourceArn": arn, "Tags": tags }))
        }
        1 => Step::call("UntagResource", json!({ "ResourceArn": arn, "TagKeys": keys })),
        _ => Step::call("ListTagsOfResource", json!({ "ResourceArn": arn })),
    }
}

fn other_setting(this: &mut Generator<'_>) -> Step {
    let table = this.table();
    let is_protected = this.random.percent(50);
    let body = json!({ "TableName": table.name, "DeletionProtectionEnabled": is_protected });
    Step::call("UpdateTable", body)
}

fn list_tables(this: &mut Generator<'_>) -> Step {
    let mut body = json!({});
    if this.random.percent(50) {
        body["Limit"] = json!(this.random.between(1, 3));
    }
    if this.random.percent(30) {
        body["ExclusiveStartTableName"] = json!("table0");
    }
    Step::call("ListTables", body)
}

/// A table that is there already.
fn create_again(this: &mut Generator<'_>) -> Step {
    let table = this.table();
    Step::call("CreateTable", table.create_request())
}

fn read_stream(this: &mut Generator<'_>) -> Step {
    let table = this.table();
    if table.stream.is_none() {
        return Step::call("ListStreams", json!({ "TableName": table.name }));
    }
    match this.random.below(3) {
        0 => Step::call("ListStreams", json!({ "TableName": table.name })),
        1 => {
            let arn = format!("$stream_arn:{}", table.name);
            Step::call("DescribeStream", json!({ "StreamArn": arn }))
        }
        _ => {
            let limit = this.random.between(1, 20);
            let is_restarted = table.is_stream_restarted;
            let action = Action::ReadStream { table: table.name, limit, is_restarted };
            Step { action, features: Vec::new(), fault: None }
        }
    }
}
