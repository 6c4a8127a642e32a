//! A table as the answers of the table operations show it.

use std::sync::Arc;

use crate::catalog::{Catalog, Index, Table};
use crate::commit::Transaction;
use crate::counters::Counters;
use crate::definition_checks::warm_throughput;
use crate::keys;
use crate::options::Options;
use crate::shapes::{
    BillingMode, BillingModeSummary, GlobalSecondaryIndexDescription, IndexStatus,
    LocalSecondaryIndexDescription, Projection, ProjectionType, ProvisionedThroughput,
    ProvisionedThroughputDescription, SseDescription, StreamViewType, TableClassSummary,
    TableDescription, TableStatus,
};
use crate::storage::Space;
use crate::{Database, Error, arn, stored, text};

/// A table at one moment, with its counts.
#[derive(Clone, Debug)]
pub struct TableState {
    table: Arc<Table>,
    view_type: Option<StreamViewType>,
    counters: Counters,
}

/// The table with this name, or the error of the operations on tables.
pub fn find<'a>(catalog: &'a Catalog, table_name: &str) -> Result<&'a Arc<Table>, Error> {
    let table = catalog.tables.get(table_name);
    table.ok_or_else(|| Error::ResourceNotFound(text::table_not_found(table_name)))
}

impl TableState {
    /// The table as it is in a commit.
    pub fn in_commit(
        transaction: &mut Transaction<'_>,
        table: &Arc<Table>,
    ) -> Result<TableState, Error> {
        let view_type = view_type(transaction.catalog(), table);
        let counters = transaction.counters_of(table)?.clone();
        Ok(TableState { table: Arc::clone(table), view_type, counters })
    }

    /// The table as it is durable.
    pub fn read(database: &Database, table_name: &str) -> Result<TableState, Error> {
        database.check_running()?;
        let catalog = database.catalog();
        let table = find(&catalog, table_name)?;
        let key = keys::meta(b'c', &[&table.number.to_be_bytes()]);
        let bytes = database
            .snapshot()
            .get(Space::Meta, &key)
            .map_err(|error| Error::Stopped(text::unreadable(&error)))?;
        let counters = bytes.as_deref().map(stored::record).transpose()?.unwrap_or_default();
        let view_type = view_type(&catalog, table);
        Ok(TableState { table: Arc::clone(table), view_type, counters })
    }

    /// How a finished table is shown.
    pub fn describe(&self, options: &Options) -> TableDescription {
        let table = &self.table;
        let (global, local) = table.indexes.iter().partition::<Vec<_>, _>(|i| i.is_global());
        TableDescription {
            table_name: table.name.clone(),
            table_arn: arn::table(options, &table.name),
            table_id: table.table_id.clone(),
            table_status: TableStatus::Active,
            creation_date_time: Some(table.creation_date_time),
            attribute_definitions: table.attribute_definitions.clone(),
            key_schema: table.key_schema.clone(),
            item_count: self.counters.table.items,
            table_size_bytes: self.counters.table.bytes,
            billing_mode_summary: self.billing_mode_summary(),
            provisioned_throughput: ProvisionedThroughputDescription {
                last_increase_date_time: table.last_increase_date_time,
                last_decrease_date_time: table.last_decrease_date_time,
                ..throughput(table.provisioned_throughput)
            },
            on_demand_throughput: table.on_demand_throughput,
            warm_throughput: warm_throughput(
                table.warm_throughput,
                table.billing_mode,
                table.provisioned_throughput,
            ),
            table_class_summary: table.table_class.map(|table_class| TableClassSummary {
                table_class,
                last_update_date_time: table.table_class_changed,
            }),
            local_secondary_indexes: local.into_iter().map(|i| self.local(options, i)).collect(),
            global_secondary_indexes: global.into_iter().map(|i| self.global(options, i)).collect(),
            stream_specification: self.view_type,
            latest_stream_label: table.latest_stream_label.clone(),
            latest_stream_arn: table
                .latest_stream_label
                .as_deref()
                .map(|label| arn::stream(options, &table.name, label)),
            sse_description: table.sse.as_ref().map(|(sse_type, kms_master_key_arn)| {
                SseDescription {
                    sse_type: *sse_type,
                    kms_master_key_arn: kms_master_key_arn.clone(),
                }
            }),
            deletion_protection_enabled: table.deletion_protection_enabled,
        }
    }

    /// Absent for a table that was provisioned all its life.
    fn billing_mode_summary(&self) -> Option<BillingModeSummary> {
        let billing_mode = self.table.billing_mode;
        let since = self.table.pay_per_request_since;
        (billing_mode == BillingMode::PayPerRequest || since.is_some()).then_some(
            BillingModeSummary { billing_mode, last_update_to_pay_per_request_date_time: since },
        )
    }

    fn local(&self, options: &Options, index: &Index) -> LocalSecondaryIndexDescription {
        let count = self.counters.indexes.get(&index.number).copied().unwrap_or_default();
        LocalSecondaryIndexDescription {
            index_name: index.name.clone(),
            index_arn: arn::index(options, &self.table.name, &index.name),
            key_schema: index.key_schema.clone(),
            projection: projection(index),
            index_size_bytes: count.bytes,
            item_count: count.items,
        }
    }

    fn global(&self, options: &Options, index: &Index) -> GlobalSecondaryIndexDescription {
        let count = self.counters.indexes.get(&index.number).copied().unwrap_or_default();
        GlobalSecondaryIndexDescription {
            index_name: index.name.clone(),
            index_arn: arn::index(options, &self.table.name, &index.name),
            index_status: index.status,
            backfilling: (index.status == IndexStatus::Creating).then_some(true),
            key_schema: index.key_schema.clone(),
            projection: projection(index),
            provisioned_throughput: throughput(index.provisioned_throughput),
            on_demand_throughput: index.on_demand_throughput,
            warm_throughput: warm_throughput(
                index.warm_throughput,
                self.table.billing_mode,
                index.provisioned_throughput,
            ),
            index_size_bytes: count.bytes,
            item_count: count.items,
        }
    }
}

fn view_type(catalog: &Catalog, table: &Table) -> Option<StreamViewType> {
    let stream = table.stream.and_then(|number| catalog.streams.get(&number));
    stream.map(|stream| stream.view_type)
}

fn throughput(provisioned: ProvisionedThroughput) -> ProvisionedThroughputDescription {
    ProvisionedThroughputDescription {
        read_capacity_units: provisioned.read_capacity_units,
        write_capacity_units: provisioned.write_capacity_units,
        ..ProvisionedThroughputDescription::default()
    }
}

fn projection(index: &Index) -> Projection {
    let has_names = index.projection_type == ProjectionType::Include;
    Projection {
        projection_type: Some(index.projection_type),
        non_key_attributes: has_names.then(|| index.non_key_attributes.clone()),
    }
}
