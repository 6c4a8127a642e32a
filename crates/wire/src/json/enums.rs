//! Enumerations: the words of the wire and the types of the database, in one place.

use database::operations::{
    EventName, PointInTimeRecoveryStatus, ShardIteratorType, StreamStatus, TimeToLiveStatus,
};
use database::shapes::{
    BillingMode, IndexStatus, KeyType, ProjectionType, ReturnConsumedCapacity,
    ReturnItemCollectionMetrics, ReturnValues, ReturnValuesOnConditionCheckFailure,
    ScalarAttributeType, Select, SseType, StreamViewType, TableClass, TableStatus,
};
use expressions::legacy::{AttributeAction, ComparisonOperator, ConditionalOperator};

use super::members::text;
use values::json::Members;

/// A type with a word for each of its values.
pub(super) trait Word: Copy + PartialEq + 'static {
    const WORDS: &'static [(&'static str, Self)];

    fn from_word(word: &str) -> Option<Self> {
        Self::WORDS.iter().find(|(spelled, _)| *spelled == word).map(|(_, value)| *value)
    }

    fn word(self) -> &'static str {
        Self::WORDS.iter().find(|(_, value)| *value == self).map_or("", |(spelled, _)| *spelled)
    }
}

/// The value of a member whose word is there and known.
pub(super) fn word<T: Word>(members: &Members, name: &str) -> Option<T> {
    text(members, name).and_then(T::from_word)
}

macro_rules! words {
    ($($kind:ty { $($word:literal = $value:ident),+ $(,)? })+) => {
        $(impl Word for $kind {
            const WORDS: &'static [(&'static str, Self)] =
                &[$(($word, <$kind>::$value)),+];
        })+
    };
}

words! {
    ReturnConsumedCapacity { "INDEXES" = Indexes, "TOTAL" = Total, "NONE" = None }
    ReturnItemCollectionMetrics { "SIZE" = Size, "NONE" = None }
    ReturnValues {
        "ALL_NEW" = AllNew, "UPDATED_OLD" = UpdatedOld, "ALL_OLD" = AllOld, "NONE" = None,
        "UPDATED_NEW" = UpdatedNew,
    }
    ReturnValuesOnConditionCheckFailure { "ALL_OLD" = AllOld, "NONE" = None }
    Select {
        "SPECIFIC_ATTRIBUTES" = SpecificAttributes, "COUNT" = Count,
        "ALL_ATTRIBUTES" = AllAttributes, "ALL_PROJECTED_ATTRIBUTES" = AllProjectedAttributes,
    }
    ConditionalOperator { "AND" = And, "OR" = Or }
    AttributeAction { "ADD" = Add, "DELETE" = Delete, "PUT" = Put }
    ComparisonOperator {
        "EQ" = Eq, "NE" = Ne, "IN" = In, "LE" = Le, "LT" = Lt, "GE" = Ge, "GT" = Gt,
        "BETWEEN" = Between, "NOT_NULL" = NotNull, "NULL" = Null, "CONTAINS" = Contains,
        "NOT_CONTAINS" = NotContains, "BEGINS_WITH" = BeginsWith,
    }
    ScalarAttributeType { "S" = S, "N" = N, "B" = B }
    KeyType { "HASH" = Hash, "RANGE" = Range }
    ProjectionType { "ALL" = All, "KEYS_ONLY" = KeysOnly, "INCLUDE" = Include }
    BillingMode { "PROVISIONED" = Provisioned, "PAY_PER_REQUEST" = PayPerRequest }
    TableClass { "STANDARD" = Standard, "STANDARD_INFREQUENT_ACCESS" = StandardInfrequentAccess }
    StreamViewType {
        "KEYS_ONLY" = KeysOnly, "NEW_IMAGE" = NewImage, "OLD_IMAGE" = OldImage,
        "NEW_AND_OLD_IMAGES" = NewAndOldImages,
    }
    SseType { "AES256" = Aes256, "KMS" = Kms }
    TableStatus {
        "CREATING" = Creating, "UPDATING" = Updating, "DELETING" = Deleting, "ACTIVE" = Active,
    }
    IndexStatus {
        "CREATING" = Creating, "UPDATING" = Updating, "DELETING" = Deleting, "ACTIVE" = Active,
    }
    TimeToLiveStatus {
        "ENABLING" = Enabling, "DISABLING" = Disabling, "ENABLED" = Enabled, "DISABLED" = Disabled,
    }
    PointInTimeRecoveryStatus { "ENABLED" = Enabled, "DISABLED" = Disabled }
    StreamStatus {
        "ENABLING" = Enabling, "ENABLED" = Enabled, "DISABLING" = Disabling, "DISABLED" = Disabled,
    }
    ShardIteratorType {
        "TRIM_HORIZON" = TrimHorizon, "LATEST" = Latest,
        "AT_SEQUENCE_NUMBER" = AtSequenceNumber, "AFTER_SEQUENCE_NUMBER" = AfterSequenceNumber,
    }
    EventName { "INSERT" = Insert, "MODIFY" = Modify, "REMOVE" = Remove }
}
