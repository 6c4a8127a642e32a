//! Where an account's chain ends, kept apart from it: without this, a chain whose newest events are
//! gone would look whole. It bears a mark that only the holder of the signing key can make.

use kernel::error::Error;
use kernel::moment::Moment;
use serde::{Deserialize, Serialize};

use super::canonical::{self, Field, NO_HASH, field, number};
use super::reference::Reference;
use super::row::ENCODING;
use super::signing::Signing;

const DOMAIN: &str = "plinth.audit.head.v1";
const REGISTER_DOMAIN: &str = "plinth.audit.register.v1";
/// For how many days events are kept unless the account says otherwise (R003-audit-13, C3-06).
pub const RETENTION_DAYS: u32 = 90;
/// Parts of the register of chains.
pub(super) const REGISTER_SHARDS: u32 = 8;

/// The end of a chain, and how long its events are kept.
/// Its fields are in the order of their names, so that its item needs no sorting.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Head {
    /// The account.
    pub account: String,
    /// How many checkpoints there are.
    pub checkpoint: u64,
    /// The hash of the last one.
    pub checkpoint_hash: String,
    /// Version of the bytes that the mark is over.
    pub encoding: u32,
    /// Its identifier.
    pub event_id: String,
    /// Its hash.
    pub hash: String,
    /// Since when everything is kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub held_since: Option<Moment>,
    /// The key of the mark.
    pub key_id: String,
    /// The mark.
    pub mac: String,
    /// The last checkpoint whose events have their time of removal.
    pub released: u64,
    /// For how many days events are kept.
    pub retention_days: u32,
    /// The last event that a checkpoint covers.
    pub sealed_sequence: u64,
    /// The number of the last event.
    pub sequence: u64,
    /// When it was recorded.
    pub timestamp: Moment,
}

impl Head {
    /// A chain that has no event yet.
    pub(super) fn before_first(account: &str) -> Head {
        Head {
            encoding: ENCODING,
            account: account.to_owned(),
            sequence: 0,
            hash: NO_HASH.to_owned(),
            event_id: String::new(),
            timestamp: Moment::from_millis(0),
            checkpoint: 0,
            checkpoint_hash: NO_HASH.to_owned(),
            sealed_sequence: 0,
            released: 0,
            retention_days: RETENTION_DAYS,
            held_since: None,
            key_id: String::new(),
            mac: String::new(),
        }
    }

    /// The chain ends with this event now.
    pub(super) fn advance(&mut self, last: &Reference) {
        self.sequence = last.sequence;
        self.timestamp = last.timestamp();
        self.event_id.clone_from(&last.event_id);
        self.hash.clone_from(&last.hash);
    }

    fn bytes(&self) -> Vec<u8> {
        let fields: [Field<'_>; 13] = [
            number("encoding", u64::from(self.encoding)),
            field("account", &self.account),
            number("sequence", self.sequence),
            field("hash", &self.hash),
            field("event_id", &self.event_id),
            field("timestamp", self.timestamp.to_string()),
            number("checkpoint", self.checkpoint),
            field("checkpoint_hash", &self.checkpoint_hash),
            number("sealed_sequence", self.sealed_sequence),
            number("released", self.released),
            number("retention_days", u64::from(self.retention_days)),
            ("held_since", self.held_since.map(|moment| moment.to_string().into())),
            field("key_id", &self.key_id),
        ];
        canonical::bytes(DOMAIN, &fields)
    }

    /// The same with the mark of the newest key.
    pub(super) fn marked(mut self, signing: &Signing) -> Result<Head, Error> {
        self.key_id = signing.key_id()?;
        self.mac = signing.mark(&self.key_id, &self.bytes())?;
        Ok(self)
    }

    /// Whether the mark is ours.
    pub(super) async fn is_ours(&self, signing: &Signing) -> Result<bool, Error> {
        signing.is_marked(&self.key_id, &self.bytes(), &self.mac).await
    }
}

/// That an account has a chain.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Register {
    pub shard: u32,
    pub account: String,
    pub created_at: Moment,
    pub key_id: String,
    pub mac: String,
}

impl Register {
    pub fn new(account: &str, now: Moment, signing: &Signing) -> Result<Register, Error> {
        let mut register = Register {
            shard: register_shard(account),
            account: account.to_owned(),
            created_at: now,
            key_id: signing.key_id()?,
            mac: String::new(),
        };
        register.mac = signing.mark(&register.key_id, &register.bytes())?;
        Ok(register)
    }

    fn bytes(&self) -> Vec<u8> {
        let fields: [Field<'_>; 4] = [
            number("shard", u64::from(self.shard)),
            field("account", &self.account),
            field("created_at", self.created_at.to_string()),
            field("key_id", &self.key_id),
        ];
        canonical::bytes(REGISTER_DOMAIN, &fields)
    }

    pub async fn is_ours(&self, signing: &Signing) -> Result<bool, Error> {
        signing.is_marked(&self.key_id, &self.bytes(), &self.mac).await
    }
}

/// The part of the register that an account is in.
pub(super) fn register_shard(account: &str) -> u32 {
    let hash = canonical::sha256(account.as_bytes());
    u32::from_str_radix(&hash[..2], 16).unwrap_or(0) % REGISTER_SHARDS
}
