//! What is to be recorded: a thing that happened, before the writer adds who, when and from where.

use serde_json::{Map, Value};

/// Something that happened and is to be recorded.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// The kind in the partition key: `AUTH`, `APIKEY`, `TENANT`… (R003-audit-6, R003-audit-7, C3-16).
    pub event_type: &'static str,
    /// What happened: `API_KEY_REVOKED`, `TENANT_CREATED`…
    pub action: &'static str,
    /// The account whose trail it belongs to.
    pub account_id: String,
    /// Whether it came about.
    pub outcome: Outcome,
    /// The user who did it, with their address, where the request alone does not tell.
    pub user: Option<(String, String)>,
    /// The kind of thing it happened to, and which one.
    pub resource: Option<(&'static str, String)>,
    /// The thing before, secrets left out.
    pub before: Option<Value>,
    /// The thing after, secrets left out.
    pub after: Option<Value>,
    /// Anything else worth knowing.
    pub details: Map<String, Value>,
}

/// Whether something came about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It did.
    Success,
    /// It was refused or failed.
    Failure,
}

impl Entry {
    /// Something that came about in an account.
    pub fn new(
        event_type: &'static str,
        action: &'static str,
        account_id: impl Into<String>,
    ) -> Entry {
        Entry {
            event_type,
            action,
            account_id: account_id.into(),
            outcome: Outcome::Success,
            user: None,
            resource: None,
            before: None,
            after: None,
            details: Map::new(),
        }
    }

    /// It did not come about.
    #[must_use]
    pub fn failed(mut self) -> Entry {
        self.outcome = Outcome::Failure;
        self
    }

    /// A user did it who proved who they are with this very request, as in logging in.
    #[must_use]
    pub fn by_user(mut self, user_id: impl Into<String>, email: impl Into<String>) -> Entry {
        self.user = Some((user_id.into(), email.into()));
        self
    }

    /// What it happened to.
    #[must_use]
    pub fn of(mut self, kind: &'static str, id: impl Into<String>) -> Entry {
        self.resource = Some((kind, id.into()));
        self
    }

    /// The thing before and after.
    #[must_use]
    pub fn changed(mut self, before: Option<Value>, after: Option<Value>) -> Entry {
        self.before = before;
        self.after = after;
        self
    }

    /// Anything else worth knowing.
    #[must_use]
    pub fn detail(mut self, name: &str, value: impl Into<Value>) -> Entry {
        self.details.insert(name.to_owned(), value.into());
        self
    }
}
