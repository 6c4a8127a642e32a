//! Which server, and as whom: from flags, the environment, or the data folder.

use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use hyper::header::HeaderValue;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use kernel::Ids;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject as _;
use store::SystemRandomness;
use url::{Host, Url};

use super::client::Client;
use super::failure::Failure;
use crate::control::{self, Question, Wanted};
use crate::settings::{DataFolder, Settings};
use crate::token::{self, FolderOptions};

/// Where the services are if nobody says otherwise.
const USUAL_URL: &str = "http://127.0.0.1:8080";
/// Whom tokens of the command line are for.
const OPERATOR: &str = "operator@localhost";

/// Which server, and as whom.
#[derive(Args, Clone, Debug)]
pub struct ConnectOptions {
    /// Where the services are. Without this, where the server of the data folder says, else
    /// http://127.0.0.1:8080.
    #[arg(long, value_name = "URL", env = "PLINTH_URL", global = true)]
    url: Option<String>,

    /// The API key to ask with.
    #[arg(long, value_name = "KEY", env = "PLINTH_API_KEY", hide_env_values = true, global = true)]
    api_key: Option<String>,

    /// The token to ask with. Without key and token, one is signed for an administrator of the
    /// platform, if the data folder can be read.
    #[arg(long, value_name = "TOKEN", env = "PLINTH_TOKEN", hide_env_values = true, global = true)]
    token: Option<String>,

    /// The account to work on, for administrators of the platform. Without this, the credential's.
    #[arg(long, value_name = "ID", env = "PLINTH_ACCOUNT", global = true)]
    account: Option<String>,

    /// Trust this certificate authority, in a PEM file, instead of those the machine trusts.
    #[arg(long, value_name = "FILE", env = "PLINTH_CA_CERTIFICATE", global = true)]
    ca_certificate: Option<PathBuf>,

    /// Send the credential readable over a network.
    #[arg(long, global = true)]
    allow_plain_http: bool,

    #[command(flatten)]
    folder: FolderOptions,
}

impl ConnectOptions {
    /// A client for that server.
    pub async fn client(self) -> Result<Client, Failure> {
        let settings = self.folder.settings().map_err(Failure::other)?;
        // A server that is just starting signs when it is ready, and says then where it is.
        let (credential, account) = self.credential(&settings).await?;
        let url = self.url(&settings).await?;
        let http = hyper_util::client::legacy::Client::builder(TokioExecutor::new())
            .build(self.connector()?);
        let ids = Ids::new(Arc::new(SystemRandomness));
        Ok(Client { http, url, credential, account, ids })
    }

    async fn url(&self, settings: &Settings) -> Result<String, Failure> {
        let text = match &self.url {
            Some(url) => url.clone(),
            None => {
                let folder = DataFolder::new(&settings.data);
                // Whoever may not ask the server may still call it.
                let told = control::ask(&folder, &Question::Address).await.ok().flatten();
                told.unwrap_or_else(|| USUAL_URL.to_owned())
            }
        };
        let wrong = || Failure::other(format!("{text} is no address. Write {USUAL_URL} say."));
        let url = Url::parse(&text).map_err(|_| wrong())?;
        let is_private = match url.scheme() {
            "https" => true,
            "http" => match url.host() {
                Some(Host::Domain(name)) => name == "localhost",
                Some(Host::Ipv4(address)) => address.is_loopback(),
                Some(Host::Ipv6(address)) => address.is_loopback(),
                None => return Err(wrong()),
            },
            _ => return Err(wrong()),
        };
        if !is_private && !self.allow_plain_http {
            return Err(Failure::other(format!(
                "{text} would get the credential readable over the network. Use https, or \
                 --allow-plain-http if the network is trusted."
            )));
        }
        Ok(text.trim_end_matches('/').to_owned())
    }

    /// The header that says who is asking, and for which account they ask.
    async fn credential(
        &self,
        settings: &Settings,
    ) -> Result<((&'static str, HeaderValue), Option<String>), Failure> {
        let given = [("x-api-key", "", &self.api_key), ("authorization", "Bearer ", &self.token)];
        for (header, start, credential) in given {
            if let Some(credential) = credential {
                return Ok((sealed(header, start, credential)?, self.account.clone()));
            }
        }
        let (email, role) = (OPERATOR.to_owned(), "platform-admin".to_owned());
        let tenant = Some(self.account.clone().unwrap_or(kernel::PLATFORM.to_owned()));
        let signed = token::sign(settings, Wanted { email, role, tenant }).await;
        let signed = signed.map_err(|problem| Failure::no_credential(&problem))?;
        Ok((sealed("authorization", "Bearer ", &signed)?, self.account.clone()))
    }

    fn connector(&self) -> Result<hyper_rustls::HttpsConnector<HttpConnector>, Failure> {
        let provider = rustls::crypto::ring::default_provider();
        let builder = hyper_rustls::HttpsConnectorBuilder::new();
        let Some(file) = &self.ca_certificate else {
            let builder = builder.with_provider_and_native_roots(provider);
            let builder = builder.map_err(|error| {
                Failure::other(format!("The machine trusts no certificate: {error}"))
            })?;
            return Ok(builder.https_or_http().enable_http1().build());
        };
        let wrong = |problem: String| {
            Failure::other(format!("The certificate {} is of no use: {problem}", file.display()))
        };
        let mut roots = rustls::RootCertStore::empty();
        let found =
            CertificateDer::pem_file_iter(file).map_err(|error| wrong(error.to_string()))?;
        for certificate in found {
            let certificate = certificate.map_err(|error| wrong(error.to_string()))?;
            roots.add(certificate).map_err(|error| wrong(error.to_string()))?;
        }
        let config = rustls::ClientConfig::builder_with_provider(Arc::new(provider))
            .with_safe_default_protocol_versions()
            .map_err(|error| wrong(error.to_string()))?
            .with_root_certificates(roots)
            .with_no_client_auth();
        Ok(builder.with_tls_config(config).https_or_http().enable_http1().build())
    }
}

fn sealed(
    header: &'static str,
    start: &str,
    credential: &str,
) -> Result<(&'static str, HeaderValue), Failure> {
    let value = HeaderValue::from_str(&format!("{start}{}", credential.trim()));
    let mut value =
        value.map_err(|_| Failure::other("The key or token has characters none has."))?;
    value.set_sensitive(true);
    Ok((header, value))
}
