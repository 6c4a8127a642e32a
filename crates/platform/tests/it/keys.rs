//! API keys: what is stored of them, what becomes of them, and that a revoked one is never accepted.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use identity::keys::{
    Changed, Demand, Edit, Environment, Key, KeyLimit, Keys, Made, NewKey, Outcome,
    ROTATION_GRACE_MAX, is_well_formed,
};
use kernel::{Identity, Moment};
use limits::{Limiter, Policies};
use patterns::platform::ApiKeys;
use serde_json::{Map, json};
use store::{Raw, Transaction};

use crate::shared_store::{START, SharedStore};

const ANY: Demand<'_> = Demand { scopes: &[], environment: None, account_id: None, cost: 1 };
const HOUR: Duration = Duration::from_secs(60 * 60);

struct World {
    shared: SharedStore,
    keys: Arc<Keys>,
}

impl World {
    async fn new() -> World {
        let shared = SharedStore::new(&["platform/api_keys", "platform/rate_limits"]).await;
        let clock = Arc::new(shared.clock.clone());
        let limiter = Limiter::new(&shared.store, clock.clone(), Policies::usual()).unwrap();
        let keys = Keys::new(shared.store.clone(), shared.ids.clone(), clock).unwrap();
        World { keys: Arc::new(keys.limited_by(Arc::new(limiter))), shared }
    }

    async fn make(&self, new: NewKey) -> (Key, String) {
        let Made { secret, changed } = self.keys.create(new, "admin").unwrap();
        let key = self.commit(changed).await.unwrap();
        (key, secret.reveal().clone())
    }

    async fn commit(&self, changed: Changed) -> Result<Key, store::Error> {
        let writes = changed.writes.into_iter();
        let transaction = writes.fold(Transaction::new(), |all, write| all.with(write));
        self.shared.store.commit(transaction).await?;
        Ok(changed.key)
    }

    async fn outcome(&self, text: &str, demand: Demand<'_>) -> Outcome {
        self.keys.verify(text, &demand).await.unwrap().outcome
    }

    async fn get(&self, key: &Key) -> Key {
        self.keys.get(&key.account_id, &key.id).await.unwrap().unwrap()
    }

    fn now(&self) -> Moment {
        Moment::from_millis(kernel::clock::Clock::now_millis(&self.shared.clock))
    }

    fn advance(&self, duration: Duration) {
        self.shared.clock.advance(u64::try_from(duration.as_millis()).unwrap());
    }
}

fn new_key() -> NewKey {
    NewKey {
        account_id: "acc_1".to_owned(),
        name: "Nightly import".to_owned(),
        environment: Environment::Live,
        scopes: None,
        expires_at: None,
        metadata: Map::new(),
        limit: None,
        uses_left: None,
    }
}

fn scopes(scopes: &[&str]) -> Option<BTreeSet<String>> {
    Some(scopes.iter().map(|scope| (*scope).to_owned()).collect())
}

/// R003-apikey-1, R003-apikey-2: a key is its hash at rest; what is stored, shown and recorded holds
/// nothing of its secret. Verifying it is one consistent read.
#[tokio::test]
async fn a_key_is_stored_by_its_hash_and_verified_by_one_read() {
    let world = World::new().await;
    let mut new = new_key();
    new.scopes = scopes(&["orders:read", "tenants:*"]);
    new.metadata.insert("team".to_owned(), json!({ "name": "imports", "size": 3 }));
    let Made { secret, changed } = world.keys.create(new, "admin").unwrap();
    let text = secret.reveal().clone();
    assert!(text.starts_with("plk_live_") && is_well_formed(&text), "{text}");
    assert!(!format!("{secret:?}").contains(&text));
    let told = format!("{:?} {:?}", changed.entry, changed.event);
    assert_eq!((changed.entry.event_type, changed.entry.action), ("APIKEY", "API_KEY_CREATED"));
    assert_eq!(changed.event.event_type, "api_key.created");
    let key = world.commit(changed).await.unwrap();
    let table = ApiKeys::open(&world.shared.store).unwrap();
    let Raw(item) = table.get_key_by_id(&key.id).first::<Raw>().await.unwrap().unwrap();
    let secret_part = &text[13..52];
    assert!(!format!("{item:?} {told} {}", key.shown()).contains(secret_part));
    assert!(!key.shown().to_string().contains("hash"));

    world.shared.counted.take();
    let verified = world.keys.verify(&text, &ANY).await.unwrap();
    assert_eq!(world.shared.counted.take(), ["GetItem"]);
    assert_eq!(verified.outcome, Outcome::Valid);
    assert_eq!(verified.key.as_deref(), Some(&key));
    let caller = verified.caller().unwrap();
    assert_eq!(caller.account_id.as_deref(), Some("acc_1"));
    assert_eq!(caller.scopes, key.scopes);
    let environment = "live".to_owned();
    assert_eq!(caller.identity, Identity::ApiKey { key_id: key.id.clone(), environment });
}

/// R003-apikey-2: every typo of one character is refused without a read, and so is everything else
/// that is no key.
#[tokio::test]
async fn a_mistyped_key_is_refused_without_a_read() {
    let world = World::new().await;
    let (_, text) = world.make(new_key()).await;
    world.shared.counted.take();
    let mut tried = 0;
    for at in 0..text.len() {
        for other in ['0', 'A', 'z', '_', 'é'] {
            let mut typo: Vec<char> = text.chars().collect();
            if typo[at] == other {
                continue;
            }
            typo[at] = other;
            let typo: String = typo.into_iter().collect();
            assert_eq!(world.outcome(&typo, ANY).await, Outcome::NotFound, "{typo}");
            tried += 1;
        }
    }
    let swapped = text.replace("live", "test");
    let long = "x".repeat(100_000);
    for text in ["", "plk_live_", "Bearer", "ключ", &text[1..], &swapped, &long] {
        assert_eq!(world.outcome(text, ANY).await, Outcome::NotFound);
    }
    assert!(tried > 250);
    assert_eq!(world.shared.counted.take(), Vec::<&str>::new(), "nothing was read");
    let unknown = world.keys.create(new_key(), "admin").unwrap();
    assert_eq!(world.outcome(unknown.secret.reveal(), ANY).await, Outcome::NotFound);
    assert_eq!(world.shared.counted.take(), ["GetItem"]);
}

/// C3-07: every outcome, and of several reasons the first in the documented order.
#[tokio::test]
async fn outcomes_come_in_the_documented_order() {
    let world = World::new().await;
    let mut new = new_key();
    new.scopes = scopes(&["orders:read"]);
    new.uses_left = Some(3);
    new.limit = Some(KeyLimit { requests: 3, window_seconds: 60 });
    new.expires_at = Some(world.now().after(HOUR));
    let (key, text) = world.make(new).await;
    let write = Demand { scopes: &["orders:write"], ..ANY };
    let read = Demand { scopes: &["orders:read"], ..ANY };
    assert_eq!(world.outcome(&text, read).await, Outcome::Valid);
    assert_eq!(world.outcome(&text, write).await, Outcome::InsufficientPermissions);
    assert_eq!(world.outcome(&text, ANY).await, Outcome::Valid, "and that cost no use");
    assert_eq!(world.outcome(&text, write).await, Outcome::RateLimited, "before permissions");
    let all = Demand { cost: 2, ..write };
    assert_eq!(world.outcome(&text, all).await, Outcome::UsageExceeded, "before the rate");
    world.advance(HOUR);
    assert_eq!(world.outcome(&text, all).await, Outcome::Expired, "before uses");
    let disabled = world.keys.disable(&world.get(&key).await, "admin").unwrap();
    world.commit(disabled).await.unwrap();
    assert_eq!(world.outcome(&text, all).await, Outcome::Disabled, "before expiry");
    for demand in [
        Demand { environment: Some(Environment::Test), ..all },
        Demand { account_id: Some("acc_2"), ..all },
    ] {
        assert_eq!(world.outcome(&text, demand).await, Outcome::Forbidden, "before disabled");
    }
    let revoked = world.keys.revoke(&world.get(&key).await, "admin", "over").unwrap();
    world.commit(revoked).await.unwrap();
    let forbidden = Demand { account_id: Some("acc_2"), ..all };
    assert_eq!(world.outcome(&text, forbidden).await, Outcome::NotFound, "before everything");
}

/// R003-audit-6: every attempt can be recorded, under its account if the key is known, and without
/// the key.
#[tokio::test]
async fn attempts_are_recorded_without_the_secret() {
    let world = World::new().await;
    let (key, text) = world.make(new_key()).await;
    let valid = world.keys.verify(&text, &ANY).await.unwrap().entry();
    assert_eq!((valid.event_type, valid.action), ("AUTH", "API_KEY_ACCEPTED"));
    assert_eq!((valid.account_id.as_str(), valid.outcome), ("acc_1", audit::Outcome::Success));
    let revoked = world.keys.revoke(&key, "admin", "over").unwrap();
    assert_eq!(revoked.entry.action, "API_KEY_REVOKED", "R003-audit-7");
    world.commit(revoked).await.unwrap();
    let refused = world.keys.verify(&text, &ANY).await.unwrap();
    assert!(refused.caller().is_none());
    let refused = refused.entry();
    assert_eq!((refused.action, refused.outcome), ("API_KEY_REFUSED", audit::Outcome::Failure));
    assert_eq!(
        (&refused.details["outcome"], &refused.details["reason"]),
        (&json!("NOT_FOUND"), &json!("revoked"))
    );
    let unknown = world.keys.verify("plk_live_abc", &ANY).await.unwrap().entry();
    assert_eq!(unknown.account_id, "anonymous");
    for entry in [valid, refused, unknown] {
        assert!(!format!("{entry:?}").contains(&text[13..]), "{entry:?}");
    }
}

/// C3-07: a thousand keys are revoked while others use them; after each revocation's commit, on no
/// instance is there one acceptance more.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_revoked_key_is_never_accepted_again() {
    const KEYS: usize = 1000;
    let world = World::new().await;
    let mut made = Vec::new();
    for _ in 0..KEYS {
        made.push((world.make(new_key()).await, AtomicBool::new(false)));
    }
    let (made, is_over) = (Arc::new(made), Arc::new(AtomicBool::new(false)));
    let (accepted, refused) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicU64::new(0)));
    let verifiers: Vec<_> = (0..4)
        .map(|seed| {
            let clock = Arc::new(world.shared.clock.clone());
            // Each has an instance of its own.
            let keys =
                Keys::new(world.shared.store.clone(), world.shared.ids.clone(), clock).unwrap();
            let (made, is_over) = (Arc::clone(&made), Arc::clone(&is_over));
            let (accepted, refused) = (Arc::clone(&accepted), Arc::clone(&refused));
            tokio::spawn(async move {
                let mut rng = fastrand::Rng::with_seed(seed);
                while !is_over.load(Ordering::SeqCst) {
                    let ((key, text), revoked) = &made[rng.usize(..KEYS)];
                    let was_revoked = revoked.load(Ordering::SeqCst);
                    let outcome = keys.verify(text, &ANY).await.unwrap().outcome;
                    assert!(!was_revoked || outcome == Outcome::NotFound, "{} {outcome}", key.id);
                    let count = if was_revoked { &refused } else { &accepted };
                    count.fetch_add(1, Ordering::SeqCst);
                }
            })
        })
        .collect();
    for ((key, text), is_revoked) in made.iter() {
        let revoked = world.keys.revoke(key, "admin", "over").unwrap();
        world.commit(revoked).await.unwrap();
        is_revoked.store(true, Ordering::SeqCst);
        assert_eq!(world.outcome(text, ANY).await, Outcome::NotFound);
    }
    is_over.store(true, Ordering::SeqCst);
    for verifier in verifiers {
        verifier.await.unwrap();
    }
    let counts = (accepted.load(Ordering::SeqCst), refused.load(Ordering::SeqCst));
    assert!(counts.0 > 100 && counts.1 > 100, "{counts:?}");
}

/// Disabling can be undone, revoking cannot; TTL is only on what can never be accepted again (C3-07,
/// R003-apikey-3).
#[tokio::test]
async fn disabling_is_undone_and_revoking_is_not() {
    let world = World::new().await;
    let (key, text) = world.make(new_key()).await;
    let disabled = world.keys.disable(&key, "admin").unwrap();
    let key = world.commit(disabled).await.unwrap();
    assert_eq!(world.get(&key).await, key, "the change says what will be stored");
    assert_eq!(ttl(&world, &key).await, None, "it may come back");
    assert_eq!(world.outcome(&text, ANY).await, Outcome::Disabled);
    let enabled = world.keys.enable(&key).unwrap();
    let key = world.commit(enabled).await.unwrap();
    assert_eq!((key.disabled_at, world.outcome(&text, ANY).await), (None, Outcome::Valid));
    let revoked = world.keys.revoke(&key, "admin", "over").unwrap();
    let key = world.commit(revoked).await.unwrap();
    assert_eq!(world.get(&key).await, key);
    assert_eq!(ttl(&world, &key).await, Some(START / 1000 + 30 * 86_400));
    for refused in [
        world.keys.enable(&key).err(),
        world.keys.disable(&key, "admin").err(),
        world.keys.edit(&key, Edit::default()).err(),
        world.keys.revoke(&key, "admin", "again").err(),
        world.keys.rotate(&key, HOUR, "admin").err(),
    ] {
        assert_eq!(refused.unwrap().code().status, 409);
    }
}

/// A change that was made from an older state is refused; a revocation gets through all the same.
#[tokio::test]
async fn changes_do_not_undo_each_other() {
    let world = World::new().await;
    let mut new = new_key();
    new.uses_left = Some(10);
    let (key, text) = world.make(new).await;
    let rename = |name: &str| Edit { name: Some(name.to_owned()), ..Edit::default() };
    let (first, second) = (rename("First"), rename("Second"));
    let (first, second) = (world.keys.edit(&key, first).unwrap(), world.keys.edit(&key, second));
    let revoked = world.keys.revoke(&key, "admin", "over").unwrap();
    assert_eq!(world.outcome(&text, ANY).await, Outcome::Valid);
    world.commit(first).await.unwrap();
    let stored = world.get(&key).await;
    assert_eq!((stored.name.as_str(), stored.uses_left), ("First", Some(9)), "the use stays spent");
    assert!(world.commit(second.unwrap()).await.is_err());
    let stale = world.keys.enable(&world.get(&key).await).unwrap();
    world.commit(revoked).await.unwrap();
    assert!(world.commit(stale).await.is_err(), "nothing brings a revoked key back");
    assert_eq!(world.outcome(&text, ANY).await, Outcome::NotFound);
    assert_eq!(world.get(&key).await.name, "First");
}

/// Rotation: new identifier and secret, same settings; the old key lives on for the grace, never
/// beyond its own expiry, and has one successor only.
#[tokio::test]
async fn a_rotated_key_lives_on_for_its_grace() {
    let world = World::new().await;
    for (grace, own, valid_for) in [
        (HOUR, None, HOUR),
        (Duration::ZERO, None, Duration::ZERO),
        (ROTATION_GRACE_MAX, None, ROTATION_GRACE_MAX),
        (ROTATION_GRACE_MAX, Some(HOUR), HOUR),
    ] {
        let mut new = new_key();
        new.scopes = scopes(&["orders:*"]);
        new.limit = Some(KeyLimit { requests: 100, window_seconds: 1 });
        new.metadata.insert("team".to_owned(), json!("imports"));
        new.expires_at = own.map(|own| world.now().after(own));
        let (old, old_text) = world.make(new).await;
        let Made { secret, changed } = world.keys.rotate(&old, grace, "admin").unwrap();
        assert_eq!(changed.entry.action, "API_KEY_ROTATED");
        let new = world.commit(changed).await.unwrap();
        assert_ne!((&new.id, &new.prefix), (&old.id, &old.prefix));
        let settings = |key: &Key| {
            let Key { account_id, name, environment, scopes, metadata, expires_at, .. } =
                key.clone();
            (account_id, name, environment, scopes, metadata, expires_at, key.limit())
        };
        assert_eq!(settings(&new), settings(&old));
        let (old, stored) = (world.get(&old).await, world.get(&new).await);
        assert_eq!(
            (old.rotated_to.as_ref(), stored.rotated_from.as_ref()),
            (Some(&new.id), Some(&old.id))
        );
        assert_eq!(world.outcome(secret.reveal(), ANY).await, Outcome::Valid);
        if valid_for > Duration::ZERO {
            world.advance(valid_for - Duration::from_millis(1));
            assert_eq!(world.outcome(&old_text, ANY).await, Outcome::Valid, "{grace:?}");
            world.advance(Duration::from_millis(1));
        }
        assert_eq!(world.outcome(&old_text, ANY).await, Outcome::Expired, "{grace:?}");
        assert!(world.keys.rotate(&old, HOUR, "admin").is_err(), "it has a successor");
        let longer = Edit { expires_at: Some(None), ..Edit::default() };
        assert_eq!(world.keys.edit(&old, longer).err().unwrap().code().status, 409);
        assert!(ttl(&world, &old).await.unwrap() > world.now().seconds());
    }
    let (key, _) = world.make(new_key()).await;
    let too_long = ROTATION_GRACE_MAX + Duration::from_millis(1);
    assert_eq!(world.keys.rotate(&key, too_long, "admin").err().unwrap().code().status, 400);
    let (one, other) = (world.keys.rotate(&key, HOUR, "a"), world.keys.rotate(&key, HOUR, "b"));
    world.commit(one.unwrap().changed).await.unwrap();
    let other = other.unwrap();
    assert!(world.commit(other.changed).await.is_err(), "of two at once, one");
    assert_eq!(world.outcome(other.secret.reveal(), ANY).await, Outcome::NotFound);
    let disabled = world.keys.disable(&world.make(new_key()).await.0, "admin").unwrap();
    let disabled = world.commit(disabled).await.unwrap();
    assert_eq!(world.keys.rotate(&disabled, HOUR, "admin").err().unwrap().code().status, 409);
}

/// A key that was found somewhere is revoked by showing it; anything else tells nothing.
#[tokio::test]
async fn a_leaked_key_is_revoked_by_whoever_finds_it() {
    let world = World::new().await;
    let (_, text) = world.make(new_key()).await;
    let changed = world.keys.report(&text, "scanner").await.unwrap().unwrap();
    assert_eq!(changed.event.event_type, "api_key.leaked");
    let key = world.commit(changed).await.unwrap();
    assert_eq!(key.revoked_by.as_deref(), Some("scanner"));
    assert_eq!(world.outcome(&text, ANY).await, Outcome::NotFound);
    for found in
        [text.as_str(), "nonsense", world.keys.create(new_key(), "a").unwrap().secret.reveal()]
    {
        assert!(world.keys.report(found, "scanner").await.unwrap().is_none());
    }
}

/// Uses are counted exactly, however many ask at once.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn uses_are_spent_once_each() {
    let world = World::new().await;
    let mut new = new_key();
    new.uses_left = Some(20);
    let (_, text) = world.make(new).await;
    let tasks: Vec<_> = (0..60)
        .map(|_| {
            let (keys, text) = (Arc::clone(&world.keys), text.clone());
            tokio::spawn(async move { keys.verify(&text, &ANY).await.unwrap().outcome })
        })
        .collect();
    let mut valid = 0;
    for task in tasks {
        match task.await.unwrap() {
            Outcome::Valid => valid += 1,
            outcome => assert_eq!(outcome, Outcome::UsageExceeded),
        }
    }
    assert_eq!(valid, 20);
}

/// R003-apikey-1: the last use is written rarely, by a worker, and never by a request.
#[tokio::test]
async fn the_last_use_is_written_now_and_then() {
    let world = World::new().await;
    let (key, text) = world.make(new_key()).await;
    for (minutes, written) in [(0, 1), (14, 0), (1, 1), (15, 1)] {
        world.advance(Duration::from_secs(60 * minutes));
        world.shared.counted.take();
        for _ in 0..5 {
            assert_eq!(world.outcome(&text, ANY).await, Outcome::Valid);
        }
        assert_eq!(world.shared.counted.take(), ["GetItem"; 5]);
        assert_eq!(world.keys.write_last_used().await.unwrap(), written, "{minutes}");
    }
    assert_eq!(world.get(&key).await.last_used_at, Some(world.now()));
    assert_eq!(world.get(&key).await.version, 1, "it is no change");
}

/// R003-apikey-2: an account sees its own keys, page by page, newest first, and no others.
#[tokio::test]
async fn an_account_sees_its_own_keys_only() {
    let world = World::new().await;
    let mut made = Vec::new();
    for number in 0..7 {
        let mut new = new_key();
        new.name = format!("Key {number}");
        world.advance(Duration::from_millis(1));
        made.push(world.make(new.clone()).await.0);
        new.account_id = "acc_2".to_owned();
        world.make(new).await;
    }
    let (mut found, mut token) = (Vec::new(), None);
    loop {
        let page = world.keys.list("acc_1", 3, token.as_deref()).await.unwrap();
        found.extend(page.items);
        token = page.next;
        if token.is_none() {
            break;
        }
    }
    made.reverse();
    assert_eq!(found, made);
    let first = world.keys.list("acc_1", 3, None).await.unwrap();
    assert!(world.keys.list("acc_2", 3, first.next.as_deref()).await.is_err(), "another's token");
    assert!(world.keys.get("acc_2", &made[0].id).await.unwrap().is_none());
    assert!(world.keys.get("acc_1", "key_unknown").await.unwrap().is_none());
}

/// Every wrong member of a new key is named; scopes match exactly or up to their star.
#[tokio::test]
async fn what_a_key_is_made_with_is_checked() {
    let world = World::new().await;
    let wrong = NewKey {
        name: " ".to_owned(),
        scopes: scopes(&["everything"]),
        expires_at: Some(world.now()),
        metadata: Map::from_iter([("x".to_owned(), json!("x".repeat(5000)))]),
        limit: Some(KeyLimit { requests: 0, window_seconds: 60 }),
        ..new_key()
    };
    let error = world.keys.create(wrong, "admin").err().unwrap();
    let errors = error.details()["errors"].as_array().unwrap().clone();
    let fields: Vec<_> = errors.iter().filter_map(|error| error["field"].as_str()).collect();
    assert_eq!(fields, ["name", "scopes", "expiresAt", "metadata", "limit"]);
    let mut new = new_key();
    new.scopes = scopes(&["orders:read", "tenants:*"]);
    let (key, _) = world.make(new).await;
    for (scope, allowed) in [
        ("orders:read", true),
        ("orders:write", false),
        ("orders:reads", false),
        ("tenants:delete", true),
        ("tenant:read", false),
        ("", false),
    ] {
        assert_eq!(key.allows(scope), allowed, "{scope}");
    }
    assert!(world.make(new_key()).await.0.allows("anything:at-all"));
}

async fn ttl(world: &World, key: &Key) -> Option<u64> {
    let table = ApiKeys::open(&world.shared.store).unwrap();
    let Raw(item) = table.get_key_by_id(&key.id).first::<Raw>().await.unwrap().unwrap();
    match item.get("ttl") {
        Some(values::AttributeValue::N(ttl)) => {
            ttl.to_i64().and_then(|ttl| u64::try_from(ttl).ok())
        }
        _ => None,
    }
}
