//! Cases for parsing, formatting, order, arithmetic and size, by rule.

use super::Number;
use crate::ValueError;

fn number(text: &str) -> Number {
    text.parse().unwrap_or_else(|error| panic!("{text}: {error}"))
}

#[track_caller]
fn check_text(text: &str, expected: &str) {
    assert_eq!(number(text).to_string(), expected, "{text}");
    let mut written = Vec::new();
    number(text).write_to(&mut written);
    assert_eq!(written, expected.as_bytes(), "{text}");
}

#[track_caller]
fn check_refused(text: &str, expected: ValueError) {
    assert_eq!(text.parse::<Number>(), Err(expected), "{text}");
}

/// Rule 12: numbers come back normalised.
#[test]
fn text_is_normalised() {
    for (text, expected) in [
        ("0", "0"),
        ("-0", "0"),
        ("+0", "0"),
        ("0.0", "0"),
        ("000", "0"),
        ("00042", "42"),
        ("1.0", "1"),
        ("1.5E2", "150"),
        ("+5", "5"),
        ("5.", "5"),
        (".5", "0.5"),
        ("-.5", "-0.5"),
        ("+.5e1", "5"),
        ("1e+2", "100"),
        ("1E-2", "0.01"),
        ("120", "120"),
        ("-1200.3400", "-1200.34"),
        ("0.00100", "0.001"),
        ("100000000000000000000", "100000000000000000000"),
        ("9999999999999999999", "9999999999999999999"),
        ("18446744073709551616", "18446744073709551616"),
        ("0.000000000000000000000000000000000000000000001e45", "1"),
        ("1e0000000000000000000000005", "100000"),
    ] {
        check_text(text, expected);
    }
}

/// Rule 12: `1E125` comes back as 126 digits, and the smallest number with all its zeros.
#[test]
fn text_never_has_an_exponent() {
    let largest_power = format!("1{}", "0".repeat(125));
    let smallest = format!("0.{}1", "0".repeat(129));
    let longest = format!("-0.{}{}", "0".repeat(129), "9".repeat(38));
    check_text("1E125", &largest_power);
    check_text("1e-130", &smallest);
    check_text("-9.9999999999999999999999999999999999999e-130", &longest);
    check_text(&"9".repeat(38), &"9".repeat(38));
    check_text(
        "9.9999999999999999999999999999999999999E+125",
        &format!("{}{}", "9".repeat(38), "0".repeat(88)),
    );
}

/// Rule 4: only the grammar, and no blank anywhere.
#[test]
fn other_text_is_not_a_number() {
    for text in [
        "",
        " ",
        "dog",
        "NaN",
        "Infinity",
        "-Infinity",
        "inf",
        " 5",
        "5 ",
        "5\n",
        "+",
        "-",
        ".",
        "-.",
        "e5",
        "+e2",
        ".e1",
        "1e",
        "1e+",
        "1e5.5",
        "1e 5",
        "1.2.3",
        "1+2",
        "++5",
        "--5",
        "+-5",
        "1_000",
        "1,000",
        "0x10",
        "5f",
        "\u{661}",
        "1e\u{661}",
        "é",
        "-é",
        // The exponent is read as a 64-bit integer; beyond that the text is not a number at all.
        "1e9223372036854775808",
        "0e99999999999999999999999999",
    ] {
        check_refused(text, ValueError::NotANumber(text.to_owned()));
    }
}

/// Rule 11: 38 significant digits, zeros at either end not counted.
#[test]
fn digits_are_limited() {
    for text in [
        "123456789012345678901234567890123456789",
        "1.00000000000000000000000000000000000001",
        "-0.000123456789012345678901234567890123456789",
        "1000000000000000000000000000000000000001e-100",
        // The digits are looked at before the range.
        "123456789012345678901234567890123456789e999",
    ] {
        check_refused(text, ValueError::TooManyDigits);
    }
    check_refused(&format!("1{}1", "0".repeat(1_000_000)), ValueError::TooManyDigits);
    check_text(
        "0012345678901234567890123456789012345678000",
        "12345678901234567890123456789012345678000",
    );
}

/// Rule 11: the range; and an exponent of any size costs nothing.
#[test]
fn range_is_limited() {
    let nines = "9".repeat(38);
    for text in [
        "1e126",
        "-1e126",
        "10e125",
        "1e999999999",
        "-1e9223372036854775807",
        &format!("1{}", "0".repeat(126)),
        &format!("{nines}e89"),
        "0e126",
    ] {
        check_refused(text, ValueError::NumberOverflow);
    }
    for text in [
        "1e-131",
        "-1e-131",
        "0.1e-130",
        "9.99e-131",
        "1e-999999999",
        "1e-9223372036854775808",
        "0.1e-9223372036854775808",
        "0.0e-130",
    ] {
        check_refused(text, ValueError::NumberUnderflow);
    }
    for text in ["9e125", &format!("{nines}e88"), "1e-130", "10e-131", "0e125", "0e-130"] {
        number(text);
    }
}

#[test]
fn messages_are_the_services() {
    for (text, expected) in [
        ("dog", "The parameter cannot be converted to a numeric value: dog"),
        ("", "The parameter cannot be converted to a numeric value"),
        (
            "123456789012345678901234567890123456789",
            "Attempting to store more than 38 significant digits in a Number",
        ),
        (
            "1e126",
            "Number overflow. Attempting to store a number with magnitude larger than supported \
             range",
        ),
        (
            "1e-131",
            "Number underflow. Attempting to store a number with magnitude smaller than supported \
             range",
        ),
    ] {
        assert_eq!(text.parse::<Number>().unwrap_err().to_string(), expected);
    }
}

/// Rule 18: numeric order at full precision; the encoding sorts the same way.
#[test]
fn order_is_numeric() {
    let ascending = [
        "-9.9999999999999999999999999999999999999E+125",
        "-1E125",
        "-1000",
        "-999.9",
        "-101",
        "-100",
        "-99",
        "-10",
        "-9.9",
        "-1.1",
        "-1",
        "-0.99",
        "-0.1",
        "-0.01",
        "-1E-130",
        "0",
        "1E-130",
        "1.1E-130",
        "1E-129",
        "0.01",
        "0.09",
        "0.1",
        "0.11",
        "0.99",
        "1",
        "1.00000000000000000000000000000000001",
        "1.1",
        "2",
        "9.9",
        "10",
        "10.1",
        "99",
        "100",
        "100.01",
        "12345678901234567890123456789012345677",
        "12345678901234567890123456789012345678",
        "1E125",
        "9.9999999999999999999999999999999999999E+125",
    ];
    let encodings = ascending.map(|text| {
        let mut encoding = Vec::new();
        number(text).encode_ordered(&mut encoding);
        encoding
    });
    for (left, left_text) in ascending.iter().enumerate() {
        for (right, right_text) in ascending.iter().enumerate() {
            let expected = left.cmp(&right);
            assert_eq!(number(left_text).cmp(&number(right_text)), expected);
            assert_eq!(encodings[left].cmp(&encodings[right]), expected);
        }
    }
}

/// The stored bytes themselves: a change here is a change of the file format.
#[test]
fn order_encoding_is_fixed() {
    for (text, expected) in [
        ("0", vec![0x80, 0x00]),
        ("1", vec![0xC1, 0x02]),
        ("-1", vec![0x3E, 0xFD]),
        ("42", vec![0xC1, 84]),
        ("100", vec![0xC2, 0x02]),
        ("123", vec![0xC2, 3, 46]),
        ("-123", vec![!0xC2, !3, !46]),
        ("0.5", vec![0xC0, 100]),
        ("1E-130", vec![0x80, 2]),
        ("-1E-130", vec![0x7F, 0xFD]),
        ("1E125", vec![0xFF, 20]),
        ("-1E125", vec![0x00, !20]),
    ] {
        let mut encoding = Vec::new();
        number(text).encode_ordered(&mut encoding);
        assert_eq!(encoding, expected, "{text}");
        encoding.push(0xAB);
        let decoded = Number::decode_ordered(&encoding);
        assert_eq!(decoded, Some((number(text), expected.len())), "{text}");
    }
}

#[test]
fn order_decoding_refuses_what_was_not_encoded() {
    let mut endless = vec![0xC1];
    endless.resize(100, 3);
    for (bytes, reason) in [
        (vec![], "empty"),
        (vec![0xC1], "no pair"),
        (vec![0xC1, 3], "says that a pair follows"),
        (vec![0xC1, 200], "a pair of 100"),
        (vec![0xC1, 202], "a pair of 101"),
        (vec![0xC1, 0], "a first pair of zero"),
        (vec![0x81, 0], "zero with another power"),
        (vec![0xC1, 1, 2], "a first pair of zero that goes on"),
        (vec![0x80, 1, 2], "the same, with zero's header"),
        (vec![0xC1, 3, 0], "a last pair of zero"),
        (vec![0x7F, 0xFF], "minus zero"),
        (endless, "more than 20 pairs"),
    ] {
        assert_eq!(Number::decode_ordered(&bytes), None, "{reason}");
    }
    // 20 pairs hold 40 digits, two more than a number has.
    let mut forty_digits = vec![0xC1];
    forty_digits.resize(20, 23);
    forty_digits.push(22);
    assert_eq!(Number::decode_ordered(&forty_digits), None);
}

/// Rule 13: exact, or an error.
#[test]
fn arithmetic_is_exact() {
    for (left, right, expected) in [
        ("0.1", "0.2", "0.3"),
        ("1", "-1", "0"),
        ("0", "-5", "-5"),
        ("5", "0", "5"),
        ("999", "1", "1000"),
        ("1.5", "-2", "-0.5"),
        ("-1.5", "-2", "-3.5"),
        ("99999999999999999999999999999999999999", "1", "100000000000000000000000000000000000000"),
        ("1e37", "1", "10000000000000000000000000000000000001"),
        ("1e-130", "-1e-130", "0"),
        // 39 digits on the way, 38 in the result.
        ("1e38", "-1", "99999999999999999999999999999999999999"),
        ("1e125", "0", &format!("1{}", "0".repeat(125))),
    ] {
        let (left, right) = (number(left), number(right));
        assert_eq!(left.checked_add(&right).unwrap().to_string(), expected);
        assert_eq!(right.checked_add(&left).unwrap().to_string(), expected);
        assert_eq!(left.checked_sub(&right.negated()).unwrap().to_string(), expected);
    }
    for (left, right, expected) in [
        ("1e38", "1", ValueError::TooManyDigits),
        ("1e39", "-1", ValueError::TooManyDigits),
        ("1e125", "1", ValueError::TooManyDigits),
        ("1e125", "1e-130", ValueError::TooManyDigits),
        ("99999999999999999999999999999999999999", "0.1", ValueError::TooManyDigits),
        ("9e125", "1e125", ValueError::NumberOverflow),
        ("-9e125", "-1e125", ValueError::NumberOverflow),
        ("1.1e-130", "-1e-130", ValueError::NumberUnderflow),
    ] {
        assert_eq!(number(left).checked_add(&number(right)), Err(expected), "{left} + {right}");
    }
}

/// Rule 24, with the figures measured against the service's size limit.
#[test]
fn size_is_measured_in_pairs_of_digits() {
    for (text, expected) in [
        ("0", 1),
        ("-0", 1),
        ("5", 2),
        ("42", 2),
        ("-42", 3),
        ("100", 2),
        ("1E125", 2),
        ("123", 3),
        ("3.14159", 5),
        ("-3.14159", 6),
        ("0.5", 2),
        ("0.001", 2),
        ("1E-130", 2),
        ("12.5", 3),
        ("1000.5", 4),
        ("12345678901234567890123456789012345678", 20),
        ("1.2345678901234567890123456789012345678", 21),
    ] {
        assert_eq!(number(text).size(), expected, "{text}");
    }
}

#[test]
fn integers_convert_both_ways() {
    for value in [0, 1, -1, 10, -1200, i64::MAX, i64::MIN] {
        assert_eq!(Number::from(value).to_string(), value.to_string());
        assert_eq!(Number::from(value).to_i64(), Some(value));
    }
    assert_eq!(Number::from(u64::MAX).to_string(), u64::MAX.to_string());
    for text in ["0.5", "-1.5", "9223372036854775808", "-9223372036854775809", "1e125", "1e-130"] {
        assert_eq!(number(text).to_i64(), None, "{text}");
    }
    for (text, whole) in [
        ("1.999", Some(1)),
        ("-1.999", Some(-1)),
        ("1731935999.123456", Some(1_731_935_999)),
        ("1e-130", Some(0)),
        ("0.99999999999999999999999999999999999999", Some(0)),
        ("1e19", None),
        ("1e125", None),
    ] {
        assert_eq!(number(text).whole_part(), whole, "{text}");
    }
}

/// A number must not widen an attribute value.
#[test]
fn an_attribute_value_takes_32_bytes() {
    assert_eq!(size_of::<crate::AttributeValue>(), 32);
}
