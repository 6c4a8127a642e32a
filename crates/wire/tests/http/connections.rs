//! Clients that are slow, greedy or odd, and small limits.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use database::Options;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpSocket, TcpStream};
use wire::http::Limits;

use super::{Service, parsed, table};

/// Items of the table, and their bytes: all in one answer are 12 MB.
const ITEMS: usize = 40;
const ITEM_BYTES: usize = 300_000;

async fn start(limits: Limits) -> SocketAddr {
    let address = Service::with(Options::in_memory(), |server| server, limits).await.address;
    assert_eq!(ask(address, "CreateTable", &table("things")).await.0, 200);
    for number in 0..ITEMS {
        let item =
            json!({ "pk": { "S": number.to_string() }, "x": { "S": "x".repeat(ITEM_BYTES) } });
        let put = json!({ "TableName": "things", "Item": item });
        assert_eq!(ask(address, "PutItem", &put).await.0, 200, "a large body");
    }
    address
}

fn all_items() -> Value {
    let keys: Vec<_> = (0..ITEMS).map(|at| json!({ "pk": { "S": at.to_string() } })).collect();
    json!({ "RequestItems": { "things": { "Keys": keys } } })
}

fn request(operation: &str, body: &Value) -> Vec<u8> {
    let body = body.to_string();
    let head = format!(
        "POST / HTTP/1.1\r\nHost: a\r\nX-Amz-Target: DynamoDB_20120810.{operation}\r\n\
         Content-Type: application/x-amz-json-1.0\r\nContent-Length: {}\r\n\r\n",
        body.len()
    );
    [head.into_bytes(), body.into_bytes()].concat()
}

/// A connection that reads only what it is told to, so that little waits in the kernel.
async fn connect(address: SocketAddr) -> TcpStream {
    let socket = TcpSocket::new_v4().unwrap();
    socket.set_recv_buffer_size(64 << 10).unwrap();
    socket.connect(address).await.unwrap()
}

async fn ask(address: SocketAddr, operation: &str, body: &Value) -> (u16, Vec<u8>) {
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.write_all(&request(operation, body)).await.unwrap();
    // As `nc -N`: nothing more is sent, and the answer is read.
    stream.shutdown().await.unwrap();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).await.unwrap();
    let (status, _, body) = parsed(&answer);
    (status, body.to_vec())
}

/// Reads pieces with a pause before each until the other side ends; gives how many bytes.
async fn read_slowly(stream: &mut TcpStream, piece: usize, pause: Duration) -> usize {
    let (mut total, mut buffer) = (0, vec![0; piece]);
    loop {
        tokio::time::sleep(pause).await;
        match stream.read(&mut buffer).await {
            Ok(0) | Err(_) => return total,
            Ok(read) => total += read,
        }
    }
}

/// Who reads slowly, but reads, gets the whole answer however long that takes; who does not is cut off.
#[tokio::test(flavor = "multi_thread")]
async fn a_slow_reader_is_waited_for_and_one_that_stalls_is_not() {
    let limits = Limits {
        idle_time: Duration::from_millis(300),
        answer_pause: Duration::from_secs(2),
        ..Limits::default()
    };
    let address = start(limits).await;
    let mut slow = connect(address).await;
    slow.write_all(&request("BatchGetItem", &all_items())).await.unwrap();
    let began = Instant::now();
    let read = read_slowly(&mut slow, 64 << 10, Duration::from_millis(36)).await;
    assert!(read > ITEMS * ITEM_BYTES, "{read} of {} bytes", ITEMS * ITEM_BYTES);
    assert!(began.elapsed() > Duration::from_secs(6), "longer than any other connection may take");

    let mut stalled = connect(address).await;
    stalled.write_all(&request("BatchGetItem", &all_items())).await.unwrap();
    tokio::time::sleep(Duration::from_secs(4)).await;
    let read = read_slowly(&mut stalled, 1 << 20, Duration::ZERO).await;
    assert!(read < ITEMS * ITEM_BYTES, "{read} bytes, all of them");
}

/// Answers that nobody reads take a bounded part of the memory; others are answered meanwhile.
#[tokio::test(flavor = "multi_thread")]
async fn unread_answers_are_bounded() {
    let address = start(Limits { answers_bytes_max: 30_000_000, ..Limits::default() }).await;
    let mut greedy = Vec::new();
    for _ in 0..4 {
        let mut stream = connect(address).await;
        stream.write_all(&request("BatchGetItem", &all_items())).await.unwrap();
        greedy.push(stream);
        tokio::time::sleep(Duration::from_millis(300)).await;
    }
    let (status, body) = ask(address, "BatchGetItem", &all_items()).await;
    let told = String::from_utf8(body).unwrap();
    assert!(status == 503 && told.contains("ServiceUnavailableException"), "{status} {told}");
    let one = json!({ "TableName": "things", "Key": { "pk": { "S": "nobody" } } });
    assert_eq!(ask(address, "GetItem", &one).await.0, 200, "a small answer");
    drop(greedy);
    tokio::time::sleep(Duration::from_millis(500)).await;
    let (status, body) = ask(address, "BatchGetItem", &all_items()).await;
    assert!(status == 200 && body.len() > ITEMS * ITEM_BYTES, "{status}, {} bytes", body.len());
}

/// RFC 9112, 3.2.
#[tokio::test(flavor = "multi_thread")]
async fn a_request_has_one_host() {
    let address = start(Limits::default()).await;
    for (hosts, expected) in [("", 400), ("Host: a\r\nHost: b\r\n", 400), ("Host: a\r\n", 200)] {
        let mut stream = TcpStream::connect(address).await.unwrap();
        let request = format!("GET /health HTTP/1.1\r\n{hosts}Connection: close\r\n\r\n");
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).await.unwrap();
        assert_eq!(parsed(&answer).0, expected, "{hosts:?}");
    }
}
