//! `plinth ops keys`.

use std::io::Read as _;
use std::time::Duration;

use clap::{Args, Subcommand, ValueEnum};
use database::clock::{Clock as _, SystemClock};
use kernel::Moment;
use serde_json::{Map, Value, json};

use super::client::{Client, segment};
use super::failure::Failure;
use super::lists::{PageOptions, list};
use super::show::{Column, Output, line, required};
use crate::access_keys::duration;

const COLUMNS: &[Column] = &[
    ("key", &["keyId"]),
    ("name", &["name"]),
    ("environment", &["environment"]),
    ("begins", &["prefix"]),
    ("status", &["status"]),
    ("made", &["createdAt"]),
    ("last used", &["lastUsedAt"]),
    ("expires", &["expiresAt"]),
    ("scopes", &["scopes"]),
];

#[derive(Subcommand)]
pub enum Command {
    /// List the keys of the account, newest first.
    List(PageOptions),
    /// Make a key and print its secret, this once.
    Create(Create),
    /// Show a key, without its secret.
    Show(Which),
    /// Give a key a successor, and print the successor's secret, this once.
    Rotate {
        #[command(flatten)]
        which: Which,
        /// How long the old key stays valid: `0s` to `1d`.
        #[arg(long, value_name = "TIME", default_value = "1h", value_parser = grace)]
        grace: u64,
    },
    /// Switch a key off until it is switched on again.
    Disable(Which),
    /// Switch a key on again.
    Enable(Which),
    /// Revoke a key for good: the next request with it fails.
    Revoke {
        #[command(flatten)]
        which: Which,
        /// Why.
        #[arg(long, value_name = "TEXT")]
        reason: Option<String>,
    },
    /// Report a key that was found where it should not be: it is revoked at once.
    Report {
        /// Where it was found.
        #[arg(long, value_name = "TEXT")]
        found_at: Option<String>,
        /// The key itself. Without this, it is read from the standard input: others on this machine can
        /// see what is typed here.
        key: Option<String>,
    },
}

/// Which key.
#[derive(Args)]
pub struct Which {
    /// Its identifier, `key_…`.
    id: String,
}

/// A key that is to be made.
#[derive(Args)]
pub struct Create {
    /// What it is called.
    #[arg(long, value_name = "TEXT")]
    name: String,
    /// For real or for trying things out.
    #[arg(long, value_enum, default_value = "live")]
    environment: Environment,
    /// What it may do, such as `keys:read` or `webhooks:*`; several are several of this.
    #[arg(long, value_name = "SCOPE", required = true, value_parser = scope)]
    scope: Vec<String>,
    /// After which time it is refused: `12h`, `90d`.
    #[arg(long, value_name = "TIME", value_parser = duration)]
    expires_in: Option<Duration>,
    /// What to note about it.
    #[arg(long, value_name = "NAME=VALUE", value_parser = pair)]
    note: Vec<(String, String)>,
    /// How many requests it may make in how many seconds: `100/60`.
    #[arg(long, value_name = "REQUESTS/SECONDS", value_parser = rate)]
    rate: Option<(u64, u64)>,
    /// How often it may be used in all.
    #[arg(long, value_name = "COUNT")]
    uses: Option<u64>,
}

#[derive(Clone, Copy, ValueEnum)]
enum Environment {
    Live,
    Test,
}

impl Create {
    fn body(self, now: Moment) -> Value {
        let environment = match self.environment {
            Environment::Live => "live",
            Environment::Test => "test",
        };
        let mut body = Map::new();
        body.insert("name".to_owned(), self.name.into());
        body.insert("environment".to_owned(), environment.into());
        body.insert("scopes".to_owned(), self.scope.into());
        if let Some(time) = self.expires_in {
            body.insert("expiresAt".to_owned(), now.after(time).to_string().into());
        }
        if !self.note.is_empty() {
            let notes = self.note.into_iter().map(|(name, value)| (name, Value::from(value)));
            body.insert("metadata".to_owned(), Value::Object(notes.collect()));
        }
        if let Some((requests, window)) = self.rate {
            let limit = json!({ "requests": requests, "windowSeconds": window });
            body.insert("limit".to_owned(), limit);
        }
        if let Some(uses) = self.uses {
            body.insert("usesLeft".to_owned(), uses.into());
        }
        Value::Object(body)
    }
}

pub async fn run(command: Command, client: &Client, output: Output) -> Result<(), Failure> {
    match command {
        Command::List(page) => {
            let found = list(client, "/keys", Vec::new(), page).await?;
            output.list(&found, COLUMNS, "There is no key. `plinth ops keys create` makes one.")?;
        }
        Command::Create(create) => {
            let now = Moment::from_millis(SystemClock.now_millis());
            made(&client.post("/keys", Some(&create.body(now))).await?, output)?;
        }
        Command::Show(which) => output.one(&client.get(&which.path(""), Vec::new()).await?)?,
        Command::Rotate { which, grace } => {
            let body = json!({ "graceSeconds": grace });
            made(&client.post(&which.path("/rotate"), Some(&body)).await?, output)?;
        }
        Command::Disable(which) => {
            let done = client.post(&which.path("/disable"), None).await?;
            output.done(&done, &format!("{} is switched off.", which.id));
        }
        Command::Enable(which) => {
            let done = client.post(&which.path("/enable"), None).await?;
            output.done(&done, &format!("{} is switched on.", which.id));
        }
        Command::Revoke { which, reason } => {
            let body = reason.map_or_else(|| json!({}), |reason| json!({ "reason": reason }));
            let done = client.post(&which.path("/revoke"), Some(&body)).await?;
            output.done(&done, &format!("{} is revoked, for good.", which.id));
        }
        Command::Report { found_at, key } => {
            let key = match key {
                Some(key) => key,
                None => typed()?,
            };
            let mut body = json!({ "key": key.trim() });
            if let Some(place) = found_at {
                body["foundAt"] = place.into();
            }
            let done = client.post("/keys/report", Some(&body)).await?;
            output.done(&done, "Thank you. If it was a key, it is revoked.");
        }
    }
    Ok(())
}

impl Which {
    fn path(&self, action: &str) -> String {
        format!("/keys/{}{action}", segment(&self.id))
    }
}

/// A new key with its secret; the advice goes where a script does not read it.
fn made(answer: &Value, output: Output) -> Result<(), Failure> {
    let (id, secret) = (required(answer, "keyId")?, required(answer, "secret")?);
    if output.json {
        return output.one(answer);
    }
    line(&format!("key     {id}"));
    line(&format!("secret  {secret}"));
    eprintln!("Keep the secret: it is not shown again. Programs send it in the header X-Api-Key.");
    Ok(())
}

fn typed() -> Result<String, Failure> {
    let mut key = String::new();
    let read = std::io::stdin().lock().take(4096).read_to_string(&mut key);
    read.map_err(|error| Failure::other(format!("The key cannot be read: {error}")))?;
    Ok(key)
}

/// A scope that some permission asks for, the beginning of one, or all.
fn scope(text: &str) -> Result<String, String> {
    let rules = platform::permissions::OPS.iter().chain(tenancy::TENANCY);
    let known: std::collections::BTreeSet<&str> = rules.filter_map(|rule| rule.scope).collect();
    let is_known = match text.strip_suffix('*') {
        Some(start) => known.iter().any(|scope| scope.starts_with(start)),
        None => known.contains(text),
    };
    if is_known {
        return Ok(text.to_owned());
    }
    let known: Vec<&str> = known.into_iter().collect();
    Err(format!("it allows nothing. There are {}, `keys:*` and the like, and *", known.join(", ")))
}

fn grace(text: &str) -> Result<u64, String> {
    if text == "0s" {
        return Ok(0);
    }
    duration(text).map(|grace| grace.as_secs())
}

fn pair(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').ok_or("write a name, =, and a value")?;
    Ok((name.to_owned(), value.to_owned()))
}

fn rate(text: &str) -> Result<(u64, u64), String> {
    let parsed = text.split_once('/').and_then(|(requests, seconds)| {
        Some((requests.trim().parse().ok()?, seconds.trim().parse().ok()?))
    });
    parsed.ok_or_else(|| "write requests, /, and seconds: 100/60".to_owned())
}
