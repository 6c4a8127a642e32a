//! The way out: one POST to one checked address.
//!
//! The name is resolved here, every address it has is checked, and the connection goes to one of those
//! very addresses: nothing resolves the name a second time. There is no proxy, no redirect, no pool.

use std::future::Future;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http_body_util::{BodyExt as _, Full};
use hyper::Request;
use hyper::body::Incoming;
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use kernel::error::Error;
use rustls::pki_types::ServerName;
use rustls::{ClientConfig, RootCertStore};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use url::Host;

use crate::policy::{Policy, Target};

/// Most bytes of an answer that are read.
const ANSWER_BYTES_MAX: usize = 64 * 1024;
/// How long an answer's body is read.
const ANSWER_READING_MAX: Duration = Duration::from_secs(3);
/// Most addresses of a name that are tried.
const ADDRESSES_TRIED_MAX: usize = 3;
/// What the client calls itself.
const USER_AGENT: &str = concat!("Plinth-Webhooks/", env!("CARGO_PKG_VERSION"));

/// A request that is to be sent.
#[derive(Clone, Debug)]
pub struct Outgoing {
    /// Where to.
    pub url: String,
    /// `webhook-id`, `webhook-timestamp` and `webhook-signature`.
    pub headers: Vec<(&'static str, String)>,
    /// JSON.
    pub body: Bytes,
}

/// What came back.
#[derive(Clone, Debug, Default)]
pub struct Reply {
    /// HTTP's status.
    pub status: u16,
    /// The header `Retry-After`.
    pub retry_after: Option<String>,
    /// The beginning of the body.
    pub body: Vec<u8>,
}

/// An answer, or why there was none.
pub type Posting<'a> = Pin<Box<dyn Future<Output = Result<Reply, String>> + Send + 'a>>;

/// A way to send events.
pub trait Sender: Send + Sync + 'static {
    /// Sends one.
    fn post(&self, outgoing: Outgoing) -> Posting<'_>;
}

/// The addresses of a name.
pub type Resolving<'a> = Pin<Box<dyn Future<Output = io::Result<Vec<IpAddr>>> + Send + 'a>>;

/// A way to find the addresses of a name.
pub trait Resolve: Send + Sync + 'static {
    /// Finds them.
    fn resolve<'a>(&'a self, name: &'a str) -> Resolving<'a>;
}

/// The system's resolver.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemResolver;

impl Resolve for SystemResolver {
    fn resolve<'a>(&'a self, name: &'a str) -> Resolving<'a> {
        Box::pin(async move {
            let found = tokio::net::lookup_host((name, 0)).await?;
            Ok(found.map(|address| address.ip()).collect())
        })
    }
}

/// Sends events over HTTP/1.1.
pub struct Client {
    policy: Policy,
    resolver: Arc<dyn Resolve>,
    tls: TlsConnector,
    timeout: Duration,
}

impl Client {
    /// A client that trusts the system's certificate authorities.
    pub fn new(
        policy: Policy,
        resolver: Arc<dyn Resolve>,
        timeout: Duration,
    ) -> Result<Client, Error> {
        let mut roots = RootCertStore::empty();
        roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
        Client::with_roots(policy, resolver, timeout, roots)
    }

    /// A client that trusts these authorities.
    pub fn with_roots(
        policy: Policy,
        resolver: Arc<dyn Resolve>,
        timeout: Duration,
        roots: RootCertStore,
    ) -> Result<Client, Error> {
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let mut config = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .map_err(Error::internal)?
            .with_root_certificates(roots)
            .with_no_client_auth();
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        Ok(Client { policy, resolver, tls: TlsConnector::from(Arc::new(config)), timeout })
    }

    async fn exchange(&self, outgoing: Outgoing) -> Result<Reply, String> {
        let target = self.policy.target(&outgoing.url).map_err(|refusal| refusal.to_string())?;
        let stream = self.connect(&target).await?;
        if !target.tls {
            return converse(stream, &target, outgoing).await;
        }
        let name = match &target.host {
            Host::Domain(name) => ServerName::try_from(name.trim_end_matches('.').to_owned())
                .map_err(|_| "the host is no name that a certificate can have".to_owned())?,
            Host::Ipv4(address) => ServerName::IpAddress(IpAddr::V4(*address).into()),
            Host::Ipv6(address) => ServerName::IpAddress(IpAddr::V6(*address).into()),
        };
        let stream = self.tls.connect(name, stream).await;
        converse(stream.map_err(|error| format!("no TLS: {error}"))?, &target, outgoing).await
    }

    /// Connects to an address of the target. One address that may not be reached spoils them all: a
    /// name that leads inside and outside is a trap.
    async fn connect(&self, target: &Target) -> Result<TcpStream, String> {
        let addresses =
            match &target.host {
                Host::Ipv4(address) => vec![IpAddr::V4(*address)],
                Host::Ipv6(address) => vec![IpAddr::V6(*address)],
                Host::Domain(name) => self.resolver.resolve(name).await.map_err(|error| {
                    format!("the name of the host was not found: {}", error.kind())
                })?,
            };
        for address in &addresses {
            self.policy.check(*address).map_err(|refusal| refusal.to_string())?;
        }
        let mut why = "the name of the host has no address".to_owned();
        for address in addresses.into_iter().take(ADDRESSES_TRIED_MAX) {
            match TcpStream::connect(SocketAddr::new(address, target.port)).await {
                Ok(stream) => return Ok(stream),
                Err(error) => why = format!("no connection: {}", error.kind()),
            }
        }
        Err(why)
    }
}

impl Sender for Client {
    fn post(&self, outgoing: Outgoing) -> Posting<'_> {
        Box::pin(async move {
            let answer = tokio::time::timeout(self.timeout, self.exchange(outgoing)).await;
            answer.unwrap_or_else(|_| Err(format!("no answer within {:?}", self.timeout)))
        })
    }
}

async fn converse<S>(stream: S, target: &Target, outgoing: Outgoing) -> Result<Reply, String>
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let (mut sender, connection) = http1::handshake(TokioIo::new(stream))
        .await
        .map_err(|error| format!("no HTTP: {error}"))?;
    let driven = AbortOnDrop(tokio::spawn(connection));
    let path = match target.url.query() {
        Some(query) => format!("{}?{query}", target.url.path()),
        None => target.url.path().to_owned(),
    };
    let host = match target.url.port() {
        Some(port) => format!("{}:{port}", target.host),
        None => target.host.to_string(),
    };
    let mut request = Request::post(path)
        .header("host", host)
        .header("content-type", "application/json")
        .header("user-agent", USER_AGENT);
    for (name, value) in outgoing.headers {
        request = request.header(name, value);
    }
    let request = request
        .body(Full::new(outgoing.body))
        .map_err(|error| format!("the request cannot be made: {error}"))?;
    let answer =
        sender.send_request(request).await.map_err(|error| format!("no answer: {error}"))?;
    let status = answer.status().as_u16();
    let retry_after = answer.headers().get("retry-after");
    let retry_after = retry_after.and_then(|value| value.to_str().ok()).map(str::to_owned);
    let body = beginning(answer.into_body()).await;
    drop(driven);
    Ok(Reply { status, retry_after, body })
}

/// The first bytes of an answer. What is cut short is still an answer: its status counts.
async fn beginning(mut body: Incoming) -> Vec<u8> {
    let mut bytes = Vec::new();
    let reading = async {
        while let Some(Ok(frame)) = body.frame().await {
            let Some(data) = frame.data_ref() else { continue };
            let room = ANSWER_BYTES_MAX - bytes.len();
            bytes.extend_from_slice(&data[..data.len().min(room)]);
            if bytes.len() == ANSWER_BYTES_MAX {
                break;
            }
        }
    };
    // A body that does not end takes nothing from the status before it.
    let _ended = tokio::time::timeout(ANSWER_READING_MAX, reading).await;
    bytes
}

/// Ends the connection with the attempt, whatever the other side still sends.
struct AbortOnDrop<T>(tokio::task::JoinHandle<T>);

impl<T> Drop for AbortOnDrop<T> {
    fn drop(&mut self) {
        self.0.abort();
    }
}
