//! What must never be recorded: the one list of names whose values are left out, and of texts that
//! are secrets whatever they are called (C1-31).

use std::borrow::Cow;
use std::sync::LazyLock;

use regex::Regex;
use serde::ser::{Serialize, SerializeMap as _, Serializer};
use serde_json::{Map, Value};

/// What stands in place of a secret.
pub const REDACTED: &str = "[redacted]";

/// A field whose name holds one of these is a secret. Names are compared in lower case, without
/// anything but letters and digits.
const SECRET_NAMES: [&str; 26] = [
    "password",
    "passwd",
    "passphrase",
    "secret",
    "token",
    "apikey",
    "accesskey",
    "privatekey",
    "signingkey",
    "encryptionkey",
    "masterkey",
    "credential",
    "authorization",
    "cookie",
    "session",
    "signature",
    "onetimecode",
    "verificationcode",
    "recoverycode",
    "backupcode",
    "invitecode",
    "totp",
    "otp",
    "cvv",
    "cvc",
    "cardnumber",
];

/// Names that hold one of the words and are no secrets: identifiers, times and kinds.
const OPEN_NAMES: [&str; 17] = [
    "apikeyid",
    "accesskeyid",
    "tokentype",
    "tokenid",
    "tokenfamily",
    "tokenexpiresat",
    "apikeyprefix",
    "passwordchangedat",
    "passwordupdatedat",
    "secretkind",
    "secretrotatedat",
    "secretversion",
    "signaturealgorithm",
    "sessionid",
    "sessioncount",
    "totpenabled",
    "credentialtype",
];

/// A value whose secrets are left out when it is written, however deep they are.
pub struct Redacted<'v>(pub &'v Value);

impl Serialize for Redacted<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Value::Object(map) => RedactedMap(map).serialize(serializer),
            Value::Array(list) => serializer.collect_seq(list.iter().map(Redacted)),
            Value::String(text) if is_secret_text(text) => serializer.serialize_str(REDACTED),
            other => other.serialize(serializer),
        }
    }
}

/// A map whose secrets are left out when it is written.
pub struct RedactedMap<'v>(pub &'v Map<String, Value>);

impl Serialize for RedactedMap<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (name, value) in self.0 {
            match value {
                // That there was none is no secret, and whether there is one neither.
                Value::Null | Value::Bool(_) => map.serialize_entry(name, value)?,
                _ if is_secret_name(name) => map.serialize_entry(name, REDACTED)?,
                _ => map.serialize_entry(name, &Redacted(value))?,
            }
        }
        map.end()
    }
}

/// All the words at once: every name that is recorded is asked.
static SECRET_NAME: LazyLock<Regex> = LazyLock::new(|| one_of(&SECRET_NAMES));

fn is_secret_name(name: &str) -> bool {
    let plain = plain(name);
    SECRET_NAME.is_match(&plain) && !OPEN_NAMES.contains(&&*plain)
}

/// The letters and digits of a name, in lower case.
fn plain(name: &str) -> Cow<'_, str> {
    if name.bytes().all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9')) {
        return Cow::Borrowed(name);
    }
    let letters = name.chars().filter(char::is_ascii_alphanumeric);
    Cow::Owned(letters.map(|letter| letter.to_ascii_lowercase()).collect())
}

/// Finds any of these texts.
#[expect(clippy::expect_used, reason = "the texts are constants, and escaped")]
fn one_of(texts: &[&str]) -> Regex {
    let texts: Vec<String> = texts.iter().map(|text| regex::escape(text)).collect();
    Regex::new(&texts.join("|")).expect("texts are patterns of themselves")
}

/// What secrets of Plinth's own making begin with: API keys, refresh tokens, invitations and the
/// secrets of webhooks.
const PREFIXES: [&str; 5] = ["plk_", "plr_", "inv_", "whsec_", "whsk_"];
/// Fewer signs behind a prefix are no secret.
const SECRET_SIGNS_MIN: usize = 16;

const CREDENTIALS: [&str; 2] = ["Bearer ", "Basic "];
const PRIVATE_KEY: &str = "PRIVATE KEY-----";
const JWT: &str = "eyJ";

/// What every secret text holds, and hardly any other: every text that is recorded is asked.
static SUSPECT: LazyLock<Regex> =
    LazyLock::new(|| one_of(&[&PREFIXES[..], &CREDENTIALS, &[PRIVATE_KEY, JWT]].concat()));

/// Texts that hold what only secrets look like: those of our own, headers with credentials, private
/// keys, JWTs.
fn is_secret_text(text: &str) -> bool {
    SUSPECT.is_match(text) && {
        let text = text.trim_start();
        CREDENTIALS.iter().any(|beginning| text.starts_with(beginning))
            || PREFIXES.iter().any(|prefix| holds_secret(text, prefix))
            || text.contains(PRIVATE_KEY)
            || (text.starts_with(JWT) && text.split('.').count() == 3 && !text.contains(' '))
    }
}

fn holds_secret(text: &str, prefix: &str) -> bool {
    text.split(prefix).skip(1).any(|rest| {
        let signs = rest.chars().take_while(|sign| sign.is_ascii_graphic());
        signs.take(SECRET_SIGNS_MIN).count() == SECRET_SIGNS_MIN
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// C1-31: nothing secret is recorded, however it is spelt and however deep it lies.
    #[test]
    fn secrets_are_left_out_at_any_depth_and_in_any_spelling() {
        let value = json!({
            "name": "Ada",
            "Password_Hash": "canary",
            "nested": [{ "client-secret": { "a": "canary" }, "apiKey": ["canary"] }],
            "refreshToken": "canary", "api_key_id": "key_1", "token_type": "Bearer",
            "secretKind": "hmac", "note": "whsec_canary0canary0canary", "header": "Bearer canary", "mfaTotp": 123456,
            "pem": "-----BEGIN PRIVATE KEY-----canary", "jwt": "eyJcanary.canary.canary",
            "password": null, "hasPassword": true,
            "foundAt": "https://paste.example/?q=plk_test_canary0canary0canary",
            "said": "it is inv_canary0canary0canary.",
        });
        let kept = serde_json::to_value(Redacted(&value)).unwrap();
        let text = kept.to_string();
        assert!(!text.contains("canary") && !text.contains("123456"), "{text}");
        assert_eq!(kept["name"], "Ada");
        assert_eq!(kept["api_key_id"], "key_1");
        assert_eq!((&kept["token_type"], &kept["secretKind"]), (&json!("Bearer"), &json!("hmac")));
        assert_eq!((&kept["password"], &kept["hasPassword"]), (&Value::Null, &Value::Bool(true)));
    }
}
