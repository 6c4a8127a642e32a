//! UpdateTable: billing, throughput, stream, protection, class, encryption; one index at a time.
#![expect(missing_docs, reason = "the fields are DynamoDB's own, described in its API reference")]

use crate::shapes::{
    AttributeDefinition, BillingMode, GlobalSecondaryIndex, OnDemandThroughput,
    ProvisionedThroughput, SseSpecification, StreamSpecification, TableClass, TableDescription,
    WarmThroughput,
};
use crate::{Database, Error};

#[derive(Clone, Debug, Default, PartialEq)]
pub struct UpdateTableRequest {
    pub table_name: String,
    pub attribute_definitions: Option<Vec<AttributeDefinition>>,
    pub billing_mode: Option<BillingMode>,
    pub provisioned_throughput: Option<ProvisionedThroughput>,
    pub on_demand_throughput: Option<OnDemandThroughput>,
    pub warm_throughput: Option<WarmThroughput>,
    pub global_secondary_index_updates: Option<Vec<GlobalSecondaryIndexUpdate>>,
    pub stream_specification: Option<StreamSpecification>,
    pub sse_specification: Option<SseSpecification>,
    pub table_class: Option<TableClass>,
    pub deletion_protection_enabled: Option<bool>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum GlobalSecondaryIndexUpdate {
    Create(GlobalSecondaryIndex),
    Update {
        index_name: String,
        provisioned_throughput: Option<ProvisionedThroughput>,
        on_demand_throughput: Option<OnDemandThroughput>,
        warm_throughput: Option<WarmThroughput>,
    },
    Delete {
        index_name: String,
    },
}

#[derive(Clone, Debug, PartialEq)]
pub struct UpdateTableResponse {
    pub table_description: TableDescription,
}

impl Database {
    /// UpdateTable: billing, throughput, stream, protection, class, encryption; one index at a time.
    pub async fn update_table(
        &self,
        _request: UpdateTableRequest,
    ) -> Result<UpdateTableResponse, Error> {
        todo!()
    }
}
