//! A statement as written: what the parser gives and nothing has judged yet.

use crate::condition::Comparator;
use crate::error::Place;
use crate::path::Path;

/// An expression, and where it begins.
#[derive(Clone, Debug)]
pub(super) struct Expr {
    pub kind: Kind,
    /// The first token.
    pub place: Place,
}

/// What an expression is.
#[derive(Clone, Debug)]
pub(super) enum Kind {
    Missing,
    Null,
    Bool(bool),
    Text(String),
    /// As written, with its sign.
    Number(String),
    /// The name of the Ion type.
    Ion(&'static str),
    /// Which question mark it is, from 0.
    Parameter(usize),
    Path(Path),
    List(Vec<Expr>),
    Map(Vec<(Expr, Expr)>),
    Bag(Vec<Expr>),
    /// Several expressions in one pair of parentheses.
    Sequence(Vec<Expr>),
    Call(String, Vec<Expr>),
    Subquery,
    /// So many NOTs in a row.
    Not(usize, Box<Expr>),
    All(Vec<Expr>),
    Any(Vec<Expr>),
    Compare(Comparator, Box<Expr>, Box<Expr>),
    Arithmetic(&'static str, Box<Expr>, Box<Expr>),
    Between(Box<Expr>, Box<Expr>, Box<Expr>),
    In(Box<Expr>, Box<Expr>),
    Like(Box<Expr>, Box<Expr>),
    Is(Box<Expr>, IsType),
}

/// What IS tests for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum IsType {
    Missing,
    Of(values::AttributeType),
    /// A type of PartiQL that DynamoDB does not have.
    Other(&'static str),
}

/// The table, and perhaps the index, of a statement: names as written, and where they begin.
#[derive(Clone, Debug)]
pub(super) struct Target {
    pub names: Vec<String>,
    pub place: Place,
    pub has_alias: bool,
}

/// A statement as written.
#[derive(Debug)]
pub(super) enum RawStatement {
    Select(RawSelect),
    Insert(Target, Expr),
    Update(Target, Vec<RawAction>, Option<Expr>, Option<RawReturning>),
    Delete(Target, Option<Expr>, Option<RawReturning>),
    /// `EXISTS(SELECT …)`.
    Exists(RawSelect),
    /// A whole expression that is no statement.
    Expression(Expr),
    /// SET or REMOVE without a table.
    WithoutTable,
}

/// A SELECT as written.
#[derive(Clone, Debug)]
pub(super) struct RawSelect {
    /// `None` for `*`.
    pub projection: Option<Vec<Expr>>,
    pub has_alias: bool,
    pub target: Target,
    pub condition: Option<Expr>,
    pub order: Vec<(Expr, bool)>,
}

/// One assignment or removal of an UPDATE.
#[derive(Debug)]
pub(super) enum RawAction {
    Set(Path, Expr),
    Remove(Path),
}

/// `ALL` or `MODIFIED`, `OLD` or `NEW`.
#[derive(Clone, Copy, Debug)]
pub(super) struct RawReturning {
    pub modified: bool,
    pub new: bool,
}

impl Expr {
    /// How the service calls this kind of expression.
    pub fn name(&self) -> &'static str {
        match &self.kind {
            Kind::Missing => "Missing",
            Kind::Null | Kind::Bool(_) | Kind::Text(_) | Kind::Number(_) | Kind::Ion(_) => "Lit",
            Kind::Parameter(_) => "Parameter",
            Kind::Path(path) if path.is_nested() => "Path",
            Kind::Path(_) => "Id",
            Kind::List(_) | Kind::Sequence(_) => "List",
            Kind::Map(_) => "Struct",
            Kind::Bag(_) => "Bag",
            Kind::Call(..) => "Call",
            Kind::Subquery => "Select",
            Kind::Is(..) => "IsType",
            Kind::Not(..) => "Not",
            Kind::All(_) => "And",
            Kind::Any(_) => "Or",
            Kind::Compare(comparator, ..) => comparator.symbol(),
            Kind::Arithmetic(sign, ..) => sign,
            Kind::Between(..) => "Between",
            Kind::In(..) => "InCollection",
            Kind::Like(..) => "Like",
        }
    }
}
