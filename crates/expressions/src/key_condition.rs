//! Key conditions: `KeyConditionExpression` and the legacy KeyConditions.
//!
//! The service reads the expression as a condition and then asks whether it is one that a key can
//! be searched by; so does this module. Which key it is for comes last: [`KeyCondition::resolve`].

use values::AttributeValue;

use crate::condition::{Comparator, Condition, Node, Term, Test};
use crate::error::{ExpressionError, ExpressionKind, KeyConditionProblem, Problem};
use crate::path::Path;

mod resolve;

/// A key condition, not yet matched with a key.
#[derive(Clone, Debug, PartialEq)]
pub struct KeyCondition {
    /// In the order written.
    clauses: Vec<Clause>,
}

/// What is asked of one attribute.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Clause {
    pub name: String,
    pub question: Question,
}

/// A question about a key attribute.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Question {
    Sort(SortCondition),
    /// A legacy operator that no key can be searched by. Refused once the key is known.
    NotIndexable,
}

/// What is asked of a sort attribute.
#[derive(Clone, Debug, PartialEq)]
pub enum SortCondition {
    /// `=`
    Equal(AttributeValue),
    /// `<`
    Less(AttributeValue),
    /// `<=`
    LessOrEqual(AttributeValue),
    /// `>`
    Greater(AttributeValue),
    /// `>=`
    GreaterOrEqual(AttributeValue),
    /// From the first value to the second, both included.
    Between(AttributeValue, AttributeValue),
    /// Strings or binaries that begin with this value.
    BeginsWith(AttributeValue),
}

/// A key condition matched with a key: where to look.
#[derive(Clone, Debug, PartialEq)]
pub struct KeyRange {
    /// One value for each hash attribute, in the order of the key.
    pub hash: Vec<AttributeValue>,
    /// Conditions on the first sort attributes, in the order of the key. All but the last are
    /// [`SortCondition::Equal`].
    pub sort: Vec<SortCondition>,
}

impl KeyCondition {
    /// Takes a condition as a key condition, if it is one. Visits it from the outside in and from
    /// left to right, since the first fault met is the one reported.
    pub(crate) fn from_condition(condition: Condition) -> Result<Self, ExpressionError> {
        let mut nodes: Vec<Option<Node>> = condition.into_nodes().into_iter().map(Some).collect();
        let mut pending: Vec<usize> = nodes.len().checked_sub(1).into_iter().collect();
        let mut clauses: Vec<Clause> = Vec::new();
        while let Some(node) = pending.pop() {
            match nodes.get_mut(node).and_then(Option::take) {
                Some(Node::All(parts)) => pending.extend(parts.into_iter().rev()),
                Some(Node::Any(_)) => return Err(operator("OR")),
                Some(Node::Not(_)) => return Err(operator("NOT")),
                Some(Node::Test(test)) => clauses.push(Clause::from_test(test)?),
                None => {}
            }
        }
        KeyCondition::new(clauses)
    }

    pub(crate) fn new(clauses: Vec<Clause>) -> Result<Self, ExpressionError> {
        let mut names = std::collections::BTreeSet::new();
        if clauses.iter().all(|clause| names.insert(clause.name.as_str())) {
            Ok(KeyCondition { clauses })
        } else {
            Err(expression_error(Problem::KeyConditionRepeated))
        }
    }
}

impl Clause {
    fn from_test(test: Test) -> Result<Clause, ExpressionError> {
        match test {
            Test::Compare(Comparator::NotEqual, ..) => Err(operator("<>")),
            Test::Compare(comparator, left, right) => Clause::comparison(comparator, left, right),
            Test::Between(Term::Path(path), low, high) => {
                let name = only_name(path, &[&low, &high])?;
                match (low, high) {
                    (Term::Value(low), Term::Value(high)) => {
                        Ok(Clause::sort(name, SortCondition::Between(low, high)))
                    }
                    _ => Err(KeyConditionProblem::NestedOperation.into()),
                }
            }
            Test::Between(..) => Err(KeyConditionProblem::KeyNotFirst("BETWEEN").into()),
            Test::BeginsWith(Term::Path(path), prefix) => {
                let name = only_name(path, &[&prefix])?;
                match prefix {
                    Term::Value(prefix) => {
                        Ok(Clause::sort(name, SortCondition::BeginsWith(prefix)))
                    }
                    _ => Err(KeyConditionProblem::NestedOperation.into()),
                }
            }
            Test::BeginsWith(..) => Err(KeyConditionProblem::KeyNotFirst("begins_with").into()),
            Test::In(..) => Err(operator("IN")),
            Test::Exists(_) => Err(operator("attribute_exists")),
            Test::NotExists(_) => Err(operator("attribute_not_exists")),
            Test::HasType(..) => Err(operator("attribute_type")),
            Test::Contains(..) | Test::ExistsWithout(..) => Err(operator("contains")),
        }
    }

    /// The name may stand on either side (rule 34); from the right it turns the comparison round.
    fn comparison(
        comparator: Comparator,
        left: Term,
        right: Term,
    ) -> Result<Clause, ExpressionError> {
        let (path, value, turned) = match (left, right) {
            (Term::Path(path), Term::Value(value)) => (path, value, false),
            (Term::Value(value), Term::Path(path)) => (path, value, true),
            (Term::Path(path), other) => {
                only_name(path, &[&other])?;
                return Err(KeyConditionProblem::NestedOperation.into());
            }
            (Term::Value(_), Term::Value(_)) => return Err(KeyConditionProblem::NoName.into()),
            _ => return Err(KeyConditionProblem::NestedOperation.into()),
        };
        let condition = match (comparator, turned) {
            (Comparator::Equal, _) => SortCondition::Equal(value),
            (Comparator::Less, false) | (Comparator::Greater, true) => SortCondition::Less(value),
            (Comparator::LessOrEqual, false) | (Comparator::GreaterOrEqual, true) => {
                SortCondition::LessOrEqual(value)
            }
            (Comparator::Greater, false) | (Comparator::Less, true) => {
                SortCondition::Greater(value)
            }
            (Comparator::GreaterOrEqual, false) | (Comparator::LessOrEqual, true) => {
                SortCondition::GreaterOrEqual(value)
            }
            (Comparator::NotEqual, _) => return Err(operator("<>")),
        };
        Ok(Clause::sort(only_name(path, &[])?, condition))
    }

    pub(crate) fn sort(name: String, condition: SortCondition) -> Clause {
        Clause { name, question: Question::Sort(condition) }
    }
}

/// The name of the one attribute of a clause. The other operands must not be names, and the
/// attribute must not be looked inside.
fn only_name(path: Path, others: &[&Term]) -> Result<String, ExpressionError> {
    if path.is_nested() {
        return Err(expression_error(Problem::KeyConditionNested));
    }
    for other in others {
        match other {
            Term::Path(_) => return Err(KeyConditionProblem::SeveralNames.into()),
            Term::Size(_) | Term::Truth(_) => {
                return Err(KeyConditionProblem::NestedOperation.into());
            }
            Term::Value(_) => {}
        }
    }
    Ok(path.name)
}

fn operator(name: &str) -> ExpressionError {
    KeyConditionProblem::Operator(name.to_owned()).into()
}

fn expression_error(problem: Problem) -> ExpressionError {
    ExpressionError::Expression(ExpressionKind::KeyCondition, problem)
}
