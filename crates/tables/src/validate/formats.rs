//! The ways in which values are written.

use std::net::IpAddr;

use values::Number;

use crate::document::Format;

/// Whether a text is written so.
pub(super) fn fits_text(format: Format, text: &str) -> bool {
    match format {
        Format::DateTime => is_time(text),
        Format::Date => {
            is_shaped(text, b"dddd-dd-dd") && text.as_bytes().first_chunk().is_some_and(is_date)
        }
        Format::Email => is_email(text),
        Format::Uri => is_uri(text),
        Format::Uuid => is_shaped(text, b"xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx"),
        Format::Ulid => text.len() == 26 && all(text, is_crockford) && text.as_bytes()[0] <= b'7',
        Format::Ip => text.parse::<IpAddr>().is_ok(),
        Format::Sha256 => text.len() == 64 && all(text, is_hexadecimal),
        _ => false,
    }
}

/// Whether a number is written so.
pub(super) fn fits_number(format: Format, number: &Number) -> bool {
    match format {
        Format::Integer => number.to_i64().is_some(),
        Format::EpochSeconds | Format::EpochMilliseconds => number.to_i64().is_some_and(|n| n >= 0),
        Format::Money => number.decimal_places() <= 2,
        _ => false,
    }
}

/// What such a value looks like.
pub(super) fn example(format: Format) -> &'static str {
    match format {
        Format::DateTime => "a time in UTC with milliseconds, such as 2026-01-05T14:30:00.000Z",
        Format::Date => "a date, such as 2026-01-05",
        Format::Email => "an email address",
        Format::Uri => "an absolute address, such as https://example.com/terms",
        Format::Uuid => "a UUID in lower case",
        Format::Ulid => "a ULID of 26 characters",
        Format::Ip => "an IPv4 or IPv6 address",
        Format::Sha256 => "64 hexadecimal digits in lower case",
        Format::EpochSeconds => "a whole number of seconds since 1970",
        Format::EpochMilliseconds => "a whole number of milliseconds since 1970",
        Format::Integer => "a whole number",
        Format::Money => "a number with at most two decimal places",
    }
}

/// In a shape, `d` is a digit and `x` a hexadecimal digit in lower case. Inlined, so that the shape is
/// known when it is compiled: every item that is read is asked.
#[inline]
fn is_shaped<const N: usize>(text: &str, shape: &[u8; N]) -> bool {
    let Ok(bytes) = <&[u8; N]>::try_from(text.as_bytes()) else { return false };
    let fits = |(byte, shape): (&u8, &u8)| match shape {
        b'd' => byte.is_ascii_digit(),
        b'x' => is_hexadecimal(*byte),
        literal => byte == literal,
    };
    bytes.iter().zip(shape).all(fits)
}

/// The same for `dddd-dd-ddTdd:dd:dd.dddZ`, eight characters at a time: nearly every item has such
/// texts, and all of them are asked about when it is read.
fn is_shaped_as_time(bytes: &[u8; 24]) -> bool {
    const SHAPE: &[u8; 24] = b"0000-00-00T00:00:00.000Z";
    let (words, shapes) = (bytes.as_chunks::<8>().0, SHAPE.as_chunks::<8>().0);
    words.iter().zip(shapes).all(|(word, shape)| {
        // What differs from the shape: up to 9 for a digit, nothing for a sign.
        let differs = u64::from_ne_bytes(*word) ^ u64::from_ne_bytes(*shape);
        let most = shape.map(|byte| if byte == b'0' { 0x7F - 9 } else { 0x7F });
        let beyond = (differs & 0x7F7F_7F7F_7F7F_7F7F) + u64::from_ne_bytes(most);
        (beyond | differs) & 0x8080_8080_8080_8080 == 0
    })
}

fn is_hexadecimal(byte: u8) -> bool {
    matches!(byte, b'0'..=b'9' | b'a'..=b'f')
}

/// The letters of a ULID: all but I, L, O and U.
fn is_crockford(byte: u8) -> bool {
    matches!(byte, b'0'..=b'9' | b'A'..=b'H' | b'J' | b'K' | b'M' | b'N' | b'P'..=b'T' | b'V'..=b'Z')
}

/// The number of two characters that are digits.
fn two(tens: u8, ones: u8) -> u32 {
    u32::from(tens & 0xF) * 10 + u32::from(ones & 0xF)
}

/// Whether there is such a day; the shape is known.
fn is_date(text: &[u8; 10]) -> bool {
    let [c0, c1, y0, y1, _, m0, m1, _, d0, d1] = *text;
    let (century, in_century, month) = (two(c0, c1), two(y0, y1), two(m0, m1));
    let is_leap = if in_century == 0 { century % 4 == 0 } else { in_century % 4 == 0 };
    let days = match month {
        4 | 6 | 9 | 11 => 30,
        2 if is_leap => 29,
        2 => 28,
        1..=12 => 31,
        _ => 0,
    };
    (1..=days).contains(&two(d0, d1))
}

fn is_time(text: &str) -> bool {
    let Ok(bytes) = <&[u8; 24]>::try_from(text.as_bytes()) else { return false };
    let [date @ .., _, h0, h1, _, m0, m1, _, s0, s1, _, _, _, _, _] = bytes;
    is_shaped_as_time(bytes)
        && is_date(date)
        && two(*h0, *h1) < 24
        && two(*m0, *m1) < 60
        && two(*s0, *s1) < 60
}

fn is_email(text: &str) -> bool {
    let bytes = text.as_bytes();
    let Some(at) = bytes.iter().position(|byte| *byte == b'@') else { return false };
    let domain = &bytes[at + 1..];
    text.len() <= 254
        && at > 0
        && !domain.is_empty()
        && !has(domain, |byte| byte == b'@')
        && !domain.starts_with(b".")
        && !domain.ends_with(b".")
        && !has_blank(text)
}

fn has_blank(text: &str) -> bool {
    if text.is_ascii() {
        // As `char::is_whitespace` has it: the vertical tab too.
        has(text.as_bytes(), |byte| matches!(byte, b'\t'..=b'\r' | b' '))
    } else {
        text.contains(char::is_whitespace)
    }
}

/// Whether one of the bytes is such. All are asked, many at once, which for short texts takes less
/// than to stop at the first.
fn has(bytes: &[u8], is: impl Fn(u8) -> bool) -> bool {
    bytes.iter().fold(false, |found, byte| found | is(*byte))
}

fn all(text: &str, are: impl Fn(u8) -> bool) -> bool {
    !has(text.as_bytes(), |byte| !are(byte))
}

fn is_uri(text: &str) -> bool {
    let Some((scheme, rest)) = text.split_once(':') else { return false };
    let is_scheme = scheme.starts_with(|c: char| c.is_ascii_alphabetic())
        && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+.-".contains(&byte));
    is_scheme && !rest.is_empty() && !has_blank(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn eight_characters_at_a_time_are_as_one_by_one() {
        let time = "2026-01-05T14:30:00.000Z";
        for place in 0..time.len() {
            for other in 0..=127_u8 {
                let mut text = time.to_owned();
                text.replace_range(place..=place, &char::from(other).to_string());
                let expected = is_shaped(&text, b"dddd-dd-ddTdd:dd:dd.dddZ");
                let bytes = text.as_bytes().try_into().unwrap();
                assert_eq!(is_shaped_as_time(bytes), expected, "{text}");
            }
        }
        // A letter of two bytes, where two digits were.
        assert!(!is_time("20é6-01-05T14:30:00.000Z"));
        assert!(!is_time("20é-01-05T14:30:00.000Z"));
    }

    #[test]
    fn texts_fit_their_formats() {
        use Format::{Date, DateTime, Email, Ip, Sha256, Ulid, Uri, Uuid};
        for (format, text, expected) in [
            (DateTime, "2026-01-05T14:30:00.000Z", true),
            (DateTime, "2026-01-05T14:30:00Z", false),
            (DateTime, "2026-02-30T14:30:00.000Z", false),
            (DateTime, "2026-01-05T24:00:00.000Z", false),
            (DateTime, "2026-01-05T23:60:00.000Z", false),
            (DateTime, "2026-13-05T23:00:00.000Z", false),
            (DateTime, "2026-00-05T23:00:00.000Z", false),
            (DateTime, "2026-01-00T23:00:00.000Z", false),
            (DateTime, "2026-01-05T23:00:60.000Z", false),
            (Date, "2000-02-29", true),
            (Date, "1900-02-29", false),
            (Date, "0400-02-29", true),
            (Date, "2026-04-31", false),
            (Date, "2024-02-29", true),
            (Date, "2025-02-29", false),
            (Date, "2025-2-9", false),
            (Email, "a@example.com", true),
            (Email, "a@b@c", false),
            (Email, "example.com", false),
            (Email, "@example.com", false),
            (Email, "a@", false),
            (Email, "a b@example.com", false),
            (Email, "a@exam\u{b}ple.com", false),
            (Email, "ü@example.com", true),
            (Email, "ü\u{a0}@example.com", false),
            (Uri, "urn:a\u{2003}b", false),
            (Uri, "https://example.com/x", true),
            (Uri, "/x", false),
            (Uuid, "550e8400-e29b-41d4-a716-446655440000", true),
            (Uuid, "550E8400-E29B-41D4-A716-446655440000", false),
            (Ulid, "01ARZ3NDEKTSV4RRFFQ69G5FAV", true),
            (Ulid, "81ARZ3NDEKTSV4RRFFQ69G5FAV", false),
            (Ip, "::1", true),
            (Ip, "1.2.3", false),
            (Sha256, &"a".repeat(64), true),
            (Sha256, &"A".repeat(64), false),
        ] {
            assert_eq!(fits_text(format, text), expected, "{} {text}", format.name());
        }
    }

    #[test]
    fn numbers_fit_their_formats() {
        use Format::{EpochSeconds, Integer, Money};
        for (format, number, expected) in [
            (Integer, "3", true),
            (Integer, "3.5", false),
            (EpochSeconds, "-1", false),
            (EpochSeconds, "1736096400", true),
            (Money, "239.99", true),
            (Money, "239.990", true),
            (Money, "239.991", false),
            (Money, "1e20", true),
            (Money, "0", true),
            (Money, "-0.05", true),
            (Money, "1e-3", false),
        ] {
            let value: Number = number.parse().unwrap();
            assert_eq!(fits_number(format, &value), expected, "{} {number}", format.name());
        }
    }
}
