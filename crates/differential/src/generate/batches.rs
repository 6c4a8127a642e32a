//! BatchGetItem and BatchWriteItem.

use serde_json::{Map, Value, json};

use super::{Generator, touched};
use crate::expression::Placeholders;
use crate::expression::projection::{attributes_to_get, projection};
use crate::step::Step;

pub(super) fn batch_get_item(this: &mut Generator<'_>) -> Step {
    let mut requests = Map::new();
    let mut features = Vec::new();
    let tables = this.world.tables.clone();
    // Old and new forms must not be mixed, not even across tables.
    let form = this.random.below(4);
    for table in tables {
        if !requests.is_empty() && this.random.percent(30) {
            continue;
        }
        let most = this.random.between(1, 8);
        let mut request = json!({ "Keys": table.keys(this.random, most) });
        let sample = this.sample(&table);
        if form == 0 {
            let mut placeholders = Placeholders::default();
            let text = projection(this.random, &mut placeholders, sample.as_ref());
            request["ProjectionExpression"] = json!(text);
            placeholders.finish(&mut request);
        } else if form == 1 {
            request["AttributesToGet"] = json!(attributes_to_get(this.random, sample.as_ref()));
        }
        if this.random.percent(40) {
            request["ConsistentRead"] = json!(this.random.percent(50));
        }
        features.push(crate::step::Feature::Index("table"));
        requests.insert(table.name, request);
    }
    let mut body = json!({ "RequestItems": requests });
    this.capacity(&mut body);
    Step::call("BatchGetItem", body).with(features)
}

pub(super) fn batch_write_item(this: &mut Generator<'_>) -> Step {
    let mut requests = Map::new();
    let mut features = Vec::new();
    for table in this.world.tables.clone() {
        if !requests.is_empty() && this.random.percent(30) {
            continue;
        }
        let most = this.random.weighted(&[(8, 5), (2, 12)]);
        let mut writes: Vec<Value> = Vec::new();
        for key in table.keys(this.random, most) {
            writes.push(if this.random.percent(65) {
                let item = table.item(this.random, key);
                json!({ "PutRequest": { "Item": item } })
            } else {
                json!({ "DeleteRequest": { "Key": key } })
            });
        }
        features.extend(touched(&table));
        requests.insert(table.name, Value::Array(writes));
    }
    let mut body = json!({ "RequestItems": requests });
    this.capacity(&mut body);
    this.metrics(&mut body);
    Step::call("BatchWriteItem", body).with(features)
}
