//! BatchExecuteStatement: up to 25 PartiQL statements that all read or all write, each on its own.
#![expect(missing_docs, reason = "the fields are DynamoDB's own, described in its API reference")]

use std::collections::{BTreeMap, HashSet};
use std::pin::Pin;
use std::sync::Arc;
use std::task::Poll;

use expressions::partiql::Statement;
use values::{AttributeValue, Item, limits, size};

use crate::capacity::{self, Meter, report};
use crate::catalog::Table;
use crate::keys::ItemKey;
use crate::operations::get_item;
use crate::partiql::{self, Fingerprint, SelectRequest, StatementWrite};
use crate::shapes::{
    ConsumedCapacity, ReturnConsumedCapacity, ReturnValuesOnConditionCheckFailure,
};
use crate::{Database, Error, stored, text};

#[derive(Clone, Debug, Default, PartialEq)]
pub struct BatchExecuteStatementRequest {
    pub statements: Vec<BatchStatementRequest>,
    pub return_consumed_capacity: ReturnConsumedCapacity,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct BatchStatementRequest {
    pub statement: String,
    pub parameters: Vec<AttributeValue>,
    /// Why a parameter is no value; reported for this statement alone.
    pub refused_parameter: Option<String>,
    pub consistent_read: bool,
    pub return_values_on_condition_check_failure: ReturnValuesOnConditionCheckFailure,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct BatchExecuteStatementResponse {
    /// One for each statement, in order.
    pub responses: Vec<BatchStatementResponse>,
    pub consumed_capacity: Option<Vec<ConsumedCapacity>>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct BatchStatementResponse {
    pub error: Option<BatchStatementError>,
    pub table_name: Option<String>,
    pub item: Option<Item>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct BatchStatementError {
    pub code: &'static str,
    pub message: String,
    pub item: Option<Item>,
}

/// What became of one statement.
struct Outcome {
    response: BatchStatementResponse,
    /// The table to charge.
    table_name: Option<String>,
    /// What it consumed, if it succeeded.
    meter: Option<Meter>,
    /// What it consumed although it failed: in the total of its table, and in no part of it (DX).
    wasted_units: f64,
}

/// A statement that was read, with its table and the item it is about.
struct Member {
    table: Arc<Table>,
    statement: Statement,
    /// The item's place, if the statement names one.
    key: Option<ItemKey>,
}

impl Database {
    /// BatchExecuteStatement: up to 25 PartiQL statements that all read or all write, each on its own.
    pub async fn batch_execute_statement(
        &self,
        request: BatchExecuteStatementRequest,
    ) -> Result<BatchExecuteStatementResponse, Error> {
        check_members(&request.statements)?;
        let members: Vec<Result<Member, Refused>> =
            request.statements.iter().map(|statement| self.member(statement)).collect();
        let kinds = || {
            members.iter().filter_map(|member| match member {
                Ok(member) => Some(member.statement.is_read()),
                Err(refused) => refused.is_read,
            })
        };
        if kinds().any(|is_read| is_read) && !kinds().all(|is_read| is_read) {
            return Err(Error::Validation(text::MIXED_BATCH.to_owned()));
        }
        let mut seen = HashSet::new();
        let keys = members.iter().filter_map(|member| member.as_ref().ok()?.key.clone());
        if keys.into_iter().any(|key| !seen.insert(key)) {
            return Err(Error::Validation(text::DUPLICATE_KEYS.to_owned()));
        }
        let mut under_way: Vec<Running<'_>> = Vec::with_capacity(members.len());
        for (member, statement) in members.into_iter().zip(&request.statements) {
            under_way.push(Running::Waiting(Box::pin(async move {
                match member {
                    Ok(member) => self.execute_member(member, statement).await,
                    Err(refused) => Outcome::failed(refused.error, refused.table_name.as_deref()),
                }
            })));
        }
        let outcomes = all(under_way).await;
        let consumed_capacity = consumed(&outcomes, request.return_consumed_capacity);
        let responses = outcomes.into_iter().map(|outcome| outcome.response).collect();
        Ok(BatchExecuteStatementResponse { responses, consumed_capacity })
    }

    /// Reads a statement and finds what it is about.
    fn member(&self, request: &BatchStatementRequest) -> Result<Member, Refused> {
        let refused = |error: Error| Refused { error, is_read: None, table_name: None };
        if let Some(message) = &request.refused_parameter {
            return Err(refused(Error::Validation(message.clone())));
        }
        partiql::check_parameters(&request.parameters).map_err(refused)?;
        let statement = partiql::parse(&request.statement, &request.parameters).map_err(refused)?;
        let table = self.statement_table(&statement).map_err(|error| Refused {
            error,
            is_read: Some(statement.is_read()),
            table_name: Some(statement.table_name().to_owned()),
        })?;
        let types = partiql::key_types(&table.keys);
        let key = match &statement {
            Statement::Select(select) | Statement::Exists(select) => {
                select.filter.exact_key(&types)
            }
            Statement::Insert { item, .. } => Some(table.keys.project(item)),
            Statement::Update { filter, .. } | Statement::Delete { filter, .. } => {
                filter.item_key(&types).ok()
            }
        };
        let key = key.and_then(|key| table.item_key(&key));
        Ok(Member { table, statement, key })
    }

    async fn execute_member(&self, member: Member, request: &BatchStatementRequest) -> Outcome {
        let Member { table, statement, key } = member;
        // Read before the write, so that a failed one can be charged for what it met.
        let attempted = match &statement {
            Statement::Insert { item, .. } => size::item_size(item),
            _ => 0,
        };
        let result = match statement {
            Statement::Select(select) => {
                self.execute_read(&table, select, request).map_err(Failed::before)
            }
            write => self.execute_single(&table, write, request).await,
        };
        let table_name = Some(table.name.clone());
        match result {
            Ok((item, meter)) => Outcome {
                response: BatchStatementResponse {
                    error: None,
                    table_name: table_name.clone(),
                    item,
                },
                table_name,
                meter: Some(meter),
                wasted_units: 0.0,
            },
            Err(Failed { error, was_tried }) => {
                let mut outcome = Outcome::failed(error, Some(&table.name));
                if was_tried {
                    let stored = key.map_or(0, |key| self.stored_size(&key));
                    outcome.wasted_units = capacity::write_units(stored.max(attempted)) as f64;
                }
                outcome
            }
        }
    }

    fn execute_read(
        &self,
        table: &Table,
        select: expressions::partiql::Select,
        request: &BatchStatementRequest,
    ) -> Result<(Option<Item>, Meter), Error> {
        let without_key = || Error::Validation(text::select_without_key("BatchExecuteStatement"));
        let key = select.filter.exact_key(&partiql::key_types(&table.keys));
        if select.index_name.is_some() || key.is_none() {
            return Err(without_key());
        }
        let selected = self.select(SelectRequest {
            table,
            select,
            consistent: request.consistent_read,
            limit: None,
            next_token: None,
            fingerprint: Fingerprint::new(&request.statement, &[]),
            parameters: &[],
        })?;
        Ok((selected.items.into_iter().next(), selected.meter))
    }

    async fn execute_single(
        &self,
        table: &Arc<Table>,
        statement: Statement,
        request: &BatchStatementRequest,
    ) -> Result<(Option<Item>, Meter), Failed> {
        partiql::refuse_foreign_key_types(table, &statement).map_err(Failed::before)?;
        let return_item = request.return_values_on_condition_check_failure
            == ReturnValuesOnConditionCheckFailure::AllOld;
        let StatementWrite { write, returned } = partiql::prepare(table, statement, return_item)
            .map_err(|unfit| Failed::before(unfit.into()))?;
        let written = self.write(write).await;
        let written = written.map_err(|error| Failed { error, was_tried: true })?;
        let mut meter = Meter::default();
        meter.charge_write(&written.effect, false);
        Ok((returned.of(&written), meter))
    }

    fn stored_size(&self, key: &ItemKey) -> usize {
        let bytes = get_item::read(&*self.snapshot(), key).ok().flatten();
        let item = bytes.and_then(|bytes| stored::item(&bytes).ok());
        item.as_ref().map_or(0, size::item_size)
    }
}

/// A statement that is not tried, with what is known of it.
struct Refused {
    error: Error,
    is_read: Option<bool>,
    table_name: Option<String>,
}

/// A statement that failed, and whether it came as far as its item.
struct Failed {
    error: Error,
    was_tried: bool,
}

impl Failed {
    fn before(error: Error) -> Failed {
        Failed { error, was_tried: false }
    }
}

impl Outcome {
    /// A failed statement names its table unless it was refused before it was tried (DX).
    fn failed(error: Error, table_name: Option<&str>) -> Outcome {
        let was_tried = !matches!(error, Error::Validation(_));
        let message = error.to_string();
        let code = short_code(&error);
        let item = match error {
            Error::ConditionalCheckFailed { item } => item,
            _ => None,
        };
        let named = table_name.filter(|_| was_tried).map(str::to_owned);
        let error = Some(BatchStatementError { code, message, item });
        let response = BatchStatementResponse { error, table_name: named, item: None };
        let table_name = table_name.map(str::to_owned);
        Outcome { response, table_name, meter: None, wasted_units: 0.0 }
    }
}

/// The code of a statement's error: the exception's name in short.
const fn short_code(error: &Error) -> &'static str {
    match error {
        Error::ConditionalCheckFailed { .. } => "ConditionalCheckFailed",
        Error::DuplicateItem => "DuplicateItem",
        Error::ItemCollectionSizeLimitExceeded => "ItemCollectionSizeLimitExceeded",
        Error::TransactionConflict => "TransactionConflict",
        Error::ResourceNotFound(_) => "ResourceNotFound",
        Error::AccessDenied(_) => "AccessDenied",
        Error::Throttling(_) => "ThrottlingError",
        Error::Stopped(_) => "InternalServerError",
        _ => "ValidationError",
    }
}

fn check_members(statements: &[BatchStatementRequest]) -> Result<(), Error> {
    let (shown, constraint) = match statements.len() {
        0 => ("[]", "greater than or equal to 1"),
        1..=limits::BATCH_STATEMENTS_MAX => ("", ""),
        _ => ("[...]", "less than or equal to 25"),
    };
    if !constraint.is_empty() {
        return Err(Error::Validation(text::length_of(shown, "statements", constraint)));
    }
    for (position, statement) in statements.iter().enumerate() {
        let member = format!("statements.{}.member.statement", position + 1);
        partiql::check_statement(&statement.statement, &member)?;
    }
    Ok(())
}

/// What each table consumed. Nothing is reported of a table where nothing succeeded (DX).
fn consumed(outcomes: &[Outcome], mode: ReturnConsumedCapacity) -> Option<Vec<ConsumedCapacity>> {
    let mut meters: BTreeMap<&str, Meter> = BTreeMap::new();
    let mut wasted: BTreeMap<&str, f64> = BTreeMap::new();
    for outcome in outcomes {
        let Some(table_name) = outcome.table_name.as_deref() else { continue };
        *wasted.entry(table_name).or_default() += outcome.wasted_units;
        if let Some(meter) = &outcome.meter {
            meters.entry(table_name).or_default().add(meter);
        }
    }
    let mut tables = report(&meters, mode, None).filter(|tables| !tables.is_empty())?;
    for table in &mut tables {
        table.capacity_units += wasted.get(table.table_name.as_str()).copied().unwrap_or(0.0);
    }
    Some(tables)
}

/// A statement that is being carried out, or what became of it.
enum Running<'a> {
    Waiting(Pin<Box<dyn Future<Output = Outcome> + Send + 'a>>),
    Done(Box<Outcome>),
}

/// Carries them all out at once, so that their writes share a group commit. Each names another item,
/// so that their order does not matter.
async fn all(mut under_way: Vec<Running<'_>>) -> Vec<Outcome> {
    std::future::poll_fn(|context| {
        let mut is_done = true;
        for one in &mut under_way {
            if let Running::Waiting(future) = one {
                match future.as_mut().poll(context) {
                    Poll::Ready(outcome) => *one = Running::Done(Box::new(outcome)),
                    Poll::Pending => is_done = false,
                }
            }
        }
        if is_done { Poll::Ready(()) } else { Poll::Pending }
    })
    .await;
    let done = |one| match one {
        Running::Done(outcome) => Some(*outcome),
        Running::Waiting(_) => None,
    };
    under_way.into_iter().filter_map(done).collect()
}
