//! Reading a body: whole, in time, within bounds.

use std::future::poll_fn;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::Poll;

use bytes::{Bytes, BytesMut};
use flate2::write::MultiGzDecoder;
use http_body_util::BodyExt as _;
use hyper::body::{Body as _, Incoming};
use hyper::header::CONTENT_ENCODING;
use hyper::http::HeaderMap;
use tokio::time::{Instant, timeout, timeout_at};

use super::Limits;
use crate::sigv4::BodyHash;

/// Why a body was not read.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum BodyError {
    /// It is longer than allowed.
    TooLarge,
    /// It did not come in time.
    TooSlow,
    /// The connection broke, or the body is not what its headers say.
    Broken,
    /// Too much of other requests is in memory.
    Busy,
    /// It is compressed in a way that is not known.
    Encoding,
}

/// The bytes of all large bodies in memory, or of all large answers. Of bodies only what has arrived is
/// counted, so that nobody can reserve memory by announcing a long one.
#[derive(Clone)]
pub(super) struct Memory {
    held: Arc<AtomicUsize>,
    max: usize,
}

impl Memory {
    pub(super) fn new(max: usize) -> Memory {
        Memory { held: Arc::default(), max }
    }

    pub(super) fn held_bytes(&self) -> usize {
        self.held.load(Ordering::Relaxed)
    }
}

/// Memory that is counted until it is dropped.
pub(super) struct Held {
    memory: Memory,
    bytes: usize,
}

impl Held {
    fn none(memory: &Memory) -> Held {
        Held { memory: memory.clone(), bytes: 0 }
    }

    /// So much memory, if there is room for it, or else if it must be.
    pub(super) fn of(memory: &Memory, bytes: usize, must: bool) -> Result<Held, BodyError> {
        let mut held = Held::none(memory);
        match held.add(bytes) {
            Err(error) if !must => Err(error),
            _ => Ok(held),
        }
    }

    fn add(&mut self, bytes: usize) -> Result<(), BodyError> {
        let before = self.memory.held.fetch_add(bytes, Ordering::Relaxed);
        self.bytes += bytes;
        if before + bytes > self.memory.max { Err(BodyError::Busy) } else { Ok(()) }
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        self.memory.held.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}

/// Bodies up to here are read from anybody, and neither they nor answers are counted: there are no more
/// of them than connections, and nobody can keep others out by sending large ones.
pub(super) const SMALL_BYTES: u64 = 64 << 10;

/// Whether a body takes, or may take, more than a little memory.
pub(super) fn is_large(body: &Incoming) -> bool {
    body.size_hint().upper().is_none_or(|bytes| bytes > SMALL_BYTES)
}

/// The whole body as it was sent, and the memory it takes.
pub(super) async fn read(
    body: Incoming,
    limits: &Limits,
    memory: &Memory,
) -> Result<(Bytes, Held), BodyError> {
    let mut held = Held::none(memory);
    let mut pieces = Pieces::Empty;
    let is_counted = is_large(&body);
    let take = |data: Bytes| {
        held.add(if is_counted { data.len() } else { 0 })?;
        pieces.push(data);
        Ok(())
    };
    each_piece(body, limits, take).await?;
    Ok((pieces.whole(), held))
}

/// The hash of a body that is not kept: a stranger's.
pub(super) async fn hash(body: Incoming, limits: &Limits) -> Result<BodyHash, BodyError> {
    let mut hash = BodyHash::default();
    let take = |data: Bytes| {
        hash.add(&data);
        Ok(())
    };
    each_piece(body, limits, take).await?;
    Ok(hash)
}

/// Gives the body away piece by piece, while it is within bounds.
async fn each_piece(
    mut body: Incoming,
    limits: &Limits,
    mut take: impl FnMut(Bytes) -> Result<(), BodyError>,
) -> Result<(), BodyError> {
    let announced = body.size_hint().lower();
    if announced > limits.body_bytes_max as u64 {
        return Err(BodyError::TooLarge);
    }
    let mut bytes = 0;
    let mut deadline = None;
    while !body.is_end_stream() {
        // Most bodies are there already: only one that is waited for needs a clock.
        let frame = match poll_fn(|task| Poll::Ready(Pin::new(&mut body).poll_frame(task))).await {
            Poll::Ready(frame) => frame,
            Poll::Pending => {
                let deadline = *deadline.get_or_insert_with(|| Instant::now() + limits.body_time);
                let frame = timeout_at(deadline, timeout(limits.body_pause, body.frame())).await;
                let Ok(Ok(frame)) = frame else { return Err(BodyError::TooSlow) };
                frame
            }
        };
        let Some(frame) = frame else { break };
        let Ok(data) = frame.map_err(|_| BodyError::Broken)?.into_data() else { continue };
        bytes += data.len();
        if bytes > limits.body_bytes_max {
            return Err(BodyError::TooLarge);
        }
        take(data)?;
    }
    Ok(())
}

/// What a body says, decompressed if need be. Signatures are over a body as it was sent, so this comes
/// after they are checked, and strangers cannot have anything decompressed.
pub(super) async fn decode(
    headers: &HeaderMap,
    sent: Bytes,
    limits: &Limits,
    held: &mut Held,
) -> Result<Bytes, BodyError> {
    let Some(encoding) = headers.get(CONTENT_ENCODING).map(|encoding| encoding.as_bytes()) else {
        return Ok(sent);
    };
    if encoding.eq_ignore_ascii_case(b"identity") {
        return Ok(sent);
    }
    if !encoding.eq_ignore_ascii_case(b"gzip") {
        return Err(BodyError::Encoding);
    }
    let bytes_max = limits.body_bytes_max;
    // A thousand bytes can unfold to a million, while other requests would wait.
    let plain = tokio::task::spawn_blocking(move || gunzip(&sent, bytes_max)).await;
    let plain = plain.unwrap_or(Err(BodyError::Broken))?;
    if plain.len() as u64 > SMALL_BYTES {
        held.add(plain.len())?;
    }
    Ok(plain)
}

/// Most bodies are one piece, which is then not copied.
enum Pieces {
    Empty,
    One(Bytes),
    Several(BytesMut),
}

impl Pieces {
    fn push(&mut self, piece: Bytes) {
        *self = match std::mem::replace(self, Pieces::Empty) {
            Pieces::Empty => Pieces::One(piece),
            Pieces::One(first) => {
                // What was announced is not believed: memory is taken as the body comes.
                let mut all = BytesMut::with_capacity(2 * (first.len() + piece.len()));
                all.extend_from_slice(&first);
                all.extend_from_slice(&piece);
                Pieces::Several(all)
            }
            Pieces::Several(mut all) => {
                all.extend_from_slice(&piece);
                Pieces::Several(all)
            }
        }
    }

    fn whole(self) -> Bytes {
        match self {
            Pieces::Empty => Bytes::new(),
            Pieces::One(piece) => piece,
            Pieces::Several(all) => all.freeze(),
        }
    }
}

/// Decompresses into a bounded buffer: a small body may unfold to any size.
fn gunzip(compressed: &[u8], bytes_max: usize) -> Result<Bytes, BodyError> {
    let mut decoder = MultiGzDecoder::new(Bounded { plain: Vec::new(), bytes_max, is_full: false });
    let written = std::io::Write::write_all(&mut decoder, compressed);
    let finished = written.and_then(|()| decoder.try_finish());
    let bounded = decoder.get_mut();
    match finished {
        _ if bounded.is_full => Err(BodyError::TooLarge),
        Ok(()) => Ok(Bytes::from(std::mem::take(&mut bounded.plain))),
        Err(_) => Err(BodyError::Broken),
    }
}

struct Bounded {
    plain: Vec<u8>,
    bytes_max: usize,
    is_full: bool,
}

impl std::io::Write for Bounded {
    fn write(&mut self, data: &[u8]) -> std::io::Result<usize> {
        if self.plain.len() + data.len() > self.bytes_max {
            self.is_full = true;
            return Err(std::io::ErrorKind::StorageFull.into());
        }
        self.plain.extend_from_slice(data);
        Ok(data.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::Compression;
    use flate2::write::GzEncoder;
    use std::io::Write as _;

    fn gzip(plain: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(plain).unwrap();
        encoder.finish().unwrap()
    }

    #[test]
    fn a_compressed_body_unfolds_up_to_the_limit() {
        let body = vec![b'x'; 100_000];
        assert_eq!(gunzip(&gzip(&body), 100_000).unwrap(), body);
        assert_eq!(gunzip(&gzip(&body), 99_999), Err(BodyError::TooLarge));
        assert_eq!(gunzip(b"not gzip", 100), Err(BodyError::Broken));
        let half = gzip(&body);
        assert_eq!(gunzip(&half[..half.len() / 2], 100_000), Err(BodyError::Broken));
        let two = [gzip(b"one "), gzip(b"two")].concat();
        assert_eq!(gunzip(&two, 100).unwrap(), "one two");
        let garbage = [gzip(b"one"), b"two".to_vec()].concat();
        assert_eq!(gunzip(&garbage, 100), Err(BodyError::Broken));
    }
}
