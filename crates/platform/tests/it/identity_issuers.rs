//! Other issuers: Cognito's claims, keys that are fetched and kept, and what happens without them.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on panics")]

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use identity::{
    Algorithm, Authenticator, External, ExternalIssuer, Fetch, Fetching, JwksCache, JwksSource,
    KeyCacheSettings, SigningKey,
};
use kernel::clock::{Clock as _, ManualClock};
use kernel::{Caller, Error};
use serde_json::{Value, json};

use crate::identity::{START_MILLIS, World, world};
use crate::identity_jwt::private_key;

const POOL: &str = "https://cognito-idp.af-south-1.amazonaws.com/af-south-1_Pool";

/// Documents by address, and how often one was asked for.
#[derive(Clone, Default)]
struct Web {
    documents: Arc<Mutex<HashMap<String, String>>>,
    asked: Arc<AtomicUsize>,
}

impl Web {
    fn put(&self, url: &str, document: &Value) {
        self.documents.lock().unwrap().insert(url.to_owned(), document.to_string());
    }

    fn remove(&self, url: &str) {
        self.documents.lock().unwrap().remove(url);
    }

    fn asked(&self) -> usize {
        self.asked.load(Ordering::SeqCst)
    }
}

impl Fetch for Web {
    fn fetch<'a>(&'a self, url: &'a str) -> Fetching<'a> {
        Box::pin(async move {
            self.asked.fetch_add(1, Ordering::SeqCst);
            let found = self.documents.lock().unwrap().get(url).cloned();
            found.map(String::into_bytes).ok_or_else(|| "no answer".to_owned())
        })
    }
}

fn jwk(seed: u8, kid: &str) -> Value {
    let mut jwk = json!(SigningKey::read(Algorithm::EdDsa, &[seed; 32]).unwrap().public().to_jwk());
    jwk["kid"] = json!(kid);
    jwk
}

/// Cognito signs with RS256.
fn cognito(world: &World, change: Value) -> String {
    let now = world.clock.now_millis() / 1000;
    let mut claims = json!({ "iss": POOL, "sub": "7f0c", "iat": now, "exp": now + 3600,
        "token_use": "id", "aud": "client-1", "email": "Ada@Example.com", "email_verified": true,
        "cognito:groups": ["Admins", "tenant-123-admins"], "custom:customerId": "cust-9",
        "custom:tenantIds": "tenant-123, tenant-456" });
    for (name, value) in change.as_object().unwrap() {
        claims[name] = value.clone();
    }
    claims.as_object_mut().unwrap().retain(|_, value| !value.is_null());
    let key = SigningKey::read(Algorithm::Rs256, &private_key()).unwrap();
    key.sign("pool-1", "JWT", &claims).unwrap()
}

fn pool(world: &World) -> Authenticator {
    let web = Web::default();
    let key = SigningKey::read(Algorithm::Rs256, &private_key()).unwrap();
    let mut jwk = json!(key.public().to_jwk());
    jwk["kid"] = json!("pool-1");
    web.put(&format!("{POOL}/.well-known/jwks.json"), &json!({ "keys": [jwk] }));
    let clock = Arc::new(world.clock.clone());
    let external = External::new(ExternalIssuer::cognito(POOL, "client-1"), Arc::new(web), clock);
    Authenticator::new(world.service.clone(), vec![external])
}

async fn ask(authenticator: &Authenticator, token: &str) -> Result<Caller, Error> {
    authenticator.token(token).await
}

/// R002-9.1-2, C2-35: the claims become a caller, tenants as hints. C2-36: ID and access tokens, by
/// `token_use` and audience.
#[tokio::test]
async fn cognitos_claims_become_a_caller() {
    let world = world().await;
    let pool = pool(&world);
    let caller = ask(&pool, &cognito(&world, json!({}))).await.unwrap();
    assert_eq!((caller.id(), caller.name()), ("7f0c", "ada@example.com"));
    assert!(caller.is_platform_admin() && caller.roles.len() == 1);
    assert_eq!(caller.tenant_hints, ["tenant-123", "tenant-456"]);
    assert_eq!((caller.customer_id.as_deref(), caller.account_id), (Some("cust-9"), None));
    let member = json!({ "cognito:groups": ["tenant-7-viewers", "admins", "else"], "custom:tenantIds": null });
    let member = ask(&pool, &cognito(&world, member)).await.unwrap();
    assert!(member.roles.is_empty(), "a group of a tenant is a hint, and names have one spelling");
    assert_eq!(member.tenant_hints, ["tenant-7"]);
    let access =
        json!({ "token_use": "access", "aud": null, "client_id": "client-1", "email": null });
    let access = ask(&pool, &cognito(&world, access)).await.unwrap();
    assert_eq!(access.name(), "7f0c");
    let unverified =
        ask(&pool, &cognito(&world, json!({ "email_verified": false }))).await.unwrap();
    assert_eq!(unverified.name(), "7f0c", "an address that is not verified is not theirs");
    for change in [
        json!({ "token_use": null }),
        json!({ "token_use": "refresh" }),
        json!({ "aud": "client-2" }),
        json!({ "aud": null, "client_id": "client-1" }),
        json!({ "token_use": "access", "aud": null, "client_id": "client-2" }),
        json!({ "iss": "https://cognito-idp.af-south-1.amazonaws.com/af-south-1_Other" }),
        json!({ "cognito:groups": [1] }),
        json!({ "cognito:groups": { "Admins": true } }),
        json!({ "exp": 1 }),
    ] {
        let error = ask(&pool, &cognito(&world, change.clone())).await.unwrap_err();
        assert_eq!(error.code().status, 401, "{change}");
    }
}

/// A subject is unique among its issuer's own only: an issuer that may not name administrators cannot
/// name somebody of ours either. And an address is verified only where somebody says so.
#[tokio::test]
async fn another_issuers_subjects_are_nobody_of_ours() {
    let world = world().await;
    let user_id = world.user("ada").await;
    let ask_as = async |issuer: &str, change: Value, trusts_email: bool| {
        let web = Web::default();
        web.put("https://keys.example/jwks", &json!({ "keys": [jwk(1, "a")] }));
        let mut settings = ExternalIssuer::oidc(issuer, "client-1");
        settings.keys = JwksSource::Url("https://keys.example/jwks".to_owned());
        settings.trusts_email = trusts_email;
        let clock = Arc::new(world.clock.clone());
        let external = External::new(settings, Arc::new(web), clock);
        let authenticator = Authenticator::new(world.service.clone(), vec![external]);
        let now = world.clock.now_millis() / 1000;
        let mut claims = json!({ "iss": issuer, "sub": user_id, "iat": now, "exp": now + 3600,
            "aud": "client-1", "email": "eve@example.com" });
        claims.as_object_mut().unwrap().extend(change.as_object().unwrap().clone());
        let key = SigningKey::read(Algorithm::EdDsa, &[1; 32]).unwrap();
        ask(&authenticator, &key.sign("a", "JWT", &claims).unwrap()).await.unwrap()
    };
    let one = ask_as("https://one.example", json!({}), false).await;
    let other = ask_as("https://other.example", json!({}), false).await;
    let again = ask_as("https://one.example", json!({}), false).await;
    assert!(one.id() != user_id && other.id() != user_id && one.id() != other.id());
    assert!(one.id() == again.id() && world.service.user(one.id()).await.unwrap().is_none());
    for (change, trusts_email, verified) in [
        (json!({}), false, false),
        (json!({}), true, true),
        (json!({ "email_verified": true }), false, true),
        (json!({ "email_verified": "true" }), false, true),
        (json!({ "email_verified": "false" }), true, false),
        (json!({ "email_verified": false }), true, false),
        (json!({ "email_verified": 1 }), true, false),
    ] {
        let caller = ask_as("https://one.example", change.clone(), trusts_email).await;
        assert_eq!(caller.name() == "eve@example.com", verified, "{change} {trusts_email}");
    }
}

fn cache(web: &Web, clock: &ManualClock, source: JwksSource) -> JwksCache {
    let (fetch, clock) = (Arc::new(web.clone()), Arc::new(clock.clone()));
    JwksCache::new("https://issuer.example", source, KeyCacheSettings::default(), fetch, clock)
}

/// Keys are kept for an hour, asked for again when one is unknown, at most once a minute, and used for
/// a day if the issuer does not answer.
#[tokio::test]
async fn keys_are_fetched_seldom_and_in_time() {
    let (web, clock) = (Web::default(), ManualClock::new(START_MILLIS));
    let url = "https://issuer.example/keys";
    web.put(url, &json!({ "keys": [jwk(1, "a")] }));
    let keys = cache(&web, &clock, JwksSource::Url(url.to_owned()));
    let known = async |kid: &str| keys.find(kid).await.unwrap().is_some();
    assert!(known("a").await && known("a").await);
    assert_eq!(web.asked(), 1);
    for number in 0..100 {
        assert!(!known(&format!("unknown-{number}")).await);
    }
    assert_eq!(web.asked(), 1, "tokens cannot make us ask");
    web.put(url, &json!({ "keys": [jwk(1, "a"), jwk(2, "b")] }));
    clock.advance(60_000);
    assert!(known("b").await, "a new key is found");
    assert_eq!(web.asked(), 2);
    web.put(url, &json!({ "keys": [jwk(2, "b")] }));
    clock.advance(60 * 60_000);
    assert!(!known("a").await && known("b").await, "one that is gone is gone within the hour");
    web.remove(url);
    clock.advance(23 * 60 * 60_000);
    assert!(known("b").await, "the issuer is down");
    clock.advance(60 * 60_000);
    let error = keys.find("b").await.unwrap_err();
    assert_eq!(error.code().status, 503, "for more than a day");
    assert!(keys.find("b").await.is_err());
}

/// Discovery believes the issuer of itself alone; sets that are not sets are not used.
#[tokio::test]
async fn discovery_and_odd_key_sets() {
    let (web, clock) = (Web::default(), ManualClock::new(START_MILLIS));
    let configuration = "https://issuer.example/.well-known/openid-configuration";
    let at = "https://issuer.example/jwks";
    web.put(configuration, &json!({ "issuer": "https://issuer.example", "jwks_uri": at }));
    web.put(
        at,
        &json!({ "keys": [jwk(1, "a"), { "kty": "oct", "kid": "h", "k": "AAAA" }, jwk(2, "")] }),
    );
    let keys = cache(&web, &clock, JwksSource::Discovery);
    assert!(keys.find("a").await.unwrap().is_some());
    assert!(keys.find("h").await.unwrap().is_none() && keys.find("").await.unwrap().is_none());
    web.put(configuration, &json!({ "issuer": "https://eve.example", "jwks_uri": at }));
    assert!(cache(&web, &clock, JwksSource::Discovery).find("a").await.is_err());
    let odd = [
        json!({ "keys": [jwk(1, "a"), jwk(2, "a")] }),
        json!({ "keys": vec![jwk(1, "a"); 101] }),
        json!({ "keys": "a" }),
        json!([]),
    ];
    for set in odd {
        web.put(at, &set);
        let keys = cache(&web, &clock, JwksSource::Url(at.to_owned()));
        assert!(keys.find("a").await.is_err(), "{set}");
    }
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), json!({ "keys": [jwk(1, "a")] }).to_string()).unwrap();
    let keys = cache(&web, &clock, JwksSource::File(file.path().to_owned()));
    assert!(keys.find("a").await.unwrap().is_some());
}

/// Mail goes into files that are whole, and that nobody else can read.
#[cfg(unix)]
#[tokio::test]
async fn the_mailbox_is_its_owners_alone() {
    use std::os::unix::fs::PermissionsExt as _;
    let world = world().await;
    world.register("ada").await.unwrap();
    let mode =
        |path: &std::path::Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    let files: Vec<_> =
        std::fs::read_dir(world.mailbox.path()).unwrap().map(|f| f.unwrap().path()).collect();
    assert_eq!(files.len(), 1);
    assert!(files[0].extension().is_some_and(|ending| ending == "eml"), "nothing unfinished");
    assert_eq!(mode(&files[0]), 0o600);
}
