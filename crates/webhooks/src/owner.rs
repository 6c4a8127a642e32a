//! Telling people that an endpoint is in trouble, through another channel than the endpoint.

use std::future::Future;
use std::pin::Pin;

use kernel::error::Error;
use kernel::moment::Moment;
use store::Write;

/// Something to tell that is being made ready.
pub type Preparing<'a> = Pin<Box<dyn Future<Output = Result<Telling, Error>> + Send + 'a>>;

/// Something that the owner of an endpoint must hear of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice {
    /// What happened.
    pub kind: NoticeKind,
    /// The account.
    pub account_id: String,
    /// The endpoint.
    pub endpoint_id: String,
    /// Where it is.
    pub url: String,
    /// Since when it fails.
    pub failing_since: Option<Moment>,
    /// When this was found.
    pub at: Moment,
}

/// What happened to an endpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoticeKind {
    /// It failed often: deliveries wait, and it is probed.
    Failing,
    /// It failed for days: it was disabled.
    DisabledAfterFailing,
    /// It said that it wants no events any more: it was disabled.
    DisabledAsGone,
}

/// How owners are told.
pub trait Owner: Send + Sync + 'static {
    /// Makes ready what tells them. Nothing may be told here: the transaction may not come about, and
    /// is then made ready again.
    fn notify<'a>(&'a self, notice: &'a Notice) -> Preparing<'a>;
}

/// What tells the owner of an endpoint.
pub struct Telling {
    /// Writes, such as a notification, for the transaction of what happened: so it is told once, and
    /// not lost.
    pub writes: Vec<Write>,
    /// What is done once that is committed, such as a mail: once at most.
    pub afterwards: Afterwards,
}

/// Something that cannot fail, or whose failure changes nothing.
pub type Afterwards = Pin<Box<dyn Future<Output = ()> + Send>>;

impl Telling {
    /// Writes alone.
    pub fn by(writes: Vec<Write>) -> Telling {
        Telling { writes, afterwards: Box::pin(std::future::ready(())) }
    }
}
