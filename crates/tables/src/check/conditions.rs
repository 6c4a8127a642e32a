//! Conditions of writes: DynamoDB would accept them. This is where reserved words matter.

use std::collections::BTreeMap;

use expressions::Placeholders;
use values::AttributeValue;

use super::attribute_names;
use crate::document::Table;
use crate::problem::Findings;

pub(super) fn check(table: &Table, findings: &mut Findings) {
    for (at, access) in table.access_patterns.iter().enumerate() {
        let pointer = format!("/accessPatterns/{at}/condition");
        let Some(text) = &access.condition else { continue };
        if access.operation.reads() {
            let message = format!("{} reads, and has a condition", access.id);
            findings.error(pointer, message, "Remove it; conditions are for writes");
            continue;
        }
        match names_in(text) {
            Err(message) => {
                let remedy = "Write a reserved word as # and the word, a value as : and a word";
                let message = format!("DynamoDB refuses the condition of {}: {message}", access.id);
                findings.error(pointer, message, remedy);
            }
            Ok(names) => {
                for name in names.iter().filter(|name| table.attribute(name).is_none()) {
                    let message = format!("{} names {name}, which is not an attribute", access.id);
                    let remedy = format!("Use one of {}", attribute_names(table));
                    findings.error(&*pointer, message, remedy);
                }
            }
        }
    }
}

/// The attributes that a condition names. `#word` stands for the attribute `word`, `:word` for a
/// value of any type.
fn names_in(text: &str) -> Result<Vec<String>, String> {
    let names: BTreeMap<String, String> =
        words_after('#', text).map(|word| (format!("#{word}"), word.to_owned())).collect();
    let values: BTreeMap<String, AttributeValue> = words_after(':', text)
        .map(|word| (format!(":{word}"), AttributeValue::from("x")))
        .collect();
    let placeholders = Placeholders::new(
        Some(&names).filter(|names| !names.is_empty()),
        Some(&values).filter(|values| !values.is_empty()),
    );
    let mut placeholders = placeholders.map_err(|error| error.to_string())?;
    let condition = placeholders.condition(text).map_err(|error| error.to_string())?;
    Ok(condition.attribute_names().map(str::to_owned).collect())
}

fn words_after(sign: char, text: &str) -> impl Iterator<Item = &str> {
    text.split(sign).skip(1).map(|rest| {
        let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_');
        &rest[..end.unwrap_or(rest.len())]
    })
}
