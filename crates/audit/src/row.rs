//! A recorded event: its attributes, its place in the chain, and its item in the view by kind.

use std::borrow::Cow;

use kernel::error::Error;
use kernel::json_text::text_of;
use kernel::moment::Moment;
use serde::{Deserialize, Serialize};
use store::{Raw, Record as _};
use values::{AttributeValue, Item, Number};

use super::canonical::{self, Field, field, number, perhaps};
use super::entry::{Entry, Outcome};
use super::origin::Origin;
use super::redact::{Redacted, RedactedMap};

/// The version of the bytes that an event's hash is over.
pub const ENCODING: u32 = 1;
const DOMAIN: &str = "plinth.audit.event.v1";
/// Longest JSON text of a thing before or after; of a longer one only length and hash are kept.
const TEXT_BYTES_MAX: usize = 64 * 1024;
/// Longest text that the client chose.
const CLIENT_TEXT_CHARS_MAX: usize = 512;

/// An event as it is recorded.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Row {
    /// Version of the bytes that the hash is over.
    pub encoding: u32,
    /// The account whose chain it is in.
    pub account: String,
    /// Its number in that chain, from 1, without gaps.
    pub sequence: u64,
    /// Its identifier.
    pub event_id: String,
    /// When it was recorded; never before the event before it.
    pub timestamp: Moment,
    /// When it happened.
    pub occurred_at: Moment,
    /// Its kind: `AUTH`, `APIKEY`…
    pub event_type: String,
    /// What happened.
    pub action: String,
    /// `success` or `failure`.
    pub outcome: String,
    /// The kind of caller.
    pub actor_type: String,
    /// Who did it.
    pub actor_id: String,
    /// What they were called then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub actor_name: Option<String>,
    /// The kind of thing it happened to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resource_type: Option<String>,
    /// Which one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resource_id: Option<String>,
    /// The client's address.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ip_address: Option<String>,
    /// The client's own name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user_agent: Option<String>,
    /// The request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request_id: Option<String>,
    /// The trace.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trace_id: Option<String>,
    /// Anything else, as JSON text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub details: Option<String>,
    /// The thing before, as JSON text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
    /// The thing after, as JSON text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
    /// Which part of a busy kind it is in, from 1; 0 for others.
    pub shard: u32,
    /// The hash of the event before it.
    pub previous_hash: String,
    /// Its hash.
    pub hash: String,
}

impl Row {
    /// An event without its place in the chain. Secrets are left out here, and nowhere later.
    pub(super) fn draft(entry: &Entry, origin: &Origin, now: Moment) -> Row {
        let details =
            (!entry.details.is_empty()).then(|| bounded(text_of(&RedactedMap(&entry.details))));
        let thing = |value: &serde_json::Value| bounded(text_of(&Redacted(value)));
        let caller = &origin.caller;
        let (actor_type, actor_id, name) = match &entry.user {
            Some((user_id, email)) => ("user", user_id.as_str(), email.as_str()),
            None => (caller.kind(), caller.id(), caller.name()),
        };
        Row {
            encoding: ENCODING,
            account: entry.account_id.clone(),
            sequence: 0,
            event_id: String::new(),
            timestamp: now,
            occurred_at: origin.occurred_at.unwrap_or(now),
            event_type: entry.event_type.to_owned(),
            action: entry.action.to_owned(),
            outcome: match entry.outcome {
                Outcome::Success => "success".to_owned(),
                Outcome::Failure => "failure".to_owned(),
            },
            actor_type: actor_type.to_owned(),
            actor_id: actor_id.to_owned(),
            actor_name: (name != actor_id).then(|| name.to_owned()),
            resource_type: entry.resource.as_ref().map(|(kind, _)| (*kind).to_owned()),
            resource_id: entry.resource.as_ref().map(|(_, id)| id.clone()),
            ip_address: origin.address.map(|address| address.to_string()),
            user_agent: origin.user_agent.as_deref().map(client_text),
            request_id: origin.request_id.as_deref().map(client_text),
            trace_id: origin.trace_id.as_deref().map(client_text),
            details,
            before: entry.before.as_ref().map(thing),
            after: entry.after.as_ref().map(thing),
            shard: 0,
            previous_hash: String::new(),
            hash: String::new(),
        }
    }

    /// Everything that the hash is over, in its order; the columns of an export.
    pub fn fields(&self) -> [Field<'_>; 23] {
        [
            number("encoding", u64::from(self.encoding)),
            field("account", &self.account),
            number("sequence", self.sequence),
            field("event_id", &self.event_id),
            field("timestamp", self.timestamp.to_string()),
            field("occurred_at", self.occurred_at.to_string()),
            field("event_type", &self.event_type),
            field("action", &self.action),
            field("outcome", &self.outcome),
            field("actor_type", &self.actor_type),
            field("actor_id", &self.actor_id),
            perhaps("actor_name", &self.actor_name),
            perhaps("resource_type", &self.resource_type),
            perhaps("resource_id", &self.resource_id),
            perhaps("ip_address", &self.ip_address),
            perhaps("user_agent", &self.user_agent),
            perhaps("request_id", &self.request_id),
            perhaps("trace_id", &self.trace_id),
            perhaps("details", &self.details),
            perhaps("before", &self.before),
            perhaps("after", &self.after),
            number("shard", u64::from(self.shard)),
            field("previous_hash", Cow::Borrowed(self.previous_hash.as_str())),
        ]
    }

    /// The hash that it should have.
    pub fn computed_hash(&self) -> String {
        canonical::sha256(&canonical::bytes(DOMAIN, &self.fields()))
    }

    /// Its item in the view by kind, without a time of removal. A kind so busy that its days are split
    /// has its part in the key; parts count from 1, so that an event tells where it is whatever the
    /// settings are now (C3-04).
    pub(super) fn event_item(&self) -> Item {
        let (kind, day, millis) =
            (&*self.event_type, self.timestamp.day(), self.timestamp.millis());
        let shard = self.shard.to_string();
        let partition = match self.shard {
            0 => ["AUDIT#", kind, "#", &day].concat(),
            _ => ["AUDIT#", kind, "#", &day, "#", &shard].concat(),
        };
        let text = |text: &str| Some(AttributeValue::from(text));
        let perhaps = |text: &Option<String>| text.as_deref().map(AttributeValue::from);
        let number = |number: u64| Some(AttributeValue::from(Number::from(number)));
        let mut item = Item::with_capacity(29);
        // In the order of the names: every other would cost a search and a move for each.
        for (name, value) in [
            ("PK", Some(partition.into())),
            ("SK", Some(sort_key(&day, millis, &self.event_id).into())),
            ("account_id", text(&self.account)),
            ("action", text(&self.action)),
            ("actor_id", text(&self.actor_id)),
            ("actor_name", perhaps(&self.actor_name)),
            ("actor_type", text(&self.actor_type)),
            ("after", perhaps(&self.after)),
            ("before", perhaps(&self.before)),
            ("date", Some(day.into())),
            ("details", perhaps(&self.details)),
            ("encoding", number(self.encoding.into())),
            ("epoch_ms", number(millis)),
            ("event_id", text(&self.event_id)),
            ("event_type", text(kind)),
            ("event_type_shard", Some([kind, "#", &shard].concat().into())),
            ("hash", text(&self.hash)),
            ("ip_address", perhaps(&self.ip_address)),
            ("occurred_at", Some(self.occurred_at.to_string().into())),
            ("outcome", text(&self.outcome)),
            ("previous_hash", text(&self.previous_hash)),
            ("request_id", perhaps(&self.request_id)),
            ("resource_id", perhaps(&self.resource_id)),
            ("resource_type", perhaps(&self.resource_type)),
            ("sequence", number(self.sequence)),
            ("shard", number(self.shard.into())),
            ("timestamp", Some(self.timestamp.to_string().into())),
            ("trace_id", perhaps(&self.trace_id)),
            ("user_agent", perhaps(&self.user_agent)),
        ] {
            if let Some(value) = value {
                item.insert(name, value);
            }
        }
        item
    }

    /// An event from its item in the view by kind. What the item has besides is told by making it again.
    pub(super) fn from_event_item(Raw(mut item): Raw) -> Result<Row, Error> {
        for name in ["PK", "SK", "date", "epoch_ms", "event_type_shard", "ttl"] {
            item.remove(name);
        }
        if let Some(account) = item.remove("account_id") {
            item.insert("account", account);
        }
        Ok(Row::from_item(item)?)
    }
}

/// The sort key in both views.
pub(super) fn sort_key(date: &str, epoch_ms: u64, event_id: &str) -> String {
    [date, "#", &epoch_ms.to_string(), "#", event_id].concat()
}

/// The time of removal of an item, if it has one.
pub(super) fn expiry_of(item: &Item) -> Option<u64> {
    match item.get("ttl") {
        Some(AttributeValue::N(seconds)) => {
            seconds.to_i64().and_then(|seconds| u64::try_from(seconds).ok())
        }
        _ => None,
    }
}

/// As much of a text that the client chose as is kept.
fn client_text(text: &str) -> String {
    match text.len() {
        0..=CLIENT_TEXT_CHARS_MAX => text.to_owned(),
        _ => text.chars().take(CLIENT_TEXT_CHARS_MAX).collect(),
    }
}

fn bounded(text: String) -> String {
    if text.len() <= TEXT_BYTES_MAX {
        return text;
    }
    let hash = canonical::sha256(text.as_bytes());
    format!(r#"{{"left_out_bytes":{},"sha256":"{hash}"}}"#, text.len())
}
