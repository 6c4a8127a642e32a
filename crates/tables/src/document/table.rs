//! A table: keys, kinds of item, indexes and settings.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use serde::Deserialize;
use values::AttributeType;

use super::{AccessPattern, Attribute, Environment, PerEnvironment};
use crate::pattern::Pattern;

/// One table document.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Table {
    /// The system it belongs to.
    pub system: String,
    /// Its logical name.
    pub table_name: String,
    /// What it holds.
    pub description: String,
    /// Requirements that it satisfies.
    pub requirements: Vec<String>,
    /// Decisions by which it departs from the source documents.
    #[serde(default)]
    pub decisions: Vec<String>,
    /// Its name in each environment, in which `{prefix}` stands for the system's prefix.
    pub names: PerEnvironment<String>,
    /// Its primary key.
    pub primary_key: PrimaryKey,
    /// The kinds of item it holds.
    pub item_types: Vec<ItemType>,
    /// Every attribute of its items.
    pub attributes: Vec<Attribute>,
    /// Whether items may have attributes that the document does not name.
    #[serde(default)]
    pub additional_attributes: bool,
    /// Its global secondary indexes.
    pub global_secondary_indexes: Vec<Index>,
    /// Its local secondary indexes.
    #[serde(default)]
    pub local_secondary_indexes: Vec<Index>,
    /// Automatic removal of items.
    pub time_to_live: Option<TimeToLive>,
    /// Its change stream.
    pub streams: Streams,
    /// How capacity is paid for.
    pub capacity_mode: CapacityMode,
    /// Capacity, if it is provisioned.
    pub provisioned_throughput: Option<ProvisionedThroughput>,
    /// Encryption at rest.
    pub encryption: Encryption,
    /// Point-in-time recovery.
    pub pitr: Recovery,
    /// Scheduled backups.
    pub backup: PerEnvironment<Backup>,
    /// Whether it refuses to be deleted.
    pub deletion_protection: PerEnvironment<bool>,
    /// Its tags.
    pub tags: PerEnvironment<BTreeMap<String, String>>,
    /// Expected use in production.
    pub load: Option<Load>,
    /// Every way in which services use it.
    pub access_patterns: Vec<AccessPattern>,
}

/// A primary key.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PrimaryKey {
    /// The partition key.
    pub partition_key: KeyAttribute,
    /// The sort key.
    pub sort_key: Option<KeyAttribute>,
}

/// One attribute of a primary key.
#[derive(Clone, Debug, Deserialize)]
pub struct KeyAttribute {
    /// Its name.
    pub name: String,
    /// Its type: S, N or B.
    #[serde(rename = "type")]
    pub key_type: String,
}

/// One kind of item.
#[derive(Clone, Debug, Deserialize)]
pub struct ItemType {
    /// Its name.
    pub name: String,
    /// What such an item stands for.
    pub description: String,
    /// Pattern by key attribute.
    pub keys: BTreeMap<String, String>,
    /// The same, read at the first use.
    #[serde(skip)]
    pub(crate) patterns: OnceLock<Vec<(String, Pattern)>>,
    /// What its attributes must be, by name, made at the first use.
    #[serde(skip)]
    pub(crate) rules: OnceLock<Vec<Rule>>,
    /// Decisions by which it departs from the source documents.
    #[serde(default)]
    pub decisions: Vec<String>,
}

/// The attribute of a marker that says which value is taken.
pub const MARKER_VALUE: &str = "uniqueValue";
/// The attribute of a marker that says whose the value is.
pub const MARKER_OWNER: &str = "reservedBy";

/// A secondary index.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Index {
    /// Its name.
    pub index_name: String,
    /// Its partition key.
    pub partition_key: String,
    /// Its sort key.
    pub sort_key: Option<String>,
    /// Which attributes it holds.
    pub projection_type: ProjectionType,
    /// What it holds besides keys, if it includes something.
    #[serde(default)]
    pub non_key_attributes: Vec<String>,
    /// What it is for.
    pub description: String,
    /// Decisions by which it departs from the source documents.
    #[serde(default)]
    pub decisions: Vec<String>,
}

/// An attribute as far as every item must be asked about it; the rest is in the table's list.
#[derive(Clone, Debug)]
pub(crate) struct Rule {
    pub name: String,
    pub attribute_type: AttributeType,
    pub required: bool,
    /// Whether every value of the type is accepted.
    pub is_free: bool,
    /// Where it is in the table's list.
    pub place: usize,
}

/// Which attributes an index holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum ProjectionType {
    /// All of them.
    All,
    /// The keys of table and index.
    KeysOnly,
    /// The keys and some more.
    Include,
}

impl ProjectionType {
    /// DynamoDB's word for it.
    pub const fn word(self) -> &'static str {
        match self {
            ProjectionType::All => "ALL",
            ProjectionType::KeysOnly => "KEYS_ONLY",
            ProjectionType::Include => "INCLUDE",
        }
    }
}

/// Automatic removal of items.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TimeToLive {
    /// The attribute with the time of removal.
    pub attribute: String,
    /// How long an item lives, where that is fixed.
    pub retention_seconds: Option<u64>,
    /// Which items are removed and when.
    pub description: String,
}

/// A change stream.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Streams {
    /// Whether there is one.
    pub enabled: bool,
    /// What a record holds.
    pub view_type: Option<ViewType>,
}

/// What a stream record holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum ViewType {
    /// The item's key.
    KeysOnly,
    /// The item afterwards.
    NewImage,
    /// The item before.
    OldImage,
    /// Both.
    NewAndOldImages,
}

impl ViewType {
    /// DynamoDB's word for it.
    pub const fn word(self) -> &'static str {
        match self {
            ViewType::KeysOnly => "KEYS_ONLY",
            ViewType::NewImage => "NEW_IMAGE",
            ViewType::OldImage => "OLD_IMAGE",
            ViewType::NewAndOldImages => "NEW_AND_OLD_IMAGES",
        }
    }
}

/// How capacity is paid for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum CapacityMode {
    /// By request.
    OnDemand,
    /// By the hour.
    Provisioned,
}

impl CapacityMode {
    /// DynamoDB's word for it.
    pub const fn billing_mode(self) -> &'static str {
        match self {
            CapacityMode::OnDemand => "PAY_PER_REQUEST",
            CapacityMode::Provisioned => "PROVISIONED",
        }
    }
}

/// Capacity of a provisioned table and of each of its indexes.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ProvisionedThroughput {
    /// Read units per second.
    pub read_capacity_units: u64,
    /// Write units per second.
    pub write_capacity_units: u64,
}

/// Encryption at rest.
#[derive(Clone, Debug, Deserialize)]
pub struct Encryption {
    /// Whose key it is.
    #[serde(rename = "type")]
    pub encryption_type: EncryptionType,
}

/// Whose key encrypts a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub enum EncryptionType {
    /// One that AWS owns and shows nobody.
    #[serde(rename = "AWS_OWNED")]
    AwsOwned,
    /// One in the account that AWS manages.
    #[serde(rename = "AWS_MANAGED_KMS")]
    AwsManagedKms,
}

/// Point-in-time recovery.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Recovery {
    /// Whether it is on.
    pub enabled: bool,
    /// How many days can be gone back.
    pub retention_days: Option<u32>,
}

/// Scheduled backups in one environment.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Backup {
    /// How often.
    pub frequency: Frequency,
    /// When, as AWS Backup writes it.
    pub schedule: Option<String>,
    /// How many days a backup is kept.
    pub retention_days: Option<u32>,
}

/// How often a backup is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Frequency {
    /// Never.
    None,
    /// Once a day.
    Daily,
    /// Once an hour.
    Hourly,
}

impl Frequency {
    /// Its name in the documents.
    pub const fn name(self) -> &'static str {
        match self {
            Frequency::None => "none",
            Frequency::Daily => "daily",
            Frequency::Hourly => "hourly",
        }
    }
}

/// Expected use in production.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Load {
    /// Size of an average item.
    pub average_item_bytes: u64,
    /// Number of items.
    pub items: u64,
    /// Requests per month by access pattern.
    pub requests_per_month: BTreeMap<String, u64>,
}

impl ItemType {
    /// The patterns of its keys, read, by name. One that cannot be read is left out; the check reports
    /// it. There are few, so that looking through them takes less than a search.
    pub fn patterns(&self) -> &[(String, Pattern)] {
        self.patterns.get_or_init(|| {
            let read =
                |(key, text): (&String, &String)| Some((key.clone(), Pattern::read(text).ok()?));
            self.keys.iter().filter_map(read).collect()
        })
    }
}

impl Table {
    /// Its name in an environment, with this prefix.
    pub fn name(&self, environment: Environment, prefix: &str) -> String {
        self.names.get(environment).replace("{prefix}", prefix)
    }

    /// Names of the key attributes: the partition key and, if there is one, the sort key.
    pub fn key_names(&self) -> Vec<&str> {
        let sort = self.primary_key.sort_key.as_ref();
        let mut names = vec![self.primary_key.partition_key.name.as_str()];
        names.extend(sort.map(|key| key.name.as_str()));
        names
    }

    /// All its indexes, global ones first.
    pub fn indexes(&self) -> impl Iterator<Item = &Index> {
        self.global_secondary_indexes.iter().chain(&self.local_secondary_indexes)
    }

    /// The index of that name.
    pub fn index(&self, name: &str) -> Option<&Index> {
        self.indexes().find(|index| index.index_name == name)
    }

    /// The attribute of that name; of several kinds' attributes of one name, the first.
    pub fn attribute(&self, name: &str) -> Option<&Attribute> {
        self.attributes.iter().find(|attribute| attribute.name == name)
    }

    /// The type of the attribute of that name.
    pub fn attribute_type(&self, name: &str) -> Option<AttributeType> {
        self.attribute(name).map(|attribute| attribute.attribute_type)
    }

    /// Whether items of a kind reserve unique values for their owners.
    pub fn is_marker(&self, kind: &ItemType) -> bool {
        [MARKER_VALUE, MARKER_OWNER].iter().all(|name| {
            self.attributes.iter().any(|known| known.name == *name && known.is_in(&kind.name))
        })
    }

    /// Whether an attribute is part of the primary key or of an index's key.
    pub fn is_key(&self, name: &str) -> bool {
        self.key_names().contains(&name)
            || self.indexes().any(|index| index.key_names().contains(&name))
    }
}

impl Index {
    /// Names of the key attributes.
    pub fn key_names(&self) -> Vec<&str> {
        let mut names = vec![self.partition_key.as_str()];
        names.extend(self.sort_key.as_deref());
        names
    }

    /// Whether it holds an attribute of the table.
    pub fn holds(&self, table: &Table, attribute: &str) -> bool {
        self.projection_type == ProjectionType::All
            || self.key_names().contains(&attribute)
            || table.key_names().contains(&attribute)
            || self.non_key_attributes.iter().any(|name| name == attribute)
    }
}
