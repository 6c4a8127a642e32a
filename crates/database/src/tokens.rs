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
use crate::operations::{ActionChange, ActionParts, ParameterizedStatement};
use crate::storage::Space;
use crate::{Error, stored};

/// Whose token it is: each operation has tokens of its own (rule 51).
#[derive(Clone, Copy)]
#[repr(u8)]
enum Owner {
    TransactWriteItems = 1,
    ExecuteTransaction = 2,
}

/// A token that came with a request.
pub struct Claimed {
    owner: Owner,
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
    /// The token of a TransactWriteItems request, if it has one.
    pub fn of_actions(
        token: Option<&str>,
        actions: &[ActionParts<'_>],
    ) -> Result<Option<Claimed>, Error> {
        Claimed::new(Owner::TransactWriteItems, token, || fingerprint(actions))
    }

    /// The token of an ExecuteTransaction request, if it has one.
    pub fn of_statements(
        token: Option<&str>,
        statements: &[ParameterizedStatement],
    ) -> Result<Option<Claimed>, Error> {
        Claimed::new(Owner::ExecuteTransaction, token, || statements_fingerprint(statements))
    }

    fn new(
        owner: Owner,
        token: Option<&str>,
        fingerprint: impl FnOnce() -> [u8; 32],
    ) -> Result<Option<Claimed>, Error> {
        let Some(token) = token else { return Ok(None) };
        let constraint = match token.chars().count() {
            0 => "greater than or equal to 1",
            1..=limits::CLIENT_TOKEN_CHARACTERS_MAX => {
                let fingerprint = fingerprint();
                return Ok(Some(Claimed { owner, token: token.to_owned(), fingerprint }));
            }
            _ => "less than or equal to 36",
        };
        Err(Error::Validation(format!(
            "1 validation error detected: Value '{token}' at 'clientRequestToken' failed to satisfy constraint: Member must have length {constraint}"
        )))
    }

    /// What no other request under way may have: the token, with whose it is.
    pub fn name(&self) -> String {
        format!("{}:{}", self.owner as u8, self.token)
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
        let kind = [self.owner as u8];
        let expiry = keys::meta(b'x', &[&forget_at.to_be_bytes(), &kind, self.token.as_bytes()]);
        transaction.set(Space::Meta, expiry, Some(Bytes::new()));
    }

    fn key(&self) -> Bytes {
        keys::meta(b'k', &[&[self.owner as u8], self.token.as_bytes()])
    }
}

/// A digest of what the request asks for: the same digest means the same request.
fn fingerprint(actions: &[ActionParts<'_>]) -> [u8; 32] {
    let mut bytes = Vec::new();
    let no_key = Item::new();
    for action in actions {
        let (kind, extra, key): (u8, Option<&str>, &Item) = match action.change {
            ActionChange::ConditionCheck { key } => (1, None, key),
            ActionChange::Put { .. } => (2, None, &no_key),
            ActionChange::Delete { key } => (3, None, key),
            ActionChange::Update { key, update_expression } => (4, Some(update_expression), key),
        };
        bytes.push(kind);
        append_text(&mut bytes, extra);
        if let ActionChange::Put { item } = action.change {
            append_item(&mut bytes, item);
        }
        append_action(&mut bytes, action, key);
    }
    Sha256::digest(&bytes).into()
}

/// The same of statements. What they ask for on a failed condition is part of the request, the
/// capacity to report is not (DX).
fn statements_fingerprint(statements: &[ParameterizedStatement]) -> [u8; 32] {
    let mut bytes = Vec::new();
    for statement in statements {
        append_text(&mut bytes, Some(&statement.statement));
        for parameter in &statement.parameters {
            bytes.push(1);
            codec::encode_value(parameter, &mut bytes);
        }
        bytes.push(0);
        bytes.push(statement.return_values_on_condition_check_failure as u8);
    }
    Sha256::digest(&bytes).into()
}

fn append_action(bytes: &mut Vec<u8>, action: &ActionParts<'_>, key: &Item) {
    append_text(bytes, Some(action.table_name));
    append_item(bytes, key);
    append_text(bytes, action.condition_expression);
    let names = action.expression_attribute_names.into_iter().flatten();
    for (placeholder, name) in names {
        append_text(bytes, Some(placeholder));
        append_text(bytes, Some(name));
    }
    append_text(bytes, None);
    if let Some(values) = &action.expression_attribute_values {
        let attributes = values.iter().map(|(name, value)| (name.as_str(), value));
        append_encoded(bytes, |encoded| codec::encode_attributes(attributes, encoded));
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
    append_encoded(bytes, |encoded| codec::encode_item(item, encoded));
}

fn append_encoded(bytes: &mut Vec<u8>, encode: impl FnOnce(&mut Vec<u8>)) {
    let mut encoded = Vec::new();
    encode(&mut encoded);
    bytes.extend_from_slice(&(encoded.len() as u64).to_be_bytes());
    bytes.extend_from_slice(&encoded);
}
