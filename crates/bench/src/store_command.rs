//! `bench store`: what the store costs over the bare database, in this process.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context as _, anyhow};
use database::operations::{GetItemRequest, PutItemRequest};
use database::{Database, Options};
use patterns::storefront::Products;
use serde::{Deserialize, Serialize};
use store::{Embedded, Raw, Settings, Store, TokenKeys};
use tables::seed::{self, SeedOptions};
use tables::{Documents, EmbeddedTarget, Environment, Plan, apply};
use tokio::runtime::{Builder, Runtime};
use tokio::task::JoinSet;
use values::{AttributeValue, Item};

use crate::measure::{Tally, median};
use crate::report::table::Table;

/// The store may cost this much more than the database, at most.
const OVERHEAD_PERCENT_MAX: f64 = 15.0;
const TABLE: &str = "storefront/products";
/// Short rounds, and many of them: a machine that others use as well changes its pace within seconds.
const ROUNDS: usize = 25;
const READERS: usize = 2;
const WRITERS: usize = 64;

/// What the user can choose.
#[derive(Clone, Debug, clap::Args)]
pub struct StoreArguments {
    /// Items in the table
    #[arg(long, default_value_t = 20_000, value_parser = clap::value_parser!(u32).range(100..))]
    items: u32,
    /// Seconds of each way to ask, all rounds together
    #[arg(long, default_value_t = 10.0)]
    seconds: f64,
    /// Write everything that was found to this file
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Fail if the store costs more than 15 % over the database
    #[arg(long)]
    check: bool,
    /// A smoke test: few items, short rounds
    #[arg(long)]
    quick: bool,
    /// Make the database in this folder instead of `target`; it is removed afterwards
    #[arg(long)]
    folder: Option<PathBuf>,
}

/// Who asks, and for what.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
enum Way {
    /// The database's own request.
    Database,
    /// The store, for an item.
    Store,
    /// The store, for a Rust type.
    Typed,
}

/// One row of the table.
#[derive(Clone, Debug, Serialize)]
struct Row {
    operation: &'static str,
    callers: usize,
    database_per_second: f64,
    store_per_second: f64,
    typed_per_second: f64,
    /// How much longer an operation takes through the store.
    store_overhead_percent: f64,
    typed_overhead_percent: f64,
    /// Whether it is at most what is promised.
    kept: bool,
}

/// Measures, prints and, if asked, checks. Gives whether the check passed.
pub fn run(arguments: &StoreArguments) -> anyhow::Result<bool> {
    let parent = arguments.folder.clone().unwrap_or_else(|| PathBuf::from("target"));
    std::fs::create_dir_all(&parent)
        .with_context(|| format!("`{}` cannot be made", parent.display()))?;
    let folder = tempfile::Builder::new().prefix("bench-store-").tempdir_in(&parent)?;
    let items = if arguments.quick { 500 } else { arguments.items };
    let seconds = if arguments.quick { 1.0 } else { arguments.seconds } / ROUNDS as f64;
    let world = World::open(folder.path(), items)?;
    let rows =
        vec![world.row("GetItem", READERS, seconds)?, world.row("PutItem", WRITERS, seconds)?];
    print(&rows);
    if let Some(path) = &arguments.json {
        let text = serde_json::to_string_pretty(&rows)? + "\n";
        std::fs::write(path, text)
            .with_context(|| format!("`{}` is not written", path.display()))?;
    }
    let kept = rows.iter().all(|row| row.kept);
    if arguments.check && !kept {
        eprintln!("missed: the store costs more than {OVERHEAD_PERCENT_MAX} % over the database");
    }
    Ok(kept || !arguments.check)
}

fn print(rows: &[Row]) {
    let mut table = Table::new(&[
        "operation",
        "callers",
        "database/s",
        "store/s",
        "overhead",
        "typed/s",
        "overhead",
        "",
    ]);
    for row in rows {
        table.row(vec![
            row.operation.to_owned(),
            row.callers.to_string(),
            format!("{:.0}", row.database_per_second),
            format!("{:.0}", row.store_per_second),
            format!("{:.1} %", row.store_overhead_percent),
            format!("{:.0}", row.typed_per_second),
            format!("{:.1} %", row.typed_overhead_percent),
            if row.kept { "kept" } else { "missed" }.to_owned(),
        ]);
    }
    print!("{table}");
}

/// The table's items as a service would have them.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Product {
    id: String,
    name: String,
    description: String,
    #[serde(with = "store::typed::number")]
    price: String,
    features: Option<Vec<String>>,
    billing_cycle: String,
    active: String,
    date_created: String,
    date_last_updated: String,
    last_updated_by: String,
}

struct World {
    runtime: Runtime,
    database: Database,
    table_name: String,
    products: Products,
    items: Arc<Vec<Item>>,
}

impl World {
    fn open(folder: &Path, count: u32) -> anyhow::Result<World> {
        let documents = Documents::embedded()
            .map_err(|problems| anyhow!("the documents have {} problems", problems.len()))?;
        let runtime = Builder::new_multi_thread().worker_threads(2).enable_time().build()?;
        let database = Database::open(Options::folder(folder))?;
        let settings = Settings::new(Environment::Dev, TokenKeys::new([1; 32]));
        let store = Store::new(&documents, Embedded::new(database.clone()), settings);
        let handle = store.table(TABLE)?;
        let options = SeedOptions { seed: 1, count, now_seconds: 1_790_000_000 };
        let items: Vec<Item> = seed::items(handle.document(), options).collect();
        let products = Products::open(&store)?;
        runtime.block_on(async {
            let target = EmbeddedTarget::new(database.clone());
            let tables = documents.find(TABLE);
            let plan = Plan::make(&documents, &tables, Environment::Dev, &[], &target).await?;
            apply(&documents, &plan, false, &target, |_, _| {}).await?;
            let writes = items.iter().map(|item| products.product().put(Raw(item.clone())));
            store.batch_write(writes.collect::<Result<_, _>>()?).await?;
            anyhow::Ok(())
        })?;
        let table_name = handle.name().to_owned();
        Ok(World { runtime, database, table_name, products, items: Arc::new(items) })
    }

    /// The three ways in turn, so that what else the machine does meets all of them. A round's rates
    /// are compared with each other, and the median of that is the result.
    fn row(&self, operation: &'static str, callers: usize, seconds: f64) -> anyhow::Result<Row> {
        let mut rounds = Vec::with_capacity(ROUNDS);
        for _ in 0..ROUNDS {
            let rate = |way: Way| self.round(operation, way, callers, seconds);
            rounds.push([rate(Way::Database)?, rate(Way::Store)?, rate(Way::Typed)?]);
        }
        let rate = |way: Way| median(rounds.iter().map(|rates| rates[way as usize]));
        let overhead = |way: Way| {
            let times = |rates: &[f64; 3]| rates[Way::Database as usize] / rates[way as usize];
            (median(rounds.iter().map(times)) - 1.0) * 100.0
        };
        Ok(Row {
            operation,
            callers,
            database_per_second: rate(Way::Database),
            store_per_second: rate(Way::Store),
            typed_per_second: rate(Way::Typed),
            store_overhead_percent: overhead(Way::Store),
            typed_overhead_percent: overhead(Way::Typed),
            kept: overhead(Way::Store) <= OVERHEAD_PERCENT_MAX,
        })
    }

    fn round(
        &self,
        operation: &'static str,
        way: Way,
        callers: usize,
        seconds: f64,
    ) -> anyhow::Result<f64> {
        let length = Duration::from_secs_f64(seconds);
        self.runtime.block_on(async {
            let start = Instant::now();
            let mut tasks = JoinSet::new();
            for caller in 0..callers {
                let one = Caller {
                    database: self.database.clone(),
                    table_name: self.table_name.clone(),
                    products: self.products.clone(),
                    items: Arc::clone(&self.items),
                    next: caller * self.items.len() / callers,
                };
                tasks.spawn(one.call(operation, way, start + length));
            }
            let mut total = Tally::new()?;
            while let Some(tally) = tasks.join_next().await {
                total.add(&tally??)?;
            }
            Ok(total.operations() as f64 / start.elapsed().as_secs_f64())
        })
    }
}

struct Caller {
    database: Database,
    table_name: String,
    products: Products,
    items: Arc<Vec<Item>>,
    next: usize,
}

impl Caller {
    async fn call(
        mut self,
        operation: &'static str,
        way: Way,
        end: Instant,
    ) -> anyhow::Result<Tally> {
        let mut tally = Tally::new()?;
        loop {
            let start = Instant::now();
            if start >= end {
                return Ok(tally);
            }
            self.next = (self.next + 7919) % self.items.len();
            match operation {
                "GetItem" => self.get(way).await?,
                _ => self.put(way).await?,
            }
            tally.record(start.elapsed());
        }
    }

    async fn get(&self, way: Way) -> anyhow::Result<()> {
        let item = &self.items[self.next];
        let found = match way {
            Way::Database => {
                let names = ["PK", "SK"];
                let request = GetItemRequest {
                    table_name: self.table_name.clone(),
                    key: names.map(|name| (name.to_owned(), item[name].clone())).into(),
                    consistent_read: true,
                    ..GetItemRequest::default()
                };
                self.database.get_item(request).await?.item.is_some()
            }
            Way::Store => self.products.get_product(id(item)?).get::<Raw>().await?.is_some(),
            Way::Typed => self.products.get_product(id(item)?).get::<Product>().await?.is_some(),
        };
        if found { Ok(()) } else { Err(anyhow!("an item is not there")) }
    }

    async fn put(&self, way: Way) -> anyhow::Result<()> {
        let item = &self.items[self.next];
        match way {
            Way::Database => {
                let request = PutItemRequest {
                    table_name: self.table_name.clone(),
                    item: item.clone(),
                    ..PutItemRequest::default()
                };
                self.database.put_item(request).await?;
            }
            Way::Store => {
                self.products.product().put(Raw(item.clone()))?.run().await?;
            }
            Way::Typed => {
                let product = <Product as store::Record>::from_item(item.clone())?;
                self.products.product().put(&product)?.run().await?;
            }
        }
        Ok(())
    }
}

fn id(item: &Item) -> anyhow::Result<&str> {
    match &item["id"] {
        AttributeValue::S(id) => Ok(id),
        _ => Err(anyhow!("the product has no id")),
    }
}
