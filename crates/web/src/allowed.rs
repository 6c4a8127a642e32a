//! The permission in a handler's signature.

use std::marker::PhantomData;

use changes::{Answer, Request};
use kernel::caller::{Caller, Identity};
use kernel::error::{Error, UNAUTHORIZED};
use kernel::permissions::{self, Permission, Target};

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

    /// The request as domain functions know it, whose outcome becomes an answer in this way.
    pub fn replying<T>(
        &self,
        render: impl Fn(&Context, &T) -> Result<Answer, Error> + Send + Sync + 'static,
    ) -> Request<T> {
        let context = self.context.clone();
        self.request().replying(move |outcome| render(&context, outcome))
    }

    /// The request as domain functions know it.
    pub fn request<T>(&self) -> Request<T> {
        Request::new(self.context.request_facts())
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
        permissions::check(self.caller(), &P::RULE, target)
    }
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
        (_, Some(_)) => permissions::check_key(caller, &route.rule),
    }
}
