//! A server over real sockets, asked in bytes: what the service answers, and what clients do to it.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on panics")]

mod backups;
mod connections;
mod creation;
mod indexes;
mod nesting;
mod order;
mod origins;
mod queries;
mod statements;
mod tables;
mod values;

use std::fmt::Write as _;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;

use database::clock::SystemClock;
use database::{Database, Options};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use wire::http::{Callers, Limits, Listening, Server};

/// A server that takes every request, and its database.
struct Service {
    address: SocketAddr,
    database: Database,
}

impl Service {
    /// With a table of the name `things`, whose key is the text `pk`.
    async fn start() -> Service {
        let service = Service::with(Options::in_memory(), |server| server, Limits::default()).await;
        service.answer("CreateTable", &table("things")).await;
        service
    }

    async fn with(
        options: Options,
        configure: impl FnOnce(Server) -> Server,
        limits: Limits,
    ) -> Service {
        let database = Database::open(options).unwrap();
        let clock = Arc::new(SystemClock);
        let server = configure(Server::new(database.clone(), Callers::Anybody, limits, clock));
        let address = (Ipv4Addr::LOCALHOST, 0).into();
        let listening = Listening::bind(address, None, server).await.unwrap();
        let address = listening.address().unwrap();
        // It runs until the test's runtime ends.
        std::mem::forget(listening.run());
        Service { address, database }
    }

    /// Status, headers and body of the answer to a request with these headers besides the usual.
    async fn send(
        &self,
        operation: &str,
        body: &str,
        headers: &[(&str, &str)],
    ) -> (u16, String, Vec<u8>) {
        let mut request = format!(
            "POST / HTTP/1.1\r\nHost: a\r\nX-Amz-Target: DynamoDB_20120810.{operation}\r\n\
             Content-Type: application/x-amz-json-1.0\r\nConnection: close\r\n\
             Content-Length: {}\r\n",
            body.len()
        );
        for (name, value) in headers {
            write!(request, "{name}: {value}\r\n").unwrap();
        }
        exchange(self.address, &format!("{request}\r\n{body}")).await
    }

    /// The body of the answer to a request that succeeds.
    #[track_caller]
    fn answer<'a>(
        &'a self,
        operation: &'a str,
        body: &'a Value,
    ) -> impl Future<Output = Value> + 'a {
        let caller = std::panic::Location::caller();
        async move {
            let (status, _, answer) = self.send(operation, &body.to_string(), &[]).await;
            let answer = String::from_utf8(answer).unwrap();
            assert_eq!(status, 200, "{caller}: {answer}");
            if answer.is_empty() { Value::Null } else { serde_json::from_str(&answer).unwrap() }
        }
    }

    /// The exception and message of a request that is refused.
    async fn refusal(&self, operation: &str, body: &Value) -> (String, String) {
        self.refusal_of_text(operation, &body.to_string()).await
    }

    async fn refusal_of_text(&self, operation: &str, body: &str) -> (String, String) {
        let (status, _, answer) = self.send(operation, body, &[]).await;
        let answer: Value = serde_json::from_slice(&answer).unwrap();
        assert_eq!(status, 400, "{operation} {body}: {answer}");
        let kind = answer["__type"].as_str().unwrap().rsplit('#').next().unwrap().to_owned();
        let message = answer.get("message").or(answer.get("Message"));
        (kind, message.and_then(Value::as_str).unwrap_or_default().to_owned())
    }

    /// A request is refused with a `ValidationException` of this text.
    async fn invalid(&self, operation: &str, body: &Value, message: &str) {
        let expected = ("ValidationException".to_owned(), message.to_owned());
        assert_eq!(self.refusal(operation, body).await, expected, "{operation} {body}");
    }
}

/// The body of CreateTable for a table whose key is the text `pk`.
fn table(name: &str) -> Value {
    json!({ "TableName": name, "BillingMode": "PAY_PER_REQUEST",
        "AttributeDefinitions": [{ "AttributeName": "pk", "AttributeType": "S" }],
        "KeySchema": [{ "AttributeName": "pk", "KeyType": "HASH" }] })
}

/// Sends bytes and reads the answer to its end.
async fn exchange(address: SocketAddr, request: &str) -> (u16, String, Vec<u8>) {
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).await.unwrap();
    let (status, headers, body) = parsed(&answer);
    (status, headers, body.to_vec())
}

/// Status, headers in lower case and body of an answer.
fn parsed(answer: &[u8]) -> (u16, String, &[u8]) {
    let end = answer.windows(4).position(|at| at == b"\r\n\r\n").unwrap() + 4;
    let status = std::str::from_utf8(&answer[9..12]).unwrap().parse().unwrap();
    (status, String::from_utf8_lossy(&answer[..end]).to_lowercase(), &answer[end..])
}
