//! How fast are expired items swept? A table of which everything expires at once.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

use anyhow::{Context as _, ensure};
use database::clock::ManualClock;
use database::operations::{
    BatchWriteItemRequest, CreateTableRequest, DescribeTableRequest, UpdateTimeToLiveRequest,
    WriteRequest,
};
use database::shapes::{
    AttributeDefinition, BillingMode, KeySchemaElement, KeyType, ScalarAttributeType,
};
use database::{Database, Options};
use serde::Serialize;
use tokio::task::JoinSet;
use values::{AttributeValue, Item};

use super::Setting;

/// What was found.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Expiry {
    /// How many items had expired.
    pub items: u64,
    /// How long until the last one was gone, durably.
    pub seconds: f64,
    /// Items a second.
    pub items_per_second: f64,
}

const TABLE: &str = "sessions";
const LOADED_AT_SECONDS: u64 = 1_800_000_000;
const EXPIRES_AT_SECONDS: u64 = LOADED_AT_SECONDS + 60;
/// After everything has expired, and within the five years in which that counts.
const SWEPT_AFTER_MILLIS: u64 = 3_600_000;
const BATCH_ITEMS: u64 = 25;
const LOADERS: u64 = 8;

/// Loads items that expire, moves the clock, and sweeps.
pub fn sweep(setting: &Setting, items: u64) -> anyhow::Result<Expiry> {
    let _stage = setting.progress.stage(&format!("Sweeping {items} expired items"), 1);
    let folder = setting.folder.join("expiry");
    // A thread of its own, so that a panic is an error here and not the end of the run.
    let measured = std::thread::spawn(move || -> anyhow::Result<Expiry> {
        let clock = ManualClock::new(LOADED_AT_SECONDS * 1000);
        let options = Options {
            clock: Arc::new(clock.clone()),
            background_work: false,
            ..Options::folder(folder)
        };
        let database = Database::open(options)?;
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).build()?;
        runtime.block_on(load(&database, items))?;
        ensure!(runtime.block_on(count(&database))? == items, "not every item was loaded");
        clock.advance(SWEPT_AFTER_MILLIS);
        let start = Instant::now();
        while database.run_background_work()? > 0 {}
        let seconds = start.elapsed().as_secs_f64();
        let left = runtime.block_on(count(&database))?;
        ensure!(left == 0, "{left} expired items were not swept");
        database.close();
        Ok(Expiry { items, seconds, items_per_second: items as f64 / seconds })
    });
    measured.join().map_err(|_| anyhow::anyhow!("the sweep panicked"))?
}

async fn load(database: &Database, items: u64) -> anyhow::Result<()> {
    let key = "id".to_owned();
    let attribute_name = key.clone();
    let definition = AttributeDefinition { attribute_name, attribute_type: ScalarAttributeType::S };
    let schema = KeySchemaElement { attribute_name: key, key_type: KeyType::Hash };
    let table = CreateTableRequest {
        table_name: TABLE.to_owned(),
        attribute_definitions: vec![definition],
        key_schema: vec![schema],
        billing_mode: Some(BillingMode::PayPerRequest),
        ..CreateTableRequest::default()
    };
    database.create_table(table).await?;
    let expiry = UpdateTimeToLiveRequest {
        table_name: TABLE.to_owned(),
        attribute_name: "expires_at".to_owned(),
        enabled: true,
    };
    database.update_time_to_live(expiry).await?;
    let mut tasks = JoinSet::new();
    for loader in 0..LOADERS {
        let database = database.clone();
        tasks.spawn(async move {
            for batch in (loader..items.div_ceil(BATCH_ITEMS)).step_by(LOADERS as usize) {
                let first = batch * BATCH_ITEMS;
                database.batch_write_item(puts(first..(first + BATCH_ITEMS).min(items))).await?;
            }
            Ok::<_, database::Error>(())
        });
    }
    while let Some(finished) = tasks.join_next().await {
        finished.context("a loader failed")??;
    }
    Ok(())
}

fn puts(numbers: std::ops::Range<u64>) -> BatchWriteItemRequest {
    let expires_at = AttributeValue::from(EXPIRES_AT_SECONDS.cast_signed());
    let put = |number: u64| {
        let item = Item::from([
            ("id", format!("session-{number:08}").into()),
            ("expires_at", expires_at.clone()),
            ("note", "x".repeat(200).into()),
        ]);
        WriteRequest::Put { item }
    };
    let requests = BTreeMap::from([(TABLE.to_owned(), numbers.map(put).collect())]);
    BatchWriteItemRequest { request_items: requests, ..BatchWriteItemRequest::default() }
}

async fn count(database: &Database) -> anyhow::Result<u64> {
    let request = DescribeTableRequest { table_name: TABLE.to_owned() };
    Ok(database.describe_table(request).await?.table.item_count)
}
