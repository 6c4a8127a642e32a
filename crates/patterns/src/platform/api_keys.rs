//! API keys, by their hash; and the wrapped keys that secrets of an account are sealed with.
//!
//! Generated from `tables/platform/api_keys.json`: do not edit, `ACCEPT=1 cargo nextest run -p
//! tables` writes it anew.

use store::{Error, Get, Kind, List, Put, Store, TableHandle, Update};
use values::{AttributeValue, Number};

/// The table `platform/api_keys`. Cloning is cheap.
#[derive(Clone)]
pub struct ApiKeys(TableHandle);

impl ApiKeys {
    /// The table of a store.
    pub fn open(store: &Store) -> Result<ApiKeys, Error> {
        let fingerprint = 0x252d_33cf_f1e1_a1b9;
        TableHandle::generated(store, "platform/api_keys", fingerprint).map(ApiKeys)
    }

    /// Get a key by its hash (R003-apikey-2, C3-07).
    pub fn verify_key(&self, api_key_hash: &str) -> Get {
        Get::new(&self.0, 0, [api_key_hash.into()])
    }

    /// List the keys of an account, newest first (R003-apikey-2).
    pub fn list_keys(&self, account_id: &str) -> List {
        List::new(&self.0, 1, [account_id.into()])
    }

    /// Get a key by its identifier (R003-apikey-1).
    pub fn get_key_by_id(&self, api_key_id: &str) -> List {
        List::new(&self.0, 2, [api_key_id.into()])
    }

    /// Store a new key and record it (R003-apikey-1, R003-audit-7).
    pub fn create_key(&self) -> Put {
        Put::new(&self.0, 3, [])
    }

    /// Change, disable, enable or rotate a key, if nobody else did, and record it (R003-apikey-3,
    /// R003-audit-7, C3-07).
    pub fn change_key(&self, api_key_hash: &str) -> Update {
        Update::new(&self.0, 4, [api_key_hash.into()])
    }

    /// Revoke a key for good and record it (R003-apikey-3, R003-audit-7, C3-07).
    pub fn revoke_key(&self, api_key_hash: &str) -> Update {
        Update::new(&self.0, 5, [api_key_hash.into()])
    }

    /// Count a use of a key that has a number of uses (R003-apikey-2, C3-14).
    pub fn spend_use(&self, api_key_hash: &str, cost: impl Into<Number>) -> Update {
        Update::new(&self.0, 6, [api_key_hash.into(), AttributeValue::N(cost.into())])
    }

    /// Note when a key was last accepted (R003-apikey-1, C3-14).
    pub fn note_use(&self, api_key_hash: &str, used_at: &str) -> Update {
        Update::new(&self.0, 7, [api_key_hash.into(), used_at.into()])
    }

    /// Get the keys that an account's secrets are sealed with (R003-table-2, C3-14).
    pub fn get_account_key(&self, owner: &str) -> Get {
        Get::new(&self.0, 8, [owner.into()])
    }

    /// List the accounts whose keys a master key wraps (R003-table-2, C3-14).
    pub fn list_account_keys(&self, master_key_id: &str) -> List {
        List::new(&self.0, 9, [master_key_id.into()])
    }

    /// Items of the kind `api_key`. One key.
    pub fn api_key(&self) -> Kind<'_> {
        Kind::new(&self.0, 0)
    }

    /// Items of the kind `account_key`. The keys that an account's secrets are sealed with, wrapped
    /// by a master key.
    pub fn account_key(&self) -> Kind<'_> {
        Kind::new(&self.0, 1)
    }
}
