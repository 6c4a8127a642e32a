//! Is an account's log in the store what it was? The references along the chain and the events that
//! they lead to, the end, the checkpoints, the register.

use std::collections::VecDeque;

use kernel::error::{Error, INTERNAL_ERROR};
use kernel::moment::Moment;
use store::{Key, List, Page, Raw, Record as _};
use values::Item;

use super::Audit;
use super::checkpoint::Checkpoint;
use super::head::{Head, Register, register_shard};
use super::reference::Reference;
use super::row::{Row, expiry_of};
use super::verify::{Bad, Expiry, OUT_OF_ORDER, Place, Report, Verifier};

/// Items that are read in one go.
const PAGE_ITEMS: u32 = 100;
/// How often something bad is looked at again while the log grows.
const ATTEMPTS_MAX: u32 = 5;
const NOT_AS_WRITTEN: &str = "it is not as it was written";

/// Items of a list, one after another; one that is not what its document says is given as its problem.
pub(super) struct Walk {
    list: List,
    token: Option<String>,
    read: VecDeque<Raw>,
    page_items: u32,
    ended: bool,
}

impl Walk {
    pub fn new(list: List) -> Walk {
        let (token, read) = (None, VecDeque::new());
        Walk { list, token, read, page_items: PAGE_ITEMS, ended: false }
    }

    pub async fn next(&mut self) -> Result<Option<Result<Raw, String>>, Error> {
        while self.read.is_empty() {
            match self.next_page().await? {
                None => return Ok(None),
                Some(Err(problem)) => return Ok(Some(Err(problem))),
                Some(Ok(items)) => self.read = items.into(),
            }
        }
        Ok(self.read.pop_front().map(Ok))
    }

    /// The items of the next page. Not to be mixed with [`Walk::next`].
    pub async fn next_page(&mut self) -> Result<Option<Result<Vec<Raw>, String>>, Error> {
        while !self.ended {
            let page = self.list.page("audit", self.page_items, self.token.as_deref()).await;
            let page: Page<Raw> = match page {
                Ok(page) => page,
                // One of the page is not as it should be: which?
                Err(store::Error::Invalid { .. }) if self.page_items > 1 => {
                    self.page_items = 1;
                    continue;
                }
                Err(error @ store::Error::Invalid { .. }) => {
                    self.ended = true;
                    return Ok(Some(Err(error.to_string())));
                }
                Err(error) => return Err(error.into()),
            };
            self.ended = page.next.is_none();
            self.token = page.next;
            return Ok(Some(Ok(page.items)));
        }
        Ok(None)
    }
}

/// What is read before the events are.
struct Frame {
    head: Head,
    checkpoints: Vec<Checkpoint>,
}

/// A finding, or a fault on the way to it.
enum Stop {
    Bad(Bad),
    Fault(Error),
}

impl From<Bad> for Stop {
    fn from(bad: Bad) -> Stop {
        Stop::Bad(bad)
    }
}

impl<E: Into<Error>> From<E> for Stop {
    fn from(error: E) -> Stop {
        Stop::Fault(error.into())
    }
}

impl Audit {
    /// Verifies an account's log. `trusted` are checkpoints that were exported before: the log must
    /// still have them.
    pub async fn verify(&self, account: &str, trusted: &[Checkpoint]) -> Result<Report, Error> {
        let mut attempt = 1;
        loop {
            let before = self.mark_of_head(account).await;
            let bad = match self.verify_all_of(account, trusted).await {
                Ok(report) => return Ok(report),
                Err(Stop::Fault(error)) => return Err(error),
                Err(Stop::Bad(bad)) => bad,
            };
            // What was read in parts may not fit because the log grew meanwhile.
            if attempt == ATTEMPTS_MAX || self.mark_of_head(account).await == before {
                return Ok(Report::bad(account, bad));
            }
            attempt += 1;
        }
    }

    async fn mark_of_head(&self, account: &str) -> Option<String> {
        self.stored_head(account).await.ok().flatten().map(|head| head.mac)
    }

    async fn verify_all_of(&self, account: &str, trusted: &[Checkpoint]) -> Result<Report, Stop> {
        match self.inner.signing.reload().await {
            Err(error) if error.code() == INTERNAL_ERROR => {
                let why = "they are not as they were made: checkpoints cannot be trusted";
                return Err(Bad::new(Place::SigningKeys, why).into());
            }
            other => other?,
        };
        let keys = self.inner.signing.public_keys();
        let Some(Frame { head, checkpoints }) = self.frame(account, trusted).await? else {
            let expiry = Expiry { retention_days: 0, held_since: None, now: self.now() };
            let verifier = Verifier::new(account, Vec::new(), &keys, expiry)?;
            self.no_strangers(account, &verifier).await?;
            return Ok(verifier.report());
        };
        let Head { retention_days, held_since, .. } = head;
        let expiry = Expiry { retention_days, held_since, now: self.now() };
        let mut verifier = Verifier::new(account, checkpoints, &keys, expiry)?;
        verifier.check_checkpoints(&head)?;
        self.walk_chain(&head, &mut verifier).await?;
        verifier.check_end(&head)?;
        self.no_strangers(account, &verifier).await?;
        Ok(verifier.report())
    }

    /// The end, the register and the checkpoints; nothing if the account has no log at all.
    async fn frame(&self, account: &str, trusted: &[Checkpoint]) -> Result<Option<Frame>, Stop> {
        let head: Option<Head> = match self.table().get_chain_head(account).get().await {
            Err(store::Error::Invalid { .. } | store::Error::NotTyped(_)) => {
                return Err(Bad::new(Place::Head, NOT_AS_WRITTEN).into());
            }
            other => other?,
        };
        let registered = self.check_register(account).await?;
        let checkpoints = self.checkpoints_of(account).await?;
        for known in trusted.iter().filter(|known| known.account == account) {
            if !checkpoints.contains(known) {
                let number = known.number();
                let why = "it is not what was exported, or is missing";
                return Err(Bad::new(Place::Checkpoint { number }, why).into());
            }
        }
        let Some(head) = head else {
            let row = self.chain_walk(account).next().await?;
            if registered || !checkpoints.is_empty() || row.is_some() {
                let why = "it is missing, although the account has a log";
                return Err(Bad::new(Place::Head, why).into());
            }
            return Ok(None);
        };
        if head.account != account || !head.is_ours(&self.inner.signing).await? {
            return Err(Bad::new(Place::Head, "its mark is not ours: it was changed").into());
        }
        if !registered {
            return Err(Bad::new(Place::Register, "the account is missing in it").into());
        }
        Ok(Some(Frame { head, checkpoints }))
    }

    async fn check_register(&self, account: &str) -> Result<bool, Stop> {
        let get = self.table().get_chain_register(register_shard(account), account);
        let bad = || Bad::new(Place::Register, "the account's item in it was changed");
        let register: Option<Register> = match get.get().await {
            Err(store::Error::Invalid { .. } | store::Error::NotTyped(_)) => {
                return Err(bad().into());
            }
            other => other?,
        };
        let Some(register) = register else { return Ok(false) };
        if register.account == account && register.is_ours(&self.inner.signing).await? {
            return Ok(true);
        }
        Err(bad().into())
    }

    async fn checkpoints_of(&self, account: &str) -> Result<Vec<Checkpoint>, Stop> {
        let mut walk = Walk::new(self.table().list_checkpoints(account));
        let mut checkpoints = Vec::new();
        while let Some(item) = walk.next().await? {
            let read = item.and_then(|Raw(item)| {
                Checkpoint::from_item(item).map_err(|error| error.to_string())
            });
            let number = checkpoints.len() as u64 + 1;
            let bad = |_| Bad::new(Place::Checkpoint { number }, NOT_AS_WRITTEN);
            checkpoints.push(read.map_err(bad)?);
        }
        Ok(checkpoints)
    }

    /// An account's checkpoints, in their order.
    pub async fn checkpoints(&self, account: &str) -> Result<Vec<Checkpoint>, Error> {
        match self.checkpoints_of(account).await {
            Ok(checkpoints) => Ok(checkpoints),
            Err(Stop::Fault(error)) => Err(error),
            Err(Stop::Bad(bad)) => Err(Error::internal(format!("{account}: {bad}"))),
        }
    }

    /// A page of an account's checkpoints, in their order.
    pub async fn list_checkpoints(
        &self,
        account: &str,
        caller: &str,
        limit: u32,
        token: Option<&str>,
    ) -> Result<Page<Checkpoint>, Error> {
        Ok(self.table().list_checkpoints(account).page(caller, limit, token).await?)
    }

    /// The whole chain from its beginning.
    pub(super) fn chain_walk(&self, account: &str) -> Walk {
        self.walk_between(account, Moment::from_millis(0), Moment::from_millis(u64::MAX))
    }

    pub(super) fn walk_between(&self, account: &str, from: Moment, to: Moment) -> Walk {
        let (from, to) = (first_key(from), last_key(to));
        Walk::new(self.table().walk_events_of_account(account, &from, &to))
    }

    async fn walk_chain(&self, head: &Head, verifier: &mut Verifier) -> Result<(), Stop> {
        let mut walk = self.chain_walk(&head.account);
        while let Some(page) = walk.next_page().await? {
            let page = page.map_err(|why| unreadable(verifier, why))?;
            let references: Vec<Reference> = page
                .iter()
                .map_while(|Raw(item)| Reference::from_item(item.clone()).ok())
                .collect();
            let events = self.event_items(&references).await?;
            for ((Raw(item), reference), event) in page.iter().zip(&references).zip(events) {
                if verifier.next() > head.sequence && reference.sequence > head.sequence {
                    // Written since the end was read, or behind the back of the log.
                    let now = self.stored_head(&head.account).await?;
                    if now.is_some_and(|now| now.mac != head.mac) {
                        return Ok(());
                    }
                }
                check_reference(item, reference, head, verifier)?;
                check_event(reference, event, head, verifier)?;
            }
            if references.len() < page.len() {
                return Err(unreadable(verifier, NOT_AS_WRITTEN).into());
            }
        }
        Ok(())
    }

    /// Every event of the account in the view by kind is in the chain.
    async fn no_strangers(&self, account: &str, verifier: &Verifier) -> Result<(), Stop> {
        let [from, to] = [0, u64::MAX].map(|at| Moment::from_millis(at).to_string());
        let mut walk = Walk::new(self.table().list_events_of_account_by_index(account, &from, &to));
        while let Some(page) = walk.next_page().await? {
            let references = page.ok().and_then(|page| {
                let reference = |item| Row::from_event_item(item).map(|row| Reference::of(&row));
                page.into_iter().map(reference).collect::<Result<Vec<_>, _>>().ok()
            });
            let unknown = Place::EventView { sequence: 0, event_id: String::new() };
            let references = references.ok_or_else(|| Bad::new(unknown, NOT_AS_WRITTEN))?;
            self.check_in_chain(&references, verifier).await?;
        }
        Ok(())
    }

    async fn check_in_chain(
        &self,
        references: &[Reference],
        verifier: &Verifier,
    ) -> Result<(), Stop> {
        let key = |reference: &Reference| -> Result<Key, Error> {
            let Reference { account, date, epoch_ms, event_id, .. } = reference;
            Ok(self.table().get_event_of_account(account, date, *epoch_ms, event_id).key()?)
        };
        let keys: Vec<Key> = references.iter().map(key).collect::<Result<_, _>>()?;
        let found: Vec<Option<Raw>> = self.inner.store.batch_get(&keys).await?;
        for (reference, found) in references.iter().zip(found) {
            let is_in_chain = match found {
                Some(Raw(item)) => is_item(&item, &reference.item()),
                None => verifier.may_be_missing(reference.sequence),
            };
            if !is_in_chain {
                return Err(view(reference, "it is not in the chain: it was inserted").into());
            }
        }
        Ok(())
    }
}

/// A reference by itself.
fn check_reference(
    item: &Item,
    reference: &Reference,
    head: &Head,
    verifier: &Verifier,
) -> Result<(), Stop> {
    if !is_item(item, &reference.item()) {
        return Err(entry(reference, "its keys are not made of what it says").into());
    }
    if reference.sequence < verifier.next() {
        return Err(entry(reference, OUT_OF_ORDER).into());
    }
    match wrong_expiry(item, reference, head, verifier) {
        Some(why) => Err(entry(reference, why).into()),
        None => Ok(()),
    }
}

/// The event that a reference leads to. The two expire at different moments: while only the reference is
/// left, it is as if neither were.
fn check_event(
    reference: &Reference,
    event: Result<Option<Item>, String>,
    head: &Head,
    verifier: &mut Verifier,
) -> Result<(), Stop> {
    let item = match event.map_err(|_| view(reference, NOT_AS_WRITTEN))? {
        Some(item) => item,
        None if verifier.may_be_missing(reference.sequence) => return Ok(()),
        None => return Err(view(reference, "it is missing").into()),
    };
    let row = Row::from_event_item(Raw(item.clone()));
    let row = row.map_err(|_| view(reference, NOT_AS_WRITTEN))?;
    if !is_item(&item, &row.event_item()) {
        return Err(view(reference, "its keys are not made of what it says").into());
    }
    if row.computed_hash() != row.hash {
        return Err(view(reference, "its hash is not that of what it says").into());
    }
    if Reference::of(&row) != *reference {
        return Err(entry(reference, "it differs from the event that it leads to").into());
    }
    verifier.entry(&row)?;
    match wrong_expiry(&item, reference, head, verifier) {
        Some(why) => Err(view(reference, why).into()),
        None => Ok(()),
    }
}

/// Whether an item is the one that was written, its time of removal aside.
fn is_item(found: &Item, written: &Item) -> bool {
    let mut found = found.clone();
    found.remove("ttl");
    found == *written
}

/// Why an item would be removed too early, if it would be.
fn wrong_expiry(
    item: &Item,
    reference: &Reference,
    head: &Head,
    verifier: &Verifier,
) -> Option<&'static str> {
    let ttl = expiry_of(item)?;
    if head.held_since.is_some() {
        return Some("it is to be removed, although the account is held");
    }
    match verifier.expires(reference.sequence, head.retention_days) {
        None => Some("it is to be removed, although no checkpoint covers it"),
        Some(expires) if ttl < expires.seconds() => Some("it is to be removed too early"),
        Some(_) => None,
    }
}

fn entry(reference: &Reference, why: impl Into<String>) -> Bad {
    let (sequence, event_id) = (reference.sequence, Some(reference.event_id.clone()));
    Bad::new(Place::Entry { sequence, event_id }, why)
}

fn view(reference: &Reference, why: impl Into<String>) -> Bad {
    let (sequence, event_id) = (reference.sequence, reference.event_id.clone());
    Bad::new(Place::EventView { sequence, event_id }, why)
}

/// The next event of the chain cannot be told from its item.
fn unreadable(verifier: &Verifier, why: impl Into<String>) -> Bad {
    Bad::new(Place::Entry { sequence: verifier.next(), event_id: None }, why)
}

/// The least sort key of a moment.
pub(super) fn first_key(moment: Moment) -> String {
    format!("{}#{}", moment.day(), moment.millis())
}

/// A sort key after every one of a moment.
pub(super) fn last_key(moment: Moment) -> String {
    format!("{}#{}#~", moment.day(), moment.millis())
}
