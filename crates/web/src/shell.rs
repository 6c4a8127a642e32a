//! The composition: services mounted below paths, one router for all.

use std::collections::HashSet;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use http::Method;
use kernel::clock::Clock;
use kernel::ids::Ids;
use kernel::metrics::Metrics;
use kernel::moment::Moment;
use kernel::permissions::Rule;
use serde_json::Value;

use super::api::{Api, Described, KeyDemand};
use super::bodies::Bodies;
use super::extract::Checks;
use super::seams::{Authenticate, Idempotency, Limit, Nobody, NotRemembered, Unlimited};
use super::{log, openapi, outer};

/// How the shell treats every request.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Bytes of a body.
    pub body_bytes_max: usize,
    /// Bytes of all bodies that are there at one time.
    pub bodies_bytes_max: usize,
    /// How long a body may take to come.
    pub body_time: Duration,
    /// How long a request may take in all.
    pub time_max: Duration,
    /// Origins whose pages may call: `https://app.example.com`. None by default.
    pub origins: Vec<String>,
    /// Whether callers come by TLS, which browsers are then told to insist on.
    pub has_tls: bool,
    /// Shows `/metrics` to other machines too.
    pub shows_metrics_to_all: bool,
    /// The version that `/health` and the documentation name.
    pub version: &'static str,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            body_bytes_max: 1 << 20,
            bodies_bytes_max: 256 << 20,
            body_time: Duration::from_secs(20),
            time_max: Duration::from_secs(30),
            origins: Vec::new(),
            has_tls: false,
            shows_metrics_to_all: false,
            version: env!("CARGO_PKG_VERSION"),
        }
    }
}

/// A route as it is served.
#[derive(Clone, Debug)]
pub struct Registered {
    /// The service's name.
    pub service: &'static str,
    /// The path that the service is mounted below.
    pub mount: Arc<str>,
    /// The whole template: `/ops/v1.0/keys/{keyId}`.
    pub path: String,
    /// The method.
    pub method: Method,
    /// The operation: `getKey`.
    pub operation: &'static str,
    /// The operation as the log names it: `GET_KEY`.
    pub action: String,
    /// The permission that it demands.
    pub rule: Rule,
    /// What it asks of API keys.
    pub keys: KeyDemand,
}

/// What is wrong with the routes: a mistake in the program.
#[derive(Debug)]
pub struct Problem(String);

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Problem {}

/// How the process is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Health {
    /// Well.
    Ok,
    /// It refuses writes, for this reason.
    ReadOnly(String),
    /// It does nothing any more, for this reason.
    Stopped(String),
}

/// What all requests share.
pub(super) struct Core {
    pub settings: Settings,
    pub bodies: Bodies,
    pub clock: Arc<dyn Clock>,
    pub ids: Ids,
    pub identity: Arc<dyn Authenticate>,
    pub limits: Arc<dyn Limit>,
    pub idempotency: Arc<dyn Idempotency>,
    pub metrics: Metrics,
    pub health: Arc<dyn Fn() -> Health + Send + Sync>,
}

impl Core {
    pub(super) fn now(&self) -> Moment {
        Moment::from_millis(self.clock.now_millis())
    }
}

/// One route with everything that answers it.
pub(super) struct Entry {
    pub registered: Arc<Registered>,
    pub described: Described,
    pub checks: Checks,
}

/// Collects what the shell is made of. Without more it knows nobody and remembers nothing.
pub struct ShellBuilder {
    core: Core,
    entries: Vec<Arc<Entry>>,
    problems: Vec<String>,
}

impl ShellBuilder {
    /// How requests are treated.
    #[must_use]
    pub fn settings(mut self, settings: Settings) -> ShellBuilder {
        self.core.settings = settings;
        self
    }

    /// Who says who is calling.
    #[must_use]
    pub fn identity(mut self, identity: impl Authenticate) -> ShellBuilder {
        self.core.identity = Arc::new(identity);
        self
    }

    /// Who says whether they may call now.
    #[must_use]
    pub fn limits(mut self, limits: impl Limit) -> ShellBuilder {
        self.core.limits = Arc::new(limits);
        self
    }

    /// Who says whether it was asked before.
    #[must_use]
    pub fn idempotency(mut self, idempotency: impl Idempotency) -> ShellBuilder {
        self.core.idempotency = Arc::new(idempotency);
        self
    }

    /// Where things are counted.
    #[must_use]
    pub fn metrics(mut self, metrics: Metrics) -> ShellBuilder {
        self.core.metrics = metrics;
        self
    }

    /// Who says how the process is.
    #[must_use]
    pub fn health(mut self, health: impl Fn() -> Health + Send + Sync + 'static) -> ShellBuilder {
        self.core.health = Arc::new(health);
        self
    }

    /// Serves a service below a path, `/ops/v1.0` say. The same service may be mounted again
    /// elsewhere; its links then carry the mount through which it was reached, and the documentation
    /// shows the first.
    #[must_use]
    pub fn mount<S>(mut self, mount: &str, api: &Api<S>) -> ShellBuilder {
        for described in &api.routes {
            let path = format!("{mount}{}", described.route.path);
            let named = described.description.path.as_ref();
            let properties = named.and_then(|schema| schema["properties"].as_object());
            for name in placeholders(&path) {
                let is_known = properties.is_some_and(|all| all.contains_key(name));
                if named.is_some() && !is_known {
                    self.problems.push(format!("{path}: no field of InPath is called {name}"));
                }
            }
            if described.route.answers.is_empty() {
                self.problems.push(format!("{path}: nobody says what it answers with"));
            }
            let checks = Checks::new(&described.description).unwrap_or_else(|why| {
                self.problems.push(format!("{path}: {why}"));
                Checks::default()
            });
            let registered = Registered {
                service: api.service,
                mount: mount.into(),
                path,
                method: described.route.method.clone(),
                operation: described.route.operation,
                action: log::action(described.route.operation),
                rule: described.rule,
                keys: api.keys,
            };
            let (registered, described) = (Arc::new(registered), described.clone());
            self.entries.push(Arc::new(Entry { registered, described, checks }));
        }
        self
    }

    /// The whole, or what is wrong with it.
    pub fn build(mut self) -> Result<Shell, Problem> {
        let mut seen = HashSet::new();
        for entry in &self.entries {
            let Registered { method, path, operation, service, mount, .. } = &*entry.registered;
            let is_new = seen.insert((method.to_string(), path.clone()))
                & seen.insert((format!("{service} {mount}"), (*operation).to_owned()));
            if !is_new {
                self.problems.push(format!("{method} {path} or {operation} is there twice"));
            }
        }
        if !self.problems.is_empty() {
            return Err(Problem(self.problems.join("; ")));
        }
        let document = openapi::document(&self.entries, self.core.settings.version);
        let document = Arc::new(document.map_err(Problem)?);
        Ok(Shell { core: Arc::new(self.core), entries: self.entries, document })
    }
}

/// All services, ready to serve.
pub struct Shell {
    core: Arc<Core>,
    entries: Vec<Arc<Entry>>,
    document: Arc<Value>,
}

impl Shell {
    /// A shell without services, on this clock and this chance.
    pub fn builder(clock: Arc<dyn Clock>, ids: Ids) -> ShellBuilder {
        let core = Core {
            bodies: Bodies::default(),
            settings: Settings::default(),
            clock,
            ids,
            identity: Arc::new(Nobody),
            limits: Arc::new(Unlimited),
            idempotency: Arc::new(NotRemembered),
            metrics: Metrics::new(),
            health: Arc::new(|| Health::Ok),
        };
        ShellBuilder { core, entries: Vec::new(), problems: Vec::new() }
    }

    /// Every route.
    pub fn routes(&self) -> impl Iterator<Item = &Registered> {
        self.entries.iter().map(|entry| &*entry.registered)
    }

    /// The OpenAPI document.
    pub fn openapi(&self) -> &Value {
        &self.document
    }

    /// The router. The listener puts the peer's address, a [`std::net::SocketAddr`], into each
    /// request's extensions.
    pub fn router(&self) -> axum::Router {
        outer::router(&self.core, &self.entries, &self.document)
    }
}

/// The names in braces.
pub(super) fn placeholders(path: &str) -> impl Iterator<Item = &str> {
    path.split('{').skip(1).filter_map(|rest| rest.split('}').next())
}
