//! A folder as a mailbox: one file for each mail, complete or not there, readable by its owner alone.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use kernel::clock::Clock;
use kernel::error::Error;
use kernel::ids::Ids;
use kernel::moment::Moment;
use lettre::message::Mailbox;
use tokio::io::AsyncWriteExt as _;

use super::message::sender;
use super::{Mail, Mailer, Sending};

/// A mailbox folder. Files are named so that later mails come later.
pub struct Folder {
    path: PathBuf,
    from: Mailbox,
    ids: Ids,
    clock: Arc<dyn Clock>,
    /// Mails so far: the order of those of one moment.
    count: AtomicU64,
}

impl Folder {
    /// Makes the folder if it is not there.
    pub async fn open(
        path: &Path,
        product: &str,
        ids: Ids,
        clock: Arc<dyn Clock>,
    ) -> Result<Folder, Error> {
        let mut folder = tokio::fs::DirBuilder::new();
        folder.recursive(true);
        #[cfg(unix)]
        folder.mode(0o700);
        folder.create(path).await.map_err(|error| failed(path, &error))?;
        let from = sender(product, "plinth@localhost.localdomain")?;
        Ok(Folder { path: path.to_owned(), from, ids, clock, count: AtomicU64::new(0) })
    }

    async fn store(&self, mail: Mail) -> Result<(), Error> {
        let now = Moment::from_millis(self.clock.now_millis());
        let bytes = mail.message(&self.from, now)?.formatted();
        let count = self.count.fetch_add(1, Ordering::Relaxed);
        let name = format!("{:015}-{count:06}-{}", now.millis(), self.ids.ulid(now)?);
        let unfinished = self.path.join(format!(".{name}.part"));
        let written = write(&unfinished, &bytes).await;
        let done = match written {
            Ok(()) => tokio::fs::rename(&unfinished, self.path.join(format!("{name}.eml"))).await,
            Err(error) => Err(error),
        };
        if let Err(error) = done {
            // It may not exist; the error that matters is the one above.
            let _ = tokio::fs::remove_file(&unfinished).await;
            return Err(failed(&self.path, &error));
        }
        Ok(())
    }
}

impl Mailer for Folder {
    fn send(&self, mail: Mail) -> Sending<'_> {
        Box::pin(self.store(mail))
    }
}

async fn write(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let mut options = tokio::fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    options.mode(0o600);
    let mut file = options.open(path).await?;
    file.write_all(bytes).await?;
    file.sync_all().await
}

fn failed(path: &Path, error: &std::io::Error) -> Error {
    Error::unavailable(format!("the mailbox folder {}: {error}", path.display()))
}
