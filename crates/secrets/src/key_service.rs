//! What wraps the accounts' keys: a master key, here or in a key service, and several while one
//! replaces another.

use std::sync::Arc;

use kernel::PLATFORM;
use kernel::error::Error;
use kernel::ids::Ids;
use zeroize::Zeroizing;

use super::seal::Sealing;

/// What a wrapped key belongs to: named again to unwrap it, or it does not open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Context {
    /// The account.
    pub account: String,
    /// The account's key, in hexadecimal.
    pub key_id: String,
}

/// A master key that never leaves where it is: it wraps keys and unwraps them.
///
/// Asking it may take a while and cost something: keys that it unwrapped are remembered for minutes.
pub trait KeyService: Send + Sync + 'static {
    /// What the wrapped keys are filed under. It never changes and is no secret.
    fn id(&self) -> &str;

    /// Wraps a key.
    fn wrap<'a>(&'a self, context: &'a Context, key: &'a [u8]) -> Sealing<'a>;

    /// Unwraps what [`KeyService::wrap`] gave for this context.
    fn unwrap<'a>(&'a self, context: &'a Context, wrapped: &'a [u8]) -> Sealing<'a>;
}

/// The master keys that are known: the newest wraps, all of them unwrap.
///
/// To replace one on several instances: give every instance the new one as an older one, then to
/// every instance as the newest, call [`super::Vault::rewrap`], and take the old one away.
#[derive(Clone)]
pub struct MasterKeys {
    newest: Arc<dyn KeyService>,
    older: Vec<Arc<dyn KeyService>>,
}

impl MasterKeys {
    /// One master key.
    pub fn new(newest: Arc<dyn KeyService>) -> MasterKeys {
        MasterKeys { newest, older: Vec::new() }
    }

    /// Another one that only unwraps.
    #[must_use]
    pub fn and_older(mut self, older: Arc<dyn KeyService>) -> MasterKeys {
        self.older.push(older);
        self
    }

    /// Says why the newest cannot be used, if it cannot: it wraps a key and unwraps it. The others are
    /// not asked to wrap: they may no longer be allowed to.
    pub async fn check(&self, ids: &Ids) -> Result<(), Error> {
        let context = Context { account: PLATFORM.to_owned(), key_id: "check".to_owned() };
        let key = Zeroizing::new(ids.bytes::<32>()?);
        let wrapped = self.newest.wrap(&context, key.as_slice()).await?;
        let unwrapped = Zeroizing::new(self.newest.unwrap(&context, &wrapped).await?);
        if *unwrapped == key.as_slice() {
            return Ok(());
        }
        let id = self.newest.id();
        Err(Error::internal(format!("the master key {id} unwraps something else than it wrapped")))
    }

    /// The one that wraps.
    pub fn newest(&self) -> &Arc<dyn KeyService> {
        &self.newest
    }

    /// The ones that only unwrap.
    pub fn older(&self) -> &[Arc<dyn KeyService>] {
        &self.older
    }

    /// The one of this name.
    pub fn find(&self, id: &str) -> Option<&Arc<dyn KeyService>> {
        std::iter::once(&self.newest).chain(&self.older).find(|key| key.id() == id)
    }

    /// Without an older one.
    pub(super) fn without(&self, id: &str) -> MasterKeys {
        let mut keys = self.clone();
        keys.older.retain(|key| key.id() != id);
        keys
    }
}
