//! A change happens entirely or not at all, and once.

use std::sync::atomic::Ordering;

use audit::Entry;
use changes::{Answer, Conflict, Event, Rejection};
use kernel::Error;
use kernel::error::CONFLICT;
use serde_json::json;
use values::Item;

use crate::change_world::{World, request};

fn created() -> Answer {
    Answer::new(::http::StatusCode::CREATED, "{}")
}

fn entry() -> Entry {
    Entry::new("TENANT", "TENANT_CREATED", "acc-1").of("tenant", "tenant-1")
}

/// The outbox: state change, audit event and outgoing event are one transaction.
#[tokio::test]
async fn writes_events_and_audit_happen_together() {
    let world = World::new().await;
    let mut change = world.changes.begin(&request());
    change.add(world.product("a1"), Conflict);
    change.add(world.product("a2"), Conflict);
    change.record(entry());
    change.emit(Event::new("e1", "acc-1", json!({})));
    assert_eq!(change.commit(created()).await.unwrap(), Some(created()));
    assert_eq!(world.products().await, 3);
    // Two views, the end and the register; the signing key.
    assert_eq!(world.items("platform/audit_logs").await.len(), 5);
    assert_eq!(world.audit.verify("acc-1", &[]).await.unwrap().entries, 1);
}

#[tokio::test]
async fn a_write_says_what_its_failed_condition_means_and_nothing_is_written() {
    let world = World::new().await;
    world.product("a2").run().await.unwrap();
    let mut change = world.changes.begin(&request());
    change.add(world.product("a1"), Error::internal("not this one"));
    change.add(world.product("a2"), |found: Option<Item>| {
        assert!(found.is_some());
        Error::new(CONFLICT, "the second")
    });
    change.record(entry());
    change.emit(Event::new("e1", "acc-1", json!({})));
    match change.commit(created()).await {
        Err(Rejection::Refused(error)) => assert_eq!(error.to_string(), "the second"),
        other => panic!("{other:?}"),
    }
    assert_eq!(world.products().await, 1);
    assert_eq!(world.items("platform/audit_logs").await.len(), 1, "the signing key alone");
}

#[tokio::test]
async fn what_is_too_much_for_a_transaction_is_refused_with_the_figures() {
    let world = World::new().await;
    let mut change = world.changes.begin(&request());
    for number in 0..98 {
        change.add(world.product(&format!("{number:x}")), Conflict);
    }
    change.record(entry());
    match change.commit(created()).await {
        Err(Rejection::Refused(error)) => {
            assert_eq!(error.details()["writes"], 102);
            assert_eq!(error.code().status, 422);
        }
        other => panic!("{other:?}"),
    }
    assert_eq!(world.products().await, 0);
}

/// R003-audit-2: 32 changes of one account at once, from two processes: no gap, no loss.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn concurrent_changes_of_one_account_make_one_chain_without_gaps() {
    let world = World::new().await;
    let other = world.other_process().await;
    let mut tasks = Vec::new();
    for number in 0..32 {
        let changes = if number % 2 == 0 { world.changes.clone() } else { other.clone() };
        let product = world.product(&format!("{number:x}"));
        tasks.push(tokio::spawn(async move {
            let mut change = changes.begin(&request());
            change.add(product, Conflict);
            change.record(entry());
            change.commit(created()).await
        }));
    }
    for task in tasks {
        task.await.unwrap().unwrap();
    }
    let report = world.audit.verify("acc-1", &[]).await.unwrap();
    assert_eq!((report.entries, report.first_bad), (32, None));
    assert_eq!(world.products().await, 32);
}

/// A change of several accounts is in each one's chain, and two that take them in another order do
/// not wait for each other for ever.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn changes_of_several_accounts_do_not_block_each_other() {
    let world = World::new().await;
    let mut tasks = Vec::new();
    for number in 0..16 {
        let changes = world.changes.clone();
        tasks.push(tokio::spawn(async move {
            let mut change = changes.begin(&request());
            let accounts = if number % 2 == 0 { ["acc-1", "acc-2"] } else { ["acc-2", "acc-1"] };
            for account in accounts {
                change.record(Entry::new("TENANT", "TENANT_MOVED", account));
            }
            change.commit(created()).await
        }));
    }
    for task in tasks {
        task.await.unwrap().unwrap();
    }
    for account in ["acc-1", "acc-2"] {
        let report = world.audit.verify(account, &[]).await.unwrap();
        assert_eq!((report.entries, report.first_bad), (16, None));
    }
}

/// A commit whose first answer is lost is asked again with the same token: it happens once.
#[tokio::test]
async fn a_commit_without_an_answer_happens_once() {
    let world = World::new().await;
    world.lost_answers.store(1, Ordering::SeqCst);
    let mut change = world.changes.begin(&request());
    change.add(world.product("a1"), Conflict);
    change.record(entry());
    change.commit(created()).await.unwrap();
    let report = world.audit.verify("acc-1", &[]).await.unwrap();
    assert_eq!((report.entries, report.first_bad, world.products().await), (1, None, 1));
}

/// A commit that nobody answers is an error, and what comes after it goes on from the chain as it is.
#[tokio::test]
async fn after_a_commit_that_nobody_answered_the_chain_is_read_again() {
    let world = World::new().await;
    world.lost_answers.store(3, Ordering::SeqCst);
    let mut change = world.changes.begin(&request());
    change.record(entry());
    match change.commit(created()).await {
        Err(Rejection::Refused(error)) => assert_eq!(error.code().status, 503),
        other => panic!("{other:?}"),
    }
    let mut again = world.changes.begin(&request());
    again.record(entry());
    again.commit(created()).await.unwrap();
    let report = world.audit.verify("acc-1", &[]).await.unwrap();
    assert_eq!((report.entries, report.first_bad), (2, None));
}
