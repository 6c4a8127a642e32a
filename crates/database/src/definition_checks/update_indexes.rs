//! The index updates of an UpdateTable, against the table (rule 47).

use std::fmt;

use super::indexes::{self, GLOBAL_INDEXES_MAX};
use super::throughput::{self, Owner, within_bounds};
use super::{key_schema, texts, without_members};
use crate::Error;
use crate::catalog::{IndexDefinition, IndexKind, TableDefinition};
use crate::operations::{GlobalSecondaryIndexUpdate, UpdateTableRequest};
use crate::shapes::{
    AttributeDefinition, BillingMode, GlobalSecondaryIndex, IndexStatus, KeySchemaElement, KeyType,
    ProvisionedThroughput, ScalarAttributeType,
};

/// Checks every index update of a request; `table` is the table before it.
pub fn index_updates(table: &TableDefinition, request: &UpdateTableRequest) -> Result<(), Error> {
    let updates = request.global_secondary_index_updates.as_deref().unwrap_or_default();
    let target = request.billing_mode.unwrap_or(table.billing_mode);
    let is_change = |update: &&_| !matches!(update, GlobalSecondaryIndexUpdate::Update { .. });
    if updates.iter().filter(is_change).count() > 1 {
        return Err(Error::LimitExceeded(texts::ONE_ONLINE_INDEX.to_owned()));
    }
    for update in updates {
        match update {
            GlobalSecondaryIndexUpdate::Create(index) => {
                create(table, request.attribute_definitions.as_deref(), index, target)?;
            }
            GlobalSecondaryIndexUpdate::Delete { index_name } => {
                find(table, index_name, "delete")?;
            }
            GlobalSecondaryIndexUpdate::Update { index_name, .. } => {
                let index = find(table, index_name, "update")?;
                change(table, index, update, target)?;
            }
        }
    }
    none_is_under_way(table, updates)?;
    if table.billing_mode == BillingMode::PayPerRequest && target == BillingMode::Provisioned {
        each_has_throughput(table, updates)?;
    }
    Ok(())
}

/// One index is created or deleted at a time, over calls as well. Only the index that is being
/// filled may be deleted meanwhile, which cancels it (captured 2026-08-23).
fn none_is_under_way(
    table: &TableDefinition,
    updates: &[GlobalSecondaryIndexUpdate],
) -> Result<(), Error> {
    let creating = table.indexes.iter().find(|index| index.status == IndexStatus::Creating);
    let is_other = |update: &GlobalSecondaryIndexUpdate| match update {
        GlobalSecondaryIndexUpdate::Create(_) => true,
        GlobalSecondaryIndexUpdate::Delete { index_name } => {
            creating.is_some_and(|creating| creating.name != *index_name)
        }
        GlobalSecondaryIndexUpdate::Update { .. } => false,
    };
    if creating.is_some() && updates.iter().any(is_other) {
        return Err(Error::LimitExceeded(texts::ONE_ONLINE_INDEX.to_owned()));
    }
    let global = table.indexes.iter().filter(|index| index.kind == IndexKind::Global).count();
    let adds = updates.iter().any(|u| matches!(u, GlobalSecondaryIndexUpdate::Create(_)));
    if adds && global >= GLOBAL_INDEXES_MAX {
        return Err(Error::LimitExceeded(texts::TOO_MANY_GLOBAL_INDEXES.to_owned()));
    }
    Ok(())
}

/// The global index with this name.
fn find<'a>(
    table: &'a TableDefinition,
    index_name: &str,
    verb: &str,
) -> Result<&'a IndexDefinition, Error> {
    match table.indexes.iter().find(|index| index.name == index_name) {
        Some(index) if index.kind == IndexKind::Global => Ok(index),
        Some(_) => Err(Error::Validation(format!(
            "Cannot {verb} an index that is not a GlobalSecondaryIndex: {index_name}"
        ))),
        None => Err(Error::ResourceNotFound(format!(
            "Requested resource not found: Index {index_name} for table {}",
            table.name
        ))),
    }
}

/// A new index must bring its definitions along, also those that the table has already.
fn create(
    table: &TableDefinition,
    definitions: Option<&[AttributeDefinition]>,
    index: &GlobalSecondaryIndex,
    target: BillingMode,
) -> Result<(), Error> {
    let name = &index.index_name;
    if table.indexes.iter().any(|existing| existing.name == *name) {
        return Err(Error::Validation(texts::INDEX_EXISTS.to_owned()));
    }
    key_schema::up_to_four(&index.key_schema)?;
    indexes::projection(&index.projection)?;
    let Some(definitions) = definitions else {
        return Err(texts::invalid(format!(
            "AttributeDefinitions is not specified for index: {name}"
        )));
    };
    key_schema::definitions(definitions)?;
    key_schema::defined(&index.key_schema, definitions)?;
    same_types(table, definitions, index)?;
    let projected = table.indexes.iter().map(|index| index.non_key_attributes.len());
    indexes::projected_names(projected.sum::<usize>() + indexes::names_in(&index.projection))?;
    match (target, index.provisioned_throughput) {
        (BillingMode::PayPerRequest, Some(_)) => {
            return Err(texts::invalid(format!(
                "Neither ReadCapacityUnits nor WriteCapacityUnits can be specified for index: \
                 {name} when BillingMode is PAY_PER_REQUEST"
            )));
        }
        (BillingMode::Provisioned, None) => return Err(both_units(name)),
        (_, Some(throughput)) => within_bounds(throughput)?,
        (_, None) => {}
    }
    let owner = Owner::Index(name);
    throughput::on_demand_for_update(target, owner, index.on_demand_throughput)?;
    let provisioned = index.provisioned_throughput;
    throughput::warm_for_new(target, provisioned, owner, index.warm_throughput)
}

/// A key attribute of the new index that the table knows already keeps its type. A definition that
/// differs is refused if the index uses it, and passed over if it does not (rule 47).
fn same_types(
    table: &TableDefinition,
    definitions: &[AttributeDefinition],
    index: &GlobalSecondaryIndex,
) -> Result<(), Error> {
    let keys = || {
        let indexes = table.indexes.iter().map(|index| &index.key_schema);
        std::iter::once(&table.key_schema).chain(indexes).flatten()
    };
    for element in &index.key_schema {
        let name = &element.attribute_name;
        let of = |definitions: &[AttributeDefinition]| {
            let mut definitions = definitions.iter();
            let found = definitions.find(|definition| definition.attribute_name == *name);
            found.map(|definition| definition.attribute_type)
        };
        let existing = keys().find(|existing| existing.attribute_name == *name);
        let (Some(existing), Some(old_type), Some(new_type)) =
            (existing, of(&table.attribute_definitions), of(definitions))
        else {
            continue;
        };
        if old_type != new_type {
            let (old, new) = (SchemaText(existing, old_type), SchemaText(element, new_type));
            return Err(texts::invalid(format!(
                "Attributes cannot be redefined. Please check that your attribute has the same \
                 type as previously defined. Existing schema: {old} New schema: {new}"
            )));
        }
    }
    Ok(())
}

/// A key attribute with its type, as the service shows it in that text.
struct SchemaText<'a>(&'a KeySchemaElement, ScalarAttributeType);

impl fmt::Display for SchemaText<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let SchemaText(element, attribute_type) = self;
        let key_type = match element.key_type {
            KeyType::Hash => "HASH",
            KeyType::Range => "RANGE",
        };
        let name = &element.attribute_name;
        write!(f, "Schema:[SchemaElement: key{{{name}:{attribute_type:?}:{key_type}}}]")
    }
}

fn both_units(index_name: &str) -> Error {
    texts::invalid(format!(
        "Both ReadCapacityUnits and WriteCapacityUnits must be specified for index: {index_name}"
    ))
}

fn change(
    table: &TableDefinition,
    index: &IndexDefinition,
    update: &GlobalSecondaryIndexUpdate,
    target: BillingMode,
) -> Result<(), Error> {
    let GlobalSecondaryIndexUpdate::Update {
        index_name,
        provisioned_throughput,
        on_demand_throughput,
        warm_throughput,
    } = update
    else {
        return Ok(());
    };
    let ceiling = without_members(*on_demand_throughput);
    if *warm_throughput == Some(Default::default()) {
        return Err(texts::invalid(format!(
            "WarmThroughput must have at least one of ReadUnitsPerSecond or WriteUnitsPerSecond \
             specified for index: {index_name}"
        )));
    }
    let has_other = ceiling.is_some() || warm_throughput.is_some();
    match (target, provisioned_throughput) {
        (BillingMode::PayPerRequest, None) if has_other => {}
        (BillingMode::PayPerRequest, _) => {
            return Err(texts::invalid(format!(
                "The only Updates for index: {index_name} when TableThroughputMode is \
                 PAY_PER_REQUEST can be to OnDemandThroughput, WarmThroughput"
            )));
        }
        (BillingMode::Provisioned, None) if has_other => {}
        (BillingMode::Provisioned, None) => return Err(both_units(index_name)),
        (BillingMode::Provisioned, Some(requested)) => {
            within_bounds(*requested)?;
            let is_same = table.billing_mode == BillingMode::Provisioned
                && index.provisioned_throughput == *requested;
            if is_same {
                return Err(unchanged(index_name, *requested));
            }
        }
    }
    let owner = Owner::Index(index_name);
    throughput::on_demand_for_update(target, owner, ceiling)?;
    let current = throughput::warm_throughput(
        index.warm_throughput,
        table.billing_mode,
        index.provisioned_throughput,
    );
    throughput::warm_for_update(current, owner, *warm_throughput)
}

fn unchanged(name: &str, throughput: ProvisionedThroughput) -> Error {
    let ProvisionedThroughput { read_capacity_units: read, write_capacity_units: write } =
        throughput;
    Error::Validation(format!(
        "The provisioned throughput for the index {name} will not change. The requested value \
         equals the current value. Current ReadCapacityUnits provisioned for index {name}: {read}. \
         Requested ReadCapacityUnits: {read}. Current WriteCapacityUnits provisioned for index \
         {name}: {write}. Requested WriteCapacityUnits: {write}. Refer to the Amazon DynamoDB \
         Developer Guide for current limits and how to request higher limits."
    ))
}

/// Going from on-demand to provisioned, nothing is assigned by itself (measured 2026-10-08).
fn each_has_throughput(
    table: &TableDefinition,
    updates: &[GlobalSecondaryIndexUpdate],
) -> Result<(), Error> {
    let is_given = |name: &str| {
        updates.iter().any(|update| match update {
            GlobalSecondaryIndexUpdate::Update { index_name, provisioned_throughput, .. } => {
                index_name == name && provisioned_throughput.is_some()
            }
            _ => false,
        })
    };
    let mut global = table.indexes.iter().filter(|index| index.kind == IndexKind::Global);
    match global.find(|index| !is_given(&index.name)) {
        None => Ok(()),
        Some(index) => Err(texts::invalid(format!(
            "ProvisionedThroughput must be specified for index: {}",
            index.name
        ))),
    }
}
