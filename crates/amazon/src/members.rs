//! Members of a request's JSON as the SDK's types.

use aws_sdk_dynamodb::types::{
    AttributeDefinition, CreateGlobalSecondaryIndexAction, DeleteGlobalSecondaryIndexAction,
    GlobalSecondaryIndex, GlobalSecondaryIndexUpdate, KeySchemaElement, LocalSecondaryIndex,
    Projection, ProvisionedThroughput, SseSpecification, StreamSpecification, Tag,
};
use serde_json::Value;
use tables::TargetError;

use crate::refusal::incomplete;

type Built<T> = Result<T, TargetError>;

pub(crate) fn text(body: &Value, member: &str) -> Option<String> {
    body[member].as_str().map(str::to_owned)
}

fn list<'v, T>(
    body: &'v Value,
    member: &str,
    read: impl Fn(&'v Value) -> Built<T>,
) -> Built<Option<Vec<T>>> {
    body[member].as_array().map(|elements| elements.iter().map(read).collect()).transpose()
}

pub(crate) fn definitions(body: &Value) -> Built<Option<Vec<AttributeDefinition>>> {
    list(body, "AttributeDefinitions", |definition| {
        AttributeDefinition::builder()
            .set_attribute_name(text(definition, "AttributeName"))
            .set_attribute_type(text(definition, "AttributeType").map(|kind| kind.as_str().into()))
            .build()
            .map_err(incomplete)
    })
}

pub(crate) fn key_schema(body: &Value) -> Built<Option<Vec<KeySchemaElement>>> {
    list(body, "KeySchema", |element| {
        KeySchemaElement::builder()
            .set_attribute_name(text(element, "AttributeName"))
            .set_key_type(text(element, "KeyType").map(|kind| kind.as_str().into()))
            .build()
            .map_err(incomplete)
    })
}

pub(crate) fn throughput(body: &Value) -> Built<Option<ProvisionedThroughput>> {
    let throughput = &body["ProvisionedThroughput"];
    if throughput.is_null() {
        return Ok(None);
    }
    ProvisionedThroughput::builder()
        .set_read_capacity_units(throughput["ReadCapacityUnits"].as_i64())
        .set_write_capacity_units(throughput["WriteCapacityUnits"].as_i64())
        .build()
        .map(Some)
        .map_err(incomplete)
}

pub(crate) fn stream(body: &Value) -> Built<Option<StreamSpecification>> {
    let stream = &body["StreamSpecification"];
    if stream.is_null() {
        return Ok(None);
    }
    StreamSpecification::builder()
        .set_stream_enabled(stream["StreamEnabled"].as_bool())
        .set_stream_view_type(text(stream, "StreamViewType").map(|view| view.as_str().into()))
        .build()
        .map(Some)
        .map_err(incomplete)
}

pub(crate) fn encryption(body: &Value) -> Option<SseSpecification> {
    let encryption = &body["SSESpecification"];
    (!encryption.is_null()).then(|| {
        SseSpecification::builder()
            .set_enabled(encryption["Enabled"].as_bool())
            .set_sse_type(text(encryption, "SSEType").map(|kind| kind.as_str().into()))
            .build()
    })
}

pub(crate) fn tags(body: &Value) -> Built<Option<Vec<Tag>>> {
    list(body, "Tags", |tag| {
        Tag::builder()
            .set_key(text(tag, "Key"))
            .set_value(text(tag, "Value"))
            .build()
            .map_err(incomplete)
    })
}

pub(crate) fn global_indexes(body: &Value) -> Built<Option<Vec<GlobalSecondaryIndex>>> {
    list(body, "GlobalSecondaryIndexes", |index| {
        GlobalSecondaryIndex::builder()
            .set_index_name(text(index, "IndexName"))
            .set_key_schema(key_schema(index)?)
            .projection(projection(index))
            .set_provisioned_throughput(throughput(index)?)
            .build()
            .map_err(incomplete)
    })
}

pub(crate) fn local_indexes(body: &Value) -> Built<Option<Vec<LocalSecondaryIndex>>> {
    list(body, "LocalSecondaryIndexes", |index| {
        LocalSecondaryIndex::builder()
            .set_index_name(text(index, "IndexName"))
            .set_key_schema(key_schema(index)?)
            .projection(projection(index))
            .build()
            .map_err(incomplete)
    })
}

pub(crate) fn index_updates(body: &Value) -> Built<Option<Vec<GlobalSecondaryIndexUpdate>>> {
    list(body, "GlobalSecondaryIndexUpdates", |update| {
        let mut built = GlobalSecondaryIndexUpdate::builder();
        let create = &update["Create"];
        if !create.is_null() {
            let action = CreateGlobalSecondaryIndexAction::builder()
                .set_index_name(text(create, "IndexName"))
                .set_key_schema(key_schema(create)?)
                .projection(projection(create))
                .set_provisioned_throughput(throughput(create)?)
                .build()
                .map_err(incomplete)?;
            built = built.create(action);
        }
        if let Some(name) = text(&update["Delete"], "IndexName") {
            let action = DeleteGlobalSecondaryIndexAction::builder().index_name(name).build();
            built = built.delete(action.map_err(incomplete)?);
        }
        Ok(built.build())
    })
}

fn projection(index: &Value) -> Projection {
    let projection = &index["Projection"];
    let names = projection["NonKeyAttributes"].as_array();
    let names =
        names.map(|names| names.iter().filter_map(Value::as_str).map(str::to_owned).collect());
    Projection::builder()
        .set_projection_type(text(projection, "ProjectionType").map(|kind| kind.as_str().into()))
        .set_non_key_attributes(names)
        .build()
}
