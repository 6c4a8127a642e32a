//! The parameters that came before expressions.

use serde_json::{Map, Value, json};

use super::condition::ordered;
use crate::random::Random;
use crate::world::value::{any, of_type, type_of};
use crate::world::{ATTRIBUTES, KeyAttribute};

/// `Expected`, and perhaps a `ConditionalOperator`, put into the body.
pub fn expected(random: &mut Random, body: &mut Value, item: Option<&Map<String, Value>>) {
    let mut expected = Map::new();
    for name in names(random, item, &[]) {
        let value = item.and_then(|item| item.get(&name));
        expected.insert(name, expectation(random, value));
    }
    operator(random, body, expected.len());
    body["Expected"] = Value::Object(expected);
}

fn expectation(random: &mut Random, value: Option<&Value>) -> Value {
    match (random.below(3), value) {
        (0, Some(value)) => json!({ "Value": value }),
        (0, None) => json!({ "Exists": false }),
        (1, Some(value)) => json!({ "Exists": true, "Value": value }),
        _ => condition(random, value),
    }
}

/// `QueryFilter` or `ScanFilter`.
pub fn filter(
    random: &mut Random,
    body: &mut Value,
    member: &str,
    item: Option<&Map<String, Value>>,
    except: &[&str],
) {
    let mut conditions = Map::new();
    for name in names(random, item, except) {
        let value = item.and_then(|item| item.get(&name));
        conditions.insert(name, condition(random, value));
    }
    operator(random, body, conditions.len());
    body[member] = Value::Object(conditions);
}

fn operator(random: &mut Random, body: &mut Value, count: usize) {
    if count > 1 && random.percent(50) {
        body["ConditionalOperator"] = json!(random.pick(&["AND", "OR"]));
    }
}

fn names(random: &mut Random, item: Option<&Map<String, Value>>, except: &[&str]) -> Vec<String> {
    let mut names: Vec<String> = ATTRIBUTES.iter().map(|name| (*name).to_owned()).collect();
    names.extend(item.into_iter().flatten().map(|(name, _)| name.clone()));
    names.sort_unstable();
    names.dedup();
    names.retain(|name| !except.contains(&name.as_str()));
    let most = random.between(1, 3);
    random.some(&names, most)
}

fn condition(random: &mut Random, value: Option<&Value>) -> Value {
    let operators = [
        "EQ",
        "NE",
        "IN",
        "LE",
        "LT",
        "GE",
        "GT",
        "BETWEEN",
        "NOT_NULL",
        "NULL",
        "CONTAINS",
        "NOT_CONTAINS",
        "BEGINS_WITH",
    ];
    let operator = *random.pick(&operators);
    let kinds: &[&'static str] = match operator {
        "EQ" | "NE" => &["S", "N", "B", "BOOL", "NULL", "M", "L", "SS", "NS", "BS"],
        "BEGINS_WITH" => &["S", "B"],
        _ => &["S", "N", "B"],
    };
    let first = match value.filter(|value| kinds.contains(&type_of(value))) {
        Some(value) if random.percent(60) => value.clone(),
        Some(value) => of_type(random, type_of(value)),
        None => {
            let kind = *random.pick(kinds);
            of_type(random, kind)
        }
    };
    let list = match operator {
        "NULL" | "NOT_NULL" => return json!({ "ComparisonOperator": operator }),
        "BETWEEN" => {
            let second = of_type(random, type_of(&first));
            let (lower, upper) = ordered(first, second);
            vec![lower, upper]
        }
        "IN" => {
            let kind = type_of(&first);
            let count = random.below(3);
            std::iter::once(first).chain((0..count).map(|_| of_type(random, kind))).collect()
        }
        _ => vec![first],
    };
    json!({ "ComparisonOperator": operator, "AttributeValueList": list })
}

/// `KeyConditions`.
pub fn key_conditions(
    random: &mut Random,
    body: &mut Value,
    hash: (&KeyAttribute, &Value),
    sort: Option<(&KeyAttribute, &Value, &Value)>,
) {
    let mut conditions = Map::new();
    let (attribute, value) = hash;
    conditions.insert(
        attribute.name.clone(),
        json!({ "ComparisonOperator": "EQ", "AttributeValueList": [value] }),
    );
    if let Some((attribute, value, other)) = sort.filter(|_| random.percent(60)) {
        let mut operators = vec!["EQ", "LE", "LT", "GE", "GT", "BETWEEN"];
        if attribute.kind != "N" {
            operators.push("BEGINS_WITH");
        }
        let operator = *random.pick(&operators);
        let list = if operator == "BETWEEN" {
            let (lower, upper) = ordered(value.clone(), other.clone());
            json!([lower, upper])
        } else {
            json!([value])
        };
        conditions.insert(
            attribute.name.clone(),
            json!({ "ComparisonOperator": operator, "AttributeValueList": list }),
        );
    }
    body["KeyConditions"] = Value::Object(conditions);
}

/// `AttributeUpdates`.
pub fn attribute_updates(random: &mut Random, body: &mut Value, item: Option<&Map<String, Value>>) {
    let mut updates = Map::new();
    let most = random.between(1, 3);
    for name in random.some(&ATTRIBUTES, most) {
        let kind = item.and_then(|item| item.get(name)).map(type_of);
        let update = match (random.below(4), kind) {
            (0, _) => json!({ "Action": "DELETE" }),
            (1, Some(kind @ ("N" | "SS" | "NS" | "BS" | "L"))) => {
                json!({ "Action": "ADD", "Value": of_type(random, kind) })
            }
            (1, None) => json!({ "Action": "ADD", "Value": of_type(random, "N") }),
            (2, Some(kind @ ("SS" | "NS" | "BS"))) => {
                json!({ "Action": "DELETE", "Value": of_type(random, kind) })
            }
            (3, _) => json!({ "Value": any(random) }),
            _ => json!({ "Action": "PUT", "Value": any(random) }),
        };
        updates.insert(name.to_owned(), update);
    }
    // See `update` on updates that only remove.
    if item.is_none() && updates.values().all(|update| update["Action"] == "DELETE") {
        updates.insert("made".to_owned(), json!({ "Value": any(random) }));
    }
    body["AttributeUpdates"] = Value::Object(updates);
}
