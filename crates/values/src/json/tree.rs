//! JSON text as a tree that takes little more memory than the text: of the largest body that a client
//! may send, `serde_json::Value` makes a hundred times as much if it is of small objects.

use std::iter::Map;
use std::{fmt, slice};

use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde::{Serialize, Serializer};
use serde_json::Number;

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
}

/// The members of an object by name. Of several with one name the last counts.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Members(Box<[Member]>);

type Member = (Box<str>, Node);

impl Node {
    /// Reads a text.
    pub fn parse(text: &[u8]) -> Result<Node, serde_json::Error> {
        serde_json::from_slice(text)
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
            Node::Null => serializer.serialize_unit(),
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

impl<'de> Deserialize<'de> for Node {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Node, D::Error> {
        deserializer.deserialize_any(Reader)
    }
}

struct Reader;

impl<'de> Visitor<'de> for Reader {
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
        while let Some(element) = elements.next_element()? {
            array.push(element);
        }
        Ok(Node::Array(array.into()))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Node, A::Error> {
        let mut members = Vec::new();
        while let Some(entry) = entries.next_entry()? {
            if members.is_empty() {
                // Most are attribute values, and have one.
                members.reserve_exact(1);
            }
            members.push(entry);
        }
        Ok(Node::Object(Members::new(members)))
    }
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
        let nested = "[".repeat(200) + &"]".repeat(200);
        for text in ["", "{", "[1,]", "1 2", "nul", "1e400", r#"{"a"}"#, "\"\u{1}\"", &nested] {
            assert!(serde_json::from_str::<Value>(text).is_err(), "{text}");
            assert!(Node::parse(text.as_bytes()).is_err(), "{text}");
        }
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
