//! The request that makes a change.

use std::fmt;
use std::net::IpAddr;
use std::sync::{Arc, OnceLock};

use audit::Origin;
use kernel::{Caller, Error, LinkBase, Moment};
use limits::RateLimitHeaders;

use crate::answer::Answer;
use crate::idempotency::Claim;

/// A request whose outcome is a `T`, as far as domain functions need to know it: who asks, when, from
/// where, and how the outcome becomes the answer that is kept for repetitions.
pub struct Request<T = ()> {
    facts: Arc<RequestFacts>,
    reply: Option<Reply<T>>,
}

/// What is known of a request.
#[derive(Clone, Debug)]
pub struct RequestFacts {
    /// Its identifier.
    pub request_id: String,
    /// The trace that it is a part of.
    pub trace_id: Option<String>,
    /// Who asks.
    pub caller: Arc<Caller>,
    /// From where.
    pub address: Option<IpAddr>,
    /// The client's own name.
    pub user_agent: Option<String>,
    /// When it came.
    pub now: Moment,
    /// Where links of the service begin.
    pub links: LinkBase,
    /// The claim, if the client sent an `Idempotency-Key`.
    pub claim: Option<Claim>,
    /// Method and template, as rate limits name routes.
    pub route: String,
    /// What the answer says of rate limits.
    pub rate_limits: RateLimitHeaders,
}

/// How an outcome becomes an answer.
type Render<T> = Box<dyn Fn(&T) -> Result<Answer, Error> + Send + Sync>;

struct Reply<T> {
    render: Render<T>,
    /// Rendered once: what is kept is what is answered.
    rendered: OnceLock<Answer>,
}

impl RequestFacts {
    /// A request of this caller.
    pub fn new(
        request_id: impl Into<String>,
        caller: impl Into<Arc<Caller>>,
        now: Moment,
    ) -> RequestFacts {
        let caller = caller.into();
        RequestFacts {
            request_id: request_id.into(),
            trace_id: None,
            address: caller.address,
            caller,
            user_agent: None,
            now,
            links: LinkBase::default(),
            claim: None,
            route: String::new(),
            rate_limits: RateLimitHeaders::default(),
        }
    }

    /// Where audit entries of it come from.
    pub fn origin(&self) -> Origin {
        Origin {
            caller: Arc::clone(&self.caller),
            request_id: Some(self.request_id.clone()),
            trace_id: self.trace_id.clone(),
            address: self.address,
            user_agent: self.user_agent.clone(),
            occurred_at: None,
        }
    }
}

impl<T> Request<T> {
    /// A request whose outcome only its caller sees.
    pub fn new(facts: impl Into<Arc<RequestFacts>>) -> Request<T> {
        Request { facts: facts.into(), reply: None }
    }

    /// The same with a way to make an answer of the outcome.
    #[must_use]
    pub fn replying(
        mut self,
        render: impl Fn(&T) -> Result<Answer, Error> + Send + Sync + 'static,
    ) -> Request<T> {
        self.reply = Some(Reply { render: Box::new(render), rendered: OnceLock::new() });
        self
    }

    /// The same request for a part of its work, whose outcome is another and is not kept.
    pub fn part<U>(&self) -> Request<U> {
        Request { facts: Arc::clone(&self.facts), reply: None }
    }

    /// What is known of it.
    pub fn facts(&self) -> &Arc<RequestFacts> {
        &self.facts
    }

    /// Who asks.
    pub fn caller(&self) -> &Caller {
        &self.facts.caller
    }

    /// When it came.
    pub fn now(&self) -> Moment {
        self.facts.now
    }

    /// A link of the service: see [`LinkBase::link`].
    pub fn link(&self, template: &str, values: &[(&str, &str)]) -> String {
        self.facts.links.link(template, values)
    }

    /// The answer for an outcome: the one that was kept with it, if one was.
    pub fn answer(&self, outcome: &T) -> Result<Answer, Error> {
        let Some(reply) = &self.reply else {
            return Err(Error::internal("a request without a reply has no answer"));
        };
        match reply.rendered.get() {
            Some(answer) => Ok(answer.clone()),
            None => (reply.render)(outcome),
        }
    }

    /// The answer that belongs into the transaction, if the client may ask for it again.
    pub(crate) fn kept_answer(&self, outcome: &T) -> Result<Option<Answer>, Error> {
        let (Some(reply), Some(_)) = (&self.reply, &self.facts.claim) else { return Ok(None) };
        (reply.render)(outcome).map(Some)
    }

    /// Remembers the answer that was committed.
    pub(crate) fn committed(&self, answer: Option<Answer>) {
        if let (Some(reply), Some(answer)) = (&self.reply, answer) {
            let _first = reply.rendered.set(answer);
        }
    }
}

impl<T> fmt::Debug for Request<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Request").field(&self.facts).finish()
    }
}
