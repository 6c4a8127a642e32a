//! What a handler may know of its request besides its inputs.

use std::borrow::Cow;
use std::net::IpAddr;
use std::ops::Deref;
use std::sync::{Arc, Mutex, PoisonError};

use http::{HeaderName, HeaderValue, Method};
use kernel::caller::Caller;
use kernel::error::Error;
use kernel::moment::Moment;
use limits::{Decision, Verdict};

use super::seams::Claim;
use super::trace::Trace;
use super::{Description, Extract, Input, Registered};

const RATE_LIMIT: HeaderName = HeaderName::from_static("ratelimit");
const RATE_LIMIT_POLICY: HeaderName = HeaderName::from_static("ratelimit-policy");

/// The circumstances of a request. Cloning is cheap.
#[derive(Clone)]
pub struct Context(pub(super) Arc<Facts>);

/// What a [`Context`] holds.
#[derive(Clone)]
pub struct Facts {
    /// What the answer and its log line have in common.
    pub request_id: String,
    /// The trace it belongs to.
    pub trace: Trace,
    /// Who is calling.
    pub caller: Arc<Caller>,
    /// From which address.
    pub address: Option<IpAddr>,
    /// With which program, as it says.
    pub user_agent: Option<String>,
    /// By which method.
    pub method: Method,
    /// On which path.
    pub path: String,
    /// The query string. It may hold what no log should.
    pub query: String,
    /// The route: its template, operation and permission.
    pub route: Arc<Registered>,
    /// The parts of the path that the template names, decoded.
    pub path_values: Vec<(String, String)>,
    /// When it came.
    pub now: Moment,
    /// The claim on its Idempotency-Key, if it has one.
    pub claim: Option<Claim>,
    /// What the answer is to say besides, whatever it will be.
    pub said: Said,
}

/// What the limits said that a request met, which its answer tells whether it is an error or not: those
/// of its credential, of its route, and those that only the handler could ask. Clones share it.
#[derive(Clone, Debug, Default)]
pub struct Said(Arc<Mutex<Decision>>);

impl Said {
    /// Adds what some policies say.
    pub fn limits(&self, verdicts: impl IntoIterator<Item = Verdict>) {
        let mut decision = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        verdicts.into_iter().for_each(|verdict| decision.add(verdict));
    }

    /// `RateLimit` and `RateLimit-Policy`.
    pub(super) fn headers(&self) -> impl Iterator<Item = (HeaderName, HeaderValue)> {
        let decision = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let values = [
            (RATE_LIMIT, decision.rate_limit()),
            (RATE_LIMIT_POLICY, decision.rate_limit_policy()),
        ];
        let header = |(name, value): (HeaderName, Option<String>)| {
            Some((name, HeaderValue::try_from(value?).ok()?))
        };
        values.into_iter().filter_map(header)
    }
}

impl Deref for Context {
    type Target = Facts;

    fn deref(&self) -> &Facts {
        &self.0
    }
}

impl Context {
    /// A context of these facts.
    pub fn new(facts: Facts) -> Context {
        Context(Arc::new(facts))
    }

    /// A link below the mount through which the service was reached: the template of one of its
    /// routes, each name in braces replaced by its value. The account that the request names in its
    /// query goes with it: who administers the platform has to name one everywhere.
    pub fn link(&self, template: &str, values: &[(&str, &str)]) -> String {
        let mut link = self.route.mount.clone();
        for (at, part) in template.split('{').enumerate() {
            match part.split_once('}') {
                Some((name, rest)) if at > 0 => {
                    let value = values.iter().find(|(known, _)| *known == name);
                    push_encoded(&mut link, value.map_or(name, |(_, value)| value));
                    link.push_str(rest);
                }
                _ => link.push_str(part),
            }
        }
        if let Some(account) = self.named_account() {
            link.push_str("?accountId=");
            push_encoded(&mut link, &account);
        }
        link
    }

    /// The one account that the query names.
    fn named_account(&self) -> Option<Cow<'_, str>> {
        let mut pairs = form_urlencoded::parse(self.query.as_bytes());
        let (_, account) = pairs.find(|(name, _)| name == "accountId")?;
        (account != "*").then_some(account)
    }

    /// The account that the request is about, for the log: the path's, else the caller's.
    pub(super) fn tenant(&self) -> Option<&str> {
        let named = |(name, _): &&(String, String)| name == "tenantId" || name == "accountId";
        let from_path = self.path_values.iter().find(named).map(|(_, value)| value.as_str());
        from_path.or(self.caller.account_id.as_deref())
    }

    /// The same with a claim.
    pub(super) fn claimed(mut self, claim: Claim) -> Context {
        Arc::make_mut(&mut self.0).claim = Some(claim);
        self
    }
}

impl<S> Extract<S> for Context {
    fn extract(input: &Input<'_, S>) -> Result<Context, Error> {
        Ok(input.context.clone())
    }

    fn describe(_: &mut Description) {}
}

/// Percent-encodes what may not stand in a part of a path.
fn push_encoded(link: &mut String, value: &str) {
    for byte in value.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            link.push(char::from(byte));
        } else {
            link.push_str(&format!("%{byte:02X}"));
        }
    }
}
