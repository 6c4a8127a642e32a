//! `plinth token`: a short-lived token for scripts, for whoever can read the data folder.
//!
//! While a server has the folder open, it is asked through its socket; else the database is opened
//! here, the token is signed, and the database is closed again.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use database::OpenError;

use crate::control::{self, Question, Wanted};
use crate::settings::{DataFolder, Settings};
use crate::{serve, services};

/// How long a server may take to start, or a command to end, before it is given up.
const PATIENCE: Duration = Duration::from_secs(10);
const PAUSE: Duration = Duration::from_millis(100);

/// Which data folder, and how its server is configured.
#[derive(Args, Clone, Debug, Default)]
pub struct FolderOptions {
    /// The data folder of the server.
    #[arg(long, value_name = "FOLDER", env = "PLINTH_DATA", global = true)]
    pub data: Option<PathBuf>,

    /// The server's configuration file, if it is not `plinth.toml` in the current folder.
    #[arg(long, value_name = "FILE", env = "PLINTH_CONFIG", global = true)]
    pub config: Option<PathBuf>,
}

impl FolderOptions {
    /// The settings that a server would have here: from the file and the environment.
    pub fn settings(&self) -> Result<Settings, String> {
        let mut arguments: Vec<OsString> = Vec::new();
        for (flag, value) in [("--data", &self.data), ("--config", &self.config)] {
            if let Some(value) = value {
                arguments.extend([flag.into(), value.into()]);
            }
        }
        crate::serve_settings(arguments)
    }
}

/// For whom a token is signed.
#[derive(Args)]
pub struct Arguments {
    /// Whom the token is for.
    #[arg(long, value_name = "ADDRESS")]
    email: String,

    /// What they are: platform-admin, owner, admin, operator, member, viewer or auditor.
    #[arg(long, value_name = "NAME")]
    role: String,

    /// The account or tenant that they act for.
    #[arg(long, value_name = "ID")]
    tenant: Option<String>,

    #[command(flatten)]
    folder: FolderOptions,
}

/// Prints the token.
pub fn run(arguments: Arguments) -> Result<(), String> {
    let settings = arguments.folder.settings()?;
    let Arguments { email, role, tenant, .. } = arguments;
    let runtime = serve::runtime()?;
    let token = runtime.block_on(sign(&settings, Wanted { email, role, tenant }))?;
    println!("{token}");
    Ok(())
}

/// A token, by the server that has the folder open or from the folder itself.
pub async fn sign(settings: &Settings, wanted: Wanted) -> Result<String, String> {
    let folder = DataFolder::new(&settings.data);
    let mut waited = Duration::ZERO;
    loop {
        if let Some(token) = control::ask(&folder, &Question::Token(wanted.clone())).await? {
            return Ok(token);
        }
        match sign_here(&folder, settings, &wanted).await {
            // A server is about to listen, or another command is about to end.
            Err(Failure::Locked(_)) if waited < PATIENCE => {
                tokio::time::sleep(PAUSE).await;
                waited += PAUSE;
            }
            Err(Failure::Locked(problem) | Failure::Other(problem)) => return Err(problem),
            Ok(token) => return Ok(token),
        }
    }
}

enum Failure {
    Locked(String),
    Other(String),
}

async fn sign_here(
    folder: &DataFolder,
    settings: &Settings,
    wanted: &Wanted,
) -> Result<String, Failure> {
    folder.existing_database().map_err(Failure::Other)?;
    let database = serve::open_database(folder, settings).map_err(|error| match error {
        OpenError::Locked { .. } => Failure::Locked(format!(
            "{error} It does not serve the services, so that it signs no tokens."
        )),
        other => Failure::Other(other.to_string()),
    })?;
    let signed = async {
        let prepared = services::prepare(settings)?;
        let (platform, recording) = services::platform(&database, settings, prepared).await?;
        let token = control::sign(&platform, wanted).await?;
        recording.abort();
        Ok(token)
    };
    let signed = signed.await.map_err(Failure::Other);
    let closed = tokio::task::spawn_blocking(move || database.close()).await;
    closed.map_err(|error| Failure::Other(format!("The database could not be closed: {error}")))?;
    signed
}
