//! P of reliability.md: no form of address, name or answer makes the client connect inside.

use std::io;
use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use bytes::Bytes;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;
use webhooks::{Client, Outgoing, Policy, Ports, Resolve, Resolving, Sender};

/// Addresses that are not public, as a resolver gives them.
const ADDRESSES: [&str; 47] = [
    "0.0.0.0",
    "0.1.2.3",
    "10.0.0.1",
    "10.255.255.255",
    "100.64.0.1",
    "100.100.100.200",
    "100.127.255.255",
    "127.0.0.1",
    "127.255.255.254",
    "168.63.129.16",
    "169.254.169.254",
    "169.254.170.2",
    "172.16.0.1",
    "172.31.255.255",
    "192.0.0.192",
    "192.0.2.1",
    "192.31.196.1",
    "192.52.193.1",
    "192.88.99.1",
    "192.168.0.1",
    "192.175.48.1",
    "198.18.0.1",
    "198.19.255.255",
    "198.51.100.1",
    "203.0.113.1",
    "224.0.0.1",
    "239.255.255.255",
    "240.0.0.1",
    "255.255.255.255",
    "::",
    "::1",
    "::127.0.0.1",
    "::ffff:127.0.0.1",
    "::ffff:a9fe:a9fe",
    "0:0:0:0:0:ffff:10.0.0.1",
    "64:ff9b::7f00:1",
    "64:ff9b:1::1",
    "100::1",
    "2001::1",
    "2001:2::1",
    "2001:db8::1",
    "2002:7f00:1::1",
    "3fff::1",
    "5f00::1",
    "fc00::1",
    "fd00:ec2::254",
    "fe80::1",
];

/// URLs whose host, however it is written, lies inside; `{port}` is the canary's.
const URLS: [&str; 40] = [
    "http://127.0.0.1:{port}/",
    "http://127.1:{port}/",
    "http://127.0.1:{port}/",
    "http://2130706433:{port}/",
    "http://0x7f000001:{port}/",
    "http://0x7f.0.0.1:{port}/",
    "http://0177.0.0.1:{port}/",
    "http://017700000001:{port}/",
    "http://127.0.0.1.:{port}/",
    "http://0:{port}/",
    "http://0.0.0.0:{port}/",
    "http://127.000.000.001:{port}/",
    "http://①②⑦.⓪.⓪.①:{port}/",
    "http://127。0。0。1:{port}/",
    "http://127．0．0．1:{port}/",
    "http://127%2e0%2e0%2e1:{port}/",
    "http://%31%32%37.0.0.1:{port}/",
    "http://[::1]:{port}/",
    "http://[::]:{port}/",
    "http://[0:0:0:0:0:0:0:1]:{port}/",
    "http://[::ffff:127.0.0.1]:{port}/",
    "http://[::ffff:7f00:1]:{port}/",
    "http://[0:0:0:0:0:ffff:127.0.0.1]:{port}/",
    "http://[::127.0.0.1]:{port}/",
    "http://[64:ff9b::127.0.0.1]:{port}/",
    "http://[2002:7f00:1::]:{port}/",
    "http://[fe80::1%25lo]:{port}/",
    "http://[::1%lo]:{port}/",
    "http://localhost:{port}/",
    "http://LOCALHOST:{port}/",
    "http://localhost.:{port}/",
    "http://a.localhost:{port}/",
    "http://localhost.localdomain:{port}/",
    "http://metadata.google.internal:{port}/",
    "http://metadata:{port}/",
    "http://user:password@127.0.0.1:{port}/",
    "http://example.com@127.0.0.1:{port}/",
    "http://127.0.0.1:{port}\\@example.com/",
    "file:///etc/passwd",
    "gopher://127.0.0.1:{port}/_x",
];

/// Counts connections, and answers what it is told.
struct Canary {
    port: u16,
    connections: Arc<AtomicUsize>,
}

impl Canary {
    async fn new(address: &str, answer: String) -> Canary {
        let listener = TcpListener::bind((address, 0)).await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let connections = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&connections);
        tokio::spawn(async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                counted.fetch_add(1, Ordering::SeqCst);
                let mut request = [0; 4096];
                let _ = stream.read(&mut request).await;
                let _ = stream.write_all(answer.as_bytes()).await;
            }
        });
        Canary { port, connections }
    }

    fn connections(&self) -> usize {
        self.connections.load(Ordering::SeqCst)
    }
}

const OK: &str = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok";

/// Answers with its lists one after the other, the last one for ever.
#[derive(Clone)]
struct Scripted {
    lists: Vec<Vec<IpAddr>>,
    asked: Arc<AtomicUsize>,
}

impl Scripted {
    fn new(lists: &[&[&str]]) -> Scripted {
        let list = |texts: &&[&str]| texts.iter().map(|text| text.parse().unwrap()).collect();
        Scripted { lists: lists.iter().map(list).collect(), asked: Arc::default() }
    }
}

impl Resolve for Scripted {
    fn resolve<'a>(&'a self, _name: &'a str) -> Resolving<'a> {
        let at = self.asked.fetch_add(1, Ordering::SeqCst).min(self.lists.len().saturating_sub(1));
        let found = self.lists.get(at).cloned();
        Box::pin(async move { found.ok_or_else(|| io::Error::from(io::ErrorKind::NotFound)) })
    }
}

/// Everything is allowed but addresses that are not public.
fn open_policy() -> Policy {
    Policy { plain_http: true, ports: Ports::Any, ..Policy::default() }
}

fn client(policy: Policy, resolver: Scripted) -> Client {
    let roots = rustls::RootCertStore::empty();
    Client::with_roots(policy, Arc::new(resolver), Duration::from_secs(2), roots).unwrap()
}

async fn post(client: &Client, url: String) -> Result<u16, String> {
    let outgoing = Outgoing { url, headers: Vec::new(), body: Bytes::from_static(b"{}") };
    client.post(outgoing).await.map(|reply| reply.status)
}

/// The control: with the network on the list, the same canary is reached, by address and by name.
#[tokio::test]
async fn the_canary_is_reached_where_it_is_allowed() {
    let canary = Canary::new("127.0.0.1", OK.to_owned()).await;
    let allowed = Policy { networks: vec!["127.0.0.0/8".parse().unwrap()], ..open_policy() };
    let client = client(allowed, Scripted::new(&[&["127.0.0.1"]]));
    for host in ["127.0.0.1", "hooks.example.com"] {
        assert_eq!(post(&client, format!("http://{host}:{}/", canary.port)).await, Ok(200));
    }
    assert_eq!(canary.connections(), 2);
}

/// Route: the literal in the URL.
#[tokio::test]
async fn no_way_of_writing_an_inner_address_leads_there() {
    let canary = Canary::new("127.0.0.1", OK.to_owned()).await;
    let client = client(open_policy(), Scripted::new(&[&["127.0.0.1"]]));
    for form in URLS {
        let url = form.replace("{port}", &canary.port.to_string());
        assert!(post(&client, url).await.is_err(), "{form}");
    }
    for address in ADDRESSES {
        let host = if address.contains(':') { format!("[{address}]") } else { address.to_owned() };
        let refused = post(&client, format!("http://{host}:{}/", canary.port)).await.unwrap_err();
        assert!(refused.contains("not on the public internet"), "{address}: {refused}");
    }
    assert_eq!(canary.connections(), 0);
}

/// Routes: A and AAAA records, alone and beside a public address.
#[tokio::test]
async fn no_name_that_resolves_to_an_inner_address_leads_there() {
    let canary = Canary::new("127.0.0.1", OK.to_owned()).await;
    for address in ADDRESSES {
        for answer in [vec![address], vec!["93.184.215.14", address], vec![address, "2600::1"]] {
            let client = client(open_policy(), Scripted::new(&[&answer]));
            let url = format!("http://hooks.example.com:{}/", canary.port);
            let refused = post(&client, url).await.unwrap_err();
            assert!(refused.contains("not on the public internet"), "{answer:?}: {refused}");
        }
    }
    assert_eq!(canary.connections(), 0);
}

/// Route: rebinding. The first answer is public, a second one would be inside: nobody asks twice.
#[tokio::test]
async fn a_name_is_resolved_once_for_the_check_and_the_connection() {
    let canary = Canary::new("127.0.0.1", OK.to_owned()).await;
    let allowed = Policy { networks: vec!["127.0.0.2/32".parse().unwrap()], ..open_policy() };
    let resolver = Scripted::new(&[&["127.0.0.2"], &["127.0.0.1"]]);
    let client = client(allowed, resolver.clone());
    let url = format!("http://hooks.example.com:{}/", canary.port);
    let first = post(&client, url.clone()).await.unwrap_err();
    assert!(first.contains("no connection"), "{first}");
    assert_eq!(resolver.asked.load(Ordering::SeqCst), 1);
    let second = post(&client, url).await.unwrap_err();
    assert!(second.contains("not on the public internet"), "{second}");
    assert_eq!(canary.connections(), 0);
}

/// Route: redirects are answers, and not followed.
#[tokio::test]
async fn redirects_are_not_followed() {
    let canary = Canary::new("127.0.0.1", OK.to_owned()).await;
    for status in ["301 Moved", "302 Found", "303 See Other", "307 Temporary", "308 Permanent"] {
        let location = format!("http://127.0.0.1:{}/", canary.port);
        let answer =
            format!("HTTP/1.1 {status}\r\nlocation: {location}\r\ncontent-length: 0\r\n\r\n");
        let outside = Canary::new("127.0.0.2", answer).await;
        let allowed = Policy { networks: vec!["127.0.0.2/32".parse().unwrap()], ..open_policy() };
        let client = client(allowed, Scripted::new(&[]));
        let code = post(&client, format!("http://127.0.0.2:{}/", outside.port)).await.unwrap();
        assert!((300..400).contains(&code));
        assert_eq!(outside.connections(), 1);
    }
    assert_eq!(canary.connections(), 0);
}

/// https only, few ports, no user, no fragment, not too long: by default.
#[test]
fn the_usual_policy_is_strict() {
    let policy = Policy::default();
    let long = format!("https://example.com/{}", "x".repeat(2048));
    for bad in [
        "http://example.com/",
        "ftp://example.com/",
        "https://example.com:22/",
        "https://example.com:80/",
        "https://user@example.com/",
        "https://example.com/#part",
        "https://intranet/",
        "https:///",
        "example.com",
        "",
        &long,
    ] {
        assert!(policy.target(bad).is_err(), "{bad}");
    }
    for good in ["https://example.com/", "https://example.com:8443/a?b=c", "https://93.184.215.14/"]
    {
        assert!(policy.target(good).is_ok(), "{good}");
    }
}

/// An answer is cut at 64 KB, one that never comes ends with the timeout, and one whose body never ends
/// still counts by its status.
#[tokio::test]
async fn answers_are_bounded_in_size_and_time() {
    let allowed = || Policy { networks: vec!["127.0.0.0/8".parse().unwrap()], ..open_policy() };
    let client = client(allowed(), Scripted::new(&[]));
    let body = "x".repeat(200_000);
    let large = format!("HTTP/1.1 200 OK\r\ncontent-length: 200000\r\n\r\n{body}");
    let canary = Canary::new("127.0.0.1", large).await;
    let url = format!("http://127.0.0.1:{}/", canary.port);
    let outgoing = Outgoing { url, headers: Vec::new(), body: Bytes::new() };
    assert_eq!(client.post(outgoing).await.unwrap().body.len(), 64 * 1024);
    let silent = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://127.0.0.1:{}/", silent.local_addr().unwrap().port());
    let refused = post(&client, url).await.unwrap_err();
    assert!(refused.contains("no answer within"), "{refused}");
}
