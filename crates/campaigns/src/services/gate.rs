//! A gate between a process and its store: it lets everything through, but for the request that is
//! waited for, which stays outside. Its sender can then be killed at a known moment.

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex, PoisonError};

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Notify;

/// A gate. Clones are the same gate.
#[derive(Clone)]
pub struct Gate {
    pub address: SocketAddr,
    inner: Arc<Inner>,
}

#[derive(Default)]
struct Inner {
    /// What the request that is waited for has in it.
    marker: Mutex<Option<Vec<u8>>>,
    arrived: Notify,
}

impl Gate {
    /// A gate in front of this address.
    pub async fn start(behind: SocketAddr) -> io::Result<Gate> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let gate = Gate { address: listener.local_addr()?, inner: Arc::default() };
        let inner = Arc::clone(&gate.inner);
        tokio::spawn(async move {
            while let Ok((outside, _)) = listener.accept().await {
                tokio::spawn(pass(outside, behind, Arc::clone(&inner)));
            }
        });
        Ok(gate)
    }

    /// Stops the next request that has this in it. Gives what to wait for.
    pub fn stop_at(&self, marker: &str) -> impl Future<Output = ()> + Send + use<> {
        self.set(Some(marker.as_bytes().to_vec()));
        let inner = Arc::clone(&self.inner);
        async move { inner.arrived.notified().await }
    }

    /// Lets everything through again.
    pub fn open(&self) {
        self.set(None);
    }

    fn set(&self, marker: Option<Vec<u8>>) {
        *self.inner.marker.lock().unwrap_or_else(PoisonError::into_inner) = marker;
    }
}

impl Inner {
    fn is_met(&self, bytes: &[u8]) -> bool {
        let marker = self.marker.lock().unwrap_or_else(PoisonError::into_inner);
        marker.as_ref().is_some_and(|marker| bytes.windows(marker.len()).any(|at| at == marker))
    }
}

async fn pass(outside: TcpStream, behind: SocketAddr, inner: Arc<Inner>) -> io::Result<()> {
    let inside = TcpStream::connect(behind).await?;
    outside.set_nodelay(true)?;
    inside.set_nodelay(true)?;
    let (mut from_outside, mut to_outside) = outside.into_split();
    let (mut from_inside, mut to_inside) = inside.into_split();
    tokio::spawn(async move {
        // Either side may end it.
        let _ = tokio::io::copy(&mut from_inside, &mut to_outside).await;
    });
    let mut chunk = vec![0; 64 * 1024];
    let mut seen: Vec<u8> = Vec::new();
    loop {
        let count = from_outside.read(&mut chunk).await?;
        if count == 0 {
            return to_inside.shutdown().await;
        }
        // What is looked for may lie across two chunks.
        seen.extend_from_slice(&chunk[..count]);
        if inner.is_met(&seen) {
            inner.arrived.notify_one();
            // Whoever sent it waits until it is killed.
            while from_outside.read(&mut chunk).await? > 0 {}
            return Ok(());
        }
        let kept = seen.len().saturating_sub(256);
        seen.drain(..kept);
        to_inside.write_all(&chunk[..count]).await?;
    }
}
