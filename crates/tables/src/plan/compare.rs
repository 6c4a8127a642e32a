//! A document against what is on the target.

use std::collections::BTreeMap;

use super::Change;
use crate::document::{EncryptionType, Environment, Index, Table};
use crate::state::{IndexState, TableState};

/// What has to be done, in the order in which it can be done.
pub(super) fn compare(
    table: &Table,
    environment: Environment,
    state: Option<&TableState>,
) -> Vec<Change> {
    let mut changes = Vec::new();
    let Some(state) = state else {
        changes.push(Change::CreateTable { indexes: table.indexes().count() });
        compare_time_to_live(table, None, &mut changes);
        if table.pitr.enabled {
            changes.push(Change::SetRecovery { enabled: true });
        }
        return changes;
    };
    changes.extend(rebuild(table, state));
    compare_indexes(table, state, &mut changes);
    compare_billing(table, state, &mut changes);
    compare_stream(table, state, &mut changes);
    compare_time_to_live(table, state.time_to_live.as_deref(), &mut changes);
    if state.point_in_time_recovery.is_some_and(|enabled| enabled != table.pitr.enabled) {
        changes.push(Change::SetRecovery { enabled: table.pitr.enabled });
    }
    let protected = *table.deletion_protection.get(environment);
    if state.deletion_protection != protected {
        changes.push(Change::SetDeletionProtection { enabled: protected });
    }
    let kms = table.encryption.encryption_type == EncryptionType::AwsManagedKms;
    if state.kms != kms {
        changes.push(Change::SetEncryption { kms });
    }
    // Tags that the documents do not name may be somebody else's.
    let differs = |(key, value): &(&String, &String)| state.tags.get(*key) != Some(*value);
    let tags = table.tags.get(environment).iter().filter(differs);
    let tags: BTreeMap<_, _> = tags.map(|(key, value)| (key.clone(), value.clone())).collect();
    if !tags.is_empty() {
        changes.push(Change::SetTags { tags });
    }
    changes
}

/// What no UpdateTable can change: the key and the local indexes.
fn rebuild(table: &Table, state: &TableState) -> Option<Change> {
    let typed = |name: &str, kind: Option<&str>| format!("{name} ({})", kind.unwrap_or("?"));
    let described = |names: &[&str]| {
        let kind = |name: &str| table.attribute_type(name).map(|kind| kind.descriptor());
        let names: Vec<_> = names.iter().map(|name| typed(name, kind(name))).collect();
        names.join(" and ")
    };
    let found = |names: &[String]| {
        let kind = |name: &str| state.types.get(name).map(String::as_str);
        let names: Vec<_> = names.iter().map(|name| typed(name, kind(name))).collect();
        names.join(" and ")
    };
    let (wanted, is) = (described(&table.key_names()), found(&state.keys));
    if wanted != is {
        let difference = format!("the primary key is {is}, and the document says {wanted}");
        return Some(Change::Rebuild { difference });
    }
    let wanted: BTreeMap<_, _> = table
        .local_secondary_indexes
        .iter()
        .map(|index| (index.index_name.clone(), index))
        .collect();
    let same = wanted.len() == state.local.len()
        && wanted.iter().all(|(name, index)| {
            state.local.get(name).is_some_and(|state| difference(index, state).is_none())
        });
    let names =
        |names: Vec<&str>| if names.is_empty() { "none".to_owned() } else { names.join(", ") };
    (!same).then(|| Change::Rebuild {
        difference: format!(
            "the local indexes are {}, and the document says {}",
            names(state.local.keys().map(String::as_str).collect()),
            names(wanted.keys().map(String::as_str).collect()),
        ),
    })
}

/// Removals first: an index that is made anew needs its name.
fn compare_indexes(table: &Table, state: &TableState, changes: &mut Vec<Change>) {
    let mut added = Vec::new();
    for (name, found) in &state.global {
        let wanted = table.global_secondary_indexes.iter().find(|index| index.index_name == *name);
        let replaced = match wanted {
            // Being removed already: it only has to be made.
            Some(_) if found.status == "DELETING" => {
                added.push(name.clone());
                continue;
            }
            Some(index) => match difference(index, found) {
                None => continue,
                difference => difference,
            },
            None if found.status == "DELETING" => continue,
            None => None,
        };
        if replaced.is_some() {
            added.push(name.clone());
        }
        changes.push(Change::DeleteIndex { index: name.clone(), replaced });
    }
    for index in &table.global_secondary_indexes {
        let name = &index.index_name;
        if !state.global.contains_key(name) || added.contains(name) {
            changes.push(Change::CreateIndex { index: name.clone() });
        }
    }
}

fn difference(index: &Index, state: &IndexState) -> Option<String> {
    let keys = index.key_names();
    if state.keys != keys {
        let (is, wanted) = (state.keys.join(" and "), keys.join(" and "));
        return Some(format!("its key is {is}, and the document says {wanted}"));
    }
    let mut included = index.non_key_attributes.clone();
    included.sort();
    let wanted = index.projection_type.word();
    (state.projection != wanted || state.included != included)
        .then(|| format!("it holds other attributes than {wanted} says in the document"))
}

fn compare_billing(table: &Table, state: &TableState, changes: &mut Vec<Change>) {
    let mode = table.capacity_mode.billing_mode();
    let units =
        table.provisioned_throughput.map(|t| (t.read_capacity_units, t.write_capacity_units));
    if state.billing_mode != mode || units.is_some_and(|units| units != state.throughput) {
        changes.push(Change::SetBilling { mode: mode.to_owned() });
    }
}

fn compare_stream(table: &Table, state: &TableState, changes: &mut Vec<Change>) {
    let wanted = table.streams.view_type.filter(|_| table.streams.enabled).map(|view| view.word());
    if state.stream.as_deref() == wanted {
        return;
    }
    changes.extend(state.stream.clone().map(|view| Change::StopStream { view }));
    changes.extend(wanted.map(|view| Change::StartStream { view: view.to_owned() }));
}

fn compare_time_to_live(table: &Table, found: Option<&str>, changes: &mut Vec<Change>) {
    let wanted = table.time_to_live.as_ref().map(|ttl| ttl.attribute.as_str());
    if wanted == found {
        return;
    }
    let attribute = |name: &str| name.to_owned();
    changes.extend(found.map(|name| Change::StopTimeToLive { attribute: attribute(name) }));
    changes.extend(wanted.map(|name| Change::StartTimeToLive { attribute: attribute(name) }));
}
