//! Somebody who can write to the table, and has not the key, changes the log: `verify` names it
//! (R003-audit-2).

use audit::{Bad, Checkpoint, Entry, Place, Query};
use values::{AttributeValue, Item};

use crate::audit::{full_entry, origin};
use crate::change_world::{DAY_MS, World, text};

/// Three sealed events, whose time of removal is set, and two more.
async fn log() -> (World, Vec<Item>, Vec<Checkpoint>) {
    let world = World::new().await;
    for number in 0..5 {
        world.audit.record(&[full_entry("acc-1")], &origin()).await.unwrap();
        world.clock.advance(1_000);
        if number == 2 {
            world.audit.seal_all(|_| {}).await.unwrap();
        }
    }
    world.audit.record(&[Entry::new("AUTH", "LOGIN", "acc-2")], &origin()).await.unwrap();
    let checkpoints = world.audit.checkpoints("acc-1").await.unwrap();
    assert_eq!(world.audit.verify("acc-1", &checkpoints).await.unwrap().first_bad, None);
    let items = world.items("platform/audit_logs").await;
    (world, items, checkpoints)
}

/// What is found, also if it is that the log cannot be read at all.
async fn found(world: &World) -> Option<Bad> {
    // A process that remembers nothing.
    let fresh = world.other_process().await;
    fresh.audit().verify("acc-1", &[]).await.unwrap().first_bad
}

fn of_account<'i>(items: &'i [Item], kind: &str) -> Vec<&'i Item> {
    let is = |item: &&Item| {
        let (partition, sort) = (text(item, "PK"), text(item, "SK"));
        match kind {
            "entry" => {
                partition == "ACCOUNT#acc-1" && item.contains_key("event_id") && sort != "HEAD"
            }
            "view" => item.get("account_id") == Some(&AttributeValue::from("acc-1")),
            "head" => partition == "ACCOUNT#acc-1" && sort == "HEAD",
            "checkpoint" => partition == "ACCOUNT#acc-1" && sort.starts_with("CHECKPOINT#"),
            "register" => partition.starts_with("CHAINS#") && sort == "acc-1",
            _ => false,
        }
    };
    let mut found: Vec<&Item> = items.iter().filter(is).collect();
    found.sort_by_key(|item| text(item, "SK").to_owned());
    found
}

fn number_of(item: &Item) -> u64 {
    match &item["sequence"] {
        AttributeValue::N(number) => u64::try_from(number.to_i64().unwrap()).unwrap(),
        other => panic!("{other:?}"),
    }
}

/// The value in another form that the document allows.
fn changed(name: &str, value: &AttributeValue) -> AttributeValue {
    let changed = match value {
        AttributeValue::N(number) => {
            let step = if name == "ttl" { -1 } else { 1 };
            AttributeValue::from(number.to_i64().unwrap() + step)
        }
        AttributeValue::S(text) if text.len() == 24 && text.starts_with("2030-") => {
            AttributeValue::from(text.replace("2030", "2029"))
        }
        AttributeValue::S(text) => {
            let mut text = text.clone();
            let last = text.pop().unwrap();
            text.push(if last == '1' { '2' } else { '1' });
            AttributeValue::from(text)
        }
        other => panic!("{name} is {other:?}"),
    };
    assert_ne!(changed, *value, "{name}");
    changed
}

/// Every attribute of every kind of item: changed, and removed. What is named is the very thing.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_attribute_of_every_kind_of_item_is_guarded() {
    let (world, items, _) = log().await;
    let mut tried = 0;
    for kind in ["entry", "view", "head", "checkpoint", "register"] {
        let all = of_account(&items, kind);
        // A sealed event and one that is not; of the others the only one.
        let chosen: Vec<&&Item> =
            if all.len() > 3 { vec![&all[1], &all[3]] } else { vec![&all[0]] };
        for item in chosen {
            for (name, value) in item.iter() {
                let mut forged = vec![(*item).clone(), (*item).clone()];
                forged[0].insert(name.clone(), changed(name, value));
                // Without its time of removal an event is kept for longer, which proves no less.
                if matches!(name.as_str(), "PK" | "SK" | "ttl") {
                    forged.pop();
                } else {
                    forged[1].remove(name);
                }
                for forged in forged {
                    world.erase(item).await;
                    world.forge(&forged).await;
                    let bad = found(&world).await;
                    let bad = bad.unwrap_or_else(|| panic!("{kind} {name}: nothing was found"));
                    check_place(kind, item, name, &bad);
                    world.erase(&forged).await;
                    world.forge(item).await;
                    tried += 1;
                }
            }
        }
    }
    assert_eq!(found(&world).await, None, "everything is as it was");
    assert!(tried > 150, "{tried}");
}

#[track_caller]
fn check_place(kind: &str, item: &Item, name: &str, bad: &Bad) {
    let right = match (kind, &bad.place) {
        ("entry", Place::Entry { sequence, .. }) => {
            // A key that sorts elsewhere leaves a gap, or comes too early.
            *sequence == number_of(item) || matches!(name, "SK" | "PK" | "sequence")
        }
        ("view", Place::EventView { sequence, .. }) => *sequence == number_of(item),
        // A reference that leads elsewhere: the event is not there.
        ("entry", Place::EventView { sequence, event_id }) => {
            matches!(name, "event_type" | "shard")
                && (*sequence, event_id.as_str()) == (number_of(item), text(item, "event_id"))
        }
        ("head", Place::Head) | ("register", Place::Register) => true,
        ("checkpoint", Place::Checkpoint { number }) => *number == 1,
        // The register without its item is the head's word against it.
        ("register" | "head", _) => name == "PK" || name == "SK",
        _ => false,
    };
    assert!(right, "{kind} {name}: {bad}");
}

/// The keys themselves: changed in any attribute, removed, or exchanged for the forger's.
#[tokio::test]
async fn the_signing_keys_are_guarded() {
    let (world, items, _) = log().await;
    let key = items.iter().find(|item| text(item, "PK") == "SIGNING_KEYS").unwrap();
    for (name, value) in key {
        let mut forged = key.clone();
        let change = match value {
            AttributeValue::B(bytes) => AttributeValue::B(bytes.iter().map(|b| b ^ 1).collect()),
            other => changed(name, other),
        };
        forged.insert(name.clone(), change);
        world.erase(key).await;
        world.forge(&forged).await;
        let bad = world.audit.verify("acc-1", &[]).await.unwrap().first_bad;
        assert_eq!(bad.unwrap().place, Place::SigningKeys, "{name}");
        world.erase(&forged).await;
        world.forge(key).await;
    }
    world.erase(key).await;
    let bad = world.audit.verify("acc-1", &[]).await.unwrap().first_bad;
    assert_eq!(bad.unwrap().place, Place::SigningKeys);
    world.forge(key).await;
    assert_eq!(world.audit.verify("acc-1", &[]).await.unwrap().first_bad, None);
}

/// A time of removal on what no checkpoint covers.
#[tokio::test]
async fn an_unsealed_event_cannot_be_made_to_expire() {
    let (world, items, _) = log().await;
    for kind in ["entry", "view"] {
        let last = of_account(&items, kind)[4];
        world.forge(&with(last, &[("ttl", 1_i64.into())])).await;
        let bad = found(&world).await.unwrap();
        check_place(kind, last, "ttl", &bad);
        world.forge(last).await;
    }
}

/// An attribute that neither item has, in both.
#[tokio::test]
async fn an_added_attribute_is_named() {
    let (world, items, _) = log().await;
    for (kind, name) in [("entry", "actor_id"), ("entry", "x"), ("view", "account"), ("view", "x")]
    {
        let third = of_account(&items, kind)[2];
        world.forge(&with(third, &[(name, "acc-1".into())])).await;
        let bad = found(&world).await.unwrap_or_else(|| panic!("{kind} {name}"));
        check_place(kind, third, name, &bad);
        world.forge(third).await;
    }
    assert_eq!(found(&world).await, None);
}

/// Who rewrites an event with a right hash must rewrite its reference too, and then everything after
/// it, up to a checkpoint or the end.
#[tokio::test]
async fn an_event_that_was_rewritten_with_its_hash_is_named() {
    let (world, items, _) = log().await;
    let query = Query { account: Some("acc-1".to_owned()), ..Query::default() };
    let rows = world.audit.list(&query, "user-1", 10, None).await.unwrap().items;
    // The second, the last of a checkpoint, and the last of all.
    for (number, named) in [(2, Some(3)), (3, Some(3)), (5, None)] {
        let mut row = rows[5 - number].clone();
        assert_eq!(row.sequence, number as u64);
        row.actor_id = "nobody".to_owned();
        let hash = AttributeValue::from(row.computed_hash());
        let [reference, event] = ["entry", "view"].map(|kind| of_account(&items, kind)[number - 1]);
        world.forge(&with(event, &[("actor_id", "nobody".into()), ("hash", hash.clone())])).await;
        let bad = found(&world).await.unwrap();
        check_place("entry", reference, "hash", &bad);
        world.forge(&with(reference, &[("hash", hash)])).await;
        let bad = found(&world).await.unwrap();
        match named {
            Some(named) => {
                assert!(matches!(bad.place, Place::Entry { sequence, .. } if sequence == named));
            }
            None => assert_eq!(bad.place, Place::Head, "{bad}"),
        }
        world.forge(reference).await;
        world.forge(event).await;
    }
    assert_eq!(found(&world).await, None);
}

/// References by themselves: to nothing, to another account's event, and with a number that has
/// expired. What they lead to is not shown as the account's.
#[tokio::test]
async fn inserted_references_are_named_and_show_nothing() {
    let (world, items, _) = log().await;
    let query = Query { account: Some("acc-1".to_owned()), ..Query::default() };
    let listed = world.audit.list(&query, "user-1", 10, None).await.unwrap();
    let entries = of_account(&items, "entry");
    let theirs = |item: &&Item| text(item, "PK") == "ACCOUNT#acc-2" && item.contains_key("shard");
    let theirs = items.iter().find(theirs).unwrap();
    let to_theirs = with(theirs, &[("PK", "ACCOUNT#acc-1".into()), ("account", "acc-1".into())]);
    let id = text(entries[4], "event_id");
    let other_id = format!("{}{}", &id[..25], if id.ends_with('Z') { 'Y' } else { 'Z' });
    let key = text(entries[4], "SK").replace(id, &other_id);
    let to_nothing = [("SK", key.into()), ("event_id", other_id.into())];
    let to_nothing = with(entries[4], &to_nothing);
    let late = |item: &Item, number: i64| with(item, &[("sequence", number.into())]);
    for (forged, days) in [
        (to_theirs.clone(), 0),
        (late(&to_theirs, 6), 0),
        (to_nothing.clone(), 0),
        (late(&to_nothing, 6), 0),
        // Events 1 to 3 may be missing by now, and this is none of them.
        (late(&to_nothing, 2), 91),
        (late(&to_theirs, 2), 0),
    ] {
        world.clock.advance(days * DAY_MS);
        world.forge(&forged).await;
        let bad = found(&world).await.unwrap_or_else(|| panic!("{forged:?}"));
        let (sequence, event_id) = (number_of(&forged), text(&forged, "event_id").to_owned());
        let entry = Place::Entry { sequence, event_id: Some(event_id.clone()) };
        let view = Place::EventView { sequence, event_id };
        assert!(bad.place == entry || bad.place == view, "{bad}");
        let now = world.audit.list(&query, "user-1", 10, None).await.unwrap();
        assert_eq!(now, listed, "{forged:?}");
        world.erase(&forged).await;
    }
    assert_eq!(found(&world).await, None);
}

/// A second event of the same time and identifier, of another kind, would be the first one's in a list
/// by kind. The reference leads to one of them.
#[tokio::test]
async fn an_event_inserted_beside_another_is_named() {
    let (world, items, _) = log().await;
    let event = of_account(&items, "view")[3];
    let key = text(event, "PK").replace("#APIKEY#", "#AUTH#");
    let forged =
        [("PK", key.into()), ("event_type", "AUTH".into()), ("event_type_shard", "AUTH#0".into())];
    let forged = with(event, &forged);
    world.forge(&forged).await;
    let bad = found(&world).await.unwrap();
    check_place("view", event, "PK", &bad);
}

fn with(item: &Item, changes: &[(&str, AttributeValue)]) -> Item {
    let mut item = item.clone();
    for (name, value) in changes {
        item.insert((*name).to_owned(), value.clone());
    }
    item
}

/// Every item removed by itself.
#[tokio::test]
async fn every_item_is_missed() {
    let (world, items, _) = log().await;
    for kind in ["entry", "view", "head", "checkpoint", "register"] {
        for item in of_account(&items, kind) {
            world.erase(item).await;
            let bad = found(&world).await.unwrap_or_else(|| panic!("{kind}: nothing was found"));
            check_place(kind, item, "", &bad);
            world.forge(item).await;
        }
    }
    assert_eq!(found(&world).await, None);
}

/// A bare chain would look whole without its newest events, or without any.
#[tokio::test]
async fn a_missing_tail_and_a_missing_everything_are_named() {
    let (world, items, checkpoints) = log().await;
    for kind in ["entry", "view"] {
        for item in &of_account(&items, kind)[3..] {
            world.erase(item).await;
        }
    }
    let bad = found(&world).await.unwrap();
    assert_eq!(bad.place, Place::Entry { sequence: 4, event_id: None });

    for item in items.iter().filter(|item| text(item, "PK") == "ACCOUNT#acc-1") {
        world.erase(item).await;
    }
    assert_eq!(found(&world).await.unwrap().place, Place::Head);
    for item in of_account(&items, "view").into_iter().chain(of_account(&items, "register")) {
        world.erase(item).await;
    }
    // Nothing at all is left: only who has kept a checkpoint can tell.
    let report = world.audit.verify("acc-1", &checkpoints).await.unwrap();
    assert_eq!(report.first_bad.unwrap().place, Place::Checkpoint { number: 1 });
    assert_eq!(world.audit.verify("acc-2", &[]).await.unwrap().first_bad, None);
}

/// The head as it was before, with the tail gone: the last checkpoint knows better.
#[tokio::test]
async fn an_old_end_does_not_hide_what_a_checkpoint_covers() {
    let world = World::new().await;
    world.audit.record(&[full_entry("acc-1")], &origin()).await.unwrap();
    let before = world.items("platform/audit_logs").await;
    world.clock.advance(1_000);
    world.audit.record(&[full_entry("acc-1")], &origin()).await.unwrap();
    world.audit.seal("acc-1").await.unwrap();
    let after = world.items("platform/audit_logs").await;
    for kind in ["entry", "view"] {
        world.erase(of_account(&after, kind)[1]).await;
    }
    world.forge(of_account(&before, "head")[0]).await;
    let bad = found(&world).await.unwrap();
    assert_eq!(bad.place, Place::Checkpoint { number: 1 });
}

/// Inserted, doubled and exchanged events.
#[tokio::test]
async fn inserted_and_reordered_events_are_named() {
    let (world, items, _) = log().await;
    let entries = of_account(&items, "entry");
    let mut inserted = entries[1].clone();
    let key = text(entries[1], "SK").replace("#19", "#20").replace("2030", "2033");
    inserted.insert("SK", key.into());
    world.forge(&inserted).await;
    assert!(found(&world).await.is_some());
    world.erase(&inserted).await;

    // The second and the third exchange everything but their keys.
    let exchange = |keys: &Item, rest: &Item| {
        let mut item = rest.clone();
        for name in ["PK", "SK"] {
            item.insert(name.to_owned(), keys[name].clone());
        }
        item
    };
    world.forge(&exchange(entries[1], entries[2])).await;
    world.forge(&exchange(entries[2], entries[1])).await;
    let bad = found(&world).await.unwrap();
    assert!(matches!(bad.place, Place::Entry { sequence: 2 | 3, .. }), "{bad}");
    world.forge(entries[1]).await;
    world.forge(entries[2]).await;

    // An event that is only in the view by kind.
    let mut stranger = of_account(&items, "view")[0].clone();
    let id = text(&stranger, "event_id").to_owned();
    let other = format!("{}{}", &id[..25], if id.ends_with('0') { '1' } else { '0' });
    let key = text(&stranger, "SK").replace(&id, &other);
    stranger.insert("SK", key.into());
    stranger.insert("event_id", other.into());
    world.forge(&stranger).await;
    let bad = found(&world).await.unwrap();
    assert!(matches!(bad.place, Place::EventView { .. }), "{bad}");
}

/// Nothing more is recorded on an end that is not ours: the forger's chain is not continued.
#[tokio::test]
async fn a_forged_end_is_not_written_on() {
    let (world, items, _) = log().await;
    let mut forged = of_account(&items, "head")[0].clone();
    forged.insert("sequence", AttributeValue::from(3_i64));
    world.forge(&forged).await;
    let fresh = world.other_process().await;
    let error = fresh.audit().record(&[full_entry("acc-1")], &origin()).await.unwrap_err();
    assert_eq!(error.code().status, 500);
    assert!(fresh.audit().record(&[full_entry("acc-2")], &origin()).await.is_ok());
}
