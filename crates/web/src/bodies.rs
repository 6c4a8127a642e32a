//! Bodies are read whole, in time and within bounds: each within its own, and all together within
//! one. Only what has arrived is counted, so that nobody can reserve memory by announcing much.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use http_body_util::BodyExt as _;
use kernel::error::{Error, PAYLOAD_TOO_LARGE, REQUEST_TIMEOUT, SERVICE_UNAVAILABLE};

use super::shell::Settings;

/// After which time there should be room again.
const RETRY_AFTER: Duration = Duration::from_secs(1);

/// The bytes of all bodies in memory.
#[derive(Clone, Debug, Default)]
pub(super) struct Bodies {
    held: Arc<AtomicUsize>,
}

/// The memory of a body, which is counted until this is dropped.
#[derive(Debug)]
pub(super) struct Held {
    bodies: Bodies,
    bytes: usize,
}

impl Drop for Held {
    fn drop(&mut self) {
        self.bodies.held.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}

impl Held {
    fn add(&mut self, bytes: usize, most: usize) -> Result<(), Error> {
        let before = self.bodies.held.fetch_add(bytes, Ordering::Relaxed);
        self.bytes += bytes;
        if before + bytes <= most {
            return Ok(());
        }
        let message = "Too many large requests at once. Try again";
        Err(Error::new(SERVICE_UNAVAILABLE, message).retry_after(RETRY_AFTER))
    }
}

impl Bodies {
    /// Reads a body; gives the memory that it takes with it.
    pub async fn read(
        &self,
        body: axum::body::Body,
        settings: &Settings,
    ) -> Result<(Bytes, Held), Error> {
        let held = Held { bodies: self.clone(), bytes: 0 };
        match tokio::time::timeout(settings.body_time, collect(body, settings, held)).await {
            Ok(read) => read,
            Err(_) => {
                Err(Error::new(REQUEST_TIMEOUT, "The body did not come in time: send it again"))
            }
        }
    }
}

async fn collect(
    mut body: axum::body::Body,
    settings: &Settings,
    mut held: Held,
) -> Result<(Bytes, Held), Error> {
    let mut whole = BytesMut::new();
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|error| {
            let broken = Error::validation([("body", "broke off before its end".to_owned())]);
            broken.because(error)
        })?;
        let Ok(data) = frame.into_data() else { continue };
        held.add(data.len(), settings.bodies_bytes_max)?;
        if held.bytes > settings.body_bytes_max {
            return Err(too_large(settings.body_bytes_max));
        }
        whole.extend_from_slice(&data);
    }
    Ok((whole.freeze(), held))
}

/// What is said to a body that is longer than any may be.
pub(super) fn too_large(most: usize) -> Error {
    let message = format!("The body is too large: at most {most} bytes are taken");
    Error::new(PAYLOAD_TOO_LARGE, message).detail("bytesMax", most)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn all_bodies_together_have_a_bound_and_give_their_room_back() {
        let settings =
            Settings { body_bytes_max: 60, bodies_bytes_max: 100, ..Settings::default() };
        let bodies = Bodies::default();
        let read = async |length: usize| bodies.read(vec![b'x'; length].into(), &settings).await;
        let first = read(60).await.unwrap();
        assert_eq!((first.0.len(), first.1.bytes), (60, 60));
        assert_eq!(read(61).await.err().unwrap().code(), SERVICE_UNAVAILABLE);
        assert_eq!(read(41).await.err().unwrap().code(), SERVICE_UNAVAILABLE);
        let second = read(40).await.unwrap();
        drop(first);
        assert_eq!(read(61).await.err().unwrap().code(), SERVICE_UNAVAILABLE);
        drop(second);
        assert_eq!(read(61).await.err().unwrap().code(), PAYLOAD_TOO_LARGE);
        read(60).await.unwrap();
        assert_eq!(bodies.held.load(Ordering::Relaxed), 0);
    }
}
