//! One connection of the generator: HTTP/1.1 by hand, so that the generator takes little of the
//! processor time that it shares with what it measures.

use anyhow::{Context as _, bail};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use super::servers::Server;

/// A connection that is kept open.
pub struct Connection {
    stream: TcpStream,
    host: String,
    buffer: Vec<u8>,
}

impl Connection {
    /// Connects.
    pub async fn open(server: &Server) -> anyhow::Result<Connection> {
        let host = format!("127.0.0.1:{}", server.port);
        let stream = TcpStream::connect(&host).await.with_context(|| format!("no {host}"))?;
        stream.set_nodelay(true)?;
        Ok(Connection { stream, host, buffer: Vec::with_capacity(64 << 10) })
    }

    /// Sends a request and waits for its answer: the status and the body.
    pub async fn call(
        &mut self,
        server: &Server,
        operation: &str,
        body: &str,
    ) -> anyhow::Result<(u16, &[u8])> {
        let target = format!("DynamoDB_20120810.{operation}");
        let signature = server.signer.headers(&self.host, &target, body.as_bytes());
        let request = format!(
            "POST / HTTP/1.1\r\nhost: {}\r\ncontent-type: application/x-amz-json-1.0\r\n\
             x-amz-target: {target}\r\n{signature}content-length: {}\r\n\r\n{body}",
            self.host,
            body.len()
        );
        self.stream.write_all(request.as_bytes()).await?;
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
        let head = std::str::from_utf8(&self.buffer[..head_end])?.to_ascii_lowercase();
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok());
        let status = status.context("the answer has no status")?;
        let length = head.split("content-length:").nth(1).and_then(|rest| rest.lines().next());
        let length: usize = length.context("the answer has no length")?.trim().parse()?;
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

fn find(haystack: &[u8], needle: &[u8]) -> Option<usize> {
    haystack.windows(needle.len()).position(|window| window == needle)
}
