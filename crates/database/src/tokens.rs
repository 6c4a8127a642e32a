//! Client tokens of transactions: a repeated request gives the first outcome (rule 51).
//!
//! A token is stored in the commit of the transaction it belongs to, so the two cannot part. A
//! transaction that failed stores none: repeating it runs it again. While a request with a token is
//! under way, another one with it gets `TransactionInProgressException`.

use bytes::Bytes;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use values::{Item, codec, limits};

use crate::commit::Transaction;
use crate::keys;
use crate::operations::{TransactAction, TransactWrite, TransactWriteItemsRequest};
use crate::storage::Space;
use crate::{Error, stored};

/// The token space of TransactWriteItems; ExecuteTransaction has its own.
const TRANSACT_WRITE_ITEMS: u8 = 1;

/// A token that came with a request.
pub struct Claimed {
    token: String,
    fingerprint: [u8; 32],
}

#[derive(Serialize, Deserialize)]
struct Stored {
    fingerprint: [u8; 32],
    completed_millis: u64,
    /// The sizes of the items, for the capacity a replay reports.
    sizes: Vec<usize>,
}

impl Claimed {
    /// The request's token, if it has one.
    pub fn new(request: &TransactWriteItemsRequest) -> Result<Option<Claimed>, Error> {
        let Some(token) = &request.client_request_token else { return Ok(None) };
        let length = token.chars().count();
        let constraint = match length {
            0 => "greater than or equal to 1",
            1..=limits::CLIENT_TOKEN_CHARACTERS_MAX => {
                let fingerprint = fingerprint(&request.transact_items);
                return Ok(Some(Claimed { token: token.clone(), fingerprint }));
            }
            _ => "less than or equal to 36",
        };
        Err(Error::Validation(format!(
            "1 validation error detected: Value '{token}' at 'clientRequestToken' failed to satisfy constraint: Member must have length {constraint}"
        )))
    }

    /// Has this transaction happened? Gives the sizes of its items then.
    pub fn replay(&self, transaction: &mut Transaction<'_>) -> Result<Option<Vec<usize>>, Error> {
        let Some(bytes) = transaction.get(Space::Meta, &self.key())? else { return Ok(None) };
        let stored: Stored = stored::record(&bytes)?;
        let valid_until = stored.completed_millis + limits::CLIENT_TOKEN_SECONDS * 1000;
        if valid_until <= transaction.now_millis() {
            return Ok(None);
        }
        if stored.fingerprint != self.fingerprint {
            return Err(Error::IdempotentParameterMismatch);
        }
        Ok(Some(stored.sizes))
    }

    /// Stages the token as part of its transaction.
    pub fn store(&self, transaction: &mut Transaction<'_>, sizes: Vec<usize>) {
        let now = transaction.now_millis();
        let stored = Stored { fingerprint: self.fingerprint, completed_millis: now, sizes };
        transaction.set(Space::Meta, self.key(), Some(stored::encode_record(&stored)));
        let forget_at = now + limits::CLIENT_TOKEN_SECONDS * 1000;
        let kind = [TRANSACT_WRITE_ITEMS];
        let expiry = keys::meta(b'x', &[&forget_at.to_be_bytes(), &kind, self.token.as_bytes()]);
        transaction.set(Space::Meta, expiry, Some(Bytes::new()));
    }

    fn key(&self) -> Bytes {
        keys::meta(b'k', &[&[TRANSACT_WRITE_ITEMS], self.token.as_bytes()])
    }
}

/// A digest of what the request asks for: the same digest means the same request.
fn fingerprint(actions: &[TransactWrite]) -> [u8; 32] {
    let mut bytes = Vec::new();
    for action in actions {
        let (kind, extra): (u8, Option<&str>) = match action {
            TransactWrite::ConditionCheck(_) => (1, None),
            TransactWrite::Put { .. } => (2, None),
            TransactWrite::Delete(_) => (3, None),
            TransactWrite::Update { update_expression, .. } => (4, Some(update_expression)),
        };
        bytes.push(kind);
        append_text(&mut bytes, extra);
        if let TransactWrite::Put { item, .. } = action {
            append_item(&mut bytes, item);
        }
        append_action(&mut bytes, action.action());
    }
    Sha256::digest(&bytes).into()
}

fn append_action(bytes: &mut Vec<u8>, action: &TransactAction) {
    append_text(bytes, Some(&action.table_name));
    append_item(bytes, &action.key);
    append_text(bytes, action.condition_expression.as_deref());
    let names = action.expression_attribute_names.iter().flatten();
    for (placeholder, name) in names {
        append_text(bytes, Some(placeholder));
        append_text(bytes, Some(name));
    }
    append_text(bytes, None);
    if let Some(values) = &action.expression_attribute_values {
        append_item(bytes, values);
    }
}

fn append_text(bytes: &mut Vec<u8>, text: Option<&str>) {
    match text {
        None => bytes.push(0),
        Some(text) => {
            bytes.push(1);
            bytes.extend_from_slice(&(text.len() as u64).to_be_bytes());
            bytes.extend_from_slice(text.as_bytes());
        }
    }
}

fn append_item(bytes: &mut Vec<u8>, item: &Item) {
    let mut encoded = Vec::new();
    codec::encode_item(item, &mut encoded);
    bytes.extend_from_slice(&(encoded.len() as u64).to_be_bytes());
    bytes.extend_from_slice(&encoded);
}
