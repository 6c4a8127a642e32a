//! `plinth serve`: the database, the servers around it, and an orderly end.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use database::clock::SystemClock;
use database::{Database, Options};
use tokio::signal::unix::{Signal, SignalKind, signal};
use wire::access_keys::AccessKeys;
use wire::http::{Callers, Limits, Listening, Serve, Server, TlsConfig};

use crate::settings::{DataFolder, Durability, Settings};
use crate::{access_keys, logging, services, welcome};

/// How soon the process notices that the database has stopped.
const WATCH_EVERY: Duration = Duration::from_millis(200);

/// Serves until it is told to stop; an error is the process's last word.
pub fn run(settings: Settings) -> Result<(), String> {
    check_address(&settings)?;
    logging::start(&settings)?;
    raise_file_limit();
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|error| format!("Cannot start the runtime: {error}"))?;
    runtime.block_on(serve(settings))
}

/// What would show items, or open the database, to the network by mistake.
fn check_address(settings: &Settings) -> Result<(), String> {
    let address = settings.listen;
    if settings.insecure_any_signature && !address.ip().is_loopback() {
        return Err(format!(
            "--insecure-any-signature on {address} would open the database to everyone who can \
             reach it. Listen on loopback, 127.0.0.1 say, or let signatures be checked."
        ));
    }
    for address in [Some(address), settings.services_listen.0].into_iter().flatten() {
        let is_private = address.ip().is_loopback() || settings.tls_certificate.is_some();
        if !is_private && !settings.allow_plain_http {
            return Err(format!(
                "Listening on {address} without TLS would send items readable over the network. \
                 Give --tls-certificate and --tls-key, or --allow-plain-http if a proxy adds TLS."
            ));
        }
    }
    Ok(())
}

async fn serve(settings: Settings) -> Result<(), String> {
    let folder = DataFolder::new(&settings.data);
    folder.create()?;
    let keys = Arc::new(access_keys::open(&folder, settings.sealing_key_file.clone())?);
    let tls = match (&settings.tls_certificate, &settings.tls_key) {
        (Some(certificate), Some(key)) => {
            let config = wire::http::server_config(certificate, key);
            Some(config.map_err(|error| error.to_string())?)
        }
        _ => None,
    };
    let has_tls = tls.is_some();
    let database = open_database(&folder, &settings)?;
    let limits = Limits { connections_max: settings.max_connections, ..Limits::default() };
    let server = database_server(&settings, &database, &keys, limits.clone());
    let listening = bind(settings.listen, tls.clone(), server, "--listen").await?;
    let address = listening.address().map_err(|error| error.to_string())?;
    let (services, background) = match settings.services_listen.0 {
        Some(address) => {
            let opened = services::open(&database, &settings, limits, has_tls).await?;
            let (services, background) = opened;
            (Some(bind(address, tls, services, "--services-listen").await?), Some(background))
        }
        None => (None, None),
    };
    let services_address = services.as_ref().and_then(|services| services.address().ok());
    let mut signals = signals()?;
    let running = listening.run();
    let services = services.map(Listening::run);
    let addresses = welcome::Addresses { database: address, services: services_address, has_tls };
    greet(&settings, &folder, &keys, &addresses)?;
    if let Some(made) = background.as_ref().and_then(|behind| behind.administrator.as_ref()) {
        welcome::print_administrator(&addresses, made);
    }
    tracing::info!(%address, services = ?services_address, tls = has_tls,
        data = %folder.path().display(), "serving");
    let last_word = wait(&database, &mut signals).await;
    let services_end = async {
        if let Some(services) = services {
            services.stop().await;
        }
    };
    tokio::join!(running.stop(), services_end);
    if let Some(background) = background {
        background.finish().await;
    }
    let closing = tokio::task::spawn_blocking(move || database.close()).await;
    closing.map_err(|error| format!("The database could not be closed: {error}"))?;
    tracing::info!("stopped");
    last_word.map_or(Ok(()), Err)
}

/// The server of the DynamoDB API.
fn database_server(
    settings: &Settings,
    database: &Database,
    keys: &Arc<AccessKeys>,
    limits: Limits,
) -> Server {
    let callers = if settings.insecure_any_signature {
        tracing::warn!("EVERY REQUEST IS TAKEN, WHATEVER ITS SIGNATURE (--insecure-any-signature)");
        Callers::Anybody
    } else {
        Callers::Signed(Arc::clone(keys) as _)
    };
    let server = Server::new(database.clone(), callers, limits, Arc::new(SystemClock));
    if settings.public_metrics { server.show_metrics_to_all() } else { server }
}

async fn bind<S: Serve>(
    address: SocketAddr,
    tls: Option<Arc<TlsConfig>>,
    server: S,
    flag: &str,
) -> Result<Listening<S>, String> {
    let bound = Listening::bind(address, tls, server).await;
    bound.map_err(|error| {
        format!("Cannot listen on {address}: {error}. {flag} chooses another address.")
    })
}

fn open_database(folder: &DataFolder, settings: &Settings) -> Result<Database, String> {
    let mut options = Options::folder(folder.database());
    options.durability = match settings.durability {
        Durability::Durable => database::Durability::Durable,
        Durability::Relaxed => database::Durability::Relaxed,
    };
    options.engine.cache_bytes = settings.cache << 20;
    options.region.clone_from(&settings.region);
    options.account_id.clone_from(&settings.account_id);
    Database::open(options).map_err(|error| error.to_string())
}

/// Prints what to open and what to type next; makes an access key if this machine has none.
fn greet(
    settings: &Settings,
    folder: &DataFolder,
    keys: &AccessKeys,
    addresses: &welcome::Addresses,
) -> Result<(), String> {
    let listed = keys.list().map_err(|error| error.to_string())?;
    let key = match listed.first() {
        _ if settings.insecure_any_signature => welcome::Key::None,
        Some(key) => welcome::Key::Known(key.id.clone()),
        // A secret that others may read in a log is none.
        None if !addresses.database.ip().is_loopback() => welcome::Key::None,
        None => {
            let made = keys.create("made at the first start", None);
            welcome::Key::New(made.map_err(|error| error.to_string())?)
        }
    };
    welcome::print(addresses, folder.path(), &settings.region, &key);
    Ok(())
}

fn signals() -> Result<[Signal; 2], String> {
    let listen = |kind| signal(kind).map_err(|error| format!("Cannot listen for signals: {error}"));
    Ok([listen(SignalKind::terminate())?, listen(SignalKind::interrupt())?])
}

/// Until a signal, or until the database has stopped; then why it did.
async fn wait(database: &Database, signals: &mut [Signal; 2]) -> Option<String> {
    let [terminate, interrupt] = signals;
    let mut watch = tokio::time::interval(WATCH_EVERY);
    loop {
        tokio::select! {
            _ = terminate.recv() => break,
            _ = interrupt.recv() => break,
            _ = watch.tick() => {
                if let Some(reason) = database.stopped() {
                    tracing::error!(%reason, "the database has stopped");
                    return Some(reason);
                }
            }
        }
    }
    tracing::info!("stopping: requests that have begun are finished");
    None
}

/// Every connection takes a file descriptor: as many as the system allows.
fn raise_file_limit() {
    use rustix::process::{Resource, getrlimit, setrlimit};
    let mut limit = getrlimit(Resource::Nofile);
    limit.current = limit.maximum;
    if let Err(error) = setrlimit(Resource::Nofile, limit) {
        tracing::warn!(%error, "the limit of open files could not be raised");
    }
}
