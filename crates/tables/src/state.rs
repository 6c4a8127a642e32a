//! A table as it is on a target.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::target::{Target, TargetError};

/// What a target has under a table's name.
#[derive(Clone, Debug, Default)]
pub struct TableState {
    /// Its ARN.
    pub arn: String,
    /// `ACTIVE`, or what is being done to it.
    pub status: String,
    /// Key attributes, partition first.
    pub keys: Vec<String>,
    /// Type by key attribute.
    pub types: BTreeMap<String, String>,
    /// Global indexes by name.
    pub global: BTreeMap<String, IndexState>,
    /// Local indexes by name.
    pub local: BTreeMap<String, IndexState>,
    /// `PAY_PER_REQUEST` or `PROVISIONED`.
    pub billing_mode: String,
    /// Read and write units, if it is provisioned.
    pub throughput: (u64, u64),
    /// What stream records hold, if there is a stream.
    pub stream: Option<String>,
    /// Whether it refuses to be deleted.
    pub deletion_protection: bool,
    /// Whether a key of the account encrypts it.
    pub kms: bool,
    /// The TTL attribute, if TTL is on.
    pub time_to_live: Option<String>,
    /// Whether point-in-time recovery is on; nothing if the target does not offer it.
    pub point_in_time_recovery: Option<bool>,
    /// Its tags.
    pub tags: BTreeMap<String, String>,
}

/// An index as it is on a target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IndexState {
    /// Key attributes, partition first.
    pub keys: Vec<String>,
    /// What it holds.
    pub projection: String,
    /// What it includes, sorted.
    pub included: Vec<String>,
    /// `ACTIVE`, or what is being done to it.
    pub status: String,
}

impl TableState {
    /// Reads a table with its settings; nothing if there is none of that name.
    pub async fn read<T: Target>(
        target: &T,
        name: &str,
    ) -> Result<Option<TableState>, TargetError> {
        let Some(mut state) = TableState::describe(target, name).await? else { return Ok(None) };
        let body = json!({ "TableName": name });
        let ttl = target.call("DescribeTimeToLive", &body).await?;
        let ttl = &ttl["TimeToLiveDescription"];
        if matches!(ttl["TimeToLiveStatus"].as_str(), Some("ENABLED" | "ENABLING")) {
            state.time_to_live = ttl["AttributeName"].as_str().map(str::to_owned);
        }
        state.point_in_time_recovery = match target.call("DescribeContinuousBackups", &body).await {
            Ok(answer) => Some(
                answer["ContinuousBackupsDescription"]["PointInTimeRecoveryDescription"]["PointInTimeRecoveryStatus"]
                    == "ENABLED",
            ),
            Err(TargetError::NotOffered { .. }) => None,
            Err(error) => return Err(error),
        };
        state.tags = read_tags(target, &state.arn).await?;
        Ok(Some(state))
    }

    /// Reads what DescribeTable says; nothing if there is no table of that name.
    pub async fn describe<T: Target>(
        target: &T,
        name: &str,
    ) -> Result<Option<TableState>, TargetError> {
        match target.call("DescribeTable", &json!({ "TableName": name })).await {
            Ok(answer) => Ok(Some(described(&answer["Table"]))),
            Err(error) if error.is("ResourceNotFoundException") => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Whether nothing is being done to it or its indexes.
    pub fn is_active(&self) -> bool {
        self.status == "ACTIVE" && self.global.values().all(|index| index.status == "ACTIVE")
    }
}

async fn read_tags<T: Target>(
    target: &T,
    arn: &str,
) -> Result<BTreeMap<String, String>, TargetError> {
    let mut tags = BTreeMap::new();
    let mut body = json!({ "ResourceArn": arn });
    loop {
        let answer = target.call("ListTagsOfResource", &body).await?;
        for tag in elements(&answer["Tags"]) {
            tags.insert(text(&tag["Key"]), text(&tag["Value"]));
        }
        match answer["NextToken"].as_str() {
            Some(token) => body["NextToken"] = json!(token),
            None => return Ok(tags),
        }
    }
}

fn described(table: &Value) -> TableState {
    let indexes = |member: &str| {
        let named = |index: &Value| (text(&index["IndexName"]), index_state(index));
        elements(&table[member]).map(named).collect()
    };
    let definitions = elements(&table["AttributeDefinitions"]);
    let throughput = &table["ProvisionedThroughput"];
    let units = |member: &str| throughput[member].as_u64().unwrap_or_default();
    let stream = &table["StreamSpecification"];
    let enabled = stream["StreamEnabled"].as_bool() == Some(true);
    TableState {
        arn: text(&table["TableArn"]),
        status: text(&table["TableStatus"]),
        keys: keys(&table["KeySchema"]),
        types: definitions
            .map(|d| (text(&d["AttributeName"]), text(&d["AttributeType"])))
            .collect(),
        global: indexes("GlobalSecondaryIndexes"),
        local: indexes("LocalSecondaryIndexes"),
        billing_mode: table["BillingModeSummary"]["BillingMode"]
            .as_str()
            .unwrap_or("PROVISIONED")
            .to_owned(),
        throughput: (units("ReadCapacityUnits"), units("WriteCapacityUnits")),
        stream: stream["StreamViewType"].as_str().filter(|_| enabled).map(str::to_owned),
        deletion_protection: table["DeletionProtectionEnabled"].as_bool().unwrap_or_default(),
        kms: table["SSEDescription"]["SSEType"] == "KMS",
        ..TableState::default()
    }
}

fn index_state(index: &Value) -> IndexState {
    let mut included: Vec<_> =
        elements(&index["Projection"]["NonKeyAttributes"]).map(text).collect();
    included.sort();
    IndexState {
        keys: keys(&index["KeySchema"]),
        projection: text(&index["Projection"]["ProjectionType"]),
        included,
        status: index["IndexStatus"].as_str().unwrap_or("ACTIVE").to_owned(),
    }
}

fn keys(schema: &Value) -> Vec<String> {
    let mut elements: Vec<_> = elements(schema).collect();
    elements.sort_by_key(|element| element["KeyType"] != "HASH");
    elements.into_iter().map(|element| text(&element["AttributeName"])).collect()
}

fn elements(list: &Value) -> impl Iterator<Item = &Value> {
    list.as_array().into_iter().flatten()
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}
