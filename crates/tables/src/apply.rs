//! Carrying out a plan, one change at a time, so that a second run can go on where one ended.

use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use futures_util::stream::{self, StreamExt as _};
use serde_json::{Value, json};

use crate::document::{Index, Table};
use crate::plan::{Change, Plan, TablePlan};
use crate::state::TableState;
use crate::target::{Target, TargetError};
use crate::{Documents, request};

/// How long to wait between two looks at a table, at first and at most.
const PAUSE: (Duration, Duration) = (Duration::from_millis(20), Duration::from_secs(5));
/// How often a setting is tried that the service says is not available yet.
const ATTEMPTS: usize = 20;

/// Why a plan was not carried out to its end.
#[derive(Debug)]
#[non_exhaustive]
pub enum ApplyError {
    /// The plan would lose something, and nobody allowed it. Allow it, or leave it.
    NotAllowed,
    /// The plan holds what cannot be done. Do what it says by hand.
    Blocked,
    /// A change failed. Those before it are done; run again to go on.
    Failed {
        /// The table.
        table: String,
        /// The change.
        change: Change,
        /// What the target said.
        error: TargetError,
        /// How many changes were made before.
        done: usize,
        /// How many changes there were in all.
        planned: usize,
    },
}

impl fmt::Display for ApplyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ApplyError::NotAllowed => f.write_str(
                "the plan removes an index or a table. Nothing was done. Allow it with \
                 --allow-removal, or put it back into the document",
            ),
            ApplyError::Blocked => f.write_str(
                "the plan holds what cannot be done to a table that exists. Nothing was done",
            ),
            ApplyError::Failed { table, change, error, done, planned } => write!(
                f,
                "{table}: could not {change}. {error}. {done} of {planned} changes are done and \
                 stay; run the command again to go on from there"
            ),
        }
    }
}

impl std::error::Error for ApplyError {}

/// Carries out a plan, with as many tables at once as the target likes. `progress` is told of each
/// change that is done.
pub async fn apply<T: Target>(
    documents: &Documents,
    plan: &Plan,
    allow_removal: bool,
    target: &T,
    progress: impl FnMut(&str, &Change),
) -> Result<usize, ApplyError> {
    if plan.is_blocked() {
        return Err(ApplyError::Blocked);
    }
    if plan.is_destructive() && !allow_removal {
        return Err(ApplyError::NotAllowed);
    }
    let worker = Worker {
        documents,
        plan,
        target,
        progress: Mutex::new(progress),
        done: AtomicUsize::new(0),
        failed: AtomicBool::new(false),
    };
    // All tables are begun before the first is waited for: on AWS each takes several seconds.
    worker.each(plan.tables.iter().map(|table| worker.begin(table))).await?;
    worker.each(plan.tables.iter().map(|table| worker.finish(table))).await?;
    Ok(worker.done.into_inner())
}

struct Worker<'p, T, P> {
    documents: &'p Documents,
    plan: &'p Plan,
    target: &'p T,
    progress: Mutex<P>,
    done: AtomicUsize,
    failed: AtomicBool,
}

impl<T: Target, P: FnMut(&str, &Change)> Worker<'_, T, P> {
    /// Runs work on tables, some at once. After an error nothing new is begun; what was begun ends.
    async fn each<W>(&self, work: impl Iterator<Item = W>) -> Result<(), ApplyError>
    where
        W: Future<Output = Result<(), ApplyError>>,
    {
        let mut running = stream::iter(work).buffer_unordered(self.target.at_once());
        let mut first = Ok(());
        while let Some(outcome) = running.next().await {
            if outcome.is_err() && first.is_ok() {
                self.failed.store(true, Ordering::Relaxed);
                first = outcome;
            }
        }
        first
    }

    /// Begins a table that is missing.
    async fn begin(&self, table: &TablePlan) -> Result<(), ApplyError> {
        match table.changes.as_slice() {
            [change @ Change::CreateTable { .. }, ..] => self.make(&table.name, change).await,
            _ => Ok(()),
        }
    }

    /// Makes the changes of a table, one after the other; its beginning is only waited for.
    async fn finish(&self, table: &TablePlan) -> Result<(), ApplyError> {
        for change in &table.changes {
            if !matches!(change, Change::CreateTable { .. }) {
                self.make(&table.name, change).await?;
            }
            if !self.failed.load(Ordering::Relaxed) {
                self.wait(&table.name, change).await?;
            }
        }
        Ok(())
    }

    async fn make(&self, name: &str, change: &Change) -> Result<(), ApplyError> {
        if self.failed.load(Ordering::Relaxed) {
            return Ok(());
        }
        let environment = self.plan.environment;
        let tables = self.documents.tables.iter();
        let table = tables.into_iter().find(|t| self.documents.table_name(t, environment) == name);
        let outcome = match (table, change) {
            (_, Change::DeleteTable) => {
                self.call("DeleteTable", json!({ "TableName": name })).await
            }
            (Some(table), Change::CreateTable { .. }) => {
                self.call("CreateTable", request::create_table(table, name, environment)).await
            }
            (Some(table), change) => self.change(table, name, change).await,
            (None, _) => Ok(()),
        };
        match outcome {
            Ok(()) => {
                self.done.fetch_add(1, Ordering::Relaxed);
                let mut progress = self.progress.lock().unwrap_or_else(PoisonError::into_inner);
                progress(name, change);
                Ok(())
            }
            Err(error) => Err(self.failed(name, change, error)),
        }
    }

    async fn change(&self, table: &Table, name: &str, change: &Change) -> Result<(), TargetError> {
        if let Some(mut body) = update_table(table, name, change) {
            if let Change::CreateIndex { index } = change {
                // Definitions that no key uses are refused, so not all of the document's are sent.
                let state = TableState::describe(self.target, name).await?.unwrap_or_default();
                body["AttributeDefinitions"] = definitions(table, &state, index);
            }
            return self.call("UpdateTable", body).await;
        }
        match change {
            Change::StopTimeToLive { attribute } => self.time_to_live(name, attribute, false).await,
            Change::StartTimeToLive { attribute } => self.time_to_live(name, attribute, true).await,
            Change::SetRecovery { enabled } => self.recovery(table, name, *enabled).await,
            Change::SetTags { tags } => {
                let state = TableState::describe(self.target, name).await?.unwrap_or_default();
                let tags: Vec<_> =
                    tags.iter().map(|(key, value)| json!({ "Key": key, "Value": value })).collect();
                self.call("TagResource", json!({ "ResourceArn": state.arn, "Tags": tags })).await
            }
            _ => Ok(()),
        }
    }

    async fn time_to_live(&self, name: &str, attribute: &str, on: bool) -> Result<(), TargetError> {
        let specification = json!({ "AttributeName": attribute, "Enabled": on });
        let body = json!({ "TableName": name, "TimeToLiveSpecification": specification });
        self.call("UpdateTimeToLive", body).await
    }

    /// A new table may not have continuous backups for a moment; a target may not have them at all.
    async fn recovery(&self, table: &Table, name: &str, on: bool) -> Result<(), TargetError> {
        let mut specification = json!({ "PointInTimeRecoveryEnabled": on });
        if let Some(days) = table.pitr.retention_days.filter(|_| on) {
            specification["RecoveryPeriodInDays"] = json!(days);
        }
        let body = json!({ "TableName": name, "PointInTimeRecoverySpecification": specification });
        let mut pause = PAUSE.0;
        for _ in 1..ATTEMPTS {
            match self.call("UpdateContinuousBackups", body.clone()).await {
                Err(error) if error.is("ContinuousBackupsUnavailableException") => {
                    pause = wait(pause).await;
                }
                Err(TargetError::NotOffered { .. }) => return Ok(()),
                outcome => return outcome,
            }
        }
        self.call("UpdateContinuousBackups", body).await
    }

    async fn call(&self, operation: &'static str, body: Value) -> Result<(), TargetError> {
        self.target.call(operation, &body).await.map(|_| ())
    }

    /// Waits until the table can take the next change. DynamoDB takes one at a time.
    async fn wait(&self, name: &str, change: &Change) -> Result<(), ApplyError> {
        let mut pause = PAUSE.0;
        loop {
            let state = TableState::describe(self.target, name).await;
            let state = state.map_err(|error| self.failed(name, change, error))?;
            match (state, change) {
                (None, Change::DeleteTable) => return Ok(()),
                (Some(state), change) if *change != Change::DeleteTable && state.is_active() => {
                    return Ok(());
                }
                (None, _) => {
                    let code = "ResourceNotFoundException".to_owned();
                    let message = "the table has gone while it was being changed".to_owned();
                    let error = TargetError::Refused { code, message };
                    return Err(self.failed(name, change, error));
                }
                _ => pause = wait(pause).await,
            }
        }
    }

    fn failed(&self, table: &str, change: &Change, error: TargetError) -> ApplyError {
        ApplyError::Failed {
            table: table.to_owned(),
            change: change.clone(),
            error,
            done: self.done.load(Ordering::Relaxed),
            planned: self.plan.change_count(),
        }
    }
}

/// The UpdateTable request for a change that is one.
fn update_table(table: &Table, name: &str, change: &Change) -> Option<Value> {
    let mut body = json!({ "TableName": name });
    let (member, value) = match change {
        Change::CreateIndex { index } => {
            let index = table.index(index)?;
            let create = json!([{ "Create": request::global_index(table, index) }]);
            ("GlobalSecondaryIndexUpdates", create)
        }
        Change::DeleteIndex { index, .. } => {
            ("GlobalSecondaryIndexUpdates", json!([{ "Delete": { "IndexName": index } }]))
        }
        Change::SetBilling { mode } => {
            if let Some(throughput) = request::throughput(table) {
                body["ProvisionedThroughput"] = throughput;
            }
            ("BillingMode", json!(mode))
        }
        Change::StopStream { .. } => ("StreamSpecification", json!({ "StreamEnabled": false })),
        Change::StartStream { .. } => ("StreamSpecification", request::stream(table)),
        Change::SetDeletionProtection { enabled } => ("DeletionProtectionEnabled", json!(enabled)),
        Change::SetEncryption { .. } => ("SSESpecification", request::encryption(table)),
        _ => return None,
    };
    body[member] = value;
    Some(body)
}

/// The key attributes that the table has, and those of a new index.
fn definitions(table: &Table, state: &TableState, index: &str) -> Value {
    let mut types = state.types.clone();
    for name in table.index(index).into_iter().flat_map(Index::key_names) {
        let kind = table.attribute_type(name).map_or("S", |kind| kind.descriptor());
        types.insert(name.to_owned(), kind.to_owned());
    }
    let definition =
        |(name, kind): (String, String)| json!({ "AttributeName": name, "AttributeType": kind });
    types.into_iter().map(definition).collect()
}

async fn wait(pause: Duration) -> Duration {
    tokio::time::sleep(pause).await;
    (pause * 2).min(PAUSE.1)
}
