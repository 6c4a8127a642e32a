//! JSON without surprises: a name that comes twice in an object is refused, because two readers of
//! the same text could take different ones; and nesting has a bottom (serde_json's 128).

use std::fmt;

use serde::de::{self, DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

/// The value of a text, or what is wrong with the text.
pub(crate) fn parse(text: &[u8]) -> Result<Value, String> {
    let mut deserializer = serde_json::Deserializer::from_slice(text);
    let value = Strict.deserialize(&mut deserializer).and_then(|value| {
        deserializer.end()?;
        Ok(value)
    });
    value.map_err(|error| format!("is no JSON that can be read: {error}"))
}

/// The members of an object; nothing if the text is none.
pub(crate) fn object(text: &[u8]) -> Option<Map<String, Value>> {
    match parse(text) {
        Ok(Value::Object(members)) => Some(members),
        _ => None,
    }
}

struct Strict;

impl<'de> DeserializeSeed<'de> for Strict {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Strict {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_f64<E: de::Error>(self, value: f64) -> Result<Value, E> {
        Number::from_f64(value).map(Value::Number).ok_or_else(|| E::custom("a number too large"))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut values = Vec::new();
        while let Some(value) = items.next_element_seed(Strict)? {
            values.push(value);
        }
        Ok(Value::Array(values))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Value, A::Error> {
        let mut map = Map::new();
        while let Some(name) = members.next_key::<String>()? {
            let value = members.next_value_seed(Strict)?;
            if map.contains_key(&name) {
                return Err(de::Error::custom("a name comes twice in one object"));
            }
            map.insert(name, value);
        }
        Ok(Value::Object(map))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_read_as_they_are_and_doubles_are_refused() {
        let text = br#"{"a": [1, -2, 3.5, true, null, "x"], "b": {}}"#;
        assert_eq!(parse(text), Ok(serde_json::from_slice(text).unwrap()));
        for text in [&b"{\"a\": 1, \"a\": 2}"[..], b"{} {}", b"{", b"", b"\xff"] {
            assert!(parse(text).is_err(), "{text:?}");
        }
        assert!(parse("[".repeat(100_000).as_bytes()).is_err());
    }

    #[test]
    fn a_name_that_occurs_twice_is_refused_at_any_depth() {
        assert!(object(br#"{"a": [1, 2.5, null, true, {"b": "c"}]}"#).is_some());
        for text in [
            &br#"{"a": 1, "a": 1}"#[..],
            br#"{"a": [{"b": 1, "b": 2}]}"#,
            br#"{"a": 1, "\u0061": 2}"#,
            br#"[]"#,
            br#"{} {}"#,
            br#"{"a": 1"#,
            b"",
        ] {
            assert!(object(text).is_none(), "{}", String::from_utf8_lossy(text));
        }
    }
}
