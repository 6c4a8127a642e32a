//! What is recorded, found, kept, sealed and exported.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use audit::{
    Audit, Bad, Entry, Export, Format, Later, Origin, Period, Place, PublicKey, Query, Row,
    verify_lines,
};
use changes::RequestFacts;
use kernel::caller::Caller;
use kernel::{Moment, PLATFORM};
use serde_json::json;
use store::{Embedded, Settings, Store, TokenKeys};
use tables::{Documents, Environment};
use values::{AttributeValue, Item};

use crate::change_world::{DAY_MS, World, caller, request, text};

pub fn origin() -> Origin {
    let mut request = RequestFacts::clone(&request());
    request.address = Some("192.0.2.7".parse().unwrap());
    request.user_agent = Some("curl/8".to_owned());
    request.trace_id = Some("4bf92f3577b34da6a3ce929d0e0e4736".to_owned());
    request.origin()
}

pub fn full_entry(account: &str) -> Entry {
    Entry::new("APIKEY", "API_KEY_REVOKED", account)
        .of("api_key", "key_1")
        .changed(Some(json!({ "status": "active" })), Some(json!({ "status": "revoked" })))
        .detail("reason", "leaked")
}

async fn record(world: &World, count: usize) {
    for _ in 0..count {
        world.audit.record(&[full_entry("acc-1")], &origin()).await.unwrap();
        world.clock.advance(1_000);
    }
}

/// R003-audit-3, R003-audit-7, R003-audit-8, C3-01, C3-02, C2-38: both views and their keys; all that is
/// known is in the one, and the other leads there.
#[tokio::test]
async fn an_event_is_in_one_view_and_a_reference_to_it_in_the_other() {
    let world = World::new().await;
    record(&world, 1).await;
    let items = world.items("platform/audit_logs").await;
    let find = |key: &str| items.iter().find(|item| text(item, "PK") == key).unwrap();
    let of_kind = find("AUDIT#APIKEY#2030-03-17");
    let of_account = items
        .iter()
        .find(|item| text(item, "PK") == "ACCOUNT#acc-1" && item.contains_key("event_type"))
        .unwrap();
    assert_eq!(of_kind["SK"], of_account["SK"]);
    let id = text(of_kind, "event_id");
    assert_eq!(text(of_kind, "SK"), format!("2030-03-17#1900000000000#{id}"));
    for (name, expected) in [
        ("action", "API_KEY_REVOKED"),
        ("actor_id", "user-1"),
        ("actor_name", "ada@example.com"),
        ("actor_type", "user"),
        ("resource_type", "api_key"),
        ("resource_id", "key_1"),
        ("before", r#"{"status":"active"}"#),
        ("after", r#"{"status":"revoked"}"#),
        ("details", r#"{"reason":"leaked"}"#),
        ("ip_address", "192.0.2.7"),
        ("user_agent", "curl/8"),
        ("request_id", "req-1"),
        ("outcome", "success"),
    ] {
        assert_eq!(text(of_kind, name), expected);
    }
    let names: Vec<&str> = of_account.iter().map(|(name, _)| name.as_str()).collect();
    let expected = [
        "PK",
        "SK",
        "account",
        "date",
        "epoch_ms",
        "event_id",
        "event_type",
        "hash",
        "sequence",
        "shard",
    ];
    assert_eq!(names, expected, "no content");
    for name in ["date", "epoch_ms", "event_id", "event_type", "hash", "sequence", "shard"] {
        assert_eq!(of_account[name], of_kind[name]);
    }
    assert!(!of_kind.contains_key("ttl"), "C2-37: nothing expires before it is sealed");
}

/// C1-31: the canaries are nowhere in the table, in no attribute and at no depth.
#[tokio::test]
async fn secrets_are_never_stored() {
    let world = World::new().await;
    let secret = json!({ "deep": [{ "Client_Secret": "canary-1", "token": { "x": "canary-2" } }] });
    let entry = full_entry("acc-1")
        .changed(Some(secret.clone()), Some(json!({ "passwordHash": "canary-3", "n": secret })))
        .detail("authorization", "canary-4")
        .detail("seen", "Bearer canary-5");
    world.audit.record(&[entry], &origin()).await.unwrap();
    let stored = format!("{:?}", world.items("platform/audit_logs").await);
    assert!(stored.contains("[redacted]") && !stored.contains("canary"), "{stored}");
}

/// R003-audit-5, R003-audit-9 to R003-audit-11, R003-audit-14: by account, kind, actor, resource and
/// time, in full pages.
#[tokio::test]
async fn events_are_found_by_account_kind_actor_resource_and_time() {
    let world = World::new().await;
    for number in 0..30 {
        let kind = if number % 3 == 0 { "AUTH" } else { "APIKEY" };
        let account = if number % 2 == 0 { "acc-1" } else { "acc-2" };
        let entry = Entry::new(kind, "DONE", account).of("thing", format!("thing-{}", number % 5));
        let mut origin = origin();
        if number % 5 == 0 {
            origin.caller = Caller::system("worker").into();
        }
        world.audit.record(&[entry], &origin).await.unwrap();
        world.clock.advance(60_000);
    }
    let base = Query::default();
    let of = |account: &str| Query { account: Some(account.to_owned()), ..base.clone() };
    let worker = Some("worker".to_owned());
    let thing = Some("thing-1".to_owned());
    let auth = Some("AUTH".to_owned());
    let from = Moment::from_millis(crate::change_world::START + 10 * 60_000);
    for (query, expected) in [
        (of("acc-1"), 15),
        (Query { event_type: auth.clone(), ..of("acc-1") }, 5),
        (Query { event_type: auth.clone(), ..base.clone() }, 10),
        (Query { actor_id: worker.clone(), ..of("acc-1") }, 3),
        (Query { resource_id: thing.clone(), ..of("acc-2") }, 3),
        (Query { event_type: auth, resource_id: thing, actor_id: None, ..base.clone() }, 2),
        (Query { from: Some(from), ..of("acc-1") }, 10),
        (Query { to: Some(from), ..of("acc-1") }, 6),
    ] {
        let rows = all(&world.audit, &query, 2).await;
        assert_eq!(rows.len(), expected, "{query:?}");
        assert!(rows.is_sorted_by(|one, other| one.timestamp > other.timestamp), "newest first");
    }
    let error = world.audit.list(&base, "user-1", 10, None).await.unwrap_err();
    assert_eq!(error.code().status, 400);
}

/// 240 events of one account, of every kind of content, up to 120 of them in one millisecond; and
/// others' events among them.
async fn varied(world: &World) {
    for batch in 0..6 {
        let mut origin = origin();
        if batch % 2 == 1 {
            origin.caller = Caller::system("worker").into();
        }
        let entry = |number: usize| {
            let kind = if number.is_multiple_of(3) { "AUTH" } else { "APIKEY" };
            let action = if number.is_multiple_of(5) { "RARE" } else { "USUAL" };
            let entry = Entry::new(kind, action, if number == 7 { "acc-2" } else { "acc-1" });
            let entry = if number.is_multiple_of(4) { entry.failed() } else { entry };
            match number % 8 {
                0 => entry,
                rest => entry.of(["thing", "part"][number % 2], format!("id-{rest}")),
            }
        };
        let entries: Vec<Entry> = (0..41).map(entry).collect();
        world.audit.record(&entries, &origin).await.unwrap();
        if batch == 2 {
            world.clock.advance(1);
        }
    }
}

/// R003-audit-14, C3-02: by each test and by several, in pages of every length, each event once and in
/// the order of the chain, also within one millisecond.
#[tokio::test]
async fn events_of_an_account_are_found_by_what_they_say() {
    let world = World::new().await;
    varied(&world).await;
    let is = |text: &str| Some(text.to_owned());
    let base = Query { account: is("acc-1"), ..Query::default() };
    let everything = all(&world.audit, &base, 1_000).await;
    let sequences: Vec<u64> = everything.iter().map(|row| row.sequence).collect();
    assert_eq!(sequences, (1..=240).rev().collect::<Vec<u64>>());
    type Passes = fn(&Row) -> bool;
    let cases: [(Query, usize, Passes); 9] = [
        (Query { event_type: is("AUTH"), ..base.clone() }, 84, |row| row.event_type == "AUTH"),
        (Query { action: is("RARE"), ..base.clone() }, 54, |row| row.action == "RARE"),
        (Query { actor_id: is("worker"), ..base.clone() }, 120, |row| row.actor_id == "worker"),
        (Query { resource_type: is("part"), ..base.clone() }, 114, |row| {
            row.resource_type.as_deref() == Some("part")
        }),
        (Query { resource_id: is("id-3"), ..base.clone() }, 30, |row| {
            row.resource_id.as_deref() == Some("id-3")
        }),
        (Query { outcome: is("failure"), ..base.clone() }, 66, |row| row.outcome == "failure"),
        (Query { event_type: is("AUTH"), actor_id: is("worker"), ..base.clone() }, 42, |row| {
            row.event_type == "AUTH" && row.actor_id == "worker"
        }),
        (Query { action: is("RARE"), outcome: is("failure"), ..base.clone() }, 18, |row| {
            row.action == "RARE" && row.outcome == "failure"
        }),
        (Query { action: is("NEVER"), ..base.clone() }, 0, |_| false),
    ];
    for (query, count, passes) in cases {
        let expected: Vec<&Row> = everything.iter().filter(|row| passes(row)).collect();
        assert_eq!(expected.len(), count, "{query:?}");
        for limit in [3, 17, 42, 1_000] {
            let found = all(&world.audit, &query, limit).await;
            assert_eq!(found.iter().collect::<Vec<_>>(), expected, "{query:?} by {limit}");
        }
    }
}

/// Where a page that was used in part goes on does not depend on what is recorded meanwhile, and is told
/// to nobody who asks for something else.
#[tokio::test]
async fn a_list_goes_on_where_it_was_and_only_that_list() {
    let world = World::new().await;
    varied(&world).await;
    let split = Audit::split(
        world.store.clone(),
        Arc::new(world.clock.clone()),
        world.ids.clone(),
        world.audit.signing().clone(),
        BTreeMap::from([("AUTH".to_owned(), 3)]),
    )
    .unwrap();
    let is = |text: &str| Some(text.to_owned());
    let of_account = Query { account: is("acc-1"), action: is("RARE"), ..Query::default() };
    let of_kind = Query { event_type: is("AUTH"), action: is("RARE"), ..Query::default() };
    // On a page of one, parts of a split kind have not begun, and get newer events before they do.
    for (query, limit) in [(of_account, 7), (of_kind.clone(), 7), (of_kind, 1)] {
        let rare = vec![Entry::new("AUTH", "RARE", "acc-1"); 5];
        split.record(&rare, &origin()).await.unwrap();
        let before = all(&split, &query, 1_000).await;
        let first = split.list(&query, "user-1", limit, None).await.unwrap();
        split.record(&rare, &origin()).await.unwrap();
        let token = first.next.as_deref();
        let second = split.list(&query, "user-1", limit, token).await.unwrap();
        assert_eq!([first.items, second.items].concat(), before[..2 * limit as usize]);
        let other = Query { action: is("USUAL"), ..query.clone() };
        for (query, caller) in [(&other, "user-1"), (&query, "user-2")] {
            let error = split.list(query, caller, limit, token).await.unwrap_err();
            assert_eq!(error.code().status, 400, "{query:?} {caller}");
        }
    }
}

/// A call looks at so many events and no more: its page may be short, and the next goes on from there.
#[tokio::test]
async fn a_page_of_an_account_looks_at_no_more_events_than_a_page_may() {
    let world = World::new().await;
    varied(&world).await;
    let settings = Settings {
        clock: Arc::new(world.clock.clone()),
        evaluated_per_page_max: 30,
        ..Settings::new(Environment::Dev, TokenKeys::new([7; 32]))
    };
    let documents = Documents::embedded().unwrap();
    let store = Store::new(&documents, Embedded::new(world.database.clone()), settings);
    let signing = world.audit.signing().clone();
    let audit =
        Audit::new(store, Arc::new(world.clock.clone()), world.ids.clone(), signing).unwrap();
    let action = Some("RARE".to_owned());
    let query = Query { account: Some("acc-1".to_owned()), action, ..Query::default() };
    let mut lengths = Vec::new();
    let mut token: Option<String> = None;
    loop {
        let page = audit.list(&query, "user-1", 30, token.as_deref()).await.unwrap();
        lengths.push(page.items.len());
        token = page.next;
        if token.is_none() {
            break;
        }
    }
    assert_eq!((lengths.len(), lengths.iter().sum::<usize>()), (8, 54), "{lengths:?}");
}

/// Every page but the last is full.
async fn all(audit: &Audit, query: &Query, limit: u32) -> Vec<Row> {
    let mut rows = Vec::new();
    let mut token: Option<String> = None;
    loop {
        let page = audit.list(query, "user-1", limit, token.as_deref()).await.unwrap();
        assert!(page.next.is_none() || page.items.len() == limit as usize);
        assert!(token.is_none() || !page.items.is_empty(), "the page before said there is more");
        rows.extend(page.items);
        token = page.next;
        if token.is_none() {
            return rows;
        }
    }
}

/// C3-04: a busy kind is split, and still read as one; what was recorded before is among it.
#[tokio::test]
async fn a_kind_that_is_split_is_read_as_one() {
    let world = World::new().await;
    let entry = Entry::new("AUTH", "LOGIN_FAILED", "acc-1").failed();
    world.audit.record(std::slice::from_ref(&entry), &origin()).await.unwrap();
    let split = Audit::split(
        world.store.clone(),
        Arc::new(world.clock.clone()),
        world.ids.clone(),
        world.audit.signing().clone(),
        BTreeMap::from([("AUTH".to_owned(), 4)]),
    )
    .unwrap();
    for _ in 0..24 {
        world.clock.advance(1_000);
        split.record(std::slice::from_ref(&entry), &origin()).await.unwrap();
    }
    let items = world.items("platform/audit_logs").await;
    let days: BTreeSet<&str> =
        items.iter().map(|item| text(item, "PK")).filter(|key| key.starts_with("AUDIT#")).collect();
    assert!(days.len() > 2 && days.contains("AUDIT#AUTH#2030-03-17"), "{days:?}");
    let query = Query { event_type: Some("AUTH".to_owned()), ..Query::default() };
    let rows = all(&split, &query, 7).await;
    let sequences: Vec<u64> = rows.iter().map(|row| row.sequence).collect();
    assert_eq!(sequences, (1..=25).rev().collect::<Vec<u64>>());
    assert_eq!(split.verify("acc-1", &[]).await.unwrap().first_bad, None);
}

/// How many attempts an event stands for, each with its time.
fn attempts(row: &Row) -> u64 {
    let details = row.details.as_deref().unwrap_or("{}");
    let details: serde_json::Value = serde_json::from_str(details).unwrap();
    let times = details["again_after_ms"].as_array().map_or(0, Vec::len) as u64;
    let attempts = details["attempts"].as_u64().unwrap_or(1);
    assert!(times == 0 || attempts == times + 1, "{details}");
    attempts
}

/// R003-audit-6: authentication attempts are gathered, keep their time, and are in the same chain.
#[tokio::test]
async fn attempts_are_recorded_together_and_before_a_shutdown() {
    let world = World::new().await;
    let (later, worker) = Later::start(world.audit.clone());
    for number in 0..100 {
        let account = if number % 2 == 0 { "acc-1" } else { PLATFORM };
        let mut origin = Origin::of(Caller::anonymous());
        origin.occurred_at = Some(Moment::from_millis(crate::change_world::START - 1 - number));
        let entry = Entry::new("AUTH", "LOGIN_FAILED", account).failed();
        later.record(&entry, &origin).await.unwrap();
    }
    later.flush().await.unwrap();
    for account in ["acc-1", PLATFORM] {
        let report = world.audit.verify(account, &[]).await.unwrap();
        assert_eq!((report.entries, report.first_bad), (1, None));
    }
    later.record(&Entry::new("AUTH", "LOGIN", "acc-1"), &origin()).await.unwrap();
    drop(later);
    worker.await.unwrap();
    let query = Query { account: Some("acc-1".to_owned()), ..Query::default() };
    let rows = all(&world.audit, &query, 20).await;
    assert_eq!(rows.iter().map(attempts).collect::<Vec<_>>(), [1, 50]);
    assert!(rows[1].occurred_at < rows[1].timestamp);
    assert_eq!((rows[1].actor_type.as_str(), rows[1].outcome.as_str()), ("anonymous", "failure"));
}

/// R003-audit-6: of keys that many use at once, again and again, every use is in the log.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_use_of_a_busy_key_is_recorded() {
    let world = World::new().await;
    let (later, worker) = Later::start(world.audit.clone());
    let uses = (0..4).map(|caller| {
        let later = later.clone();
        tokio::spawn(async move {
            let prefix = if caller % 2 == 0 { "one" } else { "two" };
            let entry = Entry::new("AUTH", "API_KEY_ACCEPTED", "acc-1").detail("prefix", prefix);
            for number in 0..1_500 {
                later.record(&entry, &Origin::of(Caller::anonymous())).await.unwrap();
                if number == 100 {
                    later.flush().await.unwrap();
                }
            }
        })
    });
    for used in uses.collect::<Vec<_>>() {
        used.await.unwrap();
    }
    drop(later);
    worker.await.unwrap();
    let query = Query { account: Some("acc-1".to_owned()), ..Query::default() };
    let rows = all(&world.audit, &query, 20).await;
    let of = |prefix: &str| {
        let is_its = |row: &&Row| row.details.as_ref().is_some_and(|text| text.contains(prefix));
        rows.iter().filter(is_its).map(attempts).sum::<u64>()
    };
    assert_eq!((of("one"), of("two")), (3_000, 3_000));
    assert!(rows.len() < 100, "{} rows", rows.len());
    assert_eq!(world.audit.verify("acc-1", &[]).await.unwrap().first_bad, None);
}

/// An entry that can never be written does not keep the others back, and is counted.
#[tokio::test]
async fn what_can_never_be_recorded_is_given_up_and_counted() {
    let world = World::new().await;
    let (later, _worker) = Later::start(world.audit.clone());
    for account in ["acc-1", "x".repeat(3_000).as_str(), "acc-1"] {
        later.record(&Entry::new("AUTH", "LOGIN_FAILED", account), &origin()).await.unwrap();
    }
    later.record(&Entry::new("A#B", "LOGIN_FAILED", "acc-1"), &origin()).await.unwrap();
    later.flush().await.unwrap();
    assert_eq!(later.refused(), 2);
    assert_eq!(world.audit.verify("acc-1", &[]).await.unwrap().entries, 2);
}

/// R003-audit-6: strangers who fill the queue make nobody wait, and each of their attempts is in the
/// log, if only as a part of a number; also without a shutdown.
#[tokio::test(start_paused = true)]
async fn what_strangers_cause_beyond_the_queue_is_counted_and_recorded() {
    let world = World::new().await;
    let (later, _worker) = Later::start(world.audit.clone());
    let attempt = |reason: &str| {
        Entry::new("AUTH", "API_KEY_REFUSED", "anonymous")
            .failed()
            .detail("outcome", "NOT_FOUND")
            .detail("reason", reason)
    };
    let stranger = Origin::of(Caller::anonymous());
    // Nothing is awaited: the worker has no turn, and the queue fills.
    for number in 0..5_000 {
        let reason = if number % 5 == 0 { "unknown" } else { "malformed" };
        later.record_if_room(&attempt(reason), &stranger);
        world.clock.advance(1);
    }
    let query = Query { account: Some("anonymous".to_owned()), ..Query::default() };
    let mut rows = Vec::new();
    // While the store is at work the paused clock goes on by itself.
    while rows.iter().map(attempts).sum::<u64>() < 5_000 {
        tokio::time::sleep(std::time::Duration::from_secs(10)).await;
        rows = all(&world.audit, &query, 1_000).await;
    }
    let of = |action: &str| rows.iter().filter(|row| row.action == action).collect::<Vec<_>>();
    assert_eq!(of("API_KEY_REFUSED").into_iter().map(attempts).sum::<u64>(), 2_048);
    let [one] = of("ATTEMPTS_COUNTED")[..] else { panic!("one entry") };
    assert_eq!((one.outcome.as_str(), one.event_type.as_str()), ("failure", "AUTH"));
    let details: serde_json::Value = serde_json::from_str(one.details.as_ref().unwrap()).unwrap();
    let at = |millis| Moment::from_millis(crate::change_world::START + millis).to_string();
    let expected = serde_json::json!({
        "action": "API_KEY_REFUSED", "attempts": 2_952, "from": at(2_048), "until": at(4_999),
        "outcomes": { "NOT_FOUND": 2_952 }, "reasons": { "malformed": 2_362, "unknown": 590 },
    });
    assert_eq!(details, expected);
    assert_eq!((later.counted(), later.refused()), (2_952, 0));
    let metrics = kernel::metrics::Metrics::new();
    later.show(&metrics);
    let text = metrics.text();
    assert!(text.contains("plinth_audit_attempts_counted_total 2952"), "{text}");
    // What is counted last is recorded before a shutdown.
    later.count(&attempt("malformed"));
    later.flush().await.unwrap();
    let rows = all(&world.audit, &query, 1_000).await;
    assert_eq!(rows.iter().map(attempts).sum::<u64>(), 5_001);
    assert_eq!(world.audit.verify("anonymous", &[]).await.unwrap().first_bad, None);
}

/// Removes what has expired, as TTL does.
async fn expire(world: &World) -> usize {
    let now = i64::try_from(world.now().seconds()).unwrap();
    let expired =
        |item: &&Item| matches!(&item["ttl"], AttributeValue::N(n) if n.to_i64() <= Some(now));
    let items = world.items("platform/audit_logs").await;
    let with_ttl: Vec<&Item> = items.iter().filter(|item| item.contains_key("ttl")).collect();
    let gone: Vec<&&Item> = with_ttl.iter().filter(|item| expired(item)).collect();
    for item in &gone {
        world.erase(item).await;
    }
    gone.len()
}

/// R003-audit-13, C3-05, C3-06: 90 days after the checkpoint, and the proof holds.
#[tokio::test]
async fn events_expire_behind_a_checkpoint_and_the_proof_holds() {
    let world = World::new().await;
    record(&world, 3).await;
    let sealed = world.audit.seal_all(|_| {}).await.unwrap();
    assert_eq!((sealed.checkpoints.len(), sealed.failed.len()), (1, 0));
    world.clock.advance(DAY_MS);
    record(&world, 2).await;
    world.audit.seal_all(|_| {}).await.unwrap();
    record(&world, 1).await;
    world.clock.advance(88 * DAY_MS);
    assert_eq!(expire(&world).await, 0);
    world.clock.advance(DAY_MS);
    assert_eq!(expire(&world).await, 6, "three events in two views");
    let report = world.audit.verify("acc-1", &[]).await.unwrap();
    assert_eq!((report.entries, report.pruned_through, &report.first_bad), (3, Some(1), &None));
    world.clock.advance(365 * DAY_MS);
    expire(&world).await;
    let report = world.audit.verify("acc-1", &sealed.checkpoints).await.unwrap();
    assert_eq!((report.entries, report.pruned_through, report.first_bad), (1, Some(2), None));
    record(&world, 1).await;
    assert_eq!(world.audit.verify("acc-1", &[]).await.unwrap().entries, 2);
}

/// C3-05: TTL removes the two items of an event at different moments, and in no order. Meanwhile the
/// proof holds, and lists and exports have what is left.
#[tokio::test]
async fn events_may_expire_one_item_at_a_time() {
    for of_kind in [true, false] {
        let world = World::new().await;
        record(&world, 3).await;
        world.audit.seal_all(|_| {}).await.unwrap();
        record(&world, 2).await;
        world.clock.advance(91 * DAY_MS);
        let items = world.items("platform/audit_logs").await;
        let is_gone = |item: &&Item| {
            item.contains_key("ttl")
                && item.contains_key("account_id") == of_kind
                && item["sequence"] != AttributeValue::from(3_i64)
        };
        for item in items.iter().filter(is_gone) {
            world.erase(item).await;
        }
        let report = world.audit.verify("acc-1", &[]).await.unwrap();
        let pruned = (report.entries, report.pruned_through, report.first_bad);
        assert_eq!(pruned, (3, Some(1), None), "{of_kind}");
        let query = Query { account: Some("acc-1".to_owned()), ..Query::default() };
        let listed: Vec<u64> =
            all(&world.audit, &query, 2).await.iter().map(|row| row.sequence).collect();
        assert_eq!(listed, [5, 4, 3], "{of_kind}");
        let lines = exported(&world, Format::JsonLines).await;
        let keys = world.audit.signing().public_keys();
        let report = verify_lines(lines.lines(), &keys, world.now());
        assert_eq!((report.entries, report.first_bad), (3, None), "{of_kind}");
        world.audit.set_retention("acc-1", 365, &origin()).await.unwrap();
        let report = world.audit.verify("acc-1", &[]).await.unwrap();
        assert_eq!((report.entries, report.first_bad), (4, None), "{of_kind}");
    }
}

/// What is missing before its time is missed, also if it is behind a checkpoint.
#[tokio::test]
async fn events_that_are_removed_before_their_time_are_missed() {
    let world = World::new().await;
    record(&world, 3).await;
    world.audit.seal_all(|_| {}).await.unwrap();
    world.clock.advance(89 * DAY_MS);
    let items = world.items("platform/audit_logs").await;
    for item in items.iter().filter(|item| item.contains_key("ttl")) {
        world.erase(item).await;
    }
    let bad = world.audit.verify("acc-1", &[]).await.unwrap().first_bad.unwrap();
    assert_eq!(bad.place, Place::Entry { sequence: 1, event_id: None });
}

/// C3-05, R003-audit-12: a hold keeps everything, another time is applied to what is there already.
#[tokio::test]
async fn holds_and_other_times_are_applied_and_recorded() {
    let world = World::new().await;
    record(&world, 2).await;
    world.audit.seal_all(|_| {}).await.unwrap();
    world.audit.set_hold("acc-1", true, &origin()).await.unwrap();
    world.clock.advance(1000 * DAY_MS);
    assert_eq!(expire(&world).await, 0);
    assert_eq!(world.audit.verify("acc-1", &[]).await.unwrap().entries, 3);
    world.audit.set_hold("acc-1", false, &origin()).await.unwrap();
    world.audit.set_retention("acc-1", 2000, &origin()).await.unwrap();
    assert_eq!(world.audit.retention("acc-1").await.unwrap(), (2000, None));
    assert_eq!(expire(&world).await, 0);
    world.audit.set_retention("acc-1", 30, &origin()).await.unwrap();
    assert_eq!(expire(&world).await, 6, "the two events and the hold, in two views");
    let report = world.audit.verify("acc-1", &[]).await.unwrap();
    assert_eq!((report.entries, report.first_bad), (3, None));
    world.audit.set_retention("acc-1", 3000, &origin()).await.unwrap();
    assert_eq!(world.audit.verify("acc-1", &[]).await.unwrap().first_bad, None);
    let error = world.audit.set_retention("acc-1", 0, &origin()).await.unwrap_err();
    assert_eq!(error.code().status, 400);
}

async fn exported(world: &World, format: Format) -> String {
    let mut export = world.audit.export("acc-1", format, Period::default()).await.unwrap();
    let mut bytes = Vec::new();
    let mut last = (0, 0);
    while let Some(piece) = export.next().await.unwrap() {
        bytes.extend(piece.bytes);
        let total = piece.total.unwrap();
        assert!(piece.done >= last.0 && piece.done <= total);
        last = (piece.done, total);
    }
    assert_eq!(last.0, last.1);
    String::from_utf8(bytes).unwrap()
}

/// An export is verified with the public key alone, and whatever is changed in it is found.
#[tokio::test]
async fn an_export_is_verified_offline_and_names_the_bad_line() {
    let world = World::new().await;
    record(&world, 4).await;
    world.audit.seal("acc-1").await.unwrap();
    record(&world, 3).await;
    let text = exported(&world, Format::JsonLines).await;
    let keys = world.audit.signing().public_keys();
    let lines: Vec<&str> = text.lines().collect();
    // Header, two checkpoints, seven events, the end.
    assert_eq!(lines.len(), 11);
    let report = verify_lines(&lines, &keys, world.now());
    assert_eq!((report.entries, report.sealed_through, report.first_bad), (7, 7, None));
    let stranger = PublicKey::parse(&"ab".repeat(32)).unwrap();
    assert!(!verify_lines(&lines, &[stranger], world.now()).is_good());

    for (change, expected) in [("API_KEY_REVOKED", "API_KEY_CREATED"), ("192.0.2.7", "192.0.2.8")] {
        let mut lines = lines.clone();
        let changed = lines[5].replace(change, expected);
        lines[5] = &changed;
        let bad = verify_lines(&lines, &keys, world.now()).first_bad.unwrap();
        assert!(matches!(bad.place, Place::Entry { sequence: 3, .. }), "{bad}");
    }
    for gone in 0..lines.len() {
        let mut lines = lines.clone();
        lines.remove(gone);
        let report = verify_lines(&lines, &keys, world.now());
        assert!(!report.is_good(), "without line {gone}");
        if (3..10).contains(&gone) {
            let sequence = gone as u64 - 2;
            let missing = Bad {
                place: Place::Entry { sequence, event_id: None },
                why: "it is missing".to_owned(),
            };
            assert_eq!(report.first_bad, Some(missing));
        }
    }
    let mut swapped = lines.clone();
    swapped.swap(4, 5);
    assert!(!verify_lines(&swapped, &keys, world.now()).is_good());
    let doubled: Vec<&str> = lines[..6].iter().chain(&lines[5..]).copied().collect();
    assert!(!verify_lines(&doubled, &keys, world.now()).is_good());
}

/// Formulas in a sheet are text.
#[tokio::test]
async fn a_sheet_has_every_event_and_no_formula() {
    let world = World::new().await;
    let mut origin = origin();
    origin.user_agent = Some("=HYPERLINK(\"http://evil\")".to_owned());
    world.audit.record(&[full_entry("acc-1")], &origin).await.unwrap();
    let sheet = exported(&world, Format::Csv).await;
    let mut reader = csv::Reader::from_reader(sheet.as_bytes());
    let heading = reader.headers().unwrap().clone();
    let column = heading.iter().position(|name| name == "user_agent").unwrap();
    let record = reader.records().next().unwrap().unwrap();
    assert_eq!(&record[column], "'=HYPERLINK(\"http://evil\")");
    assert_eq!(reader.records().count(), 0);
}

/// Reads of the log are recorded too.
#[tokio::test]
async fn reading_and_exporting_give_entries() {
    let query = Query {
        account: Some("acc-1".to_owned()),
        actor_id: Some("user-2".to_owned()),
        ..Query::default()
    };
    let read = query.entry();
    assert_eq!(
        (read.event_type, read.action, read.account_id.as_str()),
        ("AUDIT", "AUDIT_LOG_READ", "acc-1")
    );
    assert_eq!(read.details["actor_id"], "user-2");
    assert_eq!(Export::entry("acc-1", Format::Csv, Period::default()).action, "AUDIT_LOG_EXPORTED");
    assert_eq!(Query::default().entry().account_id, PLATFORM);
    assert_eq!(caller().kind(), "user");
}

/// Verifying while others write and seal finds nothing wrong.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_log_that_grows_is_verified() {
    let world = World::new().await;
    record(&world, 1).await;
    let audit = world.audit.clone();
    let writer = tokio::spawn(async move {
        for number in 0..60 {
            audit.record(&[full_entry("acc-1")], &origin()).await.unwrap();
            if number % 10 == 9 {
                audit.seal("acc-1").await.unwrap();
                audit.release("acc-1").await.unwrap();
            }
        }
    });
    while !writer.is_finished() {
        assert_eq!(world.audit.verify("acc-1", &[]).await.unwrap().first_bad, None);
    }
    writer.await.unwrap();
    assert_eq!(world.audit.verify("acc-1", &[]).await.unwrap().entries, 61);
}

/// A new signing key: what older ones signed is still proven.
#[tokio::test]
async fn keys_are_rotated_without_breaking_the_proof() {
    let world = World::new().await;
    record(&world, 2).await;
    world.audit.seal("acc-1").await.unwrap();
    let old = world.audit.signing().public_keys();
    let new = world.audit.signing().rotate(world.now()).await.unwrap();
    assert!(!old.contains(&new));
    record(&world, 2).await;
    world.audit.seal("acc-1").await.unwrap();
    // Another process, which had opened the keys before, meets the new one in the head.
    let other = world.other_process().await;
    assert_eq!(other.audit().verify("acc-1", &[]).await.unwrap().first_bad, None);
    assert_eq!(world.audit.verify("acc-1", &[]).await.unwrap().checkpoints, 2);
}
