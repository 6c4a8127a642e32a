//! What does a condition, filter, key condition, projection or update expression mean?
//!
//! This crate answers that and nothing else: no IO, no async, no storage. It is a small compiler.
//! A request's expressions are read through [`Placeholders`], which checks everything that can be
//! said without an item and gives what can be asked of items, or done to them, later and on
//! another thread:
//!
//! - [`Condition`]: does it hold? For `ConditionExpression` and `FilterExpression`.
//! - [`KeyCondition`]: where to look, once the key is known.
//! - [`Projection`]: which parts to give.
//! - [`Update`]: the new image of an item, and what `ReturnValues` shows of it.
//!
//! [`legacy`] translates the parameters that came before expressions into the same four.
//!
//! From text to meaning: `token` cuts the text, `cursor` walks the tokens, each language has its
//! own `tree` (or parser), then `check`; evaluation stands apart. The parsers keep their own
//! stacks, so that no text can exhaust the program's. `error` holds every text the service sends.
//!
//! [`partiql`] reads statements into the same types.
//!
//! Comments cite the rules of the behaviour notes by number, and for what the notes do not say,
//! the source: (ALT) ScyllaDB Alternator's tests, (DX) dynoxide's captures.

mod condition;
mod cursor;
mod error;
mod function;
mod key_condition;
pub mod legacy;
mod operand;
pub mod partiql;
mod path;
mod path_tree;
mod placeholders;
mod projection;
mod reserved;
mod token;
mod update;

pub use condition::Condition;
pub use error::{
    Bound, ExpectedProblem, ExpressionError, ExpressionKind, KeyConditionProblem, LegacyProblem,
    OperandProblem, Place, PlaceholderMap, Problem, StatementProblem, Syntax, UpdateProblem,
};
pub use key_condition::{KeyCondition, KeyRange, SortCondition};
pub use placeholders::Placeholders;
pub use projection::Projection;
pub use update::Update;
