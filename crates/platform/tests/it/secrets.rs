//! Secrets at rest: bound to their place, rotated while in use, destroyed with their account, and
//! never kept without a master key.

use std::collections::HashSet;
use std::os::unix::fs::PermissionsExt as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use kernel::Code;
use patterns::platform::ApiKeys;
use secrets::{
    ACCOUNT_KEY_DESTROYED, Context, KeyService, LocalKey, MASTER_KEY_FILE_VARIABLE,
    MASTER_KEY_VARIABLE, MasterKeySource, MasterKeys, Seal as _, Sealing, Secret, Vault,
};
use store::Raw;
use tables::Environment;
use values::AttributeValue;

use crate::shared_store::SharedStore;

const PLACE: &str = "platform/webhook_events/ENDPOINT#ep_1/secret";

async fn world() -> SharedStore {
    SharedStore::new(&["platform/api_keys"]).await
}

fn master(world: &SharedStore, byte: u8) -> Arc<LocalKey> {
    Arc::new(LocalKey::new(Secret::new([byte; 32]), world.ids.clone()))
}

fn vault(world: &SharedStore, masters: MasterKeys) -> Vault {
    let clock = Arc::new(world.clock.clone());
    Vault::new(&world.store, world.ids.clone(), clock, masters).unwrap()
}

fn code<T: std::fmt::Debug>(result: Result<T, kernel::Error>) -> Code {
    result.unwrap_err().code()
}

/// R003-table-2: a ciphertext moved to another row, attribute or account does not open.
#[tokio::test]
async fn what_is_sealed_opens_in_its_own_place_only() {
    let world = world().await;
    let vault = vault(&world, MasterKeys::new(master(&world, 1)));
    let sealed = vault.seal("acc_1", PLACE, b"canary").await.unwrap();
    assert!(!sealed.windows(6).any(|bytes| bytes == b"canary"));
    assert_eq!(vault.unseal("acc_1", PLACE, &sealed).await.unwrap(), b"canary");
    vault.seal("acc_2", PLACE, b"other").await.unwrap();
    let elsewhere = PLACE.replace("ep_1", "ep_2");
    for (account, place) in [("acc_1", elsewhere.as_str()), ("acc_2", PLACE), ("acc_1", "")] {
        let error = vault.unseal(account, place, &sealed).await.unwrap_err();
        assert_eq!(error.code().status, 500, "{account} {place}");
        assert!(!format!("{error} {error:?}").contains("canary"));
    }
    for at in 0..sealed.len() {
        let mut changed = sealed.clone();
        changed[at] ^= 0x80;
        assert!(vault.unseal("acc_1", PLACE, &changed).await.is_err(), "byte {at}");
    }
    assert!(vault.unseal("acc_1", PLACE, b"").await.is_err());
    assert!(vault.seal("", PLACE, b"x").await.is_err(), "no account, no key");
}

/// A hundred thousand nonces under one key are distinct, and the key is read once for all of them.
#[tokio::test]
async fn the_key_is_read_once_and_every_nonce_is_new() {
    let world = world().await;
    let vault = vault(&world, MasterKeys::new(master(&world, 1)));
    vault.seal("acc_1", PLACE, b"").await.unwrap();
    world.counted.take();
    let mut nonces = HashSet::new();
    for _ in 0..100_000 {
        let sealed = vault.seal("acc_1", PLACE, b"").await.unwrap();
        assert!(nonces.insert(sealed[21..45].to_vec()));
    }
    assert_eq!(world.counted.take(), Vec::<&str>::new());
}

/// Two instances that meet an account for the first time agree on its key.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn instances_that_start_together_share_the_key() {
    let world = world().await;
    let vaults = [(); 8].map(|()| Arc::new(vault(&world, MasterKeys::new(master(&world, 1)))));
    let seal = |vault: &Arc<Vault>| {
        let vault = Arc::clone(vault);
        tokio::spawn(async move { vault.seal("acc_1", PLACE, b"x").await.unwrap() })
    };
    let sealing: Vec<_> = vaults.iter().map(seal).collect();
    for (vault, sealed) in vaults.iter().rev().zip(sealing) {
        assert_eq!(vault.unseal("acc_1", PLACE, &sealed.await.unwrap()).await.unwrap(), b"x");
    }
}

/// A master key is replaced while everything runs; then the old one is gone and nothing is lost.
#[tokio::test]
async fn a_master_key_is_replaced_and_then_removed() {
    let world = world().await;
    let (old, new) = (master(&world, 1), master(&world, 2));
    let first = vault(&world, MasterKeys::new(old.clone()));
    let mut sealed = Vec::new();
    for number in 0..250 {
        let account = format!("acc_{number}");
        let bytes = first.seal(&account, PLACE, account.as_bytes()).await.unwrap();
        sealed.push((account, bytes));
    }
    let both = vault(&world, MasterKeys::new(new.clone()).and_older(old.clone()));
    let old_id = secrets::KeyService::id(&*old).to_owned();
    let new_id = secrets::KeyService::id(&*new).to_owned();
    assert_eq!(code(both.remove_master(&old_id).await).name, "CONFLICT", "still in use");
    assert_eq!(code(both.remove_master(&new_id).await).name, "CONFLICT", "the newest");
    assert_eq!(both.rewrap().await.unwrap(), 250);
    assert_eq!(both.rewrap().await.unwrap(), 0, "nothing is left to do");
    both.remove_master(&old_id).await.unwrap();
    let after = vault(&world, MasterKeys::new(new));
    for vault in [&both, &after] {
        for (account, bytes) in &sealed {
            let plain = vault.unseal(account, PLACE, bytes).await.unwrap();
            assert_eq!(plain, account.as_bytes());
        }
    }
    let only_old = vault(&world, MasterKeys::new(old));
    let error = only_old.unseal("acc_1", PLACE, &sealed[1].1).await.unwrap_err();
    assert!(error.reason().unwrap().contains("add it as an older one"), "{error:?}");
}

/// A wrapped key that is copied to another account's item is of no use there.
#[tokio::test]
async fn a_wrapped_key_opens_for_its_own_account_only() {
    let world = world().await;
    let masters = MasterKeys::new(master(&world, 1));
    let sealed = vault(&world, masters.clone()).seal("acc_1", PLACE, b"x").await.unwrap();
    let table = ApiKeys::open(&world.store).unwrap();
    let Raw(mut item) = table.get_account_key("acc_1").get::<Raw>().await.unwrap().unwrap();
    item.insert("owner", "acc_2".into());
    item.insert("api_key_hash", "ACCOUNT_KEY#acc_2".into());
    table.account_key().put(Raw(item)).unwrap().run().await.unwrap();
    assert!(vault(&world, masters).unseal("acc_2", PLACE, &sealed).await.is_err());
}

/// An account's own key is replaced: old secrets open, move over, and then need the old key no more.
#[tokio::test]
async fn an_accounts_key_is_replaced_while_its_secrets_stay_readable() {
    let world = world().await;
    let masters = MasterKeys::new(master(&world, 1));
    let (one, other) = (vault(&world, masters.clone()), vault(&world, masters));
    let old = one.seal("acc_1", PLACE, b"canary").await.unwrap();
    assert_eq!(one.reseal("acc_1", PLACE, &old).await.unwrap(), None, "already the newest");
    other.unseal("acc_1", PLACE, &old).await.unwrap();
    one.rotate("acc_1").await.unwrap();
    let new = one.seal("acc_1", PLACE, b"canary").await.unwrap();
    assert_ne!(old[..21], new[..21], "another key is named in the header");
    assert_eq!(other.unseal("acc_1", PLACE, &new).await.unwrap(), b"canary", "it looks again");
    let moved = one.reseal("acc_1", PLACE, &old).await.unwrap().unwrap();
    one.retire("acc_1").await.unwrap();
    assert_eq!(one.unseal("acc_1", PLACE, &moved).await.unwrap(), b"canary");
    assert!(one.unseal("acc_1", PLACE, &old).await.is_err(), "its key is gone");
}

/// Page tokens are sealed with such a secret: they hold after a restart and on every instance.
#[tokio::test]
async fn what_comes_from_an_accounts_keys_is_the_same_at_every_start() {
    let world = world().await;
    let keys = || MasterKeys::new(master(&world, 1));
    let first = vault(&world, keys());
    let derived = first.derived("platform", "page-tokens").await.unwrap();
    let again = vault(&world, keys()).derived("platform", "page-tokens").await.unwrap();
    assert_eq!((derived.len(), &derived), (1, &again));
    for (account, purpose) in [("platform", "other"), ("acc_1", "page-tokens")] {
        assert_ne!(first.derived(account, purpose).await.unwrap(), derived, "{account} {purpose}");
    }
    first.rotate("platform").await.unwrap();
    let rotated = first.derived("platform", "page-tokens").await.unwrap();
    assert_eq!((rotated.len(), rotated.first()), (2, derived.first()), "the newest is the last");
}

/// Destroying an account's keys destroys its secrets, here at once and elsewhere in five minutes.
#[tokio::test]
async fn destroyed_keys_open_nothing_and_do_not_come_back() {
    let world = world().await;
    let masters = MasterKeys::new(master(&world, 1)).and_older(master(&world, 2));
    let (one, other) = (vault(&world, masters.clone()), vault(&world, masters));
    let sealed = one.seal("acc_1", PLACE, b"canary").await.unwrap();
    other.unseal("acc_1", PLACE, &sealed).await.unwrap();
    one.destroy("acc_1").await.unwrap();
    world.clock.advance(5 * 60 * 1000);
    for vault in [&one, &other] {
        assert_eq!(code(vault.unseal("acc_1", PLACE, &sealed).await), ACCOUNT_KEY_DESTROYED);
        assert_eq!(code(vault.seal("acc_1", PLACE, b"x").await), ACCOUNT_KEY_DESTROYED);
        assert_eq!(code(vault.rotate("acc_1").await), ACCOUNT_KEY_DESTROYED);
        assert_eq!(vault.rewrap().await.unwrap(), 0);
    }
    let table = ApiKeys::open(&world.store).unwrap();
    let Raw(item) = table.get_account_key("acc_1").get::<Raw>().await.unwrap().unwrap();
    assert_eq!(item["wrapped_keys"], AttributeValue::L(Vec::new()));
}

fn source(folder: &std::path::Path, environment: Environment) -> MasterKeySource<'_> {
    MasterKeySource {
        environment,
        data_folder: folder,
        text: None,
        file: None,
        elsewhere: &|_| None,
    }
}

/// Outside development nothing starts without a master key, and the error says what to set.
#[tokio::test]
async fn without_a_master_key_nothing_starts_outside_development() {
    let ids = world().await.ids;
    let folder = tempfile::tempdir().unwrap();
    for environment in [Environment::Sit, Environment::Prod] {
        let error = source(folder.path(), environment).load(&ids).err().unwrap().to_string();
        assert!(error.contains(MASTER_KEY_VARIABLE), "{error}");
        assert!(error.contains(MASTER_KEY_FILE_VARIABLE), "{error}");
        assert!(error.contains("openssl rand -base64 32"), "{error}");
    }
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "nothing was made");
    let missing = MasterKeySource {
        file: Some(folder.path().join("missing")),
        ..source(folder.path(), Environment::Dev)
    };
    assert!(missing.load(&ids).is_err(), "a file that is named is never made");
}

/// In development a key is made once, for its owner alone; one that others can read is refused.
#[tokio::test]
async fn in_development_a_master_key_is_made_for_its_owner_alone() {
    let ids = world().await.ids;
    let folder = tempfile::tempdir().unwrap();
    let made = source(folder.path(), Environment::Dev).load(&ids).unwrap();
    let again = source(folder.path(), Environment::Dev).load(&ids).unwrap();
    assert_eq!(made.newest().id(), again.newest().id());
    let file = folder.path().join("master-key");
    let mode = std::fs::metadata(&file).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o644)).unwrap();
    let error = source(folder.path(), Environment::Dev).load(&ids).err().unwrap().to_string();
    assert!(error.contains("chmod 600"), "{error}");
}

/// A variable may hold several keys, the newest first; what is no key is named by its number.
#[tokio::test]
async fn several_master_keys_come_from_one_variable() {
    let ids = world().await.ids;
    let folder = tempfile::tempdir().unwrap();
    let texts = [[1_u8; 32], [2; 32]].map(|key| STANDARD.encode(key));
    let load = |text: String| {
        let text = Some(Secret::new(text));
        MasterKeySource { text, ..source(folder.path(), Environment::Prod) }.load(&ids)
    };
    let keys = load(texts.join(",")).unwrap();
    let swapped = load(format!("{}\n{}\n", texts[1], texts[0])).unwrap();
    assert_eq!(keys.newest().id(), swapped.older()[0].id());
    assert_eq!(keys.older()[0].id(), swapped.newest().id());
    for (wrong, named) in [
        (format!("{},short", texts[0]), "number 2"),
        (" \n".to_owned(), "no master key"),
        (STANDARD.encode([1; 31]), "number 1"),
    ] {
        let error = load(wrong.clone()).err().unwrap().to_string();
        assert!(error.contains(named), "{error}");
        assert!(!error.contains(wrong.trim()) || wrong.trim().is_empty(), "it repeats no key");
    }
}

/// A master key that is elsewhere, and counts how often it is asked. One that is lame wraps, and does
/// not unwrap.
struct Remote {
    key: LocalKey,
    asked: AtomicUsize,
    is_lame: bool,
}

impl Remote {
    fn new(world: &SharedStore, is_lame: bool) -> Arc<Remote> {
        let key = LocalKey::new(Secret::new([3; 32]), world.ids.clone());
        Arc::new(Remote { key, asked: AtomicUsize::new(0), is_lame })
    }
}

impl KeyService for Remote {
    fn id(&self) -> &str {
        "remote"
    }

    fn wrap<'a>(&'a self, context: &'a Context, key: &'a [u8]) -> Sealing<'a> {
        self.asked.fetch_add(1, Ordering::SeqCst);
        self.key.wrap(context, key)
    }

    fn unwrap<'a>(&'a self, context: &'a Context, wrapped: &'a [u8]) -> Sealing<'a> {
        self.asked.fetch_add(1, Ordering::SeqCst);
        if self.is_lame {
            return Box::pin(std::future::ready(Err(kernel::Error::unavailable("it is lame"))));
        }
        self.key.unwrap(context, wrapped)
    }
}

/// A key service is asked when an account's key is made and read, and then not for minutes, whatever is
/// sealed and opened.
#[tokio::test]
async fn a_key_service_is_not_asked_for_each_secret() {
    let world = world().await;
    let remote = Remote::new(&world, false);
    let vault = vault(&world, MasterKeys::new(Arc::<Remote>::clone(&remote)));
    for _ in 0..50 {
        let sealed = vault.seal("acc_1", PLACE, b"canary").await.unwrap();
        assert_eq!(vault.unseal("acc_1", PLACE, &sealed).await.unwrap(), b"canary");
    }
    assert_eq!(remote.asked.load(Ordering::SeqCst), 2);
}

/// A master key that cannot do both is found out before anything is sealed with it.
#[tokio::test]
async fn a_master_key_is_tried_before_it_is_used() {
    let world = world().await;
    MasterKeys::new(Remote::new(&world, false)).check(&world.ids).await.unwrap();
    let error = MasterKeys::new(Remote::new(&world, true)).check(&world.ids).await.unwrap_err();
    assert_eq!(error.reason(), Some("it is lame"));
}

/// Keys that are elsewhere are named among those that are not, in any order.
#[tokio::test]
async fn a_master_key_may_be_elsewhere() {
    let world = world().await;
    let folder = tempfile::tempdir().unwrap();
    let local = STANDARD.encode([1_u8; 32]);
    let elsewhere = |word: &str| -> Option<Result<Arc<dyn KeyService>, String>> {
        let name = word.strip_prefix("far:")?;
        Some(if name == "one" { Ok(Remote::new(&world, false)) } else { Err("no name".to_owned()) })
    };
    let load = |text: String| {
        let text = Some(Secret::new(text));
        let source = source(folder.path(), Environment::Prod);
        MasterKeySource { text, elsewhere: &elsewhere, ..source }.load(&world.ids)
    };
    let keys = load(format!("far:one,{local}")).unwrap();
    assert_eq!((keys.newest().id(), keys.older().len()), ("remote", 1));
    let keys = load(format!("{local} far:one")).unwrap();
    assert_eq!(keys.older()[0].id(), "remote");
    let error = load(format!("{local},far:two")).err().unwrap().to_string();
    assert!(error.contains("number 2") && error.contains("no name"), "{error}");
}
