//! Either of the two behind its HTTP server, on a port of this machine.

use std::io;
use std::net::SocketAddr;

use bytes::Bytes;
use http::{HeaderMap, Request, StatusCode};
use http_body_util::{BodyExt as _, Full};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use serde_json::Value;
use tokio::runtime::{Builder, Runtime};

use super::{Failure, Message, Outcome, Party};

/// Of the right form: the reference looks no closer, and the subject takes anybody's requests.
const AUTHORIZATION: &str = "AWS4-HMAC-SHA256 \
    Credential=AKIAEXAMPLE/20260101/eu-west-2/dynamodb/aws4_request, \
    SignedHeaders=host;x-amz-date, Signature=00";
const DATE: &str = "20260101T000000Z";

/// A party that has an HTTP server.
pub trait Host: Party {
    /// Starts its server as a task of the runtime this is called in.
    fn serve(&self) -> impl Future<Output = io::Result<SocketAddr>>;

    /// Moves its clock, before each request.
    fn tick(&self) {}
}

/// A party that is asked over HTTP. Server and client share one thread.
pub struct Remote<P> {
    host: P,
    runtime: Runtime,
    client: Client<HttpConnector, Full<Bytes>>,
    uri: String,
}

impl<P: Host> Remote<P> {
    /// Starts the server.
    #[expect(clippy::expect_used, reason = "without a server there is nothing to compare")]
    pub fn open(host: P) -> Self {
        let runtime = Builder::new_current_thread().enable_all().build();
        let runtime = runtime.expect("a runtime of one thread starts");
        let address = runtime.block_on(host.serve()).expect("a server starts on a free port");
        let client = Client::builder(TokioExecutor::new()).build_http();
        Remote { host, runtime, client, uri: format!("http://{address}/") }
    }

    async fn ask(&self, message: &Message) -> Result<Outcome, Box<dyn std::error::Error>> {
        let mut request = Request::post(&self.uri)
            .header("authorization", AUTHORIZATION)
            .header("x-amz-date", DATE);
        if let Some(target) = &message.target {
            request = request.header("x-amz-target", target);
        }
        if let Some(content_type) = message.content_type {
            request = request.header("content-type", content_type);
        }
        let request = request.body(Full::from(message.body.clone()))?;
        let (head, body) = self.client.request(request).await?.into_parts();
        let body = body.collect().await?.to_bytes();
        Ok(outcome(head.status, &head.headers, &body))
    }
}

impl<P: Host> Party for Remote<P> {
    fn call(&mut self, operation: &str, body: &Value) -> Outcome {
        self.send(&Message::new(operation, body))
    }

    fn send(&mut self, message: &Message) -> Outcome {
        self.host.tick();
        let asked = self.runtime.block_on(self.ask(message));
        // A panic ends the connection.
        asked.unwrap_or_else(|error| Outcome::Failure(Failure::new("NoAnswer", error.to_string())))
    }

    fn rest(&mut self) {
        self.host.rest();
    }
}

/// What an answer says, provided that it is what its own headers say.
fn outcome(status: StatusCode, headers: &HeaderMap, body: &[u8]) -> Outcome {
    let header = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    let broken = |text: String| Outcome::Failure(Failure::new("BrokenAnswer", text));
    let checksum = crc32fast::hash(body).to_string();
    if header("x-amz-crc32") != Some(checksum.as_str()) {
        return broken(format!("x-amz-crc32 is not {checksum}"));
    }
    if header("x-amzn-requestid").is_none_or(|id| id.len() != 52) {
        return broken("x-amzn-requestid has not 52 characters".to_owned());
    }
    if status == StatusCode::NOT_FOUND {
        let failure = Failure::new("", String::from_utf8_lossy(body));
        return Outcome::Failure(Failure { status: Some(404), ..failure });
    }
    if !header("content-type").is_some_and(|kind| kind.starts_with("application/")) {
        return broken(format!("the content type is {:?}", header("content-type")));
    }
    if status == StatusCode::OK && body.is_empty() {
        // Tagging answers nothing, which every SDK reads as an object without members.
        return Outcome::Answer(Value::Object(serde_json::Map::new()));
    }
    match serde_json::from_slice(body) {
        Ok(answer) if status == StatusCode::OK => Outcome::Answer(answer),
        Ok(error) => {
            let failure = Failure::from_body(error);
            Outcome::Failure(Failure { status: Some(status.as_u16()), ..failure })
        }
        Err(error) => broken(error.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_taken_if_its_checksum_is_right() {
        let body = br#"{"__type":"a#B","message":"c"}"#;
        let mut headers = HeaderMap::new();
        headers.insert("x-amz-crc32", crc32fast::hash(body).into());
        headers.insert("x-amzn-requestid", "A".repeat(52).parse().unwrap());
        headers.insert("content-type", "application/x-amz-json-1.0".parse().unwrap());
        let read = |headers: &HeaderMap| outcome(StatusCode::BAD_REQUEST, headers, body);
        let expected = Failure { status: Some(400), ..Failure::new("B", "c") };
        assert_eq!(read(&headers), Outcome::Failure(expected));
        for name in ["x-amz-crc32", "x-amzn-requestid", "content-type"] {
            let mut wrong = headers.clone();
            wrong.insert(name, "1".parse().unwrap());
            assert_eq!(read(&wrong).failure().unwrap().kind, "BrokenAnswer", "{name}");
        }
    }
}
