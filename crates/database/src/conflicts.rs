//! Which items a transaction is writing right now.
//!
//! A transaction is under way from the moment it is taken until it is durable. Meanwhile another
//! write of one of its items gets `TransactionConflictException`, and another transaction is
//! cancelled with `TransactionConflict` at that position, as in the service (rule 52). Plinth could
//! let them wait instead; but code written against a database that never conflicts breaks on the one
//! that does.

use std::collections::HashSet;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use bytes::Bytes;

use crate::commit::KeySet;
use crate::keys::ItemKey;

/// The items under way.
#[derive(Debug, Default)]
pub struct Conflicts {
    items: Mutex<KeySet>,
    /// How many; lets the common case, no transaction at all, pass without the lock.
    count: AtomicUsize,
    tokens: Mutex<HashSet<String>>,
}

/// Holds a client token until it is dropped.
#[derive(Debug)]
pub struct TokenClaim<'a> {
    conflicts: &'a Conflicts,
    token: String,
}

/// Holds a transaction's items until it is dropped.
#[derive(Debug)]
pub struct Claim<'a> {
    conflicts: &'a Conflicts,
    items: Vec<Bytes>,
}

impl Conflicts {
    /// Is a transaction under way on this item?
    pub fn contains(&self, key: &ItemKey) -> bool {
        self.count.load(Ordering::Acquire) > 0 && self.lock().contains(key.bytes())
    }

    /// Claims items for a transaction; or says at which positions another one has them.
    pub fn claim<'k>(
        &self,
        keys: impl Iterator<Item = &'k ItemKey>,
    ) -> Result<Claim<'_>, Vec<usize>> {
        let keys: Vec<Bytes> = keys.map(|key| key.bytes().clone()).collect();
        let mut items = self.lock();
        let taken: Vec<usize> =
            (0..keys.len()).filter(|position| items.contains(&keys[*position])).collect();
        if !taken.is_empty() {
            return Err(taken);
        }
        items.extend(keys.iter().cloned());
        self.count.store(items.len(), Ordering::Release);
        Ok(Claim { conflicts: self, items: keys })
    }

    /// Claims a client token; `None` if a transaction with that token is under way.
    pub fn claim_token(&self, token: &str) -> Option<TokenClaim<'_>> {
        let mut tokens = self.tokens.lock().unwrap_or_else(PoisonError::into_inner);
        let is_new = tokens.insert(token.to_owned());
        is_new.then(|| TokenClaim { conflicts: self, token: token.to_owned() })
    }

    fn lock(&self) -> MutexGuard<'_, KeySet> {
        self.items.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Claim<'_> {
    fn drop(&mut self) {
        let mut items = self.conflicts.lock();
        for item in &self.items {
            items.remove(item);
        }
        self.conflicts.count.store(items.len(), Ordering::Release);
    }
}

impl Drop for TokenClaim<'_> {
    fn drop(&mut self) {
        let mut tokens = self.conflicts.tokens.lock().unwrap_or_else(PoisonError::into_inner);
        tokens.remove(&self.token);
    }
}
