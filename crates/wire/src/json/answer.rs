//! Putting an answer together.

use database::shapes::TimestampMillis;
use serde_json::{Map, Value};
use values::Item;
use values::json::item_to_json;

/// A body under construction.
#[derive(Default)]
pub(super) struct Answer(Map<String, Value>);

impl Answer {
    pub(super) fn new() -> Self {
        Answer::default()
    }

    pub(super) fn with(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.0.insert(name.to_owned(), value.into());
        self
    }

    /// A member that is left out if there is nothing to say.
    pub(super) fn maybe(self, name: &str, value: Option<impl Into<Value>>) -> Self {
        match value {
            Some(value) => self.with(name, value),
            None => self,
        }
    }

    pub(super) fn item(self, name: &str, item: Option<&Item>) -> Self {
        self.maybe(name, item.map(item_to_json))
    }

    pub(super) fn items(self, name: &str, items: Option<&Vec<Item>>) -> Self {
        self.maybe(name, items.map(|items| list(items, item_to_json)))
    }

    pub(super) fn done(self) -> Value {
        Value::Object(self.0)
    }
}

/// A list of what each element becomes.
pub(super) fn list<T>(elements: &[T], one: impl Fn(&T) -> Value) -> Value {
    elements.iter().map(one).collect()
}

/// Seconds since 1970, with milliseconds behind the point.
pub(super) fn seconds(milliseconds: TimestampMillis) -> Value {
    // 2^53 milliseconds are the year 287396: every time that occurs is exact before the division.
    Value::from(milliseconds as f64 / 1000.0)
}
