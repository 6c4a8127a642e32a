//! Sends an operation to the database and says in few words what came back.

use std::collections::BTreeMap;

use database::operations::{
    BatchWriteItemRequest, DeleteItemRequest, PutItemRequest, TransactAction, TransactWrite,
    TransactWriteItemsRequest, UpdateItemRequest, WriteRequest,
};
use database::shapes::{ExpressionAttributeNames, ExpressionAttributeValues, ReturnValues};
use database::{CancellationCode, Database, Error};
use values::{AttributeValue, Item};

use super::content::update_changes;
use super::{Action, Attribute, Condition, Effect, Kind, Operation, Plan, put_item};

/// Why an operation did not happen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// A condition was false.
    Condition,
    /// A transaction is under way on one of the items.
    Conflict,
    /// The disk is nearly full.
    Full,
}

/// What the database answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It happened.
    Done {
        /// For a single write: who had written the item that was there, if there was one.
        replaced: Option<u64>,
        /// For a batch: the actions, as bits, that were not carried out.
        unprocessed: u32,
    },
    /// It did not happen.
    Refused(Refusal),
    /// The database stopped: it may have happened.
    Unknown,
    /// Something that no operation of the workload should ever be answered.
    Unexpected(String),
}

/// Sends the operation and waits for the answer.
pub async fn execute(database: &Database, plan: &Plan, operation: &Operation) -> Outcome {
    match operation.kind {
        Kind::Single => single(database, plan, operation).await,
        Kind::Batch => batch(database, plan, operation).await,
        Kind::Transaction => transaction(database, plan, operation).await,
    }
}

async fn single(database: &Database, plan: &Plan, operation: &Operation) -> Outcome {
    let Some(action) = operation.actions.first() else {
        return refused(Error::TransactionConflict);
    };
    let parts = Parts::new(plan, operation, action);
    let table_name = action.name.table.name().to_owned();
    let answer = match action.effect {
        Effect::Put => {
            let request = PutItemRequest {
                table_name,
                item: put_item(plan, operation.id, action),
                condition_expression: parts.condition,
                expression_attribute_names: parts.names,
                expression_attribute_values: parts.values,
                return_values: ReturnValues::AllOld,
                ..PutItemRequest::default()
            };
            database.put_item(request).await.map(|answer| answer.attributes)
        }
        Effect::Update => {
            let request = UpdateItemRequest {
                table_name,
                key: action.name.key(),
                update_expression: parts.update,
                condition_expression: parts.condition,
                expression_attribute_names: parts.names,
                expression_attribute_values: parts.values,
                return_values: ReturnValues::AllOld,
                ..UpdateItemRequest::default()
            };
            database.update_item(request).await.map(|answer| answer.attributes)
        }
        Effect::Delete | Effect::Check => {
            let request = DeleteItemRequest {
                table_name,
                key: action.name.key(),
                condition_expression: parts.condition,
                expression_attribute_names: parts.names,
                expression_attribute_values: parts.values,
                return_values: ReturnValues::AllOld,
                ..DeleteItemRequest::default()
            };
            database.delete_item(request).await.map(|answer| answer.attributes)
        }
    };
    match answer {
        Ok(old) => Outcome::Done { replaced: old.as_ref().and_then(writer_of), unprocessed: 0 },
        Err(error) => refused(error),
    }
}

async fn batch(database: &Database, plan: &Plan, operation: &Operation) -> Outcome {
    let mut request_items: BTreeMap<String, Vec<WriteRequest>> = BTreeMap::new();
    let requests: Vec<WriteRequest> = operation
        .actions
        .iter()
        .map(|action| match action.effect {
            Effect::Delete => WriteRequest::Delete { key: action.name.key() },
            _ => WriteRequest::Put { item: put_item(plan, operation.id, action) },
        })
        .collect();
    for (action, request) in operation.actions.iter().zip(&requests) {
        let table = request_items.entry(action.name.table.name().to_owned()).or_default();
        table.push(request.clone());
    }
    let request = BatchWriteItemRequest { request_items, ..BatchWriteItemRequest::default() };
    match database.batch_write_item(request).await {
        Err(error) => refused(error),
        Ok(answer) => {
            let left = |(action, request): (&Action, &WriteRequest)| {
                let left = answer.unprocessed_items.get(action.name.table.name());
                left.is_some_and(|left| left.contains(request))
            };
            let pairs = operation.actions.iter().zip(&requests).enumerate();
            let bits = pairs.filter(|(_, pair)| left(*pair)).map(|(position, _)| 1_u32 << position);
            Outcome::Done { replaced: None, unprocessed: bits.sum() }
        }
    }
}

async fn transaction(database: &Database, plan: &Plan, operation: &Operation) -> Outcome {
    let write = |action: &Action| {
        let parts = Parts::new(plan, operation, action);
        let update_expression = parts.update.unwrap_or_default();
        let shared = TransactAction {
            table_name: action.name.table.name().to_owned(),
            key: if action.effect == Effect::Put { Item::new() } else { action.name.key() },
            condition_expression: parts.condition,
            expression_attribute_names: parts.names,
            expression_attribute_values: parts.values,
            ..TransactAction::default()
        };
        match action.effect {
            Effect::Put => {
                let item = put_item(plan, operation.id, action).into();
                TransactWrite::Put { item, action: shared }
            }
            Effect::Update => TransactWrite::Update { update_expression, action: shared },
            Effect::Delete => TransactWrite::Delete(shared),
            Effect::Check => TransactWrite::ConditionCheck(shared),
        }
    };
    let request = TransactWriteItemsRequest {
        transact_items: operation.actions.iter().map(write).collect(),
        client_request_token: Some(format!("{:x}-{}", plan.seed, operation.id)),
        ..TransactWriteItemsRequest::default()
    };
    match database.transact_write_items(request).await {
        Ok(_) => Outcome::Done { replaced: None, unprocessed: 0 },
        Err(error) => refused(error),
    }
}

/// The operation that wrote the item.
fn writer_of(item: &Item) -> Option<u64> {
    match item.get(Attribute::WRITER)? {
        AttributeValue::N(number) => number.to_string().parse().ok(),
        _ => None,
    }
}

fn refused(error: Error) -> Outcome {
    match error {
        Error::ConditionalCheckFailed { .. } => Outcome::Refused(Refusal::Condition),
        Error::TransactionConflict | Error::TransactionInProgress => {
            Outcome::Refused(Refusal::Conflict)
        }
        Error::TransactionCanceled(reasons) => {
            let has = |code| reasons.iter().any(|reason| reason.code == code);
            if has(CancellationCode::TransactionConflict) {
                Outcome::Refused(Refusal::Conflict)
            } else if has(CancellationCode::ConditionalCheckFailed) {
                Outcome::Refused(Refusal::Condition)
            } else {
                Outcome::Unexpected(format!("{reasons:?}"))
            }
        }
        Error::Throttling(_) => Outcome::Refused(Refusal::Full),
        Error::Stopped(_) => Outcome::Unknown,
        other => Outcome::Unexpected(format!("{}: {other}", other.code())),
    }
}

/// The expressions of a request with their placeholders.
#[derive(Default)]
struct Parts {
    update: Option<String>,
    condition: Option<String>,
    names: Option<ExpressionAttributeNames>,
    values: Option<ExpressionAttributeValues>,
}

impl Parts {
    fn new(plan: &Plan, operation: &Operation, action: &Action) -> Parts {
        let mut parts = Parts::default();
        parts.condition = match action.condition {
            Condition::Always => None,
            Condition::Absent => Some(format!("attribute_not_exists({})", Attribute::ID)),
            Condition::Exists => Some(format!("attribute_exists({})", Attribute::ID)),
            Condition::CounterBelow(limit) => {
                let name = parts.name(Attribute::COUNTER);
                Some(format!("{name} < {}", parts.value(AttributeValue::from(limit))))
            }
        };
        if action.effect == Effect::Update {
            let changes = update_changes(plan, operation.id, action);
            let mut sets: Vec<String> = Vec::new();
            for (name, value) in changes.set {
                let name = parts.name(&name);
                sets.push(format!("{name} = {}", parts.value(value)));
            }
            if changes.count {
                let name = parts.name(Attribute::COUNTER);
                let zero = parts.value(AttributeValue::from(0));
                let one = parts.value(AttributeValue::from(1));
                sets.push(format!("{name} = if_not_exists({name}, {zero}) + {one}"));
            }
            let mut text = format!("SET {}", sets.join(", "));
            let removes: Vec<String> =
                changes.remove.into_iter().map(|name| parts.name(name)).collect();
            if !removes.is_empty() {
                text = format!("{text} REMOVE {}", removes.join(", "));
            }
            parts.update = Some(text);
        }
        parts
    }

    fn name(&mut self, name: &str) -> String {
        let placeholder = format!("#{name}");
        self.names.get_or_insert_default().insert(placeholder.clone(), name.to_owned());
        placeholder
    }

    fn value(&mut self, value: AttributeValue) -> String {
        let values = self.values.get_or_insert_default();
        let placeholder = format!(":v{}", values.len());
        values.insert(placeholder.clone(), value);
        placeholder
    }
}
