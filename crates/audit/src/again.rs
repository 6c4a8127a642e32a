//! What was given to the queue a moment ago and happens again: all that is noted is when. To draft it
//! once more, to send it and to find that it is the same costs more than to verify a key.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use kernel::moment::Moment;

use super::repeated::TIMES_MAX;
use super::{Entry, Origin};

/// Entries of one account that are remembered.
const ENTRIES_MAX: usize = 8;
/// After this time an entry is new again: whoever was to send it may have been stopped before.
const REMEMBERED: Duration = Duration::from_secs(1);

/// What was given lately, by account.
#[derive(Default)]
pub(super) struct Again(Mutex<HashMap<String, Vec<Known>>>);

/// An entry, and when it happened again.
pub(super) struct Known {
    pub entry: Entry,
    pub origin: Origin,
    pub times: Vec<Moment>,
    since: Moment,
}

impl Again {
    /// Notes that an entry happens again. False if it has to be sent: it is the first of its kind,
    /// which is remembered, or belongs to a request, which tells it apart.
    pub fn note(&self, entry: &Entry, origin: &Origin, now: Moment) -> bool {
        if origin.request_id.is_some() {
            return false;
        }
        let mut accounts = self.accounts();
        let Some(entries) = accounts.get_mut(&entry.account_id) else {
            let first = Known::first(entry, origin, now);
            accounts.insert(entry.account_id.clone(), vec![first]);
            return false;
        };
        if let Some(known) = entries.iter_mut().find(|known| known.is(entry, origin, now)) {
            known.times.push(origin.occurred_at.unwrap_or(now));
            return true;
        }
        if entries.len() < ENTRIES_MAX {
            entries.push(Known::first(entry, origin, now));
        }
        false
    }

    /// What happened again, which is then forgotten.
    pub fn take(&self) -> impl Iterator<Item = Known> {
        let accounts = std::mem::take(&mut *self.accounts());
        accounts.into_values().flatten().filter(|known| !known.times.is_empty())
    }

    fn accounts(&self) -> MutexGuard<'_, HashMap<String, Vec<Known>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Known {
    fn first(entry: &Entry, origin: &Origin, now: Moment) -> Known {
        let (entry, origin) = (entry.clone(), origin.clone());
        Known { entry, origin, times: Vec::new(), since: now }
    }

    fn is(&self, entry: &Entry, origin: &Origin, now: Moment) -> bool {
        let has_room = self.times.len() < TIMES_MAX && now.since(self.since) < REMEMBERED;
        has_room && self.entry == *entry && self.origin == *origin
    }
}

#[cfg(test)]
mod tests {
    use kernel::caller::Caller;

    use super::*;

    /// R003-audit-6: of what happens again, every time is kept, and what differs is told apart.
    #[test]
    fn every_time_is_kept_until_it_is_taken() {
        let given = Again::default();
        let at = Moment::from_millis;
        let entry = |key: &str| Entry::new("AUTH", "API_KEY_ACCEPTED", "acc").of("api_key", key);
        let (one, other) = (Origin::of(Caller::anonymous()), Origin::system("test"));
        let noted =
            |key: &str, origin: &Origin, millis: u64| given.note(&entry(key), origin, at(millis));
        assert!(!noted("k", &one, 1_000), "the first is to be sent");
        assert!(noted("k", &one, 1_000) && noted("k", &one, 1_040));
        assert!(!noted("other", &one, 1_050) && !noted("k", &other, 1_050));
        assert!(noted("other", &one, 1_060));
        let of_request = Origin { request_id: Some("r".to_owned()), ..one.clone() };
        assert!(!noted("k", &of_request, 1_070) && !noted("k", &of_request, 1_070));
        assert!(!noted("k", &one, 2_001), "after a second it is sent again");
        assert!(noted("k", &one, 2_002));

        let mut taken: Vec<_> = given.take().map(|known| (known.entry, known.times)).collect();
        taken.sort_by_key(|(_, times)| times.clone());
        let expected = [
            (entry("k"), vec![at(1_000), at(1_040)]),
            (entry("other"), vec![at(1_060)]),
            (entry("k"), vec![at(2_002)]),
        ];
        assert_eq!(taken, expected);
        assert_eq!(given.take().count(), 0);
        assert!(!noted("k", &one, 2_003), "what was taken is forgotten");
    }

    #[test]
    fn what_is_remembered_has_an_end() {
        let given = Again::default();
        let origin = Origin::of(Caller::anonymous());
        let now = Moment::from_millis(1);
        let note = |number: usize| {
            let entry = Entry::new("AUTH", "LOGIN", "acc").detail("number", number);
            given.note(&entry, &origin, now)
        };
        assert!((0..=ENTRIES_MAX).all(|number| !note(number)));
        assert!(!note(ENTRIES_MAX) && note(0));
        assert!((0..TIMES_MAX).filter(|_| note(1)).count() == TIMES_MAX && !note(1));
    }
}
