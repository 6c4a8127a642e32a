//! `plinth serve`: the database, the servers around it, and an orderly end.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use clap::CommandFactory as _;
use database::clock::SystemClock;
use database::{Database, OpenError, Options};
use identity::FirstAdministrator;
use tokio::signal::unix::{Signal, SignalKind, signal};
use wire::access_keys::AccessKeys;
use wire::http::{Callers, Limits, Listening, Running, Serve, Server, TlsConfig};

use crate::memory::Rest;
use crate::services::{Background, Opening, Prepared, Services};
use crate::settings::{self, DataFolder, Durability, Settings};
use crate::{Arguments, access_keys, logging, services, welcome};

/// How soon the process notices that the database has stopped.
const WATCH_EVERY: Duration = Duration::from_millis(200);

/// Serves until it is told to stop; an error is the process's last word.
pub fn run(settings: Settings) -> Result<(), String> {
    check_address(&settings)?;
    logging::start(&settings)?;
    let variables = std::env::vars_os().map(|(name, _)| name);
    let unknown = settings::unknown_variables(&Arguments::command(), variables);
    if !unknown.is_empty() {
        let variables = unknown.join(" ");
        tracing::warn!(%variables, "not the name of any setting; `plinth settings` lists them");
    }
    raise_file_limit();
    runtime()?.block_on(serve(settings))
}

/// What everything runs on.
pub fn runtime() -> Result<tokio::runtime::Runtime, String> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    runtime.map_err(|error| format!("Cannot start the runtime: {error}"))
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
    let prepared = settings.services_listen.0.map(|_| services::prepare(&settings)).transpose()?;
    let database = open_database(&folder, &settings).map_err(|error| error.to_string())?;
    let limits = Limits { connections_max: settings.max_connections, ..Limits::default() };
    let server = database_server(&settings, &database, &keys, limits.clone());
    let listening = bind(settings.listen, tls.clone(), server, "--listen").await?;
    let address = listening.address().map_err(|error| error.to_string())?;
    let services = bind_services(&settings, tls, limits).await?;
    let addresses = welcome::Addresses {
        database: address,
        services: services.as_ref().and_then(|(services, _)| services.address().ok()),
        has_tls: settings.tls_certificate.is_some(),
    };
    let mut signals = Signals::listen()?;
    // The database answers while the services, whose tables may have to be made, get ready.
    let running = listening.run();
    let behind = match services.zip(prepared) {
        Some((services, prepared)) => {
            open_services(services, &database, &settings, prepared, &addresses).await.map(Some)
        }
        None => Ok(None),
    };
    // Nothing is said to be ready before everything is.
    let (behind, outcome) = match behind {
        Ok(behind) => {
            let made =
                behind.as_ref().and_then(|(_, background)| background.administrator.as_ref());
            let greeted = greet(&settings, &folder, &keys, &addresses, made);
            (behind, greeted)
        }
        Err(problem) => (None, Err(problem)),
    };
    let last_word = match outcome {
        Ok(()) => wait(&database, &mut signals).await,
        Err(problem) => Some(problem),
    };
    let close = async {
        stop(running, behind).await;
        tokio::task::spawn_blocking(move || database.close()).await
    };
    let closing = tokio::select! {
        closing = close => closing,
        () = signals.next() => {
            tracing::warn!("told to stop again: ending at once; nothing that was answered is lost");
            std::process::exit(1);
        }
    };
    closing.map_err(|error| format!("The database could not be closed: {error}"))?;
    tracing::info!("stopped");
    last_word.map_or(Ok(()), Err)
}

/// Serves the services, and makes them ready.
async fn open_services(
    (services, opening): (Listening<Services>, Opening),
    database: &Database,
    settings: &Settings,
    prepared: Prepared,
    addresses: &welcome::Addresses,
) -> Result<(Running, Background), String> {
    let accepting = services.run();
    let url = addresses.services_url(settings.public_url.as_deref());
    match opening.open(database, settings, prepared, url).await {
        Ok(background) => Ok((accepting, background)),
        Err(problem) => {
            accepting.stop().await;
            Err(problem)
        }
    }
}

/// Takes the address of the services, if they are served.
async fn bind_services(
    settings: &Settings,
    tls: Option<Arc<TlsConfig>>,
    limits: Limits,
) -> Result<Option<(Listening<Services>, Opening)>, String> {
    let Some(address) = settings.services_listen.0 else { return Ok(None) };
    let (services, opening) = Services::new(limits);
    Ok(Some((bind(address, tls, services, "--services-listen").await?, opening)))
}

/// Lets every request that has begun finish, then what goes on behind them.
async fn stop(database: Running, services: Option<(Running, Background)>) {
    let Some((services, background)) = services else { return database.stop().await };
    tokio::join!(database.stop(), services.stop());
    background.finish().await;
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
    let server = Server::new(database.clone(), callers, limits, Arc::new(SystemClock))
        .allow_origins(settings.dynamodb_allow_origin.clone());
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

/// Opens the database of a data folder.
pub fn open_database(folder: &DataFolder, settings: &Settings) -> Result<Database, OpenError> {
    let mut options = Options::folder(folder.database());
    options.durability = match settings.durability {
        Durability::Durable => database::Durability::Durable,
        Durability::Relaxed => database::Durability::Relaxed,
    };
    options.engine.cache_bytes = settings.cache << 20;
    options.region.clone_from(&settings.region);
    options.account_id.clone_from(&settings.account_id);
    options.table_creation_time = Duration::from_millis(settings.table_creation_time);
    Database::open(options)
}

/// Prints what to open and what to type next.
fn greet(
    settings: &Settings,
    folder: &DataFolder,
    keys: &AccessKeys,
    addresses: &welcome::Addresses,
    administrator: Option<&FirstAdministrator>,
) -> Result<(), String> {
    let key = example_key(settings, keys, addresses);
    if let Ok(key) = &key {
        welcome::print(addresses, folder, &settings.region, key);
    }
    // The password is known to nobody else: it is told whatever else went wrong.
    if let Some(made) = administrator {
        welcome::print_administrator(addresses, made);
    }
    key?;
    tracing::info!(address = %addresses.database,
        services = addresses.services.map(tracing::field::display), tls = addresses.has_tls,
        data = %folder.path().display(), "serving");
    Ok(())
}

/// The access key that the greeting names; made if this machine has none.
fn example_key(
    settings: &Settings,
    keys: &AccessKeys,
    addresses: &welcome::Addresses,
) -> Result<welcome::Key, String> {
    let listed = keys.list().map_err(|error| error.to_string())?;
    Ok(match listed.first() {
        _ if settings.insecure_any_signature => welcome::Key::None,
        Some(key) => welcome::Key::Known(key.id.clone()),
        // A secret that others may read in a log is none.
        None if !addresses.database.ip().is_loopback() => welcome::Key::None,
        None => {
            let made = keys.create("made at the first start", None);
            welcome::Key::New(made.map_err(|error| error.to_string())?)
        }
    })
}

/// What tells the server to stop.
struct Signals {
    terminate: Signal,
    interrupt: Signal,
}

impl Signals {
    fn listen() -> Result<Signals, String> {
        let listen =
            |kind| signal(kind).map_err(|error| format!("Cannot listen for signals: {error}"));
        let terminate = listen(SignalKind::terminate())?;
        Ok(Signals { terminate, interrupt: listen(SignalKind::interrupt())? })
    }

    async fn next(&mut self) {
        tokio::select! {
            _ = self.terminate.recv() => {}
            _ = self.interrupt.recv() => {}
        }
    }
}

/// Until a signal, or until the database has stopped; then why it did.
async fn wait(database: &Database, signals: &mut Signals) -> Option<String> {
    let mut watch = tokio::time::interval(WATCH_EVERY);
    let mut rest = Rest::default();
    let mut was_refusing = false;
    loop {
        tokio::select! {
            () = signals.next() => break,
            _ = watch.tick() => {
                rest.look();
                let refusal = database.writes_refused();
                match (&refusal, was_refusing) {
                    (Some(reason), false) => tracing::warn!(%reason, "writes are refused"),
                    (None, true) => tracing::info!("there is room on the disk: writes are taken again"),
                    _ => {}
                }
                was_refusing = refusal.is_some();
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
