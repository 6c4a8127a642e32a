//! Attribute values inside a request.
//!
//! JSON of the wrong shape fails at once. A value that the service refuses (a number it cannot
//! read, a repeated set member) is remembered, because member constraints are reported before it.

use std::collections::BTreeMap;

use values::json::{JsonError, Members, Node, item_from_json, value_from_json};
use values::{AttributeValue, Item, ValueError};

use super::members::{array, object};
use crate::WireError;

/// In whose words a refused value is reported. They differ in the text, in whether it is counted
/// (`1 validation error detected: …`), and in whether an expression value's name is given.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Wording {
    /// PutItem.
    Put,
    /// UpdateItem.
    Update,
    /// DeleteItem.
    Delete,
    /// Query.
    Query,
    /// GetItem, BatchGetItem and Scan.
    Read,
    /// BatchWriteItem, the transactions and PartiQL.
    Older,
}

/// Reads attribute values and remembers the first that is refused.
pub(super) struct Decoder {
    wording: Wording,
    refused: Option<String>,
}

impl Decoder {
    pub(super) fn new(wording: Wording) -> Self {
        Decoder { wording, refused: None }
    }

    /// Reports what was refused. To be called after the member constraints.
    pub(super) fn finish(self) -> Result<(), WireError> {
        self.refused.map_or(Ok(()), |message| Err(WireError::validation(message)))
    }

    /// An item or a key; empty if it is not there.
    pub(super) fn item(&mut self, members: &Members, name: &str) -> Result<Item, WireError> {
        let json = members.get(name).filter(|json| !json.is_null());
        Ok(json.map(|json| self.item_of(json)).transpose()?.unwrap_or_default())
    }

    pub(super) fn item_of(&mut self, json: &Node) -> Result<Item, WireError> {
        self.take(item_from_json(json), Place::Elsewhere, Item::new())
    }

    pub(super) fn value_of(&mut self, json: &Node) -> Result<AttributeValue, WireError> {
        self.take(value_from_json(json), Place::Elsewhere, AttributeValue::Null)
    }

    /// `ExclusiveStartKey`.
    pub(super) fn start_key(&mut self, members: &Members) -> Result<Option<Item>, WireError> {
        let json = members.get("ExclusiveStartKey").filter(|json| !json.is_null());
        let Some(json) = json else { return Ok(None) };
        self.take(item_from_json(json), Place::StartKey, Item::new()).map(Some)
    }

    /// A list of values, such as `AttributeValueList`.
    pub(super) fn values(
        &mut self,
        members: &Members,
        name: &str,
    ) -> Result<Option<Vec<AttributeValue>>, WireError> {
        let Some(list) = array(members, name) else { return Ok(None) };
        list.iter().map(|json| self.value_of(json)).collect::<Result<_, _>>().map(Some)
    }

    /// `ExpressionAttributeValues`.
    pub(super) fn expression_values(
        &mut self,
        members: &Members,
    ) -> Result<Option<BTreeMap<String, AttributeValue>>, WireError> {
        let Some(entries) = object(members, "ExpressionAttributeValues") else { return Ok(None) };
        let mut values = BTreeMap::new();
        for (name, json) in entries {
            let value =
                self.take(value_from_json(json), Place::Expression(name), AttributeValue::Null)?;
            values.insert(name.to_owned(), value);
        }
        Ok(Some(values))
    }

    /// Remembers a refusal of its own, such as an operator that does not exist.
    pub(super) fn refuse(&mut self, message: impl FnOnce() -> String) {
        if self.refused.is_none() {
            let message = message();
            self.refused = Some(self.counted(message));
        }
    }

    /// What was read, or `instead` of a refused value until the refusal is reported.
    fn take<T>(
        &mut self,
        read: Result<T, JsonError>,
        place: Place<'_>,
        instead: T,
    ) -> Result<T, WireError> {
        match read {
            Ok(value) => Ok(value),
            Err(JsonError::Shape(message)) => Err(WireError::serialization(message)),
            Err(JsonError::Value(error)) => {
                if self.refused.is_none() {
                    self.refused = Some(self.message(&error, place));
                }
                Ok(instead)
            }
        }
    }

    fn message(&self, error: &ValueError, place: Place<'_>) -> String {
        let message = match self.wording {
            Wording::Older => error.to_string(),
            _ => error.single_item_message(),
        };
        match place {
            Place::Expression(name) if self.names(error) => {
                format!(
                    "ExpressionAttributeValues contains invalid value: {message} for key {name}"
                )
            }
            Place::StartKey if self.blames_start_key(error) => {
                format!("The provided starting key is invalid: {message}")
            }
            _ if is_structural(error) => message,
            _ => self.counted(message),
        }
    }

    fn counted(&self, message: String) -> String {
        match self.wording {
            Wording::Put | Wording::Update | Wording::Delete => {
                format!("1 validation error detected: {message}")
            }
            Wording::Query | Wording::Read | Wording::Older => message,
        }
    }

    /// Whether the name of an expression value is given with this error.
    fn names(&self, error: &ValueError) -> bool {
        if *error == ValueError::NestingTooDeep {
            return true;
        }
        match self.wording {
            Wording::Put | Wording::Read => false,
            Wording::Update => is_structural(error) && *error != ValueError::NoDatatype,
            Wording::Query => {
                matches!(error, ValueError::NoDatatype | ValueError::NullReadsAsFalse)
            }
            Wording::Delete => is_structural(error),
            Wording::Older => !is_structural(error) && *error != ValueError::NullIsFalse,
        }
    }

    /// Whether the service says of a start key with this error that it is invalid.
    fn blames_start_key(&self, error: &ValueError) -> bool {
        match error {
            ValueError::NoDatatype | ValueError::SeveralDatatypes | ValueError::NestingTooDeep => {
                true
            }
            ValueError::NullIsFalse | ValueError::NullReadsAsFalse => self.wording == Wording::Read,
            _ => false,
        }
    }
}

/// Where a value stands that may be refused.
#[derive(Clone, Copy)]
enum Place<'a> {
    /// In `ExpressionAttributeValues`, under this name.
    Expression(&'a str),
    /// In `ExclusiveStartKey`.
    StartKey,
    /// Anywhere else.
    Elsewhere,
}

/// Errors of the value's structure, which are never counted.
fn is_structural(error: &ValueError) -> bool {
    matches!(
        error,
        ValueError::NoDatatype
            | ValueError::SeveralDatatypes
            | ValueError::NullReadsAsFalse
            | ValueError::NestingTooDeep
            | ValueError::EmptyStringSet
            | ValueError::EmptyNumberSet
            | ValueError::EmptyBinarySet
    )
}
