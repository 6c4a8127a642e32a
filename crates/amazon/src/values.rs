//! Items between the project's types and the SDK's.

use std::collections::{BTreeMap, HashMap};

use aws_sdk_dynamodb::primitives::Blob;
use aws_sdk_dynamodb::types::AttributeValue as Sdk;
use values::{AttributeValue, Item, Number};

/// An answer that holds something that is not an attribute value.
pub(crate) struct NotAValue;

pub(crate) fn to_sdk(item: &Item) -> HashMap<String, Sdk> {
    item.iter().map(|(name, value)| (name.to_string(), value_to_sdk(value))).collect()
}

/// DynamoDB refuses empty maps of names and values.
pub(crate) fn values_to_sdk(
    values: &BTreeMap<String, AttributeValue>,
) -> Option<HashMap<String, Sdk>> {
    let pairs = values.iter().map(|(alias, value)| (alias.clone(), value_to_sdk(value)));
    (!values.is_empty()).then(|| pairs.collect())
}

pub(crate) fn names_to_sdk(names: &BTreeMap<String, String>) -> Option<HashMap<String, String>> {
    let pairs = names.iter().map(|(alias, name)| (alias.clone(), name.clone()));
    (!names.is_empty()).then(|| pairs.collect())
}

fn value_to_sdk(value: &AttributeValue) -> Sdk {
    match value {
        AttributeValue::S(text) => Sdk::S(text.clone()),
        AttributeValue::N(number) => Sdk::N(number.to_string()),
        AttributeValue::B(bytes) => Sdk::B(Blob::new(bytes.clone())),
        AttributeValue::Bool(flag) => Sdk::Bool(*flag),
        AttributeValue::Null => Sdk::Null(true),
        AttributeValue::M(item) => Sdk::M(to_sdk(item)),
        AttributeValue::L(list) => Sdk::L(list.iter().map(value_to_sdk).collect()),
        AttributeValue::Ss(set) => Sdk::Ss(set.iter().cloned().collect()),
        AttributeValue::Ns(set) => Sdk::Ns(set.iter().map(Number::to_string).collect()),
        AttributeValue::Bs(set) => Sdk::Bs(set.iter().cloned().map(Blob::new).collect()),
    }
}

pub(crate) fn from_sdk(item: HashMap<String, Sdk>) -> Result<Item, NotAValue> {
    item.into_iter().map(|(name, value)| Ok((name, value_from_sdk(value)?))).collect()
}

fn value_from_sdk(value: Sdk) -> Result<AttributeValue, NotAValue> {
    let number = |digits: String| digits.parse::<Number>().map_err(|_| NotAValue);
    Ok(match value {
        Sdk::S(text) => AttributeValue::S(text),
        Sdk::N(digits) => AttributeValue::N(number(digits)?),
        Sdk::B(blob) => AttributeValue::B(blob.into_inner()),
        Sdk::Bool(flag) => AttributeValue::Bool(flag),
        Sdk::Null(_) => AttributeValue::Null,
        Sdk::M(item) => AttributeValue::M(from_sdk(item)?),
        Sdk::L(list) => {
            AttributeValue::L(list.into_iter().map(value_from_sdk).collect::<Result<_, _>>()?)
        }
        Sdk::Ss(set) => AttributeValue::Ss(set.into_iter().collect()),
        Sdk::Ns(set) => AttributeValue::Ns(set.into_iter().map(number).collect::<Result<_, _>>()?),
        Sdk::Bs(set) => AttributeValue::Bs(set.into_iter().map(Blob::into_inner).collect()),
        _ => return Err(NotAValue),
    })
}
