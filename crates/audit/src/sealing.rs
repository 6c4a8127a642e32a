//! Checkpoints, made every day for every account that had events.

use kernel::error::Error;
use store::{Page, Transaction};

use super::Audit;
use super::checkpoint::Checkpoint;
use super::head::{REGISTER_SHARDS, Register};

const ATTEMPTS_MAX: u32 = 12;
const PAGE_ITEMS: u32 = 100;

/// What a day's sealing came to.
#[derive(Debug, Default)]
pub struct Sealed {
    /// Checkpoints that were made.
    pub checkpoints: Vec<Checkpoint>,
    /// Accounts that were looked at.
    pub accounts: u64,
    /// Accounts for which it did not work, and why. The others were done.
    pub failed: Vec<(String, Error)>,
}

impl Audit {
    /// Signs what an account's chain holds now; nothing if there is nothing new.
    pub async fn seal(&self, account: &str) -> Result<Option<Checkpoint>, Error> {
        let mut locked = self.lock([account.to_owned()].into()).await;
        for _ in 0..ATTEMPTS_MAX {
            locked.load().await?;
            let head = locked.head(account)?.clone();
            if head.sequence == head.sealed_sequence {
                return Ok(None);
            }
            let checkpoint = Checkpoint::of(&head, self.now(), &self.inner.signing)?;
            let mut next = head.clone();
            next.checkpoint += 1;
            next.checkpoint_hash = checkpoint.hash();
            next.sealed_sequence = head.sequence;
            let next = next.marked(&self.inner.signing)?;
            let transaction = Transaction::new()
                .with(self.table().checkpoint().create(&checkpoint)?)
                .with(self.move_head(&head, &next)?);
            match self.inner.store.commit(transaction).await {
                Ok(()) => {
                    locked.replace(next);
                    return Ok(Some(checkpoint));
                }
                Err(store::Error::TransactionFailed(_)) => locked.forget(),
                Err(error) => {
                    locked.forget();
                    return Err(error.into());
                }
            }
        }
        Err(Error::unavailable("others kept changing the audit chain that was to be sealed"))
    }

    /// Seals every account and lets go of what has been kept long enough: the day's work. `progress`
    /// is told of each account.
    pub async fn seal_all(&self, mut progress: impl FnMut(&str) + Send) -> Result<Sealed, Error> {
        let mut sealed = Sealed::default();
        for shard in 0..REGISTER_SHARDS {
            let chains = self.table().list_chains(shard);
            let mut token: Option<String> = None;
            loop {
                let page: Page<Register> =
                    chains.page("audit", PAGE_ITEMS, token.as_deref()).await?;
                for Register { account, .. } in page.items {
                    match self.seal_and_release(&account).await {
                        Ok(checkpoint) => sealed.checkpoints.extend(checkpoint),
                        Err(error) => sealed.failed.push((account.clone(), error)),
                    }
                    sealed.accounts += 1;
                    progress(&account);
                }
                token = page.next;
                if token.is_none() {
                    break;
                }
            }
        }
        Ok(sealed)
    }

    async fn seal_and_release(&self, account: &str) -> Result<Option<Checkpoint>, Error> {
        let checkpoint = self.seal(account).await?;
        self.release(account).await?;
        Ok(checkpoint)
    }
}
