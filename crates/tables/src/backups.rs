//! Backup plans: the tables of a system that are backed up at the same times and kept as long.

use crate::Documents;
use crate::document::{Environment, Frequency, System, Table};

/// One backup plan.
#[derive(Clone, Debug)]
pub(crate) struct BackupPlan<'d> {
    /// How often.
    pub frequency: Frequency,
    /// When, as AWS Backup writes it.
    pub schedule: &'d str,
    /// How many days a backup is kept.
    pub retention_days: u32,
    /// Which tables.
    pub tables: Vec<&'d Table>,
}

/// The backup plans of a system in an environment, the most frequent first.
pub(crate) fn plans<'d>(
    documents: &'d Documents,
    system: &'d System,
    environment: Environment,
) -> Vec<BackupPlan<'d>> {
    let mut plans: Vec<BackupPlan> = Vec::new();
    for table in documents.tables_of(&system.system) {
        let backup = table.backup.get(environment);
        let (Some(schedule), Some(retention_days)) = (&backup.schedule, backup.retention_days)
        else {
            continue;
        };
        let same = |plan: &&mut BackupPlan| {
            plan.schedule == schedule && plan.retention_days == retention_days
        };
        match plans.iter_mut().find(same) {
            Some(plan) => plan.tables.push(table),
            None => plans.push(BackupPlan {
                frequency: backup.frequency,
                schedule,
                retention_days,
                tables: vec![table],
            }),
        }
    }
    plans.sort_by_key(|plan| std::cmp::Reverse(plan.frequency));
    plans
}

/// What the names of a system's backup resources begin with: `bbws-backup-vault-prod` says `bbws`.
pub(crate) fn base_name(vault: &str) -> &str {
    vault.split("-backup-vault").next().unwrap_or(vault)
}
