//! Makes the new image of an item.
//!
//! Every list index means what it meant in the image before (rule 39). That follows from the
//! order: what sets or adds goes first, in the order of the paths, so that elements past the end
//! of a list are appended in the order of their indexes; what removes goes last, highest path
//! first, so that no removal moves an element another one is about.
//!
//! Attributes that are new to the item, and those that leave it, are collected: AttributeUpdates may
//! name as many as a request has room for, and each one by itself would move all that follow it.
//!
//! A wrong type anywhere is reported first, then a path that leads nowhere, then an attribute that
//! a right-hand side misses (DX).

use values::{AttributeValue, Item, Name};

use super::value::{add, delete, set_value};
use super::{Action, Change};
use crate::error::{ExpressionError, UpdateProblem};
use crate::path::{Path, Segment};

/// What an action comes to for one item.
enum Effect {
    Write(AttributeValue),
    Remove,
    Nothing,
}

/// Applies all actions to an item.
pub(super) fn apply(
    actions: &[Action],
    legacy: bool,
    item: &Item,
) -> Result<Item, ExpressionError> {
    let mut effects = Vec::with_capacity(actions.len());
    let mut missing = None;
    for action in actions {
        match effect(action, legacy, item) {
            Ok(effect) => effects.push((&action.path, effect)),
            Err(error) if error == UpdateProblem::MissingAttribute.into() => {
                missing.get_or_insert(error);
            }
            Err(error) => return Err(error),
        }
    }
    if !actions.iter().all(|action| has_parent(&action.path, item)) {
        return Err(UpdateProblem::Path.into());
    }
    if let Some(error) = missing {
        return Err(error);
    }
    effects.sort_by_key(|(path, _)| *path);
    let mut image = item.clone();
    let mut added = Vec::new();
    let mut removed = Vec::new();
    for (path, effect) in effects {
        match effect {
            Effect::Write(value) => added.extend(write(&mut image, path, value)),
            Effect::Remove => removed.push(path),
            Effect::Nothing => {}
        }
    }
    if !added.is_empty() {
        image.extend(added);
    }
    remove(&mut image, &removed);
    Ok(image)
}

fn effect(action: &Action, legacy: bool, item: &Item) -> Result<Effect, ExpressionError> {
    let mismatch = || if legacy { UpdateProblem::LegacyType } else { UpdateProblem::OperandType };
    let stored = action.path.find(item);
    match &action.change {
        Change::Set(value) => Ok(Effect::Write(set_value(value, item)?.into_owned())),
        // What was not there is left alone, even if another action puts something there.
        Change::Remove => Ok(stored.map_or(Effect::Nothing, |_| Effect::Remove)),
        Change::Add(value) => add(stored, value).ok_or_else(mismatch)?.map(Effect::Write),
        Change::Delete(value) => {
            let Some(stored) = stored else { return Ok(Effect::Nothing) };
            let left = delete(stored, value).ok_or_else(mismatch)?;
            Ok(left.map_or(Effect::Remove, Effect::Write))
        }
    }
}

/// Whether the last step of a path can be taken: its parent is there, and a map for a name or a
/// list for an index (rule 40). Whether anything is there yet does not matter.
fn has_parent(path: &Path, item: &Item) -> bool {
    let Some((last, steps)) = path.rest.split_last() else { return true };
    let start = item.get(&path.name);
    let parent = steps.iter().fold(start, |value, step| value.and_then(|value| step.step(value)));
    matches!(
        (parent, last),
        (Some(AttributeValue::M(_)), Segment::Name(_))
            | (Some(AttributeValue::L(_)), Segment::Index(_))
    )
}

/// Gives back what is new to the item itself.
fn write(image: &mut Item, path: &Path, value: AttributeValue) -> Option<(Name, AttributeValue)> {
    let Some((last, steps)) = path.rest.split_last() else {
        let Some(slot) = image.get_mut(&path.name) else {
            return Some((Name::from(&path.name), value));
        };
        *slot = value;
        return None;
    };
    match (parent_mut(image, &path.name, steps), last) {
        (Some(AttributeValue::M(map)), Segment::Name(name)) => {
            map.insert(name, value);
        }
        (Some(AttributeValue::L(list)), Segment::Index(index)) => match list.get_mut(*index) {
            Some(slot) => *slot = value,
            None => list.push(value),
        },
        _ => {}
    }
    None
}

/// Removes what these paths lead to, which are in order.
fn remove(image: &mut Item, paths: &[&Path]) {
    let (nested, top): (Vec<&Path>, Vec<&Path>) = paths.iter().partition(|path| path.is_nested());
    nested.iter().rev().for_each(|path| remove_nested(image, path));
    match top.as_slice() {
        [] => {}
        [path] => drop(image.remove(&path.name)),
        paths => image
            .retain(|name, _| paths.binary_search_by(|path| path.name.as_str().cmp(name)).is_err()),
    }
}

fn remove_nested(image: &mut Item, path: &Path) {
    let Some((last, steps)) = path.rest.split_last() else { return };
    match (parent_mut(image, &path.name, steps), last) {
        (Some(AttributeValue::M(map)), Segment::Name(name)) => {
            map.remove(name);
        }
        (Some(AttributeValue::L(list)), Segment::Index(index)) if *index < list.len() => {
            list.remove(*index);
        }
        _ => {}
    }
}

fn parent_mut<'i>(
    image: &'i mut Item,
    name: &str,
    steps: &[Segment],
) -> Option<&'i mut AttributeValue> {
    steps.iter().try_fold(image.get_mut(name)?, |value, step| match (step, value) {
        (Segment::Name(name), AttributeValue::M(map)) => map.get_mut(name),
        (Segment::Index(index), AttributeValue::L(list)) => list.get_mut(*index),
        _ => None,
    })
}
