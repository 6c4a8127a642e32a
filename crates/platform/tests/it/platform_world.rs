//! A whole platform behind its routes, in process: a temporary embedded database, a clock that moves
//! when it is told to, cheap passwords, a folder for mail, and callers of every kind.
#![expect(dead_code, reason = "every part of the tests uses some of it")]

use std::collections::BTreeSet;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use database::{Database, Durability, Options};
use http::Request;
use http_body_util::BodyExt as _;
use identity::keys::{Environment as KeyEnvironment, NewKey};
use identity::mail::Folder;
use identity::{LoggedIn, Login, Registration};
use kernel::clock::ManualClock;
use kernel::{Ids, Role};
use limits::Policies;
use platform::{Parts, Platform};
use secrets::{LocalKey, MasterKeys, Secret};
use serde_json::{Map, Value};
use store::{Embedded, Store, SystemRandomness, TokenKeys};
use tables::{Documents, EmbeddedTarget, Environment, Plan, apply};
use tempfile::TempDir;
use tokio::task::JoinHandle;
use tower::ServiceExt as _;
use web::{Answer, Shell};

use crate::http::sample::Got;
use crate::identity::{PASSWORD, START_MILLIS, last_code_in, mails_in, secret, settings};

/// What the platform itself needs of the tables.
const TABLES: [&str; 10] = [
    "listbackup/users",
    "listbackup/refresh-tokens",
    "listbackup/notifications",
    "listbackup/users-accounts",
    "listbackup/accounts",
    "platform/api_keys",
    "platform/audit_logs",
    "platform/idempotency_keys",
    "platform/rate_limits",
    "platform/webhook_events",
];
/// Where requests come from, unless they say otherwise.
pub const HOME: [u8; 4] = [192, 0, 2, 1];

/// How a world is made. Start from [`World::in_memory`] or [`World::on_disk`].
pub struct World {
    pub is_on_disk: bool,
    pub policies: Policies,
    pub identity: identity::Settings,
    pub destinations: webhooks::Policy,
}

/// A platform that runs.
pub struct PlatformWorld {
    /// The database is in `data`, mails are in `mailbox`.
    pub folder: TempDir,
    pub database: Database,
    pub store: Store,
    pub clock: ManualClock,
    pub platform: Platform,
    pub shell: Shell,
    recording: JoinHandle<()>,
}

/// Somebody who registered, verified their address and logged in.
#[derive(Clone, Debug)]
pub struct Person {
    pub name: String,
    pub email: String,
    pub user_id: String,
    pub account_id: String,
    pub access_token: String,
    pub refresh_token: String,
    pub session: String,
}

impl World {
    /// Nothing outlives the test, and nothing is slow.
    pub fn in_memory() -> World {
        World {
            is_on_disk: false,
            policies: Policies::usual(),
            identity: settings(),
            destinations: webhooks::Policy::default(),
        }
    }

    /// In files, for tests that look into them.
    pub fn on_disk() -> World {
        World { is_on_disk: true, ..World::in_memory() }
    }

    /// The same without rate limits.
    pub fn unlimited(self) -> World {
        World { policies: Policies::default(), ..self }
    }

    pub async fn open(self) -> PlatformWorld {
        let folder = TempDir::new().unwrap();
        let clock = ManualClock::new(START_MILLIS);
        let options = match self.is_on_disk {
            true => Options::folder(folder.path().join("data")),
            false => Options { durability: Durability::Relaxed, ..Options::in_memory() },
        };
        // One clock for all: the database removes what is expired by its own.
        let options = Options { clock: Arc::new(clock.clone()), ..options };
        let database = Database::open(options).unwrap();
        let store = store(&database, &clock).await;
        let ids = Ids::new(Arc::new(SystemRandomness));
        let mailbox = folder.path().join("mailbox");
        let mailer = Folder::open(&mailbox, "Plinth", ids.clone(), Arc::new(clock.clone())).await;
        let masters = MasterKeys::new(Arc::new(LocalKey::new(Secret::new([9; 32]), ids.clone())));
        let (platform, recording) = Platform::open(Parts {
            store: store.clone(),
            clock: Arc::new(clock.clone()),
            ids: ids.clone(),
            masters,
            mailer: Arc::new(mailer.unwrap()),
            identity: self.identity,
            external: Vec::new(),
            policies: self.policies,
            webhooks: webhooks::Settings::default(),
            destinations: self.destinations,
            lease: Duration::from_secs(60),
        })
        .await
        .unwrap();
        let shell = Shell::builder(Arc::new(clock.clone()), ids)
            .identity(platform.clone())
            .limits(platform.clone())
            .idempotency(platform.clone());
        let shell = platform::routes::mount(shell, &platform).build().unwrap();
        PlatformWorld { folder, database, store, clock, platform, shell, recording }
    }
}

async fn store(database: &Database, clock: &ManualClock) -> Store {
    let documents = Documents::embedded().unwrap();
    let target = EmbeddedTarget::new(database.clone());
    let tables: Vec<_> = TABLES.iter().flat_map(|name| documents.find(name)).collect();
    let plan = Plan::make(&documents, &tables, Environment::Dev, &[], &target).await.unwrap();
    apply(&documents, &plan, false, &target, |_, _| {}).await.unwrap();
    let mut settings = store::Settings::new(Environment::Dev, TokenKeys::new([7; 32]));
    settings.clock = Arc::new(clock.clone());
    Store::new(&documents, Embedded::new(database.clone()), settings)
}

impl PlatformWorld {
    /// A whole platform in memory, with the usual limits.
    pub async fn new() -> PlatformWorld {
        World::in_memory().open().await
    }

    pub fn advance(&self, duration: Duration) {
        self.clock.advance(u64::try_from(duration.as_millis()).unwrap());
    }

    /// A request, to be completed and sent: `POST /auth/login`.
    pub fn call(&self, line: &str) -> Call<'_> {
        let (method, path) = line.split_once(' ').unwrap();
        let mut request = Request::builder().method(method).uri(path).body(Body::empty()).unwrap();
        request.extensions_mut().insert(SocketAddr::from((HOME, 40_000)));
        Call { world: self, request }
    }

    /// A short-lived token of this role, for an account or for none, without a session. Its user is
    /// known to nobody.
    pub async fn token(&self, role: Role, account: Option<&str>) -> String {
        let email = format!("{}@script.example", role.as_str());
        let token = self.platform.identity().sign_script_token(&email, role, account).await;
        token.unwrap().reveal().to_owned()
    }

    /// An API key of an account with these scopes.
    pub async fn key(&self, account: &str, scopes: &[&str]) -> String {
        let new = NewKey {
            account_id: account.to_owned(),
            name: "test".to_owned(),
            environment: KeyEnvironment::Test,
            scopes: Some(scopes.iter().map(|scope| (*scope).to_owned()).collect::<BTreeSet<_>>()),
            expires_at: None,
            metadata: Map::new(),
            limit: None,
            uses_left: None,
        };
        let made = self.platform.keys().create(new, "test").unwrap();
        let mut change = self.platform.begin_as("test");
        made.changed.writes.into_iter().for_each(|write| {
            change.add(write, changes::Conflict);
        });
        change.record(made.changed.entry);
        change.emit(made.changed.event);
        change.commit(Answer::no_content()).await.unwrap();
        made.secret.reveal().clone()
    }

    /// Somebody with an account of their own, which they own.
    pub async fn person(&self, name: &str) -> Person {
        let (identity, commit) = (self.platform.identity(), self.platform.commits_as("test"));
        let email = format!("{name}@example.com");
        let registration = Registration {
            email: email.clone(),
            username: name.to_owned(),
            name: format!("{name} the tester"),
            password: secret(PASSWORD),
        };
        identity.register(&commit, registration).await.unwrap();
        identity.verify_email(&commit, &email, &self.last_code(&email)).await.unwrap();
        let login = Login { name: email.clone(), password: secret(PASSWORD) };
        let origin = identity::Origin { address: Some(HOME.into()), user_agent: None };
        let LoggedIn::Tokens(tokens) = identity.log_in(&commit, &origin, login).await.unwrap()
        else {
            panic!("no second factor is set up")
        };
        let claims = identity.verify_token(tokens.access_token.reveal()).await.unwrap();
        Person {
            name: name.to_owned(),
            email,
            user_id: claims.subject,
            account_id: claims.account_id.unwrap(),
            access_token: tokens.access_token.reveal().to_owned(),
            refresh_token: tokens.refresh_token.reveal().to_owned(),
            session: tokens.session,
        }
    }

    /// The mails to an address, oldest first.
    pub fn mails(&self, to: &str) -> Vec<String> {
        mails_in(&self.mailbox(), to)
    }

    /// The code in the last mail to an address that has one.
    pub fn last_code(&self, to: &str) -> String {
        last_code_in(&self.mailbox(), to)
    }

    fn mailbox(&self) -> PathBuf {
        self.folder.path().join("mailbox")
    }
}

/// A request that is being made.
#[must_use = "it is not sent yet"]
pub struct Call<'w> {
    world: &'w PlatformWorld,
    request: Request<Body>,
}

impl Call<'_> {
    pub fn header(mut self, name: &'static str, value: &str) -> Self {
        self.request.headers_mut().append(name, value.parse().unwrap());
        self
    }

    /// As the bearer of a token or key.
    pub fn bearer(self, token: &str) -> Self {
        self.header("authorization", &format!("Bearer {token}"))
    }

    /// From another address.
    pub fn from(mut self, address: [u8; 4]) -> Self {
        self.request.extensions_mut().insert(SocketAddr::from((address, 40_000)));
        self
    }

    /// With a body of JSON.
    pub fn json(self, body: &Value) -> Self {
        self.header("content-type", "application/json").text(&body.to_string())
    }

    /// With any body.
    pub fn text(mut self, body: &str) -> Self {
        *self.request.body_mut() = Body::from(body.to_owned());
        self
    }

    pub async fn send(self) -> Got {
        let answer = self.world.shell.router().oneshot(self.request).await.unwrap();
        let (head, body) = answer.into_parts();
        let body = body.collect().await.unwrap().to_bytes().to_vec();
        Got { status: head.status.as_u16(), headers: head.headers, body }
    }
}

/// A platform opens, knows its callers, and answers.
#[tokio::test]
async fn a_whole_platform_answers() {
    let world = PlatformWorld::new().await;
    let person = world.person("ada").await;
    let key = world.key(&person.account_id, &["keys:read"]).await;
    let token = world.token(Role::Viewer, Some(&person.account_id)).await;
    for credential in [&person.access_token, &key, &token] {
        let got = world.call("GET /nothing").bearer(credential).send().await;
        assert_eq!((got.status, got.code().as_str()), (404, "NOT_FOUND"));
    }
}
