//! The services: the platform on their store, and the port they are served on, beside the DynamoDB
//! API.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use database::Database;
use database::clock::SystemClock;
use hyper::body::Incoming;
use hyper::{Request, Response};
use platform::http::{self, Metrics, Shell};
use platform::identity::{self, FirstAdministrator};
use platform::limits::{Policies, Policy};
use platform::mail::Folder;
use platform::secrets::{MASTER_KEY_VARIABLE, MasterKeySource, MasterKeys, Secret};
use platform::{Ids, Platform, webhooks};
use store::{Store, SystemRandomness};
use tables::Documents;
use tokio::task::JoinHandle;
use tower::ServiceExt as _;
use wire::http::{Connections, Limits, Serve};

use crate::service_store;
use crate::settings::{Settings, StoreKind};

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
    recording: JoinHandle<()>,
}

impl Background {
    /// Finishes what nobody waited for, after the last answer: the records of authentication attempts.
    pub async fn finish(self) {
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
    let ids = Ids::new(Arc::new(SystemRandomness));
    let shell = shell(database, settings, has_tls, ids.clone())?;
    let connections = Connections::default();
    let metrics = Metrics::new();
    metrics.show_connections(connections.open.clone(), connections.refused.clone());
    let masters = master_keys(settings, &ids)?;
    let store = service_store::open(&documents, database, settings, &masters, &ids).await?;
    let (platform, recording) = platform(store, masters, settings, has_tls, ids).await?;
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
    Ok((services, Background { administrator, platform, recording }))
}

/// What secrets are sealed with.
fn master_keys(settings: &Settings, ids: &Ids) -> Result<MasterKeys, String> {
    let text = std::env::var(MASTER_KEY_VARIABLE).ok().map(Secret::new);
    let is_named = text.is_some() || settings.master_key_file.is_some();
    if settings.store == StoreKind::Aws && !is_named {
        return Err(format!(
            "--store aws needs a master key that every process on that store is given: set \
             {MASTER_KEY_VARIABLE} to what `openssl rand -base64 32` prints, or name a file with \
             --master-key-file."
        ));
    }
    let source = MasterKeySource {
        environment: settings.environment,
        data_folder: &settings.data,
        text,
        file: settings.master_key_file.clone(),
    };
    source.load(ids).map_err(|error| error.to_string())
}

/// The rate limits of the file that the settings name, or the usual ones.
fn policies(settings: &Settings) -> Result<Policies, String> {
    let Some(path) = &settings.rate_limits else { return Ok(Policies::usual()) };
    let name = path.display().to_string();
    let text = std::fs::read_to_string(path)
        .map_err(|error| format!("The rate limits {name} cannot be read: {error}"))?;
    read_policies(&text, &name)
}

fn read_policies(text: &str, name: &str) -> Result<Policies, String> {
    #[derive(serde::Deserialize)]
    #[serde(deny_unknown_fields)]
    struct File {
        policy: Vec<Policy>,
    }
    let file: File = toml::from_str(text)
        .map_err(|error| format!("The rate limits {name} are not in order: {error}"))?;
    Policies::new(file.policy).map_err(|problems| format!("{name}: {problems}"))
}

/// The platform on this store, with its keys and mailbox in the data folder.
async fn platform(
    store: Store,
    masters: MasterKeys,
    settings: &Settings,
    has_tls: bool,
    ids: Ids,
) -> Result<(Platform, JoinHandle<()>), String> {
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
        policies: policies(settings)?,
        webhooks: webhooks::Settings::default(),
        destinations: webhooks::Policy::default(),
        lease: Duration::from_secs(settings.request_seconds) * 2,
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
        time_max: Duration::from_secs(settings.request_seconds),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rate_limits_in_the_documentation_are_the_usual_ones() {
        let page = include_str!("../../../docs/limits.md");
        let text = page.split("```toml\n").nth(1).and_then(|rest| rest.split("```").next());
        assert_eq!(read_policies(text.unwrap_or_default(), "page"), Ok(Policies::usual()));
    }

    #[test]
    fn rate_limits_that_are_not_in_order_name_the_file_and_what_is_wrong() {
        let zero = "[[policy]]\nname = \"x\"\nlimit = 0\nwindow_seconds = 1\nby = \"account\"\n";
        let problem = read_policies(zero, "limits.toml").unwrap_err();
        assert!(problem.contains("limits.toml") && problem.contains("policy x"), "{problem}");
        let unknown = read_policies("[[policies]]\n", "limits.toml").unwrap_err();
        assert!(unknown.contains("policies"), "{unknown}");
    }
}
