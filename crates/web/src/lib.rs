//! The HTTP shell: how does a request reach a service's handler, and how does its answer leave?
//!
//! ```text
//! request id, trace, log line, metrics, security headers           outer
//!   CORS ─ route ─ 404, 405                                         axum
//!     size ─ identity ─ rate limit ─ permission ─ body ─ idempotency   pipeline
//!       fields ─ handler                                             endpoint
//! ```
//!
//! A service describes its routes with [`Api`]; each handler names its permission in its signature
//! ([`Allowed`]), and its inputs as types ([`Body`], [`Params`], [`InPath`], [`IfMatch`]), from which
//! checks and the OpenAPI document are made. [`Shell`] mounts services and gives an axum router.
//!
//! Identity, rate limits and idempotency are asked through the traits of [`seams`].
//!
//! Not here: connections and TLS (`wire::http`), and what any service does.

mod allowed;
mod api;
mod bodies;
mod check;
mod context;
mod coverage;
mod documentation;
mod endpoint;
mod extract;
mod if_match;
mod links;
mod log;
pub mod matrix;
mod openapi;
mod outer;
mod page;
mod pipeline;
mod render;
mod response;
pub mod seams;
mod shell;
mod trace;
mod view;

pub use allowed::Allowed;
pub use api::{Api, KeyDemand, Route};
pub use changes::Answer;
pub use context::{Context, Facts};
pub use coverage::uncovered;
pub use endpoint::Endpoint;
pub use extract::{Body, Description, Extract, InPath, Input, Params, State};
pub use if_match::{IfMatch, MustMatch};
pub use limits::RateLimitHeaders;
pub use links::Links;
pub use page::{PageAnswer, Paging};
pub use shell::{Health, Problem, Registered, Settings, Shell, ShellBuilder};
pub use trace::Trace;
