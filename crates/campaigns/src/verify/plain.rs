//! The table without a stream: each item is what an operation wrote that no later one followed.

use std::collections::{BTreeMap, BTreeSet};

use values::Item;

use super::Findings;
use super::observe::Observed;
use super::replay::writer_of;
use crate::ledger::{Certainty, History};
use crate::workload::{Action, Effect, ItemName, Plan, Table, apply};

/// A write of one item.
#[derive(Clone, Copy)]
struct Write<'a> {
    action: &'a Action,
    writer: u64,
    /// Place of the attempt in the history.
    place: usize,
    sent: usize,
    ended: Option<usize>,
    certain: bool,
}

pub(super) fn check(
    plan: &Plan,
    history: &History,
    certainty: &[Certainty],
    observed: &Observed,
    findings: &mut Findings,
) {
    let mut writes: BTreeMap<ItemName, Vec<Write<'_>>> = BTreeMap::new();
    for (place, attempt) in history.attempts.iter().enumerate() {
        for (position, action) in attempt.operation.actions.iter().enumerate() {
            let known = certainty[place];
            let relevant = action.name.table == Table::Plain
                && action.effect != Effect::Check
                && known.is_possible(position);
            if relevant {
                writes.entry(action.name).or_default().push(Write {
                    action,
                    writer: attempt.operation.id.0,
                    place,
                    sent: attempt.sent,
                    ended: attempt.ended,
                    certain: known.is_certain(position),
                });
            }
        }
    }
    let found = observed.items.keys().filter(|name| name.table == Table::Plain);
    let names: BTreeSet<ItemName> = found.chain(writes.keys()).copied().collect();
    for name in names {
        let writes = writes.get(&name).map(Vec::as_slice).unwrap_or_default();
        match observed.items.get(&name) {
            Some(item) => check_present(plan, history, name, item, writes, findings),
            None => check_absent(name, writes, findings),
        }
    }
}

fn check_present(
    plan: &Plan,
    history: &History,
    name: ItemName,
    item: &Item,
    writes: &[Write<'_>],
    findings: &mut Findings,
) {
    let writer = writer_of(item);
    let found = writes.iter().find(|write| Some(write.writer) == writer);
    let Some(write) = found.filter(|write| write.action.effect != Effect::Delete) else {
        findings.add(format!("{name:?} holds what no operation can have written: {item:?}"));
        return;
    };
    let id = history.attempts[write.place].operation.id;
    if apply(plan, id, write.action, None).as_ref() != Some(item) {
        findings.add(format!("{name:?} is not what operation {id} wrote: {item:?}"));
    }
    if let Some(later) = follower(write, writes) {
        findings.add(format!(
            "{name:?} shows operation {id}, but a later write was acknowledged: {}",
            history.attempts[later.place].operation.id
        ));
    }
}

fn check_absent(name: ItemName, writes: &[Write<'_>], findings: &mut Findings) {
    let creates = |write: &&Write<'_>| write.certain && write.action.effect != Effect::Delete;
    let never_written = !writes.iter().any(|write| creates(&write));
    let mut deletes = writes.iter().filter(|write| write.action.effect == Effect::Delete);
    let explained = deletes.any(|delete| {
        let lasting: Vec<Write<'_>> = writes.iter().filter(creates).copied().collect();
        follower(delete, &lasting).is_none()
    });
    if !never_written && !explained {
        findings.add(format!("{name:?} is gone, though a write of it was acknowledged"));
    }
}

/// A certain write that must have come after this one.
fn follower<'a>(write: &Write<'_>, writes: &'a [Write<'a>]) -> Option<&'a Write<'a>> {
    let ended = write.ended?;
    writes.iter().find(|later| later.certain && later.sent > ended)
}
