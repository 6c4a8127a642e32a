//! Mail by SMTP to a server that really speaks it: what arrives, what is refused, and whom the client
//! trusts with its password.

use std::sync::{Arc, Mutex};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use identity::mail::{Mail, Mailer as _, Smtp, SmtpSecurity, SmtpSettings};
use kernel::clock::SystemClock;
use secrets::Secret;
use tokio::io::{AsyncBufReadExt as _, AsyncRead, AsyncWrite, AsyncWriteExt as _, BufReader};
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;

use crate::certificates::Authority;

const CODE: &str = "code-481516";
const PASSWORD: &str = "password-2342";

/// What a server says to a command that begins so, instead of the usual.
type Refusal = Option<(&'static str, &'static str)>;

/// A server on loopback that remembers what it is told.
#[derive(Clone)]
struct Server {
    port: u16,
    /// Commands, and the lines of mails.
    heard: Arc<Mutex<Vec<String>>>,
    /// For the next command that it is about.
    refusal: Arc<Mutex<Refusal>>,
}

impl Server {
    async fn new(tls: Option<TlsAcceptor>) -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let server = Server { port, heard: Arc::default(), refusal: Arc::default() };
        let shared = server.clone();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                match &tls {
                    None => shared.converse(stream).await,
                    Some(tls) => match tls.accept(stream).await {
                        Ok(stream) => shared.converse(stream).await,
                        // Whoever does not trust it goes away here.
                        Err(_) => continue,
                    },
                }
            }
        });
        server
    }

    /// One connection, until the other side is done.
    async fn converse(&self, stream: impl AsyncRead + AsyncWrite + Unpin) {
        let mut stream = BufReader::new(stream);
        let _ = stream.write_all(b"220 here\r\n").await;
        let mut is_mail = false;
        loop {
            let mut line = String::new();
            if !matches!(stream.read_line(&mut line).await, Ok(1..)) {
                return;
            }
            let line = line.trim_end().to_owned();
            self.heard.lock().unwrap().push(line.clone());
            let usual = match line.split(' ').next().unwrap() {
                "." => "250 taken",
                _ if is_mail => continue,
                "EHLO" => "250-here\r\n250 AUTH PLAIN",
                "AUTH" => "235 welcome",
                "DATA" => "354 go on",
                "QUIT" => "221 bye",
                _ => "250 fine",
            };
            let mut refusal = self.refusal.lock().unwrap().take();
            if refusal.is_some_and(|(start, _)| !line.starts_with(start)) {
                *self.refusal.lock().unwrap() = refusal.take();
            }
            let answer = refusal.map_or(usual, |(_, answer)| answer);
            is_mail = answer.starts_with("354");
            let _ = stream.write_all(format!("{answer}\r\n").as_bytes()).await;
            let _ = stream.flush().await;
        }
    }

    fn heard(&self) -> Vec<String> {
        self.heard.lock().unwrap().clone()
    }

    fn settings(&self, security: SmtpSecurity) -> SmtpSettings {
        let login = ("plinth".to_owned(), Secret::from(PASSWORD));
        SmtpSettings {
            host: "localhost".to_owned(),
            port: Some(self.port),
            security,
            login: (security != SmtpSecurity::None).then_some(login),
            from: "noreply@example.com".to_owned(),
            product: "Plinth".to_owned(),
        }
    }

    fn plain(&self) -> Smtp {
        Smtp::new(self.settings(SmtpSecurity::None), Arc::new(SystemClock)).unwrap()
    }

    fn trusting(&self, authority: &Authority) -> Smtp {
        let authorities = vec![authority.certificate().to_vec()];
        let settings = self.settings(SmtpSecurity::Tls);
        Smtp::trusting(settings, Arc::new(SystemClock), authorities).unwrap()
    }
}

fn mail() -> Mail {
    let text = format!("Your code is {CODE}\n.\n..\nThat was all.\n");
    Mail::new("ann@example.com", "A code", Secret::new(text))
}

/// A mail arrives as it was written; lines that begin with a dot end nothing.
#[tokio::test]
async fn a_mail_arrives_whole() {
    let server = Server::new(None).await;
    server.plain().send(mail()).await.unwrap();
    let heard = server.heard();
    let has = |line: &str| heard.iter().any(|one| one == line);
    for line in ["MAIL FROM:<noreply@example.com>", "RCPT TO:<ann@example.com>"] {
        assert!(heard.iter().any(|one| one.starts_with(line)), "{line} in {heard:?}");
    }
    for line in ["To: ann@example.com", "Subject: A code", "That was all.", "..", "..."] {
        assert!(has(line), "{line} in {heard:?}");
    }
    assert!(has(&format!("Your code is {CODE}")), "{heard:?}");
    assert!(!heard.iter().any(|line| line.starts_with("AUTH")), "there is no password to send");
}

/// Whatever the server refuses is an error that can be tried again, tells no code and no password, and
/// does not spoil the next mail.
#[tokio::test]
async fn a_refusal_is_told_and_the_next_mail_goes() {
    let authority = Authority::new();
    let cases = [
        ("AUTH", "535 5.7.8 wrong password"),
        ("MAIL", "421 4.3.2 closing"),
        ("RCPT", "550 5.1.1 nobody here"),
        ("DATA", "451 4.3.0 not now"),
        (".", "554 5.7.1 looks like spam"),
    ];
    for (start, answer) in cases {
        let server = Server::new(Some(authority.acceptor("localhost"))).await;
        let smtp = server.trusting(&authority);
        *server.refusal.lock().unwrap() = Some((start, answer));
        let error = smtp.send(mail()).await.unwrap_err();
        assert_eq!(error.code().status, 503, "{start}");
        let told = format!("{error:?}");
        assert!(told.contains(&answer[4..9]), "{start}: {told}");
        assert!(!told.contains(CODE) && !told.contains(PASSWORD), "{start}: {told}");
        assert!(!error.to_string().contains(&answer[4..9]), "callers do not hear of it: {error}");
        let taken = |server: &Server| server.heard().iter().filter(|line| *line == ".").count();
        let before = taken(&server);
        smtp.send(mail()).await.unwrap();
        assert_eq!(taken(&server), before + 1, "{start}");
    }
}

/// The password goes to a server that proves its name, and to no other.
#[tokio::test]
async fn a_password_goes_only_to_a_server_that_proves_its_name() {
    let (trusted, stranger) = (Authority::new(), Authority::new());
    let server = Server::new(Some(trusted.acceptor("localhost"))).await;
    server.trusting(&trusted).send(mail()).await.unwrap();
    let login = STANDARD.encode(format!("\0plinth\0{PASSWORD}"));
    assert!(server.heard().contains(&format!("AUTH PLAIN {login}")), "{:?}", server.heard());
    for acceptor in [stranger.acceptor("localhost"), trusted.acceptor("mail.example")] {
        let server = Server::new(Some(acceptor)).await;
        let error = server.trusting(&trusted).send(mail()).await.unwrap_err();
        assert_eq!(error.code().status, 503);
        assert!(server.heard().is_empty(), "{:?}", server.heard());
    }
    let mut settings = server.settings(SmtpSecurity::Tls);
    settings.security = SmtpSecurity::None;
    let refused = Smtp::new(settings, Arc::new(SystemClock)).err().unwrap();
    assert!(format!("{refused:?}").contains("without protection"), "{refused:?}");
}
