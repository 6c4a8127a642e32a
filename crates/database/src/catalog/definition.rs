//! What is stored of a table and of a stream.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::keys::{IndexNumber, StreamNumber, TableNumber};
use crate::shapes::{
    AttributeDefinition, BillingMode, IndexStatus, KeySchemaElement, OnDemandThroughput,
    ProjectionType, ProvisionedThroughput, SseType, StreamViewType, TableClass, TimestampMillis,
    WarmThroughput,
};

/// A table as it is stored.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TableDefinition {
    /// Stands for the table in storage keys.
    pub number: TableNumber,
    /// The table's name.
    pub name: String,
    /// `TableId`: stable over the table's life, new after re-creation.
    pub table_id: String,
    /// When it was created.
    pub creation_date_time: TimestampMillis,
    /// Types of all key attributes.
    pub attribute_definitions: Vec<AttributeDefinition>,
    /// The primary key.
    pub key_schema: Vec<KeySchemaElement>,
    /// Local and global indexes, in the order they were defined.
    pub indexes: Vec<IndexDefinition>,
    /// The number the next index gets.
    pub next_index: IndexNumber,
    /// How the table is billed.
    pub billing_mode: BillingMode,
    /// When it was last set to on-demand.
    pub pay_per_request_since: Option<TimestampMillis>,
    /// Zero for on-demand tables.
    pub provisioned_throughput: ProvisionedThroughput,
    /// Last increase of the provisioned throughput.
    pub last_increase_date_time: Option<TimestampMillis>,
    /// Last decrease of the provisioned throughput.
    pub last_decrease_date_time: Option<TimestampMillis>,
    /// Ceiling for on-demand tables.
    pub on_demand_throughput: Option<OnDemandThroughput>,
    /// Warm throughput, if one was asked for.
    pub warm_throughput: Option<WarmThroughput>,
    /// The table class, if one was ever set.
    pub table_class: Option<TableClass>,
    /// When the class was changed.
    pub table_class_changed: Option<TimestampMillis>,
    /// Server-side encryption with a KMS key: its type and the key's ARN.
    pub sse: Option<(SseType, String)>,
    /// DeleteTable is refused while this is set.
    pub deletion_protection_enabled: bool,
    /// The tags.
    pub tags: BTreeMap<String, String>,
    /// The stream that takes this table's changes.
    pub stream: Option<StreamNumber>,
    /// The label of the latest stream, also after it was disabled.
    pub latest_stream_label: Option<String>,
    /// Which attribute says when an item expires.
    pub time_to_live: Option<TimeToLiveDefinition>,
    /// When time to live was last changed: a second change within the hour is refused.
    pub time_to_live_changed: Option<TimestampMillis>,
}

/// The attribute that says when an item expires.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TimeToLiveDefinition {
    /// A number: seconds since 1970.
    pub attribute_name: String,
    /// Items written before this was enabled are still being entered into the expiry index.
    pub backfilling: bool,
}

/// Local or global.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum IndexKind {
    /// Shares the table's hash key.
    Local,
    /// Has keys of its own.
    Global,
}

/// An index as it is stored.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct IndexDefinition {
    /// Stands for the index in storage keys.
    pub number: IndexNumber,
    /// The index's name.
    pub name: String,
    /// Local or global.
    pub kind: IndexKind,
    /// Its key; a global index may have up to four hash and four range attributes.
    pub key_schema: Vec<KeySchemaElement>,
    /// What entries hold.
    pub projection_type: ProjectionType,
    /// With `INCLUDE`: the names beyond the keys.
    pub non_key_attributes: Vec<String>,
    /// `Creating` until every item that was there before has been entered.
    pub status: IndexStatus,
    /// Zero for on-demand tables.
    pub provisioned_throughput: ProvisionedThroughput,
    /// Ceiling for on-demand tables.
    pub on_demand_throughput: Option<OnDemandThroughput>,
    /// Warm throughput, if one was asked for.
    pub warm_throughput: Option<WarmThroughput>,
}

/// A stream as it is stored: the part of the log that belongs to one table between enabling and
/// disabling.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StreamDefinition {
    /// Stands for the stream in storage keys.
    pub number: StreamNumber,
    /// The table whose changes it holds.
    pub table: TableNumber,
    /// The table's name, kept for when the table is gone.
    pub table_name: String,
    /// The last part of the ARN.
    pub label: String,
    /// What records show.
    pub view_type: StreamViewType,
    /// When it was enabled.
    pub creation_date_time: TimestampMillis,
    /// When it was disabled.
    pub disabled_date_time: Option<TimestampMillis>,
    /// The table's key.
    pub key_schema: Vec<KeySchemaElement>,
    /// Types of the key attributes.
    pub attribute_definitions: Vec<AttributeDefinition>,
    /// Oldest first; the last one is open while the stream is enabled.
    pub shards: Vec<ShardDefinition>,
}

/// A part of a stream.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShardDefinition {
    /// Counts up from 0 within the stream; the parent of shard n is shard n - 1.
    pub number: u32,
    /// When it was opened.
    pub opened: TimestampMillis,
    /// The first commit it may hold.
    pub first_sequence: u64,
    /// The last commit it may hold, once closed.
    pub last_sequence: Option<u64>,
    /// When it was closed.
    pub closed: Option<TimestampMillis>,
}
