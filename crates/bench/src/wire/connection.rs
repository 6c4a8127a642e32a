//! One connection of the generator: HTTP/1.1 by hand, so that the generator takes little of the
//! processor time that it shares with what it measures. Requests are made and signed beforehand.

use anyhow::{Context as _, bail};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use super::servers::Server;

/// A connection that is kept open.
pub struct Connection {
    stream: TcpStream,
    buffer: Vec<u8>,
}

impl Connection {
    /// Connects.
    pub async fn open(server: &Server) -> anyhow::Result<Connection> {
        let host = server.host();
        let stream = TcpStream::connect(&host).await.with_context(|| format!("no {host}"))?;
        stream.set_nodelay(true)?;
        Ok(Connection { stream, buffer: Vec::with_capacity(64 << 10) })
    }

    /// Signs a request, sends it and waits for its answer: the status and the body.
    pub async fn call(
        &mut self,
        server: &Server,
        operation: &str,
        body: &str,
    ) -> anyhow::Result<(u16, &[u8])> {
        self.send(&request(server, operation, body)).await
    }

    /// Sends a whole request and waits for its answer.
    pub async fn send(&mut self, request: &[u8]) -> anyhow::Result<(u16, &[u8])> {
        self.stream.write_all(request).await?;
        self.answer().await
    }

    async fn answer(&mut self) -> anyhow::Result<(u16, &[u8])> {
        self.buffer.clear();
        let head_end = loop {
            if let Some(at) = find(&self.buffer, b"\r\n\r\n") {
                break at + 4;
            }
            self.read().await?;
        };
        let head = std::str::from_utf8(&self.buffer[..head_end])?;
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok());
        let status = status.context("the answer has no status")?;
        let is_length = |name: &str| name.eq_ignore_ascii_case("content-length");
        let mut fields = head.lines().filter_map(|line| line.split_once(':'));
        let length =
            fields.find(|(name, _)| is_length(name)).context("the answer has no length")?;
        let length: usize = length.1.trim().parse()?;
        while self.buffer.len() < head_end + length {
            self.read().await?;
        }
        Ok((status, &self.buffer[head_end..head_end + length]))
    }

    async fn read(&mut self) -> anyhow::Result<()> {
        if self.stream.read_buf(&mut self.buffer).await? == 0 {
            bail!("the server closed the connection");
        }
        Ok(())
    }
}

/// A request as it goes over the wire, signed now: good for fifteen minutes.
pub fn request(server: &Server, operation: &str, body: &str) -> Vec<u8> {
    let (host, target) = (server.host(), format!("DynamoDB_20120810.{operation}"));
    let signature = server.signer.headers(&host, &target, body.as_bytes());
    format!(
        "POST / HTTP/1.1\r\nhost: {host}\r\ncontent-type: application/x-amz-json-1.0\r\n\
         x-amz-target: {target}\r\n{signature}content-length: {}\r\n\r\n{body}",
        body.len()
    )
    .into_bytes()
}

fn find(haystack: &[u8], needle: &[u8]) -> Option<usize> {
    haystack.windows(needle.len()).position(|window| window == needle)
}
