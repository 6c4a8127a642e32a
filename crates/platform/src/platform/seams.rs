//! What the HTTP shell asks of the platform.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use http::header::AUTHORIZATION;
use http::request::Parts;
use http::{HeaderName, HeaderValue};

use super::{Platform, route};
use crate::answer::Answer;
use crate::audit::{Later, Origin};
use crate::caller::{Accompanying, Caller, Identity};
use crate::error::{Error, FORBIDDEN, RATE_LIMITED, UNAUTHORIZED};
use crate::http::Context;
use crate::http::seams::{
    Admission, Attempt, Authenticate, Claim, Claimed, Idempotency, Limit, Pending,
};
use crate::idempotency::{self, Begun, Key};
use crate::identity::{Authenticated, OtherCredentials};
use crate::keys::{Demand, Keys, Outcome};
use crate::limits::{Asked, Decision, Limiter};
use crate::secrets::Secret;

const API_KEY: HeaderName = HeaderName::from_static("x-api-key");
const RATE_LIMIT: HeaderName = HeaderName::from_static("ratelimit");
const RATE_LIMIT_POLICY: HeaderName = HeaderName::from_static("ratelimit-policy");

/// API keys as credentials. Every attempt is recorded, without anybody waiting for it (R003-audit-6):
/// one by one, or, of strangers who send too many, as a number.
pub(super) struct KeyCredentials {
    pub keys: Arc<Keys>,
    pub later: Later,
    pub limiter: Arc<Limiter>,
}

impl KeyCredentials {
    async fn verify(&self, key: &str, address: Option<IpAddr>) -> Result<Caller, Error> {
        let verified = self.keys.verify(key, &Demand::default()).await?;
        let caller = verified.caller();
        let mut who = caller.clone().unwrap_or_else(Caller::anonymous);
        who.address = address;
        if verified.key.is_some() {
            self.later.record(&verified.entry(), &Origin::of(who)).await?;
        } else {
            let entry = verified.entry();
            if let Err(refusal) = self.slow_down(address).await {
                self.later.count(&entry);
                return Err(refusal);
            }
            self.later.record_if_room(&entry, &Origin::of(who));
        }
        match (caller, verified.outcome) {
            (Some(caller), _) => Ok(caller),
            // Whoever has the key itself may know that it was used too often.
            (None, Outcome::RateLimited) => {
                let decision = Decision { verdicts: verified.limit.into_iter().collect() };
                decision.into_result().and(Err(Error::new(RATE_LIMITED, "Too many requests")))
            }
            (None, Outcome::UsageExceeded) => {
                let message = "The API key has been used as often as it may be";
                Err(Error::new(FORBIDDEN, message).because(verified.outcome))
            }
            // One answer for every other key that is not accepted: the record says why.
            (None, outcome) => {
                Err(Error::new(UNAUTHORIZED, "The API key is not accepted").because(outcome))
            }
        }
    }
}

impl KeyCredentials {
    /// Refuses a network that sends one text after the other that is no key.
    async fn slow_down(&self, address: Option<IpAddr>) -> Result<(), Error> {
        let asked = Asked { refused_key_from: address, ..Asked::default() };
        self.limiter.check(&asked).await?.into_result().map(drop)
    }
}

impl OtherCredentials for KeyCredentials {
    fn caller<'a>(&'a self, credential: &'a Secret, address: Option<IpAddr>) -> Authenticated<'a> {
        Box::pin(self.verify(credential.reveal(), address))
    }
}

impl Authenticate for Platform {
    /// A bearer's token or key, or a key in `X-Api-Key`. With both a token and a key, both must be
    /// accepted, and the token says who calls (R002-6.3-1, R002-6.3-2).
    fn authenticate<'a>(&'a self, head: &'a Parts) -> Pending<'a, Caller> {
        Box::pin(async move {
            let address = head.extensions.get::<SocketAddr>().map(SocketAddr::ip);
            let bearer = single(head, &AUTHORIZATION)?;
            let caller = self.inner.authenticator.authenticate(bearer, address).await?;
            let Some(key) = single(head, &API_KEY)? else { return Ok(caller) };
            let credentials = KeyCredentials {
                keys: Arc::clone(self.keys()),
                later: self.later().clone(),
                limiter: Arc::clone(&self.inner.limiter),
            };
            let by_key = credentials.verify(key, address).await?;
            if caller.identity == Identity::Anonymous {
                return Ok(by_key);
            }
            let (key_id, scopes) = (by_key.id().to_owned(), by_key.scopes.unwrap_or_default());
            Ok(Caller { key: Some(Accompanying { key_id, scopes }), ..caller })
        })
    }
}

/// A header that may stand there once.
fn single<'a>(head: &'a Parts, name: &HeaderName) -> Result<Option<&'a str>, Error> {
    let mut values = head.headers.get_all(name).iter();
    let refused = |why| Error::new(UNAUTHORIZED, "The credential cannot be read").because(why);
    match (values.next(), values.next()) {
        (None, _) => Ok(None),
        (Some(value), None) => {
            value.to_str().map(Some).map_err(|_| refused("a credential is not ASCII text"))
        }
        (Some(_), Some(_)) => Err(refused("a credential was given twice")),
    }
}

impl Limit for Platform {
    fn admit<'a>(&'a self, context: &'a Context) -> Pending<'a, Admission> {
        Box::pin(async move {
            let route = route(context);
            let asked = Asked::of(&route, &context.caller);
            let decision = self.inner.limiter.check(&asked).await?;
            let headers = headers(&decision);
            Ok(Admission { headers, refusal: decision.into_result().err() })
        })
    }
}

/// What is left, as headers. The fields are lists: several lines of one name add up.
pub(super) fn headers(decision: &Decision) -> Vec<(HeaderName, HeaderValue)> {
    let values =
        [(RATE_LIMIT, decision.rate_limit()), (RATE_LIMIT_POLICY, decision.rate_limit_policy())];
    let header = |(name, value): (HeaderName, Option<String>)| {
        Some((name, HeaderValue::try_from(value?).ok()?))
    };
    values.into_iter().filter_map(header).collect()
}

/// Whose keys a request's is among: those of the account, or of a caller without one, who would
/// otherwise stumble over the keys of everybody else without one.
fn space(caller: &Caller) -> String {
    let own = || format!("{}:{}", caller.kind(), caller.id());
    caller.account_id.clone().unwrap_or_else(own)
}

impl Idempotency for Platform {
    fn claim<'a>(&'a self, attempt: Attempt<'a>) -> Pending<'a, Claimed> {
        Box::pin(async move {
            let context = attempt.context;
            let key = Key::parse(attempt.key.as_bytes())?;
            let request = idempotency::Request {
                account: &space(&context.caller),
                caller: &context.caller,
                method: context.method.as_str(),
                route: &context.route.path,
                path: &context.path,
                query: attempt.query,
                if_match: attempt.if_match,
                // No other type is taken.
                content_type: "application/json",
                body: attempt.body,
                key: &key,
            };
            Ok(match self.idempotency().begin(&request).await? {
                Begun::Claimed(claim) => Claimed::Fresh(Claim::new(claim)),
                Begun::Replay(answer) => Claimed::Done(answer),
            })
        })
    }

    fn settle<'a>(&'a self, claim: Claim, answer: &'a Answer) -> Pending<'a, ()> {
        Box::pin(async move {
            let Some(claim) = claim.get::<idempotency::Claim>() else { return Ok(()) };
            self.idempotency().settle(claim, answer).await
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// C3-09: keys of different accounts are different keys, and so are those of people without one.
    #[test]
    fn nobody_stumbles_over_the_keys_of_somebody_else() {
        let person = |user_id: &str, account: Option<&str>| {
            let (user_id, email, session) = (user_id.to_owned(), None, None);
            let mut caller = Caller::new(Identity::User { user_id, email, session });
            caller.account_id = account.map(str::to_owned);
            space(&caller)
        };
        assert_eq!(person("ada", Some("acc-1")), person("bob", Some("acc-1")));
        assert_ne!(person("ada", None), person("bob", None));
        assert_eq!(person("ada", None), person("ada", None));
    }
}
