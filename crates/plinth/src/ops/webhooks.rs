//! `plinth ops webhooks`.

mod endpoints;

use clap::Subcommand;
use database::clock::{Clock as _, SystemClock};
use kernel::Moment;
use serde_json::{Value, json};

use super::client::{Client, segment};
use super::failure::Failure;
use super::lists::{PageOptions, list, list_unsized};
use super::show::{Column, Output};

const EVENTS: &[Column] = &[
    ("event", &["eventId"]),
    ("type", &["eventType"]),
    ("when", &["createdAt"]),
    ("sent on", &["dispatched"]),
];
const ATTEMPTS: &[Column] = &[
    ("endpoint", &["endpointId"]),
    ("attempt", &["attemptNumber"]),
    ("when", &["attemptedAt"]),
    ("outcome", &["outcome"]),
    ("status", &["responseStatus"]),
    ("ms", &["durationMilliseconds"]),
    ("error", &["error"]),
];
const MISSING: &[Column] = &[
    ("event", &["eventId"]),
    ("type", &["eventType"]),
    ("when", &["createdAt"]),
    ("delivery", &["status"]),
    ("attempts", &["attemptCount"]),
];

#[derive(Subcommand)]
pub enum Command {
    /// Where events are sent.
    #[command(subcommand)]
    Endpoints(endpoints::Command),
    /// List the events of the account, newest first, or show one.
    Events {
        /// The event, `evt_…`.
        id: Option<String>,
        #[command(flatten)]
        page: PageOptions,
    },
    /// List the attempts to deliver an event.
    Attempts {
        /// The event, `evt_…`.
        event: String,
        /// Those to one endpoint.
        #[arg(long, value_name = "ID")]
        endpoint: Option<String>,
    },
    /// Send an event to an endpoint again, also if it has it.
    Resend {
        /// The event, `evt_…`.
        event: String,
        /// The endpoint, `ep_…`.
        #[arg(long, value_name = "ID")]
        endpoint: String,
    },
    /// Send an endpoint again what happened in a range of time.
    Replay {
        /// The endpoint, `ep_…`.
        endpoint: String,
        /// From when on: `2026-01-31T12:00:00Z`.
        #[arg(long, value_name = "TIME", value_parser = moment)]
        from: Moment,
        /// Until when; until now if it is left out.
        #[arg(long, value_name = "TIME", value_parser = moment)]
        to: Option<Moment>,
        /// Also what the endpoint has already.
        #[arg(long)]
        everything: bool,
    },
    /// List the events that an endpoint should have and has not.
    Missing {
        /// The endpoint, `ep_…`.
        endpoint: String,
        /// Since when: `2026-01-31T12:00:00Z`.
        #[arg(long, value_name = "TIME", value_parser = moment)]
        since: Moment,
        #[command(flatten)]
        page: PageOptions,
    },
}

pub async fn run(command: Command, client: &Client, output: Output) -> Result<(), Failure> {
    match command {
        Command::Endpoints(command) => return endpoints::run(command, client, output).await,
        Command::Events { id: Some(id), .. } => {
            let path = format!("/webhooks/events/{}", segment(&id));
            output.one(&client.get(&path, Vec::new()).await?)?;
        }
        Command::Events { id: None, page } => {
            let found = list(client, "/webhooks/events", Vec::new(), page).await?;
            output.list(&found, EVENTS, "There is no event.")?;
        }
        Command::Attempts { event, endpoint } => {
            let path = format!("/webhooks/events/{}/attempts", segment(&event));
            let found = client.get(&path, vec![("endpointId", endpoint)]).await?;
            output.list(&found, ATTEMPTS, "It was not tried yet.")?;
        }
        Command::Resend { event, endpoint } => {
            let path = format!("/webhooks/events/{}/resend", segment(&event));
            let done = client.post(&path, Some(&json!({ "endpointId": endpoint }))).await?;
            output.done(&done, &format!("{event} is sent to {endpoint} again."));
        }
        Command::Replay { endpoint, from, to, everything } => {
            let to = to.unwrap_or_else(|| Moment::from_millis(SystemClock.now_millis()));
            let range = json!({ "from": from, "to": to, "onlyMissing": !everything });
            replay(client, output, &endpoint, range).await?;
        }
        Command::Missing { endpoint, since, page } => {
            let path = format!("{}/missing", endpoints::path(&endpoint));
            let since = vec![("since", Some(since.to_string()))];
            let found = list_unsized(client, &path, since, page).await?;
            output.list(&found, MISSING, "Nothing is missing.")?;
        }
    }
    Ok(())
}

/// Goes on until the server says that the range is done.
async fn replay(
    client: &Client,
    output: Output,
    endpoint: &str,
    mut range: Value,
) -> Result<(), Failure> {
    let path = format!("{}/replay", endpoints::path(endpoint));
    let mut ids = Vec::new();
    loop {
        let part = client.post(&path, Some(&range)).await?;
        ids.extend(part["eventIds"].as_array().into_iter().flatten().cloned());
        match part["nextToken"].as_str() {
            Some(token) => range["nextToken"] = token.into(),
            None => break,
        }
    }
    let sentence = format!("{} events are sent to {endpoint} again.", ids.len());
    output.done(&json!({ "eventIds": ids, "count": ids.len() }), &sentence);
    Ok(())
}

/// A time as people write it.
pub fn moment(text: &str) -> Result<Moment, String> {
    Moment::parse(text).ok_or_else(|| "write a time as 2026-01-31T12:00:00Z".to_owned())
}
