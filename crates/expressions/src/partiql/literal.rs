//! Makes values of literals and parameters.
//!
//! The service says where inside a value a fault lies: `root` is the value, `root.x[1]` a part.

use std::collections::BTreeSet;

use values::limits::NESTING_LEVELS_MAX;
use values::{AttributeValue, Item, Number, ValueError};

use super::syntax::{Expr, Kind};
use crate::error::{Place, StatementProblem};

/// The request's parameters, by position.
#[derive(Clone, Copy)]
pub(super) struct Parameters<'p>(pub &'p [AttributeValue]);

impl Parameters<'_> {
    /// One parameter; that there are enough is checked for the statement as a whole.
    fn get(&self, position: usize) -> AttributeValue {
        self.0.get(position).cloned().unwrap_or(AttributeValue::Null)
    }
}

/// Whether an expression is a literal or a parameter.
pub(super) fn is_value(expr: &Expr) -> bool {
    matches!(
        expr.kind,
        Kind::Null
            | Kind::Bool(_)
            | Kind::Text(_)
            | Kind::Number(_)
            | Kind::Ion(_)
            | Kind::Parameter(_)
            | Kind::List(_)
            | Kind::Map(_)
            | Kind::Bag(_)
    )
}

/// The value of a literal or a parameter.
pub(super) fn value(
    expr: &Expr,
    parameters: Parameters<'_>,
) -> Result<AttributeValue, StatementProblem> {
    Reader { parameters, path: vec!["root".to_owned()] }.value(expr)
}

/// The item that an INSERT stores. Each attribute's value is a root of its own.
pub(super) fn item(expr: &Expr, parameters: Parameters<'_>) -> Result<Item, StatementProblem> {
    let Kind::Map(entries) = &expr.kind else {
        return Err(not_a_value(expr.name().to_owned(), "root".to_owned(), expr.place));
    };
    let attributes = entries.iter().map(|(name, content)| {
        let name = entry_name(name)?;
        // The service names a call itself here, and only its kind further down.
        if let Kind::Call(function, _) = &content.kind {
            return Err(not_a_value(function.clone(), "root".to_owned(), content.place));
        }
        Ok((name, value(content, parameters)?))
    });
    attributes.collect()
}

fn entry_name(name: &Expr) -> Result<&str, StatementProblem> {
    match &name.kind {
        Kind::Text(name) if name.is_empty() => Err(StatementProblem::EmptyName),
        Kind::Text(name) => Ok(name),
        _ => Err(not_a_value(name.name().to_owned(), "root".to_owned(), name.place)),
    }
}

fn not_a_value(kind: String, path: String, place: Place) -> StatementProblem {
    StatementProblem::NotAValue(kind, path, place)
}

struct Reader<'p> {
    parameters: Parameters<'p>,
    path: Vec<String>,
}

impl Reader<'_> {
    /// As deep as the parser lets expressions nest.
    fn value(&mut self, expr: &Expr) -> Result<AttributeValue, StatementProblem> {
        if self.path.len() > NESTING_LEVELS_MAX {
            return Err(StatementProblem::Nesting(self.path()));
        }
        Ok(match &expr.kind {
            Kind::Null => AttributeValue::Null,
            Kind::Bool(flag) => AttributeValue::Bool(*flag),
            Kind::Text(text) => AttributeValue::S(text.clone()),
            Kind::Number(text) => AttributeValue::N(self.number(text)?),
            Kind::Parameter(position) => self.parameters.get(*position),
            Kind::List(elements) => {
                let mut list = Vec::with_capacity(elements.len());
                for (index, element) in elements.iter().enumerate() {
                    list.push(self.within(format!("[{index}]"), element)?);
                }
                AttributeValue::L(list)
            }
            Kind::Map(entries) => {
                let attributes = entries.iter().map(|(name, content)| {
                    let name = entry_name(name)?;
                    Ok((name, self.within(format!(".{name}"), content)?))
                });
                AttributeValue::M(attributes.collect::<Result<_, _>>()?)
            }
            Kind::Bag(members) => self.set(members)?,
            Kind::Ion(kind) => {
                return Err(StatementProblem::Ion(kind, self.path(), expr.place));
            }
            _ => return Err(not_a_value(expr.name().to_owned(), self.path(), expr.place)),
        })
    }

    fn within(&mut self, step: String, expr: &Expr) -> Result<AttributeValue, StatementProblem> {
        self.path.push(step);
        let value = self.value(expr);
        self.path.pop();
        value
    }

    fn path(&self) -> String {
        self.path.concat()
    }

    fn number(&self, text: &str) -> Result<Number, StatementProblem> {
        text.parse().map_err(|error| StatementProblem::Value(error, self.path()))
    }

    /// A set: all strings or all numbers. The first member decides which, and with it how a member
    /// that does not fit is refused (DX).
    fn set(&self, members: &[Expr]) -> Result<AttributeValue, StatementProblem> {
        let Some(first) = members.first() else { return Err(StatementProblem::EmptyBag) };
        match first.kind {
            Kind::Text(_) => self.strings(members),
            Kind::Number(_) => self.numbers(members),
            _ => Err(StatementProblem::Bag(Some(first.place))),
        }
    }

    fn strings(&self, members: &[Expr]) -> Result<AttributeValue, StatementProblem> {
        let mut strings = Vec::with_capacity(members.len());
        for member in members {
            match &member.kind {
                Kind::Text(text) => strings.push(text.clone()),
                _ => {
                    let bag = StatementProblem::Bag(Some(member.place));
                    return Err(self.misfit(member).unwrap_or(bag));
                }
            }
        }
        let set: BTreeSet<String> = strings.iter().cloned().collect();
        if set.len() < strings.len() {
            return Err(StatementProblem::Value(
                ValueError::DuplicateStrings(strings),
                self.path(),
            ));
        }
        Ok(AttributeValue::Ss(set))
    }

    fn numbers(&self, members: &[Expr]) -> Result<AttributeValue, StatementProblem> {
        let mut set = BTreeSet::new();
        for member in members {
            let number = match &member.kind {
                Kind::Number(text) => self.number(text)?,
                Kind::Null => return Err(StatementProblem::NullInNumbers(self.path())),
                _ => return Err(self.misfit(member).unwrap_or(StatementProblem::Bag(None))),
            };
            if !set.insert(number) {
                return Err(StatementProblem::Value(ValueError::DuplicateNumbers, self.path()));
            }
        }
        Ok(AttributeValue::Ns(set))
    }

    /// The members with a refusal of their own behind the first.
    fn misfit(&self, member: &Expr) -> Option<StatementProblem> {
        match &member.kind {
            Kind::Parameter(_) => {
                Some(not_a_value("Parameter".to_owned(), self.path(), member.place))
            }
            Kind::Ion(kind) => Some(StatementProblem::Ion(kind, self.path(), member.place)),
            _ => None,
        }
    }
}
