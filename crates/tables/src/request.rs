//! A table as DynamoDB's requests describe it.

use serde_json::{Map, Value, json};

use crate::document::{
    CapacityMode, EncryptionType, Environment, Index, ProjectionType, ProvisionedThroughput, Table,
};

/// The CreateTable request for a table in an environment.
pub fn create_table(table: &Table, name: &str, environment: Environment) -> Value {
    let mut request = json!({
        "TableName": name,
        "AttributeDefinitions": attribute_definitions(table),
        "KeySchema": key_schema(&table.key_names()),
        "BillingMode": table.capacity_mode.billing_mode(),
        "StreamSpecification": stream(table),
        "SSESpecification": encryption(table),
        "DeletionProtectionEnabled": table.deletion_protection.get(environment),
        "Tags": tags(table, environment),
    });
    if let Some(throughput) = throughput(table) {
        request["ProvisionedThroughput"] = throughput;
    }
    let global: Vec<_> =
        table.global_secondary_indexes.iter().map(|index| global_index(table, index)).collect();
    if !global.is_empty() {
        request["GlobalSecondaryIndexes"] = Value::Array(global);
    }
    let local: Vec<_> = table.local_secondary_indexes.iter().map(index_members).collect();
    if !local.is_empty() {
        request["LocalSecondaryIndexes"] = Value::Array(local);
    }
    request
}

/// Types of the attributes that are keys of the table or of an index, and of no others.
pub fn attribute_definitions(table: &Table) -> Value {
    let keys = table.key_names().into_iter().chain(table.indexes().flat_map(Index::key_names));
    let mut names: Vec<&str> = Vec::new();
    for name in keys {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let definition = |name: &&str| {
        let kind = table.attribute_type(name).map_or("S", |kind| kind.descriptor());
        json!({ "AttributeName": name, "AttributeType": kind })
    };
    names.iter().map(definition).collect()
}

/// A global index, as CreateTable and UpdateTable take it.
pub fn global_index(table: &Table, index: &Index) -> Value {
    let mut request = index_members(index);
    if let Some(throughput) = throughput(table) {
        request["ProvisionedThroughput"] = throughput;
    }
    request
}

/// The stream specification.
pub fn stream(table: &Table) -> Value {
    match table.streams.view_type.filter(|_| table.streams.enabled) {
        Some(view) => json!({ "StreamEnabled": true, "StreamViewType": view.word() }),
        None => json!({ "StreamEnabled": false }),
    }
}

/// The encryption specification.
pub fn encryption(table: &Table) -> Value {
    match table.encryption.encryption_type {
        EncryptionType::AwsOwned => json!({ "Enabled": false }),
        EncryptionType::AwsManagedKms => json!({ "Enabled": true, "SSEType": "KMS" }),
    }
}

/// The tags.
pub fn tags(table: &Table, environment: Environment) -> Value {
    let tags = table.tags.get(environment).iter();
    tags.map(|(key, value)| json!({ "Key": key, "Value": value })).collect()
}

/// The throughput of a provisioned table, and of each of its indexes.
pub fn throughput(table: &Table) -> Option<Value> {
    let provisioned = table.capacity_mode == CapacityMode::Provisioned;
    let ProvisionedThroughput { read_capacity_units, write_capacity_units } =
        table.provisioned_throughput.filter(|_| provisioned)?;
    Some(json!({
        "ReadCapacityUnits": read_capacity_units,
        "WriteCapacityUnits": write_capacity_units,
    }))
}

/// A key schema.
pub fn key_schema(names: &[&str]) -> Value {
    let element = |(name, kind): (&&str, &str)| json!({ "AttributeName": name, "KeyType": kind });
    names.iter().zip(["HASH", "RANGE"]).map(element).collect()
}

fn index_members(index: &Index) -> Value {
    let mut projection = Map::new();
    projection.insert("ProjectionType".to_owned(), json!(index.projection_type.word()));
    if index.projection_type == ProjectionType::Include {
        projection.insert("NonKeyAttributes".to_owned(), json!(index.non_key_attributes));
    }
    json!({
        "IndexName": index.index_name,
        "KeySchema": key_schema(&index.key_names()),
        "Projection": projection,
    })
}
