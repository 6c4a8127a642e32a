//! An item against a map of the standard library.

use std::collections::BTreeMap;
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::time::{Duration, Instant};

use proptest::collection::vec;
use proptest::prelude::*;

use super::{Item, Name};
use crate::AttributeValue;
use crate::json::{Node, item_from_json};

type Model = BTreeMap<String, AttributeValue>;

#[derive(Clone, Debug)]
enum Operation {
    Insert(String, i64),
    Remove(String),
    Change(String, i64),
    ChangeAll(i64),
    Extend(Vec<(String, i64)>),
    FromIterator(Vec<(String, i64)>),
    FromVector(Vec<(String, i64)>),
    RetainOdd,
    RetainBelow(String),
}

/// Few names, so that they meet; some that are not held in place.
fn name() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-d]{0,2}",
        "[é\u{10000}z]{1,2}",
        "[ab]{1,2}".prop_map(|end| "n".repeat(24) + &end)
    ]
}

fn attributes() -> impl Strategy<Value = Vec<(String, i64)>> {
    vec((name(), any::<i64>()), 0..20)
}

fn operation() -> impl Strategy<Value = Operation> {
    prop_oneof![
        4 => (name(), any::<i64>()).prop_map(|(name, value)| Operation::Insert(name, value)),
        2 => name().prop_map(Operation::Remove),
        1 => (name(), any::<i64>()).prop_map(|(name, value)| Operation::Change(name, value)),
        1 => any::<i64>().prop_map(Operation::ChangeAll),
        2 => attributes().prop_map(Operation::Extend),
        1 => attributes().prop_map(Operation::FromIterator),
        1 => attributes().prop_map(Operation::FromVector),
        1 => Just(Operation::RetainOdd),
        1 => name().prop_map(Operation::RetainBelow),
    ]
}

fn valued<N>(attributes: Vec<(N, i64)>) -> impl Iterator<Item = (N, AttributeValue)> {
    attributes.into_iter().map(|(name, value)| (name, value.into()))
}

fn is_odd(value: &AttributeValue) -> bool {
    matches!(value, AttributeValue::N(number) if number.to_string().ends_with(['1', '3', '5', '7', '9']))
}

/// Does the same to both, and says what both answered.
fn apply(
    operation: Operation,
    item: &mut Item,
    model: &mut Model,
) -> (Option<AttributeValue>, Option<AttributeValue>) {
    match operation {
        Operation::Insert(name, value) => {
            return (item.insert(name.as_str(), value.into()), model.insert(name, value.into()));
        }
        Operation::Remove(name) => return (item.remove(&name), model.remove(&name)),
        Operation::Change(name, value) => {
            let change = |old: &mut AttributeValue| std::mem::replace(old, value.into());
            return (item.get_mut(&name).map(change), model.get_mut(&name).map(change));
        }
        Operation::ChangeAll(value) => {
            item.iter_mut().skip(1).for_each(|(_, old)| *old = value.into());
            item.values_mut().take(1).for_each(|old| *old = value.into());
            model.values_mut().for_each(|old| *old = value.into());
        }
        Operation::Extend(attributes) => {
            item.extend(valued(attributes.clone()));
            model.extend(valued(attributes));
        }
        Operation::FromIterator(attributes) => {
            *item = valued(attributes.clone()).collect();
            *model = valued(attributes).collect();
        }
        Operation::FromVector(attributes) => {
            let named = |(name, value): (String, i64)| (Name::from(name), value.into());
            *item = Item::from(attributes.iter().cloned().map(named).collect::<Vec<_>>());
            *model = valued(attributes).collect();
        }
        Operation::RetainOdd => {
            item.retain(|_, value| is_odd(value));
            model.retain(|_, value| is_odd(value));
        }
        Operation::RetainBelow(limit) => {
            item.retain(|name, _| name.as_str() < limit.as_str());
            model.retain(|name, _| *name < limit);
        }
    }
    (None, None)
}

fn hash(hashed: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    hashed.hash(&mut hasher);
    hasher.finish()
}

fn check(item: &Item, model: &Model) -> Result<(), TestCaseError> {
    prop_assert_eq!(item.len(), model.len());
    prop_assert_eq!(item.is_empty(), model.is_empty());
    prop_assert_eq!(format!("{item:?} {item:#?}"), format!("{model:?} {model:#?}"));
    prop_assert!(item.iter().map(|(name, value)| (name.as_str(), value)).eq(modelled(model)));
    prop_assert!(
        item.iter().rev().map(|(name, value)| (name.as_str(), value)).eq(modelled(model).rev())
    );
    prop_assert!(item.keys().eq(model.keys()) && item.keys().rev().eq(model.keys().rev()));
    prop_assert!(item.values().eq(model.values()) && item.values().rev().eq(model.values().rev()));
    prop_assert_eq!(item.into_iter().len(), model.len());
    let owned = item.clone().into_iter().rev().map(|(name, value)| (String::from(name), value));
    prop_assert!(owned.eq(model.clone().into_iter().rev()));
    for name in ["", "a", "b", "cd", "é", "\u{10000}"] {
        prop_assert_eq!(item.get(name), model.get(name));
        prop_assert_eq!(item.contains_key(name), model.contains_key(name));
    }
    for (name, value) in model {
        prop_assert_eq!(&item[name], value);
    }
    let again: Item = model.clone().into_iter().rev().collect();
    prop_assert_eq!(item, &again);
    prop_assert_eq!(hash(item), hash(&again));
    Ok(())
}

fn modelled(model: &Model) -> impl DoubleEndedIterator<Item = (&str, &AttributeValue)> {
    model.iter().map(|(name, value)| (name.as_str(), value))
}

proptest! {
    #[test]
    fn an_item_does_what_a_map_does(
        operations in vec(operation(), 1..30),
        others in attributes(),
    ) {
        let (mut item, mut model) = (Item::new(), Model::new());
        let other: Item = valued(others.clone()).collect();
        let other_model: Model = valued(others).collect();
        for operation in operations {
            let (answered, expected) = apply(operation, &mut item, &mut model);
            prop_assert_eq!(answered, expected);
            check(&item, &model)?;
            prop_assert_eq!(item == other, model == other_model);
        }
    }
}

#[test]
fn of_several_values_for_one_name_the_last_counts() {
    let attributes = [("b", 1.into()), ("a", 2.into()), ("b", 3.into()), ("a", 4.into())];
    let expected = Item::from([("a", AttributeValue::from(4)), ("b", 3.into())]);
    assert_eq!(expected.len(), 2);
    assert_eq!(Item::from(attributes.clone()), expected);
    let in_order = [("a", 1.into()), ("a", 4.into()), ("b", 2.into()), ("b", 3.into())];
    assert_eq!(Item::from(in_order), expected);

    let mut item = Item::new();
    for (name, value) in attributes.clone() {
        item.insert(name, value);
    }
    assert_eq!(item, expected);

    let mut item = Item::from([("b", AttributeValue::Null), ("c", AttributeValue::Null)]);
    item.extend(attributes);
    item.extend([("c", AttributeValue::from(5))]);
    item.extend([("d", AttributeValue::from(6)), ("e", 7.into())]);
    let names: Vec<&Name> = item.keys().collect();
    assert_eq!(names, ["a", "b", "c", "d", "e"]);
    assert_eq!(item.values().cloned().collect::<Vec<_>>(), [4, 3, 5, 6, 7].map(Into::into));
}

/// A body of a request is tens of thousands of names in an order of its sender's choice: if each was
/// put into its place, all that follow would be moved each time.
#[test]
fn many_names_in_any_order_are_sorted_once() {
    const COUNT: i64 = 200_000;
    let descending = || (0..COUNT).rev().map(|number| (format!("{number:06}"), number.into()));
    let start = Instant::now();
    let item: Item = descending().collect();
    assert_eq!(item.len(), 200_000);
    let mut extended = Item::from([("1", AttributeValue::Null)]);
    extended.extend(descending());
    assert!(start.elapsed() < Duration::from_secs(10), "{:?}", start.elapsed());
    assert_eq!(extended.remove("1"), Some(AttributeValue::Null));
    assert_eq!(extended, item);
}

#[test]
fn room_is_made_for_what_is_there() {
    for count in [1, 2, 3, 5, 100] {
        let attributes: Vec<(String, AttributeValue)> =
            (0..count).map(|number: i64| (format!("name {number}"), number.into())).collect();
        let borrowed = attributes.iter().map(|(name, value)| (name, value.clone()));
        assert_eq!(borrowed.collect::<Item>().attributes.capacity(), attributes.len());
    }
    assert_eq!(Item::from([("a", AttributeValue::Null)]).attributes.capacity(), 1);

    let body = Node::parse(br#"{"a": {"M": {"b": {"S": "x"}, "a": {"S": "y"}}}}"#).unwrap();
    let item = item_from_json(&body).unwrap();
    let AttributeValue::M(map) = &item["a"] else { panic!("{item:?}") };
    assert_eq!((item.attributes.capacity(), map.attributes.capacity()), (1, 2));
}

#[test]
fn it_is_small() {
    assert_eq!(size_of::<Item>(), 24);
    assert_eq!(size_of::<Name>(), 24);
    assert_eq!(size_of::<AttributeValue>(), 32);
    assert_eq!(size_of::<(Name, AttributeValue)>(), 56);
}

#[test]
#[should_panic = "no attribute of this name"]
fn an_index_is_a_name_that_is_there() {
    let _ = &Item::new()["a"];
}
