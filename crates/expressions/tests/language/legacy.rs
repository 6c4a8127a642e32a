//! The legacy parameters as requests write them.

use std::collections::BTreeMap;

use expressions::legacy::{
    AttributeAction, AttributeValueUpdate, ComparisonOperator, ConditionalOperator,
    ExpectedAttributeValue, LegacyCondition,
};
use serde_json::Value;
use values::AttributeValue;
use values::json::value_from_json;

type Read<T> = Result<T, String>;

pub fn conditional_operator(text: Option<&String>) -> Read<Option<ConditionalOperator>> {
    match text.map(String::as_str) {
        None => Ok(None),
        Some("AND") => Ok(Some(ConditionalOperator::And)),
        Some("OR") => Ok(Some(ConditionalOperator::Or)),
        Some(other) => Err(format!("no such ConditionalOperator: {other}")),
    }
}

pub fn expected(json: &Value) -> Read<BTreeMap<String, ExpectedAttributeValue>> {
    entries(json, |entry| {
        Ok(ExpectedAttributeValue {
            value: entry.get("Value").map(value).transpose()?,
            exists: entry.get("Exists").and_then(Value::as_bool),
            comparison_operator: entry.get("ComparisonOperator").map(operator).transpose()?,
            attribute_value_list: entry.get("AttributeValueList").map(list).transpose()?,
        })
    })
}

pub fn conditions(json: &Value) -> Read<BTreeMap<String, LegacyCondition>> {
    entries(json, |entry| {
        Ok(LegacyCondition {
            comparison_operator: operator(entry.get("ComparisonOperator").ok_or("no operator")?)?,
            attribute_value_list: entry.get("AttributeValueList").map_or(Ok(Vec::new()), list)?,
        })
    })
}

pub fn updates(json: &Value) -> Read<BTreeMap<String, AttributeValueUpdate>> {
    entries(json, |entry| {
        let action = match entry.get("Action").and_then(Value::as_str) {
            None => None,
            Some("PUT") => Some(AttributeAction::Put),
            Some("ADD") => Some(AttributeAction::Add),
            Some("DELETE") => Some(AttributeAction::Delete),
            Some(other) => return Err(format!("no such Action: {other}")),
        };
        Ok(AttributeValueUpdate { value: entry.get("Value").map(value).transpose()?, action })
    })
}

pub fn names(json: &Value) -> Read<Vec<String>> {
    let names = json.as_array().ok_or("not a list")?.iter();
    names.map(|name| name.as_str().map(str::to_owned).ok_or("not a string".to_owned())).collect()
}

fn entries<T>(json: &Value, read: impl Fn(&Value) -> Read<T>) -> Read<BTreeMap<String, T>> {
    let object = json.as_object().ok_or("not an object")?;
    object.iter().map(|(name, entry)| Ok((name.clone(), read(entry)?))).collect()
}

fn value(json: &Value) -> Read<AttributeValue> {
    value_from_json(&json.into()).map_err(|error| format!("{error:?}"))
}

fn list(json: &Value) -> Read<Vec<AttributeValue>> {
    json.as_array().ok_or("not a list")?.iter().map(value).collect()
}

fn operator(json: &Value) -> Read<ComparisonOperator> {
    const ALL: [ComparisonOperator; 13] = [
        ComparisonOperator::Eq,
        ComparisonOperator::Ne,
        ComparisonOperator::In,
        ComparisonOperator::Le,
        ComparisonOperator::Lt,
        ComparisonOperator::Ge,
        ComparisonOperator::Gt,
        ComparisonOperator::Between,
        ComparisonOperator::NotNull,
        ComparisonOperator::Null,
        ComparisonOperator::Contains,
        ComparisonOperator::NotContains,
        ComparisonOperator::BeginsWith,
    ];
    let name = json.as_str().ok_or("not a string")?;
    ALL.into_iter()
        .find(|operator| operator.name() == name)
        .ok_or_else(|| format!("no such ComparisonOperator: {name}"))
}
