//! The SDK's answers as JSON: the members that the comparison of tables looks at.

use aws_sdk_dynamodb::types::{KeySchemaElement, Projection, TableDescription, Tag};
use serde_json::{Value, json};

/// A table's description.
pub(crate) fn table(table: &TableDescription) -> Value {
    let stream = table.stream_specification();
    let throughput = table.provisioned_throughput();
    json!({
        "TableName": table.table_name(),
        "TableArn": table.table_arn(),
        "TableStatus": table.table_status().map(|status| status.as_str()),
        "KeySchema": key_schema(table.key_schema()),
        "AttributeDefinitions": table.attribute_definitions().iter().map(|definition| json!({
            "AttributeName": definition.attribute_name(),
            "AttributeType": definition.attribute_type().as_str(),
        })).collect::<Value>(),
        "BillingModeSummary": {
            "BillingMode": table
                .billing_mode_summary()
                .and_then(|summary| summary.billing_mode())
                .map(|mode| mode.as_str()),
        },
        "ProvisionedThroughput": {
            "ReadCapacityUnits": throughput.and_then(|units| units.read_capacity_units()),
            "WriteCapacityUnits": throughput.and_then(|units| units.write_capacity_units()),
        },
        "GlobalSecondaryIndexes": table.global_secondary_indexes().iter().map(|index| json!({
            "IndexName": index.index_name(),
            "KeySchema": key_schema(index.key_schema()),
            "Projection": index.projection().map(projection),
            "IndexStatus": index.index_status().map(|status| status.as_str()),
        })).collect::<Value>(),
        "LocalSecondaryIndexes": table.local_secondary_indexes().iter().map(|index| json!({
            "IndexName": index.index_name(),
            "KeySchema": key_schema(index.key_schema()),
            "Projection": index.projection().map(projection),
        })).collect::<Value>(),
        "StreamSpecification": {
            "StreamEnabled": stream.map(|stream| stream.stream_enabled()),
            "StreamViewType": stream
                .and_then(|stream| stream.stream_view_type())
                .map(|view| view.as_str()),
        },
        "SSEDescription": {
            "SSEType": table
                .sse_description()
                .and_then(|encryption| encryption.sse_type())
                .map(|kind| kind.as_str()),
        },
        "DeletionProtectionEnabled": table.deletion_protection_enabled(),
    })
}

/// A list of tags.
pub(crate) fn tags(tags: &[Tag]) -> Value {
    tags.iter().map(|tag| json!({ "Key": tag.key(), "Value": tag.value() })).collect()
}

fn key_schema(schema: &[KeySchemaElement]) -> Value {
    let element = |element: &KeySchemaElement| json!({ "AttributeName": element.attribute_name(), "KeyType": element.key_type().as_str() });
    schema.iter().map(element).collect()
}

fn projection(projection: &Projection) -> Value {
    json!({
        "ProjectionType": projection.projection_type().map(|kind| kind.as_str()),
        "NonKeyAttributes": projection.non_key_attributes(),
    })
}
