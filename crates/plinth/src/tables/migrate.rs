//! `plinth tables plan`, `diff` and `apply`.

use std::process::ExitCode;

use ::tables::{ApplyError, Documents, Plan, Table, Target, apply as carry_out};
use clap::Args;

use super::options::{DocumentOptions, OpenTarget, TargetOptions, select, wait_for};

/// Something cannot be done to a table that exists.
const BLOCKED: u8 = 2;
/// Documents and target differ.
const DIFFERENT: u8 = 1;

/// Which tables, and where.
#[derive(Args)]
pub struct PlanArguments {
    /// Systems or tables, such as `popcorn` or `storefront/tenants`; all if none is named.
    names: Vec<String>,
    #[command(flatten)]
    documents: DocumentOptions,
    #[command(flatten)]
    target: TargetOptions,
    /// A table that no document describes and that is to go; may be given several times.
    #[arg(long, value_name = "NAME")]
    remove_table: Vec<String>,
}

/// Which tables, where, and what may be lost.
#[derive(Args)]
pub struct ApplyArguments {
    #[command(flatten)]
    plan: PlanArguments,
    /// Allow what loses something: removing an index, or a table named with --remove-table.
    #[arg(long)]
    allow_removal: bool,
}

pub fn plan(arguments: &PlanArguments) -> Result<ExitCode, String> {
    let plan = shown_plan(arguments)?;
    Ok(if plan.is_blocked() { ExitCode::from(BLOCKED) } else { ExitCode::SUCCESS })
}

pub fn diff(arguments: &PlanArguments) -> Result<ExitCode, String> {
    let plan = shown_plan(arguments)?;
    Ok(match (plan.is_blocked(), plan.is_empty()) {
        (true, _) => ExitCode::from(BLOCKED),
        (false, true) => ExitCode::SUCCESS,
        (false, false) => ExitCode::from(DIFFERENT),
    })
}

pub fn apply(arguments: &ApplyArguments) -> Result<ExitCode, String> {
    let documents = arguments.plan.documents.documents()?;
    let selected = select(&documents, &arguments.plan.names)?;
    wait_for(async {
        match arguments.plan.target.open_or_create().await? {
            OpenTarget::Embedded(target, database) => {
                let outcome = apply_on(arguments, &documents, &selected, &target).await;
                database.close();
                outcome
            }
            OpenTarget::Amazon(target) => apply_on(arguments, &documents, &selected, &target).await,
        }
    })
}

fn shown_plan(arguments: &PlanArguments) -> Result<Plan, String> {
    let documents = arguments.documents.documents()?;
    let selected = select(&documents, &arguments.names)?;
    let plan = wait_for(async {
        match arguments.target.open().await? {
            OpenTarget::Embedded(target, database) => {
                let plan = make(arguments, &documents, &selected, &target).await;
                database.close();
                plan
            }
            OpenTarget::Amazon(target) => make(arguments, &documents, &selected, &target).await,
        }
    })?;
    print!("{plan}");
    Ok(plan)
}

async fn make<T: Target>(
    arguments: &PlanArguments,
    documents: &Documents,
    selected: &[&Table],
    target: &T,
) -> Result<Plan, String> {
    let environment = arguments.documents.environment;
    let plan = Plan::make(documents, selected, environment, &arguments.remove_table, target).await;
    plan.map_err(|error| {
        format!("{} could not be read: {error}. Nothing was done", target.describe())
    })
}

async fn apply_on<T: Target>(
    arguments: &ApplyArguments,
    documents: &Documents,
    selected: &[&Table],
    target: &T,
) -> Result<ExitCode, String> {
    let plan = make(&arguments.plan, documents, selected, target).await?;
    print!("{plan}");
    let progress =
        |table: &str, change: &::tables::plan::Change| println!("done: {table}: {change}");
    match carry_out(documents, &plan, arguments.allow_removal, target, progress).await {
        Ok(0) => Ok(ExitCode::SUCCESS),
        Ok(done) => {
            println!("Applied: {done} changes.");
            Ok(ExitCode::SUCCESS)
        }
        Err(error @ ApplyError::Blocked) => {
            eprintln!("error: {error}");
            Ok(ExitCode::from(BLOCKED))
        }
        Err(error) => Err(error.to_string()),
    }
}
