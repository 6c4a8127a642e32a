//! Which events were there? By account, kind, actor, resource and time, a page at a time.

use store::{Access, Page, Raw, Test};

use super::row::Row;
use super::walk::{first_key, last_key};
use super::{Audit, Entry};
use crate::error::Error;
use crate::moment::{Moment, in_order};

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
            let access = self.table()?.access("list-events-of-account")?;
            let access = access.with("account", account.as_str())?;
            let access = access.with("from", first_key(from))?.with("to", last_key(to))?;
            let access = filtered(access, "event_type", &query.event_type)?;
            return rows(query.filter(access)?.page(caller, limit, token).await?);
        }
        let Some(kind) = &query.event_type else {
            let message = "name an account or a kind of event".to_owned();
            return Err(Error::validation([("account", message)]));
        };
        let part = |shard: u32| -> Result<Access, Error> {
            let access = self.table()?.access("list-events-of-kind")?;
            let access = access.with("event_type", kind.as_str())?;
            let access = access.with("shard", i64::from(shard))?;
            let access = access.with("from", from.to_string())?.with("to", to.to_string())?;
            query.filter(access)
        };
        match self.inner.shards.get(kind).copied().unwrap_or(0) {
            0 => rows(part(0)?.page(caller, limit, token).await?),
            shards => {
                // Part 0 has what was recorded before the kind was split.
                let parts = (0..=shards).map(part).collect::<Result<Vec<_>, _>>()?;
                merged(&parts, caller, limit, token).await
            }
        }
    }
}

impl Query {
    fn filter(&self, access: Access) -> Result<Access, Error> {
        let access = filtered(access, "action", &self.action)?;
        let access = filtered(access, "actor_id", &self.actor_id)?;
        let access = filtered(access, "resource_type", &self.resource_type)?;
        let access = filtered(access, "resource_id", &self.resource_id)?;
        filtered(access, "outcome", &self.outcome)
    }

    /// That somebody read the log, to be recorded.
    pub fn entry(&self) -> Entry {
        let account = self.account.as_deref().unwrap_or(super::PLATFORM);
        let mut entry = Entry::new("AUDIT", "AUDIT_LOG_READ", account);
        let asked = [
            ("event_type", &self.event_type),
            ("action", &self.action),
            ("actor_id", &self.actor_id),
            ("resource_type", &self.resource_type),
            ("resource_id", &self.resource_id),
            ("outcome", &self.outcome),
        ];
        for (name, value) in asked {
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

fn filtered(access: Access, name: &str, value: &Option<String>) -> Result<Access, Error> {
    match value {
        Some(value) => Ok(access.filter(name, Test::Equals(value.as_str().into()))?),
        None => Ok(access),
    }
}

fn rows(page: Page<Raw>) -> Result<Page<Row>, Error> {
    let items = page.items.into_iter().map(Row::from_view).collect::<Result<_, _>>()?;
    Ok(Page { items, next: page.next })
}

/// One page of several parts: each is asked for a whole page, and asked again for what was used of it,
/// to learn where it goes on.
async fn merged(
    parts: &[Access],
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
    let mut found: Vec<(usize, Row)> = Vec::new();
    let mut nexts: Vec<Option<String>> = vec![None; parts.len()];
    for (at, (part, start)) in parts.iter().zip(&starts).enumerate() {
        if *start == ENDED {
            continue;
        }
        let page = rows(part.page(caller, limit, place(start)).await?)?;
        nexts[at] = page.next;
        found.extend(page.items.into_iter().map(|row| (at, row)));
    }
    found.sort_by(|(_, one), (_, other)| {
        (other.timestamp, &other.event_id).cmp(&(one.timestamp, &one.event_id))
    });
    let unused = found.split_off(found.len().min(limit as usize));
    let mut tokens = Vec::new();
    for (at, (part, start)) in parts.iter().zip(&starts).enumerate() {
        let used = found.iter().filter(|(from, _)| *from == at).count();
        let left = unused.iter().any(|(from, _)| *from == at);
        let next = match (left, used) {
            (false, _) => nexts[at].clone().unwrap_or_else(|| ENDED.to_owned()),
            (true, 0) => (*start).to_owned(),
            (true, used) => {
                let used = u32::try_from(used).unwrap_or(limit);
                let page: Page<Raw> = part.page(caller, used, place(start)).await?;
                page.next.unwrap_or_else(|| ENDED.to_owned())
            }
        };
        tokens.push(next);
    }
    let next = tokens.iter().any(|token| token != ENDED).then(|| tokens.join("."));
    Ok(Page { items: found.into_iter().map(|(_, row)| row).collect(), next })
}

fn place(start: &str) -> Option<&str> {
    (start != NOT_BEGUN).then_some(start)
}
