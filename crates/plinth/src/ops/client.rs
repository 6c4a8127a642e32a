//! The HTTP client: one server, one credential, answers as JSON.

use std::time::Duration;

use database::clock::{Clock as _, SystemClock};
use http_body_util::{BodyExt as _, Full};
use hyper::body::{Bytes, Incoming};
use hyper::header::{CONTENT_TYPE, ETAG, HeaderValue, IF_MATCH, RETRY_AFTER};
use hyper::{Method, Request, Response};
use hyper_rustls::HttpsConnector;
use hyper_util::client::legacy::Client as Http;
use hyper_util::client::legacy::connect::HttpConnector;
use kernel::{Ids, Moment};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::Value;

use super::failure::Failure;

/// Where everything is.
const BASE: &str = "/ops/v1.0";
/// How long an answer may take to begin, and each part of its body to come.
const TIME_MAX: Duration = Duration::from_secs(60);
/// How often a request is sent that the server cannot answer now. Repeating is safe: writes carry a
/// key that makes them one.
const TRIES: usize = 3;
/// The longest wait before a request is sent again.
const WAIT_MAX: Duration = Duration::from_secs(5);

/// What may stand in a path as it is.
const PLAIN: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'~');

/// A server and who is asking.
pub struct Client {
    pub(super) http: Http<HttpsConnector<HttpConnector>, Full<Bytes>>,
    /// `https://host:port`.
    pub(super) url: String,
    /// The header that says who is asking.
    pub(super) credential: (&'static str, HeaderValue),
    /// Another account than the credential's.
    pub(super) account: Option<String>,
    pub(super) ids: Ids,
}

/// Names and values of a query; those without a value are left out.
pub type Query<'a> = Vec<(&'a str, Option<String>)>;

/// What is asked.
struct Asked<'a> {
    method: Method,
    address: String,
    body: Option<&'a Value>,
    if_match: Option<HeaderValue>,
}

impl Client {
    /// Reads something.
    pub async fn get(&self, path: &str, query: Query<'_>) -> Result<Value, Failure> {
        let address = self.address(path, query);
        let asked = Asked { method: Method::GET, address, body: None, if_match: None };
        json(self.ask(asked).await?).await
    }

    /// Asks for something to be done.
    pub async fn post(&self, path: &str, body: Option<&Value>) -> Result<Value, Failure> {
        let address = self.address(path, Vec::new());
        let asked = Asked { method: Method::POST, address, body, if_match: None };
        json(self.ask(asked).await?).await
    }

    /// Changes or removes something, if it is still as it is found now.
    pub async fn change(
        &self,
        method: Method,
        path: &str,
        body: Option<&Value>,
    ) -> Result<Value, Failure> {
        let address = self.address(path, Vec::new());
        let read =
            Asked { method: Method::GET, address: address.clone(), body: None, if_match: None };
        let if_match = self.ask(read).await?.headers().get(ETAG).cloned();
        json(self.ask(Asked { method, address, body, if_match }).await?).await
    }

    /// Replaces something.
    pub async fn put(&self, path: &str, body: &Value) -> Result<Value, Failure> {
        let address = self.address(path, Vec::new());
        let asked = Asked { method: Method::PUT, address, body: Some(body), if_match: None };
        json(self.ask(asked).await?).await
    }

    /// Removes something.
    pub async fn delete(&self, path: &str) -> Result<Value, Failure> {
        let address = self.address(path, Vec::new());
        let asked = Asked { method: Method::DELETE, address, body: None, if_match: None };
        json(self.ask(asked).await?).await
    }

    /// Reads something whose body is large.
    pub async fn stream(
        &self,
        path: &str,
        query: Query<'_>,
    ) -> Result<Response<Incoming>, Failure> {
        let address = self.address(path, query);
        self.ask(Asked { method: Method::GET, address, body: None, if_match: None }).await
    }

    fn address(&self, path: &str, query: Query<'_>) -> String {
        let mut parameters = url::form_urlencoded::Serializer::new(String::new());
        let account = ("accountId", self.account.clone().filter(|_| has_account(path)));
        for (name, value) in query.into_iter().chain([account]) {
            if let Some(value) = value {
                parameters.append_pair(name, &value);
            }
        }
        let parameters = parameters.finish();
        let mark = if parameters.is_empty() { "" } else { "?" };
        format!("{}{BASE}{path}{mark}{parameters}", self.url)
    }

    /// The answer to a request, if it is a good one.
    async fn ask(&self, asked: Asked<'_>) -> Result<Response<Incoming>, Failure> {
        let now = Moment::from_millis(SystemClock.now_millis());
        let key = self.ids.ulid(now).map_err(|error| Failure::other(format!("{error:?}")))?;
        let mut tries = 0;
        loop {
            tries += 1;
            let sent = self.http.request(self.request(&asked, &key)?);
            let sent = tokio::time::timeout(TIME_MAX, sent).await;
            let failure = match sent {
                Ok(Ok(answer)) if answer.status().is_success() => return Ok(answer),
                Ok(Ok(answer)) => {
                    let status = answer.status().as_u16();
                    let after = answer.headers().get(RETRY_AFTER).cloned();
                    let after = after.as_ref().and_then(|after| after.to_str().ok());
                    let wait = after.and_then(|after| after.parse().ok()).map(Duration::from_secs);
                    let body = bytes(answer).await?;
                    let failure = Failure::refused(status, after, &body);
                    match wait {
                        Some(wait) if status == 503 && wait <= WAIT_MAX && tries < TRIES => {
                            tokio::time::sleep(wait).await;
                            continue;
                        }
                        _ => return Err(failure),
                    }
                }
                Ok(Err(error)) => Failure::unreachable(&self.url, &causes(&error)),
                Err(_) => Failure::unreachable(&self.url, "it takes too long"),
            };
            if tries >= TRIES {
                return Err(failure);
            }
            tokio::time::sleep(Duration::from_millis(200)).await;
        }
    }

    fn request(&self, asked: &Asked<'_>, key: &str) -> Result<Request<Full<Bytes>>, Failure> {
        let (name, value) = &self.credential;
        let mut request = Request::builder()
            .method(&asked.method)
            .uri(&asked.address)
            .header(*name, value)
            .header("user-agent", concat!("plinth-ops/", env!("CARGO_PKG_VERSION")));
        if [Method::POST, Method::PUT, Method::PATCH].contains(&asked.method) {
            request = request.header("idempotency-key", key);
        }
        if let Some(if_match) = &asked.if_match {
            request = request.header(IF_MATCH, if_match);
        }
        let body = match asked.body {
            Some(body) => {
                request = request.header(CONTENT_TYPE, "application/json");
                body.to_string()
            }
            None => String::new(),
        };
        let request = request.body(Full::new(Bytes::from(body)));
        request.map_err(|error| Failure::other(format!("{} is no address: {error}", asked.address)))
    }
}

/// Whether things at a path belong to an account that can be named: a limit's subject says whose it is.
fn has_account(path: &str) -> bool {
    !(path.starts_with("/limits/") || ["/audit/public-keys", "/keys/report"].contains(&path))
}

/// A part of a path.
pub fn segment(text: &str) -> String {
    utf8_percent_encode(text, PLAIN).to_string()
}

async fn bytes(answer: Response<Incoming>) -> Result<Bytes, Failure> {
    let body = tokio::time::timeout(TIME_MAX, answer.into_body().collect()).await;
    match body {
        Ok(Ok(body)) => Ok(body.to_bytes()),
        Ok(Err(error)) => Err(Failure::other(format!("The answer broke off: {error}"))),
        Err(_) => Err(Failure::other("The answer broke off: it takes too long")),
    }
}

async fn json(answer: Response<Incoming>) -> Result<Value, Failure> {
    let bytes = bytes(answer).await?;
    if bytes.is_empty() {
        return Ok(Value::Null);
    }
    serde_json::from_slice(&bytes).map_err(|_| {
        Failure::other("The answer is no JSON: this is not the port of Plinth's services")
    })
}

/// An error with what is behind it: the outermost says little.
fn causes(error: &dyn std::error::Error) -> String {
    let mut said = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        said = error.to_string();
        cause = error.source();
    }
    said
}
