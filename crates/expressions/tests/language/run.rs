//! Runs one case.

use std::collections::BTreeMap;

use expressions::{
    Condition, ExpressionError, KeyCondition, KeyRange, Placeholders, Projection, SortCondition,
    Update,
};
use serde_json::{Value, json};
use values::json::{item_from_json, item_to_json, value_to_json};
use values::{AttributeType, AttributeValue, Item};

use crate::case::Case;
use crate::{legacy, statements};

/// What a subject was read as.
enum Read {
    Condition(Condition),
    KeyCondition(KeyCondition),
    Projection(Projection),
    Update(Update),
}

/// Runs a case; the error says how it came out otherwise.
pub fn run(case: &Case) -> Result<(), String> {
    let item = case.settings.get("item").map_or(Ok(Item::new()), |text| item(text))?;
    let (hash, sort) = (key(case, "hash")?, key(case, "sort")?);
    let outcome = match statements::run(case, &item, &pairs(&hash), &pairs(&sort))? {
        Some(outcome) => outcome,
        None => read(case)?.and_then(|read| results(&item, &pairs(&hash), &pairs(&sort), &read)),
    };
    let refused = case.results.get("refused");
    let (actual, error) = match outcome {
        Ok(actual) => (actual, None),
        Err(error) => (BTreeMap::new(), Some(error)),
    };
    match (refused, &error) {
        // The lines of the files are trimmed; one text ends with a blank.
        (Some(expected), Some(error)) if *expected == error.to_string().trim_end() => {}
        (None, None) => {}
        (Some(expected), Some(error)) => {
            return Err(format!("  expected refusal: {expected}\n  actual refusal:   {error}"));
        }
        (Some(expected), None) => return Err(format!("  accepted, expected: {expected}")),
        (None, Some(error)) => return Err(format!("  refused: {error}")),
    }
    for (key, expected) in &case.results {
        let actual = match (key.as_str(), &error) {
            ("refused", _) => continue,
            ("envelope", Some(error)) => Some(json!(error.in_envelope_of_writes())),
            (key, _) => actual.get(key).cloned(),
        };
        let expected = if matches!(key.as_str(), "attributes" | "nested") {
            json!(expected.split(',').map(str::trim).filter(|n| !n.is_empty()).collect::<Vec<_>>())
        } else {
            parse_json(expected)?
        };
        if actual.as_ref() != Some(&expected) {
            let actual = actual.map_or("nothing".to_owned(), |actual| actual.to_string());
            return Err(format!("  expected {key}: {expected}\n  actual {key}:   {actual}"));
        }
    }
    Ok(())
}

/// Reads every subject of a case and gives the first. The outer error is a fault of the file.
fn read(case: &Case) -> Result<Result<Read, ExpressionError>, String> {
    let names = placeholders(case, "names", |value| {
        value.as_str().map(str::to_owned).ok_or_else(|| "a name must be a string".to_owned())
    })?;
    let values = placeholders(case, "values", |value| {
        values::json::value_from_json(&value.into()).map_err(|error| format!("{error:?}"))
    })?;
    let is_expression = |subject: &str| subject.starts_with(|c: char| c.is_lowercase());
    let mut placeholders = match Placeholders::new(names.as_ref(), values.as_ref()) {
        Ok(placeholders) => placeholders,
        Err(error) => return Ok(Err(error)),
    };
    let mut first = None;
    for (subject, text) in &case.subjects {
        let read = if is_expression(subject) {
            expression(&mut placeholders, subject, &expression_text(text)?)
        } else {
            legacy_parameter(subject, &parse_json(text)?, case)?
        };
        match read {
            Ok(read) => first = first.or(Some(read)),
            Err(error) => return Ok(Err(error)),
        }
    }
    if case.subjects.iter().any(|(subject, _)| is_expression(subject))
        && let Err(error) = placeholders.finish()
    {
        return Ok(Err(error));
    }
    Ok(Ok(first.ok_or("no subject")?))
}

fn expression(
    placeholders: &mut Placeholders<'_>,
    subject: &str,
    text: &str,
) -> Result<Read, ExpressionError> {
    match subject {
        "condition" => placeholders.condition(text).map(Read::Condition),
        "filter" => placeholders.filter(text).map(Read::Condition),
        "key-condition" => placeholders.key_condition(text).map(Read::KeyCondition),
        "projection" => placeholders.projection(text).map(Read::Projection),
        _ => placeholders.update(text).map(Read::Update),
    }
}

fn legacy_parameter(
    subject: &str,
    json: &Value,
    case: &Case,
) -> Result<Result<Read, ExpressionError>, String> {
    use expressions::legacy as parameters;
    let operator = legacy::conditional_operator(case.settings.get("ConditionalOperator"))?;
    Ok(match subject {
        "Expected" => parameters::expected(&legacy::expected(json)?, operator).map(Read::Condition),
        "ScanFilter" => {
            parameters::filter(&legacy::conditions(json)?, operator).map(Read::Condition)
        }
        "KeyConditions" => {
            parameters::key_condition(&legacy::conditions(json)?).map(Read::KeyCondition)
        }
        "AttributeUpdates" => {
            parameters::attribute_updates(&legacy::updates(json)?).map(Read::Update)
        }
        _ => parameters::attributes_to_get(&legacy::names(json)?).map(Read::Projection),
    })
}

/// Everything that can be said of what was read, by result key.
fn results(
    item: &Item,
    hash: &[(&str, AttributeType)],
    sort: &[(&str, AttributeType)],
    read: &Read,
) -> Result<BTreeMap<String, Value>, ExpressionError> {
    let mut actual = BTreeMap::new();
    let mut say = |key: &str, value: Value| actual.insert(key.to_owned(), value);
    match read {
        Read::Condition(condition) => {
            say("holds", json!(condition.holds(item)?));
            say("attributes", json!(condition.attribute_names().collect::<Vec<_>>()));
            say("nested", json!(condition.nested_attribute_names().collect::<Vec<_>>()));
        }
        Read::KeyCondition(condition) => {
            say("gives", range_to_json(&condition.resolve(hash, sort)?));
        }
        Read::Projection(projection) => {
            say("gives", item_to_json(&projection.apply(item)));
            say("attributes", json!(projection.attribute_names().collect::<Vec<_>>()));
            say("nested", json!(projection.nested_attribute_names().collect::<Vec<_>>()));
        }
        Read::Update(update) => {
            say("attributes", json!(update.attribute_names().collect::<Vec<_>>()));
            say("nested", json!(update.nested_attribute_names().collect::<Vec<_>>()));
            say("only removes", json!(update.only_removes()));
            let new = update.apply(item)?;
            say("gives", item_to_json(&new));
            say("old", item_to_json(&update.touched_old(item)));
            say("new", item_to_json(&update.touched_new(&new)));
        }
    }
    Ok(actual)
}

pub fn range_to_json(range: &KeyRange) -> Value {
    let sort: Vec<Value> = range.sort.iter().map(sort_to_json).collect();
    json!({"hash": range.hash.iter().map(value_to_json).collect::<Vec<_>>(), "sort": sort})
}

fn sort_to_json(condition: &SortCondition) -> Value {
    let one = |operator: &str, value: &AttributeValue| json!({operator: value_to_json(value)});
    match condition {
        SortCondition::Equal(value) => one("=", value),
        SortCondition::Less(value) => one("<", value),
        SortCondition::LessOrEqual(value) => one("<=", value),
        SortCondition::Greater(value) => one(">", value),
        SortCondition::GreaterOrEqual(value) => one(">=", value),
        SortCondition::BeginsWith(value) => one("begins_with", value),
        SortCondition::Between(low, high) => {
            json!({"between": [value_to_json(low), value_to_json(high)]})
        }
    }
}

/// The attributes of a key: `pk S, qk N`.
fn key(case: &Case, setting: &str) -> Result<Vec<(String, AttributeType)>, String> {
    let text = case.settings.get(setting).map_or("", String::as_str);
    let attribute = |part: &str| {
        let (name, descriptor) = part.trim().split_once(' ')?;
        Some((name.to_owned(), AttributeType::from_descriptor(descriptor)?))
    };
    text.split(',')
        .filter(|part| !part.trim().is_empty())
        .map(|part| attribute(part).ok_or_else(|| format!("  not a key attribute: {part}")))
        .collect()
}

fn pairs(key: &[(String, AttributeType)]) -> Vec<(&str, AttributeType)> {
    key.iter().map(|(name, attribute_type)| (name.as_str(), *attribute_type)).collect()
}

/// One of the placeholder maps: the entries that the case's expressions mention, or all of them.
fn placeholders<T>(
    case: &Case,
    setting: &str,
    convert: impl Fn(&Value) -> Result<T, String>,
) -> Result<Option<BTreeMap<String, T>>, String> {
    let Some(text) = case.settings.get(setting) else { return Ok(None) };
    let json = parse_json(text)?;
    let all = case.settings.get("all placeholders").is_some_and(|value| value == "yes");
    let mut entries = BTreeMap::new();
    for (key, value) in json.as_object().ok_or("placeholders must be an object")? {
        if all || case.subjects.iter().any(|(_, text)| mentions(text, key)) {
            entries.insert(key.clone(), convert(value)?);
        }
    }
    Ok((all || !entries.is_empty()).then_some(entries))
}

fn mentions(text: &str, key: &str) -> bool {
    let in_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    text.match_indices(key).any(|(at, _)| !text[at + key.len()..].starts_with(in_word))
}

pub fn expression_text(text: &str) -> Result<String, String> {
    if !text.starts_with('"') {
        return Ok(text.to_owned());
    }
    let json = parse_json(text)?;
    json.as_str().map(str::to_owned).ok_or_else(|| "not a string".to_owned())
}

pub fn parse_json(text: &str) -> Result<Value, String> {
    serde_json::from_str(text).map_err(|error| format!("  {error} in {text}"))
}

fn item(text: &str) -> Result<Item, String> {
    item_from_json(&parse_json(text)?.into()).map_err(|error| format!("  {error:?} in {text}"))
}
