//! JSON without surprises: a name that comes twice in an object is refused, because two readers of
//! the same text could take different ones; and nesting has a bottom (serde_json's 128).

use std::fmt;

use serde::de::{self, DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

/// The value of a text, or what is wrong with the text.
pub fn parse(text: &[u8]) -> Result<Value, String> {
    let mut deserializer = serde_json::Deserializer::from_slice(text);
    let value = Strict.deserialize(&mut deserializer).and_then(|value| {
        deserializer.end()?;
        Ok(value)
    });
    value.map_err(|error| format!("is no JSON that can be read: {error}"))
}

/// Digits that every number in memory keeps.
const DIGITS_KEPT: usize = 15;

/// The first number of a text, which is JSON, that would be another one once it is read. Memory keeps 64
/// bits of a whole number, and 53 of any other: identifiers are longer than that at times.
pub fn inexact_number(text: &[u8]) -> Option<&str> {
    let mut rest = text;
    while let Some(start) = rest.iter().position(|byte| matches!(byte, b'"' | b'-' | b'0'..=b'9')) {
        rest = &rest[start..];
        let is_text = rest[0] == b'"';
        let end = if is_text { end_of_text(rest) } else { end_of_number(rest) };
        let (token, after) = rest.split_at(end);
        if !is_text && !is_kept(token) {
            return std::str::from_utf8(token).ok();
        }
        rest = after;
    }
    None
}

fn end_of_text(text: &[u8]) -> usize {
    let mut is_escaped = false;
    let end = text.iter().skip(1).position(|byte| {
        let ends = *byte == b'"' && !is_escaped;
        is_escaped = *byte == b'\\' && !is_escaped;
        ends
    });
    end.map_or(text.len(), |end| end + 2)
}

fn end_of_number(text: &[u8]) -> usize {
    let is_part = |byte: &u8| matches!(byte, b'0'..=b'9' | b'-' | b'+' | b'.' | b'e' | b'E');
    text.iter().position(|byte| !is_part(byte)).unwrap_or(text.len())
}

fn is_kept(token: &[u8]) -> bool {
    if token.iter().filter(|byte| byte.is_ascii_digit()).count() <= DIGITS_KEPT {
        return true;
    }
    let Ok(text) = std::str::from_utf8(token) else { return false };
    let read = serde_json::from_str::<Number>(text).map(|number| number.to_string());
    let exact = |text: &str| text.parse::<values::Number>().ok();
    read.is_ok_and(|read| exact(text).is_some_and(|number| Some(number) == exact(&read)))
}

/// The members of an object; nothing if the text is none.
pub fn object(text: &[u8]) -> Option<Map<String, Value>> {
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
    fn numbers_that_would_change_are_found() {
        for text in [
            r#"{"a": 1, "b": -2.5e10, "c": [9007199254740993, 18446744073709551615]}"#,
            r#"{"\\": "\"18446744073709551617", "x\\\"": 0.1, "d": -9223372036854775808}"#,
            r#"[0.30000000000000004, 1e300, 100000000000000000000]"#,
        ] {
            assert_eq!(inexact_number(text.as_bytes()), None, "{text}");
        }
        for (text, number) in [
            (r#"{"id": 18446744073709551617}"#, "18446744073709551617"),
            (r#"["\\", 0.12345678901234567890123]"#, "0.12345678901234567890123"),
            ("-9223372036854775809", "-9223372036854775809"),
            ("[1, 3.14159265358979323846]", "3.14159265358979323846"),
        ] {
            assert_eq!(inexact_number(text.as_bytes()), Some(number), "{text}");
        }
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
