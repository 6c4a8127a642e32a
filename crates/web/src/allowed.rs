//! The permission in a handler's signature.

use std::marker::PhantomData;

use kernel::caller::{Caller, Identity};
use kernel::error::{Error, FORBIDDEN, NOT_FOUND, UNAUTHORIZED};
use kernel::permissions::{Decision, Permission, Reach, Rule, Target, grants, may};

use super::{Context, KeyDemand, Registered};

/// Proof that the caller holds the permission `P` at all. Whether it extends to one thing is asked
/// with [`Allowed::on`] once the thing is known.
pub struct Allowed<P> {
    context: Context,
    permission: PhantomData<fn() -> P>,
}

impl<P: Permission> Allowed<P> {
    pub(super) fn proven(context: Context) -> Allowed<P> {
        Allowed { context, permission: PhantomData }
    }

    /// The circumstances of the request.
    pub fn context(&self) -> &Context {
        &self.context
    }

    /// Who is calling.
    pub fn caller(&self) -> &Caller {
        &self.context.caller
    }

    /// The account that a request is about: the one that it names, which only those may who are allowed
    /// there, or else the caller's own. Whoever acts for none is told to name one.
    pub fn account<'a>(&'a self, named: Option<&'a str>) -> Result<&'a str, Error> {
        if let Some(named) = named {
            self.on(&Target::Account(named))?;
            return Ok(named);
        }
        self.caller().account_id.as_deref().ok_or_else(|| {
            let message = "is missing: your credential acts for no account, so name one".to_owned();
            Error::validation([("accountId", message)])
        })
    }

    /// Refuses unless the permission extends to this thing. What the caller may not see answers as
    /// what does not exist.
    pub fn on(&self, target: &Target<'_>) -> Result<(), Error> {
        decide(self.caller(), &P::RULE, target)
    }

    /// Refuses unless another permission extends to this thing as well.
    pub fn also_on<Q: Permission>(&self, target: &Target<'_>) -> Result<(), Error> {
        key_allows(self.caller(), &Q::RULE)?;
        decide(self.caller(), &Q::RULE, target)
    }
}

/// What is said of anything that is not there for this caller.
pub fn not_found() -> Error {
    Error::new(NOT_FOUND, "There is nothing here, or nothing that you may see")
}

/// Refuses a request whose API key is missing where one is demanded, or does not allow what is asked
/// (C2-56, C2-60).
pub(super) fn check_key(caller: &Caller, route: &Registered) -> Result<(), Error> {
    let is_alone = matches!(caller.identity, Identity::ApiKey { .. });
    match (route.keys, &caller.key) {
        // A key in both headers is still a key alone.
        (KeyDemand::Both, _) if is_alone => {
            Err(Error::new(UNAUTHORIZED, "Send a bearer token in Authorization beside the key"))
        }
        (KeyDemand::Alone, _) | (KeyDemand::Checked, None) => Ok(()),
        (KeyDemand::Both, None) => {
            Err(Error::new(UNAUTHORIZED, "Send an API key in X-Api-Key beside the token"))
        }
        (_, Some(_)) => key_allows(caller, &route.rule),
    }
}

/// Refuses what a key that came with the request has no scope for.
fn key_allows(caller: &Caller, rule: &Rule) -> Result<(), Error> {
    let Some(key) = &caller.key else { return Ok(()) };
    let allows = |wanted| key.scopes.iter().any(|scope| grants(scope, wanted));
    if rule.reach == Reach::Public || rule.scope.is_none_or(allows) {
        return Ok(());
    }
    let message = "The API key does not allow this. It takes the scope in details";
    Err(Error::new(FORBIDDEN, message).detail("scope", rule.scope))
}

pub(super) fn decide(caller: &Caller, rule: &Rule, target: &Target<'_>) -> Result<(), Error> {
    match may(caller, rule, target) {
        Decision::Allowed => Ok(()),
        _ if caller.identity == Identity::Anonymous => {
            let message = "Sign in: send a bearer token in Authorization, or a key in X-Api-Key";
            Err(Error::new(UNAUTHORIZED, message))
        }
        Decision::Hidden => Err(not_found()),
        Decision::Forbidden => {
            let message = "You are not allowed to do this. It takes the permission in details";
            Err(Error::new(FORBIDDEN, message).detail("permission", rule.name))
        }
    }
}
