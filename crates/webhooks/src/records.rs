//! The items of the table, as types.

use std::collections::BTreeSet;

use kernel::moment::Moment;
use serde::{Deserialize, Serialize};

/// One event on its way to one endpoint or publisher.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Delivery {
    /// The event.
    pub event_id: String,
    /// The endpoint, or the publisher.
    pub endpoint_id: String,
    /// The account.
    pub account_id: String,
    /// What happened.
    pub event_type: String,
    /// When it happened.
    pub created_at: Moment,
    /// `pending`, `delivering`, `delivered`, `failed` (its endpoint is gone or disabled) or `exhausted`.
    pub status: String,
    /// Its part of the status index (C3-10).
    pub shard: i64,
    /// When to try next, or when the lease of the worker that has it ends.
    pub next_retry_at: Option<Moment>,
    /// Attempts so far.
    pub attempt_count: i64,
    /// Attempts since it was last started: the place in the schedule.
    pub step: i64,
    /// Counts the claims.
    pub fence: i64,
    /// The turn that the endpoint's throttle gave to it.
    pub slot_at: Option<Moment>,
    /// Which worker has it.
    pub lease_owner: Option<String>,
    /// Until when.
    pub lease_expires_at: Option<Moment>,
    /// When it was delivered.
    pub delivered_at: Option<Moment>,
    /// Why it is not tried again.
    pub stopped_reason: Option<String>,
    /// When it may be removed.
    pub ttl: Option<u64>,
}

/// One attempt to deliver.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Attempt {
    /// The event.
    pub event_id: String,
    /// The endpoint, or the publisher.
    pub endpoint_id: String,
    /// The account.
    pub account_id: String,
    /// When.
    pub attempted_at: Moment,
    /// Which attempt, from 1.
    pub attempt_number: i64,
    /// `success` or `failure`.
    pub outcome: String,
    /// Status of the answer.
    pub response_status: Option<u16>,
    /// Its beginning.
    pub response_excerpt: Option<String>,
    /// How long it took.
    pub duration_milliseconds: Option<u64>,
    /// Why there was no answer.
    pub error: Option<String>,
    /// When it may be removed.
    pub ttl: Option<u64>,
}

/// Where an account receives events. Secrets are sealed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Endpoint {
    pub endpoint_id: String,
    pub account_id: String,
    pub url: String,
    pub description: Option<String>,
    #[serde(default, with = "store::typed::string_set")]
    pub event_types: Option<BTreeSet<String>>,
    pub throttle_rate: Option<u32>,
    pub secret_kind: String,
    pub sealed_secrets: Vec<SealedSecret>,
    pub public_key: Option<String>,
    pub enabled: bool,
    pub disabled_reason: Option<String>,
    pub created_at: Moment,
    pub updated_at: Option<Moment>,
    pub version: i64,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct SealedSecret {
    pub sealed: String,
    pub created_at: Moment,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<Moment>,
}

/// How an endpoint has been answering.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Health {
    /// The endpoint.
    pub endpoint_id: String,
    /// The account.
    pub account_id: String,
    /// Counts the changes; 0 is not stored.
    pub revision: i64,
    /// `closed`, `open` or `half_open`.
    pub circuit: String,
    /// Failed attempts since the last success.
    pub consecutive_failures: i64,
    /// How often the circuit opened since the last success.
    pub times_opened: i64,
    /// First failure since the last success.
    pub failing_since: Option<Moment>,
    /// When an open circuit may be tried; of a half open one, when another may try.
    pub open_until: Option<Moment>,
    /// The endpoint asked for peace until then.
    pub held_until: Option<Moment>,
    /// When the throttle has its next turn to give.
    pub next_slot_at: Option<Moment>,
    /// When it last changed.
    pub updated_at: Option<Moment>,
}
