//! Finds the library that stands between a process and its files.

use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

const FILE_NAME: &str = "libcampaigns_recorder.so";
const PACKAGE: &str = "campaigns-recorder";

/// The library, built if it is not there.
pub fn locate() -> io::Result<PathBuf> {
    let program = std::env::current_exe()?;
    let folder = program.parent().unwrap_or(Path::new("."));
    if let Some(found) = find(folder) {
        return Ok(found);
    }
    let profile = folder.file_name().and_then(|name| name.to_str()).unwrap_or("release");
    let profile = if profile == "debug" { "dev" } else { profile };
    println!("{FILE_NAME} is not there yet: cargo build --profile {profile} -p {PACKAGE}");
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.args(["build", "--quiet", "--profile", profile, "-p", PACKAGE]);
    if let Some(target) = folder.parent() {
        cargo.arg("--target-dir").arg(target);
    }
    let status = cargo.status()?;
    find(folder).filter(|_| status.success()).ok_or_else(|| {
        io::Error::other(format!(
            "{FILE_NAME} is not beside this program and cannot be built. Run \
             `cargo build --release -p {PACKAGE}` in the repository, then try again"
        ))
    })
}

fn find(folder: &Path) -> Option<PathBuf> {
    let places = [folder.join(FILE_NAME), folder.join("deps").join(FILE_NAME)];
    places.into_iter().find(|place| place.is_file())
}

/// What the recorder is told, as environment variables.
#[derive(Clone, Debug)]
pub struct Recording {
    /// The library.
    pub library: PathBuf,
    /// The folder to watch.
    pub root: PathBuf,
    /// The file to write the trace to.
    pub trace: Option<PathBuf>,
    /// The ledger.
    pub ledger: Option<PathBuf>,
    /// What to do at which call, see the recorder's `plan`.
    pub at: Option<String>,
    /// A file that says that a call was made to fail.
    pub done: Option<PathBuf>,
}

impl Recording {
    /// The variables for the process to be watched.
    pub fn environment(&self) -> Vec<(String, String)> {
        let text = |path: &Path| path.to_string_lossy().into_owned();
        let mut variables = vec![
            ("LD_PRELOAD".to_owned(), text(&self.library)),
            ("CRASHLAB_ROOT".to_owned(), text(&self.root)),
        ];
        if let Some(trace) = &self.trace {
            variables.push(("CRASHLAB_TRACE".to_owned(), text(trace)));
            variables.push(("CRASHLAB_SYNC".to_owned(), "skip".to_owned()));
        }
        if let Some(ledger) = &self.ledger {
            variables.push(("CRASHLAB_LEDGER".to_owned(), text(ledger)));
        }
        if let Some(done) = &self.done {
            variables.push(("CRASHLAB_DONE".to_owned(), text(done)));
        }
        if let Some(at) = &self.at {
            variables.push(("CRASHLAB_AT".to_owned(), at.clone()));
        }
        variables
    }
}
