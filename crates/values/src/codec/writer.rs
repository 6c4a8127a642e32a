//! Encoding. Cannot fail: every value has a stored form.

use super::tag;
use crate::{AttributeValue, Item, Number};

pub(super) fn item(item: &Item, out: &mut Vec<u8>) {
    attributes(item.iter().map(|(name, content)| (name.as_str(), content)), out);
}

pub(super) fn attributes<'a>(
    attributes: impl ExactSizeIterator<Item = (&'a str, &'a AttributeValue)>,
    out: &mut Vec<u8>,
) {
    unsigned(attributes.len() as u64, out);
    for (name, content) in attributes {
        bytes(name.as_bytes(), out);
        value(content, out);
    }
}

pub(super) fn value(value: &AttributeValue, out: &mut Vec<u8>) {
    match value {
        AttributeValue::S(text) => {
            out.push(tag::STRING);
            bytes(text.as_bytes(), out);
        }
        AttributeValue::N(content) => {
            out.push(tag::NUMBER);
            number(content, out);
        }
        AttributeValue::B(content) => {
            out.push(tag::BINARY);
            bytes(content, out);
        }
        AttributeValue::Bool(false) => out.push(tag::FALSE),
        AttributeValue::Bool(true) => out.push(tag::TRUE),
        AttributeValue::Null => out.push(tag::NULL),
        AttributeValue::M(map) => {
            out.push(tag::MAP);
            item(map, out);
        }
        AttributeValue::L(list) => {
            counted(tag::LIST, list, out, self::value);
        }
        AttributeValue::Ss(set) => {
            counted(tag::STRING_SET, set, out, |member, out| bytes(member.as_bytes(), out));
        }
        AttributeValue::Ns(set) => counted(tag::NUMBER_SET, set, out, number),
        AttributeValue::Bs(set) => {
            counted(tag::BINARY_SET, set, out, |member, out| bytes(member, out));
        }
    }
}

fn counted<T>(
    tag: u8,
    elements: impl IntoIterator<Item = T, IntoIter: ExactSizeIterator>,
    out: &mut Vec<u8>,
    write: impl Fn(T, &mut Vec<u8>),
) {
    let elements = elements.into_iter();
    out.push(tag);
    unsigned(elements.len() as u64, out);
    elements.for_each(|element| write(element, out));
}

fn number(number: &Number, out: &mut Vec<u8>) {
    let (negative, coefficient, exponent) = number.parts();
    let zigzag = if exponent < 0 { -2 * i32::from(exponent) - 1 } else { 2 * i32::from(exponent) };
    unsigned(2 * u64::from(zigzag.unsigned_abs()) + u64::from(negative), out);
    match u64::try_from(coefficient) {
        Ok(small) => unsigned(small, out),
        Err(_) => unsigned_wide(coefficient, out),
    }
}

fn bytes(bytes: &[u8], out: &mut Vec<u8>) {
    unsigned(bytes.len() as u64, out);
    out.extend_from_slice(bytes);
}

fn unsigned(mut value: u64, out: &mut Vec<u8>) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

fn unsigned_wide(mut value: u128, out: &mut Vec<u8>) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}
