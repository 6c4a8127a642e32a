//! Who may do what: one table per service, as data, and the one function that reads it.
//!
//! A permission is a row: its name, how far it reaches, which roles hold it in their own account,
//! which hold it everywhere, and which scope of an API key grants it. Each row is also a type, so
//! that a handler names its permission in its signature ([`crate::http::Allowed`]).

use std::collections::BTreeSet;

use crate::audit::PLATFORM;
use crate::caller::{Caller, Identity, Role};

/// A row of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rule {
    /// As documentation and errors name it: `keys:read`.
    pub name: &'static str,
    /// How far it reaches.
    pub reach: Reach,
    /// Roles that hold it within the account, or on the thing, that they are for.
    pub roles: &'static [Role],
    /// Roles that, held for no account in particular, hold it everywhere. Whoever administers the
    /// platform is among them always.
    pub everywhere: &'static [Role],
    /// The scope that grants it to an API key, and that a token with scopes must have. Without one
    /// only people with unlimited tokens have it.
    pub scope: Option<&'static str>,
}

/// How far a permission reaches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// Anybody has it, known or not.
    Public,
    /// Every person has it, for what is their own.
    Own,
    /// It is for the things of an account.
    Account,
    /// It is for things that people are assigned to: the assignments say what each is there.
    Assigned,
    /// It is for what belongs to no account.
    Platform,
}

/// A permission as a type. [`permissions!`](crate::permissions!) makes them.
pub trait Permission: Send + Sync + 'static {
    /// Its row.
    const RULE: Rule;
}

/// What something is to be done with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target<'a> {
    /// Not known yet, or nothing in particular.
    Any,
    /// What belongs to this account.
    Account(&'a str),
    /// What belongs to this user.
    User(&'a str),
    /// What the caller is assigned to, with these roles; with none it is not theirs.
    Held(&'a BTreeSet<Role>),
    /// What belongs to the platform.
    Platform,
}

/// What the table says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// Yes.
    Allowed,
    /// No; and that the thing exists is no secret to the caller.
    Forbidden,
    /// No, and the thing must seem not to exist.
    Hidden,
}

/// Whether a scope includes another: it is the same, or ends in `*` and the other begins so.
pub fn grants(scope: &str, wanted: &str) -> bool {
    match scope.strip_suffix('*') {
        Some(start) => wanted.starts_with(start),
        None => scope == wanted,
    }
}

/// Whether a caller may.
pub fn may(caller: &Caller, rule: &Rule, target: &Target<'_>) -> Decision {
    if rule.reach == Reach::Public {
        return Decision::Allowed;
    }
    let is_scoped = |scopes: &BTreeSet<String>| {
        rule.scope.is_some_and(|wanted| scopes.iter().any(|scope| grants(scope, wanted)))
    };
    let is_in_scope = caller.scopes.as_ref().is_none_or(is_scoped);
    let (is_held, is_everywhere) = match &caller.identity {
        Identity::Anonymous => (false, false),
        Identity::System(_) => (true, true),
        // A key has what its scopes say, and no scopes means nothing.
        Identity::ApiKey { .. } => {
            let is_granted = caller.scopes.as_ref().is_some_and(is_scoped);
            // One of the platform's own account, for what operates it: a provisioner, say.
            let is_platforms = caller.account_id.as_deref() == Some(PLATFORM);
            match rule.reach {
                Reach::Account => (is_granted, false),
                Reach::Assigned => (is_granted, is_granted && is_platforms),
                Reach::Platform => (is_granted && is_platforms, is_granted && is_platforms),
                Reach::Public | Reach::Own => (false, false),
            }
        }
        Identity::User { .. } => {
            let has = |roles: &[Role]| roles.iter().any(|role| caller.roles.contains(role));
            let is_admin = caller.is_platform_admin();
            let is_everywhere = is_admin || (caller.account_id.is_none() && has(rule.everywhere));
            let is_held = match (rule.reach, target) {
                (Reach::Own, _) => true,
                (Reach::Assigned, Target::Held(roles)) => {
                    is_everywhere || rule.roles.iter().any(|role| roles.contains(role))
                }
                // Which roles somebody has is known only where the thing is.
                (Reach::Assigned, _) => true,
                (Reach::Account, _) => {
                    is_everywhere || (caller.account_id.is_some() && has(rule.roles))
                }
                (Reach::Public | Reach::Platform, _) => is_everywhere,
            };
            // What is a person's own is nobody else's, not even an administrator's.
            let is_everywhere = is_everywhere && rule.reach != Reach::Own;
            (is_held && is_in_scope, is_everywhere && is_in_scope)
        }
    };
    // Whether it is the caller's at all comes first: what is not, is not shown even to be forbidden.
    let is_theirs = match target {
        Target::Any | Target::Platform => true,
        Target::Account(account) => caller.account_id.as_deref() == Some(account),
        Target::Held(roles) => !roles.is_empty(),
        Target::User(id) => {
            matches!(&caller.identity, Identity::User { user_id, .. } if user_id == id)
        }
    };
    match (is_held, is_theirs || is_everywhere) {
        (_, false) => Decision::Hidden,
        (true, true) => Decision::Allowed,
        (false, true) => Decision::Forbidden,
    }
}

/// Declares the permissions of a service: a type for each, and a table of all.
///
/// ```
/// platform::permissions! {
///     /// What the sample service asks for.
///     pub SAMPLE {
///         /// Reads things.
///         ThingsRead = "things:read", Account, roles [Owner Admin Viewer], everywhere [], scope "things:read";
///     }
/// }
/// assert_eq!(SAMPLE[0].name, "things:read");
/// ```
#[macro_export]
macro_rules! permissions {
    ($(#[$about:meta])* pub $table:ident { $(
        $(#[$doc:meta])*
        $name:ident = $text:literal, $reach:ident, roles [$($role:ident)*],
            everywhere [$($far:ident)*] $(, scope $scope:literal)?;
    )* }) => {
        $(
            $(#[$doc])*
            #[derive(Clone, Copy, Debug)]
            pub struct $name;

            impl $crate::permissions::Permission for $name {
                const RULE: $crate::permissions::Rule = $crate::permissions::Rule {
                    name: $text,
                    reach: $crate::permissions::Reach::$reach,
                    roles: &[$($crate::Role::$role),*],
                    everywhere: &[$($crate::Role::$far),*],
                    scope: $crate::permissions!(@scope $($scope)?),
                };
            }
        )*

        $(#[$about])*
        pub const $table: &[$crate::permissions::Rule] =
            &[$(<$name as $crate::permissions::Permission>::RULE),*];
    };
    (@scope) => { None };
    (@scope $scope:literal) => { Some($scope) };
}

permissions! {
    /// What `/auth` asks for.
    pub AUTH {
        /// Registers, logs in, asks for a new password: anybody may try.
        Anonymous = "anonymous", Public, roles [], everywhere [];
        /// Reads and changes what is one's own: profile, sessions, second factor.
        Myself = "self", Own, roles [], everywhere [];
    }
}

permissions! {
    /// What `/ops/v1.0` asks for.
    pub OPS {
        /// Sees API keys, never their secrets.
        KeysRead = "keys:read", Account, roles [Owner Admin Viewer], everywhere [Operator],
            scope "keys:read";
        /// Makes, rotates, disables and revokes API keys.
        KeysWrite = "keys:write", Account, roles [Owner Admin], everywhere [], scope "keys:write";
        /// Learns whether a key of the account would be accepted; its uses are counted.
        KeysVerify = "keys:verify", Account, roles [Owner Admin Member], everywhere [],
            scope "keys:verify";
        /// Sees webhook endpoints, events and attempts.
        WebhooksRead = "webhooks:read", Account, roles [Owner Admin Member Viewer],
            everywhere [Operator], scope "webhooks:read";
        /// Makes and changes webhook endpoints, sends again.
        WebhooksWrite = "webhooks:write", Account, roles [Owner Admin], everywhere [],
            scope "webhooks:write";
        /// Reads the audit log.
        AuditRead = "audit:read", Account, roles [Owner Admin Auditor], everywhere [Auditor],
            scope "audit:read";
        /// Exports the audit log.
        AuditExport = "audit:export", Account, roles [Owner Admin Auditor], everywhere [Auditor],
            scope "audit:export";
        /// Verifies the chain of the audit log.
        AuditVerify = "audit:verify", Account, roles [Owner Admin Auditor], everywhere [Auditor],
            scope "audit:verify";
        /// Says how long the audit log is kept. It is for people: whoever has a key's secret must not
        /// be able to shorten the trail of what they did with it.
        AuditKeep = "audit:keep", Account, roles [Owner], everywhere [];
        /// Holds the audit log, and lets go of it: for the platform alone, as a hold is about what the
        /// account's own people did.
        AuditHold = "audit:hold", Platform, roles [], everywhere [];
        /// Lets a log go on whose end was forged.
        AuditReseal = "audit:reseal", Platform, roles [], everywhere [];
        /// Sees rate limits and what is left of them.
        LimitsRead = "limits:read", Account, roles [Owner Admin], everywhere [Operator],
            scope "limits:read";
        /// Forgives what was counted: limits protect the platform from accounts.
        LimitsWrite = "limits:write", Platform, roles [], everywhere [];
        /// Sees what became of an idempotency key.
        IdempotencyRead = "idempotency:read", Account, roles [Owner Admin Member],
            everywhere [Operator], scope "idempotency:read";
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn user(account: Option<&str>, roles: &[Role]) -> Caller {
        let identity = Identity::User { user_id: "u1".into(), email: None, session: None };
        let mut caller = Caller::new(identity);
        caller.account_id = account.map(str::to_owned);
        caller.roles = roles.iter().copied().collect();
        caller
    }

    fn key(scopes: &[&str]) -> Caller {
        let identity = Identity::ApiKey { key_id: "k1".into(), environment: "test".into() };
        let mut caller = Caller::new(identity);
        caller.account_id = Some("mine".into());
        caller.scopes = Some(scopes.iter().map(|scope| (*scope).to_owned()).collect());
        caller
    }

    fn decisions(caller: &Caller, rule: &Rule) -> [Decision; 3] {
        [Target::Any, Target::Account("mine"), Target::Account("theirs")]
            .map(|target| may(caller, rule, &target))
    }

    #[test]
    fn the_grid_is_as_it_was_meant() {
        use Decision::{Allowed, Forbidden, Hidden};
        let (read, write) = (KeysRead::RULE, KeysWrite::RULE);
        let mine = Some("mine");
        assert_eq!(decisions(&user(mine, &[Role::Admin]), &write), [Allowed, Allowed, Hidden]);
        assert_eq!(decisions(&user(mine, &[Role::Viewer]), &read), [Allowed, Allowed, Hidden]);
        assert_eq!(decisions(&user(mine, &[Role::Viewer]), &write), [Forbidden, Forbidden, Hidden]);
        assert_eq!(decisions(&user(None, &[Role::PlatformAdmin]), &write), [Allowed; 3]);
        assert_eq!(decisions(&user(None, &[Role::Operator]), &read), [Allowed; 3]);
        // An operator of one account is not one of all.
        let local = user(mine, &[Role::Operator]);
        assert_eq!(decisions(&local, &read), [Forbidden, Forbidden, Hidden]);
        // A role without an account is a role nowhere.
        assert_eq!(decisions(&user(None, &[Role::Admin]), &read), [Forbidden, Hidden, Hidden]);
        assert_eq!(decisions(&key(&["keys:read"]), &read), [Allowed, Allowed, Hidden]);
        assert_eq!(decisions(&key(&["keys:read"]), &write), [Forbidden, Forbidden, Hidden]);
        assert_eq!(decisions(&Caller::anonymous(), &read), [Forbidden, Hidden, Hidden]);
        assert_eq!(decisions(&key(&["keys:*"]), &write), [Allowed, Allowed, Hidden]);
        assert_eq!(decisions(&key(&["*"]), &write), [Allowed, Allowed, Hidden]);
        assert_eq!(decisions(&key(&["key:*"]), &write), [Forbidden, Forbidden, Hidden]);
    }

    #[test]
    fn a_key_never_holds_what_has_no_scope_and_one_without_scopes_holds_nothing() {
        let mut unlimited = key(&[]);
        unlimited.scopes = None;
        unlimited.roles = BTreeSet::from([Role::PlatformAdmin]);
        for rule in OPS.iter().chain(AUTH).filter(|rule| rule.reach != Reach::Public) {
            assert_ne!(may(&unlimited, rule, &Target::Any), Decision::Allowed, "{}", rule.name);
        }
        assert_eq!(
            may(&key(&["limits:write"]), &LimitsWrite::RULE, &Target::Any),
            Decision::Forbidden
        );
    }

    #[test]
    fn scopes_only_ever_take_away_from_a_person() {
        let mut admin = user(Some("mine"), &[Role::PlatformAdmin]);
        admin.scopes = Some(BTreeSet::from(["keys:read".to_owned()]));
        assert_eq!(may(&admin, &KeysRead::RULE, &Target::Account("theirs")), Decision::Allowed);
        assert_eq!(may(&admin, &KeysWrite::RULE, &Target::Any), Decision::Forbidden);
        assert_eq!(may(&admin, &KeysWrite::RULE, &Target::Account("theirs")), Decision::Hidden);
    }

    /// R002-9.2-4: assignments decide, whatever a token says.
    #[test]
    fn what_is_assigned_is_decided_by_the_assignment() {
        use Decision::{Allowed, Forbidden, Hidden};
        let rule = Rule {
            name: "things:read",
            reach: Reach::Assigned,
            roles: &[Role::Admin],
            everywhere: &[],
            scope: Some("things:read"),
        };
        let decided = |caller: &Caller, roles: &[Role]| {
            may(caller, &rule, &Target::Held(&roles.iter().copied().collect()))
        };
        let person = user(None, &[Role::Viewer]);
        assert_eq!(may(&person, &rule, &Target::Any), Allowed);
        assert_eq!(decided(&person, &[Role::Admin]), Allowed);
        assert_eq!(decided(&person, &[Role::Viewer]), Forbidden);
        assert_eq!(decided(&person, &[]), Hidden);
        assert_eq!(decided(&user(None, &[Role::PlatformAdmin]), &[]), Allowed);
        let (granted, other) = (key(&["things:read"]), key(&["things:write"]));
        assert_eq!(decided(&granted, &[Role::Viewer]), Allowed);
        assert_eq!((decided(&granted, &[]), decided(&other, &[Role::Admin])), (Hidden, Forbidden));
        let mut platforms = granted.clone();
        platforms.account_id = Some(PLATFORM.to_owned());
        assert_eq!(decided(&platforms, &[]), Allowed);
        assert_eq!(may(&Caller::anonymous(), &rule, &Target::Any), Forbidden);
    }

    #[test]
    fn ones_own_is_ones_own() {
        let rule = Myself::RULE;
        assert_eq!(may(&user(None, &[]), &rule, &Target::User("u1")), Decision::Allowed);
        assert_eq!(may(&user(None, &[]), &rule, &Target::User("u2")), Decision::Hidden);
        let admin = user(None, &[Role::PlatformAdmin]);
        assert_eq!(may(&admin, &rule, &Target::User("u2")), Decision::Hidden);
        assert_eq!(may(&key(&["self"]), &rule, &Target::Any), Decision::Forbidden);
    }

    #[test]
    fn names_are_unique() {
        let names: Vec<&str> = OPS.iter().chain(AUTH).map(|rule| rule.name).collect();
        assert_eq!(names.iter().collect::<BTreeSet<_>>().len(), names.len());
    }
}
