//! `plinth verify`: the whole log of a database against its hashes.

use std::io::{self, IsTerminal as _, Write as _};
use std::path::Path;

use database::{Database, Options};

use crate::settings::DataFolder;

/// How many commits between two lines of progress.
const PROGRESS_COMMITS: u64 = 50_000;

/// Opens the folder and checks it; prints what was found.
pub fn run(folder: &Path) -> Result<(), String> {
    let mut options = Options::folder(DataFolder::database_at(folder)?);
    options.background_work = false;
    let database = Database::open(options).map_err(|error| error.to_string())?;
    let shows_progress = io::stderr().is_terminal();
    let outcome = database.verify_log(|sequence| {
        if shows_progress && sequence % PROGRESS_COMMITS == 0 {
            // Progress is for the eye; a terminal that has gone away needs none.
            let _ = write!(io::stderr(), "\rcommit {sequence} checked");
        }
    });
    if shows_progress {
        let _ = write!(io::stderr(), "\r\x1b[K");
    }
    database.close();
    let (commits, head) = outcome.map_err(|error| error.to_string())?;
    let hash: String = head.hash.iter().map(|byte| format!("{byte:02x}")).collect();
    println!("commits checked   {commits}");
    println!("last commit       {}", head.sequence);
    println!("last hash         {hash}");
    println!("The log is whole.");
    Ok(())
}
