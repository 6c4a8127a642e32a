//! A platform in memory with endpoints and events, and workers for it.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use audit::Query;
use changes::Event;
use database::clock::{Clock as _, ManualClock};
use database::{Database, Durability, Options};
use identity::mail::{Mail, Mailer, Sending};
use identity::{Cost, LoggedIn, Login};
use kernel::{Ids, Moment};
use limits::Policies;
use patterns::platform::WebhookEvents;
use platform::{Parts, Platform};
use secrets::{LocalKey, MasterKeys, Secret};
use serde_json::json;
use store::{Embedded, Raw, Store, SystemRandomness, TokenKeys, Transaction};
use tables::{Documents, EmbeddedTarget, Environment, Plan, apply};
use tokio::task::JoinHandle;
use webhooks::{Delivery, NewEndpoint, Policy, Settings};

use super::receiver::Receiver;

/// Where the clock starts.
const START_MILLIS: u64 = 1_794_700_800_000;
/// Events that are committed together.
const EVENTS_TOGETHER: usize = 50;
/// Failures in a row that open a circuit: those of single events are many here, and only the outage is
/// to open one.
pub const FAILURES_TO_OPEN: i64 = 60;
/// Parts of the index of what is due.
const SHARDS: i64 = 10;

pub struct World {
    pub platform: Platform,
    pub clock: ManualClock,
    pub receiver: Receiver,
    pub settings: Settings,
    /// Ids and URLs.
    pub endpoints: Vec<(String, String)>,
    pub account: String,
    owner: String,
    mails: Arc<AtomicUsize>,
    _recording: JoinHandle<()>,
}

/// How often the owner was told.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Told {
    /// Messages in their list.
    pub messages: usize,
    /// Mails.
    pub mails: usize,
    /// Entries of the audit log.
    pub recorded: usize,
}

pub fn text(error: impl std::fmt::Debug) -> String {
    format!("{error:?}")
}

impl World {
    pub async fn new(endpoints: usize, seed: u64) -> Result<World, String> {
        let clock = ManualClock::new(START_MILLIS);
        let settings = Settings {
            failures_to_open: FAILURES_TO_OPEN,
            poll: Duration::from_millis(20),
            ..Settings::default()
        };
        let ids = Ids::new(Arc::new(SystemRandomness));
        let mails = Arc::new(AtomicUsize::new(0));
        let mut people = identity::Settings::new("http://localhost");
        people.password_cost = Cost { memory_kib: 8, passes: 1, lanes: 1 };
        let master = LocalKey::new(Secret::new([9; 32]), ids.clone());
        let opened = Platform::open(Parts {
            store: store(&clock).await?,
            clock: Arc::new(clock.clone()),
            ids,
            masters: MasterKeys::new(Arc::new(master)),
            mailer: Arc::new(Counted(Arc::clone(&mails))),
            identity: people,
            external: Vec::new(),
            policies: Policies::default(),
            webhooks: settings.clone(),
            destinations: Policy::default(),
            lease: Duration::from_secs(60),
        });
        let (platform, recording) = opened.await.map_err(text)?;
        let (owner, account) = owner(&platform).await?;
        let mut world = World {
            receiver: Receiver::new(clock.clone(), seed),
            endpoints: Vec::new(),
            _recording: recording,
            platform,
            clock,
            settings,
            account,
            owner,
            mails,
        };
        for number in 0..endpoints {
            world.add_endpoint(number).await?;
        }
        Ok(world)
    }

    async fn add_endpoint(&mut self, number: usize) -> Result<(), String> {
        let kind = match number {
            1 => "outage",
            _ if number % 2 == 1 => "failing",
            _ => "well",
        };
        let url = format!("https://endpoint{number}.example/{kind}");
        let new = NewEndpoint { url: url.clone(), ..NewEndpoint::default() };
        let planned = self.platform.endpoints().create(&self.account, new).await.map_err(text)?;
        self.endpoints.push((planned.value.endpoint.id.clone(), url));
        let transaction = planned.writes.into_iter().fold(Transaction::new(), Transaction::with);
        self.platform.store().commit(transaction).await.map_err(text)
    }

    /// Commits so many events.
    pub async fn emit(&self, events: usize) -> Result<(), String> {
        let mut left = events;
        while left > 0 {
            let mut transaction = Transaction::new();
            for number in 0..left.min(EVENTS_TOGETHER) {
                let data = json!({ "left": left - number });
                let event = Event::new("campaign.event", &*self.account, data);
                for write in self.platform.outbox().writes(&event, self.now()).map_err(text)? {
                    transaction = transaction.with(write);
                }
            }
            left -= transaction.len();
            self.platform.store().commit(transaction).await.map_err(text)?;
            // No two batches at one moment, so that events have an order.
            self.clock.advance(1);
        }
        Ok(())
    }

    pub fn now(&self) -> Moment {
        Moment::from_millis(self.clock.now_millis())
    }

    /// Lets time pass until this long after a moment.
    pub fn pass_to(&self, moment: Moment, more: Duration) {
        let ahead = moment.since(self.now()) + more;
        self.clock.advance(u64::try_from(ahead.as_millis()).unwrap_or(0));
    }

    /// Whether nothing is to be done now.
    pub async fn is_idle(&self) -> Result<bool, String> {
        for status in ["new", "pending", "delivering"] {
            for shard in 0..SHARDS {
                if self.first_due::<Raw>(status, shard, self.now()).await?.is_some() {
                    return Ok(false);
                }
            }
        }
        Ok(self.receiver.all_under_way() == 0)
    }

    /// When something is to be done next; none if everything is done.
    pub async fn next_due(&self) -> Result<Option<Moment>, String> {
        let mut next: Option<Moment> = None;
        for status in ["pending", "delivering"] {
            for shard in 0..SHARDS {
                let end = Moment::from_millis(u64::MAX);
                let due = self.first_due::<Delivery>(status, shard, end).await?;
                let due = due.and_then(|delivery| delivery.next_retry_at);
                next = [next, due].into_iter().flatten().min();
            }
        }
        Ok(next)
    }

    async fn first_due<T: store::Record>(
        &self,
        status: &str,
        shard: i64,
        now: Moment,
    ) -> Result<Option<T>, String> {
        let table = WebhookEvents::open(self.platform.store()).map_err(text)?;
        table.list_due(status, shard, &now.to_string()).first().await.map_err(text)
    }

    /// Whether the platform itself says that an endpoint has everything.
    pub async fn has_everything(&self, endpoint_id: &str) -> Result<bool, String> {
        let (since, messages) = (Moment::from_millis(START_MILLIS), self.platform.messages());
        let mut token: Option<String> = None;
        loop {
            let page = messages.missing(&self.account, endpoint_id, since, "", token.as_deref());
            let page = page.await.map_err(text)?;
            token = page.next;
            match (page.items.is_empty(), &token) {
                (false, _) => return Ok(false),
                (true, None) => return Ok(true),
                (true, Some(_)) => {}
            }
        }
    }

    /// How often the owner was told of the outage.
    pub async fn told(&self) -> Result<Told, String> {
        let page = self.platform.identity().notifications().list(&self.owner, 1000, None).await;
        let messages = page.map_err(text)?.items;
        let messages = messages.iter().filter(|one| one.subject.contains("webhook")).count();
        let query = Query {
            account: Some(self.account.clone()),
            action: Some("WEBHOOK_ENDPOINT_FAILING".to_owned()),
            ..Query::default()
        };
        let recorded = self.platform.audit().list(&query, "", 1000, None).await.map_err(text)?;
        let mails = self.mails.load(Ordering::SeqCst);
        Ok(Told { messages, mails, recorded: recorded.items.len() })
    }
}

async fn store(clock: &ManualClock) -> Result<Store, String> {
    let options = Options { durability: Durability::Relaxed, ..Options::in_memory() };
    let database = Database::open(options).map_err(text)?;
    let documents = Documents::embedded().map_err(text)?;
    let tables: Vec<_> = documents.tables.iter().collect();
    let target = EmbeddedTarget::new(database.clone());
    let plan = Plan::make(&documents, &tables, Environment::Dev, &[], &target).await;
    apply(&documents, &plan.map_err(text)?, false, &target, |_, _| {}).await.map_err(text)?;
    let settings = store::Settings {
        clock: Arc::new(clock.clone()),
        ..store::Settings::new(Environment::Dev, TokenKeys::new([1; 32]))
    };
    Ok(Store::new(&documents, Embedded::new(database), settings))
}

/// Somebody who owns an account, and the account.
async fn owner(platform: &Platform) -> Result<(String, String), String> {
    let (identity, commit) = (platform.identity(), platform.commits_as("campaign"));
    let made = identity.first_start(&commit).await.map_err(text)?.ok_or("there is an owner")?;
    let login = Login { name: made.email, password: made.password };
    let origin = identity::Origin::default();
    let LoggedIn::Tokens(tokens) = identity.log_in(&commit, &origin, login).await.map_err(text)?
    else {
        return Err("a second factor is asked for".to_owned());
    };
    let claims = identity.verify_token(tokens.access_token.reveal()).await.map_err(text)?;
    Ok((claims.subject, claims.account_id.ok_or("an owner without account")?))
}

/// Counts mails about webhooks.
struct Counted(Arc<AtomicUsize>);

impl Mailer for Counted {
    fn send(&self, mail: Mail) -> Sending<'_> {
        if format!("{mail:?}").contains("webhook") {
            self.0.fetch_add(1, Ordering::SeqCst);
        }
        Box::pin(async { Ok(()) })
    }
}
