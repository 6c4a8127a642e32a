//! What the tests of changes, idempotency and audit stand on: the platform's tables in memory, a clock
//! that stands still, a seal that can be opened in its place only, and a way behind the store's back.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use audit::{Audit, Signing};
use changes::idempotency::Idempotency;
use changes::{Changes, Event, Outbox, OutboxWrites, RequestFacts};
use database::Database;
use database::operations::delete_item::DeleteItemRequest;
use database::operations::put_item::PutItemRequest;
use database::operations::scan::ScanRequest;
use kernel::caller::{Caller, Identity};
use kernel::clock::{Clock, ManualClock};
use kernel::{Error, Ids, Moment};
use patterns::storefront::Products;
use secrets::{Seal, Sealing};
use store::backend::{Action, BatchRead, Pending, Query, QueryAnswer, Read};
use store::{
    Backend, BackendError, Embedded, Raw, Retry, Settings, Store, SystemRandomness, TokenKeys,
    Write,
};
use tables::{Documents, EmbeddedTarget, Environment, Plan, apply};
use values::{AttributeValue, Item};

/// In the year 2030: the database's own clock has nothing expire during a test.
pub const START: u64 = 1_900_000_000_000;
pub const DAY_MS: u64 = 24 * 60 * 60 * 1000;

/// Everything.
pub struct World {
    pub database: Database,
    pub store: Store,
    pub clock: ManualClock,
    pub ids: Ids,
    pub audit: Audit,
    pub idempotency: Idempotency,
    pub changes: Changes,
    /// So many answers to transactions are lost from now on.
    pub lost_answers: Arc<AtomicU32>,
}

impl World {
    /// On a store that others share.
    pub async fn new() -> World {
        World::with(false).await
    }

    /// On a store of this process, or on one that others share.
    pub async fn with(is_in_process: bool) -> World {
        let database = Database::in_memory().unwrap();
        let documents = Documents::embedded().unwrap();
        let target = EmbeddedTarget::new(database.clone());
        let names = ["platform/audit_logs", "platform/idempotency_keys", "storefront/products"];
        let tables: Vec<_> = names.iter().flat_map(|name| documents.find(name)).collect();
        let plan = Plan::make(&documents, &tables, Environment::Dev, &[], &target).await.unwrap();
        apply(&documents, &plan, false, &target, |_, _| {}).await.unwrap();
        World::on(database, ManualClock::new(START), is_in_process).await
    }

    /// Another process on the same tables.
    pub async fn beside(&self, is_in_process: bool) -> World {
        World::on(self.database.clone(), self.clock.clone(), is_in_process).await
    }

    async fn on(database: Database, clock: ManualClock, is_in_process: bool) -> World {
        let documents = Documents::embedded().unwrap();
        let mut settings = Settings::new(Environment::Dev, TokenKeys::new([7; 32]));
        settings.clock = Arc::new(clock.clone());
        settings.retry = Retry { attempts_max: 3, ..settings.retry };
        let lost_answers = Arc::<AtomicU32>::default();
        let inner = Embedded::new(database.clone());
        let backend = Deaf { inner, lost_answers: Arc::clone(&lost_answers), is_in_process };
        let store = Store::new(&documents, backend, settings);
        let ids = Ids::new(Arc::new(SystemRandomness));
        let shared: Arc<dyn Clock> = Arc::new(clock.clone());
        let audit = audit(&store, &clock).await;
        let idempotency = Idempotency::new(store.clone(), shared, Arc::new(TestSeal)).unwrap();
        let outbox = Arc::new(ProductOutbox(store.clone()));
        let changes = Changes::new(audit.clone(), outbox, idempotency.clone(), ids.clone());
        World { database, store, clock, ids, audit, idempotency, changes, lost_answers }
    }

    /// Another process on the same store.
    pub async fn other_process(&self) -> Changes {
        let audit = audit(&self.store, &self.clock).await;
        let outbox = Arc::new(ProductOutbox(self.store.clone()));
        Changes::new(audit, outbox, self.idempotency.clone(), self.ids.clone())
    }

    pub fn now(&self) -> Moment {
        Moment::from_millis(self.clock.now_millis())
    }

    /// A write that creates a product; twice it fails by its condition.
    pub fn product(&self, name: &str) -> Write {
        product(&self.store, name)
    }

    /// Every item of a table, read behind the store's back.
    pub async fn items(&self, table: &str) -> Vec<Item> {
        let table_name = self.store.table(table).unwrap().name().to_owned();
        let mut items = Vec::new();
        let mut exclusive_start_key = None;
        loop {
            let request = ScanRequest {
                table_name: table_name.clone(),
                exclusive_start_key,
                ..ScanRequest::default()
            };
            let response = self.database.scan(request).await.unwrap();
            items.extend(response.items.unwrap());
            exclusive_start_key = response.last_evaluated_key;
            if exclusive_start_key.is_none() {
                return items;
            }
        }
    }

    pub async fn products(&self) -> usize {
        self.items("storefront/products").await.len()
    }

    /// Stores an item of the audit log behind the store's back.
    pub async fn forge(&self, item: &Item) {
        let table_name = self.store.table("platform/audit_logs").unwrap().name().to_owned();
        let request =
            PutItemRequest { table_name, item: item.clone(), ..PutItemRequest::default() };
        self.database.put_item(request).await.unwrap();
    }

    /// Removes an item of the audit log behind the store's back.
    pub async fn erase(&self, item: &Item) {
        let table_name = self.store.table("platform/audit_logs").unwrap().name().to_owned();
        let key = ["PK", "SK"].map(|name| (name.to_owned(), item[name].clone())).into();
        let request = DeleteItemRequest { table_name, key, ..DeleteItemRequest::default() };
        self.database.delete_item(request).await.unwrap();
    }
}

async fn audit(store: &Store, clock: &ManualClock) -> Audit {
    let ids = Ids::new(Arc::new(SystemRandomness));
    let now = Moment::from_millis(clock.now_millis());
    let signing = Signing::open(store, ids.clone(), Arc::new(TestSeal), now).await.unwrap();
    Audit::new(store.clone(), Arc::new(clock.clone()), ids, signing).unwrap()
}

pub fn text<'i>(item: &'i Item, name: &str) -> &'i str {
    match &item[name] {
        AttributeValue::S(text) => text,
        other => panic!("{name} is {other:?}"),
    }
}

pub fn caller() -> Caller {
    let email = Some("ada@example.com".to_owned());
    let mut caller =
        Caller::new(Identity::User { user_id: "user-1".to_owned(), email, session: None });
    caller.account_id = Some("acc-1".to_owned());
    caller
}

pub fn request() -> Arc<RequestFacts> {
    Arc::new(RequestFacts::new("req-1", caller(), Moment::from_millis(0)))
}

fn product(store: &Store, name: &str) -> Write {
    let mut id = format!("{:0>12}", name.replace(|c: char| !c.is_ascii_hexdigit(), "0"));
    id = id.to_ascii_lowercase();
    let id = &id[id.len() - 12..];
    let item: Item = [
        ("id", format!("prod_00000000-0000-4000-8000-{id}")),
        ("name", name.to_owned()),
        ("description", "A place for a site".to_owned()),
        ("billingCycle", "monthly".to_owned()),
        ("active", "true".to_owned()),
        ("dateCreated", "2026-11-15T06:00:00.000Z".to_owned()),
        ("dateLastUpdated", "2026-11-15T06:00:00.000Z".to_owned()),
        ("lastUpdatedBy", "admin@example.com".to_owned()),
    ]
    .into_iter()
    .map(|(name, value)| (name.to_owned(), AttributeValue::from(value)))
    .chain([("price".to_owned(), AttributeValue::from(1_i64))])
    .collect();
    Products::open(store).unwrap().product().create(Raw(item)).unwrap()
}

/// An event becomes a product that has its type's name.
struct ProductOutbox(Store);

impl Outbox for ProductOutbox {
    fn writes<'a>(&'a self, event: &'a Event, _: Moment) -> OutboxWrites<'a> {
        Box::pin(async { Ok(vec![product(&self.0, &event.event_type)]) })
    }
}

/// No secret, but bound to its place, and nothing that a search would find.
pub struct TestSeal;

fn tag(account: &str, place: &str) -> Vec<u8> {
    format!("{account}|{place}|").into_bytes()
}

impl Seal for TestSeal {
    fn seal<'a>(&'a self, account: &'a str, place: &'a str, plain: &'a [u8]) -> Sealing<'a> {
        let sealed = tag(account, place).into_iter().chain(plain.iter().map(|byte| byte ^ 0x5a));
        Box::pin(async { Ok(sealed.collect()) })
    }

    fn unseal<'a>(&'a self, account: &'a str, place: &'a str, sealed: &'a [u8]) -> Sealing<'a> {
        let plain = sealed.strip_prefix(&tag(account, place)[..]);
        let plain = plain.map(|rest| rest.iter().map(|byte| byte ^ 0x5a).collect());
        Box::pin(async { plain.ok_or_else(|| Error::internal("sealed for another place")) })
    }
}

/// A back end whose answers to transactions can be lost on the way.
struct Deaf {
    inner: Embedded,
    lost_answers: Arc<AtomicU32>,
    is_in_process: bool,
}

impl Backend for Deaf {
    fn is_in_process(&self) -> bool {
        self.is_in_process
    }

    fn get<'a>(&'a self, read: &'a Read) -> Pending<'a, Option<Item>> {
        self.inner.get(read)
    }
    fn batch_get<'a>(&'a self, reads: &'a [Read]) -> Pending<'a, BatchRead> {
        self.inner.batch_get(reads)
    }
    fn transact_get<'a>(&'a self, reads: &'a [Read]) -> Pending<'a, Vec<Option<Item>>> {
        self.inner.transact_get(reads)
    }
    fn query<'a>(&'a self, query: &'a Query) -> Pending<'a, QueryAnswer> {
        self.inner.query(query)
    }
    fn write<'a>(&'a self, write: &'a Action) -> Pending<'a, Option<Item>> {
        self.inner.write(write)
    }
    fn batch_write<'a>(&'a self, writes: &'a [Action]) -> Pending<'a, Vec<usize>> {
        self.inner.batch_write(writes)
    }
    fn transact_write<'a>(
        &'a self,
        writes: &'a mut Vec<Action>,
        token: Option<&'a str>,
    ) -> Pending<'a, ()> {
        Box::pin(async move {
            let sent = writes.clone();
            let answer = self.inner.transact_write(writes, token).await;
            let lose = |left: u32| left.checked_sub(1);
            let lost = self.lost_answers.fetch_update(Ordering::SeqCst, Ordering::SeqCst, lose);
            if lost.is_err() {
                return answer;
            }
            *writes = sent;
            Err(BackendError::Unavailable("the answer was lost".to_owned()))
        })
    }
}
