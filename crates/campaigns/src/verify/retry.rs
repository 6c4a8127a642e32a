//! Repeating an unanswered transaction with the same token: nothing may change if it had happened.

use database::Database;
use database::operations::GetItemRequest;
use values::Item;

use super::{Findings, Verdict};
use crate::ledger::{Certainty, Event, History, Ledger, Replaced};
use crate::workload::{Kind, Operation, Outcome, Plan, execute};

/// Repeats every open transaction and notes the outcome; notes for all other open attempts what the
/// verdict found out. Afterwards no attempt is open.
pub async fn retry_open_transactions(
    database: &Database,
    plan: &Plan,
    history: &History,
    verdict: &mut Verdict,
    ledger: &Ledger,
) -> std::io::Result<usize> {
    let mut retried = 0;
    for (place, attempt) in history.open() {
        let operation = &attempt.operation;
        let mut known = verdict.certainty[place];
        if operation.kind == Kind::Transaction && !attempt.unexpected {
            retried += 1;
            let happened = known != Certainty::NONE;
            let done = retry(database, plan, operation, happened, &mut verdict.findings).await;
            if done {
                known = Certainty::all(operation);
            }
        }
        ledger.note(operation.id, Event::Answered(known, Replaced::NotTold))?;
    }
    Ok(retried)
}

/// Repeats one transaction; gives whether it has happened now.
async fn retry(
    database: &Database,
    plan: &Plan,
    operation: &Operation,
    happened: bool,
    findings: &mut Findings,
) -> bool {
    let before = items(database, operation).await;
    let outcome = execute(database, plan, operation).await;
    let id = operation.id;
    if !happened {
        if let Outcome::Unknown | Outcome::Unexpected(_) = outcome {
            findings.add(format!("repeating transaction {id} failed: {outcome:?}"));
        }
        return matches!(outcome, Outcome::Done { .. });
    }
    if !matches!(outcome, Outcome::Done { .. }) {
        findings.add(format!("transaction {id} had happened, but a repetition gives {outcome:?}"));
    }
    if items(database, operation).await != before {
        findings.add(format!("transaction {id} had happened, and happened again when repeated"));
    }
    true
}

async fn items(
    database: &Database,
    operation: &Operation,
) -> Vec<Result<Option<Item>, database::Error>> {
    let mut items = Vec::new();
    for action in &operation.actions {
        let request = GetItemRequest {
            table_name: action.name.table.name().to_owned(),
            key: action.name.key(),
            consistent_read: true,
            ..GetItemRequest::default()
        };
        items.push(database.get_item(request).await.map(|answer| answer.item));
    }
    items
}
