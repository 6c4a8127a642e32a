//! What has to be done to a target so that it has the tables of the documents.

mod change;
mod compare;

use std::fmt;

use serde_json::json;

pub use change::{Change, Weight};

use crate::Documents;
use crate::document::{Environment, Table};
use crate::state::TableState;
use crate::target::{Target, TargetError};

/// Everything that has to be done, table by table.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The environment.
    pub environment: Environment,
    /// The target, in words.
    pub target: String,
    /// What has to be done, for each table to which something has to be done.
    pub tables: Vec<TablePlan>,
    /// How many tables are as the documents say.
    pub unchanged: usize,
    /// What the target does not offer, as sentences.
    pub notes: Vec<String>,
}

/// What has to be done to one table.
#[derive(Clone, Debug)]
pub struct TablePlan {
    /// Its name on the target.
    pub name: String,
    /// What has to be done, in order.
    pub changes: Vec<Change>,
}

impl Plan {
    /// Compares a target with the tables of an environment. `removed` names tables that no
    /// document describes and that are to go.
    pub async fn make<T: Target>(
        documents: &Documents,
        selected: &[&Table],
        environment: Environment,
        removed: &[String],
        target: &T,
    ) -> Result<Plan, TargetError> {
        let mut plan = Plan {
            environment,
            target: target.describe(),
            tables: Vec::new(),
            unchanged: 0,
            notes: Vec::new(),
        };
        let offers_recovery = offers_recovery(target).await?;
        let mut without_recovery = 0;
        for table in selected {
            let name = documents.table_name(table, environment);
            let state = TableState::read(target, &name).await?;
            without_recovery += usize::from(table.pitr.enabled && !offers_recovery);
            let mut changes = compare::compare(table, environment, state.as_ref());
            changes
                .retain(|change| offers_recovery || !matches!(change, Change::SetRecovery { .. }));
            plan.add(name, changes);
        }
        for name in removed {
            let is_described = documents
                .tables
                .iter()
                .any(|table| documents.table_name(table, environment) == *name);
            let exists = TableState::describe(target, name).await?.is_some();
            match (is_described, exists) {
                (true, _) => {
                    plan.notes.push(format!("{name} is described by a document and stays"))
                }
                (false, true) => plan.add(name.clone(), vec![Change::DeleteTable]),
                (false, false) => {}
            }
        }
        if without_recovery > 0 {
            plan.notes.push(format!(
                "{} does not offer point-in-time recovery; it is skipped for {}",
                plan.target,
                counted(without_recovery, "table")
            ));
        }
        plan.notes.extend(replicas(documents, selected, environment));
        Ok(plan)
    }

    fn add(&mut self, name: String, changes: Vec<Change>) {
        if changes.is_empty() {
            self.unchanged += 1;
        } else {
            self.tables.push(TablePlan { name, changes });
        }
    }

    /// Whether there is nothing to do.
    pub fn is_empty(&self) -> bool {
        self.tables.is_empty()
    }

    /// Whether something cannot be done to a table that exists.
    pub fn is_blocked(&self) -> bool {
        self.has(Weight::Impossible)
    }

    /// Whether something would be lost.
    pub fn is_destructive(&self) -> bool {
        self.has(Weight::Destructive)
    }

    /// How many changes there are.
    pub fn change_count(&self) -> usize {
        self.tables.iter().map(|table| table.changes.len()).sum()
    }

    fn has(&self, weight: Weight) -> bool {
        let mut changes = self.tables.iter().flat_map(|table| &table.changes);
        changes.any(|change| change.weight() == weight)
    }
}

/// Replicas are made by Terraform and CloudFormation: they need rights in a second region.
fn replicas(documents: &Documents, selected: &[&Table], environment: Environment) -> Vec<String> {
    let mut notes = Vec::new();
    for system in &documents.systems {
        let tables = selected.iter().filter(|table| table.system == system.system).count();
        let region = system.site(environment).replica_region.as_ref();
        if let Some(region) = region.filter(|_| tables > 0) {
            let tables = counted(tables, "table");
            let name = &system.system;
            notes.push(format!(
                "the replica in {region} of {tables} of {name} is not made here; \
                 `plinth tables terraform` and `cloudformation` describe it"
            ));
        }
    }
    notes
}

/// Whether recovery can be turned on. Describing it is not enough: every target answers that recovery
/// is off. Asks about a table that cannot exist, so that a target that has the operation changes
/// nothing and refuses.
async fn offers_recovery<T: Target>(target: &T) -> Result<bool, TargetError> {
    let off = json!({ "PointInTimeRecoveryEnabled": false });
    let body =
        json!({ "TableName": "plinth.no-such-table", "PointInTimeRecoverySpecification": off });
    match target.call("UpdateContinuousBackups", &body).await {
        Err(TargetError::NotOffered { .. }) => Ok(false),
        Err(error @ TargetError::Unreachable { .. }) => Err(error),
        _ => Ok(true),
    }
}

impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for table in &self.tables {
            writeln!(f, "{}", table.name)?;
            for change in &table.changes {
                let sign = match change.weight() {
                    Weight::Addition => '+',
                    Weight::Setting => '~',
                    Weight::Destructive => '-',
                    Weight::Impossible => '!',
                };
                writeln!(f, "  {sign} {change}")?;
            }
        }
        for note in &self.notes {
            writeln!(f, "note: {note}.")?;
        }
        let Plan { environment, target, .. } = self;
        let unchanged = counted(self.unchanged, "table");
        if self.is_empty() {
            let verb = if self.unchanged == 1 { "is" } else { "are" };
            return writeln!(
                f,
                "Nothing to do: {unchanged} on {target} {verb} as the documents say ({environment})."
            );
        }
        let changes = counted(self.change_count(), "change");
        let tables = counted(self.tables.len(), "table");
        let stay = if self.unchanged == 1 { "stays as it is" } else { "stay as they are" };
        writeln!(f, "{changes} to {tables} on {target} ({environment}); {unchanged} {stay}.")
    }
}

/// A number and its noun.
pub(crate) fn counted(count: usize, noun: &str) -> String {
    let ending = if count == 1 { "" } else { "s" };
    format!("{count} {noun}{ending}")
}
