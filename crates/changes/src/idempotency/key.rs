//! The key that a client sends: 1 to 255 visible characters, bare or as a quoted string of RFC 8941.

use kernel::error::Error;

/// Most characters of a key.
const CHARS_MAX: usize = 255;

/// A client's key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Key(String);

impl Key {
    /// A key from the header's value. Quoted and bare it is the same key.
    pub fn parse(header: &[u8]) -> Result<Key, Error> {
        let text = header.trim_ascii();
        let key = match text.strip_prefix(b"\"") {
            Some(rest) => unquoted(rest),
            None => bare(text),
        };
        key.map(Key).ok_or_else(|| {
            let message = format!(
                "it has 1 to {CHARS_MAX} visible ASCII characters without spaces, such as a UUID; \
                 between quotes it may have spaces"
            );
            Error::validation([("Idempotency-Key", message)])
        })
    }

    /// Its text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

fn bare(text: &[u8]) -> Option<String> {
    let visible = text.iter().all(u8::is_ascii_graphic);
    (visible && (1..=CHARS_MAX).contains(&text.len()))
        .then(|| String::from_utf8_lossy(text).into_owned())
}

/// What follows the opening quote, up to the closing one, which is the end.
fn unquoted(rest: &[u8]) -> Option<String> {
    let mut key = String::new();
    let mut bytes = rest.iter().copied();
    loop {
        match bytes.next()? {
            b'"' => break,
            b'\\' => match bytes.next()? {
                byte @ (b'"' | b'\\') => key.push(char::from(byte)),
                _ => return None,
            },
            byte @ 0x20..=0x7e => key.push(char::from(byte)),
            _ => return None,
        }
    }
    let whole = bytes.next().is_none() && (1..=CHARS_MAX).contains(&key.len());
    whole.then_some(key)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_bare_or_quoted() {
        let long = "x".repeat(256);
        for (header, expected) in [
            ("8e03978e-40d5", Some("8e03978e-40d5")),
            ("  8e03978e-40d5 ", Some("8e03978e-40d5")),
            ("\"8e03978e-40d5\"", Some("8e03978e-40d5")),
            (r#""a \"b\" \\""#, Some(r#"a "b" \"#)),
            (&long[1..], Some(&long[1..])),
            (&long, None),
            ("", None),
            ("\"\"", None),
            ("a b", None),
            ("a\tb", None),
            ("\"a", None),
            ("\"a\"b", None),
            (r#""a\b""#, None),
            ("ä", None),
        ] {
            let key = Key::parse(header.as_bytes()).ok();
            assert_eq!(key.as_ref().map(Key::as_str), expected, "{header}");
        }
    }
}
