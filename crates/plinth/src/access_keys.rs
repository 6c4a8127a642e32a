//! `plinth access-keys`: who may sign requests.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use clap::{Args, Subcommand};
use database::clock::{Clock as _, SystemClock};
use wire::access_keys::{AccessKey, AccessKeys, SealingKey};

use crate::serve;
use crate::settings::{DataFolder, Settings};
use crate::token::FolderOptions;

const NONE: &str = "There is no access key. `plinth access-keys create` makes one.";

/// Which keys, and what to do with them.
#[derive(Args)]
pub struct Arguments {
    #[command(flatten)]
    folder: FolderOptions,

    /// The file with the sealing key, if it is not in the data folder.
    #[arg(long, value_name = "FILE", env = "PLINTH_SEALING_KEY_FILE", global = true)]
    sealing_key_file: Option<PathBuf>,

    #[command(subcommand)]
    action: Action,
}

#[derive(Subcommand)]
enum Action {
    /// Make a key and print its secret, this once.
    Create {
        /// What it is for.
        #[arg(long, default_value = "")]
        note: String,
        /// Make a key that stops working after this time, and needs a session token: `90m`, `12h`,
        /// `7d`.
        #[arg(long, value_parser = duration)]
        expires_in: Option<Duration>,
    },
    /// Show all keys, without their secrets.
    List,
    /// Stop a key working, at once, until it is enabled again.
    Disable {
        /// `AKIA…`
        id: String,
    },
    /// Let a disabled key work again.
    Enable {
        /// `AKIA…`
        id: String,
    },
    /// Forget a key for good.
    Delete {
        /// `AKIA…`
        id: String,
    },
}

/// Does what was asked and prints what came of it.
pub fn run(arguments: Arguments) -> Result<(), String> {
    let settings = arguments.folder.settings()?;
    let folder = DataFolder::new(&settings.data);
    if let Action::Create { .. } = arguments.action {
        make_database(&folder, &settings)?;
    } else {
        folder.existing_database()?;
        if !folder.access_keys().exists() {
            println!("{NONE}");
            return Ok(());
        }
    }
    let keys = open(&folder, arguments.sealing_key_file.or(settings.sealing_key_file))?;
    let outcome = match arguments.action {
        Action::Create { note, expires_in } => keys.create(&note, expires_in).map(|key| {
            println!("AWS_ACCESS_KEY_ID={}", key.id);
            println!("AWS_SECRET_ACCESS_KEY={}", key.secret.as_str());
            if let Some(token) = key.session_token {
                println!("AWS_SESSION_TOKEN={}", token.as_str());
            }
            eprintln!("Keep the secret: it is not shown again.");
        }),
        Action::List => keys.list().map(|keys| print_list(&keys)),
        Action::Disable { id } => {
            keys.set_enabled(&id, false).map(|()| println!("{id} is disabled."))
        }
        Action::Enable { id } => keys.set_enabled(&id, true).map(|()| println!("{id} is enabled.")),
        Action::Delete { id } => keys.delete(&id).map(|()| println!("{id} is deleted.")),
    };
    outcome.map_err(|error| error.to_string())
}

/// Keys belong to a database: one without the other would be taken for a loss.
fn make_database(folder: &DataFolder, settings: &Settings) -> Result<(), String> {
    folder.create()?;
    if folder.existing_database().is_err() {
        let made = serve::open_database(folder, settings);
        made.map_err(|error| error.to_string())?.close();
    }
    Ok(())
}

/// The access keys of a data folder. A sealing key is made where nothing is sealed yet.
pub fn open(folder: &DataFolder, sealing_key: Option<PathBuf>) -> Result<AccessKeys, String> {
    let path = sealing_key.unwrap_or_else(|| folder.sealing_key());
    let sealed = folder.access_keys();
    if sealed.exists() && matches!(path.try_exists(), Ok(false)) {
        return Err(format!(
            "There is no sealing key at {}, and {} cannot be read without it. Name its file with \
             --sealing-key-file, or restore it from a backup. If it is lost, remove {1} and make new \
             access keys.",
            path.display(),
            sealed.display()
        ));
    }
    let opened = SealingKey::open_or_create(&path)
        .and_then(|key| AccessKeys::open(sealed, key, Arc::new(SystemClock)));
    opened.map_err(|error| error.to_string())
}

fn print_list(keys: &[AccessKey]) {
    if keys.is_empty() {
        println!("{NONE}");
        return;
    }
    let now = SystemClock.now_millis();
    println!("{:<20}  {:<8}  {:<14}  {:<14}  note", "access key", "state", "made", "expires");
    for key in keys {
        let is_over = key.expires.is_some_and(|expires| expires <= now);
        let state = match key.enabled {
            _ if is_over => "expired",
            true => "enabled",
            false => "disabled",
        };
        let made = format!("{} ago", rough(now.saturating_sub(key.created)));
        let expires = match key.expires {
            None => "never".to_owned(),
            Some(time) if is_over => format!("{} ago", rough(now.saturating_sub(time))),
            Some(time) => format!("in {}", rough(time.saturating_sub(now))),
        };
        println!("{:<20}  {state:<8}  {made:<14}  {expires:<14}  {}", key.id, key.note);
    }
}

/// A time span as people say it.
fn rough(millis: u64) -> String {
    let seconds = millis / 1000;
    match seconds {
        0..120 => format!("{seconds} s"),
        120..7_200 => format!("{} min", seconds / 60),
        7_200..172_800 => format!("{} h", seconds / 3600),
        _ => format!("{} days", seconds / 86_400),
    }
}

/// A time span as people write it.
pub fn duration(text: &str) -> Result<Duration, String> {
    let wrong = || "give a number and a unit: 90m, 12h or 7d".to_owned();
    let (number, factor) = match text.chars().last() {
        Some('s') => (text.trim_end_matches('s'), 1),
        Some('m') => (text.trim_end_matches('m'), 60),
        Some('h') => (text.trim_end_matches('h'), 3600),
        Some('d') => (text.trim_end_matches('d'), 86_400),
        _ => return Err(wrong()),
    };
    let number: u64 = number.parse().map_err(|_| wrong())?;
    let seconds = number.checked_mul(factor).filter(|seconds| *seconds > 0).ok_or_else(wrong)?;
    Ok(Duration::from_secs(seconds))
}
