//! What a handler may know of its request besides its inputs.

use std::borrow::Cow;
use std::net::IpAddr;
use std::ops::Deref;
use std::sync::Arc;

use changes::{RequestFacts, idempotency};
use http::Method;
use kernel::caller::Caller;
use kernel::error::Error;
use kernel::links::LinkBase;
use kernel::moment::Moment;
use limits::RateLimitHeaders;

use super::seams::Claim;
use super::trace::Trace;
use super::{Description, Extract, Input, Registered};

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
    /// Where links begin.
    pub links: LinkBase,
    /// When it came.
    pub now: Moment,
    /// The claim on its Idempotency-Key, if it has one.
    pub claim: Option<Claim>,
    /// What the answer says of rate limits, whatever it will be.
    pub rate_limits: RateLimitHeaders,
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

    /// A link of the service: see [`LinkBase::link`].
    pub fn link(&self, template: &str, values: &[(&str, &str)]) -> String {
        self.links.link(template, values)
    }

    /// Method and template, as policies name routes. A HEAD is a GET of which only the head is sent.
    pub fn route_name(&self) -> String {
        let method = if self.method == Method::HEAD { &Method::GET } else { &self.method };
        [method.as_str(), " ", &self.route.path].concat()
    }

    /// The request as changes know it.
    pub fn request_facts(&self) -> RequestFacts {
        let claim = self.claim.as_ref().and_then(|claim| claim.get::<idempotency::Claim>());
        RequestFacts {
            request_id: self.request_id.clone(),
            trace_id: Some(self.trace.trace_id.clone()),
            caller: Arc::clone(&self.caller),
            address: self.address,
            user_agent: self.user_agent.clone(),
            now: self.now,
            links: self.links.clone(),
            claim: claim.cloned(),
            route: self.route_name(),
            rate_limits: self.rate_limits.clone(),
        }
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

/// Where the links of an answer begin: the mount that was reached, and the one account that the query
/// names.
pub(super) fn link_base(mount: &Arc<str>, query: &str) -> LinkBase {
    let mut pairs = form_urlencoded::parse(query.as_bytes());
    let account = pairs.find(|(name, _)| name == "accountId").map(|(_, account)| account);
    let account_id = account.filter(|account| account != "*").map(Cow::into_owned);
    LinkBase { mount: Arc::clone(mount), account_id }
}
