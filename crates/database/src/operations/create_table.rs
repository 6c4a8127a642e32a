//! CreateTable: make a table with its indexes.
#![expect(missing_docs, reason = "the fields are DynamoDB's own, described in its API reference")]

use crate::shapes::{
    AttributeDefinition, BillingMode, GlobalSecondaryIndex, KeySchemaElement, LocalSecondaryIndex,
    OnDemandThroughput, ProvisionedThroughput, SseSpecification, StreamSpecification, TableClass,
    TableDescription, Tag, WarmThroughput,
};
use crate::{Database, Error};

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
    /// CreateTable: make a table with its indexes.
    pub async fn create_table(
        &self,
        _request: CreateTableRequest,
    ) -> Result<CreateTableResponse, Error> {
        todo!()
    }
}
