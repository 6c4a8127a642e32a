//! Access patterns: every way in which services use a table.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;
use values::AttributeValue;

/// One way in which a service reads or writes a table.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AccessPattern {
    /// Its identifier, unique in the document.
    pub id: String,
    /// What it does, in words.
    pub name: String,
    /// The DynamoDB operation.
    pub operation: Operation,
    /// What a part of a transaction does to its item.
    pub action: Option<Action>,
    /// The index that is queried.
    pub index: Option<String>,
    /// Condition by key attribute.
    pub key_condition: BTreeMap<String, KeyComparison>,
    /// What each placeholder means that is not an attribute.
    #[serde(default)]
    pub parameters: BTreeMap<String, String>,
    /// Order of the answer by sort key.
    pub sort_direction: Option<SortDirection>,
    /// Whether the read sees every write before it.
    #[serde(default)]
    pub consistent_read: bool,
    /// Attributes by which the answer is filtered.
    #[serde(default)]
    pub filter: Vec<String>,
    /// Attributes that the caller needs; all if empty.
    #[serde(default)]
    pub returns: Vec<String>,
    /// Condition expression of a write.
    pub condition: Option<String>,
    /// Values in the condition that are always the same, by name.
    #[serde(default, deserialize_with = "constants")]
    pub values: BTreeMap<String, AttributeValue>,
    /// Whether an update makes the item if there is none.
    #[serde(default)]
    pub creates_if_absent: bool,
    /// Requirements that it satisfies.
    #[serde(default)]
    pub requirements: Vec<String>,
    /// Decisions by which it departs from the source documents.
    #[serde(default)]
    pub decisions: Vec<String>,
}

/// The operations that access patterns use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub enum Operation {
    /// One item by its key.
    GetItem,
    /// Several items by their keys.
    BatchGetItem,
    /// Items with one partition key.
    Query,
    /// Writes an item.
    PutItem,
    /// Changes an item.
    UpdateItem,
    /// Removes an item.
    DeleteItem,
    /// Writes several items or none.
    TransactWriteItems,
}

impl Operation {
    /// Its name in DynamoDB's API.
    pub const fn name(self) -> &'static str {
        match self {
            Operation::GetItem => "GetItem",
            Operation::BatchGetItem => "BatchGetItem",
            Operation::Query => "Query",
            Operation::PutItem => "PutItem",
            Operation::UpdateItem => "UpdateItem",
            Operation::DeleteItem => "DeleteItem",
            Operation::TransactWriteItems => "TransactWriteItems",
        }
    }

    /// Whether it reads.
    pub fn reads(self) -> bool {
        matches!(self, Operation::GetItem | Operation::BatchGetItem | Operation::Query)
    }
}

/// What a write does to its item, in the words of DynamoDB's transactions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub enum Action {
    /// Stores it.
    Put,
    /// Changes it.
    Update,
    /// Removes it.
    Delete,
    /// Asks a condition of it.
    ConditionCheck,
}

impl Action {
    /// Its name in DynamoDB's API.
    pub const fn name(self) -> &'static str {
        match self {
            Action::Put => "Put",
            Action::Update => "Update",
            Action::Delete => "Delete",
            Action::ConditionCheck => "ConditionCheck",
        }
    }
}

impl AccessPattern {
    /// What it does to its item; nothing if it reads.
    pub fn write_action(&self) -> Option<Action> {
        match self.operation {
            Operation::GetItem | Operation::BatchGetItem | Operation::Query => None,
            Operation::PutItem => Some(Action::Put),
            Operation::UpdateItem => Some(Action::Update),
            Operation::DeleteItem => Some(Action::Delete),
            Operation::TransactWriteItems => self.action,
        }
    }
}

/// Order of the answer to a Query.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SortDirection {
    /// Smallest sort key first.
    Ascending,
    /// Largest sort key first.
    Descending,
}

/// Condition on a key attribute.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub enum KeyComparison {
    /// It equals the pattern.
    Equals(String),
    /// It compares to a pattern otherwise; only a sort key may.
    Compares(Comparison),
}

/// How a sort key compares.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Comparison {
    /// Begins with the pattern.
    BeginsWith(String),
    /// Lies between the two, both included.
    Between([String; 2]),
    /// Is less.
    LessThan(String),
    /// Is less or equal.
    AtMost(String),
    /// Is greater.
    GreaterThan(String),
    /// Is greater or equal.
    AtLeast(String),
}

impl KeyComparison {
    /// The patterns in it.
    pub fn patterns(&self) -> Vec<&str> {
        match self {
            KeyComparison::Equals(pattern) => vec![pattern],
            KeyComparison::Compares(comparison) => match comparison {
                Comparison::Between([first, last]) => vec![first, last],
                Comparison::BeginsWith(pattern)
                | Comparison::LessThan(pattern)
                | Comparison::AtMost(pattern)
                | Comparison::GreaterThan(pattern)
                | Comparison::AtLeast(pattern) => vec![pattern],
            },
        }
    }

    /// The condition in words, for the attribute.
    pub fn describe(&self, attribute: &str) -> String {
        match self {
            KeyComparison::Equals(pattern) => format!("{attribute} = {pattern}"),
            KeyComparison::Compares(comparison) => match comparison {
                Comparison::BeginsWith(pattern) => format!("begins_with({attribute}, {pattern})"),
                Comparison::Between([first, last]) => {
                    format!("{attribute} BETWEEN {first} AND {last}")
                }
                Comparison::LessThan(pattern) => format!("{attribute} < {pattern}"),
                Comparison::AtMost(pattern) => format!("{attribute} <= {pattern}"),
                Comparison::GreaterThan(pattern) => format!("{attribute} > {pattern}"),
                Comparison::AtLeast(pattern) => format!("{attribute} >= {pattern}"),
            },
        }
    }
}

/// Texts, numbers and booleans, as the schema allows.
fn constants<'de, D: serde::Deserializer<'de>>(
    from: D,
) -> Result<BTreeMap<String, AttributeValue>, D::Error> {
    let constant = |(name, value): (String, Value)| {
        let value = match value {
            Value::String(text) => AttributeValue::S(text),
            Value::Bool(flag) => AttributeValue::Bool(flag),
            Value::Number(number) => {
                let number = number.to_string().parse();
                AttributeValue::N(number.map_err(serde::de::Error::custom)?)
            }
            other => {
                let message = format!("{name} is {other}, and not a text, number or boolean");
                return Err(serde::de::Error::custom(message));
            }
        };
        Ok((name, value))
    };
    BTreeMap::<String, Value>::deserialize(from)?.into_iter().map(constant).collect()
}
