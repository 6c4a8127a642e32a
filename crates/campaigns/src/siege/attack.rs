//! What is done to the server.

use std::io;
use std::net::SocketAddr;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::task::JoinSet;

use super::target::Target;

/// One way to trouble a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Attack {
    /// Headers that come a byte a second.
    SlowHeaders,
    /// Bodies that come a byte a second.
    SlowBodies,
    /// Connections that ask for nothing.
    Idle,
    /// Bodies larger than allowed, announced or not.
    LargeBodies,
    /// Ten times as many clients as the server can keep busy.
    Overload,
}

impl Attack {
    pub(super) const ALL: [Attack; 5] = [
        Attack::SlowHeaders,
        Attack::SlowBodies,
        Attack::Idle,
        Attack::LargeBodies,
        Attack::Overload,
    ];

    pub(super) fn name(self) -> &'static str {
        match self {
            Attack::SlowHeaders => "slow headers",
            Attack::SlowBodies => "slow bodies",
            Attack::Idle => "idle connections",
            Attack::LargeBodies => "large bodies",
            Attack::Overload => "overload",
        }
    }

    fn connections(self) -> usize {
        match self {
            Attack::SlowHeaders | Attack::SlowBodies => 2000,
            Attack::Idle => 5000,
            Attack::LargeBodies => 16,
            Attack::Overload => 640,
        }
    }
}

const TABLE: &str = "siege";
const ITEMS: usize = 500;
/// Between the first connections of two attackers.
const CONNECT_PAUSE: Duration = Duration::from_micros(200);
/// One more than a request may have.
const LARGE_BYTES: usize = 17 << 20;

/// Goes on for so long.
pub(super) async fn run(target: &Target, attack: Attack, time: Duration) {
    let most = super::connections_max();
    let (address, until) = (target.address, Instant::now() + time);
    let mut attackers = JoinSet::new();
    for number in 0..attack.connections().min(most) {
        attackers.spawn(async move {
            // Thousands at the same instant would test the kernel's queue and not the server.
            tokio::time::sleep(CONNECT_PAUSE * u32::try_from(number).unwrap_or(0)).await;
            // A server that defends itself closes connections: that is no failure here. Try again.
            while Instant::now() < until {
                let _ = match attack {
                    Attack::SlowHeaders => slow_headers(address, until).await,
                    Attack::SlowBodies => slow_body(address, until).await,
                    Attack::Idle => idle(address, until).await,
                    Attack::LargeBodies => large_body(address, number % 2 == 0).await,
                    Attack::Overload => ask(address, number, until).await,
                };
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        });
    }
    while attackers.join_next().await.is_some() {}
}

async fn slow_headers(address: SocketAddr, until: Instant) -> io::Result<()> {
    let mut stream = TcpStream::connect(address).await?;
    stream.write_all(b"POST / HTTP/1.1\r\nhost: x\r\nx-slow: ").await?;
    drip(&mut stream, until).await
}

async fn slow_body(address: SocketAddr, until: Instant) -> io::Result<()> {
    let mut stream = TcpStream::connect(address).await?;
    stream.write_all(head("PutItem", 1 << 20).as_bytes()).await?;
    drip(&mut stream, until).await
}

async fn drip(stream: &mut TcpStream, until: Instant) -> io::Result<()> {
    while Instant::now() < until {
        stream.write_all(b"x").await?;
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
    Ok(())
}

async fn idle(address: SocketAddr, until: Instant) -> io::Result<()> {
    let mut stream = TcpStream::connect(address).await?;
    let mut byte = [0];
    let rest = until.saturating_duration_since(Instant::now());
    // Until the server closes it, or the time is up.
    let _ = tokio::time::timeout(rest, stream.read(&mut byte)).await;
    Ok(())
}

async fn large_body(address: SocketAddr, is_announced: bool) -> io::Result<()> {
    let mut stream = TcpStream::connect(address).await?;
    let chunk = vec![b'x'; 64 << 10];
    if is_announced {
        stream.write_all(head("PutItem", LARGE_BYTES).as_bytes()).await?;
    } else {
        let head = head("PutItem", 0).replace("content-length: 0", "transfer-encoding: chunked");
        stream.write_all(head.as_bytes()).await?;
    }
    for _ in 0..LARGE_BYTES / chunk.len() {
        if !is_announced {
            stream.write_all(format!("{:x}\r\n", chunk.len()).as_bytes()).await?;
        }
        stream.write_all(&chunk).await?;
        if !is_announced {
            stream.write_all(b"\r\n").await?;
        }
    }
    Ok(())
}

/// A client that never pauses.
async fn ask(address: SocketAddr, number: usize, until: Instant) -> io::Result<()> {
    let mut stream = TcpStream::connect(address).await?;
    let mut turn = number;
    while Instant::now() < until {
        turn = turn.wrapping_mul(31).wrapping_add(7);
        let key = json!({ "pk": { "S": (turn % ITEMS).to_string() } });
        let (operation, body) = match turn % 4 {
            0 => ("PutItem", json!({ "TableName": TABLE, "Item": item(turn % ITEMS) })),
            1 => ("Scan", json!({ "TableName": TABLE, "Limit": 100 })),
            _ => ("GetItem", json!({ "TableName": TABLE, "Key": key })),
        };
        call(&mut stream, operation, &body).await?;
    }
    Ok(())
}

/// Makes the table that clients ask for.
pub(super) async fn fill(target: &Target) -> io::Result<()> {
    let mut stream = TcpStream::connect(target.address).await?;
    let table = json!({
        "TableName": TABLE,
        "AttributeDefinitions": [{ "AttributeName": "pk", "AttributeType": "S" }],
        "KeySchema": [{ "AttributeName": "pk", "KeyType": "HASH" }],
        "BillingMode": "PAY_PER_REQUEST",
    });
    call(&mut stream, "CreateTable", &table).await?;
    tokio::time::sleep(Duration::from_millis(500)).await;
    for number in 0..ITEMS {
        let body = json!({ "TableName": TABLE, "Item": item(number) });
        call(&mut stream, "PutItem", &body).await?;
    }
    Ok(())
}

fn item(number: usize) -> Value {
    json!({ "pk": { "S": number.to_string() }, "text": { "S": "x".repeat(700) } })
}

fn head(operation: &str, length: usize) -> String {
    format!(
        "POST / HTTP/1.1\r\nhost: x\r\ncontent-type: application/x-amz-json-1.0\r\n\
         x-amz-target: DynamoDB_20120810.{operation}\r\ncontent-length: {length}\r\n\r\n"
    )
}

/// Sends a request and reads its answer, which must be a success.
async fn call(stream: &mut TcpStream, operation: &str, body: &Value) -> io::Result<()> {
    let body = body.to_string();
    stream.write_all(format!("{}{body}", head(operation, body.len())).as_bytes()).await?;
    let mut buffer = Vec::new();
    let head_end = loop {
        if let Some(at) = buffer.windows(4).position(|window| window == b"\r\n\r\n") {
            break at + 4;
        }
        if stream.read_buf(&mut buffer).await? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
    };
    let head = String::from_utf8_lossy(&buffer[..head_end]).to_ascii_lowercase();
    let length = head.lines().find_map(|line| line.strip_prefix("content-length:"));
    let length: usize = length.and_then(|text| text.trim().parse().ok()).unwrap_or(0);
    while buffer.len() < head_end + length {
        if stream.read_buf(&mut buffer).await? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
    }
    if head.starts_with("http/1.1 200") { Ok(()) } else { Err(io::Error::other(head)) }
}
