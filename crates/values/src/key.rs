//! Memory-comparable encoding of key values: comparing two encodings byte by byte gives the order
//! of the values (strings and binary by unsigned bytes, numbers by value; rule 18).
//!
//! - S and B: the bytes with `00` written as `00 FF`, then the terminator `00 01`.
//! - N: see [`crate::Number::encode_ordered`].
//!
//! Each encoding says where it ends, so that several can follow one another in a storage key.
//!
//! Why S and B sort: where one value ends and another goes on, `00 01` meets either a byte above
//! `00` or `00 FF`, and is the lesser of the two.

use crate::{AttributeType, AttributeValue, Number};

const ZERO: u8 = 0x00;
const ESCAPED: u8 = 0xFF;
const END: u8 = 0x01;

/// Appends the encoding of a key value. Returns `false` (and appends nothing) for a value whose
/// type cannot be a key.
#[must_use]
pub fn encode(value: &AttributeValue, out: &mut Vec<u8>) -> bool {
    match value {
        AttributeValue::S(text) => encode_bytes(text.as_bytes(), out),
        AttributeValue::B(bytes) => encode_bytes(bytes, out),
        AttributeValue::N(number) => number.encode_ordered(out),
        _ => return false,
    }
    true
}

/// Appends the encoding of a string or binary *prefix*: everything but the terminator. All values
/// that begin with the prefix, and only those, have encodings that begin with these bytes.
#[must_use]
pub fn encode_prefix(value: &AttributeValue, out: &mut Vec<u8>) -> bool {
    match value {
        AttributeValue::S(text) => escape(text.as_bytes(), out),
        AttributeValue::B(bytes) => escape(bytes, out),
        _ => return false,
    }
    true
}

/// Reads one value of a known type from the front of `bytes`; gives the value and how many bytes it
/// took, or `None` if the bytes are not such an encoding.
pub fn decode(attribute_type: AttributeType, bytes: &[u8]) -> Option<(AttributeValue, usize)> {
    match attribute_type {
        AttributeType::S => {
            let (content, taken) = unescape(bytes)?;
            Some((AttributeValue::S(String::from_utf8(content).ok()?), taken))
        }
        AttributeType::B => {
            let (content, taken) = unescape(bytes)?;
            Some((AttributeValue::B(content), taken))
        }
        AttributeType::N => {
            let (number, taken) = Number::decode_ordered(bytes)?;
            Some((AttributeValue::N(number), taken))
        }
        _ => None,
    }
}

fn encode_bytes(bytes: &[u8], out: &mut Vec<u8>) {
    out.reserve(bytes.len() + 2);
    escape(bytes, out);
    out.extend_from_slice(&[ZERO, END]);
}

fn escape(bytes: &[u8], out: &mut Vec<u8>) {
    // Nearly always; and to look for one byte takes many at a time.
    if !bytes.contains(&ZERO) {
        return out.extend_from_slice(bytes);
    }
    let mut parts = bytes.split(|&byte| byte == ZERO);
    // `split` gives at least one part, the whole if there is no zero byte.
    out.extend_from_slice(parts.next().unwrap_or_default());
    for part in parts {
        out.extend_from_slice(&[ZERO, ESCAPED]);
        out.extend_from_slice(part);
    }
}

fn unescape(bytes: &[u8]) -> Option<(Vec<u8>, usize)> {
    let mut content = Vec::new();
    let mut taken = 0;
    loop {
        let rest = bytes.get(taken..)?;
        let zero = rest.iter().position(|&byte| byte == ZERO)?;
        content.extend_from_slice(rest.get(..zero)?);
        taken += zero + 2;
        match *rest.get(zero + 1)? {
            END => return Some((content, taken)),
            ESCAPED => content.push(ZERO),
            _ => return None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{decode, encode, encode_prefix};
    use crate::{AttributeType, AttributeValue, Item};

    fn encoded(value: &AttributeValue) -> Vec<u8> {
        let mut encoding = Vec::new();
        assert!(encode(value, &mut encoding));
        encoding
    }

    /// The stored bytes themselves: a change here is a change of the file format.
    #[test]
    fn encoding_is_fixed() {
        for (value, expected) in [
            (AttributeValue::from(""), vec![0, 1]),
            (AttributeValue::from("ab"), vec![b'a', b'b', 0, 1]),
            (AttributeValue::from("a\0b\0"), vec![b'a', 0, 255, b'b', 0, 255, 0, 1]),
            (AttributeValue::B(vec![255, 0]), vec![255, 0, 255, 0, 1]),
            (AttributeValue::from(1), vec![0xC1, 2]),
        ] {
            let mut encoding = encoded(&value);
            assert_eq!(encoding, expected, "{value:?}");
            encoding.extend([0, 1, 2]);
            let decoded = decode(value.attribute_type(), &encoding);
            assert_eq!(decoded, Some((value, expected.len())));
        }
    }

    /// Rule 18: unsigned bytes, UTF-8 bytes for strings, so not the order of UTF-16.
    #[test]
    fn order_is_that_of_unsigned_bytes() {
        let strings = [
            "",
            "\0",
            "\0\0",
            "\0\u{1}",
            "\u{1}",
            "a",
            "a\0",
            "a\u{1}",
            "aa",
            "b",
            "é",
            "\u{ff61}",
            "\u{1f600}",
        ]
        .map(AttributeValue::from);
        let binaries = [&[][..], &[0], &[0, 0], &[0, 1], &[0, 255], &[1], &[127], &[128], &[255]]
            .map(|bytes| AttributeValue::B(bytes.to_vec()));
        assert!(strings.windows(2).all(|pair| encoded(&pair[0]) < encoded(&pair[1])));
        assert!(binaries.windows(2).all(|pair| encoded(&pair[0]) < encoded(&pair[1])));
    }

    #[test]
    fn a_prefix_has_no_terminator() {
        for prefix in [AttributeValue::from("a\0"), AttributeValue::B(vec![b'a', 0])] {
            let mut out = vec![9];
            assert!(encode_prefix(&prefix, &mut out));
            assert_eq!(out, [9, b'a', 0, 255]);
        }
    }

    #[test]
    fn other_types_are_not_keys() {
        for value in [
            AttributeValue::Null,
            true.into(),
            AttributeValue::L(vec![]),
            AttributeValue::M(Item::new()),
            AttributeValue::Ss(["a".to_owned()].into()),
        ] {
            let mut out = vec![9];
            assert!(!encode(&value, &mut out));
            assert!(!encode_prefix(&value, &mut out));
            assert_eq!(out, [9]);
            assert_eq!(decode(value.attribute_type(), &[0, 1]), None);
        }
        assert!(!encode_prefix(&1.into(), &mut Vec::new()));
    }

    #[test]
    fn decoding_refuses_what_was_not_encoded() {
        for bytes in [
            &[][..],
            b"a",
            &[0],
            &[b'a', 0],
            &[0, 0],
            &[0, 2],
            &[0, 255],
            &[0, 255, 0],
            &[0, 2, 0, 1],
        ] {
            assert_eq!(decode(AttributeType::S, bytes), None, "{bytes:?}");
            assert_eq!(decode(AttributeType::B, bytes), None, "{bytes:?}");
        }
        assert_eq!(decode(AttributeType::S, &[255, 0, 1]), None, "not UTF-8");
    }
}
