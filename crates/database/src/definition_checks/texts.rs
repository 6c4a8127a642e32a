//! The texts about definitions, apart from the logic that raises them: AWS changes them now and
//! then. Taken from answers captured in October 2026, where they could be had.

use std::fmt::Display;

use crate::Error;

/// What most texts start with.
pub fn invalid(what: impl Display) -> Error {
    Error::Validation(format!("One or more parameter values were invalid: {what}"))
}

/// Names of tables and indexes.
pub const NAME_PATTERN: &str = "Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+";

/// Operations on tables, other than CreateTable.
pub const TABLE_NAME_LENGTH: &str =
    "TableName must be at least 3 characters long and at most 255 characters long";

/// A `TableName` that starts like an ARN, but is none.
pub const ARN_FORMAT: &str = "Valid ARN format is \
    'arn:<awsPartition>:<vendor>:<region>:<subscriber>:resourceType/resourceName', where Resource \
    name must have length less than or equal to 255, Resource name must have length greater than \
    or equal to 3, Resource name must satisfy regular expression pattern: [a-zA-Z0-9_.-]+";

/// Fewer definitions than key attributes.
pub const KEY_WITHOUT_DEFINITION: &str =
    "Invalid KeySchema: Some index key attribute have no definition";

/// A key that does not start with its hash attribute.
pub const FIRST_IS_NOT_HASH: &str =
    "Invalid KeySchema: The first KeySchemaElement is not a HASH key type";

/// A table key with two hash attributes.
pub const SECOND_IS_NOT_RANGE: &str =
    "Invalid KeySchema: The second KeySchemaElement is not a RANGE key type";

/// A key with one attribute in both places.
pub const HASH_IS_RANGE: &str =
    "Both the Hash Key and the Range Key element in the KeySchema have the same name";

/// A longer key with an attribute twice.
pub const KEY_REPEATS_ATTRIBUTE: &str =
    "The KeySchema contains multiple key attributes with the same name";

/// CreateTable: a definition that no key uses, on a table without indexes.
pub const DEFINITION_COUNT: &str = "Number of attributes in KeySchema does not exactly match \
    number of attributes defined in AttributeDefinitions";

/// Throughput of an on-demand table.
pub const THROUGHPUT_ON_DEMAND: &str = "Neither ReadCapacityUnits nor WriteCapacityUnits can be \
    specified when BillingMode is PAY_PER_REQUEST";

/// CreateTable without throughput.
pub const THROUGHPUT_MISSING: &str = "ReadCapacityUnits and WriteCapacityUnits must both be \
    specified when BillingMode is PROVISIONED";

/// UpdateTable to provisioned without throughput.
pub const THROUGHPUT_MISSING_IN_UPDATE: &str =
    "ProvisionedThroughput must be specified when BillingMode is PROVISIONED";

/// Where the on-demand texts refer to.
pub const ON_DEMAND_PAGE: &str = "https://docs.aws.amazon.com/amazondynamodb/latest/\
    developerguide/on-demand-capacity-mode.html#on-demand-capacity-mode-initial";

/// UpdateTable: two indexes in one call, or one while another is not ready.
pub const ONE_ONLINE_INDEX: &str = "Subscriber limit exceeded: Only 1 online index can be created \
    or deleted simultaneously per table";

/// UpdateTable: a 21st index.
pub const TOO_MANY_GLOBAL_INDEXES: &str = "Subscriber limit exceeded: Number of global secondary \
    indexes exceeds per-table limit of 20";

/// UpdateTable: an index name that is taken.
pub const INDEX_EXISTS: &str = "Attempting to create an index which already exists";

/// UpdateTable with nothing to update.
pub const NOTHING_TO_UPDATE: &str = "At least one of ProvisionedThroughput, BillingMode, \
    UpdateStreamEnabled, GlobalSecondaryIndexUpdates, SSESpecification, ReplicaUpdates, \
    MultiAccountReplicaReady, ReplicaTransitRoleArn, MultiRegionConsistency, \
    DeletionProtectionEnabled, OnDemandThroughput, WarmThroughput or TableClass is required";

/// DeleteTable of a protected table (rule 64).
pub const PROTECTED: &str = "Resource cannot be deleted as it is currently protected against \
    deletion. Disable deletion protection first.";

/// DeleteTable while an index is filled.
pub const INDEX_IN_PROGRESS: &str = "Attempt to change a resource which is still in use: Cannot \
    delete table while indexes are being created, updated, or deleted.";

/// More than 50 tags.
pub const TOO_MANY_TAGS: &str =
    "Number of Tags exceed the current limit for the provided ResourceArn";

/// UpdateTimeToLive twice within the hour (rule 61).
pub const TIME_TO_LIVE_TOO_SOON: &str =
    "Time to live has been modified multiple times within a fixed interval";
