//! Web pages that call the API from another origin (CORS).

use std::net::Ipv4Addr;
use std::sync::Arc;

use database::clock::SystemClock;
use database::{Database, Options};
use wire::http::{Callers, Limits, Listening, Server};
use wire::sigv4::{Credentials, Keys};

use super::{Service, exchange};

/// No key at all: signed requests are refused, which is enough for what browsers ask without one.
struct NoKeys;

impl Keys for NoKeys {
    fn credentials(&self, _: &str) -> Option<Arc<Credentials>> {
        None
    }
}

async fn signed(listed: &[&str]) -> Service {
    let database = Database::open(Options::in_memory()).unwrap();
    let callers = Callers::Signed(Arc::new(NoKeys));
    let server = Server::new(database.clone(), callers, Limits::default(), Arc::new(SystemClock))
        .allow_origins(listed.iter().map(|origin| (*origin).to_owned()).collect());
    let listening = Listening::bind((Ipv4Addr::LOCALHOST, 0).into(), None, server).await.unwrap();
    let address = listening.address().unwrap();
    std::mem::forget(listening.run());
    Service { address, database }
}

async fn preflight(service: &Service, origin: &str) -> (u16, String) {
    let request = format!(
        "OPTIONS / HTTP/1.1\r\nHost: a\r\nOrigin: {origin}\r\nConnection: close\r\n\
         Access-Control-Request-Method: POST\r\n\
         Access-Control-Request-Headers: authorization,x-amz-target\r\n\r\n"
    );
    let (status, headers, body) = exchange(service.address, &request).await;
    assert!(status != 200 || body.is_empty());
    (status, headers)
}

#[tokio::test]
async fn every_origin_may_ask_as_on_aws() {
    let service = signed(&[]).await;
    let (status, headers) = preflight(&service, "https://app.example.com").await;
    assert_eq!(status, 200);
    for header in [
        "access-control-allow-origin: *\r\n",
        "access-control-allow-methods: post\r\n",
        "access-control-allow-headers: authorization,x-amz-target\r\n",
        "access-control-max-age: 172800\r\n",
        "content-length: 0\r\n",
        "x-amzn-requestid: ",
    ] {
        assert!(headers.contains(header), "{header}: {headers}");
    }
    let (status, headers, _) =
        service.send("ListTables", "{}", &[("Origin", "https://app.example.com")]).await;
    assert_eq!(status, 400, "it is not signed");
    assert!(headers.contains("access-control-allow-origin: *\r\n"), "{headers}");
}

#[tokio::test]
async fn without_an_origin_nothing_is_told() {
    let service = Service::start().await;
    let (status, headers, _) = service.send("ListTables", "{}", &[]).await;
    assert_eq!(status, 200);
    assert!(!headers.contains("access-control"), "{headers}");
    let request = "OPTIONS / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";
    assert_eq!(exchange(service.address, request).await.0, 404);
}

#[tokio::test]
async fn a_setting_restricts_the_origins() {
    let service = signed(&["https://app.example.com"]).await;
    let (status, headers) = preflight(&service, "https://app.example.com").await;
    assert_eq!(status, 200);
    assert!(headers.contains("access-control-allow-origin: https://app.example.com\r\n"));
    assert!(headers.contains("vary: origin\r\n"), "{headers}");
    for origin in ["https://other.example.com", "http://app.example.com", "null"] {
        let (status, headers) = preflight(&service, origin).await;
        assert_eq!(status, 403, "{origin}");
        assert!(!headers.contains("access-control-allow-origin"), "{headers}");
    }
}

/// A page of any site must not reach a server that asks for no signature.
#[tokio::test]
async fn an_open_server_is_for_loopback_origins_only() {
    let service = Service::start().await;
    let (status, headers) = preflight(&service, "http://localhost:3000").await;
    assert_eq!(status, 200);
    assert!(headers.contains("access-control-allow-origin: http://localhost:3000\r\n"));
    let (status, headers, _) =
        service.send("ListTables", "{}", &[("Origin", "http://127.0.0.1:5173")]).await;
    assert_eq!(status, 200);
    assert!(headers.contains("access-control-allow-origin: http://127.0.0.1:5173\r\n"));

    assert_eq!(preflight(&service, "https://evil.example.com").await.0, 403);
    let deletion = r#"{"TableName":"things"}"#;
    let (status, headers, _) =
        service.send("DeleteTable", deletion, &[("Origin", "https://evil.example.com")]).await;
    assert_eq!(status, 403);
    assert!(!headers.contains("access-control-allow-origin"), "{headers}");
    let described = serde_json::json!({ "TableName": "things" });
    service.answer("DescribeTable", &described).await;
}
