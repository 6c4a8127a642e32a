//! The settings of the platform: mail, people, other issuers, limits, keys.

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use super::values;

/// How the platform under the services runs.
#[derive(Args, Clone, Debug)]
pub struct PlatformSettings {
    /// The server that takes mails: `smtp://user@mail.example.com:587` (STARTTLS), `smtps://…` (TLS
    /// from the beginning) or `smtp-plain://localhost:25` (a relay on this machine). Without this,
    /// mails are files in the folder `mailbox` of the data folder.
    #[arg(long, value_name = "URL", env = "PLINTH_SMTP_URL", hide_env_values = true)]
    pub smtp_url: Option<Hidden>,

    /// The password for the mail server, if it is not in the URL. Others on this machine can see flags:
    /// better set the variable.
    #[arg(long, value_name = "PASSWORD", env = "PLINTH_SMTP_PASSWORD", hide_env_values = true)]
    pub smtp_password: Option<Hidden>,

    /// The address that mails come from: `no-reply@example.com`.
    #[arg(long, value_name = "ADDRESS", env = "PLINTH_MAIL_FROM")]
    pub mail_from: Option<String>,

    /// The address of the administrator whom the first start makes. Later starts do not look at it.
    #[arg(
        long,
        value_name = "ADDRESS",
        env = "PLINTH_ADMIN_EMAIL",
        default_value = "admin@localhost",
        value_parser = values::email
    )]
    pub admin_email: String,

    /// Another issuer whose tokens are accepted, by its `iss` to the letter. More than one are tables
    /// `[[issuers]]` of the configuration file.
    #[arg(long, value_name = "URL", env = "PLINTH_OIDC_ISSUER")]
    pub oidc_issuer: Option<String>,

    /// Whom the tokens of that issuer must be for: the client id.
    #[arg(long, value_name = "ID", env = "PLINTH_OIDC_AUDIENCE")]
    pub oidc_audience: Option<String>,

    /// Where that issuer's keys are: an https address or a file. Without this, where its
    /// `/.well-known/openid-configuration` says.
    #[arg(long, value_name = "PLACE", env = "PLINTH_OIDC_JWKS")]
    pub oidc_jwks: Option<String>,

    /// A user pool of Amazon Cognito whose tokens are accepted:
    /// `https://cognito-idp.eu-west-1.amazonaws.com/eu-west-1_AbCdEf`.
    #[arg(long, value_name = "URL", env = "PLINTH_COGNITO_ISSUER")]
    pub cognito_issuer: Option<String>,

    /// The app client of that user pool.
    #[arg(long, value_name = "ID", env = "PLINTH_COGNITO_CLIENT")]
    pub cognito_client: Option<String>,

    /// Other issuers: a JSON file with a list of them, or tables `[[issuers]]` of the configuration
    /// file, with `issuer`, `audience`, and if need be `kind` (`oidc` or `cognito`), `jwks`,
    /// `groups-claim`, `tenants-claim`, `customer-claim` and `platform-groups`, which says what role
    /// on the whole platform a group stands for; and `trusts-email = true` if its tokens have no
    /// `email_verified` and their addresses are verified all the same.
    #[arg(long, value_name = "FILE", env = "PLINTH_ISSUERS")]
    pub issuers: Option<Document>,

    /// The rate limits, instead of the usual ones: a JSON file with a list of policies, or tables
    /// `[[policies]]` of the configuration file. `plinth ops limits list` shows those in use.
    #[arg(long, value_name = "FILE", env = "PLINTH_POLICIES")]
    pub policies: Option<Document>,

    /// After so many days another key signs access tokens; nobody is logged out by it. 0 is never.
    #[arg(long, value_name = "DAYS", env = "PLINTH_SIGNING_KEY_DAYS", default_value_t = 90)]
    pub signing_key_days: u32,
}

impl PlatformSettings {
    /// How old a signing key may become, if that is limited.
    pub fn signing_key_age(&self) -> Option<Duration> {
        let days = u64::from(self.signing_key_days);
        (days > 0).then(|| Duration::from_secs(days * 24 * 60 * 60))
    }
}

/// A text that may hold a password: it is not printed.
#[derive(Clone)]
pub struct Hidden(String);

impl Hidden {
    /// The text.
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Hidden {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("…")
    }
}

impl std::str::FromStr for Hidden {
    type Err = std::convert::Infallible;

    fn from_str(text: &str) -> Result<Hidden, Self::Err> {
        Ok(Hidden(text.to_owned()))
    }
}

/// JSON in a file, or JSON itself: what tables of the configuration file become.
#[derive(Clone, Debug)]
pub enum Document {
    /// In this file.
    File(PathBuf),
    /// This text.
    Text(String),
}

impl std::str::FromStr for Document {
    type Err = std::convert::Infallible;

    fn from_str(text: &str) -> Result<Document, Self::Err> {
        let is_json = text.trim_start().starts_with('[');
        Ok(if is_json { Document::Text(text.to_owned()) } else { Document::File(text.into()) })
    }
}

impl Document {
    /// What it says; `what` names it in messages.
    pub fn read<T: serde::de::DeserializeOwned>(&self, what: &str) -> Result<T, String> {
        let (text, place) = match self {
            Document::Text(text) => (text.clone(), "the settings".to_owned()),
            Document::File(path) => {
                let text = std::fs::read_to_string(path).map_err(|error| {
                    format!("The file {} with {what} cannot be read: {error}", path.display())
                })?;
                (text, path.display().to_string())
            }
        };
        serde_json::from_str(&text)
            .map_err(|error| format!("{what} in {place} are not as they should be: {error}"))
    }
}
