//! A value that cannot be printed, and is wiped when it is no longer needed.

use std::fmt;

use serde::{Deserialize, Deserializer};
use zeroize::Zeroize;

/// A secret, usually a text: a password, a code, a token, a key. It has a `Debug` that shows nothing, no
/// `Display` and no `Serialize`: whoever hands it out says so with [`Secret::reveal`].
#[derive(Clone)]
pub struct Secret<T: Zeroize = String>(T);

impl<T: Zeroize> Secret<T> {
    /// Keeps a value secret.
    pub fn new(value: T) -> Secret<T> {
        Secret(value)
    }

    /// The value. Every use is a place to look at when secrets are reviewed.
    pub fn reveal(&self) -> &T {
        &self.0
    }
}

impl<T: Zeroize> fmt::Debug for Secret<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("…")
    }
}

impl<T: Zeroize> Drop for Secret<T> {
    fn drop(&mut self) {
        self.0.zeroize();
    }
}

impl<T: Zeroize> From<T> for Secret<T> {
    fn from(value: T) -> Secret<T> {
        Secret(value)
    }
}

impl From<&str> for Secret {
    fn from(text: &str) -> Secret {
        Secret(text.to_owned())
    }
}

/// Secrets come in with requests.
impl<'de> Deserialize<'de> for Secret {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Secret, D::Error> {
        String::deserialize(deserializer).map(Secret)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_is_not_printed_by_whatever_holds_it() {
        #[derive(Debug)]
        #[expect(dead_code, reason = "only printed")]
        struct Holder {
            name: &'static str,
            password: Secret,
        }
        let holder = Holder { name: "x", password: Secret::from("canary") };
        let printed = format!("{holder:?} {holder:#?}");
        assert!(printed.contains('…') && !printed.contains("canary"), "{printed}");
        assert_eq!(holder.password.reveal(), "canary");
    }
}
