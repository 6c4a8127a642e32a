//! Every index equals what its table's items give; every count equals what a scan finds.

use std::collections::BTreeMap;

use values::{Item, size};

use super::Findings;
use super::observe::Observed;
use crate::workload::{ItemName, Table};

pub(super) fn check(observed: &Observed, findings: &mut Findings) {
    for table in Table::ALL {
        check_counts(table, observed, findings);
        for index in table.indexes() {
            if !observed.indexes.contains_key(&(table, index.name.to_owned())) {
                findings.add(format!("index {} is gone or not complete", index.name));
            }
        }
    }
    for ((table, name), found) in &observed.indexes {
        let Some(index) = table.index(name) else {
            findings.add(format!("{table:?} has an index nobody created: {name}"));
            continue;
        };
        let items = items_of(*table, observed);
        let expected =
            items.filter_map(|(name, item)| index.entry(*table, item).map(|entry| (*name, entry)));
        compare(*table, index.name, expected.collect(), found, findings);
    }
}

fn items_of(table: Table, observed: &Observed) -> impl Iterator<Item = (&ItemName, &Item)> {
    observed.items.iter().filter(move |(name, _)| name.table == table)
}

fn compare(
    table: Table,
    index: &str,
    mut expected: BTreeMap<ItemName, Item>,
    found: &[Item],
    findings: &mut Findings,
) {
    for entry in found {
        let Some(name) = ItemName::of(table, entry) else {
            findings.add(format!("index {index} holds a foreign entry: {entry:?}"));
            continue;
        };
        match expected.remove(&name) {
            None => findings.add(format!("index {index} holds a stray entry of {name:?}")),
            Some(entry_expected) if entry_expected != *entry => {
                findings.add(format!("index {index} is stale for {name:?}: {entry:?}"));
            }
            Some(_) => {}
        }
    }
    for name in expected.keys() {
        findings.add(format!("index {index} has no entry of {name:?}"));
    }
}

fn check_counts(table: Table, observed: &Observed, findings: &mut Findings) {
    let Some(description) = observed.descriptions.get(&table) else { return };
    let count = items_of(table, observed).count() as u64;
    let bytes: usize = items_of(table, observed).map(|(_, item)| size::item_size(item)).sum();
    let mut check = |what: String, said: u64, found: u64| {
        if said != found {
            findings.add(format!("{what} of {table:?} is {found}, but DescribeTable says {said}"));
        }
    };
    check("the item count".to_owned(), description.item_count, count);
    check("the size".to_owned(), description.table_size_bytes, bytes as u64);
    let global = description.global_secondary_indexes.iter();
    let global = global.map(|index| (&index.index_name, index.item_count));
    let local = description.local_secondary_indexes.iter();
    let local = local.map(|index| (&index.index_name, index.item_count));
    for (name, said) in global.chain(local) {
        if let Some(found) = observed.indexes.get(&(table, name.clone())) {
            check(format!("the item count of index {name}"), said, found.len() as u64);
        }
    }
}
