//! TransactWriteItems: up to 100 writes and checks, all or nothing.
#![expect(missing_docs, reason = "the fields are DynamoDB's own, described in its API reference")]

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use expressions::{Condition, Update};
use values::{Item, limits, size};

use crate::capacity::{self, Kind, Meter, report};
use crate::catalog::Table;
use crate::commit::{KeySet, Transaction};
use crate::conflicts::TokenClaim;
use crate::expression_parameters::{ParameterProblem, Present};
use crate::item_checks::{self, Misfit};
use crate::shapes::{
    ConsumedCapacity, ExpressionAttributeNames, ExpressionAttributeValues, ItemCollectionMetrics,
    ReturnConsumedCapacity, ReturnItemCollectionMetrics, ReturnValuesOnConditionCheckFailure,
};
use crate::stored::NewItem;
use crate::write::{Mutation, PreparedWrite, WriteFailure, Written};
use crate::{CancellationCode, CancellationReason, Database, Error};
use crate::{collections, definition_checks, text, tokens};

#[derive(Clone, Debug, Default, PartialEq)]
pub struct TransactWriteItemsRequest {
    pub transact_items: Vec<TransactWrite>,
    pub client_request_token: Option<String>,
    pub return_consumed_capacity: ReturnConsumedCapacity,
    pub return_item_collection_metrics: ReturnItemCollectionMetrics,
}

#[derive(Clone, Debug, PartialEq)]
pub enum TransactWrite {
    ConditionCheck(TransactAction),
    Put { item: Arc<Item>, action: TransactAction },
    Delete(TransactAction),
    Update { update_expression: String, action: TransactAction },
}

/// What the four kinds of action share. `key` stays empty for a put.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TransactAction {
    pub table_name: String,
    pub key: Item,
    pub condition_expression: Option<String>,
    pub expression_attribute_names: Option<ExpressionAttributeNames>,
    pub expression_attribute_values: Option<ExpressionAttributeValues>,
    pub return_values_on_condition_check_failure: ReturnValuesOnConditionCheckFailure,
}

/// An action whose parts stay where the caller has them: who asks in this process copies nothing.
#[derive(Clone, Copy, Debug)]
pub struct ActionParts<'a> {
    pub table_name: &'a str,
    pub change: ActionChange<'a>,
    pub condition_expression: Option<&'a str>,
    pub expression_attribute_names: Option<&'a ExpressionAttributeNames>,
    pub expression_attribute_values: Option<&'a ExpressionAttributeValues>,
    pub return_values_on_condition_check_failure: ReturnValuesOnConditionCheckFailure,
}

#[derive(Clone, Copy, Debug)]
pub enum ActionChange<'a> {
    ConditionCheck { key: &'a Item },
    Put { item: &'a Arc<Item> },
    Delete { key: &'a Item },
    Update { key: &'a Item, update_expression: &'a str },
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct TransactWriteItemsResponse {
    pub item_collection_metrics: BTreeMap<String, Vec<ItemCollectionMetrics>>,
    pub consumed_capacity: Option<Vec<ConsumedCapacity>>,
}

impl Database {
    /// TransactWriteItems: up to 100 writes and checks, all or nothing.
    pub async fn transact_write_items(
        &self,
        request: TransactWriteItemsRequest,
    ) -> Result<TransactWriteItemsResponse, Error> {
        let TransactWriteItemsRequest { mut transact_items, client_request_token, .. } = request;
        self.transact(
            &mut transact_items,
            TransactWrite::parts,
            client_request_token.as_deref(),
            request.return_consumed_capacity,
            request.return_item_collection_metrics,
        )
        .await
    }

    /// The same for actions in the caller's form. They are let go of when they have been carried out,
    /// before that is durable: what one request no longer needs, the next one uses while it is still in
    /// the processor's cache. If they could not be carried out, they are there again.
    pub async fn transact<A: Send + 'static>(
        &self,
        actions: &mut Vec<A>,
        parts: fn(&A) -> ActionParts<'_>,
        token: Option<&str>,
        capacity: ReturnConsumedCapacity,
        metrics: ReturnItemCollectionMetrics,
    ) -> Result<TransactWriteItemsResponse, Error> {
        let (token, _token_claim, Prepared { writes, tables, table_names }) = {
            let actions: Vec<ActionParts<'_>> = actions.iter().map(parts).collect();
            let token = tokens::Claimed::of_actions(token, &actions)?;
            let claim = self.claim_token(token.as_ref())?;
            (token, claim, self.prepared(&actions, capacity, metrics)?)
        };
        let is_reported = !tables.is_empty() || !table_names.is_empty();
        let kept = Arc::new(Mutex::new(std::mem::take(actions)));
        let taken = Arc::clone(&kept);
        let done = move || drop(std::mem::take(&mut *of(&taken)));
        let outcome = self.run_transaction(writes, token, is_reported, done).await;
        let outcome = outcome.inspect_err(|_| *actions = std::mem::take(&mut *of(&kept)))?;
        let mut response = TransactWriteItemsResponse::default();
        if let Outcome::Done(written) = &outcome {
            for (table, written) in tables.iter().zip(written) {
                add_metrics(&mut response, table, metrics, written);
            }
        }
        let table_names: Vec<&str> = table_names.iter().map(String::as_str).collect();
        response.consumed_capacity = outcome.capacity(&table_names, capacity);
        Ok(response)
    }

    /// Keeps a client token from being used by two requests at once.
    pub(crate) fn claim_token(
        &self,
        token: Option<&tokens::Claimed>,
    ) -> Result<Option<TokenClaim<'_>>, Error> {
        let Some(token) = token else { return Ok(None) };
        let claim = self.conflicts().claim_token(&token.name());
        claim.map(Some).ok_or(Error::TransactionInProgress)
    }

    /// Carries out prepared writes, all or nothing. What they found and left is given only if it is to be
    /// reported; when they are carried out, and not durable yet, `done` is told.
    pub(crate) async fn run_transaction(
        &self,
        writes: Vec<PreparedWrite>,
        token: Option<tokens::Claimed>,
        is_reported: bool,
        done: impl FnOnce() + Send + 'static,
    ) -> Result<Outcome, Error> {
        let claim = self.conflicts().claim(writes.iter().map(|write| &write.key));
        let _claim = claim.map_err(|positions| conflict(writes.len(), &positions))?;
        let job = move |transaction: &mut Transaction<'_>| {
            let outcome = execute(transaction, writes, token)?;
            done();
            Ok(if is_reported { outcome } else { Outcome::Done(Vec::new()) })
        };
        self.commit(job).await
    }

    /// Everything that can be found out about actions without their items.
    fn prepared(
        &self,
        actions: &[ActionParts<'_>],
        capacity: ReturnConsumedCapacity,
        metrics: ReturnItemCollectionMetrics,
    ) -> Result<Prepared, Error> {
        let writes = self.prepare_transaction(actions)?;
        let mut prepared = Prepared { writes, tables: Vec::new(), table_names: Vec::new() };
        // To count references that every thread counts costs more than to ask whether they are needed.
        if metrics != ReturnItemCollectionMetrics::None {
            let tables = prepared.writes.iter().map(|write| Arc::clone(&write.table));
            prepared.tables = tables.collect();
        }
        if capacity != ReturnConsumedCapacity::None {
            let names = actions.iter().map(|action| action.table_name.to_owned());
            prepared.table_names = names.collect();
        }
        Ok(prepared)
    }

    /// Checks every action as far as the items themselves are not needed.
    fn prepare_transaction(
        &self,
        actions: &[ActionParts<'_>],
    ) -> Result<Vec<PreparedWrite>, Error> {
        check_action_count(actions.len())?;
        let parsed = actions.iter().map(parse).collect::<Result<Vec<_>, Error>>()?;
        let request_bytes: usize = parsed.iter().map(|parsed| parsed.bytes).sum();
        let mut tables = Vec::with_capacity(actions.len());
        for action in actions {
            tables.push(self.table(action.permission(), action.table_name)?);
        }
        let mut writes = Vec::with_capacity(actions.len());
        let mut seen = KeySet::default();
        let mut misfit = None;
        let parsed = actions.iter().zip(&tables).zip(parsed).enumerate();
        for (position, ((action, table), parsed)) in parsed {
            match prepare(action, table, parsed) {
                Ok(write) => {
                    if !seen.insert(write.key.bytes().clone()) {
                        return Err(Error::Validation(text::ITEM_TWICE_IN_TRANSACTION.to_owned()));
                    }
                    writes.push(write);
                }
                Err(Misfit::Schema(message)) => {
                    misfit.get_or_insert((position, message));
                }
                Err(empty) => return Err(empty.into()),
            }
        }
        if request_bytes > limits::TRANSACTION_BYTES_MAX {
            return Err(Error::Validation(text::TRANSACTION_TOO_LARGE.to_owned()));
        }
        match misfit {
            None => Ok(writes),
            Some((position, message)) => Err(cancelled_by_misfit(actions.len(), position, message)),
        }
    }
}

impl ActionParts<'_> {
    /// The operation that a policy would have to allow.
    const fn permission(&self) -> &'static str {
        match self.change {
            ActionChange::ConditionCheck { .. } => "ConditionCheckItem",
            ActionChange::Put { .. } => "PutItem",
            ActionChange::Delete { .. } => "DeleteItem",
            ActionChange::Update { .. } => "UpdateItem",
        }
    }
}

impl TransactWrite {
    fn parts(&self) -> ActionParts<'_> {
        let (change, action) = match self {
            TransactWrite::ConditionCheck(action) => {
                (ActionChange::ConditionCheck { key: &action.key }, action)
            }
            TransactWrite::Put { item, action } => (ActionChange::Put { item }, action),
            TransactWrite::Delete(action) => (ActionChange::Delete { key: &action.key }, action),
            TransactWrite::Update { update_expression, action } => {
                (ActionChange::Update { key: &action.key, update_expression }, action)
            }
        };
        ActionParts {
            table_name: &action.table_name,
            change,
            condition_expression: action.condition_expression.as_deref(),
            expression_attribute_names: action.expression_attribute_names.as_ref(),
            expression_attribute_values: action.expression_attribute_values.as_ref(),
            return_values_on_condition_check_failure: action
                .return_values_on_condition_check_failure,
        }
    }
}

/// A transaction whose request has been checked as far as it can be without the items.
struct Prepared {
    writes: Vec<PreparedWrite>,
    /// The table of each write, if that is to be reported,
    tables: Vec<Arc<Table>>,
    /// and its name as the request has it.
    table_names: Vec<String>,
}

fn of<T>(kept: &Mutex<T>) -> MutexGuard<'_, T> {
    kept.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What became of a transaction.
pub(crate) enum Outcome {
    /// What each write found and left, if that is to be reported.
    Done(Vec<Written>),
    /// The sizes of the items at the time the transaction happened.
    Replayed(Vec<usize>),
}

impl Outcome {
    /// What it consumed, by table, under the names of the actions' tables. A replay changes nothing and reports what reading the items costs
    /// (rule 51).
    pub fn capacity(
        &self,
        table_names: &[&str],
        mode: ReturnConsumedCapacity,
    ) -> Option<Vec<ConsumedCapacity>> {
        if mode == ReturnConsumedCapacity::None {
            return None;
        }
        let mut meters: BTreeMap<&str, Meter> = BTreeMap::new();
        let kind = match self {
            Outcome::Done(written) => {
                for (table_name, written) in table_names.iter().zip(written) {
                    meters.entry(table_name).or_default().charge_write(&written.effect, true);
                }
                Kind::Write
            }
            Outcome::Replayed(sizes) => {
                for (table_name, size) in table_names.iter().zip(sizes) {
                    let units = capacity::read_units(*size, true) * 2.0;
                    meters.entry(table_name).or_default().charge_table(units);
                }
                Kind::Read
            }
        };
        report(&meters, mode, Some(kind))
    }
}

/// Runs inside the commit.
fn execute(
    transaction: &mut Transaction<'_>,
    writes: Vec<PreparedWrite>,
    token: Option<tokens::Claimed>,
) -> Result<Outcome, Error> {
    if let Some(token) = &token
        && let Some(sizes) = token.replay(transaction)?
    {
        return Ok(Outcome::Replayed(sizes));
    }
    let mut reasons = Vec::with_capacity(writes.len());
    let mut done = Vec::with_capacity(writes.len());
    for write in writes {
        match write.execute(transaction) {
            Ok(written) => {
                reasons.push(CancellationReason::NONE);
                done.push(written);
            }
            Err(failure) => reasons.push(reason(failure)?),
        }
    }
    if done.len() < reasons.len() {
        return Err(Error::TransactionCanceled(reasons));
    }
    if let Some(token) = token {
        let sizes = done.iter().map(|written| written.effect.old_size.max(written.effect.new_size));
        token.store(transaction, sizes.collect());
    }
    Ok(Outcome::Done(done))
}

/// What a failed action gives as its reason; or the error that ends the whole request.
fn reason(failure: WriteFailure) -> Result<CancellationReason, Error> {
    let (code, message, item) = match failure {
        WriteFailure::Condition(item) => {
            let message = Error::ConditionalCheckFailed { item: None }.to_string();
            (CancellationCode::ConditionalCheckFailed, message, item)
        }
        WriteFailure::Duplicate => {
            (CancellationCode::DuplicateItem, Error::DuplicateItem.to_string(), None)
        }
        WriteFailure::Misfit(Misfit::Schema(message))
        | WriteFailure::Other(Error::Validation(message)) => {
            (CancellationCode::ValidationError, message, None)
        }
        WriteFailure::Other(error @ Error::ItemCollectionSizeLimitExceeded) => {
            (CancellationCode::ItemCollectionSizeLimitExceeded, error.to_string(), None)
        }
        other => return Err(other.into()),
    };
    Ok(CancellationReason { code, message: Some(message), item })
}

/// Between 1 and 100 actions.
pub(crate) fn check_action_count(count: usize) -> Result<(), Error> {
    let constraint = match count {
        0 => {
            "'[]' at 'transactItems' failed to satisfy constraint: Member must have length greater than or equal to 1"
        }
        1..=limits::TRANSACTION_ACTIONS_MAX => return Ok(()),
        _ => {
            "at 'transactItems' failed to satisfy constraint: Member must have length less than or equal to 100"
        }
    };
    Err(Error::Validation(format!("1 validation error detected: Value {constraint}")))
}

/// One action that does not fit its table cancels the transaction; the others are not at fault.
pub(crate) fn cancelled_by_misfit(count: usize, position: usize, message: String) -> Error {
    let mut reasons = vec![CancellationReason::NONE; count];
    if let Some(reason) = reasons.get_mut(position) {
        reason.code = CancellationCode::ValidationError;
        reason.message = Some(message);
    }
    Error::TransactionCanceled(reasons)
}

fn conflict(count: usize, positions: &[usize]) -> Error {
    let mut reasons = vec![CancellationReason::NONE; count];
    for position in positions {
        if let Some(reason) = reasons.get_mut(*position) {
            reason.code = CancellationCode::TransactionConflict;
            reason.message = Some(Error::TransactionConflict.to_string());
        }
    }
    Error::TransactionCanceled(reasons)
}

/// An action as far as it can be read without its table.
struct Parsed {
    update: Option<Update>,
    condition: Option<Condition>,
    /// What the item of a put, or the key of anything else, weighs.
    size: usize,
    /// What the action adds to the 4 MB a transaction may have.
    bytes: usize,
}

fn parse(action: &ActionParts<'_>) -> Result<Parsed, Error> {
    definition_checks::table_name(action.table_name)?;
    let update_expression = match action.change {
        ActionChange::Update { update_expression, .. } => Some(update_expression),
        _ => None,
    };
    let mut placeholders = Present {
        legacy: &[],
        expressions: &[
            ("UpdateExpression", update_expression.is_some()),
            ("ConditionExpression", action.condition_expression.is_some()),
        ],
        names: action.expression_attribute_names,
        values: action.expression_attribute_values,
        listed_as_null: &[],
    }
    .check()
    .map_err(ParameterProblem::naming_the_value)?;
    let update = update_expression.map(|text| placeholders.update(text)).transpose()?;
    let condition = action.condition_expression;
    let condition = condition.map(|text| placeholders.condition(text)).transpose()?;
    placeholders.finish()?;
    let size = match action.change {
        ActionChange::Put { item } => {
            values::validate::item(item)?;
            // Rule 26: an oversize put refuses the request, an oversize update cancels it.
            item_checks::size_to_put(item)?
        }
        ActionChange::ConditionCheck { key }
        | ActionChange::Delete { key }
        | ActionChange::Update { key, .. } => {
            item_checks::key_content(key)?;
            size::item_size(key)
        }
    };
    let values = action.expression_attribute_values.into_iter().flatten();
    let values: usize = values.map(|(_, value)| size::value_size(value)).sum();
    Ok(Parsed { update, condition, size, bytes: size + values })
}

fn prepare(
    action: &ActionParts<'_>,
    table: &Arc<Table>,
    parsed: Parsed,
) -> Result<PreparedWrite, Misfit> {
    let Parsed { update, condition, size, .. } = parsed;
    let key = match action.change {
        ActionChange::Put { item } => item_checks::item(table, item)?,
        ActionChange::ConditionCheck { key }
        | ActionChange::Delete { key }
        | ActionChange::Update { key, .. } => item_checks::key(table, key)?,
    };
    let nested = condition.iter().flat_map(Condition::nested_attribute_names);
    let nested = nested.chain(update.iter().flat_map(Update::nested_attribute_names));
    let paths = item_checks::no_path_into_keys(table, nested);
    let mutation = match (action.change, update) {
        (ActionChange::Put { item }, _) => Mutation::Put(NewItem::of_size(Arc::clone(item), size)),
        (ActionChange::Delete { .. }, _) => Mutation::Delete,
        (ActionChange::Update { key, .. }, Some(update)) => {
            if let Some(name) = update.attribute_names().find(|name| table.keys.contains(name)) {
                return Err(Misfit::Schema(text::key_update(name)));
            }
            Mutation::Update(Arc::new(update), key.clone())
        }
        (ActionChange::ConditionCheck { .. } | ActionChange::Update { .. }, _) => Mutation::Check,
    };
    paths?;
    let return_item_on_failure = action.return_values_on_condition_check_failure
        == ReturnValuesOnConditionCheckFailure::AllOld;
    Ok(PreparedWrite { table: Arc::clone(table), key, mutation, condition, return_item_on_failure })
}

fn add_metrics(
    response: &mut TransactWriteItemsResponse,
    table: &Table,
    mode: ReturnItemCollectionMetrics,
    written: &Written,
) {
    let item = written.new.as_deref().or(written.old.as_ref());
    let metrics = item.and_then(|item| collections::metrics(table, mode, item, &written.effect));
    if let Some(metrics) = metrics {
        response.item_collection_metrics.entry(table.name.clone()).or_default().push(metrics);
    }
}
