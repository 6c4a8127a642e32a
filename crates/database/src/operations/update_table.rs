//! UpdateTable: billing, throughput, stream, protection, class, encryption; one index at a time.
#![expect(missing_docs, reason = "the fields are DynamoDB's own, described in its API reference")]

use super::create_table::{encryption_of, global_index, sorted};
use crate::catalog::{Table, TableDefinition};
use crate::commit::Transaction;
use crate::definition_checks::{self, managed_table_name, without_members};
use crate::options::Options;
use crate::shapes::{
    AttributeDefinition, BillingMode, GlobalSecondaryIndex, IndexStatus, OnDemandThroughput,
    ProvisionedThroughput, SseSpecification, SseType, StreamSpecification, TableClass,
    TableDescription, TableStatus, WarmThroughput,
};
use crate::table_description::{self, TableState};
use crate::throughput_change::{self, merged_ceiling};
use crate::{Database, Error, stream_switch};

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

impl GlobalSecondaryIndexUpdate {
    /// The index it is about.
    pub fn index_name(&self) -> &str {
        match self {
            GlobalSecondaryIndexUpdate::Create(index) => &index.index_name,
            GlobalSecondaryIndexUpdate::Update { index_name, .. }
            | GlobalSecondaryIndexUpdate::Delete { index_name } => index_name,
        }
    }
}

impl UpdateTableRequest {
    fn index_updates(&self) -> &[GlobalSecondaryIndexUpdate] {
        self.global_secondary_index_updates.as_deref().unwrap_or_default()
    }
}

impl Database {
    /// UpdateTable: billing, throughput, stream, protection, class, encryption; one index at a time.
    /// Everything but the filling of a new index is done when this answers; the answer shows the
    /// change as under way, as AWS does.
    pub async fn update_table(
        &self,
        mut request: UpdateTableRequest,
    ) -> Result<UpdateTableResponse, Error> {
        let name =
            managed_table_name(self.options(), "UpdateTable", &request.table_name)?.to_owned();
        self.lifecycle().check_change(&name, self.clock())?;
        request.on_demand_throughput = without_members(request.on_demand_throughput);
        request.warm_throughput = without_members(request.warm_throughput);
        definition_checks::update_table(&request)?;
        let options = self.options();
        let encryption = encryption_of(options, request.sse_specification.as_ref());
        let (before, after, request) = self
            .commit(move |transaction| {
                let table = table_description::find(transaction.catalog(), &name)?.clone();
                check(&table, &request, encryption.as_ref())?;
                let before = TableState::in_commit(transaction, &table)?;
                let definition = changed(transaction, &table, &request, encryption)?;
                let table = transaction.put_table(definition);
                let after = TableState::in_commit(transaction, &table)?;
                Ok((before, after, request))
            })
            .await?;
        self.background().wake();
        let table_description = answer(options, &before, &after, &request);
        Ok(UpdateTableResponse { table_description })
    }
}

fn check(
    table: &Table,
    request: &UpdateTableRequest,
    encryption: Option<&(SseType, String)>,
) -> Result<(), Error> {
    definition_checks::against_table(table, request)?;
    if let Some(specification) = &request.sse_specification {
        // A key made up for AWS's own is never the one that the table has.
        let key = encryption.map(|(_, arn)| arn.as_str());
        definition_checks::encryption_changes(table, specification, key)?;
    }
    definition_checks::index_updates(table, request)
}

fn changed(
    transaction: &mut Transaction<'_>,
    table: &Table,
    request: &UpdateTableRequest,
    encryption: Option<(SseType, String)>,
) -> Result<TableDefinition, Error> {
    let now = transaction.now_millis();
    let mut definition = table.definition().clone();
    throughput_change::of_table(&mut definition, request, now);
    change_indexes(transaction, table, &mut definition, request)?;
    if let Some(class) = request.table_class {
        // Setting what is the default anyway shows nothing (measured 2026-10-09).
        let is_new = definition.table_class.unwrap_or(TableClass::Standard) != class;
        if is_new {
            definition.table_class = Some(class);
            definition.table_class_changed = Some(now);
        }
    }
    if let Some(enabled) = request.deletion_protection_enabled {
        definition.deletion_protection_enabled = enabled;
    }
    if request.sse_specification.is_some() {
        definition.sse = encryption;
    }
    if let Some(specification) = request.stream_specification {
        match specification.stream_view_type {
            Some(view_type) => stream_switch::enable(transaction, &mut definition, view_type),
            None => stream_switch::disable(transaction, &mut definition),
        }
    }
    Ok(definition)
}

fn change_indexes(
    transaction: &mut Transaction<'_>,
    table: &Table,
    definition: &mut TableDefinition,
    request: &UpdateTableRequest,
) -> Result<(), Error> {
    for update in request.index_updates() {
        match update {
            GlobalSecondaryIndexUpdate::Create(index) => {
                let is_empty = transaction.counters_of(table)?.table.items == 0;
                let status = if is_empty { IndexStatus::Active } else { IndexStatus::Creating };
                let number = definition.next_index;
                definition.next_index += 1;
                definition.indexes.push(global_index(number, status, index.clone()));
                let given = request.attribute_definitions.as_deref().unwrap_or_default();
                add_definitions(&mut definition.attribute_definitions, given);
            }
            GlobalSecondaryIndexUpdate::Delete { index_name } => {
                let Some(index) = table.index(index_name) else { continue };
                definition.indexes.retain(|kept| kept.number != index.number);
                transaction.counters_of(table)?.indexes.remove(&index.number);
                transaction.purge_later(table.number, index.number);
            }
            GlobalSecondaryIndexUpdate::Update { index_name, .. } => {
                let billing_mode = table.billing_mode;
                let mut global = definition.indexes.iter_mut();
                if let Some(index) = global.find(|index| index.name == *index_name) {
                    throughput_change::of_index(index, update, billing_mode);
                }
            }
        }
    }
    prune_definitions(definition);
    Ok(())
}

/// Definitions are added to those that are there. One that is there already and that the new index
/// does not use keeps its type, whatever the request says (measured 2026-10-08; rule 47).
fn add_definitions(definitions: &mut Vec<AttributeDefinition>, given: &[AttributeDefinition]) {
    for definition in given {
        let name = &definition.attribute_name;
        if !definitions.iter().any(|existing| existing.attribute_name == *name) {
            definitions.push(definition.clone());
        }
    }
}

/// Definitions that no key uses any more go away by themselves (rule 47).
fn prune_definitions(definition: &mut TableDefinition) {
    let index_keys = definition.indexes.iter().flat_map(|index| &index.key_schema);
    let keys: Vec<&str> = definition
        .key_schema
        .iter()
        .chain(index_keys)
        .map(|element| element.attribute_name.as_str())
        .collect();
    let mut definitions = definition.attribute_definitions.clone();
    definitions.retain(|definition| keys.contains(&definition.attribute_name.as_str()));
    definition.attribute_definitions = sorted(definitions);
}

/// The answer shows the change as under way: what AWS changes in the background still has its old
/// value (measured 2026-10-08).
fn answer(
    options: &Options,
    before: &TableState,
    after: &TableState,
    request: &UpdateTableRequest,
) -> TableDescription {
    let (before, mut answer) = (before.describe(options), after.describe(options));
    let changes_indexes = request
        .index_updates()
        .iter()
        .any(|update| !matches!(update, GlobalSecondaryIndexUpdate::Update { .. }));
    let is_updating = changes_indexes
        || request.provisioned_throughput.is_some()
        || request.billing_mode.is_some()
        || request.stream_specification.is_some()
        || request.table_class.is_some();
    if is_updating {
        answer.table_status = TableStatus::Updating;
    }
    if request.provisioned_throughput.is_some() {
        let shown = &mut answer.provisioned_throughput;
        shown.read_capacity_units = before.provisioned_throughput.read_capacity_units;
        shown.write_capacity_units = before.provisioned_throughput.write_capacity_units;
    }
    if request.table_class.is_some() {
        answer.table_class_summary = before.table_class_summary.clone();
    }
    if let Some(requested) = request.on_demand_throughput {
        // A ceiling that was taken away is shown as -1, this once (captured 2026-07-24).
        answer.on_demand_throughput = Some(merged_ceiling(before.on_demand_throughput, requested));
    }
    for update in request.index_updates() {
        show_index(&before, &mut answer, update);
    }
    answer
}

fn show_index(
    before: &TableDescription,
    answer: &mut TableDescription,
    update: &GlobalSecondaryIndexUpdate,
) {
    let name = update.index_name();
    let position = before.global_secondary_indexes.iter().position(|i| i.index_name == name);
    let old = position.and_then(|position| before.global_secondary_indexes.get(position));
    let shown = &mut answer.global_secondary_indexes;
    let new = shown.iter_mut().find(|index| index.index_name == name);
    match (update, old, new) {
        (GlobalSecondaryIndexUpdate::Create(_), _, Some(new)) => {
            new.index_status = IndexStatus::Creating;
            new.backfilling = Some(false);
        }
        (GlobalSecondaryIndexUpdate::Update { .. }, Some(old), Some(new)) => {
            new.index_status = IndexStatus::Updating;
            new.provisioned_throughput = old.provisioned_throughput.clone();
        }
        (GlobalSecondaryIndexUpdate::Delete { .. }, Some(old), None) => {
            let mut old = old.clone();
            old.index_status = IndexStatus::Deleting;
            old.backfilling = None;
            shown.insert(position.unwrap_or(0).min(shown.len()), old);
        }
        _ => {}
    }
}
