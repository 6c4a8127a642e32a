//! CreateTable, UpdateTable, DeleteTable, DescribeTable, ListTables.

use database::Database;
use database::operations::{
    CreateTableRequest, CreateTableResponse, DeleteTableRequest, DeleteTableResponse,
    DescribeTableRequest, DescribeTableResponse, GlobalSecondaryIndexUpdate, ListTablesRequest,
    ListTablesResponse, UpdateTableRequest, UpdateTableResponse,
};
use database::shapes::{
    AttributeDefinition, GlobalSecondaryIndex, KeySchemaElement, KeyType, LocalSecondaryIndex,
    OnDemandThroughput, Projection, ProvisionedThroughput, ScalarAttributeType, SseSpecification,
    StreamSpecification, Tag, WarmThroughput,
};

use super::answer::{Answer, Json};
use super::enums::word;
use super::members::{flag, integer, long, object, objects, owned, required, table_name, texts};
use super::value::Wording;
use super::{description, read, rules, shapes};
use crate::WireError;
use values::json::{Members, Node};

/// Executes a CreateTable request.
pub(super) async fn create_table(database: &Database, body: &Node) -> Result<Json, WireError> {
    let response = database.create_table(create_table_request(body)?).await?;
    Ok(create_table_answer(&response))
}

/// Reads a CreateTable request.
pub fn create_table_request(body: &Node) -> Result<CreateTableRequest, WireError> {
    let stages = rules::tables::CREATE_TABLE;
    read(&shapes::tables::CREATE_TABLE, stages, Wording::Read, body, |_, members| {
        let local = objects(members, "LocalSecondaryIndexes");
        let global = objects(members, "GlobalSecondaryIndexes");
        Ok(CreateTableRequest {
            table_name: table_name(members),
            attribute_definitions: definitions(members).unwrap_or_default(),
            key_schema: key_schema(members),
            local_secondary_indexes: local.map(|indexes| indexes.map(local_index).collect()),
            global_secondary_indexes: global.map(|indexes| indexes.map(global_index).collect()),
            billing_mode: word(members, "BillingMode"),
            provisioned_throughput: provisioned(members),
            on_demand_throughput: on_demand(members),
            warm_throughput: warm(members),
            stream_specification: stream(members),
            sse_specification: encryption(members),
            table_class: word(members, "TableClass"),
            deletion_protection_enabled: flag(members, "DeletionProtectionEnabled"),
            tags: tags(members),
        })
    })
}

/// Writes a CreateTable answer.
pub fn create_table_answer(response: &CreateTableResponse) -> Json {
    Answer::new().with("TableDescription", description::table(&response.table_description)).done()
}

/// Executes an UpdateTable request.
pub(super) async fn update_table(database: &Database, body: &Node) -> Result<Json, WireError> {
    let response = database.update_table(update_table_request(body)?).await?;
    Ok(update_table_answer(&response))
}

/// Reads an UpdateTable request.
pub fn update_table_request(body: &Node) -> Result<UpdateTableRequest, WireError> {
    let stages = rules::tables::UPDATE_TABLE;
    read(&shapes::tables::UPDATE_TABLE, stages, Wording::Read, body, |decoder, members| {
        let updates = objects(members, "GlobalSecondaryIndexUpdates")
            .map(|updates| updates.map(index_update).collect::<Option<Vec<_>>>());
        let actions = |update: &Members| {
            let actions = ["Create", "Update", "Delete"].into_iter();
            actions.filter(|action| object(update, action).is_some()).count()
        };
        let mut listed = objects(members, "GlobalSecondaryIndexUpdates").into_iter().flatten();
        if listed.any(|update| actions(update) > 1) {
            decoder.refuse(|| {
                "One or more parameter values were invalid: Only one global secondary index \
                 action is allowed per GlobalSecondaryIndexUpdate object"
                    .to_owned()
            });
        }
        if let Some(None) = updates {
            decoder.refuse(|| {
                "One or more parameter values were invalid: One of \
                 GlobalSecondaryIndexUpdate.Update, GlobalSecondaryIndexUpdate.Create, \
                 GlobalSecondaryIndexUpdate.Delete must not be null"
                    .to_owned()
            });
        }
        Ok(UpdateTableRequest {
            table_name: table_name(members),
            attribute_definitions: definitions(members),
            billing_mode: word(members, "BillingMode"),
            provisioned_throughput: provisioned(members),
            on_demand_throughput: on_demand(members),
            warm_throughput: warm(members),
            global_secondary_index_updates: updates.flatten(),
            stream_specification: stream(members),
            sse_specification: encryption(members),
            table_class: word(members, "TableClass"),
            deletion_protection_enabled: flag(members, "DeletionProtectionEnabled"),
        })
    })
}

/// Writes an UpdateTable answer.
pub fn update_table_answer(response: &UpdateTableResponse) -> Json {
    Answer::new().with("TableDescription", description::table(&response.table_description)).done()
}

/// Executes a DeleteTable request.
pub(super) async fn delete_table(database: &Database, body: &Node) -> Result<Json, WireError> {
    let response = database.delete_table(delete_table_request(body)?).await?;
    Ok(delete_table_answer(&response))
}

/// Reads a DeleteTable request.
pub fn delete_table_request(body: &Node) -> Result<DeleteTableRequest, WireError> {
    let stages = rules::tables::TABLE_NAME_ONLY;
    read(&shapes::tables::TABLE_NAME_ONLY, stages, Wording::Read, body, |_, members| {
        Ok(DeleteTableRequest { table_name: table_name(members) })
    })
}

/// Writes a DeleteTable answer.
pub fn delete_table_answer(response: &DeleteTableResponse) -> Json {
    Answer::new().with("TableDescription", description::table(&response.table_description)).done()
}

/// Executes a DescribeTable request.
pub(super) async fn describe_table(database: &Database, body: &Node) -> Result<Json, WireError> {
    let response = database.describe_table(describe_table_request(body)?).await?;
    Ok(describe_table_answer(&response))
}

/// Reads a DescribeTable request.
pub fn describe_table_request(body: &Node) -> Result<DescribeTableRequest, WireError> {
    let stages = rules::tables::TABLE_NAME_ONLY;
    read(&shapes::tables::TABLE_NAME_ONLY, stages, Wording::Read, body, |_, members| {
        Ok(DescribeTableRequest { table_name: table_name(members) })
    })
}

/// Writes a DescribeTable answer.
pub fn describe_table_answer(response: &DescribeTableResponse) -> Json {
    Answer::new().with("Table", description::table(&response.table)).done()
}

/// Executes a ListTables request.
pub(super) async fn list_tables(database: &Database, body: &Node) -> Result<Json, WireError> {
    let response = database.list_tables(list_tables_request(body)?).await?;
    Ok(list_tables_answer(&response))
}

/// Reads a ListTables request.
pub fn list_tables_request(body: &Node) -> Result<ListTablesRequest, WireError> {
    let stages = rules::tables::LIST_TABLES;
    read(&shapes::tables::LIST_TABLES, stages, Wording::Read, body, |_, members| {
        Ok(ListTablesRequest {
            exclusive_start_table_name: owned(members, "ExclusiveStartTableName"),
            limit: integer(members, "Limit").map(|limit| limit.value),
        })
    })
}

/// Writes a ListTables answer.
pub fn list_tables_answer(response: &ListTablesResponse) -> Json {
    Answer::new()
        .with("TableNames", response.table_names.clone())
        .maybe("LastEvaluatedTableName", response.last_evaluated_table_name.as_deref())
        .done()
}

/// `Tags`.
pub(super) fn tags(members: &Members) -> Option<Vec<Tag>> {
    let tag = |members: &Members| Tag {
        key: required(members, "Key"),
        value: required(members, "Value"),
    };
    Some(objects(members, "Tags")?.map(tag).collect())
}

// The member constraints have refused every request in which a required member is missing or holds
// an unknown word, so that the defaults below are never used.

fn definitions(members: &Members) -> Option<Vec<AttributeDefinition>> {
    let definition = |members: &Members| AttributeDefinition {
        attribute_name: required(members, "AttributeName"),
        attribute_type: word(members, "AttributeType").unwrap_or(ScalarAttributeType::S),
    };
    Some(objects(members, "AttributeDefinitions")?.map(definition).collect())
}

fn key_schema(members: &Members) -> Vec<KeySchemaElement> {
    let element = |members: &Members| KeySchemaElement {
        attribute_name: required(members, "AttributeName"),
        key_type: word(members, "KeyType").unwrap_or(KeyType::Hash),
    };
    objects(members, "KeySchema").into_iter().flatten().map(element).collect()
}

fn projection(members: &Members) -> Projection {
    let Some(members) = object(members, "Projection") else { return Projection::default() };
    Projection {
        projection_type: word(members, "ProjectionType"),
        non_key_attributes: texts(members, "NonKeyAttributes"),
    }
}

fn local_index(members: &Members) -> LocalSecondaryIndex {
    LocalSecondaryIndex {
        index_name: required(members, "IndexName"),
        key_schema: key_schema(members),
        projection: projection(members),
    }
}

fn global_index(members: &Members) -> GlobalSecondaryIndex {
    GlobalSecondaryIndex {
        index_name: required(members, "IndexName"),
        key_schema: key_schema(members),
        projection: projection(members),
        provisioned_throughput: provisioned(members),
        on_demand_throughput: on_demand(members),
        warm_throughput: warm(members),
    }
}

fn index_update(members: &Members) -> Option<GlobalSecondaryIndexUpdate> {
    if let Some(create) = object(members, "Create") {
        return Some(GlobalSecondaryIndexUpdate::Create(global_index(create)));
    }
    if let Some(update) = object(members, "Update") {
        return Some(GlobalSecondaryIndexUpdate::Update {
            index_name: required(update, "IndexName"),
            provisioned_throughput: provisioned(update),
            on_demand_throughput: on_demand(update),
            warm_throughput: warm(update),
        });
    }
    let delete = object(members, "Delete")?;
    Some(GlobalSecondaryIndexUpdate::Delete { index_name: required(delete, "IndexName") })
}

fn provisioned(members: &Members) -> Option<ProvisionedThroughput> {
    let members = object(members, "ProvisionedThroughput")?;
    Some(ProvisionedThroughput {
        read_capacity_units: long(members, "ReadCapacityUnits").unwrap_or_default(),
        write_capacity_units: long(members, "WriteCapacityUnits").unwrap_or_default(),
    })
}

fn on_demand(members: &Members) -> Option<OnDemandThroughput> {
    let members = object(members, "OnDemandThroughput")?;
    Some(OnDemandThroughput {
        max_read_request_units: long(members, "MaxReadRequestUnits"),
        max_write_request_units: long(members, "MaxWriteRequestUnits"),
    })
}

fn warm(members: &Members) -> Option<WarmThroughput> {
    let members = object(members, "WarmThroughput")?;
    Some(WarmThroughput {
        read_units_per_second: long(members, "ReadUnitsPerSecond"),
        write_units_per_second: long(members, "WriteUnitsPerSecond"),
    })
}

fn stream(members: &Members) -> Option<StreamSpecification> {
    let members = object(members, "StreamSpecification")?;
    Some(StreamSpecification {
        stream_enabled: flag(members, "StreamEnabled").unwrap_or_default(),
        stream_view_type: word(members, "StreamViewType"),
    })
}

fn encryption(members: &Members) -> Option<SseSpecification> {
    let members = object(members, "SSESpecification")?;
    Some(SseSpecification {
        enabled: flag(members, "Enabled"),
        sse_type: word(members, "SSEType"),
        kms_master_key_id: owned(members, "KMSMasterKeyId"),
    })
}
