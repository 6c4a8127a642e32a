//! Key conditions: the hash attributes by equality, the sort attributes in part.

use serde_json::Value;

use super::Placeholders;
use super::condition::ordered;
use crate::random::Random;
use crate::world::KeyAttribute;

/// The keys that a Query goes by, with values that occur.
pub struct Keys<'a> {
    /// Hash attributes.
    pub hash: Vec<(&'a KeyAttribute, Value)>,
    /// Sort attributes, in order.
    pub sort: Vec<(&'a KeyAttribute, Value)>,
    /// Another value for each sort attribute.
    pub other: Vec<Value>,
}

/// A key condition.
pub fn key_condition(
    random: &mut Random,
    placeholders: &mut Placeholders,
    keys: &Keys<'_>,
) -> String {
    let mut parts = Vec::new();
    for (attribute, value) in &keys.hash {
        let name = placeholders.name(random, &attribute.name);
        let value = placeholders.value(value.clone());
        let is_swapped = random.percent(10);
        parts.push(if is_swapped {
            format!("{value} = {name}")
        } else {
            format!("{name} = {value}")
        });
    }
    let used = random.between(0, keys.sort.len());
    for (number, (attribute, value)) in keys.sort.iter().take(used).enumerate() {
        // All but the last must be equalities.
        parts.push(if number + 1 < used {
            let name = placeholders.name(random, &attribute.name);
            format!("{name} = {}", placeholders.value(value.clone()))
        } else {
            sort_condition(random, placeholders, attribute, value, &keys.other[number])
        });
    }
    parts.join(" AND ")
}

fn sort_condition(
    random: &mut Random,
    placeholders: &mut Placeholders,
    attribute: &KeyAttribute,
    value: &Value,
    other: &Value,
) -> String {
    let name = placeholders.name(random, &attribute.name);
    let choices: &[&'static str] = if attribute.kind == "N" {
        &["=", "<", "<=", ">", ">=", "BETWEEN"]
    } else {
        &["=", "<", "<=", ">", ">=", "BETWEEN", "begins_with"]
    };
    let operator = *random.pick(choices);
    placeholders.uses(operator, attribute.kind);
    match operator {
        "BETWEEN" => {
            let (lower, upper) = ordered(value.clone(), other.clone());
            let (lower, upper) = (placeholders.value(lower), placeholders.value(upper));
            format!("{name} BETWEEN {lower} AND {upper}")
        }
        "begins_with" => format!("begins_with({name}, {})", placeholders.value(value.clone())),
        _ => format!("{name} {operator} {}", placeholders.value(value.clone())),
    }
}
