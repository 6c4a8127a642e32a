//! JSON text as a tree that takes little more memory than the text: of the largest body that a client
//! may send, `serde_json::Value` makes a hundred times as much if it is of small objects.

use std::cell::Cell;
use std::iter::Map;
use std::{fmt, slice};

use serde::de::{
    Deserialize as _, DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor,
};
use serde::{Serialize, Serializer};
use serde_json::Number;
use serde_json::value::RawValue;

/// A value of JSON.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Node {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number, as it is in the text.
    Number(Number),
    /// A string.
    String(Box<str>),
    /// An array.
    Array(Box<[Node]>),
    /// An object.
    Object(Members),
    /// An array or object inside [`LEVELS_MAX`] others. It is JSON, and no more is known: no member of
    /// a request that is read is so deep, and a value that is so deep is refused.
    Deep,
}

/// Arrays and objects inside one another that are kept: as many as the reader of JSON text follows,
/// and as the service does. A value in 62 maps in the item of a PutItem has just so many, one in 60 in
/// that of a BatchWriteItem, and from there on the service has other words for it (DX, October 2026).
const LEVELS_MAX: usize = 127;

/// Arrays and objects inside one another up to which a text is read at all: an attribute value of
/// 2,000 levels, each of which takes two, is as deep as the service reads (DX, October 2026).
const READABLE_LEVELS_MAX: usize = 4_003;

/// The members of an object by name. Of several with one name the last counts.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Members(Box<[Member]>);

type Member = (Box<str>, Node);

impl Node {
    /// Reads a text.
    pub fn parse(text: &[u8]) -> Result<Node, serde_json::Error> {
        let has_deep = Cell::new(false);
        let mut deserializer = serde_json::Deserializer::from_slice(text);
        let reader = Reader { levels: LEVELS_MAX, has_deep: &has_deep };
        let node = reader.deserialize(&mut deserializer)?;
        deserializer.end()?;
        if has_deep.get() && levels(text) > READABLE_LEVELS_MAX {
            return Err(Error::custom("nested too deep to be read"));
        }
        Ok(node)
    }

    /// Whether it is `null`.
    pub fn is_null(&self) -> bool {
        matches!(self, Node::Null)
    }

    /// The text of a string.
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Node::String(text) => Some(text),
            _ => None,
        }
    }

    /// The number.
    pub fn as_number(&self) -> Option<&Number> {
        match self {
            Node::Number(number) => Some(number),
            _ => None,
        }
    }

    /// The elements of an array.
    pub fn as_array(&self) -> Option<&[Node]> {
        match self {
            Node::Array(elements) => Some(elements),
            _ => None,
        }
    }

    /// The member of this name, of an object.
    pub fn get(&self, name: &str) -> Option<&Node> {
        self.as_object()?.get(name)
    }

    /// The members of an object.
    pub fn as_object(&self) -> Option<&Members> {
        match self {
            Node::Object(members) => Some(members),
            _ => None,
        }
    }
}

impl Members {
    fn new(mut members: Vec<Member>) -> Members {
        let is_in_order = |pair: &[Member]| pair[0].0 < pair[1].0;
        if !members.windows(2).all(is_in_order) {
            // Those with one name stay in their order, and of each two the later takes the place.
            members.sort_by(|(one, _), (other, _)| one.cmp(other));
            members.dedup_by(|later, earlier| {
                let is_again = later.0 == earlier.0;
                if is_again {
                    std::mem::swap(later, earlier);
                }
                is_again
            });
        }
        Members(members.into())
    }

    /// The member of this name.
    pub fn get(&self, name: &str) -> Option<&Node> {
        let found = self.0.binary_search_by(|(member, _)| (**member).cmp(name));
        found.ok().map(|place| &self.0[place].1)
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// All of them, by name.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Node)> {
        self.into_iter()
    }

    /// What they are, by name.
    pub fn values(&self) -> impl Iterator<Item = &Node> {
        self.0.iter().map(|(_, node)| node)
    }
}

impl<'a> IntoIterator for &'a Members {
    type Item = (&'a str, &'a Node);
    type IntoIter = Map<slice::Iter<'a, Member>, fn(&'a Member) -> (&'a str, &'a Node)>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.iter().map(|(name, node)| (name, node))
    }
}

impl Serialize for Node {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Node::Null | Node::Deep => serializer.serialize_unit(),
            Node::Bool(value) => serializer.serialize_bool(*value),
            Node::Number(number) => number.serialize(serializer),
            Node::String(text) => serializer.serialize_str(text),
            Node::Array(elements) => serializer.collect_seq(elements),
            Node::Object(members) => serializer.collect_map(members),
        }
    }
}

/// As JSON.
impl fmt::Display for Node {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&serde_json::to_string(self).map_err(|_| fmt::Error)?)
    }
}

/// Reads a value.
#[derive(Clone, Copy)]
struct Reader<'a> {
    /// How many arrays and objects it may be.
    levels: usize,
    /// Whether anything had more.
    has_deep: &'a Cell<bool>,
}

impl<'de> DeserializeSeed<'de> for Reader<'_> {
    type Value = Node;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Node, D::Error> {
        if self.levels == 0 {
            return self.scalar(<&RawValue>::deserialize(deserializer)?.get());
        }
        deserializer.deserialize_any(Reader { levels: self.levels - 1, ..self })
    }
}

impl Reader<'_> {
    /// Reads what lies inside as many arrays and objects as are kept.
    fn scalar<E: Error>(self, text: &str) -> Result<Node, E> {
        if text.starts_with(['[', '{']) {
            self.has_deep.set(true);
            return Ok(Node::Deep);
        }
        let mut deserializer = serde_json::Deserializer::from_str(text);
        deserializer.deserialize_any(self).map_err(Error::custom)
    }
}

impl<'de> Visitor<'de> for Reader<'_> {
    type Value = Node;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E: Error>(self) -> Result<Node, E> {
        Ok(Node::Null)
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Node, E> {
        Ok(Node::Bool(value))
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Node, E> {
        Ok(Node::Number(value.into()))
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Node, E> {
        Ok(Node::Number(value.into()))
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Node, E> {
        Ok(Number::from_f64(value).map_or(Node::Null, Node::Number))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Node, E> {
        Ok(Node::String(text.into()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<Node, A::Error> {
        let mut array = Vec::new();
        while let Some(element) = elements.next_element_seed(self)? {
            array.push(element);
        }
        Ok(Node::Array(array.into()))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Node, A::Error> {
        let mut members = Vec::new();
        while let Some(name) = entries.next_key()? {
            if members.is_empty() {
                // Most are attribute values, and have one.
                members.reserve_exact(1);
            }
            members.push((name, entries.next_value_seed(self)?));
        }
        Ok(Node::Object(Members::new(members)))
    }
}

/// How many arrays and objects lie inside one another, in a text that is JSON.
fn levels(text: &[u8]) -> usize {
    let (mut levels, mut most) = (0_usize, 0);
    let (mut is_string, mut is_escaped) = (false, false);
    for byte in text {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' => is_escaped = is_string,
            b'"' => is_string = !is_string,
            _ if is_string => {}
            b'{' | b'[' => {
                levels += 1;
                most = most.max(levels);
            }
            b'}' | b']' => levels = levels.saturating_sub(1),
            _ => {}
        }
    }
    most
}

impl From<&serde_json::Value> for Node {
    fn from(value: &serde_json::Value) -> Node {
        use serde_json::Value;
        match value {
            Value::Null => Node::Null,
            Value::Bool(value) => Node::Bool(*value),
            Value::Number(number) => Node::Number(number.clone()),
            Value::String(text) => Node::String(text.as_str().into()),
            Value::Array(elements) => Node::Array(elements.iter().map(Node::from).collect()),
            Value::Object(map) => {
                let member =
                    |(name, value): (&String, _)| (name.as_str().into(), Node::from(value));
                Node::Object(Members::new(map.iter().map(member).collect()))
            }
        }
    }
}

impl From<serde_json::Value> for Node {
    fn from(value: serde_json::Value) -> Node {
        Node::from(&value)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn a_text_is_read_as_serde_json_reads_it() {
        let texts = [
            "null",
            "true",
            "-0",
            "1",
            "-1",
            "18446744073709551615",
            "1.50",
            "1e3",
            "1e-400",
            "123456789012345678901234567890",
            r#""""#,
            r#""a\u00e9\n\"""#,
            "[]",
            "[1,[2],{}]",
            "{}",
            r#"{"b":1,"a":{"S":"x"}}"#,
            r#"{"a":1,"b":2,"a":3,"a":null}"#,
            " [ 1 , 2 ] ",
        ];
        for text in texts {
            let expected: Value = serde_json::from_str(text).unwrap();
            let node = Node::parse(text.as_bytes()).unwrap();
            assert_eq!(node, Node::from(&expected), "{text}");
            assert_eq!(node.to_string(), expected.to_string());
        }
        for text in ["", "{", "[1,]", "1 2", "nul", "1e400", r#"{"a"}"#, "\"\u{1}\""] {
            assert!(serde_json::from_str::<Value>(text).is_err(), "{text}");
            assert!(Node::parse(text.as_bytes()).is_err(), "{text}");
        }
    }

    /// A text nests as deep as the service reads; what is deeper than is kept must be JSON all the same.
    #[test]
    fn what_is_deep_is_read_and_not_kept() {
        let nested = |levels: usize, inner: &str| {
            let text = "[".repeat(levels) + inner + &"]".repeat(levels);
            Node::parse(text.as_bytes())
        };
        let innermost = |node: Node| {
            let mut node = &node;
            while let Some([inner]) = node.as_array() {
                node = inner;
            }
            node.clone()
        };
        assert_eq!(nested(LEVELS_MAX, "1.5").map(innermost).unwrap(), Node::from(json!(1.5)));
        assert_eq!(nested(LEVELS_MAX, "\"x\"").map(innermost).unwrap(), Node::from(json!("x")));
        assert_eq!(nested(LEVELS_MAX, "{ }").map(innermost).unwrap(), Node::Deep);
        assert_eq!(nested(LEVELS_MAX + 1, "1").map(innermost).unwrap(), Node::Deep);
        assert_eq!(nested(1_000, r#""]\"]""#).map(innermost).unwrap(), Node::Deep);
        assert_eq!(nested(READABLE_LEVELS_MAX, "").map(innermost).unwrap(), Node::Deep);
        assert!(nested(READABLE_LEVELS_MAX + 1, "").is_err());
        assert!(nested(1_000, "nul").is_err());
        assert!(nested(2_000_000, "").is_err());
    }

    #[test]
    fn members_are_found_by_name_and_the_last_of_a_name_counts() {
        let node = Node::parse(br#"{"c":1,"a":2,"b":3,"a":4,"c":5}"#).unwrap();
        let members = node.as_object().unwrap();
        assert_eq!(members.len(), 3);
        let names: Vec<_> = members.iter().map(|(name, _)| name).collect();
        assert_eq!(names, ["a", "b", "c"]);
        let number = |name| members.get(name).and_then(Node::as_number).and_then(Number::as_u64);
        assert_eq!((number("a"), number("b"), number("c")), (Some(4), Some(3), Some(5)));
        assert_eq!(members.get("d"), None);
        assert_eq!(Node::from(json!({ "c": 5, "b": 3, "a": 4 })), node);
    }

    #[test]
    fn it_is_small() {
        assert_eq!(size_of::<Node>(), 24);
        assert_eq!(size_of::<Member>(), 40);
    }
}
