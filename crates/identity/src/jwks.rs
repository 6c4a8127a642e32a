//! The keys of another issuer: fetched, kept for a while, and fetched again when a token names one
//! that is not known, but not more often than allowed.

use std::collections::HashMap;
use std::future::Future;
use std::path::PathBuf;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use kernel::clock::Clock;
use kernel::error::Error;
use kernel::moment::Moment;
use kernel::strict_json;
use serde_json::Value;
use tokio::sync::Mutex;

use super::jws::PublicKey;

/// Most keys of one set.
const KEYS_MAX: usize = 100;

/// What was fetched, or why not.
pub type Fetching<'a> = Pin<Box<dyn Future<Output = Result<Vec<u8>, String>> + Send + 'a>>;

/// A way to fetch a document. Tests have one without a network.
pub trait Fetch: Send + Sync + 'static {
    /// Fetches the document at an address. Bounds time and size.
    fn fetch<'a>(&'a self, url: &'a str) -> Fetching<'a>;
}

/// Where an issuer's keys are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum JwksSource {
    /// Where the issuer's own document (`/.well-known/openid-configuration`) says.
    Discovery,
    /// At an address.
    Url(String),
    /// In a file.
    File(PathBuf),
}

/// How long keys are kept, and how often they are asked for.
#[derive(Clone, Copy, Debug)]
pub struct KeyCacheSettings {
    /// After which they are fetched again.
    pub age_max: Duration,
    /// Until which they are used if that fails.
    pub stale_max: Duration,
    /// Between two attempts, whatever tokens name.
    pub interval_min: Duration,
}

impl Default for KeyCacheSettings {
    fn default() -> KeyCacheSettings {
        KeyCacheSettings {
            age_max: Duration::from_secs(60 * 60),
            stale_max: Duration::from_secs(24 * 60 * 60),
            interval_min: Duration::from_secs(60),
        }
    }
}

/// The keys of one issuer.
pub struct JwksCache {
    issuer: String,
    source: JwksSource,
    settings: KeyCacheSettings,
    fetch: Arc<dyn Fetch>,
    clock: Arc<dyn Clock>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    keys: HashMap<String, PublicKey>,
    fetched: Option<Moment>,
    attempted: Option<Moment>,
}

impl JwksCache {
    /// The keys of an issuer, not fetched yet.
    pub fn new(
        issuer: &str,
        source: JwksSource,
        settings: KeyCacheSettings,
        fetch: Arc<dyn Fetch>,
        clock: Arc<dyn Clock>,
    ) -> JwksCache {
        let issuer = issuer.to_owned();
        JwksCache { issuer, source, settings, fetch, clock, state: Mutex::default() }
    }

    /// The key of this id. One at a time asks the issuer: the others wait and use what it was told.
    pub async fn find(&self, kid: &str) -> Result<Option<PublicKey>, Error> {
        let mut state = self.state.lock().await;
        let now = Moment::from_millis(self.clock.now_millis());
        let older = |since: Option<Moment>, than: Duration| {
            since.is_none_or(|since| now.since(since) >= than)
        };
        let wanted = older(state.fetched, self.settings.age_max) || !state.keys.contains_key(kid);
        if wanted && older(state.attempted, self.settings.interval_min) {
            state.attempted = Some(now);
            match self.load().await {
                Ok(keys) => {
                    state.keys = keys;
                    state.fetched = Some(now);
                }
                Err(why) if older(state.fetched, self.settings.stale_max) => {
                    return Err(Error::unavailable(format!("the keys of {}: {why}", self.issuer)));
                }
                Err(_) => {}
            }
        }
        if older(state.fetched, self.settings.stale_max) {
            return Err(Error::unavailable(format!("the keys of {} are not known", self.issuer)));
        }
        Ok(state.keys.get(kid).cloned())
    }

    async fn load(&self) -> Result<HashMap<String, PublicKey>, String> {
        let bytes = match &self.source {
            JwksSource::Url(url) => self.fetch.fetch(url).await?,
            JwksSource::File(path) => {
                tokio::fs::read(path).await.map_err(|error| error.to_string())?
            }
            JwksSource::Discovery => {
                let url = format!(
                    "{}/.well-known/openid-configuration",
                    self.issuer.trim_end_matches('/')
                );
                let found = strict_json::object(&self.fetch.fetch(&url).await?);
                let found = found.ok_or("its configuration is not an object")?;
                if found.get("issuer").and_then(Value::as_str) != Some(&self.issuer) {
                    return Err("its configuration is of another issuer".to_owned());
                }
                let url = found.get("jwks_uri").and_then(Value::as_str);
                self.fetch.fetch(url.ok_or("its configuration has no jwks_uri")?).await?
            }
        };
        read(&bytes)
    }
}

/// The keys of a set by their ids. A key without one, of another use or kind, is left out; an id that
/// occurs twice makes the set unusable, because it would be open which key is meant.
fn read(bytes: &[u8]) -> Result<HashMap<String, PublicKey>, String> {
    let set = strict_json::object(bytes).ok_or("the key set is not an object")?;
    let all = set.get("keys").and_then(Value::as_array).ok_or("the key set has no keys")?;
    if all.len() > KEYS_MAX {
        return Err(format!("the key set has more than {KEYS_MAX} keys"));
    }
    let mut keys = HashMap::new();
    for jwk in all.iter().filter_map(Value::as_object) {
        let kid = jwk.get("kid").and_then(Value::as_str).filter(|kid| !kid.is_empty());
        let (Some(kid), Some(key)) = (kid, PublicKey::from_jwk(jwk)) else { continue };
        if keys.insert(kid.to_owned(), key).is_some() {
            return Err("the key set has an id twice".to_owned());
        }
    }
    Ok(keys)
}
