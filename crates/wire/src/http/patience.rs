//! How long a connection is waited for: headers must come in time, who is sent an answer must read on,
//! and a connection that asks for nothing is closed.
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

use super::Limits;

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
    /// A part of an answer waits until the other side has read what came before.
    in_answer: AtomicBool,
}

impl Activity {
    pub(super) fn new() -> Activity {
        Activity(Arc::new(State {
            started: Instant::now(),
            requests: AtomicUsize::new(0),
            idle_since: AtomicU64::new(0),
            in_headers: AtomicBool::new(false),
            in_answer: AtomicBool::new(false),
        }))
    }

    /// A request has begun; it ends when the guard is dropped.
    pub(super) fn begin(&self) -> RequestGuard {
        self.0.requests.fetch_add(1, Ordering::AcqRel);
        self.0.in_headers.store(false, Ordering::Release);
        RequestGuard(self.clone())
    }

    /// Whether something was asked for that is not yet answered, or not yet sent.
    pub(super) fn is_busy(&self) -> bool {
        self.0.requests.load(Ordering::Acquire) > 0 || self.0.in_answer.load(Ordering::Acquire)
    }

    /// Waits until the connection has asked for nothing for so long.
    pub(super) async fn idle_for(&self, limit: Duration) {
        loop {
            let is_busy = self.is_busy();
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

impl State {
    fn note_end(&self) {
        let now = u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX);
        self.idle_since.store(now, Ordering::Release);
    }
}

impl Drop for RequestGuard {
    fn drop(&mut self) {
        let state = &self.0.0;
        state.note_end();
        state.requests.fetch_sub(1, Ordering::AcqRel);
    }
}

/// What every HTTP/2 connection begins with.
const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

/// Which protocol a connection speaks, as its first bytes tell.
enum Protocol {
    /// So many bytes have come, all of them the preface's.
    Unknown(usize),
    /// HTTP/1.
    Lines,
    /// HTTP/2 has no headers to wait for: its frames are bounded, and pings may come at any time.
    Frames,
}

impl Protocol {
    fn take(&mut self, data: &[u8]) {
        let Protocol::Unknown(seen) = *self else { return };
        let rest = &PREFACE[seen..];
        let (looked_at, wanted) = (data.len().min(rest.len()), rest.len());
        *self = match data[..looked_at] == rest[..looked_at] {
            false => Protocol::Lines,
            true if looked_at == wanted => Protocol::Frames,
            true => Protocol::Unknown(seen + looked_at),
        };
    }
}

/// A socket that gives up when headers take too long, and when nothing of an answer is read any more.
pub(super) struct PatientIo<Io> {
    inner: Io,
    activity: Activity,
    header_time: Duration,
    answer_pause: Duration,
    /// Runs while headers are incomplete and more of them is waited for.
    deadline: Option<Pin<Box<Sleep>>>,
    /// Runs while the other side does not read.
    stalled: Option<Pin<Box<Sleep>>>,
    protocol: Protocol,
}

impl<Io> PatientIo<Io> {
    pub(super) fn new(inner: Io, activity: Activity, limits: &Limits) -> Self {
        PatientIo {
            inner,
            activity,
            header_time: limits.header_time,
            answer_pause: limits.answer_pause,
            deadline: None,
            stalled: None,
            protocol: Protocol::Unknown(0),
        }
    }

    /// What a try to write means for how long it is waited.
    fn watched<T>(
        &mut self,
        written: Poll<io::Result<T>>,
        context: &mut Context<'_>,
    ) -> Poll<io::Result<T>> {
        if written.is_ready() {
            if self.stalled.take().is_some() {
                self.activity.0.note_end();
                self.activity.0.in_answer.store(false, Ordering::Release);
            }
            return written;
        }
        self.activity.0.in_answer.store(true, Ordering::Release);
        let sleep = || Box::pin(tokio::time::sleep(self.answer_pause));
        ready!(self.stalled.get_or_insert_with(sleep).as_mut().poll(context));
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
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
            this.protocol.take(data);
            let state = &this.activity.0;
            let is_start = !data.is_empty() && state.requests.load(Ordering::Acquire) == 0;
            if matches!(this.protocol, Protocol::Frames) {
                state.in_headers.store(false, Ordering::Release);
            } else if is_start && !state.in_headers.swap(true, Ordering::AcqRel) {
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
        let written = Pin::new(&mut self.inner).poll_write(context, data);
        self.watched(written, context)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        data: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.inner).poll_write_vectored(context, data);
        self.watched(written, context)
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

#[cfg(test)]
mod tests {
    use super::*;

    /// The preface may come in pieces, and what only begins like it is HTTP/1.
    #[test]
    fn http_2_is_told_by_its_whole_preface() {
        let told = |pieces: &[&[u8]]| {
            let mut protocol = Protocol::Unknown(0);
            pieces.iter().for_each(|piece| protocol.take(piece));
            match protocol {
                Protocol::Unknown(_) => "unknown",
                Protocol::Lines => "lines",
                Protocol::Frames => "frames",
            }
        };
        assert_eq!(told(&[PREFACE]), "frames");
        assert_eq!(told(&[b"P", &PREFACE[1..], b"more"]), "frames");
        assert_eq!(told(&[b"PRI * HTTP/2.0\r\n"]), "unknown");
        assert_eq!(told(&[b"PRI * HTTP/1.1\r\n"]), "lines");
        assert_eq!(told(&[b"P", b"OST / HTTP/1.1\r\n"]), "lines");
    }
}
