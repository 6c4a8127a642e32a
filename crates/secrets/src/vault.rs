//! The vault seals and unseals: it makes, keeps, replaces and destroys the accounts' keys.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::Duration;

use kernel::clock::Clock;
use kernel::error::{CONFLICT, Code, Error};
use kernel::ids::Ids;
use kernel::moment::Moment;
use patterns::platform::ApiKeys;
use ring::hmac;
use serde::Deserialize;
use serde_bytes::ByteBuf;
use store::Store;
use zeroize::Zeroizing;

use super::account_keys::{Opened, OpenedKey, Stored, Wrapped};
use super::cipher::Key;
use super::envelope::{self, Header, KeyId};
use super::key_service::{Context, MasterKeys};
use super::seal::{Seal, Sealing};

/// The account's keys were destroyed, and with them everything that was sealed.
pub const ACCOUNT_KEY_DESTROYED: Code = Code::new("ACCOUNT_KEY_DESTROYED", 410);

/// How long an unwrapped key is used without asking the store again. A destroyed key is forgotten
/// everywhere after this time, and one that was replaced no longer seals.
const REMEMBERED: Duration = Duration::from_secs(5 * 60);
/// How many accounts' keys are remembered.
const REMEMBERED_MAX: usize = 10_000;
/// Accounts of one page of [`Vault::rewrap`].
const REWRAP_PAGE: u32 = 100;
/// How often a change is tried that somebody else got ahead of.
const TRIES: usize = 5;

/// Envelope encryption with a key for each account. Share it in an `Arc`.
pub struct Vault {
    table: ApiKeys,
    ids: Ids,
    clock: Arc<dyn Clock>,
    masters: RwLock<MasterKeys>,
    remembered: Mutex<HashMap<String, Arc<Opened>>>,
}

/// What may become of an account's keys.
#[derive(Clone, Copy)]
enum Change {
    Rotate,
    Retire,
    Destroy,
    Rewrap,
}

impl Vault {
    /// A vault on these master keys.
    pub fn new(
        store: &Store,
        ids: Ids,
        clock: Arc<dyn Clock>,
        masters: MasterKeys,
    ) -> Result<Vault, Error> {
        let (masters, remembered) = (RwLock::new(masters), Mutex::default());
        Ok(Vault { table: ApiKeys::open(store)?, ids, clock, masters, remembered })
    }

    /// Seals again what an older key of the account sealed; none if it is under the newest.
    pub async fn reseal(
        &self,
        account: &str,
        place: &str,
        sealed: &[u8],
    ) -> Result<Option<Vec<u8>>, Error> {
        let plain = Zeroizing::new(self.open(account, place, sealed).await?);
        let newest = self.keys(account, true).await?;
        let newest = newest.keys.last().map(|key| key.id);
        if newest == Header::read(sealed).map(|header| header.key_id) {
            return Ok(None);
        }
        self.close(account, place, &plain).await.map(Some)
    }

    /// Gives the account a new key. What the older ones sealed still opens; [`Vault::reseal`] moves
    /// it to the new one, and [`Vault::retire`] then removes the older ones.
    pub async fn rotate(&self, account: &str) -> Result<(), Error> {
        self.keys(account, true).await?;
        self.change(account, Change::Rotate).await.map(drop)
    }

    /// Removes every key of the account but the newest. What is still sealed under them is lost: wait
    /// five minutes after [`Vault::rotate`], so that no instance seals with them any more, then
    /// reseal everything first.
    pub async fn retire(&self, account: &str) -> Result<(), Error> {
        self.change(account, Change::Retire).await.map(drop)
    }

    /// Destroys the account's keys, and with them everything that was ever sealed for it. Other
    /// instances forget them within five minutes.
    pub async fn destroy(&self, account: &str) -> Result<(), Error> {
        self.keys(account, true).await?;
        self.change(account, Change::Destroy).await.map(drop)
    }

    /// Secrets for one purpose that come from the account's keys, the newest key's last: the same at
    /// every start and on every instance, and gone with the keys.
    pub async fn derived(
        &self,
        account: &str,
        purpose: &str,
    ) -> Result<Vec<Zeroizing<[u8; 32]>>, Error> {
        let opened = self.keys(account, false).await?;
        let derive = |key: &OpenedKey| {
            let key = hmac::Key::new(hmac::HMAC_SHA256, key.key.reveal());
            let tag =
                hmac::sign(&key, [b"plinth.derived.v1 ", purpose.as_bytes()].concat().as_ref());
            let mut bytes = Zeroizing::new([0; 32]);
            bytes.copy_from_slice(tag.as_ref());
            bytes
        };
        Ok(opened.keys.iter().map(derive).collect())
    }

    /// Uses these master keys from now on.
    pub fn replace_masters(&self, masters: MasterKeys) {
        *self.masters.write().unwrap_or_else(PoisonError::into_inner) = masters;
    }

    /// Wraps every account key that an older master key wraps under the newest one, while everything
    /// runs. Gives how many accounts were moved.
    pub async fn rewrap(&self) -> Result<u64, Error> {
        let older: Vec<String> =
            self.masters().older().iter().map(|key| key.id().to_owned()).collect();
        let mut moved = 0;
        for master in older {
            let mut token: Option<String> = None;
            loop {
                let (owners, next) = self.wrapped_by(&master, token.as_deref()).await?;
                for owner in owners {
                    moved += u64::from(self.change(&owner, Change::Rewrap).await?);
                }
                token = next;
                if token.is_none() {
                    break;
                }
            }
        }
        Ok(moved)
    }

    /// Takes an older master key away, if no account's key needs it any more.
    pub async fn remove_master(&self, id: &str) -> Result<(), Error> {
        if !self.wrapped_by(id, None).await?.0.is_empty() {
            let message = "Some accounts' keys are still under this master key: rewrap them first";
            return Err(Error::new(CONFLICT, message));
        }
        let masters = self.masters();
        if masters.newest().id() == id {
            let message = "This is the master key in use: add its successor first";
            return Err(Error::new(CONFLICT, message));
        }
        self.replace_masters(masters.without(id));
        Ok(())
    }

    /// What is stored of an account, changed; none if that changes nothing.
    async fn changed(&self, mut stored: Stored, change: Change) -> Result<Option<Stored>, Error> {
        let masters = self.masters();
        match change {
            Change::Rotate => {
                let keys = unwrap_all(&masters, &stored).await?;
                let version = keys.last().map_or(0, |key| key.version) + 1;
                wrap_again(&masters, &mut stored, &keys).await?;
                let made = self.make(&masters, &stored.owner, version).await?;
                stored.wrapped_keys.push(made);
            }
            Change::Retire => {
                let old = stored.wrapped_keys.len().saturating_sub(1);
                stored.wrapped_keys.drain(..old);
                return Ok((old > 0).then_some(stored));
            }
            Change::Destroy => {
                stored.wrapped_keys.clear();
                stored.master_key_id = None;
                stored.destroyed_at = Some(self.now());
            }
            Change::Rewrap => {
                if stored.master_key_id.as_deref() == Some(masters.newest().id()) {
                    return Ok(None);
                }
                let keys = unwrap_all(&masters, &stored).await?;
                wrap_again(&masters, &mut stored, &keys).await?;
            }
        }
        Ok(Some(stored))
    }

    async fn close(&self, account: &str, place: &str, plain: &[u8]) -> Result<Vec<u8>, Error> {
        let keys = self.keys(account, false).await?;
        let key = keys.keys.last().ok_or_else(|| Error::internal("an account without a key"))?;
        let header = Header { key_id: key.id, version: key.version };
        let sealed = envelope::seal(&key.key, header, &self.ids.bytes()?, [account, place], plain);
        sealed.ok_or_else(|| Error::internal("too long to seal"))
    }

    async fn open(&self, account: &str, place: &str, sealed: &[u8]) -> Result<Vec<u8>, Error> {
        let why = |what: &str| {
            Error::internal(format!(
                "{place} of the account {account} {what}: it was changed, or sealed for another \
                 account or place"
            ))
        };
        let header = Header::read(sealed).ok_or_else(|| why("is nothing sealed"))?;
        let mut keys = self.keys(account, false).await?;
        let of = |keys: &Opened| keys.keys.iter().position(|key| key.id == header.key_id);
        if of(&keys).is_none() {
            // Another instance may have made the key since.
            keys = self.keys(account, true).await?;
        }
        let at = of(&keys).ok_or_else(|| why("is under no key of it"))?;
        envelope::open(&keys.keys[at].key, [account, place], sealed)
            .ok_or_else(|| why("does not open"))
    }

    /// The account's keys, from memory unless they are to be read again. Makes the first one.
    async fn keys(&self, account: &str, again: bool) -> Result<Arc<Opened>, Error> {
        if account.is_empty() {
            return Err(Error::internal("something was to be sealed for no account"));
        }
        let now = self.now();
        if !again {
            let remembered = self.remembered.lock().unwrap_or_else(PoisonError::into_inner);
            let known = remembered.get(account);
            if let Some(known) = known.filter(|known| now.since(known.read_at) < REMEMBERED) {
                return Ok(Arc::clone(known));
            }
        }
        for _ in 0..TRIES {
            let Some(stored) = self.stored(account).await? else {
                self.create(account).await?;
                continue;
            };
            if stored.destroyed_at.is_some() {
                self.forget(account);
                let message = "The keys of this account were destroyed, and its secrets with them";
                return Err(Error::new(ACCOUNT_KEY_DESTROYED, message));
            }
            let keys = unwrap_all(&self.masters(), &stored).await?;
            let opened = Arc::new(Opened { keys, read_at: now });
            let mut remembered = self.remembered.lock().unwrap_or_else(PoisonError::into_inner);
            if remembered.len() >= REMEMBERED_MAX {
                remembered.clear();
            }
            remembered.insert(account.to_owned(), Arc::clone(&opened));
            return Ok(opened);
        }
        Err(Error::unavailable(format!("the key of the account {account} could not be made")))
    }

    /// Stores a first key, unless somebody else does at this moment.
    async fn create(&self, account: &str) -> Result<(), Error> {
        let masters = self.masters();
        let stored = Stored {
            owner: account.to_owned(),
            master_key_id: Some(masters.newest().id().to_owned()),
            wrapped_keys: vec![self.make(&masters, account, 1).await?],
            destroyed_at: None,
            updated_at: self.now(),
            version: 1,
        };
        match self.table.account_key().create(&stored)?.run().await {
            Ok(_) | Err(store::Error::ConditionFailed { .. }) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    /// A new key, wrapped.
    async fn make(
        &self,
        masters: &MasterKeys,
        account: &str,
        version: u32,
    ) -> Result<Wrapped, Error> {
        let id: KeyId = self.ids.bytes()?;
        let key = OpenedKey { id, version, key: Key::new(self.ids.bytes()?) };
        wrap(masters, account, &key, self.now()).await
    }

    /// Changes what is stored of an account, again if somebody else does at the same time. Gives
    /// whether anything changed.
    async fn change(&self, account: &str, change: Change) -> Result<bool, Error> {
        for _ in 0..TRIES {
            let Some(stored) = self.stored(account).await? else { return Ok(false) };
            if stored.destroyed_at.is_some() {
                return Ok(false);
            }
            let Some(mut stored) = self.changed(stored, change).await? else { return Ok(false) };
            stored.updated_at = self.now();
            match self.table.account_key().replace_version(&stored)?.run().await {
                Ok(_) => {
                    self.forget(account);
                    return Ok(true);
                }
                Err(store::Error::ConditionFailed { .. }) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Err(Error::unavailable(format!("the key of the account {account} is being changed")))
    }

    async fn stored(&self, account: &str) -> Result<Option<Stored>, Error> {
        Ok(self.table.get_account_key(account).get().await?)
    }

    /// Accounts whose keys a master key wraps, page by page.
    async fn wrapped_by(
        &self,
        master: &str,
        token: Option<&str>,
    ) -> Result<(Vec<String>, Option<String>), Error> {
        #[derive(serde::Serialize, Deserialize)]
        struct Row {
            owner: String,
        }
        let list = self.table.list_account_keys(master);
        let page = list.page::<Row>("vault", REWRAP_PAGE, token).await?;
        Ok((page.items.into_iter().map(|row| row.owner).collect(), page.next))
    }

    fn forget(&self, account: &str) {
        self.remembered.lock().unwrap_or_else(PoisonError::into_inner).remove(account);
    }

    fn masters(&self) -> MasterKeys {
        self.masters.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn now(&self) -> Moment {
        Moment::from_millis(self.clock.now_millis())
    }
}

impl Seal for Vault {
    fn seal<'a>(&'a self, account: &'a str, place: &'a str, plain: &'a [u8]) -> Sealing<'a> {
        Box::pin(self.close(account, place, plain))
    }

    fn unseal<'a>(&'a self, account: &'a str, place: &'a str, sealed: &'a [u8]) -> Sealing<'a> {
        Box::pin(self.open(account, place, sealed))
    }
}

async fn wrap(
    masters: &MasterKeys,
    account: &str,
    key: &OpenedKey,
    made_at: Moment,
) -> Result<Wrapped, Error> {
    let key_id = format!("{:032x}", u128::from_be_bytes(key.id));
    let context = Context { account: account.to_owned(), key_id: key_id.clone() };
    let wrapped = masters.newest().wrap(&context, key.key.reveal()).await?;
    Ok(Wrapped { key_id, key_version: key.version, wrapped: ByteBuf::from(wrapped), made_at })
}

/// Wraps all keys under the newest master key: an item's keys are always under the same one.
async fn wrap_again(
    masters: &MasterKeys,
    stored: &mut Stored,
    keys: &[OpenedKey],
) -> Result<(), Error> {
    for (wrapped, key) in stored.wrapped_keys.iter_mut().zip(keys) {
        *wrapped = wrap(masters, &stored.owner, key, wrapped.made_at).await?;
    }
    stored.master_key_id = Some(masters.newest().id().to_owned());
    Ok(())
}

async fn unwrap_all(masters: &MasterKeys, stored: &Stored) -> Result<Vec<OpenedKey>, Error> {
    let id = stored.master_key_id.as_deref().unwrap_or_default();
    let account = &stored.owner;
    let master = masters.find(id).ok_or_else(|| {
        Error::internal(format!(
            "the key of the account {account} is under the master key {id}, which is not \
             configured: add it as an older one"
        ))
    })?;
    let mut keys = Vec::with_capacity(stored.wrapped_keys.len());
    for wrapped in &stored.wrapped_keys {
        let context = Context { account: account.clone(), key_id: wrapped.key_id.clone() };
        let bytes = Zeroizing::new(master.unwrap(&context, &wrapped.wrapped).await?);
        let key: Option<[u8; 32]> = bytes.as_slice().try_into().ok();
        let (Some(id), Some(key)) = (wrapped.id(), key) else {
            return Err(Error::internal(format!("the key of the account {account} is no key")));
        };
        keys.push(OpenedKey { id, version: wrapped.key_version, key: Key::new(key) });
    }
    Ok(keys)
}
