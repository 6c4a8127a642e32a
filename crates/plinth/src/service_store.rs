//! Where do the services keep their items? In the embedded database, or in anything that speaks
//! DynamoDB; their tables are made there if need be.

use std::time::Duration;

use amazon::{Amazon, Connection};
use database::Database;
use platform::secrets::MASTER_KEY_VARIABLE;
use store::{Embedded, Store, TokenKeys};
use tables::{ApplyError, Documents, EmbeddedTarget, Environment, Plan, Target};

use crate::settings::{Settings, StoreKind};

/// How often making tables is tried, since another process may be making the same ones.
const ATTEMPTS_MAX: u32 = 10;
const PAUSE: Duration = Duration::from_millis(500);

/// Refuses a store that others may share without a master key that they can be given.
pub fn check_master_key(settings: &Settings, is_named: bool) -> Result<(), String> {
    if settings.store == StoreKind::Embedded || is_named {
        return Ok(());
    }
    Err(format!(
        "--store aws needs a master key that every process on that store is given: set \
         {MASTER_KEY_VARIABLE} to what `openssl rand -base64 32` prints, or name a file with \
         --master-key-file."
    ))
}

/// The store that the services read and write through, with all tables that the documents name.
pub async fn open(
    documents: &Documents,
    database: &Database,
    settings: &Settings,
    token_keys: TokenKeys,
) -> Result<Store, String> {
    let environment = settings.environment;
    let kept = store::Settings::new(environment, token_keys);
    match settings.store {
        StoreKind::Embedded => {
            let misplaced = [
                (settings.store_endpoint.is_some(), "--store-endpoint"),
                (settings.store_region.is_some(), "--store-region"),
            ];
            if let Some((_, flag)) = misplaced.iter().find(|(is_given, _)| *is_given) {
                return Err(format!("{flag} is for another store: give --store aws too."));
            }
            make_tables(documents, &EmbeddedTarget::new(database.clone()), environment, 1).await?;
            Ok(Store::new(documents, Embedded::new(database.clone()), kept))
        }
        StoreKind::Aws => {
            let connection = Connection {
                endpoint: settings.store_endpoint.clone(),
                region: settings.store_region.clone(),
                ..Connection::default()
            };
            let amazon = Amazon::connect(&connection).await;
            make_tables(documents, &amazon, environment, ATTEMPTS_MAX).await?;
            Ok(Store::new(documents, amazon, kept))
        }
    }
}

/// Makes and changes tables as the documents say. What would lose something is left to people.
async fn make_tables<T: Target>(
    documents: &Documents,
    target: &T,
    environment: Environment,
    attempts: u32,
) -> Result<(), String> {
    let selected: Vec<_> = documents.tables.iter().collect();
    for attempt in 1.. {
        let plan = Plan::make(documents, &selected, environment, &[], target).await;
        let plan = plan.map_err(|error| format!("The tables could not be read: {error}"))?;
        if plan.is_empty() {
            break;
        }
        match tables::apply(documents, &plan, false, target, |_, _| {}).await {
            Ok(done) => {
                let changes = done;
                tracing::info!(changes, %environment, "the tables of the services are up to date");
                break;
            }
            // Another process may have been faster: what is left to do shows.
            Err(ApplyError::Failed { .. }) if attempt < attempts => {
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
    Ok(())
}
