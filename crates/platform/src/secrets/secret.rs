//! A value that cannot be printed, and is wiped when it is no longer needed.

use std::fmt;

use zeroize::Zeroize;

/// A secret. It has no `Display`, no serde, and a `Debug` that shows nothing.
#[derive(Clone)]
pub struct Secret<T: Zeroize>(T);

impl<T: Zeroize> Secret<T> {
    /// Keeps a value secret.
    pub fn new(value: T) -> Secret<T> {
        Secret(value)
    }

    /// The value. Every use is a place to look at when secrets are reviewed.
    pub fn expose(&self) -> &T {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_is_not_printed_by_whatever_holds_it() {
        #[derive(Debug)]
        #[expect(dead_code, reason = "only printed")]
        struct Holder {
            name: &'static str,
            password: Secret<String>,
        }
        let holder = Holder { name: "x", password: Secret::new("canary".to_owned()) };
        let printed = format!("{holder:?} {holder:#?}");
        assert!(printed.contains('…') && !printed.contains("canary"), "{printed}");
        assert_eq!(holder.password.expose(), "canary");
    }
}
