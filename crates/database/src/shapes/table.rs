//! Tables and indexes as requests define them and answers describe them.

use serde::{Deserialize, Serialize};
use values::AttributeType;

/// Milliseconds since 1970-01-01T00:00:00Z.
pub type TimestampMillis = u64;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AttributeDefinition {
    pub attribute_name: String,
    pub attribute_type: ScalarAttributeType,
}

/// The types a key attribute may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ScalarAttributeType {
    S,
    N,
    B,
}

impl From<ScalarAttributeType> for AttributeType {
    fn from(scalar: ScalarAttributeType) -> Self {
        match scalar {
            ScalarAttributeType::S => AttributeType::S,
            ScalarAttributeType::N => AttributeType::N,
            ScalarAttributeType::B => AttributeType::B,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum KeyType {
    Hash,
    Range,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeySchemaElement {
    pub attribute_name: String,
    pub key_type: KeyType,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ProjectionType {
    All,
    KeysOnly,
    Include,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Projection {
    pub projection_type: Option<ProjectionType>,
    pub non_key_attributes: Option<Vec<String>>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProvisionedThroughput {
    pub read_capacity_units: i64,
    pub write_capacity_units: i64,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct OnDemandThroughput {
    pub max_read_request_units: Option<i64>,
    pub max_write_request_units: Option<i64>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct WarmThroughput {
    pub read_units_per_second: Option<i64>,
    pub write_units_per_second: Option<i64>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LocalSecondaryIndex {
    pub index_name: String,
    pub key_schema: Vec<KeySchemaElement>,
    pub projection: Projection,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GlobalSecondaryIndex {
    pub index_name: String,
    pub key_schema: Vec<KeySchemaElement>,
    pub projection: Projection,
    pub provisioned_throughput: Option<ProvisionedThroughput>,
    pub on_demand_throughput: Option<OnDemandThroughput>,
    pub warm_throughput: Option<WarmThroughput>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum BillingMode {
    Provisioned,
    PayPerRequest,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum TableClass {
    Standard,
    StandardInfrequentAccess,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum StreamViewType {
    KeysOnly,
    NewImage,
    OldImage,
    NewAndOldImages,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StreamSpecification {
    pub stream_enabled: bool,
    pub stream_view_type: Option<StreamViewType>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum SseType {
    Aes256,
    Kms,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SseSpecification {
    pub enabled: Option<bool>,
    pub sse_type: Option<SseType>,
    pub kms_master_key_id: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tag {
    pub key: String,
    pub value: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum TableStatus {
    Creating,
    Updating,
    Deleting,
    Active,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum IndexStatus {
    Creating,
    Updating,
    Deleting,
    Active,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct ProvisionedThroughputDescription {
    pub read_capacity_units: i64,
    pub write_capacity_units: i64,
    pub number_of_decreases_today: i64,
    pub last_increase_date_time: Option<TimestampMillis>,
    pub last_decrease_date_time: Option<TimestampMillis>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct BillingModeSummary {
    pub billing_mode: BillingMode,
    pub last_update_to_pay_per_request_date_time: Option<TimestampMillis>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct SseDescription {
    /// `ENABLED`, the only status a single machine ever shows.
    pub sse_type: SseType,
    pub kms_master_key_arn: String,
}

#[derive(Clone, Debug, PartialEq)]
pub struct TableClassSummary {
    pub table_class: TableClass,
    pub last_update_date_time: Option<TimestampMillis>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct LocalSecondaryIndexDescription {
    pub index_name: String,
    pub index_arn: String,
    pub key_schema: Vec<KeySchemaElement>,
    pub projection: Projection,
    pub index_size_bytes: u64,
    pub item_count: u64,
}

#[derive(Clone, Debug, PartialEq)]
pub struct GlobalSecondaryIndexDescription {
    pub index_name: String,
    pub index_arn: String,
    pub index_status: IndexStatus,
    /// `Some(true)` while a new index is filled.
    pub backfilling: Option<bool>,
    pub key_schema: Vec<KeySchemaElement>,
    pub projection: Projection,
    pub provisioned_throughput: ProvisionedThroughputDescription,
    pub on_demand_throughput: Option<OnDemandThroughput>,
    pub warm_throughput: WarmThroughput,
    pub index_size_bytes: u64,
    pub item_count: u64,
}

#[derive(Clone, Debug, PartialEq)]
pub struct TableDescription {
    pub table_name: String,
    pub table_arn: String,
    pub table_id: String,
    pub table_status: TableStatus,
    /// Absent from the answer of DeleteTable.
    pub creation_date_time: Option<TimestampMillis>,
    /// Empty in the answer of DeleteTable, like the keys and the indexes.
    pub attribute_definitions: Vec<AttributeDefinition>,
    pub key_schema: Vec<KeySchemaElement>,
    pub item_count: u64,
    pub table_size_bytes: u64,
    pub billing_mode_summary: Option<BillingModeSummary>,
    pub provisioned_throughput: ProvisionedThroughputDescription,
    pub on_demand_throughput: Option<OnDemandThroughput>,
    pub warm_throughput: WarmThroughput,
    pub table_class_summary: Option<TableClassSummary>,
    pub local_secondary_indexes: Vec<LocalSecondaryIndexDescription>,
    pub global_secondary_indexes: Vec<GlobalSecondaryIndexDescription>,
    pub stream_specification: Option<StreamViewType>,
    pub latest_stream_label: Option<String>,
    pub latest_stream_arn: Option<String>,
    pub sse_description: Option<SseDescription>,
    pub deletion_protection_enabled: bool,
}
