//! Where things lie in the data folder, and whether the database that should be there is.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// The data folder of a server.
#[derive(Clone, Debug)]
pub struct DataFolder(PathBuf);

impl DataFolder {
    /// Where it is if nobody says otherwise.
    pub const USUAL: &str = "plinth-data";

    /// This folder.
    pub fn new(path: impl Into<PathBuf>) -> DataFolder {
        DataFolder(path.into())
    }

    /// The database that a path means: the folder of one, or that of a data folder.
    pub fn database_at(path: &Path) -> Result<PathBuf, String> {
        if is_database(path)? {
            return Ok(path.to_owned());
        }
        DataFolder::new(path).existing_database()
    }

    /// The same for whoever may make a database: in a data folder, if there is none yet.
    pub fn database_to_be_at(path: &Path) -> Result<PathBuf, String> {
        if is_database(path)? {
            return Ok(path.to_owned());
        }
        let folder = DataFolder::new(path);
        folder.create()?;
        Ok(folder.database())
    }

    /// The folder itself.
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// Makes the folder, for its owner only, if it does not exist. Refuses one that is no
    /// data folder, or has lost its database: a new one would hide that.
    pub fn create(&self) -> Result<(), String> {
        use std::os::unix::fs::DirBuilderExt as _;
        self.check_not_inside()?;
        self.check_not_lost()?;
        let made = std::fs::DirBuilder::new().recursive(true).mode(0o700).create(&self.0);
        made.map_err(|error| {
            format!(
                "Cannot create the data folder {}: {error}. --data names another folder; it must be \
                 one that this user may write.",
                self.0.display()
            )
        })
    }

    /// A database in the folder of another one is somebody's mistake.
    fn check_not_inside(&self) -> Result<(), String> {
        match is_database(&self.0)? {
            false => Ok(()),
            true => Err(format!(
                "{} is a database, and no data folder, which holds a database as `database`. Name the \
                 folder above with --data, or move the database into one.",
                self.0.display()
            )),
        }
    }

    /// All of these are made after the database only: an interrupted first start leaves none alone.
    fn check_not_lost(&self) -> Result<(), String> {
        if is_database(&self.database())? {
            return Ok(());
        }
        let left = [self.access_keys(), self.master_key(), self.mailbox()];
        let left = left.iter().filter(|path| path.exists());
        let left: Vec<String> = left.map(|path| path.display().to_string()).collect();
        if left.is_empty() {
            return Ok(());
        }
        let (folder, left) = (self.database(), left.join(", "));
        if folder.join("storage").exists() {
            return Err(format!(
                "The file `format` of the database in {} is missing, and its storage is there. Put the \
                 file back from a backup, or as docs/format.md describes it, and remove nothing.",
                folder.display(),
            ));
        }
        Err(format!(
            "There is no database in {}, although there was one: {left} belong to it. Restore it from \
             a backup, or mount the disk that it is on. To begin anew, name an empty folder with \
             --data, or remove {left}.",
            folder.display(),
        ))
    }

    /// The database, which must be there.
    pub fn existing_database(&self) -> Result<PathBuf, String> {
        let (database, folder) = (self.database(), self.0.display());
        match is_database(&database)? {
            true => Ok(database),
            false => Err(format!(
                "There is no database in {folder}. `plinth serve --data {folder}` makes one; if it is \
                 elsewhere, name that folder."
            )),
        }
    }

    /// The database.
    pub fn database(&self) -> PathBuf {
        self.0.join("database")
    }

    /// The access keys.
    pub fn access_keys(&self) -> PathBuf {
        self.0.join("access-keys.json")
    }

    /// Where a running server listens for commands of its owner.
    pub fn control_socket(&self) -> PathBuf {
        self.0.join("control.sock")
    }

    /// The key that secrets are sealed with, unless it is elsewhere.
    pub fn sealing_key(&self) -> PathBuf {
        self.0.join("sealing.key")
    }

    /// The key that secrets of the services are sealed with, unless it is elsewhere.
    pub fn master_key(&self) -> PathBuf {
        self.0.join("master-key")
    }

    /// Mails, if no server takes them.
    pub fn mailbox(&self) -> PathBuf {
        self.0.join("mailbox")
    }
}

/// A folder with this file is a complete database.
fn is_database(folder: &Path) -> Result<bool, String> {
    match std::fs::metadata(folder.join("format")) {
        Ok(_) => Ok(true),
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            Ok(false)
        }
        Err(error) => Err(format!(
            "{} cannot be looked into: {error}. Run this as the user who runs the server.",
            folder.display()
        )),
    }
}
