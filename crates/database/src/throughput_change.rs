//! How an UpdateTable changes billing mode and throughput: provisioned, on-demand and warm.

use crate::catalog::{IndexDefinition, TableDefinition};
use crate::definition_checks::{warm_throughput, without_members};
use crate::operations::{GlobalSecondaryIndexUpdate, UpdateTableRequest};
use crate::shapes::{
    BillingMode, OnDemandThroughput, ProvisionedThroughput, TimestampMillis, WarmThroughput,
};

/// Billing mode and the table's own throughput, of all kinds.
pub fn of_table(
    definition: &mut TableDefinition,
    request: &UpdateTableRequest,
    now: TimestampMillis,
) {
    let warm = warm_throughput(
        definition.warm_throughput,
        definition.billing_mode,
        definition.provisioned_throughput,
    );
    if let Some(requested) = request.provisioned_throughput {
        let current = definition.provisioned_throughput;
        if requested.read_capacity_units > current.read_capacity_units
            || requested.write_capacity_units > current.write_capacity_units
        {
            definition.last_increase_date_time = Some(now);
        }
        if requested.read_capacity_units < current.read_capacity_units
            || requested.write_capacity_units < current.write_capacity_units
        {
            definition.last_decrease_date_time = Some(now);
        }
        definition.provisioned_throughput = requested;
        // What has been warm stays so.
        definition.warm_throughput = Some(warm);
    }
    if let Some(billing_mode) = request.billing_mode
        && billing_mode != definition.billing_mode
    {
        change_billing_mode(definition, billing_mode, now);
        definition.warm_throughput = Some(warm);
    }
    if let Some(requested) = request.on_demand_throughput {
        let merged = merged_ceiling(definition.on_demand_throughput, requested);
        definition.on_demand_throughput = without_removed(merged);
    }
    if let Some(requested) = request.warm_throughput {
        definition.warm_throughput = Some(merged_warm(warm, requested));
    }
}

/// The throughput of an index.
pub fn of_index(
    index: &mut IndexDefinition,
    update: &GlobalSecondaryIndexUpdate,
    billing_mode: BillingMode,
) {
    let GlobalSecondaryIndexUpdate::Update {
        provisioned_throughput,
        on_demand_throughput,
        warm_throughput: requested_warm,
        ..
    } = update
    else {
        return;
    };
    let warm = warm_throughput(index.warm_throughput, billing_mode, index.provisioned_throughput);
    if let Some(requested) = provisioned_throughput {
        index.provisioned_throughput = *requested;
        index.warm_throughput = Some(warm);
    }
    if let Some(requested) = without_members(*on_demand_throughput) {
        let merged = merged_ceiling(index.on_demand_throughput, requested);
        index.on_demand_throughput = without_removed(merged);
    }
    if let Some(requested) = requested_warm {
        index.warm_throughput = Some(merged_warm(warm, *requested));
    }
}

fn change_billing_mode(
    definition: &mut TableDefinition,
    billing_mode: BillingMode,
    now: TimestampMillis,
) {
    definition.billing_mode = billing_mode;
    match billing_mode {
        BillingMode::PayPerRequest => {
            definition.pay_per_request_since = Some(now);
            definition.provisioned_throughput = ProvisionedThroughput::default();
            for index in &mut definition.indexes {
                index.provisioned_throughput = ProvisionedThroughput::default();
            }
        }
        // Leaving on-demand takes the ceilings away (captured 2026-07-24).
        BillingMode::Provisioned => {
            definition.on_demand_throughput = None;
            for index in &mut definition.indexes {
                index.on_demand_throughput = None;
            }
        }
    }
}

/// Members that are not given stay as they are.
pub fn merged_ceiling(
    current: Option<OnDemandThroughput>,
    requested: OnDemandThroughput,
) -> OnDemandThroughput {
    let current = current.unwrap_or_default();
    OnDemandThroughput {
        max_read_request_units: requested.max_read_request_units.or(current.max_read_request_units),
        max_write_request_units: requested
            .max_write_request_units
            .or(current.max_write_request_units),
    }
}

/// -1 takes a ceiling away.
fn without_removed(ceiling: OnDemandThroughput) -> Option<OnDemandThroughput> {
    let kept = |units: Option<i64>| units.filter(|units| *units != -1);
    without_members(Some(OnDemandThroughput {
        max_read_request_units: kept(ceiling.max_read_request_units),
        max_write_request_units: kept(ceiling.max_write_request_units),
    }))
}

fn merged_warm(current: WarmThroughput, requested: WarmThroughput) -> WarmThroughput {
    WarmThroughput {
        read_units_per_second: requested.read_units_per_second.or(current.read_units_per_second),
        write_units_per_second: requested.write_units_per_second.or(current.write_units_per_second),
    }
}
