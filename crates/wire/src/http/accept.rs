//! The accept loop: who may connect, and how a connection ends.

use std::collections::HashMap;
use std::future::Future;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use hyper::body::{Body, Incoming};
use hyper::header::HOST;
use hyper::service::service_fn;
use hyper::{Request, Response, Version};
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto::Builder;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::gauge::Gauge;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::sync::watch;
use tokio::task::{JoinHandle, JoinSet};
use tokio::time::Instant;
use tokio_rustls::TlsAcceptor;

use super::Limits;
use super::patience::{Activity, PatientIo};

/// How long a connection that was told to end may take to say good-bye.
const GOODBYE: Duration = Duration::from_secs(5);
/// Between two tries to accept when the system has no more file descriptors, say.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// Headers of a request that hyper takes if it is told nothing.
const HYPER_HEADERS_MAX: usize = 100;

/// Connections that may wait to be accepted. Beyond that the kernel drops the first packet of a
/// connection, and the client tries again after a second.
const BACKLOG: u32 = 4096;

/// What answers the requests of a listener: the DynamoDB API, or any other.
pub trait Serve: Send + Sync + 'static {
    /// The body of its answers.
    type Body: Body<Data: Send, Error: Into<Box<dyn std::error::Error + Send + Sync>>>
        + Send
        + 'static;

    /// Answers a request, whatever it is.
    fn serve(
        &self,
        peer: SocketAddr,
        request: Request<Incoming>,
    ) -> impl Future<Output = Response<Self::Body>> + Send;

    /// How many may connect, and how long is waited for whom.
    fn limits(&self) -> &Limits;

    /// Where connections are counted.
    fn connections(&self) -> &Connections;
}

/// Whether a request says once which host it is for, as HTTP/1.1 asks (RFC 9112, 3.2): of two, whatever
/// stands before this process may have believed the other.
pub fn names_its_host<B>(request: &Request<B>) -> bool {
    match request.headers().get_all(HOST).iter().count() {
        0 => request.version() != Version::HTTP_11,
        count => count == 1,
    }
}

/// Counts of a listener's connections. Clones count together.
#[derive(Clone, Debug, Default)]
pub struct Connections {
    /// Those that are open.
    pub open: Gauge,
    /// Those that were closed at once because there were too many.
    pub refused: Counter,
}

/// A server with an address, not yet accepting.
pub struct Listening<S> {
    listener: TcpListener,
    tls: Option<TlsAcceptor>,
    server: Arc<S>,
}

impl<S: Serve> Listening<S> {
    /// Takes the address.
    pub async fn bind(
        address: SocketAddr,
        tls: Option<Arc<rustls::ServerConfig>>,
        server: S,
    ) -> io::Result<Listening<S>> {
        let socket = if address.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() }?;
        // A server that starts again must not wait for the connections of the one before.
        socket.set_reuseaddr(true)?;
        socket.bind(address)?;
        let listener = socket.listen(BACKLOG)?;
        Ok(Listening { listener, tls: tls.map(TlsAcceptor::from), server: Arc::new(server) })
    }

    /// The address, with the port that was chosen if none was asked for.
    pub fn address(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }

    /// Accepts connections until it is told to stop.
    pub fn run(self) -> Running {
        let (stop, stopped) = watch::channel(false);
        Running { stop, task: tokio::spawn(accept(self, stopped)) }
    }
}

/// A server that accepts connections.
pub struct Running {
    stop: watch::Sender<bool>,
    task: JoinHandle<()>,
}

impl Running {
    /// Accepts no more, lets every request that has begun finish, and closes all connections.
    pub async fn stop(self) {
        // If nobody listens, the loop has ended already.
        self.stop.send_replace(true);
        if let Err(error) = self.task.await {
            tracing::error!(%error, "the accept loop failed");
        }
    }
}

async fn accept<S: Serve>(listening: Listening<S>, mut stopped: watch::Receiver<bool>) {
    let Listening { listener, tls, server } = listening;
    let mut connections = JoinSet::new();
    let counts = Arc::new(Counts::default());
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            _ = stopped.changed() => break,
            Some(_) = connections.join_next() => continue,
        };
        let (stream, peer) = match accepted {
            Ok(accepted) => accepted,
            Err(error) => {
                tracing::warn!(%error, "a connection could not be accepted");
                tokio::time::sleep(ACCEPT_PAUSE).await;
                continue;
            }
        };
        let Some(place) = Place::take(&counts, peer.ip(), server.limits()) else {
            tracing::debug!(%peer, "too many connections: one was closed");
            server.connections().refused.inc();
            continue;
        };
        let connection = Connection {
            server: Arc::clone(&server),
            peer,
            tls: tls.clone(),
            stopped: stopped.clone(),
            place,
        };
        connections.spawn(connection.run(stream));
    }
    drop(listener);
    let finished = async { while connections.join_next().await.is_some() {} };
    if tokio::time::timeout(server.limits().stop_time + GOODBYE, finished).await.is_err() {
        tracing::warn!("some connections did not end in time and were cut off");
    }
}

/// How many connections there are, in all and by address.
#[derive(Default)]
struct Counts(Mutex<(usize, HashMap<IpAddr, usize>)>);

/// One connection's place among them.
struct Place {
    counts: Arc<Counts>,
    address: IpAddr,
}

impl Place {
    fn take(counts: &Arc<Counts>, address: IpAddr, limits: &Limits) -> Option<Place> {
        let mut guard = counts.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (total, by_address) = &mut *guard;
        let own = by_address.get(&address).copied().unwrap_or(0);
        let is_full = own >= limits.connections_per_address_max && !address.is_loopback();
        if is_full || *total >= limits.connections_max {
            return None;
        }
        *total += 1;
        by_address.insert(address, own + 1);
        Some(Place { counts: Arc::clone(counts), address })
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut guard = self.counts.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (total, by_address) = &mut *guard;
        *total -= 1;
        if let Some(own) = by_address.get_mut(&self.address) {
            *own -= 1;
            if *own == 0 {
                by_address.remove(&self.address);
            }
        }
    }
}

struct Connection<S> {
    server: Arc<S>,
    peer: SocketAddr,
    tls: Option<TlsAcceptor>,
    stopped: watch::Receiver<bool>,
    place: Place,
}

impl<S: Serve> Connection<S> {
    async fn run(self, stream: TcpStream) {
        let open = self.server.connections().open.clone();
        open.inc();
        // Answers are written whole: there is nothing to wait for before sending them.
        let _ = stream.set_nodelay(true);
        match self.tls.clone() {
            None => self.serve(stream).await,
            Some(tls) => {
                let time = self.server.limits().header_time;
                let mut stopped = self.stopped.clone();
                let handshake = tokio::select! {
                    handshake = tokio::time::timeout(time, tls.accept(stream)) => Some(handshake),
                    _ = stopped.wait_for(|stopped| *stopped) => None,
                };
                match handshake {
                    Some(Ok(Ok(stream))) => self.serve(stream).await,
                    Some(Ok(Err(error))) => {
                        tracing::debug!(peer = %self.peer, %error, "no TLS handshake")
                    }
                    Some(Err(_)) => {
                        tracing::debug!(peer = %self.peer, "the TLS handshake took too long")
                    }
                    None => {}
                }
            }
        }
        open.dec();
    }

    async fn serve<Io: AsyncRead + AsyncWrite + Unpin + Send + 'static>(self, stream: Io) {
        let Connection { server, peer, mut stopped, place, .. } = self;
        let limits = server.limits().clone();
        let activity = Activity::new();
        let io = PatientIo::new(stream, activity.clone(), &limits);
        let watched = activity.clone();
        let service = service_fn(move |request| {
            let (server, guard) = (Arc::clone(&server), activity.begin());
            async move {
                let answer = server.serve(peer, request).await;
                drop(guard);
                Ok::<_, std::convert::Infallible>(answer)
            }
        });
        let builder = builder(&limits);
        let connection = builder.serve_connection(TokioIo::new(io), service);
        tokio::pin!(connection);
        let mut deadline = None;
        loop {
            let time_is_up = async {
                match deadline {
                    Some(deadline) => tokio::time::sleep_until(deadline).await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                outcome = connection.as_mut() => {
                    if let Err(error) = outcome {
                        tracing::debug!(%peer, %error, "a connection broke");
                    }
                    break;
                }
                () = watched.idle_for(limits.idle_time), if deadline.is_none() => {
                    connection.as_mut().graceful_shutdown();
                    deadline = Some(Instant::now() + GOODBYE);
                }
                _ = stopped.wait_for(|stopped| *stopped), if deadline.is_none() => {
                    connection.as_mut().graceful_shutdown();
                    // Who has asked for nothing is not waited for.
                    let time = if watched.is_busy() { limits.stop_time } else { GOODBYE };
                    deadline = Some(Instant::now() + time);
                }
                () = time_is_up => break,
            }
        }
        drop(place);
    }
}

fn builder(limits: &Limits) -> Builder<TokioExecutor> {
    let mut builder = Builder::new(TokioExecutor::new());
    builder
        .http1()
        .timer(TokioTimer::new())
        // Who says that it sends no more still reads: `nc -N` does so.
        .half_close(true)
        // See `patience`.
        .header_read_timeout(None)
        .max_buf_size(limits.header_bytes_max);
    // Being told its own limit, hyper fills a table of that size for every request.
    if limits.headers_max != HYPER_HEADERS_MAX {
        builder.http1().max_headers(limits.headers_max);
    }
    builder
        .http2()
        .timer(TokioTimer::new())
        .max_concurrent_streams(limits.streams_max)
        .max_header_list_size(u32::try_from(limits.header_bytes_max).unwrap_or(u32::MAX))
        .max_frame_size(16 << 10)
        .initial_stream_window_size(1 << 20)
        .initial_connection_window_size(2 << 20)
        .max_send_buf_size(1 << 20)
        .keep_alive_interval(Duration::from_secs(20))
        .keep_alive_timeout(Duration::from_secs(20));
    builder
}
