//! Conditions and filters: one to four predicates, joined, negated and nested.

use serde_json::{Map, Value, json};

use super::Placeholders;
use super::path::{Place, place};
use crate::random::Random;
use crate::world::value::{TYPES, any, of_type, type_of};

/// What a condition is about.
pub struct Subject<'a> {
    /// The item it will meet, if known. Its values make predicates that can be true.
    pub item: Option<&'a Map<String, Value>>,
    /// Attributes that must not occur, such as the keys in a filter.
    pub except: &'a [&'a str],
}

/// A condition of one to four predicates.
pub fn condition(
    random: &mut Random,
    placeholders: &mut Placeholders,
    subject: &Subject<'_>,
) -> String {
    let count = random.weighted(&[(5, 1), (3, 2), (2, 3), (1, 4)]);
    joined(random, placeholders, subject, count)
}

fn joined(
    random: &mut Random,
    placeholders: &mut Placeholders,
    subject: &Subject<'_>,
    count: usize,
) -> String {
    if count == 1 {
        let predicate = predicate(random, placeholders, subject);
        return if random.percent(10) { format!("NOT {predicate}") } else { predicate };
    }
    let left_count = random.between(1, count - 1);
    let left = joined(random, placeholders, subject, left_count);
    let right = joined(random, placeholders, subject, count - left_count);
    match random.below(4) {
        0 => format!("{left} AND {right}"),
        1 => format!("({left}) OR {right}"),
        2 if count - left_count > 1 => format!("{left} OR ({right})"),
        _ => format!("{left} OR {right}"),
    }
}

fn predicate(
    random: &mut Random,
    placeholders: &mut Placeholders,
    subject: &Subject<'_>,
) -> String {
    let place = place(random, subject.item, subject.except);
    match random.below(10) {
        0 => existence(random, placeholders, &place, "attribute_exists"),
        1 => existence(random, placeholders, &place, "attribute_not_exists"),
        2 => attribute_type(random, placeholders, &place),
        3 => begins_with(random, placeholders, &place),
        4 => contains(random, placeholders, &place),
        5 => size(random, placeholders, &place),
        6 => between(random, placeholders, &place),
        7 => within(random, placeholders, &place),
        8 => two_places(random, placeholders, subject, &place),
        _ => comparison(random, placeholders, &place),
    }
}

fn kind_of(place: &Place) -> &'static str {
    place.value.as_ref().map_or("none", type_of)
}

fn existence(
    random: &mut Random,
    placeholders: &mut Placeholders,
    place: &Place,
    function: &'static str,
) -> String {
    placeholders.uses(function, kind_of(place));
    format!("{function}({})", place.text(random, placeholders))
}

fn attribute_type(random: &mut Random, placeholders: &mut Placeholders, place: &Place) -> String {
    let actual = place.value.as_ref().map(type_of);
    let any = *random.pick(&TYPES);
    let wanted = actual.filter(|_| random.percent(60)).unwrap_or(any);
    placeholders.uses("attribute_type", wanted);
    let value = placeholders.value(json!({ "S": wanted }));
    format!("attribute_type({}, {value})", place.text(random, placeholders))
}

/// A value of the same type as what is there, or of one of these types.
fn like(random: &mut Random, place: &Place, kinds: &[&'static str]) -> Value {
    let actual = place.value.as_ref().filter(|value| kinds.contains(&type_of(value)));
    match actual {
        Some(value) if random.percent(55) => value.clone(),
        Some(value) => of_type(random, type_of(value)),
        None => {
            let kind = *random.pick(kinds);
            of_type(random, kind)
        }
    }
}

fn begins_with(random: &mut Random, placeholders: &mut Placeholders, place: &Place) -> String {
    let mut value = like(random, place, &["S", "B"]);
    if let Some(text) = value["S"].as_str().map(str::to_owned) {
        let length = random.below(text.chars().count() + 1);
        value["S"] = json!(text.chars().take(length).collect::<String>());
    }
    placeholders.uses("begins_with", type_of(&value));
    let value = placeholders.value(value);
    format!("begins_with({}, {value})", place.text(random, placeholders))
}

fn contains(random: &mut Random, placeholders: &mut Placeholders, place: &Place) -> String {
    let member = place.value.as_ref().and_then(|value| {
        let elements = value.get(type_of(value))?.as_array()?;
        let element = elements.first()?.clone();
        Some(match type_of(value) {
            "SS" => json!({ "S": element }),
            "NS" => json!({ "N": element }),
            "BS" => json!({ "B": element }),
            _ => element,
        })
    });
    let operand = match member {
        Some(member) if random.percent(60) => member,
        _ => like(random, place, &TYPES),
    };
    placeholders.uses("contains", type_of(&operand));
    let value = placeholders.value(operand);
    format!("contains({}, {value})", place.text(random, placeholders))
}

fn size(random: &mut Random, placeholders: &mut Placeholders, place: &Place) -> String {
    placeholders.uses("size", kind_of(place));
    let value = placeholders.value(json!({ "N": random.below(5).to_string() }));
    let operator = *random.pick(&["=", "<>", "<", "<=", ">", ">="]);
    format!("size({}) {operator} {value}", place.text(random, placeholders))
}

fn comparison(random: &mut Random, placeholders: &mut Placeholders, place: &Place) -> String {
    let operator = *random.pick(&["=", "=", "<>", "<", "<=", ">", ">="]);
    let kinds: &[&str] = if ["=", "<>"].contains(&operator) { &TYPES } else { &["S", "N", "B"] };
    let operand = like(random, place, kinds);
    placeholders.uses(operator, type_of(&operand));
    let value = placeholders.value(operand);
    let path = place.text(random, placeholders);
    // Either side may hold the value.
    if random.percent(15) {
        return format!("{value} {operator} {path}");
    }
    format!("{path} {operator} {value}")
}

fn between(random: &mut Random, placeholders: &mut Placeholders, place: &Place) -> String {
    let lower = like(random, place, &["S", "N", "B"]);
    let kind = type_of(&lower);
    let upper = of_type(random, kind);
    let (lower, upper) = ordered(lower, upper);
    placeholders.uses("BETWEEN", kind);
    let (lower, upper) = (placeholders.value(lower), placeholders.value(upper));
    format!("{} BETWEEN {lower} AND {upper}", place.text(random, placeholders))
}

/// The two values with the lesser one first. Numbers are compared as doubles, which is good enough
/// to keep most requests valid; the few that are not are compared like any other.
pub fn ordered(one: Value, other: Value) -> (Value, Value) {
    let number = |value: &Value| value["N"].as_str().and_then(|text| text.parse::<f64>().ok());
    let bytes = |value: &Value| {
        use base64::Engine as _;
        let encoded = value["B"].as_str().unwrap_or_default();
        base64::engine::general_purpose::STANDARD.decode(encoded).unwrap_or_default()
    };
    let is_swapped = match type_of(&one) {
        "N" => number(&one) > number(&other),
        "B" => bytes(&one) > bytes(&other),
        _ => one["S"].as_str() > other["S"].as_str(),
    };
    if is_swapped { (other, one) } else { (one, other) }
}

fn within(random: &mut Random, placeholders: &mut Placeholders, place: &Place) -> String {
    let mut operands = Vec::new();
    for _ in 0..random.between(1, 4) {
        let operand = if random.percent(60) { like(random, place, &TYPES) } else { any(random) };
        placeholders.uses("IN", type_of(&operand));
        operands.push(placeholders.value(operand));
    }
    format!("{} IN ({})", place.text(random, placeholders), operands.join(", "))
}

fn two_places(
    random: &mut Random,
    placeholders: &mut Placeholders,
    subject: &Subject<'_>,
    first: &Place,
) -> String {
    let second = place(random, subject.item, subject.except);
    if first.segments == second.segments {
        return comparison(random, placeholders, first);
    }
    let operator = *random.pick(&["=", "<>", "<", ">="]);
    let (one, other) = (first.text(random, placeholders), second.text(random, placeholders));
    format!("{one} {operator} {other}")
}
