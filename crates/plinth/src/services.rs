//! The services: the platform on their store, and the port they are served on, beside the DynamoDB
//! API.

mod external;
mod keeping;
mod made_tables;
mod workers;

use std::net::SocketAddr;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use amazon::Kms;
use axum::Router;
use axum::body::Body;
use database::Database;
use database::clock::SystemClock;
use hyper::body::Incoming;
use hyper::{Request, Response, StatusCode};
use identity::mail::{Folder, Mailer, Smtp};
use identity::{External, FirstAdministrator};
use kernel::metrics::Metrics;
use kernel::{Ids, PLATFORM};
use limits::Policies;
use patterns::platform::ApiKeys;
use platform::{Platform, Workers};
use secrets::{
    Elsewhere, KeyService, MASTER_KEY_VARIABLE, MasterKeySource, MasterKeys, Secret, Vault,
};
use store::{Raw, Store, SystemRandomness, TokenKeys};
use tables::{Documents, Environment};
use tenancy::Tenancy;
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tower::ServiceExt as _;
use web::Shell;
use wire::http::{Connections, Limits, Serve, names_its_host};

use self::keeping::Keeping;
use crate::control::{self, Control, explained};
use crate::jobs::{self, Jobs};
use crate::settings::{DataFolder, Settings};

/// What page tokens are sealed with comes from the platform's own keys, for this purpose.
const PAGE_TOKENS: &str = "page-tokens";

/// What answers on the port of the services. Requests that come before the services are ready wait
/// for them: the port is there as soon as the database's.
pub struct Services {
    router: Arc<OnceLock<Router>>,
    ready: watch::Receiver<()>,
    limits: Limits,
    connections: Connections,
}

/// The other end of [`Services`]: what makes them ready.
pub struct Opening {
    router: Arc<OnceLock<Router>>,
    ready: watch::Sender<()>,
    connections: Connections,
}

/// What goes on behind the port.
pub struct Background {
    /// Who was made at the first start, to be told once.
    pub administrator: Option<FirstAdministrator>,
    platform: Platform,
    workers: Workers,
    recording: JoinHandle<()>,
    _jobs: Jobs,
    _control: Control,
}

impl Background {
    /// Finishes what nobody waited for, after the last answer: webhook attempts that have begun, the
    /// records of authentication attempts, and when keys were used.
    pub async fn finish(self) {
        self.workers.finish().await;
        if let Err(error) = self.platform.later().flush().await {
            tracing::error!(?error, "the last authentication attempts were not recorded");
        }
        if let Err(error) = self.platform.keys().write_last_used().await {
            tracing::error!(?error, "the last uses of API keys were not noted");
        }
        self.recording.abort();
    }
}

impl Services {
    /// Services that are not ready yet.
    pub fn new(limits: Limits) -> (Services, Opening) {
        let connections = Connections::default();
        let (router, (sender, ready)) = (Arc::default(), watch::channel(()));
        let opening = Opening {
            router: Arc::clone(&router),
            ready: sender,
            connections: connections.clone(),
        };
        (Services { router, ready, limits, connections }, opening)
    }

    async fn router(&self) -> Option<Router> {
        if self.router.get().is_none() {
            // An error says that they never will be ready: the process is about to end.
            let _ = self.ready.clone().changed().await;
        }
        self.router.get().cloned()
    }
}

impl Serve for Services {
    type Body = Body;

    async fn serve(&self, peer: SocketAddr, request: Request<Incoming>) -> Response<Body> {
        if !names_its_host(&request) {
            return empty(StatusCode::BAD_REQUEST);
        }
        let Some(router) = self.router().await else {
            return empty(StatusCode::SERVICE_UNAVAILABLE);
        };
        let mut request = request.map(Body::new);
        request.extensions_mut().insert(peer);
        router.oneshot(request).await.unwrap_or_else(|never| match never {})
    }

    fn limits(&self) -> &Limits {
        &self.limits
    }

    fn connections(&self) -> &Connections {
        &self.connections
    }
}

fn empty(status: StatusCode) -> Response<Body> {
    let mut answer = Response::new(Body::empty());
    *answer.status_mut() = status;
    answer
}

/// What the settings say, read and checked, so that a mistake is told before anything is opened.
pub struct Prepared {
    ids: Ids,
    /// None if one is to be made.
    masters: Option<MasterKeys>,
    smtp: Option<Smtp>,
    policies: Policies,
    issuers: Vec<External>,
}

/// Reads and checks what the settings say. The data folder is there.
pub fn prepare(settings: &Settings) -> Result<Prepared, String> {
    let ids = Ids::new(Arc::new(SystemRandomness));
    let elsewhere = |word: &str| elsewhere(settings, word);
    let source = master_keys(settings, &elsewhere);
    origins(&settings.allow_origin)?;
    workers::check(settings)?;
    let is_given = source.text.is_some() || source.file.is_some();
    keeping::check(settings, is_given)?;
    // One is made after the database only: a key without a database says that the database is lost.
    let is_to_be_made = !is_given
        && settings.environment == Environment::Dev
        && !DataFolder::new(&settings.data).master_key().exists();
    Ok(Prepared {
        masters: (!is_to_be_made).then(|| load(&source, &ids)).transpose()?,
        ids,
        smtp: external::smtp(&settings.platform)?,
        policies: external::policies(&settings.platform)?,
        issuers: external::issuers(&settings.platform)?,
    })
}

fn master_keys<'a>(settings: &'a Settings, elsewhere: Elsewhere<'a>) -> MasterKeySource<'a> {
    MasterKeySource {
        environment: settings.environment,
        data_folder: &settings.data,
        text: std::env::var(MASTER_KEY_VARIABLE).ok().map(Secret::new),
        file: settings.master_key_file.clone(),
        elsewhere,
    }
}

/// The master keys that are not here, by the words for them.
fn elsewhere(settings: &Settings, word: &str) -> Option<Result<Arc<dyn KeyService>, String>> {
    let name = word.strip_prefix("kms:")?;
    let key = Kms::named(name, settings.kms_endpoint.clone());
    Some(key.map(|key| -> Arc<dyn KeyService> { Arc::new(key) }))
}

fn load(source: &MasterKeySource<'_>, ids: &Ids) -> Result<MasterKeys, String> {
    source.load(ids).map_err(|error| format!("--master-key-file: {error}"))
}

impl Opening {
    /// Makes the services ready, on this database, whose tables are made if need be.
    pub async fn open(
        self,
        database: &Database,
        settings: &Settings,
        prepared: Prepared,
        url: String,
    ) -> Result<Background, String> {
        let began = Instant::now();
        let documents = made_tables::documents()?;
        let read = began.elapsed();
        let keeping = Keeping::new(settings, database).await;
        keeping.check_environment(&documents, settings.environment).await?;
        keeping.make_tables(&documents, settings.environment).await?;
        let made = began.elapsed();
        let ids = prepared.ids.clone();
        let (platform, recording) = platform_on(&documents, &keeping, settings, prepared).await?;
        let metrics = Metrics::new();
        metrics.show_connections(self.connections.open.clone(), self.connections.refused.clone());
        platform.later().show(&metrics);
        let has_tls = settings.tls_certificate.is_some();
        let shell = shell(database, settings, has_tls, ids)?
            .metrics(metrics.clone())
            .identity(platform.clone())
            .limits(platform.clone())
            .idempotency(platform.clone());
        let shell = platform::routes::mount(shell, &platform);
        let tenancy = settings.tenancy.of(settings.environment);
        let tenancy = Tenancy::new(platform.clone(), tenancy, &metrics);
        let tenancy = tenancy.map_err(|error| format!("Tenancy cannot start: {error:?}"))?;
        let shell = tenancy.mount(shell).build();
        let shell = shell.map_err(|problem| format!("The routes are wrong: {problem}"))?;
        external::check_routes(&platform.limiter().policies(), &shell)?;
        let control = control::listen(&DataFolder::new(&settings.data), platform.clone(), url)?;
        let jobs = jobs::start(&platform, &metrics, settings.platform.signing_key_age());
        let workers = workers::start(&platform, settings, &metrics).await?;
        // Last of what can fail: nobody would be told the password.
        let first = platform.identity().first_start(&platform.commits_as("first-start")).await;
        let administrator = first.map_err(|error| {
            let email = &settings.platform.admin_email;
            format!("--admin-email {email} cannot be made administrator: {}", explained(&error))
        })?;
        // Nobody else sets it.
        let _ = self.router.set(shell.router());
        self.ready.send_replace(());
        tracing::info!(documents = ?read, tables = ?(made - read),
            platform = ?(began.elapsed() - made), "the services are ready");
        let (_jobs, _control) = (jobs, control);
        Ok(Background { administrator, platform, workers, recording, _jobs, _control })
    }
}

/// The platform on this database, for a command that has it open.
pub async fn platform(
    database: &Database,
    settings: &Settings,
    prepared: Prepared,
) -> Result<(Platform, JoinHandle<()>), String> {
    let keeping = Keeping::new(settings, database).await;
    platform_on(&made_tables::documents()?, &keeping, settings, prepared).await
}

/// The platform on its store, with its keys and mailbox in the data folder.
async fn platform_on(
    documents: &Documents,
    keeping: &Keeping,
    settings: &Settings,
    prepared: Prepared,
) -> Result<(Platform, JoinHandle<()>), String> {
    let Prepared { ids, masters, smtp, policies, issuers } = prepared;
    let (store, masters) = store(documents, keeping, settings, &ids, masters).await?;
    let clock = Arc::new(SystemClock);
    let mailer: Arc<dyn Mailer> = match smtp {
        Some(smtp) => Arc::new(smtp),
        None => {
            let mailbox = DataFolder::new(&settings.data).mailbox();
            let folder = Folder::open(&mailbox, "Plinth", ids.clone(), clock.clone()).await;
            Arc::new(folder.map_err(|error| format!("No mailbox: {}", explained(&error)))?)
        }
    };
    let identity = identity::Settings {
        admin_email: settings.platform.admin_email.clone(),
        ..identity::Settings::new(public_url(settings))
    };
    let opened = Platform::open(platform::Parts {
        store,
        clock,
        ids,
        masters,
        mailer,
        identity,
        external: issuers,
        policies,
        webhooks: webhooks::Settings::default(),
        destinations: settings.webhooks.destinations(),
        lease: Duration::from_secs(settings.request_seconds) * 2,
    });
    opened.await.map_err(|error| format!("The services do not start: {}", explained(&error)))
}

/// Where the services are reached, as tokens and links name it.
fn public_url(settings: &Settings) -> String {
    let scheme = if settings.tls_certificate.is_some() { "https" } else { "http" };
    match (&settings.public_url, settings.services_listen.0) {
        (Some(url), _) => url.trim_end_matches('/').to_owned(),
        (None, Some(address)) => format!("{scheme}://{address}"),
        (None, None) => format!("{scheme}://localhost"),
    }
}

fn shell(
    database: &Database,
    settings: &Settings,
    has_tls: bool,
    ids: Ids,
) -> Result<web::ShellBuilder, String> {
    let database = database.clone();
    let settings = web::Settings {
        origins: origins(&settings.allow_origin)?,
        has_tls,
        shows_metrics_to_all: settings.public_metrics,
        time_max: Duration::from_secs(settings.request_seconds),
        version: env!("CARGO_PKG_VERSION"),
        ..web::Settings::default()
    };
    let shell = Shell::builder(Arc::new(SystemClock), ids).settings(settings);
    Ok(shell.health(move || match (database.stopped(), database.writes_refused()) {
        (Some(reason), _) => web::Health::Stopped(reason),
        (None, Some(reason)) => web::Health::ReadOnly(reason),
        (None, None) => web::Health::Ok,
    }))
}

/// An origin is a scheme and a host, as browsers send it; anything else would never match.
fn origins(listed: &[String]) -> Result<Vec<String>, String> {
    for origin in listed {
        let rest = origin.strip_prefix("https://").or_else(|| origin.strip_prefix("http://"));
        if rest.is_none_or(|rest| rest.is_empty() || rest.contains(['/', '*', '?', ' '])) {
            return Err(format!(
                "`{origin}` is no origin. Write scheme and host alone: https://app.example.com"
            ));
        }
    }
    Ok(listed.to_vec())
}

/// The store that the services read and write through. Page tokens are sealed with a key that comes
/// from the platform's own, so that they outlive a restart and hold on every instance.
async fn store(
    documents: &Documents,
    keeping: &Keeping,
    settings: &Settings,
    ids: &Ids,
    masters: Option<MasterKeys>,
) -> Result<(Store, MasterKeys), String> {
    let with = |keys| {
        let settings = store::Settings::new(settings.environment, keys);
        keeping.store(documents, settings)
    };
    // This one gives out no page token: its key is thrown away.
    let first = with(TokenKeys::new(ids.bytes().map_err(|error| explained(&error))?));
    let masters = match masters {
        Some(masters) => masters,
        None => first_master_key(&first, settings, ids).await?,
    };
    masters.check(ids).await.map_err(|error| {
        let why = error.reason().map_or_else(|| error.to_string(), str::to_owned);
        format!("The master key cannot be used. {why}.")
    })?;
    let vault = Vault::new(&first, ids.clone(), Arc::new(SystemClock), masters.clone());
    let vault = vault.map_err(|error| explained(&error))?;
    let derived = vault.derived(PLATFORM, PAGE_TOKENS).await.map_err(|error| {
        format!(
            "The secrets of the services cannot be opened: {}. If the master key was replaced, add \
             the one before to {MASTER_KEY_VARIABLE} or to the file that --master-key-file names, \
             after the new one.",
            explained(&error)
        )
    })?;
    let mut keys = derived.iter().map(|key| **key);
    let oldest = keys.next().ok_or("The platform has no key for page tokens")?;
    Ok((with(keys.fold(TokenKeys::new(oldest), TokenKeys::replaced_by)), masters))
}

/// Makes the master key, if nothing is sealed with another one yet.
async fn first_master_key(
    store: &Store,
    settings: &Settings,
    ids: &Ids,
) -> Result<MasterKeys, String> {
    let sealed = async { ApiKeys::open(store)?.get_account_key(PLATFORM).get::<Raw>().await };
    let sealed = sealed.await.map_err(|error| format!("The services do not start: {error}"))?;
    if sealed.is_some() {
        return Err(format!(
            "The master key {} is gone, and the secrets of the services cannot be opened without it. \
             Restore it from a backup, or name the file that holds it with --master-key-file.",
            DataFolder::new(&settings.data).master_key().display()
        ));
    }
    load(&master_keys(settings, &|word| elsewhere(settings, word)), ids)
}
