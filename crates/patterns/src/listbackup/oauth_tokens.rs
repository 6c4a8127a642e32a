//! Tokens for a source's platform.
//!
//! Generated from `tables/listbackup/oauth-tokens.json`: do not edit, `ACCEPT=1 cargo nextest run
//! -p tables` writes it anew.

use store::{Error, Get, Kind, List, Store, TableHandle};

/// The table `listbackup/oauth-tokens`. Cloning is cheap.
#[derive(Clone)]
pub struct OauthTokens(TableHandle);

impl OauthTokens {
    /// The table of a store.
    pub fn open(store: &Store) -> Result<OauthTokens, Error> {
        let fingerprint = 0x46d1_e46e_e869_96bb;
        TableHandle::generated(store, "listbackup/oauth-tokens", fingerprint).map(OauthTokens)
    }

    /// Get the tokens of a source (R001-oauthtokens-1).
    pub fn get_tokens(&self, source_id: &str) -> Get {
        Get::new(&self.0, 0, [source_id.into()])
    }

    /// List an account's tokens for a platform (R001-oauthtokens-6).
    pub fn list_tokens(&self, account_id: &str, platform: &str) -> List {
        List::new(&self.0, 1, [account_id.into(), platform.into()])
    }

    /// List the tokens that should be renewed (C1-21).
    pub fn list_due_tokens(&self, due_shard: &str, now: &str) -> List {
        List::new(&self.0, 2, [due_shard.into(), now.into()])
    }

    /// Items of the kind `tokens`. The tokens of one source.
    pub fn tokens(&self) -> Kind<'_> {
        Kind::new(&self.0, 0)
    }
}
