//! How does an event get its place? Each account has one chain. Within this process, changes of one
//! account wait for each other here instead of failing at the store; the end of the chain is
//! remembered, so that the usual change reads nothing. Other processes are met by the condition on the
//! head: the events are then linked to the end that was found.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex, PoisonError};

use kernel::error::Error;
use kernel::moment::Moment;
use store::{Raw, Record as _, Write};
use tokio::sync::OwnedMutexGuard;
use values::Item;

use super::Audit;
use super::head::{Head, Register};
use super::reference::Reference;
use super::row::Row;

/// Ends of chains that are remembered before unused ones are forgotten.
const REMEMBERED_MAX: usize = 10_000;

type Slot = Arc<tokio::sync::Mutex<Option<Head>>>;

/// The ends of chains that this process knows, each behind its queue.
#[derive(Default)]
pub(super) struct Chains {
    slots: Mutex<HashMap<String, Slot>>,
}

impl Chains {
    fn slot(&self, account: &str) -> Slot {
        let mut slots = self.slots.lock().unwrap_or_else(PoisonError::into_inner);
        if slots.len() >= REMEMBERED_MAX && !slots.contains_key(account) {
            slots.retain(|_, slot| Arc::strong_count(slot) > 1);
        }
        Arc::clone(slots.entry(account.to_owned()).or_default())
    }
}

/// The chains of some accounts, while nobody else in this process changes them.
pub(crate) struct Locked<'a> {
    audit: &'a Audit,
    /// By account; nearly always of one.
    slots: Vec<(String, OwnedMutexGuard<Option<Head>>)>,
}

/// Writes that record events, and where the chains end afterwards.
pub(crate) struct Linked {
    pub writes: Vec<Write>,
    pub parts: Vec<Part>,
    heads: Vec<Head>,
}

/// What one of the writes is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    Row,
    Head(String),
    Register(String),
}

impl Audit {
    /// Waits for the chains of these accounts. They are taken in one order, so that nobody waits
    /// for somebody who waits for them.
    pub(super) async fn lock(&self, accounts: BTreeSet<String>) -> Locked<'_> {
        let mut slots = Vec::with_capacity(accounts.len());
        for account in accounts {
            let slot = self.inner.chains.slot(&account);
            slots.push((account, slot.lock_owned().await));
        }
        Locked { audit: self, slots }
    }

    /// The end of an account's chain as it is stored now, whosever mark it bears.
    pub(super) async fn stored_head(&self, account: &str) -> Result<Option<Head>, Error> {
        Ok(self.table().get_chain_head(account).get().await?)
    }

    /// The end of an account's chain, which may not have begun.
    async fn known_head(&self, account: &str) -> Result<Head, Error> {
        match self.stored_head(account).await? {
            Some(head) => self.checked(head).await,
            None => Ok(Head::before_first(account)),
        }
    }

    async fn checked(&self, head: Head) -> Result<Head, Error> {
        if head.is_ours(&self.inner.signing).await? {
            return Ok(head);
        }
        let account = &head.account;
        Err(Error::internal(format!(
            "the end of the audit chain of {account} was changed by somebody else: verify it"
        )))
    }

    /// The write that moves an end.
    pub(super) fn move_head(&self, from: &Head, to: &Head) -> Result<Write, Error> {
        Ok(self.table().move_chain_head(&from.mac).put(to)?)
    }

    fn shard_of(&self, row: &Row) -> u32 {
        let shards = self.inner.shards.get(&row.event_type).copied().unwrap_or(0);
        if shards == 0 {
            return 0;
        }
        let last = row
            .event_id
            .bytes()
            .fold(0_u32, |sum, byte| sum.wrapping_mul(31).wrapping_add(u32::from(byte)));
        1 + last % shards
    }

    /// An identifier that sorts after the last one, so that the order of keys is that of the chain.
    fn next_id(&self, head: &Head, timestamp: &mut Moment) -> Result<String, Error> {
        let id = self.inner.ids.ulid(*timestamp)?;
        if id > head.event_id {
            return Ok(id);
        }
        if let Some(next) = successor(&head.event_id) {
            return Ok(next);
        }
        *timestamp = timestamp.after(std::time::Duration::from_millis(1));
        self.inner.ids.ulid(*timestamp)
    }
}

impl Locked<'_> {
    /// Reads the ends that are not remembered.
    pub async fn load(&mut self) -> Result<(), Error> {
        for (account, slot) in &mut self.slots {
            if slot.is_some() {
                continue;
            }
            // Boxed, as what is rare is: every change waits with a future that has room for it.
            **slot = Some(Box::pin(self.audit.known_head(account)).await?);
        }
        Ok(())
    }

    /// The end of one of the chains.
    pub fn head(&self, account: &str) -> Result<&Head, Error> {
        let slot = self.slots.iter().find(|(known, _)| known == account);
        let head = slot.and_then(|(_, slot)| slot.as_ref());
        head.ok_or_else(|| Error::internal(format!("the audit chain of {account} is not locked")))
    }

    /// Gives events their places after the ends that are known, whatever places they had before.
    /// `adjust` may change an end further.
    pub fn link(
        &self,
        rows: &mut [Row],
        now: Moment,
        adjust: &(dyn Fn(&mut Head) + Sync),
    ) -> Result<Linked, Error> {
        let audit = self.audit;
        let table = audit.table();
        let mut heads: Vec<Head> = Vec::with_capacity(self.slots.len());
        let mut linked = Linked { writes: Vec::new(), parts: Vec::new(), heads: Vec::new() };
        for row in rows {
            let known = heads.iter().position(|head| head.account == row.account);
            let place = known.unwrap_or(heads.len());
            if known.is_none() {
                heads.push(self.head(&row.account)?.clone());
            }
            let head = &mut heads[place];
            audit.place(row, head, now)?;
            let reference = Reference::of(row);
            for write in audit.event_writes(row, &reference)? {
                linked.add(write, Part::Row);
            }
            head.advance(&reference);
        }
        for mut head in heads {
            adjust(&mut head);
            let from = self.head(&head.account)?;
            let head = head.marked(&audit.inner.signing)?;
            let account = &head.account;
            let part = Part::Head(account.clone());
            if from.sequence == 0 {
                linked.add(table.chain_head().create(&head)?, part);
                let register = Register::new(account, now, &audit.inner.signing)?;
                let part = Part::Register(account.clone());
                linked.add(table.chain_register().create(&register)?, part);
            } else {
                linked.add(audit.move_head(from, &head)?, part);
            }
            linked.heads.push(head);
        }
        Ok(linked)
    }

    /// The writes were done: the chains end there now.
    pub fn accept(&mut self, linked: Linked) {
        for head in linked.heads {
            self.replace(head);
        }
    }

    /// The chain ends here now.
    pub fn replace(&mut self, head: Head) {
        if let Some(slot) = self.slot_mut(&head.account) {
            *slot = Some(head);
        }
    }

    fn slot_mut(&mut self, account: &str) -> Option<&mut Option<Head>> {
        let slot = self.slots.iter_mut().find(|(known, _)| known == account);
        slot.map(|(_, slot)| &mut **slot)
    }

    /// Somebody else moved an end: this is what was found.
    pub async fn moved(&mut self, account: &str, found: Option<Item>) -> Result<(), Error> {
        let head = match found {
            Some(item) => Some(self.audit.checked(Head::from_item(item)?).await?),
            None => None,
        };
        if let Some(slot) = self.slot_mut(account) {
            *slot = head;
        }
        Ok(())
    }

    /// What came of the writes is not known: the ends are read again next time.
    pub fn forget(&mut self) {
        for (_, slot) in &mut self.slots {
            **slot = None;
        }
    }
}

impl Linked {
    fn add(&mut self, write: Write, part: Part) {
        self.writes.push(write);
        self.parts.push(part);
    }
}

impl Audit {
    /// The writes that put an event into the view by kind, and its reference into that by account.
    pub(super) fn event_writes(
        &self,
        row: &Row,
        reference: &Reference,
    ) -> Result<[Write; 2], Error> {
        let table = self.table();
        let kind = if row.shard == 0 { table.event_view() } else { table.sharded_event_view() };
        let event = kind.create(Raw(row.event_item()))?;
        Ok([event, table.account_view().create(Raw(reference.item()))?])
    }

    /// Makes an event the one after a chain's end. Time does not go back within a chain, whatever clocks say.
    pub(super) fn place(&self, row: &mut Row, head: &Head, now: Moment) -> Result<(), Error> {
        let mut timestamp = now.max(head.timestamp);
        row.event_id = self.next_id(head, &mut timestamp)?;
        row.timestamp = timestamp;
        row.sequence = head.sequence + 1;
        row.previous_hash.clone_from(&head.hash);
        row.shard = self.shard_of(row);
        row.hash = row.computed_hash();
        Ok(())
    }
}

/// The next ULID of the same millisecond, if there is one.
fn successor(id: &str) -> Option<String> {
    const ALPHABET: &[u8; 32] = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";
    let mut digits = id.as_bytes().to_vec();
    // The first ten digits are the time.
    for at in (10..digits.len()).rev() {
        let value = ALPHABET.iter().position(|digit| *digit == digits[at])?;
        if let Some(next) = ALPHABET.get(value + 1) {
            digits[at] = *next;
            return String::from_utf8(digits).ok();
        }
        digits[at] = ALPHABET[0];
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_next_id_sorts_after_and_keeps_the_time() {
        assert_eq!(successor("01JC00000000000000000000AZ").unwrap(), "01JC00000000000000000000B0");
        assert_eq!(successor("01JC000000ZZZZZZZZZZZZZZZZ"), None);
    }
}
