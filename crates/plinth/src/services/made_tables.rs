//! The tables of the services: made and changed at start, as the documents say.

use std::time::Duration;

use serde_json::json;
use tables::{ApplyError, Documents, Environment, Plan, Target};

const PAUSE: Duration = Duration::from_millis(500);

/// The documents inside the binary.
pub fn documents() -> Result<Documents, String> {
    Documents::embedded().map_err(|problems| {
        let lines: Vec<_> = problems.iter().map(ToString::to_string).collect();
        format!("The table documents have problems:\n{}", lines.join("\n"))
    })
}

/// Whether a target has a table of this name.
pub async fn is_there<T: Target>(target: &T, name: &str) -> Result<bool, String> {
    match target.call("DescribeTable", &json!({ "TableName": name })).await {
        Ok(_) => Ok(true),
        Err(error) if error.is("ResourceNotFoundException") => Ok(false),
        Err(error) => Err(format!("The tables could not be read: {error}")),
    }
}

/// Makes and changes tables as the documents say. What would lose something is left to people.
/// Where another process may be making the same tables, more than one attempt is worth while.
pub async fn make<T: Target>(
    documents: &Documents,
    target: &T,
    environment: Environment,
    attempts: u32,
) -> Result<(), String> {
    let selected: Vec<_> = documents.tables.iter().collect();
    let mut attempt = 1;
    loop {
        let plan = Plan::make(documents, &selected, environment, &[], target).await;
        let plan = plan.map_err(|error| format!("The tables could not be read: {error}"))?;
        if plan.is_empty() {
            return Ok(());
        }
        match tables::apply(documents, &plan, false, target, |_, _| {}).await {
            Ok(changes) => {
                tracing::info!(changes, %environment, "the tables of the services are up to date");
                return Ok(());
            }
            // Somebody else may have been faster. A new plan shows what is left to do.
            Err(ApplyError::Failed { .. }) if attempt < attempts => {
                attempt += 1;
                tokio::time::sleep(PAUSE).await;
            }
            Err(error) => {
                return Err(format!(
                    "The tables of the services could not be brought up to date: {error}. `plinth \
                     tables plan` shows what has to be done, --services-listen off starts without \
                     services."
                ));
            }
        }
    }
}
