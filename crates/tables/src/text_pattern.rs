//! Regular expressions that texts match. Most describe ids, whose length is fixed, or texts without
//! certain characters: those are asked byte by byte, which takes a small part of the time.

use std::ops::RangeInclusive;

use regex::Regex;
use regex_syntax::hir::{Class, Hir, HirKind, Look};

/// A regular expression, read.
#[derive(Clone, Debug)]
pub(crate) enum TextPattern {
    /// A class of ASCII characters at each place.
    Fixed(Fixed),
    /// Any number of characters, but not none: these of ASCII, and either all others or no other.
    Some { ascii: [u64; 2], others: bool },
    /// Anything else.
    Regex(Regex),
}

/// Longer texts, and more classes, are left to the regular expression.
const FIXED_BYTES_MAX: usize = 256;
const CLASSES_MAX: usize = u16::BITS as usize;

impl TextPattern {
    /// Reads a regular expression; none if it is not one.
    pub(crate) fn read(pattern: &str) -> Option<TextPattern> {
        let regex = Regex::new(pattern).ok()?;
        let simple = within_ends(pattern).and_then(|parts| fixed(&parts).or_else(|| some(&parts)));
        Some(simple.unwrap_or(TextPattern::Regex(regex)))
    }

    /// Whether a text matches.
    pub(crate) fn fits(&self, text: &str) -> bool {
        match self {
            TextPattern::Fixed(fixed) => fixed.fits(text.as_bytes()),
            TextPattern::Some { ascii, others } => {
                let accepted = |byte: u8| if byte < 128 { is_in(ascii, byte) } else { *others };
                !text.is_empty() && text.bytes().all(accepted)
            }
            TextPattern::Regex(regex) => regex.is_match(text),
        }
    }
}

/// Texts of one length. Every class is a bit.
#[derive(Clone, Debug)]
pub(crate) struct Fixed {
    /// The class of each place.
    places: Vec<u16>,
    /// The classes that each byte is in.
    classes: Box<[u16; 256]>,
}

impl Fixed {
    /// One that accepts these characters, a bit for each, at each place.
    fn new(accepted: &[[u64; 2]]) -> Option<Fixed> {
        let mut known: Vec<&[u64; 2]> = Vec::new();
        let mut places = Vec::with_capacity(accepted.len());
        for ascii in accepted {
            let at = known.iter().position(|class| *class == ascii).unwrap_or(known.len());
            if at == known.len() {
                known.push(ascii);
            }
            places.push(at);
        }
        if known.len() > CLASSES_MAX {
            return None;
        }
        let mut classes = Box::new([0; 256]);
        for (byte, classes) in (0..=u8::MAX).zip(classes.iter_mut()) {
            for (at, class) in known.iter().enumerate() {
                *classes |= u16::from(is_in(class, byte)) << at;
            }
        }
        Some(Fixed { places: places.into_iter().map(|at| 1 << at).collect(), classes })
    }

    /// All places are asked, which takes less than to stop at the first that does not fit.
    fn fits(&self, bytes: &[u8]) -> bool {
        let places = bytes.iter().zip(&self.places);
        bytes.len() == self.places.len()
            && places.fold(true, |all, (byte, class)| {
                all & (self.classes[usize::from(*byte)] & class != 0)
            })
    }
}

fn is_in(ascii: &[u64; 2], byte: u8) -> bool {
    ascii.get(usize::from(byte >> 6)).is_some_and(|half| half >> (byte & 63) & 1 == 1)
}

/// What stands between `^` and `$`, if the expression is that.
fn within_ends(pattern: &str) -> Option<Vec<Hir>> {
    let parsed = regex_syntax::parse(pattern).ok()?;
    let HirKind::Concat(parts) = parsed.kind() else { return None };
    let [start, within @ .., end] = parts.as_slice() else { return None };
    let is = |part: &Hir, look: Look| *part.kind() == HirKind::Look(look);
    (is(start, Look::Start) && is(end, Look::End)).then(|| within.to_vec())
}

/// ASCII in fixed numbers.
fn fixed(parts: &[Hir]) -> Option<TextPattern> {
    let mut places = Vec::new();
    parts.iter().try_for_each(|part| append(part, &mut places))?;
    Fixed::new(&places).map(TextPattern::Fixed)
}

/// One class of characters, once or more often.
fn some(parts: &[Hir]) -> Option<TextPattern> {
    let [part] = parts else { return None };
    let HirKind::Repetition(times) = part.kind() else { return None };
    let HirKind::Class(Class::Unicode(class)) = times.sub.kind() else { return None };
    if times.min != 1 || times.max.is_some() {
        return None;
    }
    let mut ascii = [0; 2];
    let mut others = false;
    for range in class.ranges() {
        for byte in 0..128_u8 {
            if (range.start()..=range.end()).contains(&char::from(byte)) {
                *ascii.get_mut(usize::from(byte >> 6))? |= 1 << (byte & 63);
            }
        }
        if range.end() > '\u{7F}' {
            // All of them, or the regular expression is needed.
            if range.start() > '\u{80}' || range.end() < char::MAX {
                return None;
            }
            others = true;
        }
    }
    Some(TextPattern::Some { ascii, others })
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
    fn patterns_of_one_class_accept_what_the_regular_expression_does() {
        for pattern in
            ["^[^#]+$", "^[^#/ ]+$", "^[a-zA-Z0-9_.-]+$", "^.+$", "^[\\x00-\\x{10FFFF}]+$"]
        {
            let (read, regex) = (TextPattern::read(pattern).unwrap(), Regex::new(pattern).unwrap());
            assert!(matches!(read, TextPattern::Some { .. }), "{pattern}");
            assert!(!read.fits("") && read.fits("a"), "{pattern}");
            for other in ('\0'..='\u{180}').chain(['€', '\u{D7FF}', '🍿', char::MAX]) {
                for text in [format!("{other}"), format!("a{other}"), format!("{other}b")] {
                    assert_eq!(read.fits(&text), regex.is_match(&text), "{pattern} {text:?}");
                }
            }
        }
    }

    #[test]
    fn other_patterns_stay_regular_expressions() {
        for (pattern, text) in [
            ("^[^ä]+$", "ö"),
            ("^[^#]*$", "ä"),
            ("^[a-z]+[0-9]+$", "a1"),
            ("^[a-ü]+$", "ü"),
            ("[0-9]{3}", "a123"),
            ("^(ab|c)$", "c"),
            ("^ä$", "ä"),
            ("^[a-z]{1,2}$", "ab"),
            ("^[a-ü]$", "ü"),
            ("^(?:[a-f]{100}){3}$", &"a".repeat(300)),
            // More classes than there are bits.
            ("^abcdefghijklmnopq$", "abcdefghijklmnopq"),
        ] {
            let read = TextPattern::read(pattern).unwrap();
            assert!(matches!(read, TextPattern::Regex(_)), "{pattern}");
            assert!(read.fits(text), "{pattern} {text}");
        }
        assert!(TextPattern::read("(").is_none());
    }
}
