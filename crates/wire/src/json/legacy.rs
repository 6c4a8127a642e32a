//! The parameters that came before expressions: `Expected`, conditions and `AttributeUpdates`.

use std::collections::BTreeMap;

use expressions::legacy::{
    AttributeValueUpdate, ConditionalOperator, ExpectedAttributeValue, LegacyCondition,
};
use values::AttributeValue;
use values::json::Members;

use super::enums::{Word, word};
use super::members::{flag, object, text};
use super::value::Decoder;
use crate::WireError;

const INVALID_OPERATOR: &str =
    "One or more parameter values were invalid: Invalid comparison operator";

/// `Expected`.
pub(super) fn expected(
    decoder: &mut Decoder,
    members: &Members,
) -> Result<Option<BTreeMap<String, ExpectedAttributeValue>>, WireError> {
    entries(members, "Expected", |expected| {
        let comparison_operator = operator(decoder, expected);
        Ok(ExpectedAttributeValue {
            value: value(decoder, expected)?,
            exists: flag(expected, "Exists"),
            comparison_operator,
            attribute_value_list: decoder.values(expected, "AttributeValueList")?,
        })
    })
}

/// `KeyConditions`, `QueryFilter` and `ScanFilter`.
pub(super) fn conditions(
    decoder: &mut Decoder,
    members: &Members,
    name: &str,
) -> Result<Option<BTreeMap<String, LegacyCondition>>, WireError> {
    entries(members, name, |condition| {
        let attribute_value_list = decoder.values(condition, "AttributeValueList")?;
        Ok(LegacyCondition {
            // A missing operator is refused by the member constraints.
            comparison_operator: operator(decoder, condition)
                .unwrap_or(expressions::legacy::ComparisonOperator::Eq),
            attribute_value_list: attribute_value_list.unwrap_or_default(),
        })
    })
}

/// `AttributeUpdates`.
pub(super) fn attribute_updates(
    decoder: &mut Decoder,
    members: &Members,
) -> Result<Option<BTreeMap<String, AttributeValueUpdate>>, WireError> {
    entries(members, "AttributeUpdates", |update| {
        let action = word(update, "Action");
        if action.is_none() && text(update, "Action").is_some() {
            // The quotation mark that closes nothing is the service's.
            decoder.refuse(|| {
                "Member must satisfy enum value set: [ADD, DELETE, PUT]' for Action".to_owned()
            });
        }
        Ok(AttributeValueUpdate { value: value(decoder, update)?, action })
    })
}

/// `ConditionalOperator`. The service looks at its value last: a word it does not know is refused
/// for standing without two conditions first (and the list it then shows has a slip).
pub(super) fn conditional_operator(
    decoder: &mut Decoder,
    members: &Members,
    conditions: &str,
) -> Option<ConditionalOperator> {
    let spelled = text(members, "ConditionalOperator")?;
    let operator = ConditionalOperator::from_word(spelled);
    if operator.is_none() {
        let message = match object(members, conditions).map_or(0, Members::len) {
            0 => "ConditionalOperator cannot be used without Filter or Expected",
            1 => {
                "ConditionalOperator can only be used when Filter or Expected has two or more \
                 elements"
            }
            _ => "Failed to satisfy constraint: Member must satisfy enum value set: [ALL, OR]",
        };
        decoder.refuse(|| message.to_owned());
    }
    operator
}

fn operator(
    decoder: &mut Decoder,
    condition: &Members,
) -> Option<expressions::legacy::ComparisonOperator> {
    let operator = word(condition, "ComparisonOperator");
    if operator.is_none() && text(condition, "ComparisonOperator").is_some() {
        decoder.refuse(|| INVALID_OPERATOR.to_owned());
    }
    operator
}

fn value(decoder: &mut Decoder, members: &Members) -> Result<Option<AttributeValue>, WireError> {
    let json = members.get("Value").filter(|json| !json.is_null());
    json.map(|json| decoder.value_of(json)).transpose()
}

fn entries<T>(
    members: &Members,
    name: &str,
    mut read: impl FnMut(&Members) -> Result<T, WireError>,
) -> Result<Option<BTreeMap<String, T>>, WireError> {
    let Some(entries) = object(members, name) else { return Ok(None) };
    let mut found = BTreeMap::new();
    for (name, entry) in entries {
        if let Some(entry) = entry.as_object() {
            found.insert(name.to_owned(), read(entry)?);
        }
    }
    Ok(Some(found))
}
