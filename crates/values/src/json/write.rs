//! From values to JSON, as a tree or straight to text.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value};

use crate::{AttributeValue, Item, Number};

pub(super) fn item_to_json(item: &Item) -> Value {
    item.iter().map(|(name, value)| (name.clone(), value_to_json(value))).collect()
}

pub(super) fn value_to_json(value: &AttributeValue) -> Value {
    let content = match value {
        AttributeValue::S(text) => Value::from(text.as_str()),
        AttributeValue::N(number) => Value::from(number.to_string()),
        AttributeValue::B(bytes) => Value::from(STANDARD.encode(bytes)),
        AttributeValue::Bool(boolean) => Value::from(*boolean),
        AttributeValue::Null => Value::from(true),
        AttributeValue::M(map) => item_to_json(map),
        AttributeValue::L(list) => list.iter().map(value_to_json).collect(),
        AttributeValue::Ss(set) => set.iter().map(String::as_str).collect(),
        AttributeValue::Ns(set) => set.iter().map(Number::to_string).collect(),
        AttributeValue::Bs(set) => set.iter().map(|member| STANDARD.encode(member)).collect(),
    };
    let mut object = Map::new();
    object.insert(value.attribute_type().descriptor().to_owned(), content);
    Value::Object(object)
}

pub(super) fn item(item: &Item, out: &mut Vec<u8>) {
    out.push(b'{');
    separated(item, out, |(name, content), out| {
        string(name, out);
        out.push(b':');
        value(content, out);
    });
    out.push(b'}');
}

pub(super) fn value(value: &AttributeValue, out: &mut Vec<u8>) {
    match value {
        AttributeValue::S(text) => {
            out.extend_from_slice(b"{\"S\":");
            string(text, out);
        }
        AttributeValue::N(content) => {
            out.extend_from_slice(b"{\"N\":");
            number(content, out);
        }
        AttributeValue::B(bytes) => {
            out.extend_from_slice(b"{\"B\":");
            binary(bytes, out);
        }
        AttributeValue::Bool(true) => out.extend_from_slice(b"{\"BOOL\":true"),
        AttributeValue::Bool(false) => out.extend_from_slice(b"{\"BOOL\":false"),
        AttributeValue::Null => out.extend_from_slice(b"{\"NULL\":true"),
        AttributeValue::M(map) => {
            out.extend_from_slice(b"{\"M\":");
            item(map, out);
        }
        AttributeValue::L(list) => array(b"{\"L\":[", list, out, self::value),
        AttributeValue::Ss(set) => {
            array(b"{\"SS\":[", set, out, |member, out| string(member, out));
        }
        AttributeValue::Ns(set) => array(b"{\"NS\":[", set, out, number),
        AttributeValue::Bs(set) => {
            array(b"{\"BS\":[", set, out, |member, out| binary(member, out));
        }
    }
    out.push(b'}');
}

fn array<T>(
    opening: &[u8],
    elements: impl IntoIterator<Item = T>,
    out: &mut Vec<u8>,
    write: impl Fn(T, &mut Vec<u8>),
) {
    out.extend_from_slice(opening);
    separated(elements, out, write);
    out.push(b']');
}

fn separated<T>(
    elements: impl IntoIterator<Item = T>,
    out: &mut Vec<u8>,
    write: impl Fn(T, &mut Vec<u8>),
) {
    for (index, element) in elements.into_iter().enumerate() {
        if index > 0 {
            out.push(b',');
        }
        write(element, out);
    }
}

pub(super) fn number(number: &Number, out: &mut Vec<u8>) {
    out.push(b'"');
    number.write_to(out);
    out.push(b'"');
}

pub(super) fn binary(bytes: &[u8], out: &mut Vec<u8>) {
    out.push(b'"');
    let start = out.len();
    // Four characters for every three bytes begun: never more than base64 needs.
    out.resize(start + bytes.len().div_ceil(3) * 4, 0);
    let written = STANDARD.encode_slice(bytes, &mut out[start..]).unwrap_or_default();
    out.truncate(start + written);
    out.push(b'"');
}

/// Writes a quoted string. Most strings need no escape and are copied in one piece.
pub(super) fn string(text: &str, out: &mut Vec<u8>) {
    if plain(text.as_bytes(), out) {
        return;
    }
    out.push(b'"');
    let mut rest = text.as_bytes();
    while let Some(place) = first_escaped(rest) {
        out.extend_from_slice(&rest[..place]);
        escape(rest[place], out);
        rest = &rest[place + 1..];
    }
    out.extend_from_slice(rest);
    out.push(b'"');
}

/// Writes bytes as a quoted string if they are ASCII and need no escape, as nearly all are: such bytes
/// need not be read as UTF-8 first. Otherwise writes nothing and gives false.
pub(super) fn plain(bytes: &[u8], out: &mut Vec<u8>) -> bool {
    let is_plain = match bytes.len() {
        0..8 => {
            let mut word = [b' '; 8];
            word[..bytes.len()].copy_from_slice(bytes);
            is_plain_word(&word)
        }
        8..32 => {
            let (words, _) = bytes.as_chunks();
            words.iter().all(is_plain_word) && bytes.last_chunk().is_none_or(is_plain_word)
        }
        _ => are_plain::<32>(bytes),
    };
    if is_plain {
        out.reserve(bytes.len() + 2);
        out.push(b'"');
        out.extend_from_slice(bytes);
        out.push(b'"');
    }
    is_plain
}

/// Asks eight bytes at once, in one register: short strings are the most, and vectors are slow to set up.
fn is_plain_word(word: &[u8; 8]) -> bool {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const HIGH: u64 = 0x80 * ONES;
    let word = u64::from_ne_bytes(*word);
    // The high bit of a byte is set if the byte, which is ASCII, is less than `least`.
    let below = |word: u64, least: u64| !((word | HIGH) - least * ONES);
    // What equals a byte differs from it by nothing, which is less than 1.
    let equal = |byte: u8| below(word ^ (u64::from(byte) * ONES), 1);
    (word | below(word, 0x20) | equal(b'"') | equal(b'\\')) & HIGH == 0
}

/// Asks whole blocks at once, without a way out in between, so that the compiler makes vector
/// instructions of it. The last block overlaps the one before.
fn are_plain<const BLOCK: usize>(bytes: &[u8]) -> bool {
    let is_plain =
        |block: &[u8; BLOCK]| block.iter().fold(true, |all, byte| all & is_plain_byte(byte));
    bytes.as_chunks().0.iter().all(is_plain) && bytes.last_chunk().is_none_or(is_plain)
}

fn is_plain_byte(byte: &u8) -> bool {
    byte.is_ascii() && !is_escaped(byte)
}

fn is_escaped(byte: &u8) -> bool {
    *byte < 0x20 || *byte == b'"' || *byte == b'\\'
}

/// Where the first byte stands that cannot be copied.
fn first_escaped(bytes: &[u8]) -> Option<usize> {
    const BLOCK: usize = 32;
    let is_plain =
        |block: &&[u8; BLOCK]| !block.iter().fold(false, |any, byte| any | is_escaped(byte));
    let plain = bytes.as_chunks().0.iter().take_while(is_plain).count() * BLOCK;
    bytes[plain..].iter().position(is_escaped).map(|place| plain + place)
}

/// Escapes a quote, a backslash or a control character, with the short forms of RFC 8259 where
/// there is one.
fn escape(byte: u8, out: &mut Vec<u8>) {
    const HEX: [u8; 16] = *b"0123456789abcdef";
    match byte {
        b'"' | b'\\' => out.extend_from_slice(&[b'\\', byte]),
        0x08 => out.extend_from_slice(b"\\b"),
        0x09 => out.extend_from_slice(b"\\t"),
        0x0A => out.extend_from_slice(b"\\n"),
        0x0C => out.extend_from_slice(b"\\f"),
        0x0D => out.extend_from_slice(b"\\r"),
        _ => {
            out.extend_from_slice(b"\\u00");
            out.extend_from_slice(&[HEX[usize::from(byte >> 4)], HEX[usize::from(byte & 0xF)]]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every byte at every place of texts of every length that is asked in another way.
    #[test]
    fn many_bytes_at_once_are_as_one_by_one() {
        for length in 0..=70 {
            let mut bytes = vec![b'a'; length];
            assert!(plain(&bytes, &mut Vec::new()), "{length}");
            for place in 0..length {
                for byte in 0..=u8::MAX {
                    bytes[place] = byte;
                    let mut out = Vec::new();
                    assert_eq!(plain(&bytes, &mut out), is_plain_byte(&byte), "{byte} at {place}");
                    let expected = [b"\"", &bytes[..], b"\""].concat();
                    assert_eq!(out, if is_plain_byte(&byte) { expected } else { Vec::new() });
                }
                bytes[place] = b'a';
            }
        }
    }
}
