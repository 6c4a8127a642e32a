//! Putting an answer together, straight as text: a tree in between would cost more than everything
//! else about a Query.

use database::ItemForm;
use database::shapes::TimestampMillis;
use serde_json::Value;
use values::Item;
use values::codec::CodecError;
use values::json::{write_item, write_stored_item, write_string};

/// A JSON text, or none.
#[derive(Clone, Debug)]
pub struct Json(Vec<u8>);

impl Json {
    /// No text: the answer of an operation whose output has no shape in the service's model.
    pub const EMPTY: Json = Json(Vec::new());

    /// The text.
    pub fn into_bytes(self) -> Vec<u8> {
        self.0
    }

    /// The same as a tree, for those who look into it. No text is an object without members, as the
    /// SDKs read it.
    pub fn to_value(&self) -> Value {
        if self.0.is_empty() {
            return Value::Object(serde_json::Map::new());
        }
        serde_json::from_slice(&self.0).unwrap_or_default()
    }
}

impl From<Value> for Json {
    fn from(value: Value) -> Json {
        let mut text = Vec::new();
        value.write(&mut text);
        Json(text)
    }
}

impl std::fmt::Display for Json {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&String::from_utf8_lossy(&self.0))
    }
}

impl PartialEq<Value> for Json {
    fn eq(&self, other: &Value) -> bool {
        self.to_value() == *other
    }
}

/// What can be a member's value.
pub trait Content {
    /// Appends it.
    fn write(&self, out: &mut Vec<u8>);

    /// About how long its text is, so that room for a long one is made once.
    fn length(&self) -> usize {
        16
    }
}

impl Content for Json {
    fn write(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.0);
    }

    fn length(&self) -> usize {
        self.0.len()
    }
}

/// An item as JSON text, made straight from what is stored.
pub struct JsonItem(Vec<u8>);

impl ItemForm for JsonItem {
    fn from_stored(bytes: &[u8]) -> Result<(JsonItem, usize), CodecError> {
        // Types and quotes make the text somewhat longer than what is stored.
        let mut text = Vec::with_capacity(bytes.len() + bytes.len() / 2 + 64);
        let size = write_stored_item(bytes, &mut text)?;
        Ok((JsonItem(text), size))
    }

    fn from_item(item: Item) -> JsonItem {
        let mut text = Vec::new();
        write_item(&item, &mut text);
        JsonItem(text)
    }
}

impl Content for JsonItem {
    fn write(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.0);
    }

    fn length(&self) -> usize {
        self.0.len()
    }
}

impl Content for Item {
    fn write(&self, out: &mut Vec<u8>) {
        write_item(self, out);
    }
}

impl<C: Content> Content for [C] {
    fn write(&self, out: &mut Vec<u8>) {
        write_list(self, |element| element, out);
    }

    fn length(&self) -> usize {
        self.iter().map(|element| element.length() + 1).sum::<usize>() + 2
    }
}

impl<C: Content + ?Sized> Content for &C {
    fn write(&self, out: &mut Vec<u8>) {
        (**self).write(out);
    }

    fn length(&self) -> usize {
        (**self).length()
    }
}

impl Content for str {
    fn write(&self, out: &mut Vec<u8>) {
        write_string(self, out);
    }
}

macro_rules! content_by_serde {
    ($($kind:ty),*) => {
        $(impl Content for $kind {
            fn write(&self, out: &mut Vec<u8>) {
                // Numbers, flags, texts and trees of them can always be written to memory.
                let _ = serde_json::to_writer(out, self);
            }
        })*
    };
}

content_by_serde!(Value, bool, u64, i64, f64, Vec<String>);

/// A body under construction.
pub(super) struct Answer(Vec<u8>);

/// Room for short members beside the long one that most answers have.
const SHORT_MEMBERS: usize = 256;

impl Answer {
    pub(super) fn new() -> Self {
        Answer(Vec::new())
    }

    pub(super) fn with(mut self, name: &str, value: impl Content) -> Self {
        let length = name.len() + value.length() + 4;
        if self.0.capacity() - self.0.len() < length {
            self.0.reserve(length + SHORT_MEMBERS);
        }
        self.0.push(if self.0.is_empty() { b'{' } else { b',' });
        write_string(name, &mut self.0);
        self.0.push(b':');
        value.write(&mut self.0);
        self
    }

    /// A member that is left out if there is nothing to say.
    pub(super) fn maybe(self, name: &str, value: Option<impl Content>) -> Self {
        match value {
            Some(value) => self.with(name, value),
            None => self,
        }
    }

    pub(super) fn item(self, name: &str, item: Option<&impl Content>) -> Self {
        self.maybe(name, item)
    }

    pub(super) fn items<C: Content>(self, name: &str, items: Option<&Vec<C>>) -> Self {
        self.maybe(name, items.map(Vec::as_slice))
    }

    pub(super) fn done(mut self) -> Json {
        if self.0.is_empty() {
            self.0.push(b'{');
        }
        self.0.push(b'}');
        Json(self.0)
    }
}

/// A list of what each element becomes.
pub(super) fn list<'a, T, C: Content>(elements: &'a [T], one: impl Fn(&'a T) -> C) -> Json {
    let mut text = Vec::new();
    write_list(elements, one, &mut text);
    Json(text)
}

fn write_list<'a, T, C: Content>(elements: &'a [T], one: impl Fn(&'a T) -> C, out: &mut Vec<u8>) {
    out.push(b'[');
    for (place, element) in elements.iter().enumerate() {
        if place > 0 {
            out.push(b',');
        }
        one(element).write(out);
    }
    out.push(b']');
}

/// An object with what each entry becomes under its name.
pub(super) fn by_name<'a, T: 'a, C: Content>(
    entries: impl IntoIterator<Item = (&'a String, &'a T)>,
    one: impl Fn(&'a T) -> C,
) -> Json {
    let entries = entries.into_iter();
    entries.fold(Answer::new(), |answer, (name, entry)| answer.with(name, one(entry))).done()
}

/// Seconds since 1970, with milliseconds behind the point.
pub(super) fn seconds(milliseconds: TimestampMillis) -> Value {
    // 2^53 milliseconds are the year 287396: every time that occurs is exact before the division.
    Value::from(milliseconds as f64 / 1000.0)
}
