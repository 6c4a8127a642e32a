//! Faults of expressions: in their text, against the key, against the item.

use std::fmt;

use values::limits::EXPRESSION_OPERATORS_MAX;

use super::Bound;

/// What is wrong with the text of an expression. Shown behind `Invalid …Expression: `.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Problem {
    /// No text at all.
    Empty,
    /// More than 4096 bytes (rule 8).
    TooLong,
    /// A token the grammar has no place for, and the source around it.
    Syntax {
        /// The token, or `<EOF>`.
        token: String,
        /// From the token before to the token after.
        near: String,
    },
    /// Two pairs of parentheses around the same thing (rule 8).
    RedundantParentheses,
    /// A bare name that is one of the reserved words (rule 10).
    ReservedWord(String),
    /// A list index beyond 31 bits.
    IndexOutOfRange(String),
    /// A function the service does not have. Names of functions are case-sensitive.
    UnknownFunction(String),
    /// A function of updates in a condition.
    NotForConditions(String),
    /// A function of conditions in an update.
    NotForUpdates(String),
    /// A function that gives a truth value where a value is wanted, or the reverse.
    MisplacedFunction(String),
    /// A placeholder, a document path or an operand does not fit.
    Operand(OperandProblem),
    /// More than 300 operators and functions (rule 8).
    TooManyOperators,
    /// A section of an update written twice (rule 37).
    RepeatedSection(&'static str),
    /// One path is the other, or lies within it (rules 36 and 37).
    PathsOverlap(String, String),
    /// One path sees a map where the other sees a list (rule 37).
    PathsConflict(String, String),
    /// Two key conditions on one attribute.
    KeyConditionRepeated,
    /// A key condition on `a.b` or `a[0]`.
    KeyConditionNested,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const REWRITE: &str = "must remove or rewrite one of these paths;";
        match self {
            Problem::Empty => f.write_str("The expression can not be empty;"),
            Problem::TooLong => {
                f.write_str("Expression size has exceeded the maximum allowed size;")
            }
            Problem::Syntax { token, near } => {
                write!(f, "Syntax error; token: \"{token}\", near: \"{near}\"")
            }
            Problem::RedundantParentheses => {
                f.write_str("The expression has redundant parentheses;")
            }
            Problem::ReservedWord(word) => {
                write!(f, "Attribute name is a reserved keyword; reserved keyword: {word}")
            }
            Problem::IndexOutOfRange(index) => {
                write!(f, "List index is not within the allowable range; index: [{index}]")
            }
            Problem::UnknownFunction(name) => {
                write!(f, "Invalid function name; function: {name}")
            }
            Problem::NotForConditions(name) => {
                write!(f, "The function is not allowed in a condition expression; function: {name}")
            }
            Problem::NotForUpdates(name) => {
                write!(f, "The function is not allowed in an update expression; function: {name}")
            }
            Problem::MisplacedFunction(name) => write!(
                f,
                "The function is not allowed to be used this way in an expression; function: {name}"
            ),
            Problem::RepeatedSection(section) => {
                write!(
                    f,
                    "The \"{section}\" section can only be used once in an update expression;"
                )
            }
            Problem::TooManyOperators => {
                // The service stops counting at the first operator too many.
                let count = EXPRESSION_OPERATORS_MAX + 1;
                write!(f, "The expression contains too many operators; operator count: {count}")
            }
            Problem::KeyConditionRepeated => {
                f.write_str("KeyConditionExpressions must only contain one condition per key")
            }
            Problem::KeyConditionNested => {
                f.write_str("KeyConditionExpressions cannot have conditions on nested attributes")
            }
            Problem::PathsOverlap(one, two) => write!(
                f,
                "Two document paths overlap with each other; {REWRITE} path one: {one}, path two: \
                 {two}"
            ),
            Problem::PathsConflict(one, two) => write!(
                f,
                "Two document paths conflict with each other; {REWRITE} path one: {one}, path \
                 two: {two}"
            ),
            Problem::Operand(problem) => fmt::Display::fmt(problem, f),
        }
    }
}

/// What is wrong with a placeholder, a document path or an operand.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum OperandProblem {
    /// A function with too few or too many operands.
    Count(String, usize),
    /// A `#name` that is not in the map.
    UndefinedName(String),
    /// A `:value` that is not in the map.
    UndefinedValue(String),
    /// A document path of more than 32 elements.
    PathTooDeep(usize),
    /// An operand that must be a document path is something else.
    PathRequired(String),
    /// A value of a type the operator or function cannot take.
    Type(String, &'static str),
    /// A value of a type that ADD or DELETE cannot take.
    SectionType(&'static str, &'static str),
    /// The same document path twice, as in `contains(a, a)` (rule 8).
    NotDistinct(String, String),
    /// An unknown name of a type for `attribute_type` (rule 21).
    UnknownType(String),
    /// The bounds of BETWEEN have different types.
    BetweenTypes(Bound, Bound),
    /// The lower bound of BETWEEN is above the upper one (rule 34).
    BetweenOrder(Bound, Bound),
    /// More than 100 operands of IN (rule 8).
    TooMany(usize),
}

impl fmt::Display for OperandProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const TYPE: &str = "Incorrect operand type for operator or function;";
        match self {
            OperandProblem::Count(name, count) => write!(
                f,
                "Incorrect number of operands for operator or function; operator or function: {name}, \
                 number of operands: {count}"
            ),
            OperandProblem::UndefinedName(name) => write!(
                f,
                "An expression attribute name used in the document path is not defined; attribute \
                 name: {name}"
            ),
            OperandProblem::UndefinedValue(name) => write!(
                f,
                "An expression attribute value used in expression is not defined; attribute value: \
                 {name}"
            ),
            OperandProblem::PathTooDeep(levels) => {
                write!(f, "The document path has too many nesting levels; nesting levels: {levels}")
            }
            OperandProblem::PathRequired(name) => write!(
                f,
                "Operator or function requires a document path; operator or function: {name}"
            ),
            OperandProblem::Type(name, operand) => {
                write!(f, "{TYPE} operator or function: {name}, operand type: {operand}")
            }
            // One name of the type set for both sections: the service's own.
            OperandProblem::SectionType(section, operand) => write!(
                f,
                "{TYPE} operator: {section}, operand type: {operand}, typeSet: ALLOWED_FOR_ADD_OPERAND"
            ),
            OperandProblem::NotDistinct(name, path) => write!(
                f,
                "The first operand must be distinct from the remaining operands for this operator or \
                 function; operator: {name}, first operand: {path}"
            ),
            OperandProblem::UnknownType(name) => write!(
                f,
                "Invalid attribute type name found; type: {name}, valid types: \
                 {{N,BS,L,B,NULL,M,S,SS,NS,BOOL}}"
            ),
            OperandProblem::BetweenTypes(low, high) => write!(
                f,
                "The BETWEEN operator requires same data type for lower and upper bounds; lower bound \
                 operand: {low}, upper bound operand: {high}"
            ),
            OperandProblem::BetweenOrder(low, high) => write!(
                f,
                "The BETWEEN operator requires upper bound to be greater than or equal to lower \
                 bound; lower bound operand: {low}, upper bound operand: {high}"
            ),
            OperandProblem::TooMany(count) => write!(
                f,
                "The IN operator is provided with too many operands; number of operands: {count}"
            ),
        }
    }
}
