//! `plinth verify`: the whole log of a database against its hashes, and whether everything else can be
//! read.

use std::io::{self, IsTerminal as _, Write as _};
use std::path::Path;

use database::{Database, Options};

use crate::settings::DataFolder;

/// How many commits or entries between two lines of progress.
const PROGRESS_STEP: u64 = 50_000;

/// Opens the folder and checks it; prints what was found.
pub fn run(folder: &Path) -> Result<(), String> {
    let mut options = Options::folder(DataFolder::database_at(folder)?);
    options.background_work = false;
    let database = Database::open(options).map_err(|error| error.to_string())?;
    let log = database.verify_log(progress("commit"));
    let entries = database.verify_entries(progress("entry"));
    if io::stderr().is_terminal() {
        let _ = write!(io::stderr(), "\r\x1b[K");
    }
    database.close();
    let (commits, head) = log.map_err(|error| error.to_string())?;
    let entries = entries.map_err(|error| error.to_string())?;
    let hash: String = head.hash.iter().map(|byte| format!("{byte:02x}")).collect();
    println!("commits checked   {commits}");
    println!("last commit       {}", head.sequence);
    println!("last hash         {hash}");
    println!("entries read      {entries}");
    println!("The log is whole, and everything else can be read.");
    Ok(())
}

/// Shows how far the work is.
fn progress(what: &'static str) -> impl FnMut(u64) {
    let shows_progress = io::stderr().is_terminal();
    move |number| {
        if shows_progress && number % PROGRESS_STEP == 0 {
            // Progress is for the eye; a terminal that has gone away needs none.
            let _ = write!(io::stderr(), "\r{what} {number} checked");
        }
    }
}
