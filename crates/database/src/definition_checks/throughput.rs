//! Billing mode, provisioned, on-demand and warm throughput.

use std::fmt;

use super::texts;
use crate::Error;
use crate::shapes::{
    BillingMode, GlobalSecondaryIndex, OnDemandThroughput, ProvisionedThroughput, WarmThroughput,
};

/// The most units the service can express.
const UNITS_MAX: i64 = 1_000_000_000_000;

/// Read and write units that an on-demand table can take at once when it is new.
const ON_DEMAND_WARM: (i64, i64) = (12_000, 4_000);

/// Whose throughput a text is about.
#[derive(Clone, Copy)]
pub enum Owner<'a> {
    /// The table.
    Table,
    /// An index.
    Index(&'a str),
}

impl fmt::Display for Owner<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Owner::Table => f.write_str("table"),
            Owner::Index(name) => write!(f, "index {name}"),
        }
    }
}

/// A parameter without members counts as absent (captured 2026-10-09).
pub fn without_members<T: Default + PartialEq>(parameter: Option<T>) -> Option<T> {
    parameter.filter(|parameter| *parameter != T::default())
}

/// CreateTable: the throughput must fit the billing mode.
pub fn for_new_table(
    billing_mode: BillingMode,
    throughput: Option<ProvisionedThroughput>,
) -> Result<(), Error> {
    match (billing_mode, throughput) {
        (BillingMode::PayPerRequest, Some(_)) => Err(texts::invalid(texts::THROUGHPUT_ON_DEMAND)),
        (BillingMode::Provisioned, None) => Err(texts::invalid(texts::THROUGHPUT_MISSING)),
        (_, Some(throughput)) => within_bounds(throughput),
        (_, None) => Ok(()),
    }
}

/// Units that can be expressed.
pub fn within_bounds(throughput: ProvisionedThroughput) -> Result<(), Error> {
    let units = [
        ("ReadCapacityUnits", throughput.read_capacity_units),
        ("WriteCapacityUnits", throughput.write_capacity_units),
    ];
    match units.into_iter().find(|(_, value)| *value > UNITS_MAX) {
        None => Ok(()),
        Some((name, value)) => {
            Err(Error::Validation(format!("Given value {value} for {name} is out of bounds")))
        }
    }
}

/// CreateTable: so must that of each index.
pub fn for_new_index(billing_mode: BillingMode, index: &GlobalSecondaryIndex) -> Result<(), Error> {
    let name = &index.index_name;
    match (billing_mode, index.provisioned_throughput) {
        (BillingMode::PayPerRequest, Some(_)) => Err(texts::invalid(format!(
            "ProvisionedThroughput should not be specified for index: {name} when BillingMode is \
             PAY_PER_REQUEST"
        ))),
        (BillingMode::Provisioned, None) => {
            Err(texts::invalid(format!("ProvisionedThroughput is not specified for index: {name}")))
        }
        (_, Some(throughput)) => within_bounds(throughput),
        (_, None) => Ok(()),
    }
}

/// CreateTable: a ceiling needs an on-demand table and at least one unit.
pub fn on_demand_for_new(
    billing_mode: BillingMode,
    owner: Owner<'_>,
    ceiling: Option<OnDemandThroughput>,
) -> Result<(), Error> {
    let Some(ceiling) = without_members(ceiling) else { return Ok(()) };
    if billing_mode == BillingMode::Provisioned {
        let member = first_member(ceiling);
        let index = match owner {
            Owner::Table => String::new(),
            Owner::Index(name) => format!(" for index: {name}"),
        };
        return Err(texts::invalid(format!(
            "{member} for OnDemandThroughput{index} cannot be specified when table BillingMode is \
             PROVISIONED."
        )));
    }
    on_demand_range(owner, ceiling, |units| units >= 1)
}

/// UpdateTable: the wording differs, and -1 takes the ceiling away (captured 2026-07-24).
pub fn on_demand_for_update(
    billing_mode: BillingMode,
    owner: Owner<'_>,
    ceiling: Option<OnDemandThroughput>,
) -> Result<(), Error> {
    let Some(ceiling) = without_members(ceiling) else { return Ok(()) };
    if billing_mode == BillingMode::Provisioned {
        let member = first_member(ceiling);
        let index = match owner {
            Owner::Table => String::new(),
            Owner::Index(name) => format!(" for index : {name}"),
        };
        return Err(texts::invalid(format!(
            "{member} for OnDemandThroughput{index} cannot be specified when the table \
             BillingMode is PROVISIONED"
        )));
    }
    on_demand_range(owner, ceiling, |units| units >= 1 || units == -1)
}

fn first_member(ceiling: OnDemandThroughput) -> &'static str {
    match ceiling.max_read_request_units {
        Some(_) => "MaxReadRequestUnits",
        None => "MaxWriteRequestUnits",
    }
}

fn on_demand_range(
    owner: Owner<'_>,
    ceiling: OnDemandThroughput,
    is_valid: fn(i64) -> bool,
) -> Result<(), Error> {
    let members = [
        ("MaxReadRequestUnits", ceiling.max_read_request_units),
        ("MaxWriteRequestUnits", ceiling.max_write_request_units),
    ];
    let Some((member, _)) =
        members.into_iter().find(|(_, units)| units.is_some_and(|u| !is_valid(u)))
    else {
        return Ok(());
    };
    let owner = match owner {
        Owner::Table => "table".to_owned(),
        Owner::Index(name) => format!("index : {name}"),
    };
    Err(texts::invalid(format!(
        "Requested {member} for OnDemandThroughput for {owner} is outside of valid range"
    )))
}

/// What a table or index can take at once: never less than what it was given or provisioned.
pub fn warm_throughput(
    stored: Option<WarmThroughput>,
    billing_mode: BillingMode,
    provisioned: ProvisionedThroughput,
) -> WarmThroughput {
    let (read, write) = match billing_mode {
        BillingMode::PayPerRequest => ON_DEMAND_WARM,
        BillingMode::Provisioned => {
            (provisioned.read_capacity_units, provisioned.write_capacity_units)
        }
    };
    let stored = stored.unwrap_or_default();
    WarmThroughput {
        read_units_per_second: Some(stored.read_units_per_second.unwrap_or(0).max(read)),
        write_units_per_second: Some(stored.write_units_per_second.unwrap_or(0).max(write)),
    }
}

/// CreateTable: not below what comes without asking.
pub fn warm_for_new(
    billing_mode: BillingMode,
    provisioned: Option<ProvisionedThroughput>,
    owner: Owner<'_>,
    requested: Option<WarmThroughput>,
) -> Result<(), Error> {
    let floor = warm_throughput(None, billing_mode, provisioned.unwrap_or_default());
    let Some(member) = requested.and_then(|requested| lower_member(requested, floor)) else {
        return Ok(());
    };
    let than = match (billing_mode, member) {
        (BillingMode::PayPerRequest, _) => {
            format!("initial throughput for OnDemand. See: {}", texts::ON_DEMAND_PAGE)
        }
        (_, "ReadUnitsPerSecond") => "ReadCapacityUnits of ProvisionedThroughput".to_owned(),
        _ => "WriteCapacityUnits of ProvisionedThroughput".to_owned(),
    };
    Err(texts::invalid(format!(
        "Requested {member} for WarmThroughput for {owner} is lower than {than}"
    )))
}

/// UpdateTable: warm throughput only grows.
pub fn warm_for_update(
    current: WarmThroughput,
    owner: Owner<'_>,
    requested: Option<WarmThroughput>,
) -> Result<(), Error> {
    match requested.and_then(|requested| lower_member(requested, current)) {
        None => Ok(()),
        Some(member) => Err(texts::invalid(format!(
            "Requested {member} for WarmThroughput for {owner} is lower than current \
             WarmThroughput, decreasing WarmThroughput is not supported"
        ))),
    }
}

fn lower_member(requested: WarmThroughput, floor: WarmThroughput) -> Option<&'static str> {
    let is_lower = |requested: Option<i64>, floor: Option<i64>| {
        requested.is_some_and(|units| units < floor.unwrap_or(0))
    };
    if is_lower(requested.read_units_per_second, floor.read_units_per_second) {
        Some("ReadUnitsPerSecond")
    } else if is_lower(requested.write_units_per_second, floor.write_units_per_second) {
        Some("WriteUnitsPerSecond")
    } else {
        None
    }
}
