//! Deliveries over HTTPS to a server that really speaks it: what arrives, and whom the client trusts.

use std::net::IpAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use kernel::clock::{Clock as _, SystemClock};
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;
use webhooks::{Client, NewEndpoint, Policy, Ports, Resolve, Resolving, Settings};

use crate::certificates::Authority;
use crate::webhook_world::{ACCOUNT, World};

const NAME: &str = "hooks.example";

/// One request as it came.
#[derive(Clone)]
struct Request {
    protocol: Option<Vec<u8>>,
    line: String,
    headers: hyper::HeaderMap,
    body: Vec<u8>,
}

/// A server on loopback: speaks TLS if it has something to, remembers requests, and answers each.
struct Server {
    port: u16,
    requests: Arc<Mutex<Vec<Request>>>,
}

impl Server {
    async fn new(tls: Option<TlsAcceptor>, answer: &'static str) -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let requests: Arc<Mutex<Vec<Request>>> = Arc::default();
        let seen = Arc::clone(&requests);
        tokio::spawn(async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                let Some(tls) = &tls else {
                    let _ = stream.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n").await;
                    continue;
                };
                // Whoever does not trust it goes away here.
                let Ok(stream) = tls.accept(stream).await else { continue };
                let protocol = stream.get_ref().1.alpn_protocol().map(<[u8]>::to_vec);
                let mut stream = BufReader::new(stream);
                let mut request = read(&mut stream).await;
                request.protocol = protocol;
                seen.lock().unwrap().push(request);
                let _ = stream.write_all(answer.as_bytes()).await;
                let _ = stream.shutdown().await;
            }
        });
        Server { port, requests }
    }

    fn requests(&self) -> Vec<Request> {
        self.requests.lock().unwrap().clone()
    }
}

async fn read(stream: &mut (impl tokio::io::AsyncBufRead + Unpin)) -> Request {
    let mut line = String::new();
    stream.read_line(&mut line).await.unwrap();
    let mut headers = hyper::HeaderMap::new();
    loop {
        let mut header = String::new();
        stream.read_line(&mut header).await.unwrap();
        let Some((name, value)) = header.trim_end().split_once(": ") else { break };
        let name = hyper::header::HeaderName::try_from(name).unwrap();
        headers.insert(name, value.parse().unwrap());
    }
    let length = headers["content-length"].to_str().unwrap().parse().unwrap();
    let mut body = vec![0; length];
    stream.read_exact(&mut body).await.unwrap();
    Request { protocol: None, line: line.trim_end().to_owned(), headers, body }
}

/// Every name is this machine.
struct Here;

impl Resolve for Here {
    fn resolve<'a>(&'a self, _: &'a str) -> Resolving<'a> {
        Box::pin(async { Ok(vec![IpAddr::from([127, 0, 0, 1])]) })
    }
}

fn client(trusted: &Authority) -> Client {
    let networks = vec!["127.0.0.0/8".parse().unwrap()];
    let policy = Policy { ports: Ports::Any, networks, ..Policy::default() };
    let mut roots = rustls::RootCertStore::empty();
    roots.add(trusted.certificate()).unwrap();
    Client::with_roots(policy, Arc::new(Here), Duration::from_secs(5), roots).unwrap()
}

/// Makes an endpoint and an event, attempts once, and gives the attempt with the endpoint's secret.
async fn attempted(server: &Server, client: Client) -> (webhooks::Attempt, String) {
    let world = World::at(SystemClock.now_millis(), Settings::default()).await;
    let url = format!("https://{NAME}:{}/in?a=b", server.port);
    let new = NewEndpoint { url, ..NewEndpoint::default() };
    let created = world.commit(world.endpoints.create(ACCOUNT, new).await.unwrap()).await;
    let event = world.emit("tenant.parked").await;
    world.worker(client).drain().await.unwrap();
    let attempts = world.messages.attempts(ACCOUNT, &event, &created.endpoint.id).await.unwrap();
    assert_eq!(attempts.len(), 1);
    (attempts[0].clone(), created.secret.unwrap().to_string())
}

/// What arrives is whole and signed, and the answer is kept.
#[tokio::test]
async fn an_event_is_delivered_over_https() {
    let authority = Authority::new();
    let answer = "HTTP/1.1 202 Accepted\r\ncontent-length: 5\r\n\r\nthank";
    let server = Server::new(Some(authority.acceptor(NAME)), answer).await;
    let (attempt, secret) = attempted(&server, client(&authority)).await;
    assert_eq!((attempt.outcome.as_str(), attempt.response_status), ("success", Some(202)));
    assert_eq!(attempt.response_excerpt.as_deref(), Some("thank"));
    let requests = server.requests();
    assert_eq!(requests.len(), 1);
    let request = &requests[0];
    assert_eq!(request.protocol.as_deref(), Some(&b"http/1.1"[..]), "of those it offers");
    assert_eq!(request.line, "POST /in?a=b HTTP/1.1");
    assert_eq!(request.headers["host"], format!("{NAME}:{}", server.port));
    assert_eq!(request.headers["content-type"], "application/json");
    let verifier = standardwebhooks::Webhook::new(&secret).unwrap();
    verifier.verify(&request.body, &request.headers).unwrap();
}

/// A server that cannot prove who it is gets nothing, and the attempt says why.
#[tokio::test]
async fn a_server_that_cannot_prove_its_name_gets_nothing() {
    let (trusted, stranger) = (Authority::new(), Authority::new());
    let cases = [
        ("an authority that nobody knows", Some(stranger.acceptor(NAME))),
        ("another name", Some(trusted.acceptor("other.example"))),
        ("a certificate that has ended", Some(trusted.acceptor_until(NAME, 2001))),
        ("no TLS at all", None),
    ];
    for (case, tls) in cases {
        let server = Server::new(tls, "HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n").await;
        let (attempt, _) = attempted(&server, client(&trusted)).await;
        assert_eq!(
            (attempt.outcome.as_str(), attempt.response_status),
            ("failure", None),
            "{case}"
        );
        let why = attempt.error.unwrap();
        assert!(why.starts_with("no TLS: "), "{case}: {why}");
        assert!(server.requests().is_empty(), "{case}");
    }
}
