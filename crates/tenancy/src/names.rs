//! What people call things: which characters a name has, and when two names are one.

use icu_normalizer::ComposingNormalizerBorrowed;
use sha2::{Digest as _, Sha256};

/// What no name has: controls and line breaks, which would write another line of a mail, and what
/// nobody sees, which makes two names look alike (most of Unicode's category Cf, and fillers).
const REFUSED: [(char, char); 19] = [
    ('\u{0}', '\u{1f}'),
    ('\u{7f}', '\u{9f}'),
    ('\u{ad}', '\u{ad}'),
    ('\u{34f}', '\u{34f}'),
    ('\u{61c}', '\u{61c}'),
    ('\u{115f}', '\u{1160}'),
    ('\u{17b4}', '\u{17b5}'),
    ('\u{180b}', '\u{180f}'),
    ('\u{200b}', '\u{200f}'),
    ('\u{2028}', '\u{202e}'),
    ('\u{2060}', '\u{206f}'),
    ('\u{3164}', '\u{3164}'),
    ('\u{feff}', '\u{feff}'),
    ('\u{ffa0}', '\u{ffa0}'),
    ('\u{fff0}', '\u{fffb}'),
    ('\u{13430}', '\u{1343f}'),
    ('\u{1bca0}', '\u{1bca3}'),
    ('\u{1d173}', '\u{1d17a}'),
    ('\u{e0000}', '\u{e00ff}'),
];
/// They choose the form of the character before them, in an emoji or an ideograph: allowed, and
/// nothing by themselves.
const SELECTORS: [(char, char); 2] = [('\u{fe00}', '\u{fe0f}'), ('\u{e0100}', '\u{e01ef}')];
/// Longer keys are hashed: one character can become eighteen, and a sort key has 1024 bytes.
const KEY_BYTES_MAX: usize = 512;

/// A name as it is reserved: however it is written, it is one (C2-15).
pub fn folded(name: &str) -> String {
    const NFKC: ComposingNormalizerBorrowed<'static> = ComposingNormalizerBorrowed::new_nfkc();
    let seen: String = name.chars().filter(|c| !is_unseen(*c)).collect();
    let plain = NFKC.normalize(&seen);
    // Only ß becomes SS, and only ẞ becomes ß: all three ways are needed.
    let small = plain.chars().flat_map(char::to_lowercase);
    let large: String = small.flat_map(char::to_uppercase).collect();
    let small: String = large.chars().flat_map(char::to_lowercase).collect();
    let plain = NFKC.normalize(&small);
    let key = plain.split_whitespace().collect::<Vec<_>>().join(" ");
    if key.len() <= KEY_BYTES_MAX {
        return key;
    }
    // No name is folded to large letters: this is no other name's key.
    format!("SHA256 {}", values::hexadecimal::encode(&Sha256::digest(key.as_bytes())))
}

/// White space is squeezed, not left out, although a tab is a control character.
fn is_unseen(c: char) -> bool {
    let is_in = |(first, last): &(char, char)| (*first..=*last).contains(&c);
    !c.is_whitespace() && (REFUSED.iter().any(is_in) || SELECTORS.iter().any(is_in))
}

/// The pattern of a text in one line with this many visible characters at least. Written so that
/// regular expressions of Rust, JavaScript and Python read it alike.
pub fn pattern(visible: usize) -> String {
    let (refused, selectors) = (class(&REFUSED), class(&SELECTORS));
    let some = format!(r"[^\s{selectors}{refused}][^{refused}]*");
    format!("^[^{refused}]*{}$", some.repeat(visible))
}

fn class(ranges: &[(char, char)]) -> String {
    let sign = |c: char| match u32::from(c) {
        code @ ..=0xffff => format!(r"\u{code:04X}"),
        // The three have no escape in common for these.
        _ => c.to_string(),
    };
    ranges.iter().map(|(first, last)| format!("{}-{}", sign(*first), sign(*last))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_one_however_it_is_written() {
        assert_eq!(folded("  Acme\tCorporation "), "acme corporation");
        assert_eq!(folded("ACME  corporation"), "acme corporation");
        assert_ne!(folded("Acme"), folded("Acme Inc"));
    }

    /// Names were compared by their small letters alone: the same name in another form of Unicode
    /// was another organisation, which looked the same.
    #[test]
    fn a_name_is_one_in_every_form_of_unicode() {
        for (one, other) in [
            ("Caf\u{e9} X", "Cafe\u{301} X"),
            ("Straße", "STRASSE"),
            ("Straße", "STRAẞE"),
            ("\u{fb01}rm", "firm"),
            ("Race Ltd", "ＲＡＣＥ ltd"),
            ("ΟΔΟΣ", "οδος"),
            ("οδός", "οδόσ"),
            ("Ω Ltd", "\u{2126} Ltd"),
            ("A\u{a0}B", "a b"),
            ("x", "x\u{200b}"),
            ("I \u{2764}\u{fe0f} it", "i \u{2764} it"),
        ] {
            assert_eq!(folded(one), folded(other), "{one} {other}");
            assert_eq!(folded(&folded(one)), folded(one), "{one}");
        }
        for (one, other) in [("Café", "Cafe"), ("Ärger", "Arger"), ("ab", "a b")] {
            assert_ne!(folded(one), folded(other), "{one} {other}");
        }
    }

    /// A hundred of one Arabic ligature are 1,800 letters: more than the key of an item holds.
    #[test]
    fn a_key_is_short_however_long_the_name_becomes() {
        let (long, longer) = ("\u{fdfa}".repeat(99), "\u{fdfa}".repeat(100));
        assert!(folded(&long).len() <= KEY_BYTES_MAX);
        assert_ne!(folded(&long), folded(&longer));
        assert_eq!(folded(&long), folded(&long));
        assert!(folded(&"\u{1f600}".repeat(100)).starts_with('\u{1f600}'));
    }
}
