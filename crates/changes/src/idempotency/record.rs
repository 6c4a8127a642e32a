//! A request's item, and the parts of a large answer.

use std::time::Duration;

use kernel::moment::Moment;
use serde::{Deserialize, Serialize};
use serde_bytes::ByteBuf;

use super::KEPT;
use super::fingerprint::Request;

/// How far a request is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Status {
    InProgress,
    Completed,
}

/// One request. Its fields are in the order of their names, so that its item needs no sorting.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Record {
    pub account_id: String,
    #[serde(default)]
    pub completed_at: Option<Moment>,
    pub created_at: Moment,
    pub fencing_token: u64,
    pub idempotency_key: String,
    pub locked_until: Option<Moment>,
    pub method: String,
    pub request_fingerprint: String,
    pub request_hash: String,
    #[serde(default)]
    pub response: Option<ByteBuf>,
    #[serde(default)]
    pub response_chunks: Option<u32>,
    #[serde(default)]
    pub response_status: Option<u16>,
    pub route: String,
    pub status: Status,
    pub ttl: u64,
}

impl Record {
    /// A claim of this moment. Its fence is the time, so that one that begins after another has
    /// expired is greater without anybody asking.
    pub fn claim(request: &Request<'_>, now: Moment, lease: Duration) -> Record {
        Record {
            request_hash: request.hash(),
            account_id: request.account.to_owned(),
            idempotency_key: request.key.as_str().to_owned(),
            method: request.method.to_owned(),
            route: request.route.to_owned(),
            request_fingerprint: request.fingerprint(),
            status: Status::InProgress,
            fencing_token: now.millis().max(1),
            response_status: None,
            response: None,
            response_chunks: None,
            locked_until: Some(now.after(lease)),
            created_at: now,
            completed_at: None,
            ttl: expiry(now).seconds(),
        }
    }

    /// Makes it the claim that takes over from an abandoned one.
    pub fn follow(&mut self, abandoned: &Record, now: Moment) {
        self.fencing_token = now.millis().max(abandoned.fencing_token + 1);
        self.created_at = abandoned.created_at;
    }

    /// Whether the claim holds.
    pub fn is_locked(&self, now: Moment) -> bool {
        self.locked_until.is_some_and(|until| now < until)
    }
}

/// When a request of this moment is forgotten.
pub(super) fn expiry(now: Moment) -> Moment {
    now.after(KEPT)
}

/// Parts outlive the request that they belong to.
pub(super) fn chunk_expiry(request_ttl: u64) -> u64 {
    request_ttl + Duration::from_secs(60 * 60).as_secs()
}

/// A part of an answer.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Chunk {
    pub parent_hash: String,
    pub fencing_token: u64,
    pub chunk: u32,
    pub bytes: ByteBuf,
    pub ttl: u64,
}

/// A request in the list of an account's requests (R003-idem-2).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Seen {
    /// The client's key.
    pub idempotency_key: String,
    /// The method.
    pub method: String,
    /// The route.
    pub route: String,
    /// `in_progress` or `completed`.
    pub status: String,
    /// The status of the answer.
    #[serde(default)]
    pub response_status: Option<u16>,
    /// When it came.
    pub created_at: Moment,
    /// When it was answered.
    #[serde(default)]
    pub completed_at: Option<Moment>,
}
