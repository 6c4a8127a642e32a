//! What the HTTP shell asks of the platform.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use audit::Origin;
use changes::Answer;
use changes::idempotency::{self, Begun, Key};
use http::HeaderName;
use http::header::AUTHORIZATION;
use http::request::Parts;
use identity::Credential;
use identity::keys::{Demand, Outcome};
use kernel::caller::{Accompanying, Caller, Identity};
use kernel::error::{Error, FORBIDDEN, RATE_LIMITED, UNAUTHORIZED};
use limits::{Asked, Decision};
use web::seams::{Attempt, Authenticate, Claim, Claimed, Idempotency, Limit, Pending};
use web::{Context, RateLimitHeaders};

use super::Platform;

const API_KEY: HeaderName = HeaderName::from_static("x-api-key");

impl Platform {
    /// Who calls with an API key. Every attempt is recorded, without anybody waiting for it
    /// (R003-audit-6): one by one, or, of strangers who send too many, as a number.
    async fn by_key(
        &self,
        key: &str,
        address: Option<IpAddr>,
        rate_limits: &RateLimitHeaders,
    ) -> Result<Caller, Error> {
        let verified = self.keys().verify(key, &Demand::default()).await?;
        rate_limits.add(verified.limit.clone());
        let caller = verified.caller();
        let is_accepted = caller.is_some();
        let mut who = caller.unwrap_or_else(Caller::anonymous);
        who.address = address;
        let (entry, origin) = (verified.entry(), Origin::of(who));
        if verified.key.is_some() {
            self.later().record(&entry, &origin).await?;
        } else {
            if let Err(refusal) = Box::pin(self.slow_down(address, rate_limits)).await {
                self.later().count(&entry);
                return Err(refusal);
            }
            self.later().record_if_room(&entry, &origin);
        }
        match (is_accepted.then_some(origin.caller), verified.outcome) {
            (Some(caller), _) => Ok(Arc::unwrap_or_clone(caller)),
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

    /// Refuses a network that sends one text after the other that is no key.
    async fn slow_down(
        &self,
        address: Option<IpAddr>,
        rate_limits: &RateLimitHeaders,
    ) -> Result<(), Error> {
        let asked = Asked { refused_key_from: address, ..Asked::default() };
        let decision = self.inner.limiter.check(&asked).await?;
        rate_limits.add(decision.verdicts.iter().cloned());
        decision.into_result().map(drop)
    }
}

impl Authenticate for Platform {
    /// A bearer's token or key, or a key in `X-Api-Key`. With both a token and a key, both must be
    /// accepted, and the token says who calls (R002-6.3-1, R002-6.3-2).
    fn authenticate<'a>(
        &'a self,
        head: &'a Parts,
        rate_limits: &'a RateLimitHeaders,
    ) -> Pending<'a, Caller> {
        Box::pin(async move {
            let address = head.extensions.get::<SocketAddr>().map(SocketAddr::ip);
            let caller = match Credential::read(single(head, &AUTHORIZATION)?)? {
                Credential::None => Caller::anonymous(),
                Credential::Token(token) => self.inner.authenticator.token(token.reveal()).await?,
                Credential::Other(key) => self.by_key(key.reveal(), address, rate_limits).await?,
            };
            let Some(key) = single(head, &API_KEY)? else { return Ok(caller) };
            let by_key = self.by_key(key, address, rate_limits).await?;
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
    fn admit<'a>(&'a self, context: &'a Context) -> Pending<'a, Decision> {
        Box::pin(async move {
            let route = context.route_name();
            self.inner.limiter.check(&Asked::of(&route, &context.caller)).await
        })
    }
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
