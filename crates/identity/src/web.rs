//! Fetching documents over HTTPS: no redirects, a bound on time and on size.

use std::time::Duration;

use http_body_util::{BodyExt as _, Empty, Limited};
use hyper::body::Bytes;
use hyper_rustls::HttpsConnector;
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use kernel::error::Error;

use super::jwks::{Fetch, Fetching};

const TIME_MAX: Duration = Duration::from_secs(5);
const BYTES_MAX: usize = 256 * 1024;

/// Fetches over HTTPS, with the certificates that the machine trusts.
#[derive(Clone)]
pub struct HttpsFetch {
    client: Client<HttpsConnector<HttpConnector>, Empty<Bytes>>,
}

impl HttpsFetch {
    /// A client. It fails if the machine trusts no certificate at all.
    pub fn new() -> Result<HttpsFetch, Error> {
        let connector = hyper_rustls::HttpsConnectorBuilder::new()
            .with_provider_and_native_roots(rustls_ring())
            .map_err(|error| Error::internal(format!("trusted certificates: {error}")))?
            .https_only()
            .enable_http1()
            .build();
        Ok(HttpsFetch { client: Client::builder(TokioExecutor::new()).build(connector) })
    }

    async fn get(&self, url: &str) -> Result<Vec<u8>, String> {
        let uri: hyper::Uri = url.parse().map_err(|_| format!("{url} is not an address"))?;
        if uri.scheme_str() != Some("https") {
            return Err(format!("{url} is not an https address"));
        }
        let answer = self.client.get(uri).await.map_err(|error| error.to_string())?;
        if answer.status() != hyper::StatusCode::OK {
            return Err(format!("{url} answers {}", answer.status()));
        }
        let body = Limited::new(answer.into_body(), BYTES_MAX).collect().await;
        Ok(body.map_err(|error| error.to_string())?.to_bytes().to_vec())
    }
}

impl Fetch for HttpsFetch {
    fn fetch<'a>(&'a self, url: &'a str) -> Fetching<'a> {
        Box::pin(async move {
            let answer = tokio::time::timeout(TIME_MAX, self.get(url)).await;
            answer.unwrap_or_else(|_| Err(format!("{url} does not answer")))
        })
    }
}

fn rustls_ring() -> rustls::crypto::CryptoProvider {
    rustls::crypto::ring::default_provider()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn only_https_is_fetched() {
        let Ok(fetch) = HttpsFetch::new() else { return };
        for url in ["http://localhost/keys", "file:///etc/passwd", "not an address", ""] {
            assert!(fetch.fetch(url).await.is_err(), "{url}");
        }
    }
}
