//! The audit log as answers have it: twins of the domain's types.

use audit::{Bad, Checkpoint, Place, PublicKey, Report, Row};
use kernel::moment::Moment;
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

/// Something that happened.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AuditEvent {
    /// Its identifier.
    pub event_id: String,
    /// The account whose log it is in.
    pub account_id: String,
    /// Its number in that log, from 1.
    pub sequence: u64,
    /// When it was recorded.
    pub timestamp: Moment,
    /// When it happened.
    pub occurred_at: Moment,
    /// Its kind: `AUTH`, `APIKEY`…
    #[serde(rename = "type")]
    pub event_type: String,
    /// What happened.
    pub action: String,
    /// `success` or `failure`.
    pub outcome: String,
    /// Who did it.
    pub actor: AuditActor,
    /// What it happened to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resource: Option<AuditResource>,
    /// The client's address.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ip_address: Option<String>,
    /// The client's own name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user_agent: Option<String>,
    /// The request.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request_id: Option<String>,
    /// The trace.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trace_id: Option<String>,
    /// Anything else.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    pub details: Option<Value>,
    /// The thing before.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    pub before: Option<Value>,
    /// The thing after.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    pub after: Option<Value>,
    /// The hash of the event before it.
    pub previous_hash: String,
    /// Its hash.
    pub hash: String,
}

/// Who did something.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AuditActor {
    /// The kind of caller.
    #[serde(rename = "type")]
    pub kind: String,
    /// Their identifier.
    pub id: String,
    /// What they were called then.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
}

/// What something happened to.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AuditResource {
    /// The kind of thing.
    #[serde(rename = "type")]
    pub kind: String,
    /// Which one.
    pub id: String,
}

impl From<Row> for AuditEvent {
    fn from(row: Row) -> AuditEvent {
        // It is kept as text for the sake of its hash, and was JSON when it was written.
        let json = |text: String| serde_json::from_str(&text).unwrap_or(Value::String(text));
        let resource = row.resource_type.zip(row.resource_id);
        AuditEvent {
            event_id: row.event_id,
            account_id: row.account,
            sequence: row.sequence,
            timestamp: row.timestamp,
            occurred_at: row.occurred_at,
            event_type: row.event_type,
            action: row.action,
            outcome: row.outcome,
            actor: AuditActor { kind: row.actor_type, id: row.actor_id, name: row.actor_name },
            resource: resource.map(|(kind, id)| AuditResource { kind, id }),
            ip_address: row.ip_address,
            user_agent: row.user_agent,
            request_id: row.request_id,
            trace_id: row.trace_id,
            details: row.details.map(json),
            before: row.before.map(json),
            after: row.after.map(json),
            previous_hash: row.previous_hash,
            hash: row.hash,
        }
    }
}

/// What verifying a log found.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AuditReport {
    /// The account.
    pub account_id: String,
    /// Whether nothing is wrong.
    pub valid: bool,
    /// How many events were proven.
    pub entries: u64,
    /// How many checkpoints were proven.
    pub checkpoints: u64,
    /// The last event that a signed checkpoint covers.
    pub sealed_through: u64,
    /// The last checkpoint whose events expired, as they should.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pruned_through: Option<u64>,
    /// The first thing that is wrong.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_bad: Option<AuditFinding>,
    /// Where the log was sealed anew after its end had been forged, and what was found then.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub breaks: Vec<AuditFinding>,
}

/// Something that is wrong with a log.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AuditFinding {
    /// `entry`, `event_view`, `head`, `checkpoint`, `register` or `signing_keys`.
    pub place: &'static str,
    /// The event's number.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sequence: Option<u64>,
    /// The event's identifier.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub event_id: Option<String>,
    /// The checkpoint's number.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub checkpoint: Option<u64>,
    /// What is wrong, in a sentence that names the place.
    pub message: String,
}

impl From<Report> for AuditReport {
    fn from(report: Report) -> AuditReport {
        AuditReport {
            valid: report.is_good(),
            account_id: report.account,
            entries: report.entries,
            checkpoints: report.checkpoints,
            sealed_through: report.sealed_through,
            pruned_through: report.pruned_through,
            first_bad: report.first_bad.map(AuditFinding::from),
            breaks: report.breaks.into_iter().map(AuditFinding::from).collect(),
        }
    }
}

impl From<Bad> for AuditFinding {
    fn from(bad: Bad) -> AuditFinding {
        let message = bad.to_string();
        let (place, sequence, event_id, checkpoint) = match bad.place {
            Place::Entry { sequence, event_id } => ("entry", Some(sequence), event_id, None),
            Place::EventView { sequence, event_id } => {
                ("event_view", Some(sequence), Some(event_id), None)
            }
            Place::Head => ("head", None, None, None),
            Place::Checkpoint { number } => ("checkpoint", None, None, Some(number)),
            Place::Register => ("register", None, None, None),
            Place::SigningKeys => ("signing_keys", None, None, None),
            Place::Line { number } => ("line", Some(number), None, None),
        };
        AuditFinding { place, sequence, event_id, checkpoint, message }
    }
}

/// A signed statement of what a log holds up to an event.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AuditCheckpoint {
    /// The account.
    pub account_id: String,
    /// Its number, from 1.
    pub number: u64,
    /// The first event that it covers.
    pub first_sequence: u64,
    /// The last event that it covers.
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
    #[serde(skip_serializing_if = "Option::is_none")]
    pub held_since: Option<Moment>,
    /// When it was signed.
    pub sealed_at: Moment,
    /// The key.
    pub key_id: String,
    /// The signature.
    pub signature: String,
    /// Its own hash, to be noted elsewhere.
    pub hash: String,
}

impl From<Checkpoint> for AuditCheckpoint {
    fn from(checkpoint: Checkpoint) -> AuditCheckpoint {
        AuditCheckpoint {
            number: checkpoint.number(),
            hash: checkpoint.hash(),
            account_id: checkpoint.account,
            first_sequence: checkpoint.first_sequence,
            last_sequence: checkpoint.last_sequence,
            last_hash: checkpoint.last_hash,
            last_timestamp: checkpoint.last_timestamp,
            previous_hash: checkpoint.previous_hash,
            retention_days: checkpoint.retention_days,
            held_since: checkpoint.held_since,
            sealed_at: checkpoint.sealed_at,
            key_id: checkpoint.key_id,
            signature: checkpoint.signature,
        }
    }
}

/// The public keys that checkpoints are verified with.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AuditPublicKeys {
    /// Each of them.
    pub items: Vec<AuditPublicKey>,
    /// How many there are.
    pub count: usize,
}

/// A public key that checkpoints are verified with (Ed25519).
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AuditPublicKey {
    /// The first 16 digits of the key's SHA-256.
    pub key_id: String,
    /// The key, in hexadecimal.
    pub public_key: String,
}

impl From<PublicKey> for AuditPublicKey {
    fn from(PublicKey { key_id, public_key }: PublicKey) -> AuditPublicKey {
        AuditPublicKey { key_id, public_key }
    }
}
