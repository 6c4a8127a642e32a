//! Who may do what: one table per service, as data, and the one function that reads it.
//!
//! A permission is a row: its name, how far it reaches, which roles hold it in their own account,
//! which hold it everywhere, and which scope of an API key grants it. Each row is also a type, so
//! that a handler names its permission in its signature (`web::Allowed`).

use std::collections::BTreeSet;

use crate::PLATFORM;
use crate::caller::{Caller, Identity, Role};
use crate::error::{Error, FORBIDDEN, UNAUTHORIZED};

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

/// Refuses what a caller may not do with a thing. What the caller may not see answers as what does
/// not exist.
pub fn check(caller: &Caller, rule: &Rule, target: &Target<'_>) -> Result<(), Error> {
    match may(caller, rule, target) {
        Decision::Allowed => Ok(()),
        _ if caller.identity == Identity::Anonymous => {
            let message = "Sign in: send a bearer token in Authorization, or a key in X-Api-Key";
            Err(Error::new(UNAUTHORIZED, message))
        }
        Decision::Hidden => Err(Error::not_found()),
        Decision::Forbidden => {
            let message = "You are not allowed to do this. It takes the permission in details";
            Err(Error::new(FORBIDDEN, message).detail("permission", rule.name))
        }
    }
}

/// Refuses what the API key beside a token has no scope for.
pub fn check_key(caller: &Caller, rule: &Rule) -> Result<(), Error> {
    let Some(key) = &caller.key else { return Ok(()) };
    let allows = |wanted| key.scopes.iter().any(|scope| grants(scope, wanted));
    if rule.reach == Reach::Public || rule.scope.is_none_or(allows) {
        return Ok(());
    }
    let message = "The API key does not allow this. It takes the scope in details";
    Err(Error::new(FORBIDDEN, message).detail("scope", rule.scope))
}

/// Declares the permissions of a service: a type for each, and a table of all.
///
/// ```
/// kernel::permissions! {
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
