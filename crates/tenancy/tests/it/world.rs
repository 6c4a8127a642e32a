//! A whole platform with tenancy behind its routes: a database in memory, a clock that moves when it is
//! told to, and callers of every kind.

use std::collections::BTreeSet;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use database::{Database, Durability, Options};
use http::request::Parts as Head;
use http::{HeaderMap, Request};
use http_body_util::BodyExt as _;
use identity::keys::{Environment as KeyEnvironment, NewKey};
use identity::mail::Folder;
use identity::{Cost, LoggedIn, Login, Registration};
use kernel::clock::ManualClock;
use kernel::metrics::Metrics;
use kernel::{Caller, Identity, Ids, Role};
use limits::Policies;
use platform::{Parts, Platform};
use secrets::{LocalKey, MasterKeys, Secret};
use serde_json::{Map, Value, json};
use store::{Embedded, Store, SystemRandomness, TokenKeys};
use tables::{Documents, EmbeddedTarget, Environment, Plan, apply};
use tempfile::TempDir;
use tenancy::{Settings, Tenancy};
use tokio::sync::Barrier;
use tokio::task::JoinHandle;
use tower::ServiceExt as _;
use web::seams::{Authenticate, Pending};
use web::{Answer, RateLimitHeaders, Shell};

const START_MILLIS: u64 = 1_900_000_000_000;
const PASSWORD: &str = "a sentence nobody else has";

/// Tenancy that runs.
pub struct World {
    pub folder: TempDir,
    pub store: Store,
    pub clock: ManualClock,
    pub platform: Platform,
    pub shell: Shell,
    pub metrics: Metrics,
    /// A token of somebody who administers the platform.
    pub admin: String,
    _recording: JoinHandle<()>,
}

/// Somebody with an account.
#[derive(Clone, Debug)]
pub struct Person {
    pub email: String,
    /// As the service names them.
    pub user_id: String,
    pub token: String,
}

impl World {
    pub async fn new() -> World {
        World::with(Settings::new(Environment::Dev)).await
    }

    pub async fn with(settings: Settings) -> World {
        World::under(settings, Policies::default()).await
    }

    /// With rate limits.
    pub async fn under(settings: Settings, policies: Policies) -> World {
        let folder = TempDir::new().unwrap();
        let clock = ManualClock::new(START_MILLIS);
        let options = Options { durability: Durability::Relaxed, ..Options::in_memory() };
        let options = Options { clock: Arc::new(clock.clone()), ..options };
        let database = Database::open(options).unwrap();
        let store = store(&database, &clock).await;
        let ids = Ids::new(Arc::new(SystemRandomness));
        let mailbox = folder.path().join("mailbox");
        let mailer = Folder::open(&mailbox, "Plinth", ids.clone(), Arc::new(clock.clone())).await;
        let masters = MasterKeys::new(Arc::new(LocalKey::new(Secret::new([9; 32]), ids.clone())));
        let mut identity = identity::Settings::new("https://plinth.example");
        identity.password_cost = Cost { memory_kib: 8, passes: 1, lanes: 1 };
        identity.mail_after_answer = false;
        let (platform, recording) = Platform::open(Parts {
            store: store.clone(),
            clock: Arc::new(clock.clone()),
            ids: ids.clone(),
            masters,
            mailer: Arc::new(mailer.unwrap()),
            identity,
            external: Vec::new(),
            policies,
            webhooks: webhooks::Settings::default(),
            destinations: webhooks::Policy::default(),
            lease: Duration::from_secs(60),
        })
        .await
        .unwrap();
        let metrics = Metrics::new();
        let shell = Shell::builder(Arc::new(clock.clone()), ids)
            .metrics(metrics.clone())
            .identity(Known(platform.clone()))
            .limits(platform.clone())
            .idempotency(platform.clone());
        let shell = platform::routes::mount(shell, &platform);
        let tenancy = Tenancy::new(platform.clone(), settings, &metrics).unwrap();
        let shell = tenancy.mount(shell).build().unwrap();
        let signed =
            platform.identity().sign_script_token("root@example.com", Role::PlatformAdmin, None);
        let admin = signed.await.unwrap().reveal().to_owned();
        World { folder, store, clock, platform, shell, metrics, admin, _recording: recording }
    }

    /// A request, to be completed and sent: `POST /v1.0/tenants`.
    pub fn call(&self, line: &str) -> Call<'_> {
        let (method, path) = line.split_once(' ').unwrap();
        let mut request = Request::builder().method(method).uri(path).body(Body::empty()).unwrap();
        request.extensions_mut().insert(SocketAddr::from(([192, 0, 2, 1], 40_000)));
        Call { world: self, request }
    }

    /// The same as an administrator of the platform.
    pub fn root(&self, line: &str) -> Call<'_> {
        let admin = self.admin.clone();
        self.call(line).bearer(&admin)
    }

    /// A token of this role for no account.
    pub async fn token(&self, name: &str, role: Role) -> String {
        let email = format!("{name}@example.com");
        let token = self.platform.identity().sign_script_token(&email, role, None).await;
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

    /// Somebody who registered, verified their address and logged in.
    pub async fn person(&self, name: &str) -> Person {
        let (identity, commit) = (self.platform.identity(), self.platform.commits_as("test"));
        let email = format!("{name}@example.com");
        let password = Secret::from(PASSWORD);
        let registration = Registration {
            email: email.clone(),
            username: name.to_owned(),
            name: format!("{name} the tester"),
            password: password.clone(),
        };
        identity.register(&commit, registration).await.unwrap();
        let mail = self.mails(&email).pop().unwrap();
        let code = mail.split("Your code is ").nth(1).unwrap().split_whitespace().next().unwrap();
        identity.verify_email(&commit, &email, code).await.unwrap();
        let origin = identity::Origin::default();
        let login = Login { name: email.clone(), password };
        let LoggedIn::Tokens(tokens) = identity.log_in(&commit, &origin, login).await.unwrap()
        else {
            panic!("no second factor is set up")
        };
        let claims = identity.verify_token(tokens.access_token.reveal()).await.unwrap();
        let token = tokens.access_token.reveal().to_owned();
        Person { email, user_id: format!("user-{}", claims.subject), token }
    }

    /// The mails to an address, oldest first.
    pub fn mails(&self, to: &str) -> Vec<String> {
        let mailbox = self.folder.path().join("mailbox");
        let mut paths: Vec<_> = std::fs::read_dir(mailbox)
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .filter(|path| path.extension().is_some_and(|ending| ending == "eml"))
            .collect();
        paths.sort();
        let texts = paths.iter().map(|path| std::fs::read_to_string(path).unwrap());
        texts.filter(|text| text.contains(&format!("To: {to}\r\n"))).collect()
    }

    /// A tenant that is PENDING. Gives its id.
    pub async fn pending(&self, name: &str) -> String {
        let got = self.root("POST /v1.0/tenants").json(&new_tenant(name)).send().await;
        assert_eq!(got.status, 201, "{got:?}");
        got.text("tenantId")
    }

    /// A tenant that is ACTIVE.
    pub async fn active(&self, name: &str) -> String {
        let id = self.pending(name).await;
        self.become_state(&id, "ACTIVE").await;
        id
    }

    /// A tenant in any state.
    pub async fn tenant_in(&self, name: &str, status: &str) -> String {
        let id = self.pending(name).await;
        match status {
            "PENDING" => {}
            "ACTIVE" | "FAILED" => self.become_state(&id, status).await,
            _ => {
                self.become_state(&id, "ACTIVE").await;
                self.become_state(&id, status).await;
            }
        }
        id
    }

    async fn become_state(&self, id: &str, status: &str) {
        let body = json!({ "status": status, "reason": "the test needs it so" });
        let got = self.root(&format!("PATCH /v1.0/tenants/{id}/status")).json(&body).send().await;
        assert_eq!((got.status, got.text("status").as_str()), (200, status), "{got:?}");
    }

    /// Assigns somebody.
    pub async fn assign(&self, tenant: &str, person: &Person, role: &str) {
        let body = json!({ "email": person.email, "role": role });
        let got = self.root(&format!("POST /v1.0/tenants/{tenant}/users")).json(&body).send().await;
        assert_eq!(got.status, 201, "{got:?}");
    }

    /// What was told to others, oldest first: type, account, data.
    pub async fn told(&self, account: &str) -> Vec<(String, Value)> {
        let path = format!("GET /ops/v1.0/webhooks/events?accountId={account}&limit=100");
        let got = self.root(&path).send().await;
        assert_eq!(got.status, 200, "{got:?}");
        let items = got.json()["items"].as_array().unwrap().clone();
        let one = |item: &Value| {
            (item["eventType"].as_str().unwrap_or_default().to_owned(), item["payload"].clone())
        };
        items.iter().rev().map(one).collect()
    }
}

/// A body that makes a tenant.
pub fn new_tenant(name: &str) -> Value {
    json!({
        "organizationName": name, "contactEmail": "admin@acme.example", "environment": "dev",
        "division": "Technology", "metadata": { "industry": "Software", "size": 7 },
    })
}

async fn store(database: &Database, clock: &ManualClock) -> Store {
    let documents = Documents::embedded().unwrap();
    let target = EmbeddedTarget::new(database.clone());
    let systems = ["listbackup", "platform", "tenancy"];
    let is_needed = |table: &&tables::document::Table| systems.contains(&&*table.system);
    let tables: Vec<_> = documents.tables.iter().filter(is_needed).collect();
    let plan = Plan::make(&documents, &tables, Environment::Dev, &[], &target).await.unwrap();
    apply(&documents, &plan, false, &target, |_, _| {}).await.unwrap();
    let mut settings = store::Settings::new(Environment::Dev, TokenKeys::new([7; 32]));
    settings.clock = Arc::new(clock.clone());
    Store::new(&documents, Embedded::new(database.clone()), settings)
}

/// The platform's own callers, and besides whoever a test describes: `Bearer test NAME ROLE CUSTOMER`,
/// as a token of another issuer would. Of `nameless` it tells no address.
struct Known(Platform);

impl Authenticate for Known {
    fn authenticate<'a>(
        &'a self,
        head: &'a Head,
        said: &'a RateLimitHeaders,
    ) -> Pending<'a, Caller> {
        let described = head.headers.get("authorization").and_then(|value| value.to_str().ok());
        let Some(described) = described.and_then(|text| text.strip_prefix("Bearer test ")) else {
            return self.0.authenticate(head, said);
        };
        let mut words = described.split(' ');
        let name = words.next().unwrap_or_default();
        let mut caller = Caller::new(Identity::User {
            user_id: format!("pool|{name}"),
            email: (name != "nameless").then(|| format!("{name}@example.com")),
            session: None,
        });
        caller.roles.extend(words.next().and_then(Role::parse));
        caller.customer_id = words.next().map(str::to_owned);
        Box::pin(async move { Ok(caller) })
    }
}

/// A request that is being made.
#[must_use = "it is not sent yet"]
pub struct Call<'w> {
    world: &'w World,
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

    /// With a body of JSON.
    pub fn json(mut self, body: &Value) -> Self {
        *self.request.body_mut() = Body::from(body.to_string());
        self.header("content-type", "application/json")
    }

    pub async fn send(self) -> Got {
        answered(self.world.shell.router(), self.request).await
    }

    /// Sends it as a task of its own, when all that share the barrier are there.
    pub fn spawn(self, barrier: &Arc<Barrier>) -> JoinHandle<Got> {
        let (router, barrier) = (self.world.shell.router(), Arc::clone(barrier));
        let request = self.request;
        tokio::spawn(async move {
            barrier.wait().await;
            answered(router, request).await
        })
    }
}

async fn answered(router: axum::Router, request: Request<Body>) -> Got {
    let answer = router.oneshot(request).await.unwrap();
    let (head, body) = answer.into_parts();
    let body = body.collect().await.unwrap().to_bytes().to_vec();
    Got { status: head.status.as_u16(), headers: head.headers, body }
}

/// An answer.
pub struct Got {
    pub status: u16,
    pub headers: HeaderMap,
    pub body: Vec<u8>,
}

impl std::fmt::Debug for Got {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {}", self.status, String::from_utf8_lossy(&self.body))
    }
}

impl Got {
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|_| panic!("{self:?} is no JSON"))
    }

    /// A member of the body that is a text.
    pub fn text(&self, name: &str) -> String {
        self.json()[name].as_str().unwrap_or_default().to_owned()
    }

    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().unwrap())
    }

    /// Status and code of an error.
    pub fn error(&self) -> (u16, String) {
        (self.status, self.json()["error"]["code"].as_str().unwrap_or_default().to_owned())
    }

    /// A member of an error's details.
    pub fn detail(&self, name: &str) -> Value {
        self.json()["error"]["details"][name].clone()
    }

    /// The relations that are linked.
    pub fn links(&self) -> BTreeSet<String> {
        let json = self.json();
        json["_links"].as_object().unwrap().keys().cloned().collect()
    }

    /// A member of every item of a list.
    pub fn all(&self, name: &str) -> Vec<String> {
        let json = self.json();
        let items = json["items"].as_array().unwrap_or_else(|| panic!("{self:?} is no list"));
        items.iter().map(|item| item[name].as_str().unwrap_or_default().to_owned()).collect()
    }
}
