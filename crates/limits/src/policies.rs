//! All policies together, and those that hold if nothing else is configured.

use std::collections::BTreeSet;
use std::fmt;

use super::policy::{By, Mode, OnFailure, Policy, fits};
use crate::OWN_POLICY;

/// Policies that were found to be in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Policies(Vec<Policy>);

/// Everything that is wrong with some policies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadPolicies(pub Vec<String>);

impl fmt::Display for BadPolicies {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "The rate limits are not in order: {}", self.0.join("; "))
    }
}

impl std::error::Error for BadPolicies {}

impl Policies {
    /// These policies, asked in this order.
    pub fn new(policies: Vec<Policy>) -> Result<Policies, BadPolicies> {
        let mut problems: Vec<String> = policies.iter().flat_map(Policy::problems).collect();
        let mut names = BTreeSet::new();
        for policy in policies.iter().filter(|policy| !names.insert(&policy.name)) {
            problems.push(format!("policy {}: there is another one of this name", policy.name));
        }
        if names.iter().any(|name| *name == OWN_POLICY) {
            problems.push(format!("policy {OWN_POLICY}: this is what keys' own limits are called"));
        }
        if problems.is_empty() { Ok(Policies(policies)) } else { Err(BadPolicies(problems)) }
    }

    /// What holds if nothing else is configured: guessing passwords and codes is slow, for the one who
    /// guesses and at the one who is guessed at (one address may try many names, and many addresses
    /// one), nobody's mailbox is flooded, API keys that are not accepted are few, and an account has 100 requests a second, as has somebody
    /// without one who manages tenants (CX-14, R002-9.4-3).
    pub fn usual() -> Policies {
        let guessing = |name, limit, seconds, by, routes| Policy {
            on_failure: OnFailure::Closed,
            ..Policy::new(name, limit, seconds, by).on(routes)
        };
        let login = &["POST /auth/login"];
        let codes = &[
            "POST /auth/login/second-factor",
            "POST /auth/reset-password",
            "POST /auth/verify-email",
        ];
        let mails =
            &["POST /auth/forgot-password", "POST /auth/register", "POST /auth/resend-code"];
        let invitations = &[
            "POST /v1.0/tenants/{tenantId}/invitations",
            "POST /v1.0/tenants/{tenantId}/invitations/{invitationId}/resend",
        ];
        // Whoever has a token, stolen perhaps, still has to know these.
        let own = &[
            "POST /auth/password",
            "POST /auth/second-factor",
            "POST /auth/second-factor/confirm",
            "DELETE /auth/second-factor",
        ];
        let tokens = &["POST /auth/logout", "POST /auth/refresh"];
        let reports = &["POST /ops/v1.0/keys/report"];
        let tenants =
            &["GET /v1.0/*", "POST /v1.0/*", "PUT /v1.0/*", "PATCH /v1.0/*", "DELETE /v1.0/*"];
        Policies(vec![
            guessing("login-target", 5, 300, By::Target, login.as_slice()),
            guessing("login-address", 30, 300, By::Address, login.as_slice()),
            guessing("code-target", 5, 900, By::Target, codes.as_slice()),
            guessing("code-address", 30, 900, By::Address, codes.as_slice()),
            guessing("mail-target", 5, 900, By::Target, mails.as_slice()),
            guessing("mail-address", 20, 3600, By::Address, mails.as_slice()),
            // Apart from the mails that people ask for themselves: no Admin can use those up.
            guessing("invitation-target", 5, 3600, By::Target, invitations.as_slice()),
            guessing("invitation-tenant", 100, 3600, By::Tenant, invitations.as_slice()),
            guessing("secret-user", 10, 900, By::User, own.as_slice()),
            guessing("token-address", 120, 60, By::Address, tokens.as_slice()),
            // Whoever found a key must be heard, so it fails open.
            Policy::new("report-address", 60, 60, By::Address).on(reports),
            Policy {
                mode: Mode::Fast { block: 10 },
                ..Policy::new("account", 100, 1, By::Account)
            },
            // Each is recorded, and nobody has that many wrong ones.
            Policy {
                mode: Mode::Fast { block: 10 },
                ..Policy::new("refused-keys", 60, 60, By::RefusedKey)
            },
            Policy {
                mode: Mode::Fast { block: 10 },
                ..Policy::new("tenants-user", 100, 1, By::User).on(tenants.as_slice())
            },
        ])
    }

    /// Each of them.
    pub fn iter(&self) -> impl Iterator<Item = &Policy> {
        self.0.iter()
    }

    /// Policies with something in `routes` that is none of these, which would limit nobody.
    pub fn idle<'p>(&'p self, routes: &[String]) -> Vec<(&'p Policy, &'p str)> {
        let patterns =
            |policy: &'p Policy| policy.routes.iter().map(move |route| (policy, &**route));
        let is_idle = |(_, pattern): &(_, &str)| !routes.iter().any(|route| fits(pattern, route));
        self.0.iter().flat_map(patterns).filter(is_idle).collect()
    }

    /// The one of this name.
    pub fn find(&self, name: &str) -> Option<&Policy> {
        self.0.iter().find(|policy| policy.name == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_usual_policies_are_in_order_and_guessing_fails_closed() {
        let usual = Policies::usual();
        assert_eq!(Policies::new(usual.0.clone()), Ok(usual.clone()));
        let covering = |route: &str| -> Vec<&Policy> {
            usual
                .iter()
                .filter(|policy| policy.covers(route) && !policy.routes.is_empty())
                .collect()
        };
        for route in ["POST /auth/login", "POST /auth/verify-email", "POST /auth/register"] {
            let policies = covering(route);
            assert_eq!(policies.len(), 2, "{route}");
            assert!(policies.iter().all(|policy| policy.on_failure == OnFailure::Closed));
        }
    }

    /// The file that the documentation shows is one, and its table is that of the usual policies.
    #[test]
    fn the_documentation_is_right() {
        let text = include_str!("../../../docs/limits.md");
        let (_, shown) = text.split_once("```json").unwrap();
        let (shown, _) = shown.split_once("```").unwrap();
        Policies::new(serde_json::from_str(shown).unwrap()).unwrap();
        let rows: Vec<&str> = text.lines().filter(|line| line.starts_with("| `")).collect();
        for policy in Policies::usual().iter() {
            let Policy { name, limit, window_seconds, .. } = policy;
            let row = format!("| `{name}` | {limit} | {window_seconds} | ");
            assert!(rows.iter().any(|line| line.starts_with(&row)), "{row}");
        }
    }

    #[test]
    fn two_policies_of_one_name_are_refused() {
        let policy = Policy::new("same", 1, 1, By::Account);
        let problems = Policies::new(vec![policy.clone(), policy]).unwrap_err();
        assert!(problems.to_string().contains("another one of this name"), "{problems}");
        let problems = Policies::new(vec![Policy::new("api-key", 1, 1, By::Account)]).unwrap_err();
        assert!(problems.to_string().contains("keys' own limits"), "{problems}");
    }
}
