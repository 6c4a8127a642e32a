//! What goes wrong with a command, in words and as an exit code.

use std::fmt;
use std::process::ExitCode;

use serde_json::Value;

/// Why a command did not do what was asked.
#[derive(Debug)]
pub struct Failure {
    kind: Kind,
    message: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Other = 1,
    Unreachable = 3,
    Credential = 4,
    Missing = 5,
    Conflict = 6,
    Later = 7,
    NotGenuine = 10,
}

impl Failure {
    fn new(kind: Kind, message: impl Into<String>) -> Failure {
        Failure { kind, message: message.into() }
    }

    /// Anything that has no code of its own.
    pub fn other(message: impl Into<String>) -> Failure {
        Failure::new(Kind::Other, message)
    }

    /// Nobody answered.
    pub fn unreachable(url: &str, why: &str) -> Failure {
        let message = format!(
            "{url} does not answer: {why}. Is `plinth serve` running there? --url names another server."
        );
        Failure::new(Kind::Unreachable, message)
    }

    /// There is nothing to say who is asking.
    pub fn no_credential(why: &str) -> Failure {
        let message = format!(
            "There is no credential: {why} Set PLINTH_API_KEY or PLINTH_TOKEN, or name the server's \
             data folder with --data."
        );
        Failure::new(Kind::Credential, message)
    }

    /// An answer that is none of Plinth's services.
    pub fn lacking(name: &str) -> Failure {
        Failure::other(format!(
            "The answer has no {name}: this is not the port of Plinth's services. --url names another \
             server."
        ))
    }

    /// The audit log is not what it was.
    pub fn not_genuine(message: impl Into<String>) -> Failure {
        Failure::new(Kind::NotGenuine, message)
    }

    /// What a server said that it did not do.
    pub fn refused(status: u16, retry_after: Option<&str>, body: &[u8]) -> Failure {
        let body: Value = serde_json::from_slice(body).unwrap_or_default();
        let error = &body["error"];
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let mut message = match text(&error["message"]) {
            said if said.is_empty() => format!("The server answered with status {status}."),
            said => said,
        };
        for field in error["details"]["errors"].as_array().into_iter().flatten() {
            message.push_str(&format!(
                "\n  {}: {}",
                text(&field["field"]),
                text(&field["message"])
            ));
        }
        let (kind, advice) = match status {
            401 => (
                Kind::Credential,
                Some("The key or token was not accepted; `plinth token` signs one.".to_owned()),
            ),
            403 => (
                Kind::Credential,
                Some("Use a key with more scopes, or a token of another role.".to_owned()),
            ),
            404 => (
                Kind::Missing,
                Some("`list` shows what there is; --account names another account.".to_owned()),
            ),
            409 | 412 | 428 => (Kind::Conflict, None),
            429 | 503 | 504 => {
                (Kind::Later, retry_after.map(|seconds| format!("Try again in {seconds} s.")))
            }
            _ => (Kind::Other, None),
        };
        let request = text(&body["requestId"]);
        if let Some(advice) = advice {
            message.push_str(&format!("\n{advice}"));
        }
        if status >= 500 && !request.is_empty() {
            message.push_str(&format!("\nThe server's log has more under the request {request}."));
        }
        Failure::new(kind, message)
    }

    /// The process's exit code.
    pub fn code(&self) -> ExitCode {
        ExitCode::from(self.kind as u8)
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_wrong_field_is_told() {
        let body = br#"{"error":{"code":"VALIDATION_ERROR","message":"Request validation failed",
            "details":{"errors":[{"field":"name","message":"missing"}]}},"requestId":"r"}"#;
        let failure = Failure::refused(400, None, body);
        assert_eq!(failure.to_string(), "Request validation failed\n  name: missing");
        assert_eq!(failure.kind, Kind::Other);
    }

    #[test]
    fn what_is_no_error_of_ours_is_told_too() {
        let failure = Failure::refused(503, Some("2"), b"<html>");
        assert!(failure.to_string().contains("status 503"), "{failure}");
        assert!(failure.to_string().contains("in 2 s"), "{failure}");
        assert_eq!(failure.kind, Kind::Later);
    }
}
