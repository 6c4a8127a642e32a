//! Cases for the stored form. A change to a byte here is a change of the file format.

use super::{
    CodecError, DECODED_LEVELS_MAX, decode_attribute, decode_item, decode_value, encode_item,
    encode_value,
};
use crate::{AttributeValue, Item};

#[track_caller]
fn check(value: AttributeValue, expected: &[u8]) {
    let mut encoding = Vec::new();
    encode_value(&value, &mut encoding);
    assert_eq!(encoding, expected, "{value:?}");
    assert_eq!(decode_value(&encoding), Ok(value));
}

fn number(text: &str) -> AttributeValue {
    AttributeValue::N(text.parse().unwrap())
}

#[test]
fn encoding_is_fixed() {
    let set = |members: &[&str]| members.iter().map(|member| member.to_string()).collect();
    let numbers = |members: &[&str]| members.iter().map(|m| m.parse().unwrap()).collect();
    check(AttributeValue::from("ab"), &[0x01, 2, b'a', b'b']);
    check(number("0"), &[0x02, 0, 0]);
    check(number("42"), &[0x02, 0, 42]);
    check(number("-42"), &[0x02, 1, 42]);
    check(number("1000"), &[0x02, 12, 1]);
    check(number("-0.1"), &[0x02, 3, 1]);
    check(number("1E-130"), &[0x02, 0x86, 0x04, 1]);
    check(number("300.5"), &[0x02, 2, 0xBD, 0x17]);
    check(AttributeValue::B(vec![0, 255]), &[0x03, 2, 0, 255]);
    check(AttributeValue::Bool(false), &[0x04]);
    check(AttributeValue::Bool(true), &[0x05]);
    check(AttributeValue::Null, &[0x06]);
    check(AttributeValue::M(Item::from([("a", AttributeValue::Null)])), &[0x07, 1, 1, b'a', 0x06]);
    check(AttributeValue::L(vec![AttributeValue::Null, true.into()]), &[0x08, 2, 0x06, 0x05]);
    check(AttributeValue::Ss(set(&["b", "a"])), &[0x09, 2, 1, b'a', 1, b'b']);
    check(AttributeValue::Ns(numbers(&["5", "-1"])), &[0x0A, 2, 1, 1, 0, 5]);
    check(AttributeValue::Bs([vec![7], vec![]].into()), &[0x0B, 2, 0, 1, 7]);
    check(AttributeValue::from("x".repeat(200)), &{
        let mut expected = vec![0x01, 0xC8, 0x01];
        expected.resize(203, b'x');
        expected
    });
}

#[test]
fn decoding_refuses_what_was_not_encoded() {
    for (bytes, reason) in [
        (&[][..], "empty"),
        (&[0x00], "tag 00"),
        (&[0x0C], "a tag not in use"),
        (&[0x80, 1, 0], "a sealed value"),
        (&[0x06, 0x06], "trailing bytes"),
        (&[0x01, 2, b'a'], "a length beyond the end"),
        (&[0x01, 0xFF, 0xFF, 0xFF, 0xFF, 0x0F], "a length of 4 GB"),
        (&[0x01, 0x81, 0x00, b'a'], "a length that is not the shortest"),
        (&[0x01, 1, 0xFF], "not UTF-8"),
        (&[0x02, 0, 10], "a coefficient that ends in a zero"),
        (&[0x02, 0, 0x81, 0x00], "a coefficient that is not the shortest"),
        (&[0x02, 1, 0], "minus zero"),
        (&[0x02, 4, 0], "zero with an exponent"),
        (&[0x02, 0xFC, 0x03, 1], "1E127"),
        (&[0x02, 0xFF, 0xFF, 0xFF, 0x0F, 1], "an exponent beyond 16 bits"),
        (&[0x07, 2, 1, b'b', 0x06, 1, b'a', 0x06], "names that do not ascend"),
        (&[0x07, 2, 1, b'a', 0x06, 1, b'a', 0x06], "a name twice"),
        (&[0x08, 0xFF, 0xFF, 0xFF, 0xFF, 0x0F, 0x06], "a count beyond the end"),
        (&[0x09, 2, 1, b'a', 1, b'a'], "a member twice"),
        (&[0x0A, 2, 0, 5, 1, 1], "numbers that do not ascend"),
        (&[0x0B, 2, 1, 7, 0], "binaries that do not ascend"),
    ] {
        assert!(decode_value(bytes).is_err(), "{reason}");
    }
    // 39 digits, then more bits than 128. Without the last byte's bits it would be a number.
    for last in [0x01, 0x02, 0x04, 0x7F] {
        let mut wide = vec![0x02, 0];
        wide.extend([0xFF; 18]);
        wide.push(last);
        assert!(decode_value(&wide).is_err(), "{last:#x}");
    }
    assert_eq!(decode_value(&[0x06, 0x06]), Err(CodecError { offset: 1 }));
}

#[test]
fn decoding_bounds_its_depth() {
    let nested = |levels: usize| {
        let mut bytes = [0x08, 1].repeat(levels - 1);
        bytes.push(0x06);
        bytes
    };
    assert!(decode_value(&nested(DECODED_LEVELS_MAX)).is_ok());
    assert!(decode_value(&nested(DECODED_LEVELS_MAX + 1)).is_err());
    assert!(decode_value(&nested(1_000_000)).is_err());
}

#[test]
fn one_attribute_is_found_without_the_rest() {
    let item = Item::from([
        ("b", AttributeValue::from("two")),
        ("c", AttributeValue::L(vec![number("1.5"), AttributeValue::Null])),
        ("d", AttributeValue::Ns([1_i64.into(), 300_i64.into()].into())),
        ("e", AttributeValue::M(Item::from([("x", true.into())]))),
        ("f", AttributeValue::Ss(["".to_owned()].into())),
        ("g", number("42")),
    ]);
    let mut bytes = Vec::new();
    encode_item(&item, &mut bytes);
    for (name, value) in &item {
        assert_eq!(decode_attribute(&bytes, name), Ok(Some(value.clone())), "{name}");
    }
    for name in ["", "a", "bb", "z"] {
        assert_eq!(decode_attribute(&bytes, name), Ok(None), "{name}");
    }
    // Damage behind the attribute is not seen, damage before it is.
    bytes.truncate(bytes.len() - 1);
    assert_eq!(decode_attribute(&bytes, "b"), Ok(Some("two".into())));
    assert!(decode_attribute(&bytes, "g").is_err());
    assert!(decode_item(&bytes).is_err());
}
