//! A platform on a database in a folder, the service with and without it, and who calls.

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail};
use axum::Router;
use axum::body::Body;
use database::Database;
use database::clock::SystemClock;
use http::header::AUTHORIZATION;
use http::{HeaderValue, Request};
use http_body_util::BodyExt as _;
use identity::keys::{Demand, Environment as KeyEnvironment, Keys, NewKey, Outcome};
use kernel::Ids;
use patterns::storefront::Products as Table;
use platform::Platform;
use store::{Embedded, Meter, Raw, Settings, Store, SystemRandomness, TokenKeys};
use tables::seed::{self, SeedOptions};
use tables::{Documents, Environment};
use tokio::runtime::{Builder, Runtime};
use tokio::task::JoinSet;
use tower::ServiceExt as _;
use web::Shell;

use super::service::{self, Products, TABLE};
use super::{Kind, What};
use crate::ground::{Ground, Person, text};
use crate::measure::{Measurement, Tally};

/// Products of the service.
const PRODUCTS: u32 = 2_000;

pub struct World {
    runtime: Runtime,
    database: Database,
    documents: Documents,
    bare: Router,
    full: Router,
    /// Each with a key.
    callers: Vec<(Person, String)>,
    /// How many there were, so that no two requests have one Idempotency-Key.
    rounds: AtomicUsize,
}

impl World {
    pub fn open(folder: &Path, callers: usize) -> anyhow::Result<World> {
        let runtime = Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
        let Ground { documents, database, store, platform } =
            runtime.block_on(Ground::open(folder))?;
        let products = runtime.block_on(products(&store))?;
        let with = Products { platform: Some(platform.clone()), ..products.clone() };
        let clock = Arc::new(SystemClock);
        let full = Shell::builder(clock.clone(), platform.ids().clone())
            .identity(platform.clone())
            .limits(platform.clone())
            .idempotency(platform.clone())
            .mount("/bench", &service::api(with))
            .build()?;
        let bare = Shell::builder(clock, platform.ids().clone())
            .mount("/bench", &service::api(products))
            .build()?;
        let callers = runtime.block_on(async {
            let mut all = Vec::new();
            for number in 0..callers {
                let person = Person::register(&platform, number).await?;
                let key = make_key(&platform, &person.account).await?;
                all.push((person, key));
            }
            anyhow::Ok(all)
        })?;
        let (bare, full) = (bare.router(), full.router());
        Ok(World { runtime, database, documents, bare, full, callers, rounds: AtomicUsize::new(0) })
    }

    /// Requests of one kind for a while, to the service with the platform or without it.
    pub fn round(&self, kind: Kind, full: bool, seconds: f64) -> anyhow::Result<Measurement> {
        Measurement::of(|| {
            self.runtime.block_on(async {
                self.rounds.fetch_add(1, Ordering::SeqCst);
                let start = Instant::now();
                let end = start + Duration::from_secs_f64(seconds);
                let mut tasks = JoinSet::new();
                for (number, (person, key)) in self.callers.iter().enumerate() {
                    let header = |text: String| HeaderValue::try_from(text);
                    let token = full.then(|| header(format!("Bearer {}", person.token)));
                    let key = (full && kind.has_key).then(|| header(key.clone()));
                    let caller = Caller {
                        router: if full { self.full.clone() } else { self.bare.clone() },
                        account: person.account.clone(),
                        token: token.transpose()?,
                        key: key.transpose()?,
                        what: kind.what,
                        next: number * 101,
                        round: self.rounds.load(Ordering::SeqCst),
                    };
                    tasks.spawn(caller.call(full, end));
                }
                let mut total = Tally::new()?;
                while let Some(tally) = tasks.join_next().await {
                    total.add(&tally??)?;
                }
                total.elapsed = start.elapsed();
                Ok(total)
            })
        })
    }

    /// What verifying a key asks of the store.
    pub fn reads_of_a_key(&self) -> anyhow::Result<Vec<String>> {
        let counted = Arc::new(Counted::default());
        let mut settings = Settings::new(Environment::Dev, TokenKeys::new([1; 32]));
        settings.meter = Some(Arc::<Counted>::clone(&counted));
        let store =
            Store::new(&self.documents, Embedded::measured(self.database.clone()), settings);
        let keys = Keys::new(store, Ids::new(Arc::new(SystemRandomness)), Arc::new(SystemClock));
        let keys = keys.map_err(text)?;
        let (_, key) = self.callers.first().context("nobody calls")?;
        let verified = self.runtime.block_on(keys.verify(key, &Demand::default()));
        let verified = verified.map_err(text)?;
        if verified.outcome != Outcome::Valid {
            bail!("the key is {}", verified.outcome);
        }
        let reads = counted.0.lock().unwrap_or_else(PoisonError::into_inner).clone();
        Ok(reads)
    }
}

async fn products(store: &Store) -> anyhow::Result<Products> {
    let handle = store.table(TABLE)?;
    let options = SeedOptions { seed: 1, count: PRODUCTS, now_seconds: 1_790_000_000 };
    let items: Vec<_> = seed::items(handle.document(), options).collect();
    let table = Table::open(store)?;
    let writes = items.iter().map(|item| table.product().put(Raw(item.clone())));
    store.batch_write(writes.collect::<Result<_, _>>()?).await?;
    Ok(Products { table, items: Arc::new(items), platform: None })
}

/// A key that may do what the handlers ask for, of the caller's account.
async fn make_key(platform: &Platform, account: &str) -> anyhow::Result<String> {
    let new = NewKey {
        account_id: account.to_owned(),
        name: "bench".to_owned(),
        environment: KeyEnvironment::Test,
        scopes: Some(["keys:read", "keys:write"].map(str::to_owned).into()),
        expires_at: None,
        metadata: serde_json::Map::new(),
        limit: None,
        uses_left: None,
    };
    let made = platform.keys().create(new, "bench").map_err(text)?;
    let mut change = platform.begin_as("bench");
    for write in made.changed.writes {
        change.add(write, changes::Conflict);
    }
    change.record(made.changed.entry);
    change.commit(None).await.map_err(kernel::Error::from)?;
    Ok(made.secret.reveal().clone())
}

/// Counts what operations are charged for.
#[derive(Default)]
struct Counted(Mutex<Vec<String>>);

impl Meter for Counted {
    fn consumed(&self, operation: &'static str, table: &str, index: Option<&str>, units: f64) {
        let index = index.map(|index| format!(" by {index}")).unwrap_or_default();
        let line = format!("{operation} on {table}{index}, {units} units");
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(line);
    }
}

struct Caller {
    router: Router,
    account: String,
    /// Made once: what a client does is not to be measured.
    token: Option<HeaderValue>,
    key: Option<HeaderValue>,
    what: What,
    next: usize,
    round: usize,
}

impl Caller {
    async fn call(mut self, full: bool, end: Instant) -> anyhow::Result<Tally> {
        let mut tally = Tally::new()?;
        let mut count = 0_u64;
        loop {
            let start = Instant::now();
            if start >= end {
                return Ok(tally);
            }
            count += 1;
            self.next = (self.next + 7919) % PRODUCTS as usize;
            let request = self.request(full, count)?;
            let answer = self.router.clone().oneshot(request).await;
            let answer = answer.unwrap_or_else(|never| match never {});
            let status = answer.status();
            let body = answer.into_body().collect().await?.to_bytes();
            if !status.is_success() {
                bail!("a request was answered with {status}: {}", String::from_utf8_lossy(&body));
            }
            tally.record(start.elapsed());
            // As between two requests of a connection.
            tokio::task::yield_now().await;
        }
    }

    fn request(&self, full: bool, count: u64) -> anyhow::Result<Request<Body>> {
        let products = match self.what {
            What::Get | What::Post => "products",
            What::PostQuietly => "quiet-products",
        };
        let path = format!("/bench/accounts/{}/{products}/{}", self.account, self.next);
        let mut request = Request::builder().uri(path);
        if let Some(token) = &self.token {
            request = request.header(AUTHORIZATION, token);
        }
        if let Some(key) = &self.key {
            request = request.header("x-api-key", key);
        }
        if self.what == What::Get {
            return Ok(request.body(Body::empty())?);
        }
        if full {
            let key = format!("{}-{}-{count}", self.account, self.round);
            request = request.header("idempotency-key", key);
        }
        let body = format!("{{\"name\":\"Product {count}\"}}");
        let request = request.method("POST").header("content-type", "application/json");
        Ok(request.body(Body::from(body))?)
    }
}
