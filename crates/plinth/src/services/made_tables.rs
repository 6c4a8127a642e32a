//! The tables of the services in the embedded database: made and changed at start, as the documents
//! say.

use database::Database;
use tables::{Documents, EmbeddedTarget, Environment, Plan};

/// The documents inside the binary.
pub fn documents() -> Result<Documents, String> {
    Documents::embedded().map_err(|problems| {
        let lines: Vec<_> = problems.iter().map(ToString::to_string).collect();
        format!("The table documents have problems:\n{}", lines.join("\n"))
    })
}

/// Makes and changes tables as the documents say. What would lose something is left to people.
pub async fn make(
    documents: &Documents,
    database: &Database,
    environment: Environment,
) -> Result<(), String> {
    let target = EmbeddedTarget::new(database.clone());
    let selected: Vec<_> = documents.tables.iter().collect();
    let plan = Plan::make(documents, &selected, environment, &[], &target).await;
    let plan = plan.map_err(|error| format!("The tables could not be read: {error}"))?;
    if plan.is_empty() {
        return Ok(());
    }
    let done = tables::apply(documents, &plan, false, &target, |_, _| {}).await.map_err(|error| {
        format!(
            "The tables of the services could not be brought up to date: {error}. `plinth tables \
             plan` shows what has to be done, --services-listen off starts without services."
        )
    })?;
    tracing::info!(changes = done, %environment, "the tables of the services are up to date");
    Ok(())
}
