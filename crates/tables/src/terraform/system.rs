//! `<system>.tf` of an environment: a module call for each table, and one for their backups.

use super::hcl::{Body, Hcl};
use crate::Documents;
use crate::backups;
use crate::document::{Environment, Index, System, Table};
use crate::output::snake;
use crate::request;

pub(super) fn render(documents: &Documents, system: &System, environment: Environment) -> String {
    let mut file = Body::default();
    file.comment(&system.description);
    for table in documents.tables_of(&system.system) {
        let name = documents.table_name(table, environment);
        let header = format!("module \"{}\"", module_name(table));
        file.blank().comment(&table.description);
        file.block(&header, table_call(table, &name, system, environment));
    }
    let plans = backups::plans(documents, system, environment);
    if !plans.is_empty() {
        file.blank().comment("Scheduled backups.");
        let header = format!("module \"{}_backup\"", snake(&system.system));
        file.block(&header, backup_call(&plans, system, environment));
    }
    file.render(0)
}

fn module_name(table: &Table) -> String {
    format!("{}_{}", snake(&table.system), snake(&table.table_name))
}

fn table_call(table: &Table, name: &str, system: &System, environment: Environment) -> Body {
    let mut call = Body::default();
    call.attribute("source", Hcl::text("../modules/dynamodb_table")).blank();
    call.attribute("name", Hcl::text(name))
        .attribute("billing_mode", Hcl::text(table.capacity_mode.billing_mode()));
    if let Some(throughput) = request::throughput(table) {
        call.attribute("read_capacity", Hcl::raw(&throughput["ReadCapacityUnits"]))
            .attribute("write_capacity", Hcl::raw(&throughput["WriteCapacityUnits"]));
    }
    call.attribute("hash_key", Hcl::text(&table.primary_key.partition_key.name));
    if let Some(sort) = &table.primary_key.sort_key {
        call.attribute("range_key", Hcl::text(&sort.name));
    }
    if let Some(ttl) = &table.time_to_live {
        call.attribute("ttl_attribute", Hcl::text(&ttl.attribute));
    }
    if let Some(view) = table.streams.view_type.filter(|_| table.streams.enabled) {
        call.attribute("stream_view_type", Hcl::text(view.word()));
    }
    call.attribute("point_in_time_recovery", Hcl::raw(table.pitr.enabled));
    if let Some(days) = table.pitr.retention_days {
        call.attribute("recovery_period_days", Hcl::raw(days));
    }
    let encrypted = request::encryption(table)["Enabled"] == true;
    call.attribute("encrypted_with_kms", Hcl::raw(encrypted))
        .attribute("deletion_protection", Hcl::raw(table.deletion_protection.get(environment)));
    if let Some(replica) = &system.site(environment).replica_region {
        call.attribute("replica_regions", Hcl::List(vec![Hcl::text(replica)]));
    }
    call.blank().attribute("attributes", attributes(table));
    if !table.global_secondary_indexes.is_empty() {
        let indexes = table.global_secondary_indexes.iter().map(|index| index_object(index, true));
        call.blank().attribute("global_secondary_indexes", Hcl::List(indexes.collect()));
    }
    if !table.local_secondary_indexes.is_empty() {
        let indexes = table.local_secondary_indexes.iter().map(|index| index_object(index, false));
        call.blank().attribute("local_secondary_indexes", Hcl::List(indexes.collect()));
    }
    call.blank().attribute("tags", tags(table, environment));
    call
}

fn attributes(table: &Table) -> Hcl {
    let definitions = request::attribute_definitions(table);
    let object = |definition: &serde_json::Value| {
        let text = |member: &str| Hcl::text(definition[member].as_str().unwrap_or_default());
        Hcl::Inline(vec![
            ("name".to_owned(), text("AttributeName")),
            ("type".to_owned(), text("AttributeType")),
        ])
    };
    Hcl::List(definitions.as_array().into_iter().flatten().map(object).collect())
}

fn index_object(index: &Index, global: bool) -> Hcl {
    let mut members = vec![("name".to_owned(), Hcl::text(&index.index_name))];
    if global {
        members.push(("hash_key".to_owned(), Hcl::text(&index.partition_key)));
    }
    if let Some(sort) = &index.sort_key {
        members.push(("range_key".to_owned(), Hcl::text(sort)));
    }
    members.push(("projection_type".to_owned(), Hcl::text(index.projection_type.word())));
    if !index.non_key_attributes.is_empty() {
        let names = index.non_key_attributes.iter().map(Hcl::text).collect();
        members.push(("non_key_attributes".to_owned(), Hcl::List(names)));
    }
    Hcl::Object(members)
}

fn tags(table: &Table, environment: Environment) -> Hcl {
    let tags = table.tags.get(environment).iter();
    Hcl::Object(tags.map(|(key, value)| (key.clone(), Hcl::text(value))).collect())
}

fn backup_call(plans: &[backups::BackupPlan], system: &System, environment: Environment) -> Body {
    let site = system.site(environment);
    let base = backups::base_name(&site.backup_vault);
    let mut call = Body::default();
    call.attribute("source", Hcl::text("../modules/backup")).blank();
    let providers = [("aws", "aws"), ("aws.copy", "aws.copy")]
        .map(|(inner, outer)| (inner.to_owned(), Hcl::raw(outer)));
    call.attribute("providers", Hcl::References(providers.to_vec())).blank();
    call.attribute("vault_name", Hcl::text(&site.backup_vault))
        .attribute("copies", Hcl::raw(site.backup_copy_region.is_some()))
        .blank();
    let plan = |plan: &backups::BackupPlan| {
        let frequency = plan.frequency.name();
        let arns =
            plan.tables.iter().map(|table| Hcl::raw(format!("module.{}.arn", module_name(table))));
        let members = vec![
            ("name".to_owned(), Hcl::text(format!("{base}-dynamodb-{environment}-{frequency}"))),
            (
                "selection_name".to_owned(),
                Hcl::text(format!("{base}-dynamodb-{environment}-selection")),
            ),
            ("schedule".to_owned(), Hcl::text(plan.schedule)),
            ("retention_days".to_owned(), Hcl::raw(plan.retention_days)),
            ("table_arns".to_owned(), Hcl::List(arns.collect())),
        ];
        (frequency.to_owned(), Hcl::Object(members))
    };
    call.attribute("plans", Hcl::Object(plans.iter().map(plan).collect())).blank();
    let table = plans.first().and_then(|plan| plan.tables.first());
    call.attribute("tags", table.map_or(Hcl::Object(Vec::new()), |table| tags(table, environment)));
    call
}
