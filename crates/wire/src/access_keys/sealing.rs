//! The key that secrets are sealed with.

use std::fs::{self, OpenOptions};
use std::io::{ErrorKind, Write as _};
use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _};
use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use chacha20poly1305::aead::{Aead as _, Payload};
use chacha20poly1305::{KeyInit as _, XChaCha20Poly1305, XNonce};
use zeroize::Zeroizing;

use super::{AccessKeyError, random};

const NONCE_BYTES: usize = 24;

/// 32 random bytes. It is never printed.
pub struct SealingKey(XChaCha20Poly1305);

impl SealingKey {
    /// The key in this file: 32 bytes in base64, readable by its owner only. Made if there is none.
    pub fn open_or_create(path: &Path) -> Result<SealingKey, AccessKeyError> {
        match fs::read_to_string(path) {
            Ok(text) => {
                check_permissions(path)?;
                SealingKey::from_text(&Zeroizing::new(text)).map_err(|problem| {
                    AccessKeyError::new(format!("{} is no sealing key: {problem}", path.display()))
                })
            }
            Err(error) if error.kind() == ErrorKind::NotFound => create(path),
            Err(error) => Err(cannot(path, "read", &error)),
        }
    }

    /// The key in a text: 32 bytes in base64.
    pub fn from_text(text: &str) -> Result<SealingKey, AccessKeyError> {
        let wrong = || {
            AccessKeyError::new(
                "it must be 32 bytes in base64, as `openssl rand -base64 32` prints",
            )
        };
        let bytes = Zeroizing::new(STANDARD.decode(text.trim()).map_err(|_| wrong())?);
        let cipher = XChaCha20Poly1305::new_from_slice(&bytes).map_err(|_| wrong())?;
        Ok(SealingKey(cipher))
    }

    /// Seals for one place only: the same context must be named to unseal.
    pub(super) fn seal(&self, plain: &[u8], context: &[u8]) -> Result<Vec<u8>, AccessKeyError> {
        let nonce = random::<NONCE_BYTES>()?;
        let payload = Payload { msg: plain, aad: context };
        let sealed = self.0.encrypt(XNonce::from_slice(&nonce), payload);
        let sealed = sealed.map_err(|_| AccessKeyError::new("The secret is too long to seal"))?;
        Ok([nonce.as_slice(), &sealed].concat())
    }

    pub(super) fn unseal(&self, sealed: &[u8], context: &[u8]) -> Option<Zeroizing<Vec<u8>>> {
        let (nonce, sealed) = sealed.split_at_checked(NONCE_BYTES)?;
        let payload = Payload { msg: sealed, aad: context };
        self.0.decrypt(XNonce::from_slice(nonce), payload).ok().map(Zeroizing::new)
    }
}

impl std::fmt::Debug for SealingKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("SealingKey")
    }
}

fn create(path: &Path) -> Result<SealingKey, AccessKeyError> {
    let text = Zeroizing::new(format!("{}\n", STANDARD.encode(*Zeroizing::new(random::<32>()?))));
    let draft = path.with_extension("new");
    let write = || {
        match fs::remove_file(&draft) {
            Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&draft)?;
        file.write_all(text.as_bytes())?;
        file.sync_all()?;
        // It has its name when it is whole, and takes it from nobody.
        fs::hard_link(&draft, path)?;
        fs::remove_file(&draft)?;
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        fs::File::open(folder.unwrap_or(Path::new(".")))?.sync_all()
    };
    write().map_err(|error: std::io::Error| cannot(path, "create", &error))?;
    SealingKey::from_text(&text)
}

fn check_permissions(path: &Path) -> Result<(), AccessKeyError> {
    let mode =
        fs::metadata(path).map_err(|error| cannot(path, "read", &error))?.permissions().mode();
    if mode & 0o077 == 0 {
        return Ok(());
    }
    Err(AccessKeyError::new(format!(
        "{0} can be read by others. It unseals every secret: `chmod 600 {0}`, and think about who \
         may have read it.",
        path.display()
    )))
}

fn cannot(path: &Path, what: &str, error: &std::io::Error) -> AccessKeyError {
    AccessKeyError::new(format!("Cannot {what} the sealing key {}: {error}", path.display()))
}
