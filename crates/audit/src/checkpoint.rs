//! A signed statement of what an account's chain holds up to an event. Kept for ever and exported, it
//! tells when newer events, or all of them, are gone; and events behind it may expire.

use std::time::Duration;

use kernel::error::Error;
use kernel::moment::Moment;
use serde::{Deserialize, Serialize};

use super::canonical::{self, Field, field, number};
use super::head::Head;
use super::row::ENCODING;
use super::signing::{PublicKey, Signing};

const DOMAIN: &str = "plinth.audit.checkpoint.v1";

/// What a chain holds up to an event.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Checkpoint {
    /// Version of the bytes that the signature is over.
    pub encoding: u32,
    /// The account.
    pub account: String,
    /// Its number, from 1, in ten digits.
    pub checkpoint_id: String,
    /// The first event that it covers.
    pub first_sequence: u64,
    /// The last event that it covers; all events up to it are so many.
    pub last_sequence: u64,
    /// The hash of that event, in which those of all before it are.
    pub last_hash: String,
    /// When that event was recorded.
    pub last_timestamp: Moment,
    /// The hash of the checkpoint before.
    pub previous_hash: String,
    /// For how many days events were to be kept then.
    pub retention_days: u32,
    /// Since when everything was to be kept then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub held_since: Option<Moment>,
    /// When it was signed.
    pub sealed_at: Moment,
    /// The key.
    pub key_id: String,
    /// The signature.
    pub signature: String,
}

impl Checkpoint {
    /// What the chain holds up to its end.
    pub(super) fn of(head: &Head, now: Moment, signing: &Signing) -> Result<Checkpoint, Error> {
        let mut checkpoint = Checkpoint {
            encoding: ENCODING,
            account: head.account.clone(),
            checkpoint_id: format!("{:010}", head.checkpoint + 1),
            first_sequence: head.sealed_sequence + 1,
            last_sequence: head.sequence,
            last_hash: head.hash.clone(),
            last_timestamp: head.timestamp,
            previous_hash: head.checkpoint_hash.clone(),
            retention_days: head.retention_days,
            held_since: head.held_since,
            sealed_at: now,
            key_id: signing.key_id()?,
            signature: String::new(),
        };
        checkpoint.signature = signing.sign(&checkpoint.key_id, &checkpoint.bytes())?;
        Ok(checkpoint)
    }

    /// Its number.
    pub fn number(&self) -> u64 {
        self.checkpoint_id.parse().unwrap_or(0)
    }

    fn fields(&self) -> [Field<'_>; 12] {
        [
            number("encoding", u64::from(self.encoding)),
            field("account", &self.account),
            field("checkpoint_id", &self.checkpoint_id),
            number("first_sequence", self.first_sequence),
            number("last_sequence", self.last_sequence),
            field("last_hash", &self.last_hash),
            field("last_timestamp", self.last_timestamp.to_string()),
            field("previous_hash", &self.previous_hash),
            number("retention_days", u64::from(self.retention_days)),
            ("held_since", self.held_since.map(|moment| moment.to_string().into())),
            field("sealed_at", self.sealed_at.to_string()),
            field("key_id", &self.key_id),
        ]
    }

    fn bytes(&self) -> Vec<u8> {
        canonical::bytes(DOMAIN, &self.fields())
    }

    /// The hash that the next checkpoint holds. Signature included: Ed25519 signs one thing one way.
    pub fn hash(&self) -> String {
        let mut bytes = self.bytes();
        bytes.extend_from_slice(self.signature.as_bytes());
        canonical::sha256(&bytes)
    }

    /// Whether one of these keys signed it.
    pub fn is_signed_by(&self, keys: &[PublicKey]) -> bool {
        let key = keys.iter().find(|key| key.key_id == self.key_id);
        key.is_some_and(|key| key.verifies(&self.bytes(), &self.signature))
    }

    /// When its events may be removed, if they are kept for so many days: all at one time, so that
    /// it can be told of each whether it may be missing.
    pub fn expires(&self, retention_days: u32) -> Moment {
        let days = Duration::from_secs(u64::from(retention_days) * 24 * 60 * 60);
        self.last_timestamp.after(days)
    }
}
