//! `plinth ops limits`.

use clap::{Args, Subcommand};

use super::client::{Client, segment};
use super::failure::Failure;
use super::show::{Column, Output, line, text};

const COLUMNS: &[Column] = &[
    ("policy", &["policy"]),
    ("limit", &["limit"]),
    ("seconds", &["windowSeconds"]),
    ("by", &["by"]),
    ("routes", &["routes"]),
    ("exact", &["exact"]),
    ("only watches", &["shadow"]),
];

#[derive(Subcommand)]
pub enum Command {
    /// List the policies in use.
    List,
    /// Show how far somebody has used a limit.
    Show(Whose),
    /// Forget what somebody has used: they may ask again at once.
    Reset(Whose),
}

/// Whose limit.
#[derive(Args)]
pub struct Whose {
    /// The policy, as `list` names it.
    policy: String,
    /// Who, such as `account:acc_1` or `address:192.0.2.7`.
    subject: String,
}

pub async fn run(command: Command, client: &Client, output: Output) -> Result<(), Failure> {
    match command {
        Command::List => {
            let found = client.get("/limits", Vec::new()).await?;
            output.list(&found, COLUMNS, "There is no policy: nothing is limited.")?;
            if !output.json {
                for row in found["wouldRefuse"].as_array().into_iter().flatten() {
                    let [policy, subject, count] =
                        ["policy", "subject", "count"].map(|at| text(&row[at]));
                    line(&format!("{policy} would have refused {subject} {count} times."));
                }
            }
        }
        Command::Show(whose) => output.one(&client.get(&whose.path(), Vec::new()).await?)?,
        Command::Reset(whose) => {
            let done = client.delete(&whose.path()).await?;
            let Whose { policy, subject } = whose;
            output.done(&done, &format!("What {subject} has used of {policy} is forgotten."));
        }
    }
    Ok(())
}

impl Whose {
    fn path(&self) -> String {
        format!("/limits/{}/{}", segment(&self.policy), segment(&self.subject))
    }
}
