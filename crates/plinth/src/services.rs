//! The services: their tables in the embedded database, their store, and the port they are served
//! on, beside the DynamoDB API.

mod workers;

use std::net::SocketAddr;
use std::sync::Arc;

use axum::body::Body;
use database::Database;
use database::clock::SystemClock;
use hyper::body::Incoming;
use hyper::{Request, Response};
use platform::http::{self, Metrics, Shell};
use platform::identity::{self, FirstAdministrator};
use platform::limits::Policies;
use platform::mail::Folder;
use platform::secrets::{MASTER_KEY_VARIABLE, MasterKeySource, Secret};
use platform::{Ids, Platform, Workers, webhooks};
use store::{Embedded, Store, SystemRandomness, TokenKeys};
use tables::{Documents, EmbeddedTarget, Environment, Plan};
use tokio::task::JoinHandle;
use tower::ServiceExt as _;
use wire::http::{Connections, Limits, Serve};

use crate::settings::Settings;

/// Everything that answers on the port of the services.
pub struct Services {
    router: axum::Router,
    limits: Limits,
    connections: Connections,
}

/// What goes on behind the port.
pub struct Background {
    /// Who was made at the first start, to be told once.
    pub administrator: Option<FirstAdministrator>,
    platform: Platform,
    workers: Workers,
    recording: JoinHandle<()>,
}

impl Background {
    /// Finishes what nobody waited for, after the last answer: webhook attempts that have begun, and the
    /// records of authentication attempts.
    pub async fn finish(self) {
        self.workers.finish().await;
        if let Err(error) = self.platform.later().flush().await {
            tracing::error!(?error, "the last authentication attempts were not recorded");
        }
        self.recording.abort();
    }
}

impl Serve for Services {
    type Body = Body;

    async fn serve(&self, peer: SocketAddr, request: Request<Incoming>) -> Response<Body> {
        let mut request = request.map(Body::new);
        request.extensions_mut().insert(peer);
        self.router.clone().oneshot(request).await.unwrap_or_else(|never| match never {})
    }

    fn limits(&self) -> &Limits {
        &self.limits
    }

    fn connections(&self) -> &Connections {
        &self.connections
    }
}

/// The services on this database, whose tables are made if need be.
pub async fn open(
    database: &Database,
    settings: &Settings,
    limits: Limits,
    has_tls: bool,
) -> Result<(Services, Background), String> {
    let documents = Documents::embedded().map_err(|problems| {
        let lines: Vec<_> = problems.iter().map(ToString::to_string).collect();
        format!("The table documents have problems:\n{}", lines.join("\n"))
    })?;
    make_tables(&documents, database, settings.environment).await?;
    let ids = Ids::new(Arc::new(SystemRandomness));
    let shell = shell(database, settings, has_tls, ids.clone())?;
    let connections = Connections::default();
    let metrics = Metrics::new();
    metrics.show_connections(connections.open.clone(), connections.refused.clone());
    let store = store(&documents, database, settings, &ids)?;
    let (platform, recording) = platform(store, settings, has_tls, ids).await?;
    let administrator = platform.identity().first_start(&platform.commits_as("first-start")).await;
    let administrator = administrator.map_err(|error| format!("No administrator: {error:?}"))?;
    let shell = shell
        .metrics(metrics)
        .identity(platform.clone())
        .limits(platform.clone())
        .idempotency(platform.clone());
    let shell = platform::routes::mount(shell, &platform).build();
    let shell = shell.map_err(|problem| format!("The routes are wrong: {problem}"))?;
    let services = Services { router: shell.router(), limits, connections };
    let workers = workers::start(&platform, settings).await?;
    Ok((services, Background { administrator, platform, workers, recording }))
}

/// The platform on this store, with its keys and mailbox in the data folder.
async fn platform(
    store: Store,
    settings: &Settings,
    has_tls: bool,
    ids: Ids,
) -> Result<(Platform, JoinHandle<()>), String> {
    let masters = MasterKeySource {
        environment: settings.environment,
        data_folder: &settings.data,
        text: std::env::var(MASTER_KEY_VARIABLE).ok().map(Secret::new),
        file: settings.master_key_file.clone(),
    };
    let masters = masters.load(&ids).map_err(|error| error.to_string())?;
    let clock = Arc::new(SystemClock);
    let mailbox = settings.data.join("mailbox");
    let mailer = Folder::open(&mailbox, "Plinth", ids.clone(), clock.clone()).await;
    let mailer = mailer.map_err(|error| format!("No mailbox: {error:?}"))?;
    let identity = identity::Settings::new(public_url(settings, has_tls));
    let opened = Platform::open(platform::Parts {
        store,
        clock,
        ids,
        masters,
        mailer: Arc::new(mailer),
        identity,
        external: Vec::new(),
        policies: Policies::usual(),
        webhooks: webhooks::Settings::default(),
        destinations: settings.webhooks.destinations(),
    });
    opened.await.map_err(|error| format!("The platform does not start: {error:?}"))
}

/// Where the services are reached, as tokens and links name it.
fn public_url(settings: &Settings, has_tls: bool) -> String {
    let scheme = if has_tls { "https" } else { "http" };
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
) -> Result<http::ShellBuilder, String> {
    let database = database.clone();
    let settings = http::Settings {
        origins: origins(&settings.allow_origin)?,
        has_tls,
        shows_metrics_to_all: settings.public_metrics,
        version: env!("CARGO_PKG_VERSION"),
        ..http::Settings::default()
    };
    let shell = Shell::builder(Arc::new(SystemClock), ids).settings(settings);
    Ok(shell.health(move || database.stopped()))
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

/// The store that the services read and write through.
fn store(
    documents: &Documents,
    database: &Database,
    settings: &Settings,
    ids: &Ids,
) -> Result<Store, String> {
    // Page tokens of one run are not good in the next: the lists start again.
    let key = ids.bytes().map_err(|error| format!("{error:?}"))?;
    let settings = store::Settings::new(settings.environment, TokenKeys::new(key));
    Ok(Store::new(documents, Embedded::new(database.clone()), settings))
}

/// Makes and changes tables as the documents say. What would lose something is left to people.
async fn make_tables(
    documents: &Documents,
    database: &Database,
    environment: Environment,
) -> Result<(), String> {
    let target = EmbeddedTarget::new(database.clone());
    let selected: Vec<_> = documents.tables.iter().collect();
    let plan = Plan::make(documents, &selected, environment, &[], &target).await;
    let plan = plan.map_err(|error| format!("The tables could not be read: {error}"))?;
    if plan.is_empty() {
        return Ok(());
    }
    let done = tables::apply(documents, &plan, false, &target, |_, _| {}).await.map_err(|error| {
        format!(
            "The tables of the services could not be brought up to date: {error}. `plinth tables \
             plan` shows what has to be done, --services-listen off starts without services."
        )
    })?;
    tracing::info!(changes = done, %environment, "the tables of the services are up to date");
    Ok(())
}
