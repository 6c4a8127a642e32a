//! Options that several commands have.

use std::path::{Path, PathBuf};

use ::tables::{Documents, EmbeddedTarget, Environment, Problem, Table};
use amazon::{Amazon, Connection};
use clap::Args;
use database::{Database, Options};

use crate::settings::DataFolder;

/// Which documents, and in which environment.
#[derive(Args)]
pub struct DocumentOptions {
    /// The folder with the documents, instead of those inside this binary.
    #[arg(long, value_name = "DIR")]
    pub folder: Option<PathBuf>,
    /// The environment: dev, sit or prod.
    #[arg(long, value_name = "NAME", default_value = "dev")]
    pub environment: Environment,
    /// Another prefix for the names of a system's tables, such as `storefront=shop-`.
    #[arg(long, value_name = "SYSTEM=PREFIX")]
    pub prefix: Vec<String>,
}

impl DocumentOptions {
    /// Reads the documents.
    pub fn documents(&self) -> Result<Documents, String> {
        let mut documents = read(self.folder.as_ref()).map_err(|problems| {
            let lines: Vec<_> = problems.iter().map(ToString::to_string).collect();
            format!("the documents have problems\n{}", lines.join("\n"))
        })?;
        for setting in &self.prefix {
            let (system, prefix) = setting.split_once('=').ok_or_else(|| {
                format!("`{setting}` is not a prefix. Write the system, =, and the prefix")
            })?;
            if !documents.set_prefix(system, prefix) {
                let known: Vec<_> = documents.systems.iter().map(|known| &*known.system).collect();
                return Err(format!(
                    "there is no system {system}. Write one of {}",
                    known.join(", ")
                ));
            }
        }
        Ok(documents)
    }
}

/// The documents of a folder, or those inside the binary.
pub fn read(folder: Option<&PathBuf>) -> Result<Documents, Vec<Problem>> {
    match folder {
        Some(folder) => Documents::folder(folder),
        None => Documents::embedded(),
    }
}

/// The tables that were named, or all.
pub fn select<'d>(documents: &'d Documents, names: &[String]) -> Result<Vec<&'d Table>, String> {
    if names.is_empty() {
        return Ok(documents.tables.iter().collect());
    }
    let mut selected: Vec<&Table> = Vec::new();
    for name in names {
        let found = documents.find(name);
        if found.is_empty() {
            return Err(format!(
                "there is no table or system {name}. `plinth tables list` shows which there are"
            ));
        }
        selected.extend(found);
    }
    Ok(selected)
}

/// Where the tables are.
#[derive(Args)]
#[group(required = true, multiple = false, id = "target")]
pub struct TargetChoice {
    /// The data folder of a server that is not running, or the folder of a database.
    #[arg(long, value_name = "FOLDER")]
    data: Option<PathBuf>,
    /// The address of anything that speaks DynamoDB, such as http://127.0.0.1:8000.
    #[arg(long, value_name = "URL")]
    endpoint: Option<String>,
    /// Amazon DynamoDB itself, with the credentials that the AWS tools use.
    #[arg(long)]
    aws: bool,
}

/// Where the tables are, and how to get there.
#[derive(Args)]
pub struct TargetOptions {
    #[command(flatten)]
    choice: TargetChoice,
    /// The AWS region, instead of the one in the environment.
    #[arg(long, value_name = "REGION")]
    region: Option<String>,
    /// The profile in the AWS configuration files.
    #[arg(long, value_name = "NAME")]
    profile: Option<String>,
}

/// An open target.
pub enum OpenTarget {
    /// The embedded database.
    Embedded(EmbeddedTarget, Database),
    /// Amazon DynamoDB, or what answers as it does.
    Amazon(Amazon),
}

impl TargetOptions {
    /// Opens a target that is there.
    pub async fn open(&self) -> Result<OpenTarget, String> {
        self.open_in(DataFolder::database_at).await
    }

    /// Opens the target; a database that is missing is made.
    pub async fn open_or_create(&self) -> Result<OpenTarget, String> {
        self.open_in(DataFolder::database_to_be_at).await
    }

    async fn open_in(
        &self,
        database_at: fn(&Path) -> Result<PathBuf, String>,
    ) -> Result<OpenTarget, String> {
        if let Some(folder) = &self.choice.data {
            let folder = database_at(folder)?;
            let database =
                Database::open(Options::folder(folder)).map_err(|error| error.to_string())?;
            return Ok(OpenTarget::Embedded(EmbeddedTarget::new(database.clone()), database));
        }
        let connection = Connection {
            endpoint: self.choice.endpoint.clone(),
            region: self.region.clone(),
            profile: self.profile.clone(),
            credentials: None,
        };
        Ok(OpenTarget::Amazon(Amazon::connect(&connection).await))
    }
}

/// Runs something that waits.
pub fn wait_for<T>(work: impl Future<Output = Result<T, String>>) -> Result<T, String> {
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    runtime.map_err(|error| format!("no runtime could be started: {error}"))?.block_on(work)
}
