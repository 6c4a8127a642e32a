//! Makes a condition of the expression behind WHERE.
//!
//! The service judges in two rounds: first what each term is, in the order written
//! ([`check_terms`]); then whether the operands fit their operators ([`lower`]), as in a
//! ConditionExpression (DX).

use values::AttributeType;
use values::limits::{EXPRESSION_OPERATORS_MAX, IN_OPERANDS_MAX, NESTING_LEVELS_MAX};

use super::literal::{self, Parameters};
use super::syntax::{Expr, IsType, Kind};
use crate::condition::rules::{
    check_bounds, check_types, has_size, is_orderable, is_string_or_binary, type_named,
};
use crate::condition::{Comparator, Condition, Node, Term, Test};
use crate::error::{OperandProblem, Problem, StatementProblem};
use crate::function::Function;
use crate::path::Path;

/// The types an operand could have, as the service lists them for a path (DX, eu-west-2).
const ANY: &str = "{S,HDS,N,FS,BS,NULL,DOUBLE,NS,DECIMAL,SS,DECIMALSET,BOOL,HD,DICT,INTSET,M,L,B,\
                   FLOAT,INT,DOUBLESET}";

/// The function of this name, in any case, if conditions have it.
fn function_named(name: &str) -> Option<Function> {
    Function::named(&name.to_ascii_lowercase())
        .filter(|function| !matches!(function, Function::IfNotExists | Function::ListAppend))
}

/// Refuses terms that no condition can hold, in the order written.
pub(super) fn check_terms(expr: &Expr, parameters: Parameters<'_>) -> Result<(), StatementProblem> {
    let each = |parts: &[&Expr]| parts.iter().try_for_each(|part| check_terms(part, parameters));
    match &expr.kind {
        Kind::Missing => Err(StatementProblem::MissingCompared),
        Kind::Subquery => Err(StatementProblem::Subquery(expr.place)),
        Kind::Call(name, arguments) => {
            let subquery =
                arguments.iter().find(|argument| matches!(argument.kind, Kind::Subquery));
            if let Some(subquery) = subquery {
                return Err(StatementProblem::Subquery(subquery.place));
            }
            if function_named(name).is_none() {
                // A word of the language is shown as the language spells it.
                let is_word = name.eq_ignore_ascii_case("exists");
                let name = if is_word { "exists".to_owned() } else { name.clone() };
                return Err(StatementProblem::UnknownFunction(name, expr.place));
            }
            arguments.iter().try_for_each(|argument| check_terms(argument, parameters))
        }
        Kind::Path(_) => Ok(()),
        Kind::Sequence(parts) | Kind::All(parts) | Kind::Any(parts) => {
            parts.iter().try_for_each(|part| check_terms(part, parameters))
        }
        // The list of IN may hold paths too, so it is no value as a whole.
        Kind::In(operand, list) => {
            check_terms(operand, parameters)?;
            match &list.kind {
                Kind::List(members) => {
                    members.iter().try_for_each(|member| check_terms(member, parameters))
                }
                _ => check_terms(list, parameters),
            }
        }
        Kind::Not(_, operand) => check_terms(operand, parameters),
        Kind::Compare(_, left, right)
        | Kind::Arithmetic(_, left, right)
        | Kind::Like(left, right) => each(&[left, right]),
        Kind::Between(operand, low, high) => each(&[operand, low, high]),
        Kind::Is(operand, is_type) => {
            check_terms(operand, parameters)?;
            match is_type {
                IsType::Other(name) => Err(StatementProblem::UnknownIsType(name, operand.place)),
                _ => Ok(()),
            }
        }
        _ => literal::value(expr, parameters).map(drop),
    }
}

/// Makes the condition. The terms have been checked.
pub(super) fn lower(
    expr: &Expr,
    parameters: Parameters<'_>,
) -> Result<Condition, StatementProblem> {
    let mut lowering = Lowering { parameters, nodes: Vec::new(), operators: 0 };
    lowering.condition(expr, None)?;
    if lowering.operators > EXPRESSION_OPERATORS_MAX {
        return Err(StatementProblem::Expression(Problem::TooManyOperators));
    }
    Ok(Condition::new(lowering.nodes))
}

struct Lowering<'p> {
    parameters: Parameters<'p>,
    nodes: Vec<Node>,
    operators: usize,
}

impl Lowering<'_> {
    /// Adds a condition behind its parts. `under` is the operator around it.
    fn condition(
        &mut self,
        expr: &Expr,
        under: Option<&'static str>,
    ) -> Result<usize, StatementProblem> {
        match &expr.kind {
            Kind::All(parts) => {
                let parts = self.parts(parts, "AND")?;
                Ok(self.push(Node::All(parts)))
            }
            Kind::Any(parts) => {
                let parts = self.parts(parts, "OR")?;
                Ok(self.push(Node::Any(parts)))
            }
            Kind::Not(count, operand) => {
                self.operators += count;
                let mut node = self.condition(operand, Some("NOT"))?;
                // Of a run of NOTs only the parity counts; two are kept of an even one, since a key
                // behind a NOT is no key condition.
                for _ in 0..(2 - count % 2) {
                    node = self.push(Node::Not(node));
                }
                Ok(node)
            }
            Kind::Is(operand, is_type) => self.is(operand, *is_type),
            Kind::Like(..) => Err(StatementProblem::Operator("LIKE")),
            Kind::Arithmetic(sign, ..) => Err(StatementProblem::Operator(sign)),
            _ => match self.test(expr)? {
                Some(test) => Ok(self.push(Node::Test(test))),
                None => Err(self.not_boolean(expr, under)?),
            },
        }
    }

    fn parts(
        &mut self,
        parts: &[Expr],
        operator: &'static str,
    ) -> Result<Vec<usize>, StatementProblem> {
        self.operators += parts.len().saturating_sub(1);
        parts.iter().map(|part| self.condition(part, Some(operator))).collect()
    }

    fn push(&mut self, node: Node) -> usize {
        self.nodes.push(node);
        self.nodes.len() - 1
    }

    /// A test without AND, OR, NOT and IS; `None` for what gives a value.
    fn test(&mut self, expr: &Expr) -> Result<Option<Test>, StatementProblem> {
        Ok(Some(match &expr.kind {
            Kind::Compare(comparator, left, right) => {
                self.operators += 1;
                let symbol = comparator.symbol();
                let (left, right) = (self.term(left)?, self.term(right)?);
                distinct(symbol, &left, &[&right])?;
                if !matches!(comparator, Comparator::Equal | Comparator::NotEqual) {
                    check(check_types(symbol, &[&left, &right], is_orderable))?;
                }
                Test::Compare(*comparator, left, right)
            }
            Kind::Between(operand, low, high) => {
                self.operators += 1;
                let operand = self.term(operand)?;
                let (low, high) = (self.term(low)?, self.term(high)?);
                distinct("BETWEEN", &operand, &[&low, &high])?;
                check(check_types("BETWEEN", &[&operand, &low, &high], is_orderable))?;
                check(check_bounds(&low, &high))?;
                Test::Between(operand, low, high)
            }
            Kind::In(operand, list) => {
                self.operators += 1;
                let members = match &list.kind {
                    Kind::List(members) | Kind::Sequence(members) => members.as_slice(),
                    _ => std::slice::from_ref(list.as_ref()),
                };
                let operand = self.term(operand)?;
                let terms: Vec<Term> =
                    members.iter().map(|member| self.term(member)).collect::<Result<_, _>>()?;
                distinct("IN", &operand, &terms.iter().collect::<Vec<_>>())?;
                if terms.len() > IN_OPERANDS_MAX {
                    return Err(operand_problem(OperandProblem::TooMany(terms.len())));
                }
                Test::In(operand, terms)
            }
            Kind::Call(name, arguments) => return self.call(name, arguments),
            _ => return Ok(None),
        }))
    }

    /// A function that is a condition; `None` for `size`.
    fn call(&mut self, name: &str, arguments: &[Expr]) -> Result<Option<Test>, StatementProblem> {
        let Some(function) = function_named(name) else { return Ok(None) };
        if function == Function::Size {
            return Ok(None);
        }
        self.operators += 1;
        let name = name.to_ascii_lowercase();
        if arguments.len() != function.operand_count() {
            return Err(operand_problem(OperandProblem::Count(name, arguments.len())));
        }
        let mut terms = arguments
            .iter()
            .map(|argument| self.term(argument))
            .collect::<Result<Vec<Term>, _>>()?
            .into_iter();
        let (Some(first), second) = (terms.next(), terms.next()) else { return Ok(None) };
        if let Some(second) = &second {
            distinct(&name, &first, &[second])?;
        }
        let path = |term: Term| match term {
            Term::Path(path) => Ok(path),
            _ => Err(operand_problem(OperandProblem::PathRequired(name.clone()))),
        };
        Ok(Some(match (function, second) {
            (Function::AttributeExists, _) => Test::Exists(path(first)?),
            (Function::AttributeNotExists, _) => Test::NotExists(path(first)?),
            (Function::AttributeType, Some(second)) => {
                Test::HasType(first, check(type_named(&second, ANY))?)
            }
            (Function::BeginsWith, Some(prefix)) => {
                check(check_types(&name, &[&first, &prefix], is_string_or_binary))?;
                Test::BeginsWith(first, prefix)
            }
            (Function::Contains, Some(part)) => Test::Contains(first, part),
            _ => return Ok(None),
        }))
    }

    /// An operand: a path, a value, a size, or a condition function as the boolean it gives.
    fn term(&mut self, expr: &Expr) -> Result<Term, StatementProblem> {
        match &expr.kind {
            Kind::Path(path) => Ok(Term::Path(checked_path(path)?)),
            Kind::Call(name, arguments) if function_named(name) == Some(Function::Size) => {
                self.operators += 1;
                let [argument] = arguments.as_slice() else {
                    let problem = OperandProblem::Count("size".to_owned(), arguments.len());
                    return Err(operand_problem(problem));
                };
                let term = self.term(argument)?;
                check(check_types("size", &[&term], has_size))?;
                Ok(Term::Size(Box::new(term)))
            }
            Kind::Call(..) => match self.test(expr)? {
                Some(test) => Ok(Term::Truth(Box::new(test))),
                None => Err(StatementProblem::NotACondition),
            },
            Kind::Arithmetic(sign, ..) => Err(StatementProblem::Operator(sign)),
            _ if literal::is_value(expr) => Ok(Term::Value(literal::value(expr, self.parameters)?)),
            _ => Err(StatementProblem::Operator(expr.name())),
        }
    }

    fn is(&mut self, operand: &Expr, is_type: IsType) -> Result<usize, StatementProblem> {
        self.operators += 1;
        let is_literal = literal::is_value(operand) && !matches!(operand.kind, Kind::Parameter(_));
        if !is_literal && !matches!(operand.kind, Kind::Path(_)) {
            return Err(StatementProblem::IsOperand);
        }
        let term = self.term(operand)?;
        Ok(match (is_type, term) {
            (IsType::Missing, Term::Path(path)) => self.push(Node::Test(Test::NotExists(path))),
            // A literal is never missing.
            (IsType::Missing, _) => self.push(Node::Any(Vec::new())),
            (IsType::Of(wanted), term) => self.push(Node::Test(Test::HasType(term, wanted))),
            (IsType::Other(name), _) => {
                return Err(StatementProblem::UnknownIsType(name, operand.place));
            }
        })
    }

    /// The refusal of a value where a condition should be.
    fn not_boolean(
        &mut self,
        expr: &Expr,
        under: Option<&'static str>,
    ) -> Result<StatementProblem, StatementProblem> {
        let term = self.term(expr)?;
        Ok(match under {
            None => StatementProblem::NotACondition,
            Some(operator) => {
                let found = term.static_type().map_or(ANY, AttributeType::descriptor);
                operand_problem(OperandProblem::Type(operator.to_owned(), found))
            }
        })
    }
}

/// A path that is not too deep.
pub(super) fn checked_path(path: &Path) -> Result<Path, StatementProblem> {
    let levels = 1 + path.rest.len();
    if levels > NESTING_LEVELS_MAX {
        return Err(operand_problem(OperandProblem::PathTooDeep(levels)));
    }
    Ok(path.clone())
}

/// An operand problem, without the name of a parameter in front.
pub(super) fn operand_problem(problem: OperandProblem) -> StatementProblem {
    StatementProblem::Expression(Problem::Operand(problem))
}

fn check<T>(result: Result<T, OperandProblem>) -> Result<T, StatementProblem> {
    result.map_err(operand_problem)
}

/// Refuses a path among the operands that it is compared with (rule 8).
fn distinct(operator: &str, first: &Term, others: &[&Term]) -> Result<(), StatementProblem> {
    match first {
        Term::Path(path) if others.contains(&first) => {
            let problem = OperandProblem::NotDistinct(operator.to_owned(), path.to_string());
            Err(operand_problem(problem))
        }
        _ => Ok(()),
    }
}
