//! Conditions of writes: DynamoDB would accept them. This is where reserved words matter.

use super::attribute_names;
use crate::document::{AccessPattern, Action, Operation, Table};
use crate::located::step;
use crate::pattern::Pattern;
use crate::problem::Findings;

pub(super) fn check(table: &Table, findings: &mut Findings) {
    for (at, access) in table.access_patterns.iter().enumerate() {
        let pointer = format!("/accessPatterns/{at}");
        check_action(table, access, &pointer, findings);
        check_values(access, &pointer, findings);
        let pointer = format!("{pointer}/condition");
        let Some(parsed) = access.parsed_condition() else { continue };
        if access.operation.reads() {
            let message = format!("{} reads, and has a condition", access.id);
            findings.error(pointer, message, "Remove it; conditions are for writes");
            continue;
        }
        match parsed {
            Err(message) => {
                let remedy = "Write a reserved word as # and the word, a value as : and a word";
                let message = format!("DynamoDB refuses the condition of {}: {message}", access.id);
                findings.error(pointer, message, remedy);
            }
            Ok(condition) => {
                let names = condition.attribute_names();
                for name in names.filter(|name| table.attribute(name).is_none()) {
                    let message = format!("{} names {name}, which is not an attribute", access.id);
                    let remedy = format!("Use one of {}", attribute_names(table));
                    findings.error(&*pointer, message, remedy);
                }
            }
        }
    }
}

/// What a write does is told apart, and it has what that needs.
fn check_action(table: &Table, access: &AccessPattern, pointer: &str, findings: &mut Findings) {
    let (id, operation) = (&access.id, access.operation.name());
    let action = access.write_action();
    match access.action {
        Some(_) if access.operation != Operation::TransactWriteItems => {
            let message = format!("{id} is a {operation}, and has an action");
            let remedy = "Remove it; only TransactWriteItems can do several things";
            findings.error(format!("{pointer}/action"), message, remedy);
        }
        None if action.is_none() && !access.operation.reads() => {
            let message = format!("{id} does not say what it does to its item");
            let remedy = "Add `action`: Put, Update, Delete or ConditionCheck";
            findings.error(format!("{pointer}/operation"), message, remedy);
        }
        _ => {}
    }
    if action == Some(Action::ConditionCheck) && access.condition.is_none() {
        let message = format!("{id} has no condition to check");
        findings.error(format!("{pointer}/action"), message, "Add `condition`");
    }
    if action == Some(Action::Put) && table.kind_named(access).is_none() {
        let message = format!("{id} stores an item of no kind");
        let remedy = "Write the key patterns of one of the `itemTypes`";
        findings.error(format!("{pointer}/keyCondition"), message, remedy);
    }
    if access.creates_if_absent && action != Some(Action::Update) {
        let message = format!("{id} is no update, and would make an item that is absent");
        let remedy = "Remove it; only an update needs leave to make an item";
        findings.error(format!("{pointer}/createsIfAbsent"), message, remedy);
    }
}

/// Values of the condition are used, and cannot be taken for parts of the key.
fn check_values(access: &AccessPattern, pointer: &str, findings: &mut Findings) {
    let id = &access.id;
    let words: Vec<&str> = access.condition_values().collect();
    for name in access.values.keys().filter(|name| !words.contains(&name.as_str())) {
        let pointer = step(&format!("{pointer}/values"), name);
        let message = format!("{id} has a value for {name}, but does not use it");
        findings.error(pointer, message, format!("Remove it, or use :{name} in the condition"));
    }
    let texts = access.key_condition.values().flat_map(|comparison| comparison.patterns());
    for pattern in texts.filter_map(|text| Pattern::read(text).ok()) {
        for name in pattern.placeholders().filter(|name| words.contains(name)) {
            let message = format!("{id} has {name} in its key and as a value of its condition");
            let remedy = format!("Give :{name} another word, so that both can be given");
            findings.error(format!("{pointer}/condition"), message, remedy);
        }
    }
}
