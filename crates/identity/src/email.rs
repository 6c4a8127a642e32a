//! Email addresses: one form for each, at every write and every question (C1-34).

use kernel::error::Error;

/// Most bytes of an address.
const ADDRESS_BYTES_MAX: usize = 254;
/// Most bytes before the `@`.
const LOCAL_BYTES_MAX: usize = 64;

/// An address as it is stored: trimmed and in lower case. Also what is before the `@`: two users whose
/// addresses differ in case alone would be one mailbox nearly everywhere.
pub fn normalise(address: &str) -> Result<String, Error> {
    let address = address.trim().to_lowercase();
    let wrong = |why: &str| Err(Error::validation([("email", why.to_owned())]));
    if address.len() > ADDRESS_BYTES_MAX {
        return wrong("it is longer than 254 bytes");
    }
    let Some((local, domain)) = address.rsplit_once('@') else {
        return wrong("it has no @: write it as name@example.com");
    };
    if local.is_empty() || local.len() > LOCAL_BYTES_MAX || local.contains('@') {
        return wrong("what is before the @ should be 1 to 64 bytes, without another @");
    }
    let strange = |c: char| c.is_whitespace() || c.is_control() || "<>()[]\\,;:\"".contains(c);
    if address.contains(strange) {
        return wrong("it has a space or a sign that addresses do not have");
    }
    let label = |label: &str| {
        let hyphen = label.starts_with('-') || label.ends_with('-');
        !label.is_empty() && label.len() <= 63 && !hyphen
    };
    if !(domain.contains('.') || domain == "localhost") || !domain.split('.').all(label) {
        return wrong("what is after the @ is not the name of a domain");
    }
    Ok(address)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_mailbox_has_one_form() {
        assert_eq!(normalise("  Ada@Example.COM ").unwrap(), "ada@example.com");
        assert_eq!(normalise("ÄDA@example.com").unwrap(), "äda@example.com");
    }

    #[test]
    fn what_could_break_a_header_or_is_no_address_is_refused() {
        let wrong = [
            "",
            "ada",
            "@example.com",
            "ada@",
            "ada@host",
            "a b@example.com",
            "a@b@example.com",
            "ada@example.com\r\nBcc: eve@example.com",
            "ada@-example.com",
            "ada@example..com",
            "<ada@example.com>",
            "ada@example.com,eve@example.com",
        ];
        for address in wrong {
            assert!(normalise(address).is_err(), "{address:?}");
        }
        assert!(normalise(&format!("{}@example.com", "a".repeat(65))).is_err());
    }
}
