//! How long a connection is waited for: headers must come in time, and a connection that asks for
//! nothing is closed.
//!
//! hyper's own header timeout also counts the time between two requests, so the two cannot be set
//! apart; this stands in its place.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Sleep};

/// What a connection is doing, shared by its socket, its requests and whoever watches it.
#[derive(Clone)]
pub(super) struct Activity(Arc<State>);

struct State {
    started: Instant,
    requests: AtomicUsize,
    /// Milliseconds after the start at which the last request ended.
    idle_since: AtomicU64,
    /// Bytes of a request have come whose headers are not complete.
    in_headers: AtomicBool,
}

impl Activity {
    pub(super) fn new() -> Activity {
        Activity(Arc::new(State {
            started: Instant::now(),
            requests: AtomicUsize::new(0),
            idle_since: AtomicU64::new(0),
            in_headers: AtomicBool::new(false),
        }))
    }

    /// A request has begun; it ends when the guard is dropped.
    pub(super) fn begin(&self) -> RequestGuard {
        self.0.requests.fetch_add(1, Ordering::AcqRel);
        self.0.in_headers.store(false, Ordering::Release);
        RequestGuard(self.clone())
    }

    /// Waits until the connection has asked for nothing for so long.
    pub(super) async fn idle_for(&self, limit: Duration) {
        loop {
            let is_busy = self.0.requests.load(Ordering::Acquire) > 0;
            let since = Duration::from_millis(self.0.idle_since.load(Ordering::Acquire));
            let idle = self.0.started.elapsed().saturating_sub(since);
            if !is_busy && idle >= limit {
                return;
            }
            let rest = if is_busy { limit } else { limit - idle };
            tokio::time::sleep(rest + Duration::from_millis(5)).await;
        }
    }
}

/// A request that is being answered.
pub(super) struct RequestGuard(Activity);

impl Drop for RequestGuard {
    fn drop(&mut self) {
        let state = &self.0.0;
        let now = u64::try_from(state.started.elapsed().as_millis()).unwrap_or(u64::MAX);
        state.idle_since.store(now, Ordering::Release);
        state.requests.fetch_sub(1, Ordering::AcqRel);
    }
}

/// A socket that gives up when headers take too long.
pub(super) struct PatientIo<Io> {
    inner: Io,
    activity: Activity,
    header_time: Duration,
    /// Runs while headers are incomplete and more of them is waited for.
    deadline: Option<Pin<Box<Sleep>>>,
    /// HTTP/2, known by its first bytes, has no headers to wait for: its frames are bounded, and
    /// pings may come at any time.
    is_framed: bool,
    is_fresh: bool,
}

impl<Io> PatientIo<Io> {
    pub(super) fn new(inner: Io, activity: Activity, header_time: Duration) -> Self {
        PatientIo { inner, activity, header_time, deadline: None, is_framed: false, is_fresh: true }
    }
}

impl<Io: AsyncRead + Unpin> AsyncRead for PatientIo<Io> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = &mut *self;
        let before = buffer.filled().len();
        if let Poll::Ready(outcome) = Pin::new(&mut this.inner).poll_read(context, buffer) {
            outcome?;
            let data = &buffer.filled()[before..];
            if std::mem::take(&mut this.is_fresh) {
                this.is_framed = data.starts_with(b"PRI ");
            }
            let state = &this.activity.0;
            let is_start = !data.is_empty() && state.requests.load(Ordering::Acquire) == 0;
            if is_start && !this.is_framed && !state.in_headers.swap(true, Ordering::AcqRel) {
                this.deadline = None;
            }
            return Poll::Ready(Ok(()));
        }
        if !this.activity.0.in_headers.load(Ordering::Acquire) {
            this.deadline = None;
            return Poll::Pending;
        }
        // Headers mostly come in one piece: a timer is made only when they do not.
        let sleep = || Box::pin(tokio::time::sleep(this.header_time));
        ready!(this.deadline.get_or_insert_with(sleep).as_mut().poll(context));
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }
}

impl<Io: AsyncWrite + Unpin> AsyncWrite for PatientIo<Io> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        data: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.inner).poll_write(context, data)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        data: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.inner).poll_write_vectored(context, data)
    }

    fn is_write_vectored(&self) -> bool {
        self.inner.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_shutdown(context)
    }
}
