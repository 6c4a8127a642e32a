//! Arbitrary numbers, values, items.

use proptest::collection::{btree_map, btree_set, vec};
use proptest::prelude::*;
use values::{AttributeValue, Item, Number};

/// Number text of every form the grammar allows, in range.
pub fn number_text() -> impl Strategy<Value = String> {
    let digits = "[0-9]{1,38}";
    let leading_digit_exponent = prop_oneof![-3..4_i32, -130..=125_i32];
    let sign = prop_oneof![Just(""), Just("-"), Just("+")];
    (sign, digits, 0..=38_usize, leading_digit_exponent).prop_map(
        |(sign, digits, point, leading)| {
            let point = point.min(digits.len());
            let (integer, fraction) = digits.split_at(point);
            // Choose the exponent so that the leading digit ends up where it should.
            let zeros = digits.len() - digits.trim_start_matches('0').len();
            let exponent =
                if zeros == digits.len() { 0 } else { leading + 1 + zeros as i32 - point as i32 };
            match (fraction.is_empty(), exponent) {
                (true, 0) => format!("{sign}{integer}"),
                (_, 0) => format!("{sign}{integer}.{fraction}"),
                (_, exponent) => format!("{sign}{integer}.{fraction}e{exponent}"),
            }
        },
    )
}

pub fn number() -> impl Strategy<Value = Number> {
    prop_oneof![
        any::<i64>().prop_map(Number::from),
        (-300..300_i64).prop_map(Number::from),
        number_text().prop_map(|text| text.parse().unwrap_or_else(|e| panic!("{text}: {e}"))),
    ]
}

/// Text with characters that matter to the encodings: zero bytes, quotes, several bytes each.
pub fn text() -> impl Strategy<Value = String> {
    prop_oneof!["[a-c\u{0}\u{1}]{0,4}", "[\\PC\"\\\\\n\u{0}\u{1f}]{0,12}", "\\PC{100,300}"]
}

pub fn binary() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        vec(prop_oneof![Just(0_u8), Just(1), Just(254), Just(255)], 0..5),
        vec(any::<u8>(), 0..40)
    ]
}

/// A value that can be a key.
pub fn key() -> impl Strategy<Value = AttributeValue> {
    prop_oneof![
        text().prop_map(AttributeValue::S),
        number().prop_map(AttributeValue::N),
        binary().prop_map(AttributeValue::B),
    ]
}

pub fn value() -> impl Strategy<Value = AttributeValue> {
    let leaf = prop_oneof![
        4 => key(),
        1 => any::<bool>().prop_map(AttributeValue::Bool),
        1 => Just(AttributeValue::Null),
        1 => btree_set(text(), 0..4).prop_map(AttributeValue::Ss),
        1 => btree_set(number(), 0..4).prop_map(AttributeValue::Ns),
        1 => btree_set(binary(), 0..4).prop_map(AttributeValue::Bs),
    ];
    leaf.prop_recursive(5, 40, 6, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..6).prop_map(AttributeValue::L),
            btree_map(text(), inner, 0..6)
                .prop_map(|map| AttributeValue::M(map.into_iter().collect())),
        ]
    })
}

pub fn item() -> impl Strategy<Value = Item> {
    btree_map(text(), value(), 0..8).prop_map(Item::from_iter)
}
