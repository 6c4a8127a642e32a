//! Enumerations and parameters of the item operations.

use std::collections::BTreeMap;

use values::AttributeValue;

/// `ExpressionAttributeNames`.
pub type ExpressionAttributeNames = BTreeMap<String, String>;
/// `ExpressionAttributeValues`.
pub type ExpressionAttributeValues = BTreeMap<String, AttributeValue>;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ReturnConsumedCapacity {
    #[default]
    None,
    Total,
    Indexes,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ReturnItemCollectionMetrics {
    #[default]
    None,
    Size,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ReturnValues {
    #[default]
    None,
    AllOld,
    UpdatedOld,
    AllNew,
    UpdatedNew,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ReturnValuesOnConditionCheckFailure {
    #[default]
    None,
    AllOld,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Select {
    AllAttributes,
    AllProjectedAttributes,
    Count,
    SpecificAttributes,
}
