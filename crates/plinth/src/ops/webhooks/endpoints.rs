//! `plinth ops webhooks endpoints`.

use clap::{Args, Subcommand, ValueEnum};
use hyper::Method;
use serde_json::{Map, Value, json};

use crate::ops::client::{Client, segment};
use crate::ops::failure::Failure;
use crate::ops::lists::{PageOptions, list};
use crate::ops::show::{Column, Output, line, required};

const ENDPOINTS: &[Column] = &[
    ("endpoint", &["endpointId"]),
    ("url", &["url"]),
    ("events", &["eventTypes"]),
    ("enabled", &["enabled"]),
    ("why not", &["disabledReason"]),
    ("made", &["createdAt"]),
];
const DELIVERIES: &[Column] = &[
    ("event", &["eventId"]),
    ("type", &["eventType"]),
    ("when", &["createdAt"]),
    ("status", &["status"]),
    ("attempts", &["attemptCount"]),
    ("next", &["nextAttemptAt"]),
    ("delivered", &["deliveredAt"]),
    ("stopped because", &["stoppedReason"]),
];

#[derive(Subcommand)]
pub enum Command {
    /// List the endpoints of the account.
    List(PageOptions),
    /// Make an endpoint, and print its secret, this once.
    Create(Create),
    /// Show an endpoint.
    Show(Which),
    /// Change an endpoint; what is left out stays.
    Update(Update),
    /// Remove an endpoint for good.
    Delete(Which),
    /// Give an endpoint a new secret, and print it, this once; both sign for a while.
    Rotate(Which),
    /// Send events to an endpoint again.
    Enable(Which),
    /// Send an endpoint nothing until it is enabled again.
    Disable(Which),
    /// Send an endpoint an event to try it.
    Test(Which),
    /// List the deliveries to an endpoint, newest event first.
    Deliveries {
        #[command(flatten)]
        which: Which,
        #[command(flatten)]
        page: PageOptions,
    },
}

/// Which endpoint.
#[derive(Args)]
pub struct Which {
    /// Its identifier, `ep_…`.
    id: String,
}

#[derive(Args)]
pub struct Create {
    /// Where events are sent: an https address.
    #[arg(long, value_name = "URL")]
    to: String,
    #[command(flatten)]
    properties: Properties,
    /// How events are signed.
    #[arg(long, value_enum, default_value = "hmac")]
    secret: SecretKind,
}

#[derive(Args)]
pub struct Update {
    #[command(flatten)]
    which: Which,
    /// Where events are sent.
    #[arg(long, value_name = "URL")]
    to: Option<String>,
    #[command(flatten)]
    properties: Properties,
    /// Every event, whatever its type.
    #[arg(long, conflicts_with = "event_type")]
    all_events: bool,
}

#[derive(Args)]
struct Properties {
    /// What it is for.
    #[arg(long, value_name = "TEXT")]
    description: Option<String>,
    /// Which events: a type such as `tenant.created`, or a beginning such as `tenant.*`; several are
    /// several of this. All if it is left out.
    #[arg(long, value_name = "TYPE")]
    event_type: Vec<String>,
    /// How many attempts in a second, at most.
    #[arg(long, value_name = "COUNT")]
    throttle: Option<u32>,
}

#[derive(Clone, Copy, ValueEnum)]
enum SecretKind {
    Hmac,
    Ed25519,
}

impl Properties {
    fn body(self) -> Map<String, Value> {
        let mut body = Map::new();
        if let Some(description) = self.description {
            body.insert("description".to_owned(), description.into());
        }
        if !self.event_type.is_empty() {
            body.insert("eventTypes".to_owned(), self.event_type.into());
        }
        if let Some(throttle) = self.throttle {
            body.insert("throttleRate".to_owned(), throttle.into());
        }
        body
    }
}

/// The path of an endpoint.
pub fn path(id: &str) -> String {
    format!("/webhooks/endpoints/{}", segment(id))
}

pub async fn run(command: Command, client: &Client, output: Output) -> Result<(), Failure> {
    match command {
        Command::List(page) => {
            let found = list(client, "/webhooks/endpoints", Vec::new(), page).await?;
            output.list(&found, ENDPOINTS, "There is no endpoint. `create` makes one.")?;
        }
        Command::Create(Create { to, properties, secret }) => {
            let mut body = properties.body();
            body.insert("url".to_owned(), to.into());
            if let SecretKind::Ed25519 = secret {
                body.insert("secretKind".to_owned(), "ed25519".into());
            }
            let made = client.post("/webhooks/endpoints", Some(&Value::Object(body))).await?;
            made_secret(&made, output)?;
        }
        Command::Show(Which { id }) => output.one(&client.get(&path(&id), Vec::new()).await?)?,
        Command::Update(update) => {
            let mut body = update.properties.body();
            if let Some(to) = update.to {
                body.insert("url".to_owned(), to.into());
            }
            if update.all_events {
                body.insert("eventTypes".to_owned(), Value::Null);
            }
            let (id, body) = (update.which.id, Value::Object(body));
            let done = client.change(Method::PATCH, &path(&id), Some(&body)).await?;
            output.done(&done, &format!("{id} is changed."));
        }
        Command::Delete(Which { id }) => {
            let done = client.change(Method::DELETE, &path(&id), None).await?;
            output.done(&done, &format!("{id} is removed."));
        }
        Command::Rotate(Which { id }) => {
            let body = json!({});
            let made = client.post(&format!("{}/rotate", path(&id)), Some(&body)).await?;
            made_secret(&made, output)?;
        }
        Command::Enable(Which { id }) => {
            act(client, output, &id, "enable", "is sent events").await?
        }
        Command::Disable(Which { id }) => {
            act(client, output, &id, "disable", "is sent nothing any more").await?;
        }
        Command::Test(Which { id }) => act(client, output, &id, "test", "is sent a test").await?,
        Command::Deliveries { which: Which { id }, page } => {
            let found =
                list(client, &format!("{}/deliveries", path(&id)), Vec::new(), page).await?;
            output.list(&found, DELIVERIES, "Nothing was sent to it yet.")?;
        }
    }
    Ok(())
}

async fn act(
    client: &Client,
    output: Output,
    id: &str,
    action: &str,
    what: &str,
) -> Result<(), Failure> {
    let done = client.post(&format!("{}/{action}", path(id)), None).await?;
    output.done(&done, &format!("{id} {what}."));
    Ok(())
}

/// An endpoint with its new secret. Of an ed25519 key only the public half is ever shown.
fn made_secret(answer: &Value, output: Output) -> Result<(), Failure> {
    let endpoint = &answer["endpoint"];
    let id = required(endpoint, "endpointId")?;
    if output.json {
        return output.one(answer);
    }
    line(&format!("endpoint  {id}"));
    match &answer["secret"] {
        Value::String(secret) => {
            line(&format!("secret    {secret}"));
            eprintln!(
                "Keep the secret: it is not shown again. Receivers verify signatures with it."
            );
        }
        _ => line(&format!("key       {}", required(endpoint, "publicKey")?)),
    }
    Ok(())
}
