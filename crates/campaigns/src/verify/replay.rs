//! Repeats the log on a model: every record must be what the operation makes of the state before.

use std::collections::{BTreeMap, HashMap};

use values::{AttributeValue, Item};

use super::Findings;
use super::observe::{Change, Observed};
use crate::ledger::{Certainty, History, Replaced};
use crate::workload::{Attribute, Effect, ItemName, Kind, OperationId, Plan, Table, apply};

/// What the log says.
#[derive(Debug)]
pub(super) struct Replayed<'a> {
    plan: &'a Plan,
    history: &'a History,
    items: BTreeMap<ItemName, Item>,
    /// For each item, since which commit it has been there or not.
    presence: HashMap<ItemName, Vec<(u64, bool)>>,
    /// Deletions by item: the attempt and the position of its action.
    deletions: HashMap<ItemName, Vec<(usize, usize)>>,
    /// Removals, by item and commit, that have not been traced to an operation.
    pub(super) unclaimed: Vec<(ItemName, u64)>,
    /// For each attempt, the actions that a record shows.
    pub(super) evidence: Vec<u32>,
    /// For each attempt, the first and last commit that shows it.
    pub(super) commits: Vec<Option<(u64, u64)>>,
    /// For each attempt, what is known now.
    pub(super) certainty: Vec<Certainty>,
}

pub(super) fn replay<'a>(
    plan: &'a Plan,
    history: &'a History,
    observed: &Observed,
    findings: &mut Findings,
) -> Replayed<'a> {
    observed.oddities.iter().for_each(|oddity| findings.add(oddity.clone()));
    let mut replayed = Replayed::new(plan, history);
    for commit in observed.changes.chunk_by(|one, other| one.commit == other.commit) {
        replayed.commit(commit, findings);
    }
    replayed.compare_items(observed, findings);
    replayed.settle(findings);
    replayed
}

/// A commit of the sweep: nothing but items that may have expired.
fn expired(changes: &[Change], findings: &mut Findings) {
    for change in changes {
        let has_expiry =
            change.old.as_ref().is_some_and(|old| old.contains_key(Attribute::EXPIRES));
        if !change.expired || !has_expiry || change.new.is_some() {
            findings.add(format!("commit {} mixes a sweep: {change:?}", change.commit));
        }
    }
}

/// The number of the operation that wrote the item.
pub(super) fn writer_of(item: &Item) -> Option<u64> {
    match item.get(Attribute::WRITER)? {
        AttributeValue::N(number) => number.to_string().parse().ok(),
        _ => None,
    }
}

impl<'a> Replayed<'a> {
    fn new(plan: &'a Plan, history: &'a History) -> Self {
        let mut deletions: HashMap<ItemName, Vec<(usize, usize)>> = HashMap::new();
        for (place, attempt) in history.attempts.iter().enumerate() {
            for (position, action) in attempt.operation.actions.iter().enumerate() {
                if action.effect == Effect::Delete && attempt.certainty.is_possible(position) {
                    deletions.entry(action.name).or_default().push((place, position));
                }
            }
        }
        let attempts = history.attempts.len();
        Replayed {
            plan,
            history,
            items: BTreeMap::new(),
            presence: HashMap::new(),
            deletions,
            unclaimed: Vec::new(),
            evidence: vec![0; attempts],
            commits: vec![None; attempts],
            certainty: history.attempts.iter().map(|attempt| attempt.certainty).collect(),
        }
    }

    fn commit(&mut self, changes: &[Change], findings: &mut Findings) {
        let Some(number) = changes.first().map(|change| change.commit) else { return };
        let mut writers: Vec<u64> =
            changes.iter().filter_map(|change| change.new.as_ref().and_then(writer_of)).collect();
        writers.sort_unstable();
        writers.dedup();
        match writers.as_slice() {
            _ if changes.iter().any(|change| change.expired) => expired(changes, findings),
            [] => changes.iter().for_each(|change| self.removal(change, findings)),
            [writer] => match self.history.place(OperationId(*writer)) {
                Some(place) => self.operation(place, changes, findings),
                None => findings.add(format!(
                    "commit {number} is of operation {}, which was never sent",
                    OperationId(*writer)
                )),
            },
            _ => findings.add(format!("commit {number} mixes the operations {writers:?}")),
        }
        for change in changes {
            self.take(change, findings);
        }
    }

    /// A commit of one known operation.
    fn operation(&mut self, place: usize, changes: &[Change], findings: &mut Findings) {
        let history = self.history;
        let attempt = &history.attempts[place];
        let id = attempt.operation.id;
        if attempt.operation.kind == Kind::Transaction {
            self.whole_transaction(place, changes, findings);
        }
        for change in changes {
            let name = change.name;
            let mut actions = attempt.operation.actions.iter();
            let Some(position) = actions.position(|action| action.name == name) else {
                findings
                    .add(format!("operation {id} has changed {name:?}, which it does not name"));
                continue;
            };
            let action = &attempt.operation.actions[position];
            self.see(place, position, change, findings);
            let old = self.items.get(&name);
            if !action.condition.holds(old) {
                findings.add(format!("operation {id} changed {name:?} against its condition"));
            }
            if apply(self.plan, id, action, old) != change.new {
                findings.add(format!("operation {id} made something else of {name:?}: {change:?}"));
            }
            let told = Replaced::Told(change.old.as_ref().and_then(writer_of));
            if attempt.replaced != Replaced::NotTold && attempt.replaced != told {
                findings.add(format!(
                    "operation {id} was told {:?} about {name:?}, but replaced {told:?}",
                    attempt.replaced
                ));
            }
        }
    }

    /// Every action of a transaction shows in its commit, unless it changes nothing.
    fn whole_transaction(&mut self, place: usize, changes: &[Change], findings: &mut Findings) {
        let operation = &self.history.attempts[place].operation;
        for action in operation.actions.iter().filter(|action| action.name.table.has_stream()) {
            let old = self.items.get(&action.name);
            if !action.condition.holds(old) {
                findings.add(format!(
                    "transaction {} happened against its condition on {:?}",
                    operation.id, action.name
                ));
            }
            let changes_nothing = match action.effect {
                Effect::Check => true,
                Effect::Delete => old.is_none(),
                Effect::Put | Effect::Update => false,
            };
            let shows = changes.iter().any(|change| change.name == action.name);
            if shows == changes_nothing {
                findings.add(format!(
                    "transaction {} is not whole: {:?} of {:?}",
                    operation.id, action.effect, action.name
                ));
            }
        }
    }

    /// A removal that no put or update stands beside: a deletion that was told what it removed, or
    /// one that is looked for once it is known when each operation happened.
    fn removal(&mut self, change: &Change, findings: &mut Findings) {
        let removed = change.old.as_ref().and_then(writer_of);
        let candidates = self.deletions.get(&change.name).map(Vec::as_slice).unwrap_or_default();
        let told = candidates.iter().find(|(place, position)| {
            self.evidence[*place] >> position & 1 == 0
                && self.history.attempts[*place].replaced == Replaced::Told(removed)
        });
        match told.copied() {
            Some((place, position)) => self.see(place, position, change, findings),
            None => self.unclaimed.push((change.name, change.commit)),
        }
    }

    /// Deletions of an item, by place in the history, that were not told what they removed.
    pub(super) fn untold_deletions(&self, name: ItemName) -> impl Iterator<Item = usize> {
        let deletions = self.deletions.get(&name).map(Vec::as_slice).unwrap_or_default();
        deletions.iter().map(|(place, _)| *place).filter(|place| {
            let attempt = &self.history.attempts[*place];
            let in_transaction = attempt.operation.kind == Kind::Transaction;
            attempt.replaced == Replaced::NotTold && !in_transaction
        })
    }

    /// A record shows an action.
    fn see(&mut self, place: usize, position: usize, change: &Change, findings: &mut Findings) {
        let id = self.history.attempts[place].operation.id;
        if self.evidence[place] >> position & 1 == 1 {
            findings.add(format!("operation {id} happened twice to {:?}", change.name));
        }
        if !self.history.attempts[place].certainty.is_possible(position) {
            findings.add(format!("operation {id} was refused, and changed {:?}", change.name));
        }
        self.evidence[place] |= 1 << position;
        let (first, last) = self.commits[place].unwrap_or((change.commit, change.commit));
        self.commits[place] = Some((first.min(change.commit), last.max(change.commit)));
    }

    /// Takes a record into the model.
    fn take(&mut self, change: &Change, findings: &mut Findings) {
        if self.items.get(&change.name) != change.old.as_ref() {
            findings.add(format!(
                "commit {} found something else at {:?} than the one before had left: {change:?}",
                change.commit, change.name
            ));
        }
        match &change.new {
            Some(new) => self.items.insert(change.name, new.clone()),
            None => self.items.remove(&change.name),
        };
        let presence = self.presence.entry(change.name).or_default();
        presence.push((change.commit, change.new.is_some()));
    }

    fn compare_items(&self, observed: &Observed, findings: &mut Findings) {
        for table in Table::ALL.into_iter().filter(|table| table.has_stream()) {
            let found = observed.items.iter().filter(|(name, _)| name.table == table);
            let expected = self.items.iter().filter(|(name, _)| name.table == table);
            let found: BTreeMap<_, _> = found.collect();
            let expected: BTreeMap<_, _> = expected.collect();
            for (name, item) in &found {
                if expected.get(name) != Some(item) {
                    findings.add(format!("{name:?} is not what its stream says: {item:?}"));
                }
            }
            for name in expected.keys().filter(|name| !found.contains_key(*name)) {
                findings.add(format!("{name:?} is missing, though its stream shows it"));
            }
        }
    }

    /// Compares what was seen with what was acknowledged; says what has become of open attempts.
    fn settle(&mut self, findings: &mut Findings) {
        for (place, attempt) in self.history.attempts.iter().enumerate() {
            let operation = &attempt.operation;
            let mut known = attempt.certainty;
            for (position, action) in operation.actions.iter().enumerate() {
                let seen = self.evidence[place] >> position & 1 == 1;
                let told = matches!(attempt.replaced, Replaced::Told(Some(_)));
                let leaves_record = match action.effect {
                    Effect::Put | Effect::Update => true,
                    Effect::Delete => told,
                    Effect::Check => false,
                };
                if !action.name.table.has_stream() || !leaves_record {
                    continue;
                }
                if !seen && known.is_certain(position) {
                    findings.add(format!(
                        "operation {} was acknowledged, but its {:?} of {:?} is lost",
                        operation.id, action.effect, action.name
                    ));
                }
                if seen {
                    known.certain |= 1 << position;
                } else {
                    known.possible &= !(1 << position);
                }
            }
            if operation.kind == Kind::Transaction {
                let happened = self.evidence[place] != 0;
                known = if happened { Certainty::all(operation) } else { Certainty::NONE };
            }
            self.certainty[place] = known;
        }
    }

    /// Was there a moment without the item after the first commit and before the second?
    pub(super) fn is_absent_within(&self, name: ItemName, (after, before): (u64, u64)) -> bool {
        let changes = self.presence.get(&name).map(Vec::as_slice).unwrap_or_default();
        let earlier = changes.iter().rev().find(|(commit, _)| *commit <= after);
        let absent_at_start = !earlier.is_some_and(|(_, is_there)| *is_there);
        let mut within = changes.iter().filter(|(commit, _)| *commit > after && *commit < before);
        absent_at_start || within.any(|(_, is_there)| !is_there)
    }
}
