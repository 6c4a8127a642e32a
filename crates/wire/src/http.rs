//! The server: connections in, answers out.
//!
//! ```text
//! accept ──▶ connection (TLS, HTTP/1.1 or HTTP/2, timeouts) ──▶ service
//!    service: address ─ method and path ─ operation ─ body ─ signature ─ JSON ─ database ─ answer
//! ```
//!
//! Every limit is in [`Limits`]; no library default is left unread. Who does not send in time, or
//! sends too much, is cut off without hurting others.
//!
//! The order of checks is the service's, with one exception: a request's signature is checked before
//! its body is read as JSON, so that strangers cost nothing but a hash.

mod accept;
mod answer;
mod body;
mod cors;
mod dispatch;
mod limits;
mod metrics;
mod patience;
mod service;
mod tls;

use std::net::SocketAddr;
use std::sync::Arc;

use bytes::Bytes;
use database::Database;
use database::clock::Clock;
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::{Request, Response};

use crate::sigv4::{Keys, SigningKeys};
pub use accept::{Connections, Listening, Running, Serve, names_its_host};
pub use cors::AllowedOrigins;
pub use limits::Limits;
pub use metrics::Metrics;
pub use rustls::ServerConfig as TlsConfig;
pub use tls::{TlsError, server_config};

/// Whose requests are taken.
pub enum Callers {
    /// Those whose signature is right.
    Signed(Arc<dyn Keys>),
    /// Anybody's, signed or not. For throw-away use.
    Anybody,
}

/// What a server serves, and how.
pub struct Server {
    database: Database,
    callers: Callers,
    signing_keys: SigningKeys,
    limits: Limits,
    clock: Arc<dyn Clock>,
    metrics: Metrics,
    /// Answers `/metrics` to other machines too.
    shows_metrics_to_all: bool,
    origins: AllowedOrigins,
    memory: body::Memory,
    /// Of answers that are not sent yet.
    answers: body::Memory,
    dispatcher: dispatch::Dispatcher,
}

impl Server {
    /// A server for this database.
    pub fn new(
        database: Database,
        callers: Callers,
        limits: Limits,
        clock: Arc<dyn Clock>,
    ) -> Server {
        let metrics = Metrics::new();
        let only_loopback = matches!(callers, Callers::Anybody);
        let memory = body::Memory::new(limits.bodies_bytes_max);
        let answers = body::Memory::new(limits.answers_bytes_max);
        Server {
            database,
            callers,
            signing_keys: SigningKeys::default(),
            limits,
            clock,
            metrics,
            shows_metrics_to_all: false,
            origins: AllowedOrigins { listed: Vec::new(), only_loopback },
            memory,
            answers,
            dispatcher: dispatch::Dispatcher::new(),
        }
    }

    /// Takes requests of the web pages of these origins only. With [`Callers::Anybody`] they must be on
    /// this machine all the same.
    pub fn allow_origins(mut self, origins: Vec<String>) -> Server {
        self.origins.listed = origins;
        self
    }

    /// Shows the metrics to other machines too: they name tables and tell how they are used.
    pub fn show_metrics_to_all(mut self) -> Server {
        self.shows_metrics_to_all = true;
        self
    }
}

impl Serve for Server {
    type Body = Full<Bytes>;

    async fn serve(&self, peer: SocketAddr, request: Request<Incoming>) -> Response<Full<Bytes>> {
        service::handle(self, peer, request).await
    }

    fn limits(&self) -> &Limits {
        &self.limits
    }

    fn connections(&self) -> &Connections {
        &self.metrics.connections
    }
}
