//! Which events were there? By account, kind, actor, resource and time, a page at a time.

use kernel::error::Error;
use kernel::moment::{Moment, in_order};
use patterns::platform::audit_logs::ListEventsOfKind;
use store::{List, Page, Raw, Record as _};

use super::reference::Reference;
use super::row::Row;
use super::walk::{first_key, last_key};
use super::{Audit, Entry};

/// What is asked for. An account or a kind is named, else every event would have to be looked at.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Query {
    /// Of this account.
    pub account: Option<String>,
    /// Of this kind.
    pub event_type: Option<String>,
    /// This happened.
    pub action: Option<String>,
    /// By this actor.
    pub actor_id: Option<String>,
    /// To this kind of thing.
    pub resource_type: Option<String>,
    /// To this thing.
    pub resource_id: Option<String>,
    /// `success` or `failure`.
    pub outcome: Option<String>,
    /// Not before.
    pub from: Option<Moment>,
    /// Not after.
    pub to: Option<Moment>,
}

/// A part of a split kind that has been read to its end, in a token; and one that has not begun.
const ENDED: &str = "!";
const NOT_BEGUN: &str = "-";
/// References that are looked at in one go, at least, once a page is not full: few may pass.
const LOOKED_AT_ONCE: u32 = 100;

impl Audit {
    /// A page of events, the newest first. Reading is itself recorded: see [`Query::entry`].
    pub async fn list(
        &self,
        query: &Query,
        caller: &str,
        limit: u32,
        token: Option<&str>,
    ) -> Result<Page<Row>, Error> {
        in_order(query.from, query.to)?;
        let from = query.from.unwrap_or(Moment::from_millis(0));
        let to = query.to.unwrap_or(Moment::from_millis(u64::MAX));
        if let Some(account) = &query.account {
            let (from, to) = (first_key(from), last_key(to));
            let list = self.table().list_events_of_account(account, &from, &to);
            let list = list.filter_event_type(query.event_type.as_deref());
            return self.referred(query, account, &list, caller, limit, token).await;
        }
        let Some(kind) = &query.event_type else {
            let message = "name an account or a kind of event".to_owned();
            return Err(Error::validation([("account", message)]));
        };
        let (from, to) = (from.to_string(), to.to_string());
        let part =
            |shard: u32| query.filter(self.table().list_events_of_kind(kind, shard, &from, &to));
        match self.inner.shards.get(kind).copied().unwrap_or(0) {
            0 => rows(part(0).page(caller, limit, token).await?),
            shards => {
                // Part 0 has what was recorded before the kind was split.
                let parts: Vec<_> = (0..=shards).map(part).collect();
                merged(&parts, caller, limit, token).await
            }
        }
    }

    /// A page of the events that references of an account lead to. It is as full as a page of the
    /// store, as right about whether there is more, and looks at no more items.
    async fn referred(
        &self,
        query: &Query,
        account: &str,
        references: &List,
        caller: &str,
        limit: u32,
        token: Option<&str>,
    ) -> Result<Page<Row>, Error> {
        let caller = query.bound_to(caller)?;
        let mut token = token.map(str::to_owned);
        let (mut asked, mut looked_at) = (limit, 0);
        let mut found: Vec<(Raw, Row)> = Vec::new();
        loop {
            let page: Page<Raw> = references.page(&caller, asked, token.as_deref()).await?;
            let places = page.items.iter().map(|Raw(item)| Reference::from_item(item.clone()));
            let places = places.collect::<Result<Vec<_>, _>>()?;
            let events = self.events(account, &places).await?;
            for (at, event) in page.items.into_iter().zip(events) {
                found.extend(event.filter(|row| query.passes(row)).map(|row| (at, row)));
            }
            looked_at += places.len() as u64;
            let next = if found.len() > limit as usize {
                found.truncate(limit as usize);
                let last = found.last().map(|(Raw(at), _)| references.token_after(&caller, at));
                last.transpose()?
            } else {
                // Where nothing is asked of the events, one more reference is one more event.
                let is_full = found.len() == limit as usize && !query.asks_of_events();
                let is_short = places.len() < asked as usize;
                let is_bounded = is_short || looked_at >= references.evaluated_max();
                if page.next.is_some() && !is_full && !is_bounded {
                    token = page.next;
                    asked = asked.max(LOOKED_AT_ONCE);
                    continue;
                }
                page.next
            };
            return Ok(Page { items: found.into_iter().map(|(_, row)| row).collect(), next });
        }
    }
}

impl Query {
    /// What is asked of what an event says, besides its kind.
    fn tests(&self) -> [(&'static str, &Option<String>); 5] {
        [
            ("action", &self.action),
            ("actor_id", &self.actor_id),
            ("resource_type", &self.resource_type),
            ("resource_id", &self.resource_id),
            ("outcome", &self.outcome),
        ]
    }

    fn filter(&self, list: ListEventsOfKind) -> ListEventsOfKind {
        list.filter_action(self.action.as_deref())
            .filter_actor_id(self.actor_id.as_deref())
            .filter_resource_type(self.resource_type.as_deref())
            .filter_resource_id(self.resource_id.as_deref())
            .filter_outcome(self.outcome.as_deref())
    }

    /// The same for an event that was read.
    fn passes(&self, row: &Row) -> bool {
        let said = [
            Some(&row.action),
            Some(&row.actor_id),
            row.resource_type.as_ref(),
            row.resource_id.as_ref(),
            Some(&row.outcome),
        ];
        let mut tests = self.tests().into_iter().zip(said);
        tests.all(|((_, wanted), said)| wanted.is_none() || wanted.as_ref() == said)
    }

    fn asks_of_events(&self) -> bool {
        self.tests().iter().any(|(_, value)| value.is_some())
    }

    /// Whose list it is: a token is good for what was asked of the events too, which the store, where
    /// only their references are listed, does not know.
    fn bound_to(&self, caller: &str) -> Result<String, Error> {
        serde_json::to_string(&(caller, self.tests())).map_err(Error::internal)
    }

    /// That somebody read the log, to be recorded.
    pub fn entry(&self) -> Entry {
        let account = self.account.as_deref().unwrap_or(kernel::PLATFORM);
        let mut entry = Entry::new("AUDIT", "AUDIT_LOG_READ", account);
        for (name, value) in [("event_type", &self.event_type)].into_iter().chain(self.tests()) {
            if let Some(value) = value {
                entry = entry.detail(name, value.as_str());
            }
        }
        for (name, moment) in [("from", self.from), ("to", self.to)] {
            if let Some(moment) = moment {
                entry = entry.detail(name, moment.to_string());
            }
        }
        entry
    }
}

fn rows(page: Page<Raw>) -> Result<Page<Row>, Error> {
    let items = page.items.into_iter().map(Row::from_event_item).collect::<Result<_, _>>()?;
    Ok(Page { items, next: page.next })
}

/// One page of several parts: each is asked for a whole page, of which the newest of all are used.
async fn merged(
    parts: &[ListEventsOfKind],
    caller: &str,
    limit: u32,
    token: Option<&str>,
) -> Result<Page<Row>, Error> {
    let starts: Vec<&str> = match token {
        None => vec![NOT_BEGUN; parts.len()],
        Some(token) => token.split('.').collect(),
    };
    if starts.len() != parts.len() {
        return Err(store::Error::PageToken.into());
    }
    let mut found: Vec<(usize, Raw, Row)> = Vec::new();
    let mut nexts: Vec<Option<String>> = vec![None; parts.len()];
    for (at, (part, start)) in parts.iter().zip(&starts).enumerate() {
        if *start == ENDED {
            continue;
        }
        let page: Page<Raw> = part.page(caller, limit, place(start)).await?;
        nexts[at] = page.next;
        for item in page.items {
            found.push((at, item.clone(), Row::from_event_item(item)?));
        }
    }
    found.sort_by(|(_, _, one), (_, _, other)| {
        (other.timestamp, &other.event_id).cmp(&(one.timestamp, &one.event_id))
    });
    let unused = found.split_off(found.len().min(limit as usize));
    let mut tokens = Vec::new();
    for (at, (part, start)) in parts.iter().zip(&starts).enumerate() {
        let used = found.iter().rev().find(|(from, ..)| *from == at);
        let left = unused.iter().any(|(from, ..)| *from == at);
        tokens.push(match (left, used) {
            (false, _) => nexts[at].clone().unwrap_or_else(|| ENDED.to_owned()),
            (true, Some((_, Raw(last), _))) => part.token_after(caller, last)?,
            // From where the page ends, as if that event were this part's: newer ones are not to come.
            (true, None) if *start == NOT_BEGUN => match found.last() {
                Some((.., last)) => part.token_after(caller, &last.as_of_shard(at).event_item())?,
                None => NOT_BEGUN.to_owned(),
            },
            (true, None) => (*start).to_owned(),
        });
    }
    let next = tokens.iter().any(|token| token != ENDED).then(|| tokens.join("."));
    Ok(Page { items: found.into_iter().map(|(.., row)| row).collect(), next })
}

impl Row {
    /// The same in another part of its kind.
    fn as_of_shard(&self, shard: usize) -> Row {
        Row { shard: u32::try_from(shard).unwrap_or(u32::MAX), ..self.clone() }
    }
}

fn place(start: &str) -> Option<&str> {
    (start != NOT_BEGUN).then_some(start)
}
