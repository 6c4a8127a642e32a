//! The workload: every kind of operation, in an order that lets each one matter.

use database::operations::{DeleteTableRequest, GetItemRequest, QueryRequest};
use database::{Database, Error};
use values::AttributeValue;

use crate::ledger::{Event, Note};
use crate::verify::observe;
use crate::workload::{
    Condition, Effect, Kind, Operation, OperationId, Outcome, Plan, Table, background_work,
    create_tables, execute, toggle_extra_index,
};

/// One step.
#[derive(Clone, Debug)]
pub(super) enum Step {
    /// Creates the tables.
    CreateTables,
    /// An operation of the plan.
    Write(Operation),
    /// The same transaction again, with the same token.
    Repeat(Operation),
    /// Reads everything there is.
    ReadAll,
    /// Reads one item and one partition.
    ReadSome,
    /// Adds an index, or removes it.
    ToggleIndex,
    /// A round of background work, some seconds later.
    Background,
    /// Removes a table.
    DeletePlainTable,
}

/// What a step was answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Answer {
    /// It was carried out.
    Done,
    /// It was refused for a reason of its own, such as a condition, or there was nothing to do.
    Refused,
    /// The database could not say.
    Failed(String),
    /// It should never be answered so.
    Unexpected(String),
}

impl Step {
    /// Does it change anything?
    pub(super) fn writes(&self) -> bool {
        !matches!(self, Step::ReadAll | Step::ReadSome)
    }

    /// Does it touch the storage only in commits?
    pub(super) fn only_commits(&self) -> bool {
        matches!(self, Step::Write(_) | Step::Repeat(_) | Step::DeletePlainTable)
    }

    /// All steps of a workload.
    pub(super) fn all(plan: &Plan) -> Vec<Step> {
        let mut steps = vec![Step::CreateTables];
        let mut writes = chosen_operations(plan).into_iter().map(Step::Write);
        steps.extend(writes.by_ref().take(8));
        steps.extend([Step::ReadSome, Step::ToggleIndex]);
        steps.extend(writes.by_ref().take(3));
        steps.extend([Step::Background, Step::ReadAll]);
        let rest: Vec<Step> = writes.collect();
        let transactions = rest.iter().filter_map(|step| match step {
            Step::Write(operation) if operation.kind == Kind::Transaction => {
                Some(Step::Repeat(operation.clone()))
            }
            _ => None,
        });
        let repeats: Vec<Step> = transactions.collect();
        steps.extend(rest);
        steps.extend(repeats);
        steps.extend([Step::ToggleIndex, Step::Background, Step::ReadSome]);
        steps.push(Step::DeletePlainTable);
        steps.push(Step::Background);
        steps
    }

    /// Carries it out, noting what a ledger would.
    pub(super) async fn run(
        &self,
        database: &Database,
        plan: &Plan,
        notes: &mut Vec<Note>,
    ) -> Answer {
        match self {
            Step::CreateTables => answer(create_tables(database).await),
            Step::ToggleIndex => answer(toggle_extra_index(database).await),
            Step::Background => match background_work(database).await {
                Ok(0) => Answer::Refused,
                worked => answer(worked.map(drop)),
            },
            Step::ReadAll => answer(observe(database).await.map(drop)),
            Step::ReadSome => answer(read_some(database).await),
            Step::DeletePlainTable => {
                let request = DeleteTableRequest { table_name: Table::Plain.name().to_owned() };
                answer(database.delete_table(request).await.map(drop))
            }
            Step::Write(operation) => {
                notes.push(Note { id: operation.id, event: Event::Sent });
                let outcome = execute(database, plan, operation).await;
                notes.push(Note { id: operation.id, event: Event::of(operation, &outcome) });
                heard(outcome)
            }
            Step::Repeat(operation) => heard(execute(database, plan, operation).await),
        }
    }
}

fn heard(outcome: Outcome) -> Answer {
    match outcome {
        Outcome::Done { .. } => Answer::Done,
        Outcome::Refused(_) => Answer::Refused,
        Outcome::Unknown => Answer::Failed("the database stopped".to_owned()),
        Outcome::Unexpected(message) => Answer::Unexpected(message),
    }
}

fn answer(result: Result<(), Error>) -> Answer {
    match result {
        Ok(()) => Answer::Done,
        Err(Error::Stopped(message)) => Answer::Failed(message),
        // Without its tables, a database has nothing to say.
        Err(Error::ResourceNotFound(_) | Error::ResourceInUse(_)) => Answer::Refused,
        Err(other) => Answer::Unexpected(format!("{other:?}")),
    }
}

/// Single writes of every effect on every table, batches and transactions: the first of the plan that
/// fit.
fn chosen_operations(plan: &Plan) -> Vec<Operation> {
    let mut wanted: Vec<(Kind, Option<(Table, Effect)>)> = Vec::new();
    for effect in [Effect::Put, Effect::Update, Effect::Put, Effect::Delete] {
        for table in Table::ALL {
            wanted.push((Kind::Single, Some((table, effect))));
        }
    }
    wanted.insert(3, (Kind::Batch, None));
    wanted.insert(6, (Kind::Transaction, None));
    wanted.extend([(Kind::Batch, None), (Kind::Transaction, None), (Kind::Transaction, None)]);
    let mut operations = (0..).map(|count| plan.operation(OperationId::new(1, 1, count)));
    let mut chosen = Vec::new();
    for (kind, single) in wanted {
        let fits = |operation: &Operation| {
            let first = &operation.actions[0];
            let small = operation.actions.len() <= 8;
            let mild = first.condition == Condition::Always || kind != Kind::Single;
            let matches = single
                .is_none_or(|(table, effect)| first.name.table == table && first.effect == effect);
            operation.kind == kind && small && mild && matches
        };
        chosen.extend(operations.find(fits));
    }
    chosen
}

async fn read_some(database: &Database) -> Result<(), Error> {
    for table in Table::ALL {
        let key = crate::workload::ItemName { table, number: 0 }.key();
        let id = key.get("id").cloned().unwrap_or(AttributeValue::Null);
        let request = GetItemRequest {
            table_name: table.name().to_owned(),
            key,
            consistent_read: true,
            ..GetItemRequest::default()
        };
        database.get_item(request).await?;
        let request = QueryRequest {
            table_name: table.name().to_owned(),
            key_condition_expression: Some("id = :id".to_owned()),
            expression_attribute_values: Some([(":id".to_owned(), id)].into()),
            ..QueryRequest::default()
        };
        database.query(request).await?;
    }
    Ok(())
}
