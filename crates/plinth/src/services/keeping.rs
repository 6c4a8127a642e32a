//! Where do the services keep their items? In the embedded database, or in anything that speaks
//! DynamoDB, which other processes may share.

use amazon::{Amazon, Connection};
use database::Database;
use secrets::MASTER_KEY_VARIABLE;
use store::{Embedded, Store};
use tables::{Documents, EmbeddedTarget, Environment};

use super::made_tables;
use crate::settings::{Settings, StoreKind};

/// How often making tables is tried where another process may be making the same ones.
const ATTEMPTS_MAX: u32 = 20;

/// Where items are kept.
pub enum Keeping {
    Embedded(Database),
    Aws(Amazon),
}

/// Says what is wrong with the settings of the store, before anything is opened.
pub fn check(settings: &Settings, has_master_key: bool) -> Result<(), String> {
    let misplaced = [
        (settings.store_endpoint.is_some(), "--store-endpoint"),
        (settings.store_region.is_some(), "--store-region"),
    ];
    let misplaced = misplaced.iter().find(|(is_given, _)| *is_given);
    match (settings.store, misplaced) {
        (StoreKind::Embedded, Some((_, flag))) => Err(format!(
            "{flag} is about another store than the embedded one: give --store aws too."
        )),
        (StoreKind::Aws, _) if !has_master_key => Err(format!(
            "--store aws needs a master key that every process on that store can be given: set \
             {MASTER_KEY_VARIABLE} to what `openssl rand -base64 32` prints, or to kms: and the \
             ARN of a key of Amazon KMS, or name a file with --master-key-file."
        )),
        _ => Ok(()),
    }
}

impl Keeping {
    /// Where the settings say. Nothing is asked of it yet.
    pub async fn new(settings: &Settings, database: &Database) -> Keeping {
        match settings.store {
            StoreKind::Embedded => Keeping::Embedded(database.clone()),
            StoreKind::Aws => {
                let connection = Connection {
                    endpoint: settings.store_endpoint.clone(),
                    region: settings.store_region.clone(),
                    ..Connection::default()
                };
                Keeping::Aws(Amazon::connect(&connection).await)
            }
        }
    }

    /// Refuses a data folder whose tables are another environment's, so that nobody gets empty tables
    /// beside the full ones by mistake. Other stores may hold several environments.
    pub async fn check_environment(
        &self,
        documents: &Documents,
        environment: Environment,
    ) -> Result<(), String> {
        let Keeping::Embedded(database) = self else { return Ok(()) };
        let target = EmbeddedTarget::new(database.clone());
        for table in &documents.tables {
            let own = documents.table_name(table, environment);
            for other in Environment::ALL {
                let theirs = documents.table_name(table, other);
                // Most names are those of every environment.
                if theirs != own
                    && made_tables::is_there(&target, &theirs).await?
                    && !made_tables::is_there(&target, &own).await?
                {
                    return Err(format!(
                        "The tables in the data folder are those of the environment {other}, and \
                         this start is for {environment}. Give --environment {other}, or another \
                         folder with --data."
                    ));
                }
            }
        }
        Ok(())
    }

    /// Makes and changes tables as the documents say.
    pub async fn make_tables(
        &self,
        documents: &Documents,
        environment: Environment,
    ) -> Result<(), String> {
        match self {
            Keeping::Embedded(database) => {
                let target = EmbeddedTarget::new(database.clone());
                made_tables::make(documents, &target, environment, 1).await
            }
            Keeping::Aws(amazon) => {
                made_tables::make(documents, amazon, environment, ATTEMPTS_MAX).await
            }
        }
    }

    /// The store there.
    pub fn store(&self, documents: &Documents, settings: store::Settings) -> Store {
        match self {
            Keeping::Embedded(database) => {
                Store::new(documents, Embedded::new(database.clone()), settings)
            }
            Keeping::Aws(amazon) => Store::new(documents, amazon.clone(), settings),
        }
    }
}
