//! Update expressions: up to four actions on different attributes, mostly of fitting types.

use serde_json::{Map, Value, json};

use super::Placeholders;
use super::path::{Place, Segment, places};
use crate::random::Random;
use crate::world::value::{any, of_type, type_of};
use crate::world::{ATTRIBUTES, Table};

/// The clauses of an expression under construction.
#[derive(Default)]
struct Clauses {
    set: Vec<String>,
    remove: Vec<String>,
    add: Vec<String>,
    delete: Vec<String>,
}

/// An update expression for an item of this table.
pub fn update(
    random: &mut Random,
    placeholders: &mut Placeholders,
    table: &Table,
    item: Option<&Map<String, Value>>,
) -> String {
    let empty = Map::new();
    let item = item.unwrap_or(&empty);
    let mut clauses = Clauses::default();
    let index_attributes = table.index_attributes();
    let mut names: Vec<String> = ATTRIBUTES.iter().map(|name| (*name).to_owned()).collect();
    names.extend(index_attributes.iter().map(|attribute| attribute.name.clone()));
    let count = random.between(1, 4);
    for name in random.some(&names, count) {
        let indexed = index_attributes.iter().find(|attribute| attribute.name == name);
        match indexed {
            // The key of an index may be set to its own type or removed; all else is refused.
            Some(_) if random.percent(30) => {
                let name = placeholders.name(random, &name);
                clauses.remove.push(name);
            }
            Some(attribute) => {
                let name = placeholders.name(random, &name);
                let value = placeholders.value(table.index_value(random, attribute));
                clauses.set.push(format!("{name} = {value}"));
            }
            None => action(random, placeholders, &mut clauses, item, &name),
        }
    }
    // An update that only removes makes no item, but the reference makes one, and from there on
    // the two differ. `removal_of_nothing` does that on purpose; all other updates make an item.
    if item.is_empty() && clauses.only_removes() {
        let value = any(random);
        clauses.set.push(format!("made = {}", placeholders.value(value)));
    }
    clauses.text(random)
}

impl Clauses {
    fn only_removes(&self) -> bool {
        self.set.is_empty() && self.add.is_empty()
    }

    fn text(&self, random: &mut Random) -> String {
        let clauses = [
            ("SET", &self.set),
            ("REMOVE", &self.remove),
            ("ADD", &self.add),
            ("DELETE", &self.delete),
        ];
        let written: Vec<String> = clauses
            .iter()
            .filter(|(_, actions)| !actions.is_empty())
            .map(|(word, actions)| format!("{word} {}", actions.join(", ")))
            .collect();
        random.some(&written, written.len()).join(" ")
    }
}

fn action(
    random: &mut Random,
    placeholders: &mut Placeholders,
    clauses: &mut Clauses,
    item: &Map<String, Value>,
    name: &str,
) {
    let place = target(random, item, name);
    let kind = place.value.as_ref().map_or("none", type_of);
    match random.below(10) {
        0..=2 => {
            let value = any(random);
            placeholders.uses("SET", type_of(&value));
            let path = place.text(random, placeholders);
            clauses.set.push(format!("{path} = {}", placeholders.value(value)));
        }
        3 => if_not_exists(random, placeholders, clauses, &place),
        4 => arithmetic(random, placeholders, clauses, item, &place),
        5 => list_append(random, placeholders, clauses, &place),
        6 => {
            placeholders.uses("REMOVE", kind);
            clauses.remove.push(place.text(random, placeholders));
        }
        7 => add(random, placeholders, clauses, &place),
        8 => delete(random, placeholders, clauses, &place),
        _ => copy(random, placeholders, clauses, item, &place),
    }
}

/// The attribute, or a place inside it or just beyond its end.
fn target(random: &mut Random, item: &Map<String, Value>, name: &str) -> Place {
    let inside: Vec<Place> =
        places(item).into_iter().filter(|place| place.root() == name).collect();
    if inside.is_empty() || random.percent(40) {
        return Place::attribute(item, name);
    }
    let mut place = random.pick(&inside).clone();
    match place.value.as_ref().map(type_of) {
        Some("M") if random.percent(50) => {
            place.segments.push(Segment::Name("w".to_owned()));
            place.value = None;
        }
        Some("L") if random.percent(50) => {
            place.segments.push(Segment::Index(random.below(7)));
            place.value = None;
        }
        _ => {}
    }
    place
}

fn if_not_exists(
    random: &mut Random,
    placeholders: &mut Placeholders,
    clauses: &mut Clauses,
    place: &Place,
) {
    let value = any(random);
    placeholders.uses("if_not_exists", type_of(&value));
    let path = place.text(random, placeholders);
    let value = placeholders.value(value);
    clauses.set.push(format!("{path} = if_not_exists({path}, {value})"));
}

fn arithmetic(
    random: &mut Random,
    placeholders: &mut Placeholders,
    clauses: &mut Clauses,
    item: &Map<String, Value>,
    place: &Place,
) {
    let is_number = |value: &Value| type_of(value) == "N";
    let numbers: Vec<Place> = places(item)
        .into_iter()
        .filter(|place| place.value.as_ref().is_some_and(is_number))
        .collect();
    let operator = *random.pick(&["+", "-"]);
    let value = placeholders.value(of_type(random, "N"));
    let operand = if numbers.is_empty() || random.percent(15) {
        let path = place.text(random, placeholders);
        let zero = placeholders.value(json!({ "N": "0" }));
        format!("if_not_exists({path}, {zero})")
    } else {
        random.pick(&numbers).text(random, placeholders)
    };
    placeholders.uses(operator, "N");
    let path = place.text(random, placeholders);
    clauses.set.push(format!("{path} = {operand} {operator} {value}"));
}

fn list_append(
    random: &mut Random,
    placeholders: &mut Placeholders,
    clauses: &mut Clauses,
    place: &Place,
) {
    let is_list = place.value.as_ref().is_some_and(|value| type_of(value) == "L");
    let value = placeholders.value(of_type(random, "L"));
    let path = place.text(random, placeholders);
    let operand = if is_list {
        path.clone()
    } else {
        let empty = placeholders.value(json!({ "L": [] }));
        format!("if_not_exists({path}, {empty})")
    };
    placeholders.uses("list_append", "L");
    let is_front = random.percent(30);
    let (one, other) = if is_front { (value, operand) } else { (operand, value) };
    clauses.set.push(format!("{path} = list_append({one}, {other})"));
}

fn add(random: &mut Random, placeholders: &mut Placeholders, clauses: &mut Clauses, place: &Place) {
    let kinds = ["N", "SS", "NS", "BS"];
    let kind = place.value.as_ref().map(type_of).filter(|kind| kinds.contains(kind));
    let any = *random.pick(&kinds);
    let kind = kind.unwrap_or(any);
    placeholders.uses("ADD", kind);
    let value = placeholders.value(of_type(random, kind));
    let path = place.text(random, placeholders);
    clauses.add.push(format!("{path} {value}"));
}

fn delete(
    random: &mut Random,
    placeholders: &mut Placeholders,
    clauses: &mut Clauses,
    place: &Place,
) {
    let kinds = ["SS", "NS", "BS"];
    let there = place.value.as_ref().filter(|value| kinds.contains(&type_of(value)));
    let value = match there {
        Some(value) if random.percent(30) => value.clone(),
        Some(value) => of_type(random, type_of(value)),
        None => {
            let kind = *random.pick(&kinds);
            of_type(random, kind)
        }
    };
    placeholders.uses("DELETE", type_of(&value));
    let value = placeholders.value(value);
    let path = place.text(random, placeholders);
    clauses.delete.push(format!("{path} {value}"));
}

fn copy(
    random: &mut Random,
    placeholders: &mut Placeholders,
    clauses: &mut Clauses,
    item: &Map<String, Value>,
    place: &Place,
) {
    let all = places(item);
    if all.is_empty() {
        return if_not_exists(random, placeholders, clauses, place);
    }
    let source = random.pick(&all).clone();
    let path = place.text(random, placeholders);
    let from = source.text(random, placeholders);
    clauses.set.push(format!("{path} = {from}"));
}
