//! `plinth ops audit`.

use std::io::BufRead as _;
use std::path::PathBuf;

use audit::{PublicKey, verify_lines};
use clap::{Args, Subcommand, ValueEnum};
use database::clock::{Clock as _, SystemClock};
use kernel::Moment;
use serde_json::{Value, json};

use super::client::{Client, Query};
use super::export::{self, Export};
use super::failure::Failure;
use super::lists::{PageOptions, list};
use super::show::{Column, Output, line, text};
use super::webhooks::moment;

const EVENTS: &[Column] = &[
    ("when", &["occurredAt"]),
    ("type", &["type"]),
    ("action", &["action"]),
    ("by", &["/actor/name", "/actor/id"]),
    ("resource", &["/resource/id"]),
    ("outcome", &["outcome"]),
    ("event", &["eventId"]),
];
const CHECKPOINTS: &[Column] = &[
    ("checkpoint", &["number"]),
    ("first event", &["firstSequence"]),
    ("last event", &["lastSequence"]),
    ("signed", &["sealedAt"]),
    ("key", &["keyId"]),
];

#[derive(Subcommand)]
pub enum Command {
    /// List events, newest first.
    List {
        #[command(flatten)]
        filter: Filter,
        #[command(flatten)]
        page: PageOptions,
    },
    /// Verify the account's log in the store; exit code 10 if it is not what it was.
    Verify,
    /// Write the account's whole log: JSON lines, which can be verified anywhere, or a sheet.
    Export(Export),
    /// Verify an export without a server; exit code 10 if it is not what it was.
    VerifyFile(VerifyFile),
    /// List the signed checkpoints, oldest first.
    Checkpoints(PageOptions),
    /// Show for how long the log is kept, or set it.
    Retention {
        /// For how many days events are kept.
        #[arg(long, value_name = "DAYS")]
        days: Option<u32>,
    },
    /// Hold the log, so that nothing of it expires, or let go of it.
    Hold {
        /// Whether it is held.
        state: Switch,
        /// Why.
        #[arg(long, value_name = "TEXT")]
        reason: Option<String>,
    },
    /// Print the public keys that checkpoints are verified with: keep them elsewhere.
    PublicKeys,
}

#[derive(Clone, Copy, PartialEq, ValueEnum)]
pub enum Switch {
    On,
    Off,
}

/// Which events.
#[derive(Args)]
pub struct Filter {
    /// Of this kind: `AUTH`, `APIKEY`, `TENANT`…
    #[arg(long = "type", value_name = "KIND")]
    kind: Option<String>,
    /// This happened: `API_KEY_REVOKED`…
    #[arg(long, value_name = "NAME")]
    action: Option<String>,
    /// By this actor.
    #[arg(long, value_name = "ID")]
    actor: Option<String>,
    /// To this thing.
    #[arg(long, value_name = "ID")]
    resource: Option<String>,
    /// Not before: `2026-01-31T12:00:00Z`.
    #[arg(long, value_name = "TIME", value_parser = moment)]
    from: Option<Moment>,
    /// Not after.
    #[arg(long, value_name = "TIME", value_parser = moment)]
    to: Option<Moment>,
}

impl Filter {
    fn query(self) -> Query<'static> {
        let time = |moment: Option<Moment>| moment.map(|moment| moment.to_string());
        vec![
            ("type", self.kind),
            ("action", self.action),
            ("actor", self.actor),
            ("resource", self.resource),
            ("from", time(self.from)),
            ("to", time(self.to)),
        ]
    }
}

/// Which file, and what it is believed by.
#[derive(Args)]
pub struct VerifyFile {
    /// The export, as JSON lines; `-` is the standard input.
    file: PathBuf,
    /// A public key in hexadecimal, known from elsewhere: those in the export prove nothing.
    #[arg(long, value_name = "DIGITS", required_unless_present = "keys")]
    public_key: Vec<String>,
    /// A file with what `plinth ops audit public-keys --json` printed.
    #[arg(long, value_name = "FILE")]
    keys: Option<PathBuf>,
}

pub async fn run(command: Command, client: &Client, output: Output) -> Result<(), Failure> {
    match command {
        Command::List { filter, page } => {
            let found = list(client, "/audit", filter.query(), page).await?;
            output.list(&found, EVENTS, "There is no such event.")?;
        }
        Command::Verify => {
            let report = client.get("/audit/verify", Vec::new()).await?;
            let is_valid = report["valid"].as_bool().ok_or_else(|| Failure::lacking("valid"))?;
            output.one(&report)?;
            if !is_valid {
                let bad = text(&report["firstBad"]["message"]);
                return Err(Failure::not_genuine(format!("The log is not what it was: {bad}")));
            }
        }
        Command::Export(arguments) => return export::run(arguments, client).await,
        Command::VerifyFile(arguments) => return verify_file(&arguments, output),
        Command::Retention { days: None } => {
            output.one(&client.get("/audit/retention", Vec::new()).await?)?;
        }
        Command::Retention { days: Some(days) } => {
            let body = json!({ "retentionDays": days });
            output.one(&client.put("/audit/retention", &body).await?)?;
        }
        Command::Hold { state, reason } => {
            let mut body = json!({ "held": state == Switch::On });
            if let Some(reason) = reason {
                body["reason"] = reason.into();
            }
            output.one(&client.put("/audit/hold", &body).await?)?;
        }
        Command::Checkpoints(page) => {
            let found = list(client, "/audit/checkpoints", Vec::new(), page).await?;
            output.list(
                &found,
                CHECKPOINTS,
                "There is no checkpoint yet: one is made every day.",
            )?;
        }
        Command::PublicKeys => {
            let found = client.get("/audit/public-keys", Vec::new()).await?;
            let columns: &[Column] = &[("key", &["keyId"]), ("public key", &["publicKey"])];
            output.list(&found, columns, "There is no key.")?;
        }
    }
    Ok(())
}

/// Verifies a file with keys that are known from elsewhere.
pub fn verify_file(arguments: &VerifyFile, output: Output) -> Result<(), Failure> {
    let keys = arguments.known_keys()?;
    let unreadable = |error: std::io::Error| {
        Failure::other(format!("{} cannot be read: {error}", arguments.file.display()))
    };
    let input: Box<dyn std::io::BufRead> = match arguments.file.to_str() {
        Some("-") => Box::new(std::io::stdin().lock()),
        _ => {
            let file = std::fs::File::open(&arguments.file).map_err(unreadable)?;
            Box::new(std::io::BufReader::new(file))
        }
    };
    let mut broken = None;
    let lines = input.lines().map_while(|line| line.map_err(|error| broken = Some(error)).ok());
    let now = Moment::from_millis(SystemClock.now_millis());
    let report = verify_lines(lines, &keys, now);
    if let Some(error) = broken {
        return Err(unreadable(error));
    }
    let found = report.first_bad.as_ref().map(ToString::to_string);
    output.one(&json!({
        "account": report.account,
        "entries": report.entries,
        "checkpoints": report.checkpoints,
        "sealedThrough": report.sealed_through,
        "prunedThrough": report.pruned_through,
        "firstBad": found,
    }))?;
    match found {
        Some(bad) => {
            Err(Failure::not_genuine(format!("The export is not what was written: {bad}")))
        }
        None => {
            if !output.json {
                line("Every event is what was written, and none is missing.");
            }
            Ok(())
        }
    }
}

impl VerifyFile {
    fn known_keys(&self) -> Result<Vec<PublicKey>, Failure> {
        let mut digits = self.public_key.clone();
        if let Some(file) = &self.keys {
            let wrong = |problem: &dyn std::fmt::Display| {
                Failure::other(format!("The keys in {} are of no use: {problem}", file.display()))
            };
            let text = std::fs::read_to_string(file).map_err(|error| wrong(&error))?;
            let listed: Value = serde_json::from_str(&text).map_err(|error| wrong(&error))?;
            let listed = listed["items"].as_array().into_iter().flatten();
            digits.extend(listed.filter_map(|key| key["publicKey"].as_str()).map(str::to_owned));
            if digits.is_empty() {
                return Err(wrong(&"there is none"));
            }
        }
        let key = |digits: &String| {
            PublicKey::parse(digits).ok_or_else(|| {
                Failure::other(format!("{digits} is no public key: it has 64 hexadecimal digits."))
            })
        };
        digits.iter().map(key).collect()
    }
}
