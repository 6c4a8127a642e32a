//! Query and Scan, on tables and indexes.

use serde_json::{Map, Value, json};

use super::{Generator, kind_of};
use crate::expression::condition::{Subject, condition};
use crate::expression::key_condition::{Keys, key_condition};
use crate::expression::projection::{attributes_to_get, projection};
use crate::expression::{Placeholders, legacy};
use crate::random::Random;
use crate::step::{Action, Step};
use crate::world::{Index, IndexKind, KeyAttribute, Projection, Table};

pub(super) fn query(this: &mut Generator<'_>) -> Step {
    let table = this.table();
    let index = pick_index(this.random, &table);
    let sample = this.sample(&table);
    let mut body = json!({ "TableName": table.name });
    let mut placeholders = Placeholders::default();
    let keys = query_keys(this.random, &table, index.as_ref(), sample.as_ref());
    let names: Vec<&str> =
        keys.hash.iter().chain(&keys.sort).map(|(key, _)| key.name.as_str()).collect();
    // The old form has one hash and one sort attribute.
    let is_legacy = this.random.percent(15) && keys.hash.len() == 1 && keys.sort.len() < 2;
    if is_legacy {
        let sort = keys.sort.first().map(|(key, value)| (*key, value, &keys.other[0]));
        legacy::key_conditions(this.random, &mut body, (keys.hash[0].0, &keys.hash[0].1), sort);
        if this.random.percent(40) {
            legacy::filter(this.random, &mut body, "QueryFilter", sample.as_ref(), &names);
        }
    } else {
        let text = key_condition(this.random, &mut placeholders, &keys);
        body["KeyConditionExpression"] = json!(text);
        if this.random.percent(40) {
            let subject = Subject { item: sample.as_ref(), except: &names };
            let text = condition(this.random, &mut placeholders, &subject);
            body["FilterExpression"] = json!(text);
        }
    }
    if this.random.percent(40) {
        body["ScanIndexForward"] = json!(this.random.percent(40));
    }
    start(this, &mut body, &table, index.as_ref(), &keys);
    select(this, &mut body, &mut placeholders, index.as_ref(), sample.as_ref(), is_legacy);
    let features = placeholders.finish(&mut body);
    let order_by = keys.sort.iter().map(|(key, _)| key.name.clone()).collect();
    let action = Action::Pages { operation: "Query", body, order_by, is_large: table.is_large };
    Step { action, features: vec![kind_of(index.as_ref())], fault: None }.with(features)
}

pub(super) fn scan(this: &mut Generator<'_>) -> Step {
    let table = this.table();
    let index = pick_index(this.random, &table);
    let sample = this.sample(&table);
    let mut body = json!({ "TableName": table.name });
    let mut placeholders = Placeholders::default();
    let is_legacy = this.random.percent(20);
    if this.random.percent(60) {
        if is_legacy {
            legacy::filter(this.random, &mut body, "ScanFilter", sample.as_ref(), &[]);
        } else {
            let subject = Subject { item: sample.as_ref(), except: &[] };
            let text = condition(this.random, &mut placeholders, &subject);
            body["FilterExpression"] = json!(text);
        }
    }
    select(this, &mut body, &mut placeholders, index.as_ref(), sample.as_ref(), is_legacy);
    let features = placeholders.finish(&mut body);
    let action = if this.random.percent(25) {
        Action::Segments { body, total: this.random.between(1, 5) }
    } else {
        Action::Pages { operation: "Scan", body, order_by: Vec::new(), is_large: table.is_large }
    };
    Step { action, features: vec![kind_of(index.as_ref())], fault: None }.with(features)
}

fn pick_index(random: &mut Random, table: &Table) -> Option<Index> {
    (!table.indexes.is_empty() && random.percent(60)).then(|| random.pick(&table.indexes).clone())
}

/// The key attributes with values: those of the sample, mostly.
fn query_keys<'a>(
    random: &mut Random,
    table: &'a Table,
    index: Option<&'a Index>,
    sample: Option<&Map<String, Value>>,
) -> Keys<'a> {
    let (hash, sort): (Vec<&KeyAttribute>, Vec<&KeyAttribute>) = match index {
        Some(index) => (index.hash.iter().collect(), index.sort.iter().collect()),
        None => (vec![&table.hash], table.sort.iter().collect()),
    };
    let mut value = |attribute: &KeyAttribute, is_kept: bool| {
        let there = sample.and_then(|sample| sample.get(&attribute.name)).filter(|_| is_kept);
        there.cloned().unwrap_or_else(|| table.value_for(random, attribute))
    };
    Keys {
        hash: hash.into_iter().map(|key| (key, value(key, true))).collect(),
        other: sort.iter().map(|key| value(key, false)).collect(),
        sort: sort.into_iter().map(|key| (key, value(key, true))).collect(),
    }
}

impl Table {
    fn value_for(&self, random: &mut Random, attribute: &KeyAttribute) -> Value {
        if *attribute == self.hash {
            return random.pick(&self.hash_values).clone();
        }
        if self.sort.as_ref() == Some(attribute) {
            return random.pick(&self.sort_values).clone();
        }
        self.index_value(random, attribute)
    }
}

/// A place to start from, now and then: of a table or a local index, where order is the same on
/// both sides. It need not exist, and it may lie outside of what is asked for. Not without a sort
/// key: there the other side starts over (docs/behaviour.md, rule 31).
fn start(
    this: &mut Generator<'_>,
    body: &mut Value,
    table: &Table,
    index: Option<&Index>,
    keys: &Keys<'_>,
) {
    let is_ordered = index.is_none_or(|index| index.kind != IndexKind::Global);
    if keys.sort.is_empty() || !is_ordered || !this.random.percent(12) {
        return;
    }
    let mut key = table.key(this.random);
    for (attribute, value) in keys.hash.iter().chain(&keys.sort) {
        let is_kept = attribute.name == table.hash.name && this.random.percent(90);
        let value = if is_kept { value.clone() } else { table.value_for(this.random, attribute) };
        key.insert(attribute.name.clone(), value);
    }
    body["ExclusiveStartKey"] = Value::Object(key);
}

/// What is returned, of which index, how consistent, how many at a time.
fn select(
    this: &mut Generator<'_>,
    body: &mut Value,
    placeholders: &mut Placeholders,
    index: Option<&Index>,
    sample: Option<&Map<String, Value>>,
    is_legacy: bool,
) {
    if let Some(index) = index {
        body["IndexName"] = json!(index.name);
    }
    let is_global = index.is_some_and(|index| index.kind == IndexKind::Global);
    if !is_global && this.random.percent(30) {
        body["ConsistentRead"] = json!(true);
    }
    match this.random.below(8) {
        0 => body["Select"] = json!("COUNT"),
        1 if !is_global || index.is_some_and(|index| index.projection == Projection::All) => {
            body["Select"] = json!("ALL_ATTRIBUTES");
        }
        2 if index.is_some() => body["Select"] = json!("ALL_PROJECTED_ATTRIBUTES"),
        3 | 4 => {
            // Of a global index only what it holds may be asked for.
            let visible = sample.map(|sample| projected(sample, index.filter(|_| is_global)));
            if is_legacy {
                let names = attributes_to_get(this.random, visible.as_ref());
                body["AttributesToGet"] = json!(names);
            } else {
                let text = projection(this.random, placeholders, visible.as_ref());
                body["ProjectionExpression"] = json!(text);
            }
            if this.random.percent(30) {
                body["Select"] = json!("SPECIFIC_ATTRIBUTES");
            }
        }
        _ => {}
    }
    if this.random.percent(45) {
        body["Limit"] = json!(this.random.between(1, 6));
    }
    this.capacity(body);
}

fn projected(item: &Map<String, Value>, index: Option<&Index>) -> Map<String, Value> {
    let mut visible = item.clone();
    if let Some(index) = index
        && let Projection::KeysOnly | Projection::Include(_) = &index.projection
    {
        let included = match &index.projection {
            Projection::Include(names) => names.clone(),
            _ => Vec::new(),
        };
        visible.retain(|name, _| {
            ["pk", "sk"].contains(&name.as_str())
                || name.starts_with('g')
                || included.contains(&name.as_str())
        });
    }
    visible
}
