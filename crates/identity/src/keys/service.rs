//! Keys are made, found, changed, rotated and revoked here. Changes come as data, see [`Changed`].

use std::sync::Arc;
use std::time::Duration;

use kernel::clock::Clock;
use kernel::error::{CONFLICT, Error};
use kernel::ids::Ids;
use kernel::moment::Moment;
use kernel::recent::Recent;
use limits::Limiter;
use patterns::platform::ApiKeys;
use secrets::Secret;
use store::{Changes, Page, Record as _, Stamp, Store, Write};
use values::AttributeValue;

use super::change::{Changed, Made};
use super::key::{Edit, Key, NewKey, check};
use super::text;
use super::usage::Usage;

/// The longest time for which a rotated key stays valid.
pub const ROTATION_GRACE_MAX: Duration = Duration::from_secs(24 * 60 * 60);
/// How long a revoked or expired key is kept for those who ask what became of it.
const KEPT: Duration = Duration::from_secs(30 * 24 * 60 * 60);

/// The keys of all accounts. Share it in an `Arc`.
pub struct Keys {
    store: Store,
    pub(super) table: ApiKeys,
    ids: Ids,
    clock: Arc<dyn Clock>,
    pub(super) limiter: Option<Arc<Limiter>>,
    pub(super) usage: Usage,
    /// Keys as they were read, by their hashes.
    known: Recent<String, Arc<Known>>,
}

struct Known {
    key: Arc<Key>,
    /// From before it was read.
    stamp: Stamp,
}

impl Keys {
    /// Keys in this store, without rate limits of their own.
    pub fn new(store: Store, ids: Ids, clock: Arc<dyn Clock>) -> Result<Keys, Error> {
        let table = ApiKeys::open(&store)?;
        let (usage, known) = (Usage::default(), Recent::default());
        Ok(Keys { store, table, ids, clock, limiter: None, usage, known })
    }

    /// The same, with the keys' own rate limits kept by this limiter.
    #[must_use]
    pub fn limited_by(self, limiter: Arc<Limiter>) -> Keys {
        Keys { limiter: Some(limiter), ..self }
    }

    /// Makes a key. Its secret is in the answer and nowhere else.
    pub fn create(&self, new: NewKey, by: &str) -> Result<Made, Error> {
        let now = self.now();
        let NewKey {
            account_id,
            name,
            environment,
            scopes,
            expires_at,
            metadata,
            limit,
            uses_left,
        } = new;
        check(Some(&name), scopes.as_ref(), expires_at, Some(&metadata), limit, now)?;
        let key = Key {
            hash: String::new(),
            id: String::new(),
            account_id,
            name,
            prefix: String::new(),
            environment,
            scopes,
            enabled: true,
            metadata,
            limit_requests: limit.map(|limit| limit.requests),
            limit_window_seconds: limit.map(|limit| limit.window_seconds),
            uses_left,
            created_at: now,
            created_by: by.to_owned(),
            updated_at: None,
            last_used_at: None,
            expires_at,
            disabled_at: None,
            disabled_by: None,
            revoked_at: None,
            revoked_by: None,
            revoked_because: None,
            rotated_to: None,
            rotated_from: None,
            version: 1,
            ttl: expires_at.map(kept_until),
        };
        let (secret, key, write) = self.with_secret(key, now)?;
        let changed = Changed::new("API_KEY_CREATED", "api_key.created", None, key, vec![write]);
        Ok(Made { secret, changed })
    }

    /// A page of an account's keys, newest first.
    pub async fn list(
        &self,
        account_id: &str,
        limit: u32,
        token: Option<&str>,
    ) -> Result<Page<Key>, Error> {
        Ok(self.table.list_keys(account_id).page(account_id, limit, token).await?)
    }

    /// An account's key by its identifier, as it is now. Another account's does not exist.
    pub async fn get(&self, account_id: &str, id: &str) -> Result<Option<Key>, Error> {
        Ok(self.find(id).await?.filter(|key| key.account_id == account_id))
    }

    /// A key by its identifier, as it is now, whosever it is: for who asks afterwards whether the
    /// caller may see it.
    pub async fn find(&self, id: &str) -> Result<Option<Key>, Error> {
        let found = self.table.get_key_by_id(id).first::<Key>().await?;
        let Some(found) = found else { return Ok(None) };
        // An index may lag behind: what is changed must be known as it is.
        Ok(self.by_hash(&found.hash).await?.map(Arc::unwrap_or_clone))
    }

    /// Changes what a key is called, may do, or is limited to.
    pub fn edit(&self, key: &Key, edit: Edit) -> Result<Changed, Error> {
        let now = self.now();
        must_not_be_revoked(key)?;
        let Edit { name, scopes, expires_at, metadata, limit, uses_left } = edit;
        let (new_scopes, new_limit) = (scopes.as_ref().and_then(Option::as_ref), limit.flatten());
        check(
            name.as_deref(),
            new_scopes,
            expires_at.flatten(),
            metadata.as_ref(),
            new_limit,
            now,
        )?;
        let mut after = key.clone();
        after.name = name.unwrap_or(after.name);
        after.scopes = scopes.unwrap_or(after.scopes);
        after.metadata = metadata.unwrap_or(after.metadata);
        after.uses_left = uses_left.unwrap_or(after.uses_left);
        if let Some(limit) = limit {
            after.limit_requests = limit.map(|limit| limit.requests);
            after.limit_window_seconds = limit.map(|limit| limit.window_seconds);
        }
        if let Some(expires_at) = expires_at {
            let is_later = expires_at.is_none() || expires_at > key.expires_at;
            if key.rotated_to.is_some() && is_later {
                let message =
                    "This key was rotated: it cannot be kept for longer. Use its successor";
                return Err(Error::new(CONFLICT, message));
            }
            after.expires_at = expires_at;
            after.ttl = expires_at.map(kept_until);
        }
        let write = self.replace(key, &mut after, now)?;
        Ok(Changed::new("API_KEY_UPDATED", "api_key.updated", Some(key), after, vec![write]))
    }

    /// Switches a key off, until it is switched on again.
    pub fn disable(&self, key: &Key, by: &str) -> Result<Changed, Error> {
        let now = self.now();
        must_not_be_revoked(key)?;
        let mut after = key.clone();
        (after.enabled, after.disabled_at) = (false, Some(now));
        after.disabled_by = Some(by.to_owned());
        let write = self.replace(key, &mut after, now)?;
        Ok(Changed::new("API_KEY_DISABLED", "api_key.disabled", Some(key), after, vec![write]))
    }

    /// Switches a key on again.
    pub fn enable(&self, key: &Key) -> Result<Changed, Error> {
        must_not_be_revoked(key)?;
        let mut after = key.clone();
        (after.enabled, after.disabled_at, after.disabled_by) = (true, None, None);
        let write = self.replace(key, &mut after, self.now())?;
        Ok(Changed::new("API_KEY_ENABLED", "api_key.enabled", Some(key), after, vec![write]))
    }

    /// Revokes a key for good: from the commit on, nobody accepts it. Others' changes do not get in
    /// its way. Once it is revoked, its item may be removed after thirty days.
    pub fn revoke(&self, key: &Key, by: &str, because: &str) -> Result<Changed, Error> {
        let now = self.now();
        must_not_be_revoked(key)?;
        let mut after = key.clone();
        (after.revoked_at, after.updated_at) = (Some(now), Some(now));
        after.revoked_by = Some(by.to_owned());
        after.revoked_because = Some(because.to_owned());
        after.ttl = Some(kept_until(now));
        after.version += 1;
        let changes = Changes::new()
            .set("revoked_at", now.to_string())
            .set("revoked_by", by)
            .set("revoked_because", because)
            .set("updated_at", now.to_string())
            .set("ttl", AttributeValue::N(kept_until(now).into()))
            .add("version", 1_i64);
        let write = self.table.revoke_key(&key.hash).update(changes)?;
        Ok(Changed::new("API_KEY_REVOKED", "api_key.revoked", Some(key), after, vec![write]))
    }

    /// Gives a key a successor with a new identifier and secret and the same settings. The old one
    /// stays valid for a while, of 24 hours at most and never past its own expiry.
    pub fn rotate(&self, key: &Key, grace: Duration, by: &str) -> Result<Made, Error> {
        let now = self.now();
        must_not_be_revoked(key)?;
        if grace > ROTATION_GRACE_MAX {
            let message = "it must be 0 to 86400 s".to_owned();
            return Err(Error::validation([("graceSeconds", message)]));
        }
        let refusals = [
            (key.rotated_to.is_some(), "This key was rotated already: rotate its successor"),
            (!key.enabled, "This key is disabled: enable it first, or make a new one"),
            (key.is_expired(now), "This key is expired: make a new one"),
        ];
        if let Some((_, message)) = refusals.into_iter().find(|(refused, _)| *refused) {
            return Err(Error::new(CONFLICT, message));
        }
        let successor = Key {
            created_at: now,
            created_by: by.to_owned(),
            updated_at: None,
            last_used_at: None,
            rotated_from: Some(key.id.clone()),
            version: 1,
            ..key.clone()
        };
        let (secret, successor, create) = self.with_secret(successor, now)?;
        let mut after = key.clone();
        let over = now.after(grace);
        let expires_at = key.expires_at.map_or(over, |own| own.min(over));
        after.expires_at = Some(expires_at);
        after.ttl = Some(kept_until(expires_at));
        after.rotated_to = Some(successor.id.clone());
        let replace = self.replace(key, &mut after, now)?;
        let writes = vec![create, replace];
        let mut changed =
            Changed::new("API_KEY_ROTATED", "api_key.rotated", Some(key), successor, writes);
        changed.entry = changed.entry.detail("predecessor", after.shown());
        Ok(Made { secret, changed })
    }

    /// Somebody found this text where it should not be: if it is a key that is not revoked, it is to
    /// be revoked. The answer to whoever reports it must not tell which it was.
    pub async fn report(&self, found: &str, by: &str) -> Result<Option<Changed>, Error> {
        if text::read(found).is_none() {
            return Ok(None);
        }
        match self.by_hash(&text::hash(found)).await? {
            Some(key) if key.revoked_at.is_none() => {
                let mut changed = self.revoke(&key, by, "it was found where it should not be")?;
                changed.event.event_type = "api_key.leaked".to_owned();
                Ok(Some(changed))
            }
            _ => Ok(None),
        }
    }

    /// Writes when keys were last used, as far as that is worth a write. For a worker, every minute or
    /// so. Gives how many were written.
    pub async fn write_last_used(&self) -> Result<u64, Error> {
        let mut written = 0;
        for (hash, at) in self.usage.take() {
            let at = at.to_string();
            let note = self.table.note_use(&hash, &at);
            match note.update(Changes::new().set("last_used_at", at))?.run().await {
                Ok(_) => written += 1,
                Err(store::Error::ConditionFailed { .. }) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(written)
    }

    /// A key as it is at this moment: read, strongly consistent, or remembered, where the store can
    /// tell that it has not changed since it was read.
    pub(super) async fn by_hash(&self, hash: &str) -> Result<Option<Arc<Key>>, Error> {
        if let Some(known) = self.known.find(hash)
            && self.store.is_unchanged(&known.stamp)
        {
            return Ok(Some(Arc::clone(&known.key)));
        }
        let get = self.table.verify_key(hash);
        let stamp = self.store.stamp(&[get.key()?]);
        let Some(key) = get.get().await?.map(Arc::new) else { return Ok(None) };
        if let Some(stamp) = stamp {
            let known = Known { key: Arc::clone(&key), stamp };
            self.known.add(hash.to_owned(), Arc::new(known));
        }
        Ok(Some(key))
    }

    pub(super) fn now(&self) -> Moment {
        Moment::from_millis(self.clock.now_millis())
    }

    /// A new secret and identifier for a key, and what stores it.
    fn with_secret(&self, mut key: Key, now: Moment) -> Result<(Secret, Key, Write), Error> {
        let secret = text::make(key.environment, &Secret::new(self.ids.bytes()?));
        key.id = self.ids.prefixed("key", now)?;
        key.hash = text::hash(secret.reveal());
        key.prefix = text::shown(secret.reveal());
        let write = self.table.create_key().put(&key)?;
        Ok((secret, key, write))
    }

    /// Writes what differs, if nobody changed the key since. The rest is left alone: uses may be
    /// spent at the same time.
    fn replace(&self, before: &Key, after: &mut Key, now: Moment) -> Result<Write, Error> {
        after.updated_at = Some(now);
        let (old, new) = (before.to_item()?, after.to_item()?);
        let mut changes = Changes::new().expect_version(before.version);
        for name in old.keys().filter(|name| !new.contains_key(name)) {
            changes = changes.remove(name);
        }
        for (name, value) in new.into_iter().filter(|(name, value)| old.get(name) != Some(value)) {
            changes = changes.set(&name, value);
        }
        after.version = before.version + 1;
        Ok(self.table.change_key(&before.hash).update(changes)?)
    }
}

fn kept_until(over: Moment) -> u64 {
    over.after(KEPT).seconds()
}

fn must_not_be_revoked(key: &Key) -> Result<(), Error> {
    if key.revoked_at.is_none() {
        return Ok(());
    }
    Err(Error::new(CONFLICT, "This key is revoked, which is for good: make a new one"))
}
