//! How are secrets kept at rest? Sealed under a key of the account they belong to, which is itself
//! wrapped by a master key that no table holds.
//!
//! Not here: hashes of passwords, API keys and tokens, which nobody ever needs to read back.

mod account_keys;
mod cipher;
mod envelope;
mod key_service;
mod local_key;
mod master_key;
mod seal;
mod secret;
mod vault;

pub use key_service::{Context, KeyService, MasterKeys};
pub use local_key::LocalKey;
pub use master_key::{
    Elsewhere, MASTER_KEY_FILE_VARIABLE, MASTER_KEY_VARIABLE, MasterKeySource, NoMasterKey,
};
pub use seal::{Seal, Sealing};
pub use secret::Secret;
pub use vault::{ACCOUNT_KEY_DESTROYED, Vault};
