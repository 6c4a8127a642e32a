//! Mail by SMTP.

use std::sync::Arc;
use std::time::Duration;

use kernel::clock::Clock;
use kernel::error::Error;
use kernel::moment::Moment;
use lettre::message::Mailbox;
use lettre::transport::smtp::authentication::Credentials;
use lettre::transport::smtp::client::{Certificate, Tls, TlsParameters};
use lettre::transport::smtp::{SUBMISSION_PORT, SUBMISSIONS_PORT};
use lettre::{AsyncSmtpTransport, AsyncTransport as _, Tokio1Executor};
use secrets::Secret;

use super::message::sender;
use super::{Mail, Mailer, Sending};

const TIME_MAX: Duration = Duration::from_secs(20);

/// How the connection is protected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SmtpSecurity {
    /// TLS from the beginning, usually on port 465.
    Tls,
    /// TLS after asking for it, and not without, usually on port 587.
    StartTls,
    /// None: for a relay on the same machine.
    None,
}

/// Which server takes mails.
#[derive(Clone, Debug)]
pub struct SmtpSettings {
    /// Its name.
    pub host: String,
    /// Its port, unless it is the usual one.
    pub port: Option<u16>,
    /// How the connection is protected.
    pub security: SmtpSecurity,
    /// User name and password.
    pub login: Option<(String, Secret)>,
    /// The address that mails come from.
    pub from: String,
    /// The name that mails come from.
    pub product: String,
}

/// A server that takes mails.
pub struct Smtp {
    transport: AsyncSmtpTransport<Tokio1Executor>,
    from: Mailbox,
    clock: Arc<dyn Clock>,
}

impl Smtp {
    /// Connects when the first mail is sent.
    pub fn new(settings: SmtpSettings, clock: Arc<dyn Clock>) -> Result<Smtp, Error> {
        Smtp::trusting(settings, clock, Vec::new())
    }

    /// The same, with certificate authorities (DER) beside those of the system.
    pub fn trusting(
        settings: SmtpSettings,
        clock: Arc<dyn Clock>,
        authorities: Vec<Vec<u8>>,
    ) -> Result<Smtp, Error> {
        let host = settings.host.as_str();
        let builder = AsyncSmtpTransport::<Tokio1Executor>::builder_dangerous(host);
        let mut builder = match settings.security {
            SmtpSecurity::Tls => {
                builder.port(SUBMISSIONS_PORT).tls(Tls::Wrapper(tls(host, authorities)?))
            }
            SmtpSecurity::StartTls => {
                builder.port(SUBMISSION_PORT).tls(Tls::Required(tls(host, authorities)?))
            }
            SmtpSecurity::None => builder,
        };
        if let Some(port) = settings.port {
            builder = builder.port(port);
        }
        if let Some((name, password)) = settings.login {
            if settings.security == SmtpSecurity::None {
                let why = "the mail server: a password would be sent without protection";
                return Err(Error::internal(why));
            }
            builder = builder.credentials(Credentials::new(name, password.reveal().to_owned()));
        }
        let from = sender(&settings.product, &settings.from)?;
        Ok(Smtp { transport: builder.timeout(Some(TIME_MAX)).build(), from, clock })
    }
}

fn tls(host: &str, authorities: Vec<Vec<u8>>) -> Result<TlsParameters, Error> {
    let unusable = |error| Error::internal(format!("the mail server: {error}"));
    let mut builder = TlsParameters::builder(host.to_owned());
    for authority in authorities {
        builder = builder.add_root_certificate(Certificate::from_der(authority).map_err(unusable)?);
    }
    builder.build().map_err(unusable)
}

impl Mailer for Smtp {
    fn send(&self, mail: Mail) -> Sending<'_> {
        Box::pin(async move {
            let message = mail.message(&self.from, Moment::from_millis(self.clock.now_millis()))?;
            let sent = self.transport.send(message).await;
            // The server's own words go to the log; they do not repeat what a mail says.
            sent.map(|_| ())
                .map_err(|error| Error::unavailable(format!("the mail server: {error}")))
        })
    }
}
