//! Entries that are not recorded one by one, because strangers cause more than can or may be: how many
//! there were, of which outcomes, from when until when. Each becomes a part of one entry.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use kernel::moment::Moment;
use serde_json::{Value, json};

use super::Entry;

/// The action of an entry that stands for many.
const ACTION: &str = "ATTEMPTS_COUNTED";

/// What was counted and is in no entry yet.
#[derive(Default)]
pub(super) struct Tally(Mutex<BTreeMap<Kind, Counted>>);

/// What goes into one entry.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Kind {
    account_id: String,
    event_type: &'static str,
    action: &'static str,
}

struct Counted {
    attempts: u64,
    from: Moment,
    until: Moment,
    /// How many of each outcome, and of each reason.
    outcomes: BTreeMap<String, u64>,
    reasons: BTreeMap<String, u64>,
}

impl Tally {
    /// Counts an entry that happens now.
    pub fn count(&self, entry: &Entry, now: Moment) {
        let kind = Kind {
            account_id: entry.account_id.clone(),
            event_type: entry.event_type,
            action: entry.action,
        };
        let mut kinds = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let counted = kinds.entry(kind).or_insert_with(|| Counted::since(now));
        counted.attempts += 1;
        // Several threads count: their clocks need not come in order.
        counted.from = counted.from.min(now);
        counted.until = counted.until.max(now);
        let parts = [("outcome", &mut counted.outcomes), ("reason", &mut counted.reasons)];
        for (detail, counts) in parts {
            if let Some(Value::String(value)) = entry.details.get(detail) {
                *counts.entry(value.clone()).or_default() += 1;
            }
        }
    }

    /// Entries for everything that was counted, which is then forgotten.
    pub fn take(&self) -> Vec<Entry> {
        let kinds = std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner));
        kinds.into_iter().map(|(kind, counted)| counted.entry(kind)).collect()
    }
}

impl Counted {
    fn since(from: Moment) -> Counted {
        let (outcomes, reasons) = (BTreeMap::new(), BTreeMap::new());
        Counted { attempts: 0, from, until: from, outcomes, reasons }
    }

    fn entry(self, kind: Kind) -> Entry {
        // Only what is refused is counted.
        Entry::new(kind.event_type, ACTION, kind.account_id)
            .failed()
            .detail("action", kind.action)
            .detail("attempts", self.attempts)
            .detail("from", self.from.to_string())
            .detail("until", self.until.to_string())
            .detail("outcomes", json!(self.outcomes))
            .detail("reasons", json!(self.reasons))
    }
}
