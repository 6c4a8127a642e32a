//! The checks of UpdateTable, in the service's order: first the request alone, then against the
//! table, then its indexes ([`super::index_updates`]).

use super::throughput::{self, Owner, within_bounds};
use super::{Members, settings, texts};
use crate::Error;
use crate::catalog::TableDefinition;
use crate::operations::{GlobalSecondaryIndexUpdate, UpdateTableRequest};
use crate::shapes::{BillingMode, ProvisionedThroughput};

/// What can be said without the table.
pub fn update_table(request: &UpdateTableRequest) -> Result<(), Error> {
    constraints(request)?;
    if request.billing_mode == Some(BillingMode::PayPerRequest)
        && request.provisioned_throughput.is_some()
    {
        return Err(texts::invalid(texts::THROUGHPUT_ON_DEMAND));
    }
    if let Some(throughput) = request.provisioned_throughput {
        within_bounds(throughput)?;
    }
    something_to_do(request)?;
    one_concern(request)?;
    each_index_once(request)?;
    settings::stream_of_update(request.stream_specification)?;
    settings::encryption(request.sse_specification.as_ref())
}

fn updates(request: &UpdateTableRequest) -> &[GlobalSecondaryIndexUpdate] {
    request.global_secondary_index_updates.as_deref().unwrap_or_default()
}

fn constraints(request: &UpdateTableRequest) -> Result<(), Error> {
    let mut members = Members::default();
    members.throughput(request.provisioned_throughput, "provisionedThroughput");
    let definitions = request.attribute_definitions.as_deref().unwrap_or_default();
    for (position, definition) in definitions.iter().enumerate() {
        let path = format!("attributeDefinitions.{}.member.attributeName", position + 1);
        members.length(&definition.attribute_name, &path, 1, 255);
    }
    for (position, update) in updates(request).iter().enumerate() {
        let path = format!("globalSecondaryIndexUpdates.{}.member", position + 1);
        match update {
            GlobalSecondaryIndexUpdate::Create(index) => {
                members.key_schema(&index.key_schema, &format!("{path}.create.keySchema"), 8);
                members.projection(&index.projection, &format!("{path}.create"));
                members.name(&index.index_name, &format!("{path}.create.indexName"));
                let throughput = format!("{path}.create.provisionedThroughput");
                members.throughput(index.provisioned_throughput, &throughput);
            }
            GlobalSecondaryIndexUpdate::Update { index_name, provisioned_throughput, .. } => {
                members.name(index_name, &format!("{path}.update.indexName"));
                let throughput = format!("{path}.update.provisionedThroughput");
                members.throughput(*provisioned_throughput, &throughput);
            }
            GlobalSecondaryIndexUpdate::Delete { index_name } => {
                members.name(index_name, &format!("{path}.delete.indexName"));
            }
        }
    }
    members.finish()
}

/// An empty list of index updates counts as absent, unless there is something else to do (measured
/// 2026-10-09).
fn something_to_do(request: &UpdateTableRequest) -> Result<(), Error> {
    let others = request.provisioned_throughput.is_some()
        || request.billing_mode.is_some()
        || request.stream_specification.is_some()
        || request.sse_specification.is_some()
        || request.deletion_protection_enabled.is_some()
        || request.table_class.is_some()
        || request.on_demand_throughput.is_some()
        || request.warm_throughput.is_some();
    if !others && updates(request).is_empty() {
        return Err(Error::Validation(texts::NOTHING_TO_UPDATE.to_owned()));
    }
    if request.global_secondary_index_updates.as_ref().is_some_and(Vec::is_empty) {
        return Err(texts::invalid("List of GlobalSecondaryIndexUpdates is empty"));
    }
    Ok(())
}

/// A call changes one thing (measured 2026-10-09 over all pairs): encryption, class, protection and
/// warm throughput go alone; what else may go together is said below.
fn one_concern(request: &UpdateTableRequest) -> Result<(), Error> {
    let throughput = request.provisioned_throughput.is_some();
    let stream = request.stream_specification.is_some();
    let warm = request.warm_throughput.is_some();
    let ceiling = request.on_demand_throughput.is_some();
    let billing = request.billing_mode.is_some();
    let adds = updates(request).iter().any(|u| matches!(u, GlobalSecondaryIndexUpdate::Create(_)));
    let adds_or_drops = updates(request)
        .iter()
        .any(|update| !matches!(update, GlobalSecondaryIndexUpdate::Update { .. }));
    let alone = [
        ("Server-Side Encryption modification", request.sse_specification.is_some()),
        ("TableClass modification", request.table_class.is_some()),
        ("DeletionProtection modification", request.deletion_protection_enabled.is_some()),
    ];
    let rest = [throughput, stream, warm, ceiling, billing, !updates(request).is_empty()];
    let concerns = alone.iter().filter(|(_, is_there)| *is_there).count();
    let has_rest = rest.contains(&true);
    if let Some((what, _)) = alone.iter().find(|(_, is_there)| *is_there)
        && (concerns > 1 || has_rest)
    {
        return Err(texts::invalid(format!("{what} must be the only operation in the request")));
    }
    if warm && adds {
        return Err(texts::invalid(
            "Create global secondary index cannot be specified when updating WarmThroughput",
        ));
    }
    if ceiling && (stream || warm) {
        return Err(texts::invalid(
            "OnDemandThroughput can only be combined with BillingMode in an UpdateTable request",
        ));
    }
    if warm && (throughput || stream || billing || adds_or_drops) {
        return Err(texts::invalid("WarmThroughput must be the only operation in the request"));
    }
    let moves_capacity = throughput || request.billing_mode == Some(BillingMode::Provisioned);
    if moves_capacity && stream {
        return Err(texts::invalid("You cannot modify stream status while updating table IOPS"));
    }
    if moves_capacity && adds_or_drops {
        return Err(texts::invalid("You cannot create or delete index while updating table IOPS"));
    }
    if stream && adds_or_drops {
        return Err(texts::invalid(
            "You cannot create or delete index while changing stream status",
        ));
    }
    Ok(())
}

fn each_index_once(request: &UpdateTableRequest) -> Result<(), Error> {
    let mut seen: Vec<&str> = Vec::new();
    for update in updates(request) {
        let name = update.index_name();
        if seen.contains(&name) {
            return Err(texts::invalid(format!(
                "Only one global secondary index update per index is allowed simultaneously. \
                 Index: {name}"
            )));
        }
        seen.push(name);
    }
    Ok(())
}

/// What depends on the table: billing, throughput and stream.
pub fn against_table(table: &TableDefinition, request: &UpdateTableRequest) -> Result<(), Error> {
    let target = request.billing_mode.unwrap_or(table.billing_mode);
    if target == BillingMode::PayPerRequest && request.provisioned_throughput.is_some() {
        return Err(texts::invalid(texts::THROUGHPUT_ON_DEMAND));
    }
    if request.billing_mode == Some(BillingMode::Provisioned)
        && request.provisioned_throughput.is_none()
    {
        return Err(texts::invalid(texts::THROUGHPUT_MISSING_IN_UPDATE));
    }
    throughput::on_demand_for_update(target, Owner::Table, request.on_demand_throughput)?;
    let warm = throughput::warm_throughput(
        table.warm_throughput,
        table.billing_mode,
        table.provisioned_throughput,
    );
    throughput::warm_for_update(warm, Owner::Table, request.warm_throughput)?;
    if let Some(requested) = request.provisioned_throughput
        && table.billing_mode == BillingMode::Provisioned
        && requested == table.provisioned_throughput
    {
        return Err(unchanged(table.provisioned_throughput, requested));
    }
    settings::stream_changes(table, request.stream_specification)
}

fn unchanged(current: ProvisionedThroughput, requested: ProvisionedThroughput) -> Error {
    Error::Validation(format!(
        "The provisioned throughput for the table will not change. The requested value equals the \
         current value. Current ReadCapacityUnits provisioned for the table: {}. Requested \
         ReadCapacityUnits: {}. Current WriteCapacityUnits provisioned for the table: {}. \
         Requested WriteCapacityUnits: {}. Refer to the Amazon DynamoDB Developer Guide for current \
         limits and how to request higher limits.",
        current.read_capacity_units,
        requested.read_capacity_units,
        current.write_capacity_units,
        requested.write_capacity_units
    ))
}
