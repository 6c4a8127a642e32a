//! What the pipeline asks others for: who is calling, whether they may call now, and whether this was
//! asked before.

use std::any::Any;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use bytes::Bytes;
use http::request::Parts;
use kernel::caller::Caller;
use kernel::error::{Error, UNAUTHORIZED, UNPROCESSABLE};
use limits::Decision;

use super::{Answer, Context, RateLimitHeaders};

/// An outcome to wait for.
pub type Pending<'a, T> = Pin<Box<dyn Future<Output = Result<T, Error>> + Send + 'a>>;

/// Who is calling?
pub trait Authenticate: Send + Sync + 'static {
    /// The caller by the request's credentials; anonymous if it has none. A credential that is not
    /// accepted is an error, also where none is needed. What limits of its own it has is said.
    fn authenticate<'a>(
        &'a self,
        head: &'a Parts,
        rate_limits: &'a RateLimitHeaders,
    ) -> Pending<'a, Caller>;
}

/// May they call now?
pub trait Limit: Send + Sync + 'static {
    /// Counts a request. Requests whose credential was refused are counted too, as anonymous ones.
    fn admit<'a>(&'a self, context: &'a Context) -> Pending<'a, Decision>;
}

/// Was this asked before?
pub trait Idempotency: Send + Sync + 'static {
    /// Claims a key before the handler runs. An answer of earlier is given again as it was.
    fn claim<'a>(&'a self, attempt: Attempt<'a>) -> Pending<'a, Claimed>;

    /// Is told the whole answer after the handler has run, unless it ran out of time. If the record
    /// was completed with the handler's transaction there is nothing left to do; an answer of 500
    /// or more should free the claim.
    fn settle<'a>(&'a self, claim: Claim, answer: &'a Answer) -> Pending<'a, ()>;
}

/// A request with an `Idempotency-Key`.
#[derive(Clone, Copy)]
pub struct Attempt<'a> {
    /// The key: 1 to 255 visible ASCII characters.
    pub key: &'a str,
    /// Who asks for what.
    pub context: &'a Context,
    /// The query string.
    pub query: &'a str,
    /// The lines of `If-Match`, one after the other.
    pub if_match: &'a [u8],
    /// The whole body.
    pub body: &'a Bytes,
}

/// What became of a claim.
pub enum Claimed {
    /// It is this request's.
    Fresh(Claim),
    /// It was done before, with this answer.
    Done(Answer),
}

/// A claim, whatever the implementation keeps of it. The handler finds it in its [`Context`].
#[derive(Clone)]
pub struct Claim(Arc<dyn Any + Send + Sync>);

impl Claim {
    /// A claim that holds this.
    pub fn new(what: impl Any + Send + Sync) -> Claim {
        Claim(Arc::new(what))
    }

    /// What it holds, for the one that made it.
    pub fn get<T: Any>(&self) -> Option<&T> {
        self.0.downcast_ref()
    }
}

/// Knows nobody: every credential is refused. For a server without identity.
#[derive(Clone, Copy, Debug, Default)]
pub struct Nobody;

impl Authenticate for Nobody {
    fn authenticate<'a>(&'a self, head: &'a Parts, _: &'a RateLimitHeaders) -> Pending<'a, Caller> {
        let has_credential = head.headers.contains_key(http::header::AUTHORIZATION)
            || head.headers.contains_key("x-api-key");
        Box::pin(async move {
            if has_credential {
                return Err(Error::new(UNAUTHORIZED, "This server knows no callers yet"));
            }
            Ok(Caller::anonymous())
        })
    }
}

/// Admits everybody.
#[derive(Clone, Copy, Debug, Default)]
pub struct Unlimited;

impl Limit for Unlimited {
    fn admit<'a>(&'a self, _: &'a Context) -> Pending<'a, Decision> {
        Box::pin(async { Ok(Decision::default()) })
    }
}

/// Remembers nothing, and says so: a key that would not protect is refused.
#[derive(Clone, Copy, Debug, Default)]
pub struct NotRemembered;

impl Idempotency for NotRemembered {
    fn claim<'a>(&'a self, _: Attempt<'a>) -> Pending<'a, Claimed> {
        let message = "This server cannot remember an Idempotency-Key: send the request without it";
        Box::pin(async move { Err(Error::new(UNPROCESSABLE, message)) })
    }

    fn settle<'a>(&'a self, _: Claim, _: &'a Answer) -> Pending<'a, ()> {
        Box::pin(async { Ok(()) })
    }
}
