//! A client of all services: requests as JSON, answers whole.

use std::io;
use std::net::SocketAddr;

use bytes::Bytes;
use http::{HeaderMap, Request};
use http_body_util::{BodyExt as _, Full};
use hyper_util::client::legacy::Client as Http;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use serde_json::{Value, json};

use super::fleet::Fleet;

/// Whoever administers. Cloning is cheap.
#[derive(Clone)]
pub struct Client {
    http: Http<HttpConnector, Full<Bytes>>,
    token: String,
}

/// What came back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Got {
    pub status: u16,
    pub headers: HeaderMap,
    pub body: Bytes,
}

impl Got {
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_default()
    }

    /// For findings.
    pub fn told(&self) -> String {
        format!("{}: {}", self.status, String::from_utf8_lossy(&self.body))
    }
}

impl Client {
    /// Logs in as the first administrator.
    pub async fn log_in(fleet: &Fleet) -> io::Result<Client> {
        let http = Http::builder(TokioExecutor::new()).build_http();
        let mut client = Client { http, token: String::new() };
        let told = fleet.services.iter().find_map(|service| service.administrator.as_ref());
        let (name, password) =
            told.ok_or_else(|| io::Error::other("no process told of an administrator"))?;
        let at = fleet.services[0].address;
        let body = json!({ "name": name, "password": password });
        let got = client.send(at, "POST /auth/login", &[], Some(&body)).await?;
        let token = got.json()["accessToken"].as_str().map(str::to_owned);
        client.token =
            token.ok_or_else(|| io::Error::other(format!("no login: {}", got.told())))?;
        Ok(client)
    }

    /// As the administrator.
    pub async fn ask(
        &self,
        at: SocketAddr,
        line: &str,
        headers: &[(&str, &str)],
        body: Option<&Value>,
    ) -> io::Result<Got> {
        let bearer = format!("Bearer {}", self.token);
        let mut all = vec![("authorization", bearer.as_str())];
        all.extend(headers);
        self.send(at, line, &all, body).await
    }

    /// With these headers and no others.
    pub async fn send(
        &self,
        at: SocketAddr,
        line: &str,
        headers: &[(&str, &str)],
        body: Option<&Value>,
    ) -> io::Result<Got> {
        let (method, path) = line.split_once(' ').unwrap_or(("GET", line));
        let mut request = Request::builder().method(method).uri(format!("http://{at}{path}"));
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let body = match body {
            Some(body) => {
                request = request.header("content-type", "application/json");
                Full::from(body.to_string())
            }
            None => Full::default(),
        };
        let request = request.body(body).map_err(io::Error::other)?;
        let answer = self.http.request(request).await.map_err(io::Error::other)?;
        let (head, body) = answer.into_parts();
        let body = body.collect().await.map_err(io::Error::other)?.to_bytes();
        Ok(Got { status: head.status.as_u16(), headers: head.headers, body })
    }

    /// Makes an API key with these scopes: its identifier and secret.
    pub async fn make_key(&self, at: SocketAddr, name: &str) -> io::Result<(String, String)> {
        let got = self.ask(at, "POST /ops/v1.0/keys", &[], Some(&new_key(name))).await?;
        let made = got.json();
        let text = |name: &str| made[name].as_str().map(str::to_owned);
        let pair = text("keyId").zip(text("secret"));
        pair.ok_or_else(|| io::Error::other(format!("no key was made: {}", got.told())))
    }

    /// How many keys have this name.
    pub async fn keys_named(&self, at: SocketAddr, name: &str) -> io::Result<usize> {
        let (mut count, mut token) = (0, None::<String>);
        loop {
            let next = token.map(|token| format!("&nextToken={token}")).unwrap_or_default();
            let got =
                self.ask(at, &format!("GET /ops/v1.0/keys?limit=100{next}"), &[], None).await?;
            let page = got.json();
            let Some(items) = page["items"].as_array() else {
                return Err(io::Error::other(format!("no list: {}", got.told())));
            };
            count += items.iter().filter(|item| item["name"] == name).count();
            token = page["nextToken"].as_str().map(str::to_owned);
            if token.is_none() {
                return Ok(count);
            }
        }
    }
}

/// A key that may list keys.
pub fn new_key(name: &str) -> Value {
    json!({ "name": name, "environment": "test", "scopes": ["keys:read"] })
}
