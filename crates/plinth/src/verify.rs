//! `plinth verify`: the whole log of a database against its hashes.

use std::io::{self, IsTerminal as _, Write as _};
use std::path::Path;

use database::{Database, Options};

/// How many commits between two lines of progress.
const PROGRESS_COMMITS: u64 = 50_000;

/// Opens the folder and checks it; prints what was found.
pub fn run(folder: &Path) -> Result<(), String> {
    let inner = crate::settings::DataFolder::new(folder).database();
    let folder = if inner.is_dir() { inner.as_path() } else { folder };
    if !folder.join("format").is_file() {
        return Err(format!(
            "`{}` holds no database. Give the folder that a database was created in",
            folder.display()
        ));
    }
    let mut options = Options::folder(folder);
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
