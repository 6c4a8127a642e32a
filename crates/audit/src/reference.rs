//! An event's place in its account's chain: what leads to the event, and what proves it. What the event
//! says is where it leads, in the view by kind, and nowhere else, so that a change pays for one copy.

use kernel::error::Error;
use kernel::moment::Moment;
use serde::{Deserialize, Serialize};
use store::{Get, Key, Raw, Update};
use values::limits::BATCH_GET_ITEMS_MAX;
use values::{AttributeValue, Item, Number};

use super::Audit;
use super::row::{Row, sort_key};

/// An event in the view by account.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Reference {
    pub account: String,
    pub sequence: u64,
    pub hash: String,
    pub event_id: String,
    pub event_type: String,
    pub date: String,
    pub epoch_ms: u64,
    pub shard: u32,
}

impl Reference {
    /// The one that leads to an event.
    pub fn of(row: &Row) -> Reference {
        Reference {
            account: row.account.clone(),
            sequence: row.sequence,
            hash: row.hash.clone(),
            event_id: row.event_id.clone(),
            event_type: row.event_type.clone(),
            date: row.timestamp.day(),
            epoch_ms: row.timestamp.millis(),
            shard: row.shard,
        }
    }

    /// Its item, without a time of removal: in the order of the names, as that of the event.
    pub fn item(&self) -> Item {
        let number = |number: u64| AttributeValue::from(Number::from(number));
        Item::from([
            ("PK", ["ACCOUNT#", &*self.account].concat().into()),
            ("SK", sort_key(&self.date, self.epoch_ms, &self.event_id).into()),
            ("account", AttributeValue::from(&*self.account)),
            ("date", AttributeValue::from(&*self.date)),
            ("epoch_ms", number(self.epoch_ms)),
            ("event_id", AttributeValue::from(&*self.event_id)),
            ("event_type", AttributeValue::from(&*self.event_type)),
            ("hash", AttributeValue::from(&*self.hash)),
            ("sequence", number(self.sequence)),
            ("shard", number(self.shard.into())),
        ])
    }

    /// When the event was recorded.
    pub fn timestamp(&self) -> Moment {
        Moment::from_millis(self.epoch_ms)
    }
}

impl Audit {
    /// The events that references of an account lead to. One that is not there, or is another
    /// account's, is left out: to tell why is for [`Audit::verify`].
    pub(super) async fn events(
        &self,
        account: &str,
        references: &[Reference],
    ) -> Result<Vec<Option<Row>>, Error> {
        let mut events = Vec::with_capacity(references.len());
        for some in references.chunks(BATCH_GET_ITEMS_MAX) {
            let found: Vec<Option<Raw>> =
                self.inner.store.batch_get(&self.event_keys(some)?).await?;
            for item in found {
                let row = item.map(Row::from_event_item).transpose()?;
                events.push(row.filter(|row| row.account == account));
            }
        }
        Ok(events)
    }

    /// The same as they are stored; one that is not what its document says is given as its problem.
    pub(super) async fn event_items(
        &self,
        references: &[Reference],
    ) -> Result<Vec<Result<Option<Item>, String>>, Error> {
        let mut items = Vec::with_capacity(references.len());
        for some in references.chunks(BATCH_GET_ITEMS_MAX) {
            let keys = self.event_keys(some)?;
            match self.inner.store.batch_get(&keys).await {
                // One of them is not as it should be: which?
                Err(store::Error::Invalid { .. }) => {
                    for key in &keys {
                        items.push(self.event_item(key).await?);
                    }
                }
                found => {
                    items.extend(found?.into_iter().map(|item| Ok(item.map(|Raw(item)| item))))
                }
            }
        }
        Ok(items)
    }

    async fn event_item(&self, key: &Key) -> Result<Result<Option<Item>, String>, Error> {
        match self.inner.store.batch_get(std::slice::from_ref(key)).await {
            Err(error @ store::Error::Invalid { .. }) => Ok(Err(error.to_string())),
            found => Ok(Ok(found?.into_iter().flatten().next().map(|Raw(item)| item))),
        }
    }

    fn event_keys(&self, references: &[Reference]) -> Result<Vec<Key>, Error> {
        let key = |reference| Ok(self.get_event(reference).key()?);
        references.iter().map(key).collect()
    }

    /// Reads the event that a reference leads to. Split days have a pattern of their own.
    fn get_event(&self, to: &Reference) -> Get {
        let (kind, date, id) = (&to.event_type, &to.date, &to.event_id);
        match to.shard {
            0 => self.table().get_event_of_day(kind, date, to.epoch_ms, id),
            shard => self.table().get_event_of_day_sharded(kind, date, shard, to.epoch_ms, id),
        }
    }

    /// Changes when the event that a reference leads to is removed.
    pub(super) fn expire_event(&self, to: &Reference) -> Update {
        let (kind, date, id) = (&to.event_type, &to.date, &to.event_id);
        match to.shard {
            0 => self.table().expire_event_of_day(kind, date, to.epoch_ms, id),
            shard => self.table().expire_event_of_day_sharded(kind, date, shard, to.epoch_ms, id),
        }
    }
}
