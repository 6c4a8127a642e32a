//! A tenant service on a database in a folder, with as many tenants as are wanted: copies of one that
//! the service made itself, stored in batches.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use anyhow::{Context as _, bail};
use axum::Router;
use axum::body::Body;
use database::clock::SystemClock;
use http::Request;
use http_body_util::BodyExt as _;
use kernel::Moment;
use kernel::metrics::Metrics;
use patterns::tenancy::BbwsTenants;
use platform::Workers;
use serde_json::{Value, json};
use store::{Raw, Store, TableHandle};
use tables::Environment;
use tenancy::Tenancy;
use tokio::runtime::{Builder, Runtime};
use tokio::task::JoinSet;
use tower::ServiceExt as _;
use values::Item;
use web::Shell;

use super::Operation;
use crate::ground::{self, Ground};

const TABLE: &str = "tenancy/bbws-tenants";
/// Items that are stored together, and how many such batches at a time.
const BATCH: usize = 500;
const LOADERS: usize = 8;
/// Seeded tenants are older than those that are made here, one second each.
const SECOND: Duration = Duration::from_secs(1);

/// The service, and its tenants.
pub struct World {
    pub(super) runtime: Runtime,
    pub(super) service: Arc<Service>,
    /// Where the database is.
    pub(super) folder: PathBuf,
    store: Store,
    template: Template,
    _workers: Workers,
}

/// What requests are sent to.
pub struct Service {
    router: Router,
    authorization: String,
    /// Which tenants there are: those before the first are parked or not, the others ACTIVE at first.
    first: u64,
    count: u64,
    /// How many were asked for so far: names are unique, and laps are counted.
    created: AtomicU64,
    read: AtomicU64,
    parked: AtomicU64,
}

/// One tenant as the service stores it, which the others are copied from.
struct Template {
    handle: TableHandle,
    made: Moment,
    tenant: Item,
    marker: Item,
}

impl World {
    /// A service with one tenant.
    pub fn open(folder: &Path) -> anyhow::Result<World> {
        let runtime = Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
        let ground = runtime.block_on(Ground::open(folder))?;
        let (platform, metrics) = (ground.platform, Metrics::new());
        let shell = Shell::builder(Arc::new(SystemClock), platform.ids().clone())
            .metrics(metrics.clone())
            .identity(platform.clone())
            .limits(platform.clone())
            .idempotency(platform.clone());
        let settings = tenancy::Settings::new(Environment::Dev);
        let shell = Tenancy::new(platform.clone(), settings, &metrics)?.mount(shell).build()?;
        let (token, workers) = runtime.block_on(async {
            // As the server has one: events without subscribers are read and done with.
            let workers = platform.deliver(1, &[], &metrics).map_err(ground::text)?;
            anyhow::Ok((ground::log_in(&platform).await?, workers))
        })?;
        let service = Service {
            router: shell.router(),
            authorization: format!("Bearer {token}"),
            first: 0,
            count: 0,
            created: AtomicU64::new(0),
            read: AtomicU64::new(0),
            parked: AtomicU64::new(0),
        };
        let template = runtime.block_on(Template::make(&service, &ground.store))?;
        let service = Arc::new(service);
        let (folder, store) = (folder.to_owned(), ground.store);
        Ok(World { runtime, service, folder, store, template, _workers: workers })
    }

    /// Stores tenants until there are so many.
    pub fn grow(&mut self, count: u32) -> anyhow::Result<()> {
        let service = Arc::get_mut(&mut self.service).context("requests are under way")?;
        (service.first, service.count) = (service.count, u64::from(count));
        // The laps begin again, over tenants that are all ACTIVE.
        service.parked = AtomicU64::new(0);
        let (first, count) = (service.first, service.count);
        self.runtime.block_on(async {
            let mut tasks = JoinSet::new();
            let numbers: Vec<u64> = (first..count).collect();
            for numbers in numbers.chunks(BATCH) {
                let mut writes = Vec::with_capacity(2 * BATCH);
                for number in numbers {
                    let (tenant, marker) = self.template.copy(*number)?;
                    writes.push(self.template.handle.kind("tenant")?.put(Raw(tenant))?);
                    writes.push(self.template.handle.kind("organizationMarker")?.put(Raw(marker))?);
                }
                if tasks.len() == LOADERS {
                    tasks.join_next().await.context("a loader is gone")???;
                }
                let store = self.store.clone();
                tasks.spawn(async move { store.batch_write(writes).await });
            }
            while let Some(loaded) = tasks.join_next().await {
                loaded??;
            }
            Ok(())
        })
    }
}

impl Template {
    async fn make(service: &Service, store: &Store) -> anyhow::Result<Template> {
        let name = "The First";
        let made = service.send("POST", "/v1.0/tenants", Some(new_tenant(name))).await?;
        let id = made["tenantId"].as_str().context("the tenant has no id")?;
        let status = Some(json!({ "status": "ACTIVE" }));
        service.send("PATCH", &format!("/v1.0/tenants/{id}/status"), status).await?;
        let tenants = BbwsTenants::open(store)?;
        let tenant = tenants.get_tenant(id);
        let marker = tenants.get_organization_owner(&name.to_lowercase());
        let (tenant, marker) = (tenant.get::<Raw>().await?, marker.get::<Raw>().await?);
        let bare = |item: Option<Raw>| {
            let Raw(item) = item.context("what the service stored is not there")?;
            // Keys are made again for each copy.
            let is_key = |name: &str| name == "PK" || name == "SK" || name.starts_with("GSI");
            anyhow::Ok(item.into_iter().filter(|(name, _)| !is_key(name)).collect())
        };
        let made = made["createdAt"].as_str().and_then(Moment::parse);
        let made = made.context("the tenant has no time of creation")?;
        let handle = store.table(TABLE)?;
        Ok(Template { handle, made, tenant: bare(tenant)?, marker: bare(marker)? })
    }

    /// The tenant of a number, and what reserves its name.
    fn copy(&self, number: u64) -> anyhow::Result<(Item, Item)> {
        let (id, name) = (id(number), format!("Seeded {number:07}"));
        let age = SECOND * u32::try_from(number + 1)?;
        let made = self.made.before(age).to_string();
        let mut tenant = self.tenant.clone();
        tenant.insert("tenantId", id.as_str().into());
        tenant.insert("organizationName", name.as_str().into());
        tenant.insert("createdAt", made.as_str().into());
        tenant.insert("updatedAt", made.as_str().into());
        let mut marker = self.marker.clone();
        marker.insert("tenantId", id.as_str().into());
        marker.insert("reservedBy", id.as_str().into());
        marker.insert("uniqueValue", name.to_lowercase().as_str().into());
        Ok((tenant, marker))
    }
}

fn id(number: u64) -> String {
    format!("tenant-00000000-0000-4000-8000-{number:012x}")
}

fn new_tenant(name: &str) -> Value {
    json!({
        "organizationName": name,
        "contactEmail": "office@example.com",
        "environment": "dev",
        "metadata": { "industry": "food", "size": "small", "tier": "gold" },
    })
}

impl Service {
    /// Does an operation once, on the tenant whose turn it is.
    pub async fn do_one(&self, operation: Operation) -> anyhow::Result<()> {
        let take = |counter: &AtomicU64| counter.fetch_add(1, Ordering::Relaxed);
        match operation {
            Operation::Create => {
                let name = format!("Made {}", take(&self.created));
                self.send("POST", "/v1.0/tenants", Some(new_tenant(&name))).await?;
            }
            Operation::Get => {
                let number = take(&self.read) * 7919 % self.count;
                self.send("GET", &format!("/v1.0/tenants/{}", id(number)), None).await?;
            }
            Operation::List => {
                let page = self.send("GET", "/v1.0/tenants?limit=20", None).await?;
                if page["count"] != 20 {
                    bail!("a list has {} tenants instead of 20", page["count"]);
                }
            }
            Operation::Park => {
                let (turn, fresh) = (take(&self.parked), self.count - self.first);
                let path = format!("/v1.0/tenants/{}/lifecycle", id(self.first + turn % fresh));
                let reason = json!({ "reason": "The bench measures how long this takes" });
                match turn / fresh % 2 {
                    0 => self.send("POST", &format!("{path}/park"), Some(reason)).await?,
                    _ => self.send("POST", &format!("{path}/unpark"), None).await?,
                };
            }
        }
        Ok(())
    }

    /// Sends a request that must succeed, and gives the body of its answer.
    async fn send(&self, method: &str, path: &str, body: Option<Value>) -> anyhow::Result<Value> {
        let request = Request::builder().method(method).uri(path);
        let request = request.header("authorization", &self.authorization);
        let request = match body {
            Some(body) => request
                .header("content-type", "application/json")
                .body(Body::from(body.to_string()))?,
            None => request.body(Body::empty())?,
        };
        let answer = self.router.clone().oneshot(request).await;
        let answer = answer.unwrap_or_else(|never| match never {});
        let status = answer.status();
        let body = answer.into_body().collect().await?.to_bytes();
        if !status.is_success() {
            bail!("{method} {path} was answered with {status}: {}", String::from_utf8_lossy(&body));
        }
        Ok(serde_json::from_slice(&body)?)
    }
}
