//! Numbers against the model.

use proptest::prelude::*;
use values::{Number, ValueError};

use crate::decimal::Decimal;
use crate::strategies::{number, number_text};

/// What the service says of an exact result: the digits first, then the range.
fn expected(model: &Decimal) -> Result<String, ValueError> {
    match model.significant() {
        Some((digits, _)) if digits > 38 => Err(ValueError::TooManyDigits),
        Some((_, leading)) if leading > 125 => Err(ValueError::NumberOverflow),
        Some((_, leading)) if leading < -130 => Err(ValueError::NumberUnderflow),
        _ => Ok(model.to_text()),
    }
}

fn model(number: &Number) -> Decimal {
    Decimal::read(&number.to_string())
}

/// A number near another: where sums cancel and digits line up.
fn close_pair() -> impl Strategy<Value = (Number, Number)> {
    (number(), -60..60_i64, -40..40_i32).prop_map(|(number, factor, exponent)| {
        let other = format!("{factor}e{exponent}").parse().unwrap_or(Number::ZERO);
        (number, number.checked_add(&other).unwrap_or(other))
    })
}

fn pair() -> impl Strategy<Value = (Number, Number)> {
    prop_oneof![(number(), number()), close_pair()]
}

proptest! {
    #[test]
    fn parsing_agrees_with_the_model(text in number_text()) {
        let number: Number = text.parse()?;
        prop_assert_eq!(number.to_string(), Decimal::read(&text).to_text());
    }

    #[test]
    fn limits_agree_with_the_model(
        digits in "-?[1-9][0-9]{0,45}",
        point in prop_oneof![Just(""), Just(".0"), Just(".5"), Just(".")],
        exponent in -220..150_i64,
    ) {
        let text = format!("{digits}{point}e{exponent}");
        let read = text.parse::<Number>().map(|number| number.to_string());
        prop_assert_eq!(read, expected(&Decimal::read(&text)));
    }

    #[test]
    fn text_round_trips(number in number()) {
        prop_assert_eq!(number.to_string().parse::<Number>(), Ok(number));
        let mut written = Vec::new();
        number.write_to(&mut written);
        prop_assert_eq!(written, number.to_string().into_bytes());
    }

    #[test]
    fn any_text_is_read_or_refused(text in "\\PC{0,20}|[-+0-9.eE]{0,60}") {
        if let Ok(number) = text.parse::<Number>() {
            prop_assert_eq!(number.to_string(), Decimal::read(&text).to_text());
        }
    }

    #[test]
    fn sums_agree_with_the_model((left, right) in pair()) {
        let sum = left.checked_add(&right).map(|sum| sum.to_string());
        prop_assert_eq!(&sum, &expected(&model(&left).add(&model(&right))));
        prop_assert_eq!(sum, right.checked_add(&left).map(|sum| sum.to_string()));
    }

    #[test]
    fn differences_agree_with_the_model((left, right) in pair()) {
        let difference = left.checked_sub(&right).map(|difference| difference.to_string());
        prop_assert_eq!(difference, expected(&model(&left).add(&model(&right).negated())));
    }

    #[test]
    fn order_agrees_with_the_model_and_the_encoding((left, right) in pair()) {
        let expected = model(&left).compare(&model(&right));
        prop_assert_eq!(left.cmp(&right), expected);
        let (mut left_bytes, mut right_bytes) = (Vec::new(), Vec::new());
        left.encode_ordered(&mut left_bytes);
        right.encode_ordered(&mut right_bytes);
        prop_assert_eq!(left_bytes.cmp(&right_bytes), expected);
        // Also with something behind them, since keys follow one another.
        left_bytes.push(0xFF);
        right_bytes.push(0x00);
        if left != right {
            prop_assert_eq!(left_bytes.cmp(&right_bytes), expected);
        }
    }

    #[test]
    fn ordered_encoding_round_trips(number in number(), rest in any::<[u8; 3]>()) {
        let mut bytes = Vec::new();
        number.encode_ordered(&mut bytes);
        let length = bytes.len();
        prop_assert!(length <= 21);
        prop_assert_eq!(Number::decode_ordered(&bytes[..length - 1]), None);
        bytes.extend(rest);
        prop_assert_eq!(Number::decode_ordered(&bytes), Some((number, length)));
    }

    /// Whatever is accepted is the encoding of what it is read as.
    #[test]
    fn ordered_decoding_accepts_only_encodings(
        bytes in prop::collection::vec(prop_oneof![any::<u8>(), 0..=10_u8, 190..=255_u8], 0..25),
    ) {
        if let Some((number, length)) = Number::decode_ordered(&bytes) {
            let mut encoding = Vec::new();
            number.encode_ordered(&mut encoding);
            prop_assert_eq!(encoding, &bytes[..length]);
        }
    }

    #[test]
    fn size_agrees_with_the_model(number in number()) {
        prop_assert_eq!(number.size(), model(&number).size());
    }

    #[test]
    fn integers_round_trip(value in any::<i64>()) {
        prop_assert_eq!(Number::from(value).to_i64(), Some(value));
        prop_assert_eq!(Number::from(value), value.to_string().parse()?);
    }
}
