//! What must never be recorded: the one list of names whose values are left out, and of texts that
//! are secrets whatever they are called (C1-31).

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

/// Leaves secrets out of a value, however deep they are.
pub fn redact(value: &Value) -> Value {
    match value {
        Value::Object(map) => Value::Object(redact_map(map)),
        Value::Array(list) => Value::Array(list.iter().map(redact).collect()),
        Value::String(text) if is_secret_text(text) => Value::from(REDACTED),
        other => other.clone(),
    }
}

/// Leaves secrets out of a map.
pub fn redact_map(map: &Map<String, Value>) -> Map<String, Value> {
    let redacted = |(name, value): (&String, &Value)| {
        let value = match value {
            // That there was none is no secret, and whether there is one neither.
            Value::Null | Value::Bool(_) => value.clone(),
            _ if is_secret_name(name) => Value::from(REDACTED),
            _ => redact(value),
        };
        (name.clone(), value)
    };
    map.iter().map(redacted).collect()
}

fn is_secret_name(name: &str) -> bool {
    let letters = name.chars().filter(char::is_ascii_alphanumeric);
    let plain: String = letters.map(|letter| letter.to_ascii_lowercase()).collect();
    !OPEN_NAMES.contains(&plain.as_str()) && SECRET_NAMES.iter().any(|word| plain.contains(word))
}

/// What secrets of Plinth's own making begin with: API keys, refresh tokens, invitations and the
/// secrets of webhooks.
const PREFIXES: [&str; 5] = ["plk_", "plr_", "inv_", "whsec_", "whsk_"];
/// Fewer signs behind a prefix are no secret.
const SECRET_SIGNS_MIN: usize = 16;

/// Texts that hold what only secrets look like: those of our own, headers with credentials, private
/// keys, JWTs.
fn is_secret_text(text: &str) -> bool {
    let text = text.trim_start();
    ["Bearer ", "Basic "].iter().any(|beginning| text.starts_with(beginning))
        || PREFIXES.iter().any(|prefix| holds_secret(text, prefix))
        || text.contains("PRIVATE KEY-----")
        || (text.starts_with("eyJ") && text.split('.').count() == 3 && !text.contains(' '))
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
        let text = redact(&value).to_string();
        assert!(!text.contains("canary") && !text.contains("123456"), "{text}");
        let kept = redact(&value);
        assert_eq!(kept["name"], "Ada");
        assert_eq!(kept["api_key_id"], "key_1");
        assert_eq!((&kept["token_type"], &kept["secretKind"]), (&json!("Bearer"), &json!("hmac")));
        assert_eq!((&kept["password"], &kept["hasPassword"]), (&Value::Null, &Value::Bool(true)));
    }
}
