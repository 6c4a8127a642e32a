//! Who may do what with `/auth` and `/ops`, as data.

use kernel::permissions;

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
    use std::collections::BTreeSet;

    use kernel::permissions::{Decision, Permission as _, Reach, Rule, Target, may};
    use kernel::{Caller, Identity, PLATFORM, Role};

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
