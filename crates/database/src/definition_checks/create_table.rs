//! The checks of CreateTable, in the service's order.

use super::throughput::{self, Owner};
use super::{Members, indexes, key_schema, settings, tags, texts};
use crate::operations::CreateTableRequest;
use crate::shapes::{BillingMode, GlobalSecondaryIndex, KeySchemaElement, LocalSecondaryIndex};
use crate::{Error, arn};

/// Checks a request and gives the new table's name. An invalid name is reported alone (rule 3), the
/// other constraints together, and then the relations one by one.
pub fn create_table(request: &CreateTableRequest) -> Result<&str, Error> {
    let name = arn::table_name_of(&request.table_name)?;
    let mut members = Members::default();
    members.name(name, "tableName");
    members.finish()?;
    constraints(request)?;
    let billing_mode = request.billing_mode.unwrap_or(BillingMode::Provisioned);
    throughput::for_new_table(billing_mode, request.provisioned_throughput)?;
    keys(request)?;
    indexes_of(request, billing_mode)?;
    settings::stream_of_new_table(request.stream_specification)?;
    settings::encryption(request.sse_specification.as_ref())?;
    ceilings(request, billing_mode)?;
    tags::tags(request.tags.as_deref().unwrap_or_default())?;
    Ok(name)
}

fn local(request: &CreateTableRequest) -> &[LocalSecondaryIndex] {
    request.local_secondary_indexes.as_deref().unwrap_or_default()
}

fn global(request: &CreateTableRequest) -> &[GlobalSecondaryIndex] {
    request.global_secondary_indexes.as_deref().unwrap_or_default()
}

/// Global indexes come before local ones, whatever the order of the request (captured 2026-10-09).
fn constraints(request: &CreateTableRequest) -> Result<(), Error> {
    let mut members = Members::default();
    members.throughput(request.provisioned_throughput, "provisionedThroughput");
    members.key_schema(&request.key_schema, "keySchema", 2);
    for (position, definition) in request.attribute_definitions.iter().enumerate() {
        let path = format!("attributeDefinitions.{}.member.attributeName", position + 1);
        members.length(&definition.attribute_name, &path, 1, 255);
    }
    for (position, index) in global(request).iter().enumerate() {
        let path = format!("globalSecondaryIndexes.{}.member", position + 1);
        members.key_schema(&index.key_schema, &format!("{path}.keySchema"), 8);
        members.projection(&index.projection, &path);
        members.name(&index.index_name, &format!("{path}.indexName"));
        let throughput = format!("{path}.provisionedThroughput");
        members.throughput(index.provisioned_throughput, &throughput);
    }
    for (position, index) in local(request).iter().enumerate() {
        let path = format!("localSecondaryIndexes.{}.member", position + 1);
        members.name(&index.index_name, &format!("{path}.indexName"));
        members.key_schema(&index.key_schema, &format!("{path}.keySchema"), 2);
        members.projection(&index.projection, &path);
    }
    members.finish()
}

/// Keys and definitions. A definition that no key uses hides every later error about indexes
/// (measured 2026-10-08), and is itself hidden by a key that is not defined.
fn keys(request: &CreateTableRequest) -> Result<(), Error> {
    let definitions = &request.attribute_definitions;
    key_schema::definitions(definitions)?;
    key_schema::defined(&request.key_schema, definitions)?;
    key_schema::one_or_two(&request.key_schema)?;
    if request.local_secondary_indexes.as_ref().is_some_and(Vec::is_empty) {
        return Err(texts::invalid("List of LocalSecondaryIndexes is empty"));
    }
    if request.global_secondary_indexes.as_ref().is_some_and(Vec::is_empty) {
        return Err(texts::invalid("List of GlobalSecondaryIndexes is empty"));
    }
    if !local(request).is_empty() {
        indexes::table_has_range(&request.key_schema)?;
    }
    let index_keys: Vec<&[KeySchemaElement]> = local(request)
        .iter()
        .map(|index| index.key_schema.as_slice())
        .chain(global(request).iter().map(|index| index.key_schema.as_slice()))
        .collect();
    for key in &index_keys {
        key_schema::defined(key, definitions)?;
    }
    key_schema::all_used(&request.key_schema, &index_keys, definitions)
}

fn indexes_of(request: &CreateTableRequest, billing_mode: BillingMode) -> Result<(), Error> {
    let (local, global) = (local(request), global(request));
    indexes::local(local, &request.key_schema)?;
    indexes::global(global)?;
    for index in global {
        throughput::for_new_index(billing_mode, index)?;
    }
    let local_names = local.iter().map(|index| index.index_name.as_str());
    let global_names = global.iter().map(|index| index.index_name.as_str());
    indexes::distinct_names(local_names.chain(global_names))?;
    let local_projections = local.iter().map(|index| &index.projection);
    let projections = local_projections.chain(global.iter().map(|index| &index.projection));
    indexes::projected_names(projections.map(indexes::names_in).sum())
}

fn ceilings(request: &CreateTableRequest, billing_mode: BillingMode) -> Result<(), Error> {
    throughput::on_demand_for_new(billing_mode, Owner::Table, request.on_demand_throughput)?;
    throughput::warm_for_new(
        billing_mode,
        request.provisioned_throughput,
        Owner::Table,
        request.warm_throughput,
    )?;
    for index in global(request) {
        let owner = Owner::Index(&index.index_name);
        throughput::on_demand_for_new(billing_mode, owner, index.on_demand_throughput)?;
        let provisioned = index.provisioned_throughput;
        throughput::warm_for_new(billing_mode, provisioned, owner, index.warm_throughput)?;
    }
    Ok(())
}
