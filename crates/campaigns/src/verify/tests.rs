//! The verifier on a true history, and on the same history with one thing wrong.

use std::sync::OnceLock;

use database::{Database, Options};
use values::AttributeValue;

use super::{Observed, Verdict, check, observe, verify};
use crate::ledger::{Certainty, Event, History, Note, Replaced};
use crate::workload::{
    Attribute, Effect, Kind, OperationId, Outcome, Plan, Table, create_tables, execute,
};

const PLAN: Plan =
    Plan { seed: 17, items_per_table: 24, actions_max: 25, expiry_seconds: 9_000_000_000 };

struct Truth {
    notes: Vec<Note>,
    observed: Observed,
}

/// What a few writers did, and what the database then held.
fn truth() -> &'static Truth {
    static TRUTH: OnceLock<Truth> = OnceLock::new();
    TRUTH.get_or_init(|| {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(async {
            let mut options = Options::in_memory();
            options.background_work = false;
            let database = Database::open(options).unwrap();
            create_tables(&database).await.unwrap();
            let mut notes = Vec::new();
            for count in 0..1500 {
                let operation = PLAN.operation(OperationId::new(1, 1, count));
                notes.push(Note { id: operation.id, event: Event::Sent });
                let outcome = execute(&database, &PLAN, &operation).await;
                assert!(
                    !matches!(outcome, Outcome::Unexpected(_) | Outcome::Unknown),
                    "{outcome:?}"
                );
                notes.push(Note { id: operation.id, event: Event::of(&operation, &outcome) });
            }
            let history = History::new(&PLAN, &notes);
            let verdict = verify(&database, &PLAN, &history).await;
            assert!(verdict.findings.is_empty(), "{:?}", verdict.findings);
            assert!(verdict.records > 1000, "only {} records", verdict.records);
            Truth { notes, observed: observe(&database).await.unwrap() }
        })
    })
}

fn judge(notes: &[Note], observed: &Observed) -> Verdict {
    let history = History::new(&PLAN, notes);
    let mut verdict = Verdict::default();
    check(&PLAN, &history, observed, &mut verdict);
    verdict
}

/// Changes what was observed; the verdict must say so.
#[track_caller]
fn must_find(what: &str, break_it: impl FnOnce(&mut Vec<Note>, &mut Observed)) {
    let truth = truth();
    assert!(judge(&truth.notes, &truth.observed).findings.is_empty());
    let (mut notes, mut observed) = (truth.notes.clone(), truth.observed.clone());
    break_it(&mut notes, &mut observed);
    let verdict = judge(&notes, &observed);
    let found = verdict.findings.kept().iter().any(|finding| finding.contains(what));
    assert!(found, "expected a finding with `{what}`: {:#?}", verdict.findings);
}

#[test]
fn a_lost_item_is_found() {
    for table in Table::ALL {
        must_find(if table.has_stream() { "is missing" } else { "is gone" }, |_, observed| {
            let mut names = observed.items.keys().copied();
            let name = names.rfind(|name| name.table == table).unwrap();
            observed.items.remove(&name);
        });
    }
}

#[test]
fn a_changed_item_is_found() {
    for table in Table::ALL {
        must_find("is not what", |_, observed| {
            let mut items = observed.items.iter_mut();
            let (_, item) = items.find(|(name, _)| name.table == table).unwrap();
            item.insert(Attribute::PAYLOAD, AttributeValue::from("?"));
        });
    }
}

#[test]
fn a_lost_record_is_found() {
    must_find("than the one before had left", |_, observed| {
        let middle = observed.changes.len() / 2;
        observed.changes.remove(middle);
    });
}

#[test]
fn a_lost_tail_is_found() {
    must_find("was acknowledged, but its", |_, observed| {
        let kept = observed.changes.len() - 3;
        observed.changes.truncate(kept);
    });
}

#[test]
fn half_a_transaction_is_found() {
    must_find("is not whole", |notes, observed| {
        let history = History::new(&PLAN, notes);
        let is_part = |change: &super::Change| {
            let writer = change.new.as_ref().and_then(super::replay::writer_of);
            let place = writer.and_then(|writer| history.place(OperationId(writer)));
            place.is_some_and(|place| {
                let operation = &history.attempts[place].operation;
                let streamed = operation.actions.iter().filter(|a| a.name.table.has_stream());
                operation.kind == Kind::Transaction && streamed.count() > 3
            })
        };
        let place = observed.changes.iter().rposition(is_part).unwrap();
        observed.changes.remove(place);
    });
}

#[test]
fn a_refused_operation_that_happened_is_found() {
    must_find("was refused, and changed", |notes, observed| {
        let change = observed.changes.iter().rfind(|change| change.new.is_some()).unwrap();
        let writer = super::replay::writer_of(change.new.as_ref().unwrap()).unwrap();
        let answer = Event::Answered(Certainty::NONE, Replaced::NotTold);
        set_answer(notes, OperationId(writer), answer);
    });
}

#[test]
fn a_commit_from_nowhere_is_found() {
    must_find("was never sent", |notes, _| {
        let history = History::new(&PLAN, notes);
        let done = |attempt: &&crate::ledger::Attempt| {
            let put = attempt
                .operation
                .actions
                .iter()
                .any(|action| action.effect == Effect::Put && action.name.table.has_stream());
            put && attempt.certainty.certain != 0
        };
        let id = history.attempts.iter().rfind(done).unwrap().operation.id;
        notes.retain(|note| note.id != id);
    });
}

#[test]
fn a_wrong_answer_about_what_was_there_is_found() {
    must_find("was told", |notes, observed| {
        let history = History::new(&PLAN, notes);
        let single = |change: &&super::Change| {
            let writer = change.new.as_ref().and_then(super::replay::writer_of);
            let place = writer.and_then(|writer| history.place(OperationId(writer)));
            place.is_some_and(|p| history.attempts[p].operation.kind == Kind::Single)
        };
        let change = observed.changes.iter().rfind(single).unwrap();
        let id = OperationId(super::replay::writer_of(change.new.as_ref().unwrap()).unwrap());
        let all = Certainty { certain: 1, possible: 1 };
        set_answer(notes, id, Event::Answered(all, Replaced::Told(Some(1))));
    });
}

#[test]
fn a_removal_by_nobody_is_found() {
    must_find("and no operation can have", |_, observed| {
        let name = *observed.items.keys().rfind(|name| name.table == Table::Local).unwrap();
        let old = observed.items.remove(&name);
        let last = observed.changes.last().unwrap();
        let (sequence, commit) = (last.sequence + 100_000, last.commit + 1);
        observed.changes.push(super::Change {
            sequence,
            commit,
            name,
            old,
            new: None,
            expired: false,
        });
    });
}

#[test]
fn an_order_against_real_time_is_found() {
    must_find("was answered before it was sent", |notes, _| {
        // The first operation is said to have been sent last of all.
        let (sent, answered) = (notes[0], notes[1]);
        assert_eq!(sent.id, answered.id);
        notes.drain(0..2);
        notes.extend([sent, answered]);
    });
}

#[test]
fn a_wrong_index_is_found() {
    let first = |observed: &mut Observed| observed.indexes.keys().next().unwrap().clone();
    must_find("has no entry", |_, observed| {
        let index = first(observed);
        observed.indexes.get_mut(&index).unwrap().pop();
    });
    must_find("holds a stray entry", |_, observed| {
        let index = first(observed);
        let entries = observed.indexes.get_mut(&index).unwrap();
        entries.push(entries[0].clone());
    });
    must_find("is stale", |_, observed| {
        let index = first(observed);
        let entry = &mut observed.indexes.get_mut(&index).unwrap()[0];
        entry.insert("foreign", AttributeValue::Null);
    });
}

#[test]
fn a_wrong_count_is_found() {
    must_find("the item count of Plain", |_, observed| {
        observed.descriptions.get_mut(&Table::Plain).unwrap().item_count += 1;
    });
    must_find("the size of Local", |_, observed| {
        observed.descriptions.get_mut(&Table::Local).unwrap().table_size_bytes -= 1;
    });
}

#[test]
fn an_unanswered_operation_may_have_happened_or_not() {
    let truth = truth();
    let mut notes = truth.notes.clone();
    notes.retain(|note| note.event == Event::Sent);
    let verdict = judge(&notes, &truth.observed);
    assert!(verdict.findings.is_empty(), "{:?}", verdict.findings);
    let happened = verdict.certainty.iter().filter(|known| known.certain != 0).count();
    assert!(happened > 500, "only {happened} are known to have happened");
}

fn set_answer(notes: &mut [Note], id: OperationId, event: Event) {
    let mut of_operation = notes.iter_mut().filter(|note| note.id == id);
    of_operation.next_back().unwrap().event = event;
}
