//! Regular expressions that texts match. Most describe ids, whose length is fixed: those are asked
//! byte by byte, which takes a small part of the time.

use std::ops::RangeInclusive;

use regex::Regex;
use regex_syntax::hir::{Class, Hir, HirKind, Look};

/// A regular expression, read.
#[derive(Clone, Debug)]
pub(crate) enum TextPattern {
    /// The ASCII characters that are accepted at each place, one bit for each.
    Fixed(Vec<[u64; 2]>),
    /// Anything else.
    Regex(Regex),
}

/// Longer texts are left to the regular expression.
const FIXED_BYTES_MAX: usize = 256;

impl TextPattern {
    /// Reads a regular expression; none if it is not one.
    pub(crate) fn read(pattern: &str) -> Option<TextPattern> {
        let regex = Regex::new(pattern).ok()?;
        Some(fixed(pattern).map_or(TextPattern::Regex(regex), TextPattern::Fixed))
    }

    /// Whether a text matches.
    pub(crate) fn fits(&self, text: &str) -> bool {
        let is_accepted = |(byte, accepted): (u8, &[u64; 2])| {
            accepted.get(usize::from(byte >> 6)).is_some_and(|half| half >> (byte & 63) & 1 == 1)
        };
        match self {
            TextPattern::Fixed(places) => {
                text.len() == places.len() && text.bytes().zip(places).all(is_accepted)
            }
            TextPattern::Regex(regex) => regex.is_match(text),
        }
    }
}

/// What is accepted at each place, if the expression is `^`, ASCII in fixed numbers, `$`.
fn fixed(pattern: &str) -> Option<Vec<[u64; 2]>> {
    let parsed = regex_syntax::parse(pattern).ok()?;
    let HirKind::Concat(parts) = parsed.kind() else { return None };
    let [start, within @ .., end] = parts.as_slice() else { return None };
    let is = |part: &Hir, look: Look| *part.kind() == HirKind::Look(look);
    if !is(start, Look::Start) || !is(end, Look::End) {
        return None;
    }
    let mut places = Vec::new();
    within.iter().try_for_each(|part| append(part, &mut places))?;
    Some(places)
}

fn append(part: &Hir, places: &mut Vec<[u64; 2]>) -> Option<()> {
    match part.kind() {
        HirKind::Literal(literal) => {
            for byte in &*literal.0 {
                places.push(accepting([*byte..=*byte])?);
            }
        }
        HirKind::Class(Class::Unicode(class)) => {
            let bound = |bound: char| u8::try_from(bound).unwrap_or(u8::MAX);
            let ranges = class.ranges().iter();
            places.push(accepting(ranges.map(|range| bound(range.start())..=bound(range.end())))?);
        }
        HirKind::Repetition(times) if times.max == Some(times.min) => {
            for _ in 0..times.min {
                append(&times.sub, places)?;
            }
        }
        _ => return None,
    }
    (places.len() <= FIXED_BYTES_MAX).then_some(())
}

/// The bits of these characters; none if one is not ASCII.
fn accepting(ranges: impl IntoIterator<Item = RangeInclusive<u8>>) -> Option<[u64; 2]> {
    let mut accepted = [0; 2];
    for byte in ranges.into_iter().flatten() {
        *accepted.get_mut(usize::from(byte >> 6))? |= 1 << (byte & 63);
    }
    Some(accepted)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The same answer as the regular expression, for a text that matches and for everything near it.
    #[test]
    fn fixed_patterns_accept_what_the_regular_expression_does() {
        for (pattern, text) in [
            (
                "^prod_[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$",
                "prod_0a3f8b9c-12ab-4cde-89ab-0123456789ab",
            ),
            ("^#[0-9A-Fa-f]{6}$", "#09afAF"),
            ("^[0-9]$", "5"),
            ("^\\{[@-_]{2}$", "{A_"),
        ] {
            let (read, regex) = (TextPattern::read(pattern).unwrap(), Regex::new(pattern).unwrap());
            assert!(matches!(read, TextPattern::Fixed(_)), "{pattern}");
            assert!(read.fits(text), "{pattern} {text}");
            let mut near = vec![String::new(), format!("{text}\n"), format!("{text}{text}")];
            for (place, _) in text.char_indices() {
                let (before, after) = (&text[..place], &text[place + 1..]);
                near.push(format!("{before}{after}"));
                near.extend(('\0'..='\u{180}').map(|other| format!("{before}{other}{after}")));
            }
            for text in near {
                assert_eq!(read.fits(&text), regex.is_match(&text), "{pattern} {text:?}");
            }
        }
    }

    #[test]
    fn other_patterns_stay_regular_expressions() {
        for (pattern, text) in [
            ("^[^#]+$", "ä"),
            ("[0-9]{3}", "a123"),
            ("^(ab|c)$", "c"),
            ("^ä$", "ä"),
            ("^[a-z]{1,2}$", "ab"),
            ("^[a-ü]$", "ü"),
            ("^(?:[a-f]{100}){3}$", &"a".repeat(300)),
        ] {
            let read = TextPattern::read(pattern).unwrap();
            assert!(matches!(read, TextPattern::Regex(_)), "{pattern}");
            assert!(read.fits(text), "{pattern} {text}");
        }
        assert!(TextPattern::read("(").is_none());
    }
}
