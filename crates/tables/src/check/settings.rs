//! TTL, stream, capacity, backups, tags and load.

use values::AttributeType;

use super::attribute_names;
use crate::document::{CapacityMode, Environment, Format, Frequency, Table};
use crate::located::step;
use crate::problem::Findings;

/// Tags of one resource. API TagResource.
const TAGS_MAX: usize = 50;

pub(super) fn check(table: &Table, findings: &mut Findings) {
    check_time_to_live(table, findings);
    if table.streams.enabled != table.streams.view_type.is_some() {
        let message = "`viewType` goes with a stream, and a stream with a `viewType`";
        let remedy = "Write \"enabled\": true and a `viewType`, or \"enabled\": false and none";
        findings.error("/streams", message, remedy);
    }
    let provisioned = table.capacity_mode == CapacityMode::Provisioned;
    if provisioned != table.provisioned_throughput.is_some() {
        let message = "`provisionedThroughput` goes with PROVISIONED, and PROVISIONED with it";
        findings.error("/capacityMode", message, "Write both or neither");
    }
    if !table.pitr.enabled && table.pitr.retention_days.is_some() {
        let message = "point-in-time recovery is off, but has a retention";
        findings.error("/pitr/retentionDays", message, "Remove it, or write \"enabled\": true");
    }
    for environment in Environment::ALL {
        check_environment(table, environment, findings);
    }
    let load = table.load.iter().flat_map(|load| load.requests_per_month.keys());
    for id in load {
        if !table.access_patterns.iter().any(|pattern| pattern.id == *id) {
            let known: Vec<_> = table.access_patterns.iter().map(|known| &*known.id).collect();
            let message = format!("the load names {id}, which is not an access pattern");
            let remedy = format!("Use one of {}", known.join(", "));
            findings.error(step("/load/requestsPerMonth", id), message, remedy);
        }
    }
}

fn check_time_to_live(table: &Table, findings: &mut Findings) {
    let Some(ttl) = &table.time_to_live else { return };
    let name = &ttl.attribute;
    let pointer = "/timeToLive/attribute";
    let Some(attribute) = table.attribute(name) else {
        let message = format!("the TTL attribute {name} is not among `attributes`");
        findings.error(pointer, message, format!("Use one of {}", attribute_names(table)));
        return;
    };
    if attribute.attribute_type != AttributeType::N {
        let message = format!("the TTL attribute {name} has type {}", attribute.attribute_type);
        let remedy = "DynamoDB removes nothing unless it is a number: make it N, epoch-seconds";
        findings.error(pointer, message, remedy);
    } else if attribute.format != Some(Format::EpochSeconds) {
        let message = format!("the TTL attribute {name} does not say that it is in seconds");
        findings.error(pointer, message, "Give it \"format\": \"epoch-seconds\"");
    }
}

fn check_environment(table: &Table, environment: Environment, findings: &mut Findings) {
    let backup = table.backup.get(environment);
    let pointer = format!("/backup/{environment}");
    let complete = backup.schedule.is_some() && backup.retention_days.is_some();
    let empty = backup.schedule.is_none() && backup.retention_days.is_none();
    if backup.frequency == Frequency::None && !empty {
        let message = "there are no backups, but a schedule or a retention for them";
        findings.error(&*pointer, message, "Remove both, or write how often");
    } else if backup.frequency != Frequency::None && !complete {
        let message =
            format!("backups are {}, but not scheduled or not kept", backup.frequency.name());
        findings.error(&*pointer, message, "Add `schedule` and `retentionDays`");
    }
    let tags = table.tags.get(environment);
    let pointer = format!("/tags/{environment}");
    if tags.len() > TAGS_MAX {
        let message = format!("there are {} tags", tags.len());
        findings.error(&*pointer, message, format!("Keep at most {TAGS_MAX}"));
    }
    for key in tags.keys().filter(|key| key.starts_with("aws:") || key.len() > 128) {
        let message = format!("{key} cannot be the key of a tag");
        let remedy = "Use at most 128 characters, and do not begin with aws:";
        findings.error(step(&pointer, key), message, remedy);
    }
}
