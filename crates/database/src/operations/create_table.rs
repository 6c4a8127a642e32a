//! CreateTable: make a table with its indexes.
#![expect(missing_docs, reason = "the fields are DynamoDB's own, described in its API reference")]

use crate::catalog::{IndexDefinition, IndexKind, TableDefinition};
use crate::clock::uuid_text;
use crate::commit::Transaction;
use crate::definition_checks::{self, without_members};
use crate::keys::IndexNumber;
use crate::lifecycle::Phase;
use crate::options::Options;
use crate::shapes::{
    AttributeDefinition, BillingMode, GlobalSecondaryIndex, IndexStatus, KeySchemaElement,
    LocalSecondaryIndex, OnDemandThroughput, Projection, ProjectionType, ProvisionedThroughput,
    SseSpecification, SseType, StreamSpecification, TableClass, TableDescription, TableStatus, Tag,
    WarmThroughput,
};
use crate::table_description::TableState;
use crate::{Database, Error, arn, stream_switch};

#[derive(Clone, Debug, Default, PartialEq)]
pub struct CreateTableRequest {
    pub table_name: String,
    pub attribute_definitions: Vec<AttributeDefinition>,
    pub key_schema: Vec<KeySchemaElement>,
    pub local_secondary_indexes: Option<Vec<LocalSecondaryIndex>>,
    pub global_secondary_indexes: Option<Vec<GlobalSecondaryIndex>>,
    pub billing_mode: Option<BillingMode>,
    pub provisioned_throughput: Option<ProvisionedThroughput>,
    pub on_demand_throughput: Option<OnDemandThroughput>,
    pub warm_throughput: Option<WarmThroughput>,
    pub stream_specification: Option<StreamSpecification>,
    pub sse_specification: Option<SseSpecification>,
    pub table_class: Option<TableClass>,
    pub deletion_protection_enabled: Option<bool>,
    pub tags: Option<Vec<Tag>>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct CreateTableResponse {
    pub table_description: TableDescription,
}

impl Database {
    /// CreateTable: make a table with its indexes. The answer says CREATING, as clients expect (rule
    /// 65), though the table can be used at once, unless [`crate::Options::table_creation_time`] says
    /// otherwise.
    pub async fn create_table(
        &self,
        request: CreateTableRequest,
    ) -> Result<CreateTableResponse, Error> {
        let options = self.options();
        let name = definition_checks::create_table(&request)?.to_owned();
        arn::own_table(options, "CreateTable", &request.table_name)?;
        if !self.catalog().tables.contains_key(&name) {
            self.lifecycle().check_change(&name, self.clock())?;
        }
        let created_name = name.clone();
        let table_id = uuid_text(options.ids.next());
        let sse = encryption_of(options, request.sse_specification.as_ref());
        let created = self
            .commit(move |transaction| {
                if transaction.catalog().tables.contains_key(&name) {
                    return Err(Error::ResourceInUse(format!("Table already exists: {name}")));
                }
                let stream = request.stream_specification;
                let mut definition = definition(transaction, name, table_id, request);
                definition.sse = sse;
                let view_type = stream.and_then(|stream| stream.stream_view_type);
                if let Some(view_type) = view_type {
                    stream_switch::enable(transaction, &mut definition, view_type);
                }
                let table = transaction.put_table(definition);
                TableState::in_commit(transaction, &table)
            })
            .await?;
        let takes = options.table_creation_time;
        self.lifecycle().begin(&created_name, Phase::Creating, takes, self.clock());
        Ok(CreateTableResponse { table_description: creating(created.describe(options)) })
    }
}

fn creating(mut description: TableDescription) -> TableDescription {
    description.table_status = TableStatus::Creating;
    for index in &mut description.global_secondary_indexes {
        index.index_status = IndexStatus::Creating;
    }
    // AWS tells the date only later.
    if let Some(summary) = &mut description.billing_mode_summary {
        summary.last_update_to_pay_per_request_date_time = None;
    }
    description
}

fn definition(
    transaction: &mut Transaction<'_>,
    name: String,
    table_id: String,
    request: CreateTableRequest,
) -> TableDefinition {
    let now = transaction.now_millis();
    let billing_mode = request.billing_mode.unwrap_or(BillingMode::Provisioned);
    let on_demand = billing_mode == BillingMode::PayPerRequest;
    let mut indexes: Vec<IndexDefinition> = Vec::new();
    let mut next_index: IndexNumber = 1;
    for index in request.local_secondary_indexes.unwrap_or_default() {
        indexes.push(local_index(next_index, index));
        next_index += 1;
    }
    for index in request.global_secondary_indexes.unwrap_or_default() {
        indexes.push(global_index(next_index, IndexStatus::Active, index));
        next_index += 1;
    }
    TableDefinition {
        number: transaction.next_table_number(),
        name,
        table_id,
        creation_date_time: now,
        attribute_definitions: sorted(request.attribute_definitions),
        key_schema: request.key_schema,
        indexes,
        next_index,
        billing_mode,
        pay_per_request_since: on_demand.then_some(now),
        provisioned_throughput: request.provisioned_throughput.unwrap_or_default(),
        last_increase_date_time: None,
        last_decrease_date_time: None,
        on_demand_throughput: without_members(request.on_demand_throughput),
        warm_throughput: without_members(request.warm_throughput),
        table_class: request.table_class,
        table_class_changed: None,
        sse: None,
        deletion_protection_enabled: request.deletion_protection_enabled.unwrap_or(false),
        tags: request.tags.into_iter().flatten().map(|tag| (tag.key, tag.value)).collect(),
        stream: None,
        latest_stream_label: None,
        time_to_live: None,
        time_to_live_changed: None,
    }
}

/// Definitions are shown by name, however they were given (measured 2026-10-08).
pub(crate) fn sorted(mut definitions: Vec<AttributeDefinition>) -> Vec<AttributeDefinition> {
    definitions.sort_by(|one, other| one.attribute_name.cmp(&other.attribute_name));
    definitions
}

fn local_index(number: IndexNumber, index: LocalSecondaryIndex) -> IndexDefinition {
    let (projection_type, non_key_attributes) = projected(index.projection);
    IndexDefinition {
        number,
        name: index.index_name,
        kind: IndexKind::Local,
        key_schema: index.key_schema,
        projection_type,
        non_key_attributes,
        status: IndexStatus::Active,
        provisioned_throughput: ProvisionedThroughput::default(),
        on_demand_throughput: None,
        warm_throughput: None,
    }
}

/// A checked global index as it is stored.
pub(crate) fn global_index(
    number: IndexNumber,
    status: IndexStatus,
    index: GlobalSecondaryIndex,
) -> IndexDefinition {
    let (projection_type, non_key_attributes) = projected(index.projection);
    IndexDefinition {
        number,
        name: index.index_name,
        kind: IndexKind::Global,
        key_schema: index.key_schema,
        projection_type,
        non_key_attributes,
        status,
        provisioned_throughput: index.provisioned_throughput.unwrap_or_default(),
        on_demand_throughput: without_members(index.on_demand_throughput),
        warm_throughput: without_members(index.warm_throughput),
    }
}

/// Projected names are shown in order, however they were given (measured 2026-10-08).
fn projected(projection: Projection) -> (ProjectionType, Vec<String>) {
    let mut names = projection.non_key_attributes.unwrap_or_default();
    names.sort();
    // The checks refuse a projection without a type.
    (projection.projection_type.unwrap_or(ProjectionType::All), names)
}

/// The key that a specification asks for: the one it names, or one that stands for AWS's own (rule
/// 65). Without one, the table is encrypted by default and shows nothing.
pub(crate) fn encryption_of(
    options: &Options,
    specification: Option<&SseSpecification>,
) -> Option<(SseType, String)> {
    let specification = specification?;
    let is_on = specification.enabled == Some(true) || specification.sse_type.is_some();
    is_on.then(|| {
        let key = specification.kms_master_key_id.clone();
        let key = key.unwrap_or_else(|| uuid_text(options.ids.next()));
        (SseType::Kms, arn::encryption_key(options, &key))
    })
}
