//! Where the master key comes from: an environment variable, a file, or, in development only, a file
//! that is made. Either holds the key itself, or says which key of a key service it is. Without one
//! nothing starts.

use std::fmt;
use std::fs::{self, OpenOptions};
use std::io::{ErrorKind, Write as _};
use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use kernel::ids::Ids;
use tables::Environment;
use zeroize::Zeroizing;

use super::key_service::{KeyService, MasterKeys};
use super::local_key::LocalKey;
use super::secret::Secret;

/// The variable that holds master keys, the newest first, separated by commas or spaces.
pub const MASTER_KEY_VARIABLE: &str = "PLINTH_MASTER_KEY";
/// The variable that names a file with master keys.
pub const MASTER_KEY_FILE_VARIABLE: &str = "PLINTH_MASTER_KEY_FILE";
/// The file in the data folder, in development.
const FILE_NAME: &str = "master-key";

/// Makes a master key of a word that is not the key itself, as `kms:…`. None if it is no such word; an
/// error that says what is wrong with it.
pub type Elsewhere<'a> = &'a dyn Fn(&str) -> Option<Result<Arc<dyn KeyService>, String>>;

/// Where to look for the master key.
pub struct MasterKeySource<'a> {
    /// In which environment this is; only in development is a key made.
    pub environment: Environment,
    /// Where a key is made in development.
    pub data_folder: &'a Path,
    /// What [`MASTER_KEY_VARIABLE`] holds.
    pub text: Option<Secret>,
    /// What [`MASTER_KEY_FILE_VARIABLE`] names.
    pub file: Option<PathBuf>,
    /// Which words name a key that is elsewhere.
    pub elsewhere: Elsewhere<'a>,
}

/// Why there is no master key. Its text says what to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoMasterKey(String);

impl fmt::Display for NoMasterKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for NoMasterKey {}

impl MasterKeySource<'_> {
    /// The master keys: from the variable, else from the file, else, in development, from the data
    /// folder, where one is made if there is none.
    pub fn load(&self, ids: &Ids) -> Result<MasterKeys, NoMasterKey> {
        if let Some(text) = &self.text {
            return self.keys(text.reveal(), MASTER_KEY_VARIABLE, ids);
        }
        if let Some(file) = &self.file {
            return self.read(file, ids)?.ok_or_else(|| {
                let name = file.display();
                NoMasterKey(format!(
                    "{MASTER_KEY_FILE_VARIABLE} names {name}, which does not exist. Put a key \
                     there: `umask 077; openssl rand -base64 32 > {name}`"
                ))
            });
        }
        let file = self.data_folder.join(FILE_NAME);
        if self.environment != Environment::Dev {
            return Err(NoMasterKey(format!(
                "There is no master key, and outside development none is made: without it secrets \
                 could not be kept. Set {MASTER_KEY_VARIABLE} to 32 bytes in base64, as `openssl \
                 rand -base64 32` prints, or {MASTER_KEY_FILE_VARIABLE} to a file that holds them. \
                 Keep a copy elsewhere: what is sealed cannot be opened without it. Or let a key of \
                 Amazon KMS do it: either may say kms: and the key's ARN instead."
            )));
        }
        match self.read(&file, ids)? {
            Some(keys) => Ok(keys),
            None => self.create(&file, ids),
        }
    }

    /// The keys in a file that only its owner can read; none if there is no file.
    fn read(&self, file: &Path, ids: &Ids) -> Result<Option<MasterKeys>, NoMasterKey> {
        let text = match fs::read_to_string(file) {
            Ok(text) => Zeroizing::new(text),
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(cannot("read", file, &error)),
        };
        let found = fs::metadata(file).map_err(|error| cannot("read", file, &error))?;
        if found.permissions().mode() & 0o077 != 0 {
            let name = file.display();
            return Err(NoMasterKey(format!(
                "{name} can be read by others, and it opens every secret: `chmod 600 {name}`, and \
                 replace the key if somebody may have read it."
            )));
        }
        self.keys(&text, &file.display().to_string(), ids).map(Some)
    }

    /// Several keys, the newest first.
    fn keys(&self, text: &str, from: &str, ids: &Ids) -> Result<MasterKeys, NoMasterKey> {
        let words = text.split([',', ' ', '\n', '\r', '\t']).filter(|word| !word.is_empty());
        let mut keys: Option<MasterKeys> = None;
        for (at, word) in words.enumerate() {
            let key = self.key(word, ids).map_err(|problem| {
                NoMasterKey(format!("Master key number {} of {from} {problem}", at + 1))
            })?;
            keys = Some(match keys {
                None => MasterKeys::new(key),
                Some(keys) => keys.and_older(key),
            });
        }
        keys.ok_or_else(|| {
            let advice = "Put 32 bytes in base64 there, as `openssl rand -base64 32` prints.";
            NoMasterKey(format!("{from} holds no master key. {advice}"))
        })
    }

    /// The key that a word is, or says; else what is wrong with it.
    fn key(&self, word: &str, ids: &Ids) -> Result<Arc<dyn KeyService>, String> {
        if let Some(key) = (self.elsewhere)(word) {
            return key.map_err(|problem| format!("cannot be found: {problem}"));
        }
        match LocalKey::from_text(word, ids.clone()) {
            Some(key) => Ok(Arc::new(key)),
            None => {
                Err("is not 32 bytes in base64, as `openssl rand -base64 32` prints, nor kms: \
                         and the ARN of a key of Amazon KMS. Several are separated by commas, the \
                         newest first."
                    .to_owned())
            }
        }
    }

    fn create(&self, file: &Path, ids: &Ids) -> Result<MasterKeys, NoMasterKey> {
        let bytes = ids.bytes::<32>().map(Zeroizing::new);
        let bytes =
            bytes.map_err(|error| NoMasterKey(format!("A master key cannot be made: {error}")));
        let text = Zeroizing::new(format!("{}\n", STANDARD.encode(bytes?.as_slice())));
        let write = || {
            let mut made =
                OpenOptions::new().write(true).create_new(true).mode(0o600).open(file)?;
            made.write_all(text.as_bytes())?;
            made.sync_all()?;
            let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty());
            fs::File::open(folder.unwrap_or(Path::new(".")))?.sync_all()
        };
        write().map_err(|error: std::io::Error| cannot("make", file, &error))?;
        self.keys(&text, &file.display().to_string(), ids)
    }
}

fn cannot(what: &str, file: &Path, error: &std::io::Error) -> NoMasterKey {
    NoMasterKey(format!(
        "Cannot {what} the master key {}: {error}. Let this user read it, or set \
         {MASTER_KEY_VARIABLE}.",
        file.display()
    ))
}
