//! A table of tasks, a clock that is moved by hand and that pauses obey, and tasks that run as a script
//! says.

use std::future::Future;
use std::path::Path;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use database::Database;
use kernel::clock::{Clock as _, ManualClock};
use kernel::{Error, Ids, Moment};
use serde::{Deserialize, Serialize};
use store::{
    Changes, Embedded, Error as StoreError, Page, Pauses, Settings as StoreSettings, Store,
    SystemRandomness, TableHandle, TokenKeys,
};
use tables::{Documents, EmbeddedTarget, Environment, Plan, apply};
use tokio::sync::watch;
use workers::{
    Bounds, Candidate, Lease, LeaseAttributes, Parts, Settings, StopSignal, Work, Worker,
};

pub const LEASE_TIME: Duration = Duration::from_secs(60);
pub const SHARDS: usize = 3;
pub const MILLISECOND: Duration = Duration::from_millis(1);
const START: u64 = 1_794_700_800_000;
const PAGE_ITEMS: u32 = 20;
const LEASE: LeaseAttributes = LeaseAttributes {
    owner: "lease_owner",
    expires_at: "lease_expires_at",
    due_at: "due_at",
    fence: "fence",
};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Task {
    pub task_id: String,
    pub lane: String,
    pub status: String,
    pub shard: String,
    pub due_at: Option<Moment>,
    pub lease_owner: Option<String>,
    pub lease_expires_at: Option<Moment>,
    pub fence: i64,
    pub effects: i64,
}

impl Candidate for Task {
    fn id(&self) -> &str {
        &self.task_id
    }

    fn lane(&self) -> &str {
        &self.lane
    }
}

pub type Run = Pin<Box<dyn Future<Output = Result<(), Error>> + Send>>;
type Script = dyn Fn(&Task, StopSignal) -> Run + Send + Sync;
type Hook = dyn Fn(&str) -> Run + Send + Sync;

/// Tasks that run as a script says.
pub struct Tasks {
    table: TableHandle,
    script: Arc<Script>,
    /// Is called before each extension and each settlement, with its name; an error of it is theirs.
    hook: Arc<Hook>,
}

impl Work for Tasks {
    type Candidate = Task;
    type Task = Task;
    type Outcome = ();

    fn lists(&self) -> usize {
        SHARDS
    }

    async fn due(
        &self,
        list: usize,
        now: Moment,
        token: Option<&str>,
    ) -> Result<Page<Task>, Error> {
        let access = self.table.access("list-due")?.with("shard", list.to_string())?;
        Ok(access.with("now", now.to_string())?.page("", PAGE_ITEMS, token).await?)
    }

    async fn claim(&self, due: &Task, lease: &Lease) -> Result<Option<Task>, Error> {
        let access = self.table.access("claim-task")?.with("task_id", due.task_id.as_str())?;
        let claim = access.with("now", lease.now.to_string())?;
        let changes = LEASE.claim(lease).set("status", "running");
        match claim.update(changes)?.run_into().await {
            Err(StoreError::ConditionFailed { .. }) => Ok(None),
            claimed => Ok(claimed?),
        }
    }

    async fn extend(&self, task: &Task, lease: &Lease) -> Result<bool, Error> {
        (self.hook)("extend").await?;
        self.change("extend-task", task, LEASE.extend(lease)).await
    }

    async fn run(&self, task: &Task, stop: &StopSignal) -> Result<(), Error> {
        (self.script)(task, stop.clone()).await
    }

    async fn settle(&self, task: Task, (): ()) -> Result<bool, Error> {
        (self.hook)("settle").await?;
        let changes = Changes::new().set("status", "done").remove("due_at").add("effects", 1_i64);
        self.change("settle-task", &task, LEASE.release(changes)).await
    }
}

impl Tasks {
    async fn change(&self, pattern: &str, task: &Task, changes: Changes) -> Result<bool, Error> {
        let access = self.table.access(pattern)?.with("task_id", task.task_id.as_str())?;
        match access.with("fence", task.fence)?.update(changes)?.run().await {
            Err(StoreError::ConditionFailed { .. }) => Ok(false),
            done => Ok(done.map(|_| true)?),
        }
    }
}

/// Pauses that end when the clock that is moved by hand says so.
#[derive(Clone)]
struct ManualPauses(watch::Receiver<u64>);

impl Pauses for ManualPauses {
    fn pause(&self, duration: Duration) -> Pin<Box<dyn Future<Output = ()> + Send>> {
        let mut time = self.0.clone();
        let end = *time.borrow() + u64::try_from(duration.as_millis()).unwrap();
        Box::pin(async move {
            let _ended = time.wait_for(|now| *now >= end).await;
        })
    }
}

pub struct World {
    pub table: TableHandle,
    pub settings: Settings,
    clock: ManualClock,
    time: watch::Sender<u64>,
}

impl World {
    pub async fn new() -> World {
        let database = Database::in_memory().unwrap();
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/tables");
        let documents = Documents::folder(&folder).unwrap();
        let tables: Vec<_> = documents.tables.iter().collect();
        let target = EmbeddedTarget::new(database.clone());
        let plan = Plan::make(&documents, &tables, Environment::Dev, &[], &target).await.unwrap();
        apply(&documents, &plan, false, &target, |_, _| {}).await.unwrap();
        let clock = ManualClock::new(START);
        let settings = StoreSettings {
            clock: Arc::new(clock.clone()),
            ..StoreSettings::new(Environment::Dev, TokenKeys::new([7; 32]))
        };
        let store = Store::new(&documents, Embedded::new(database), settings);
        let table = store.table("sample/tasks").unwrap();
        let settings = Settings { lease: LEASE_TIME, heartbeat: None, ..Settings::default() };
        World { table, settings, clock, time: watch::Sender::new(START) }
    }

    pub fn worker<F>(
        &self,
        script: impl Fn(&Task, StopSignal) -> F + Send + Sync + 'static,
    ) -> Arc<Worker<Tasks>>
    where
        F: Future<Output = Result<(), Error>> + Send + 'static,
    {
        self.worker_with(script, |_| async { Ok(()) })
    }

    pub fn worker_with<F, H>(
        &self,
        script: impl Fn(&Task, StopSignal) -> F + Send + Sync + 'static,
        hook: impl Fn(&str) -> H + Send + Sync + 'static,
    ) -> Arc<Worker<Tasks>>
    where
        F: Future<Output = Result<(), Error>> + Send + 'static,
        H: Future<Output = Result<(), Error>> + Send + 'static,
    {
        let tasks = Tasks {
            table: self.table.clone(),
            script: Arc::new(move |task: &Task, stop| -> Run { Box::pin(script(task, stop)) }),
            hook: Arc::new(move |name: &str| -> Run { Box::pin(hook(name)) }),
        };
        let parts = Parts {
            kind: "sample",
            name: "worker".to_owned(),
            ids: Ids::new(Arc::new(SystemRandomness)),
            clock: Arc::new(self.clock.clone()),
            pauses: Arc::new(ManualPauses(self.time.subscribe())),
            news: Arc::default(),
            settings: self.settings.clone(),
        };
        Worker::new(Arc::new(tasks), parts)
    }

    pub fn now(&self) -> Moment {
        Moment::from_millis(self.clock.now_millis())
    }

    /// Lets time pass, and those run whose pauses have ended.
    pub async fn pass(&self, duration: Duration) {
        self.clock.advance(u64::try_from(duration.as_millis()).unwrap());
        self.time.send_replace(self.clock.now_millis());
        settle_down().await;
    }

    pub async fn add(&self, id: &str, lane: &str) {
        let shard = id.bytes().map(usize::from).sum::<usize>() % SHARDS;
        let task = Task {
            task_id: id.to_owned(),
            lane: lane.to_owned(),
            status: "waiting".to_owned(),
            shard: shard.to_string(),
            due_at: Some(self.now()),
            lease_owner: None,
            lease_expires_at: None,
            fence: 0,
            effects: 0,
        };
        self.table.kind("task").unwrap().create(&task).unwrap().run().await.unwrap();
    }

    pub async fn task(&self, id: &str) -> Task {
        let access = self.table.access("get-task").unwrap().with("task_id", id).unwrap();
        access.get().await.unwrap().unwrap()
    }

    pub async fn wait_until_running(&self, id: &str) {
        for _ in 0..2000 {
            if self.task(id).await.status == "running" {
                return;
            }
            tokio::time::sleep(MILLISECOND).await;
        }
        panic!("{id} was not claimed");
    }
}

/// Bounds that nothing here reaches.
pub const WIDE: Bounds =
    Bounds { tasks: 1000, time: Duration::from_secs(86_400), grace: Duration::from_secs(86_400) };

/// Lets other tasks of the runtime do what they can do now.
pub async fn settle_down() {
    for _ in 0..50 {
        tokio::task::yield_now().await;
        tokio::time::sleep(Duration::from_micros(100)).await;
    }
}

/// Collects texts.
#[derive(Clone, Default)]
pub struct Notes(Arc<Mutex<Vec<String>>>);

impl Notes {
    pub fn add(&self, text: impl Into<String>) {
        self.0.lock().unwrap().push(text.into());
    }

    pub fn all(&self) -> Vec<String> {
        self.0.lock().unwrap().clone()
    }
}
