//! Faults of PartiQL statements.
//!
//! The service reports a text that is no PartiQL inside an envelope (`Statement wasn't well formed,
//! can't be processed: …`), and everything else about a statement bare. Unless marked otherwise the
//! texts are answers of the service that dynoxide recorded (DX).

use std::fmt;

use values::{AttributeType, ValueError};

use super::Problem;

/// Where something stands in a statement: line, column and length, in characters, from 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// The line.
    pub line: usize,
    /// The column of its first character.
    pub column: usize,
    /// How many characters it has.
    pub length: usize,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.line, self.column, self.length)
    }
}

/// How a text fails to be PartiQL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Syntax {
    /// A character or a quotation that no token can be made of.
    Unreadable,
    /// Nothing, or no value, where an expression should begin.
    UnexpectedTerm,
    /// An operator where an expression should begin.
    UnexpectedOperator,
    /// A keyword where an expression should begin.
    UnexpectedKeyword,
    /// FROM directly behind SELECT.
    EmptySelectList,
    /// Nothing behind an operator.
    MissingRightHandSide,
    /// No AND between the bounds of BETWEEN.
    MissingAnd,
    /// Nothing behind the AND of BETWEEN.
    MissingUpperBound,
    /// No type behind IS.
    MissingTypeName,
    /// No name where a table or an attribute should be named.
    MissingPath,
    /// A keyword behind a dot of a path.
    KeywordInPath,
    /// A list, map, set or pair of parentheses without its end.
    Unclosed(char),
    /// DELETE without FROM.
    MissingFrom,
    /// Neither SET nor REMOVE behind UPDATE or a leading FROM.
    MissingVerb,
    /// SET without `=`. Our words: the service's are not known.
    MissingEquals,
    /// RETURNING without two known words and `*`. Our words: the service's are not known.
    BadReturning,
    /// More text behind a whole statement.
    Leftover,
    /// A second statement.
    SecondStatement,
    /// Nested deeper than any statement the service could store. Our words.
    TooDeep,
}

impl fmt::Display for Syntax {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Syntax::Unreadable => "",
            Syntax::UnexpectedTerm => "Unexpected term",
            Syntax::UnexpectedOperator => "Unexpected operator",
            Syntax::UnexpectedKeyword => "Unexpected keyword",
            Syntax::EmptySelectList => {
                "Expected identifier or an expression but found unexpected keyword 'from' in a \
                 select list."
            }
            Syntax::MissingRightHandSide => "Missing right-hand side expression of infix operator",
            Syntax::MissingAnd => "Expected AND keyword",
            Syntax::MissingUpperBound => "Expected expression after AND",
            Syntax::MissingTypeName => "Expected type name",
            Syntax::MissingPath => "Expected identifier for simple path",
            Syntax::KeywordInPath => "Invalid path dot component",
            Syntax::Unclosed(')') => "Expected RIGHT_PAREN",
            Syntax::Unclosed(']') => "Expected RIGHT_BRACKET",
            Syntax::Unclosed('}') => "Expected RIGHT_CURLY",
            Syntax::Unclosed(_) => "Expected RIGHT_DOUBLE_ANGLE_BRACKET",
            Syntax::MissingFrom => "Expected FROM after DELETE",
            Syntax::MissingVerb => "Expected data manipulation",
            Syntax::MissingEquals => "Expected '=' after the path of SET",
            Syntax::BadReturning => "Expected RETURNING <ALL|MODIFIED> <OLD|NEW> *",
            Syntax::Leftover => "Unexpected token after expression",
            Syntax::SecondStatement => {
                "Unexpected token after semicolon. (Only one query is allowed.)"
            }
            Syntax::TooDeep => "The statement is nested too deeply; write values as parameters",
        })
    }
}

/// What is wrong with a PartiQL statement.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum StatementProblem {
    /// The text is not PartiQL.
    NotWellFormed(Syntax),
    /// A whole expression, by the name of its kind, where a statement should be.
    NotAStatement(&'static str),
    /// EXISTS, or another expression, outside a transaction that writes.
    ExistsOutsideTransaction,
    /// SET or REMOVE without a table.
    NoTable,
    /// Fewer parameters than question marks.
    ParameterCount,
    /// A table with an alias.
    Alias,
    /// An empty name of a table, an index or an attribute.
    EmptyName,
    /// More than a table and an index in FROM.
    LongTablePath,
    /// An index behind INSERT INTO.
    InsertIntoIndex(Place),
    /// An index in UPDATE or DELETE.
    WriteToIndex,
    /// Something other than a path in a select list.
    NotAPath(Place),
    /// A call of a function that is not there, or not at this place.
    UnknownFunction(String, Place),
    /// A SELECT inside an expression.
    Subquery(Place),
    /// A type that IS does not test.
    UnknownIsType(&'static str, Place),
    /// Something other than a path or a value in front of IS.
    IsOperand,
    /// MISSING in a comparison.
    MissingCompared,
    /// A WHERE that is no condition.
    NotACondition,
    /// An operator that conditions do not have.
    Operator(&'static str),
    /// Something a value cannot be made of, with its path inside the value.
    NotAValue(String, String, Place),
    /// An Ion literal, with its path inside the value.
    Ion(&'static str, String, Place),
    /// `<<>>`.
    EmptyBag,
    /// A set of something else than strings or numbers.
    Bag(Option<Place>),
    /// NULL in a set of numbers, with its path.
    NullInNumbers(String),
    /// A value that cannot be stored, with its path.
    Value(ValueError, String),
    /// A literal of 32 levels, with the path to the last.
    Nesting(String),
    /// A fault that other expressions can have too.
    Expression(Problem),
    /// SET_ADD or SET_DELETE without two arguments.
    SetCallArguments(&'static str, Place),
    /// SET_ADD or SET_DELETE of another path than the one assigned.
    SetCallPath(&'static str, Place),
    /// SET_ADD or SET_DELETE of something that is no set.
    SetCallValue(&'static str, Place),
    /// A RETURNING clause that DELETE does not have.
    DeleteReturning(&'static str),
    /// An UPDATE or DELETE that does not name one item.
    NoKeyEquality,
    /// An UPDATE or DELETE with two values for a key attribute.
    SeveralKeyValues(String),
    /// A key value of a type that no key has.
    KeyNotScalar(String, AttributeType),
    /// A key value of another type than the key's.
    KeyType(String),
    /// Two alternatives that lead to one item.
    Overlap,
    /// ORDER BY without WHERE.
    OrderWithoutWhere,
    /// ORDER BY of something else than a name.
    OrderOperand(String, Place),
    /// ORDER BY of an attribute that is not in the key.
    OrderAttribute(String),
    /// ORDER BY without a value for the hash key in every alternative.
    OrderWithoutHash,
    /// ORDER BY of the sort key alone over several hash keys.
    OrderOverSeveralHashes,
}

impl fmt::Display for StatementProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StatementProblem::NotWellFormed(syntax) => {
                write!(f, "Statement wasn't well formed, can't be processed: {syntax}")
            }
            StatementProblem::NotAStatement(kind) => write!(f, "Unsupported operation: {kind}"),
            StatementProblem::InsertIntoIndex(place) => write!(
                f,
                "FROM clause may only contain a single table name in data manipulation statements \
                 at {place}"
            ),
            StatementProblem::NotAPath(place) => {
                write!(f, "Unexpected path component at {place}")
            }
            StatementProblem::UnknownFunction(name, place) => {
                write!(f, "Unrecognized function: {name} at {place}")
            }
            StatementProblem::Subquery(place) => {
                write!(f, "Unsupported token in expression: SELECT at {place}")
            }
            StatementProblem::UnknownIsType(name, place) => write!(
                f,
                "Unsupported data type for IS operator: {name}. Supported data types are [MISSING, \
                 NULL, BOOLEAN, BLOB, STRING, NUMERIC, STRUCT, TUPLE, LIST] at {place}"
            ),
            StatementProblem::Operator(operator) => {
                write!(f, "Unsupported operator in Condition Expression. Operator: {operator}")
            }
            StatementProblem::NotAValue(kind, path, place) => {
                write!(f, "Unsupported data type: {kind} under key {path} at {place}")
            }
            StatementProblem::Ion(kind, path, place) => {
                write!(f, "Ion Literals are not supported: {kind} under key {path} at {place}")
            }
            StatementProblem::Bag(place) => {
                f.write_str(
                    "Unsupported data type in Bag. DynamoDB only supports either numbers or \
                     strings in bags",
                )?;
                place.map_or(Ok(()), |place| write!(f, " at {place}"))
            }
            StatementProblem::NullInNumbers(path) => write!(
                f,
                "One or more parameter values were invalid: Numeric sets may not contain null \
                 under {path}"
            ),
            // The text about repeated strings has no path.
            StatementProblem::Value(error @ ValueError::DuplicateStrings(_), _) => {
                fmt::Display::fmt(error, f)
            }
            StatementProblem::Value(error, path) => write!(f, "{error} under {path}"),
            StatementProblem::Nesting(path) => {
                write!(f, "Nesting Levels have exceeded supported limits under {path}")
            }
            other => other.fmt_meaning(f),
        }
    }
}

impl StatementProblem {
    /// The texts about what a statement, its values apart, asks for.
    fn fmt_meaning(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StatementProblem::Expression(problem) => fmt::Display::fmt(problem, f),
            StatementProblem::SetCallArguments(name, place) => {
                write!(f, "{name} must have exactly two arguments at {place}")
            }
            StatementProblem::SetCallPath(name, place) => {
                write!(f, "The first argument to {name} must equal the assignment value at {place}")
            }
            StatementProblem::SetCallValue(name, place) => {
                write!(f, "The second argument to {name} must be a value with type SET at {place}")
            }
            StatementProblem::DeleteReturning(clause) => write!(
                f,
                "Invalid returning clause: RETURNING {clause} *. Only RETURNING ALL OLD * is \
                 allowed in DELETE statements."
            ),
            StatementProblem::SeveralKeyValues(name) => write!(
                f,
                "Multiple conditions on same key {name}. Only single item Update/Insert/Delete are \
                 supported"
            ),
            StatementProblem::KeyNotScalar(name, found) => write!(
                f,
                "Key value must be of type S, N, or B. Key name: {name}, Key type: {found}"
            ),
            StatementProblem::KeyType(name) => write!(
                f,
                "Key attribute's data type should match its data type in table's schema: Key {name}"
            ),
            StatementProblem::OrderOperand(found, place) => write!(
                f,
                "Argument to ORDER BY must be of type VariableReference. Type: {found} at {place}"
            ),
            StatementProblem::OrderAttribute(name) => {
                write!(f, "Attribute {name} in ORDER BY clause must be part of the primary key")
            }
            other => f.write_str(other.fixed_text()),
        }
    }

    /// The texts that hold nothing of the statement.
    fn fixed_text(&self) -> &'static str {
        match self {
            StatementProblem::ExistsOutsideTransaction => {
                "EXISTS can only be used in ExecuteTransaction write requests."
            }
            StatementProblem::NoTable => "Only select from a single table or index is supported.",
            StatementProblem::ParameterCount => {
                "Number of parameters in request and statement don't match."
            }
            StatementProblem::Alias => "Aliasing is not supported",
            StatementProblem::EmptyName => "Path component cannot be an empty string",
            StatementProblem::LongTablePath => {
                "A path may contain at most 2 components in the FROM clause"
            }
            StatementProblem::WriteToIndex => "This operation is not supported on an index",
            StatementProblem::IsOperand => {
                "The left hand side argument to IS must be a Variable Reference, Literal, or Path"
            }
            StatementProblem::MissingCompared => "MISSING must be compared using IS operator",
            StatementProblem::NotACondition => {
                "WHERE clause must contain an expression that resolves to a boolean"
            }
            StatementProblem::EmptyBag => "Empty bags are not supported",
            StatementProblem::NoKeyEquality => {
                "Where clause does not contain a mandatory equality on all key attributes"
            }
            StatementProblem::Overlap => {
                "Overlapping conditions with range keys are not supported in where clause"
            }
            StatementProblem::OrderWithoutWhere => {
                "Must have WHERE clause in the statement when using ORDER BY clause."
            }
            StatementProblem::OrderWithoutHash => {
                "Must have at least one non-optional hash key condition in WHERE clause when using \
                 ORDER BY clause."
            }
            StatementProblem::OrderOverSeveralHashes => {
                "Must have hash key in ORDER BY clause when more than one hash key condition \
                 specified in WHERE clause."
            }
            _ => "",
        }
    }
}
