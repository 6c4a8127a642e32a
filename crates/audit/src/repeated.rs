//! What happens again and again, the same in everything but its time: one event, which says how often
//! and when each time. A key that is used a hundred times in a tenth of a second is one row of the log
//! and not a hundred, and nothing of the attempts is lost.

use kernel::moment::Moment;
use serde_json::{Map, Value};

use super::row::Row;

/// Times that one event holds at most: its details stay readable, and far below what an item holds.
pub(super) const TIMES_MAX: usize = 1000;
/// How often it happened, the first time included.
const ATTEMPTS: &str = "attempts";
/// Milliseconds from `occurred_at` to each other time.
const AGAIN: &str = "again_after_ms";

/// An event that waits to be recorded, and when it happened again.
pub(super) struct Repeated {
    row: Row,
    again: Vec<Moment>,
}

impl Repeated {
    /// The first of its kind.
    pub fn first(row: Row) -> Repeated {
        Repeated { row, again: Vec::new() }
    }

    /// Takes an event in that is the same again; gives any other back.
    ///
    /// What belongs to a request is told apart by it.
    pub fn take(&mut self, mut row: Row) -> Option<Row> {
        let Row { timestamp, occurred_at, .. } = row;
        (row.timestamp, row.occurred_at) = (self.row.timestamp, self.row.occurred_at);
        if row == self.row && row.request_id.is_none() && self.again.len() < TIMES_MAX {
            self.again.push(occurred_at);
            return None;
        }
        Some(Row { timestamp, occurred_at, ..row })
    }

    /// Takes in as many of the times at which it happened again as there is room for.
    pub fn happened_again(&mut self, times: &mut Vec<Moment>) {
        let room = TIMES_MAX - self.again.len();
        self.again.extend(times.drain(..room.min(times.len())));
    }

    /// The event, with its times in its details.
    pub fn into_row(self) -> Row {
        let Repeated { mut row, again } = self;
        if again.is_empty() {
            return row;
        }
        let details = row.details.as_deref().map(serde_json::from_str::<Map<_, _>>);
        let mut details = details.and_then(Result::ok).unwrap_or_default();
        // Entries come in no strict order: a time may be before the first.
        let first = row.occurred_at.millis().cast_signed();
        let after = |moment: &Moment| Value::from(moment.millis().cast_signed() - first);
        details.insert(ATTEMPTS.to_owned(), Value::from(1 + again.len()));
        details.insert(AGAIN.to_owned(), again.iter().map(after).collect());
        row.details = Some(Value::Object(details).to_string());
        row
    }
}

#[cfg(test)]
mod tests {
    use kernel::caller::Caller;
    use serde_json::json;

    use super::*;
    use crate::{Entry, Origin};

    fn attempt(key: &str, millis: u64) -> Row {
        let entry = Entry::new("AUTH", "API_KEY_ACCEPTED", "acc").detail("prefix", key);
        Row::draft(&entry, &Origin::of(Caller::anonymous()), Moment::from_millis(millis))
    }

    /// R003-audit-6: every attempt is in the log, with its time.
    #[test]
    fn attempts_that_differ_in_their_times_are_one_event_with_all_of_them() {
        let mut waiting = Repeated::first(attempt("one", 1_000));
        assert_eq!(waiting.take(attempt("one", 1_003)), None);
        assert_eq!(waiting.take(attempt("two", 1_004)), Some(attempt("two", 1_004)));
        assert_eq!(waiting.take(attempt("one", 1_070)), None);
        let row = waiting.into_row();
        assert_eq!(row.occurred_at, Moment::from_millis(1_000));
        let details: Value = serde_json::from_str(&row.details.unwrap()).unwrap();
        let all = json!({ "prefix": "one", "attempts": 3, "again_after_ms": [3, 70] });
        assert_eq!(details, all);
    }

    #[test]
    fn what_happened_once_is_as_it_was() {
        assert_eq!(Repeated::first(attempt("one", 1)).into_row(), attempt("one", 1));
    }

    #[test]
    fn requests_and_too_many_times_are_told_apart() {
        let of_request = Row { request_id: Some("r".to_owned()), ..attempt("one", 1) };
        let mut waiting = Repeated::first(of_request.clone());
        assert_eq!(waiting.take(of_request.clone()), Some(of_request));

        let mut waiting = Repeated::first(attempt("one", 1));
        assert!((0..TIMES_MAX).all(|_| waiting.take(attempt("one", 2)).is_none()));
        assert!(waiting.take(attempt("one", 2)).is_some());
    }
}
