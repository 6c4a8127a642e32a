//! ORDER BY: which keys it may name, and in which direction it reads.

use super::Where;
use super::keys::{self, Reads};
use crate::error::{ExpressionError, Place, StatementProblem};
use crate::key_condition::KeyRange;

/// An ORDER BY clause, or none.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Order(pub(super) Vec<OrderTerm>);

#[derive(Clone, Debug, PartialEq)]
pub(super) struct OrderTerm {
    /// The attribute, or what is there instead and where.
    pub name: Result<String, (String, Place)>,
    pub descending: bool,
}

/// How ranges are read for an ORDER BY.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Direction {
    /// Hash keys from high to low.
    pub hash_descending: bool,
    /// Sort keys from high to low.
    pub sort_descending: bool,
}

impl Order {
    /// Whether there is no ORDER BY.
    pub fn is_none(&self) -> bool {
        self.0.is_empty()
    }

    /// Refuses an ORDER BY of anything but the key; asked before the key's values are looked at.
    pub fn check_terms(
        &self,
        filter: &Where,
        hash: &str,
        sort: Option<&str>,
    ) -> Result<(), ExpressionError> {
        if !self.is_none() && filter.condition().is_none() {
            return Err(StatementProblem::OrderWithoutWhere.into());
        }
        for term in &self.0 {
            match &term.name {
                Err((found, place)) => {
                    return Err(StatementProblem::OrderOperand(found.clone(), *place).into());
                }
                Ok(name) if name != hash && Some(name.as_str()) != sort => {
                    return Err(StatementProblem::OrderAttribute(name.clone()).into());
                }
                Ok(_) => {}
            }
        }
        Ok(())
    }

    /// In which direction to read, once it is known where. Without a term for the sort key the
    /// service reads each partition from its end (DX).
    pub fn direction(
        &self,
        reads: &Reads,
        hash: &str,
        sort: Option<&str>,
    ) -> Result<Option<Direction>, ExpressionError> {
        if self.is_none() {
            return Ok(None);
        }
        let term = |name: Option<&str>| {
            self.0.iter().find(|term| term.name.as_ref().ok().map(String::as_str) == name)
        };
        let hash_term = term(Some(hash));
        let ranges: &[KeyRange] = match reads {
            Reads::Ranges { ranges, hash_once: true, .. } => ranges,
            _ => return Err(StatementProblem::OrderWithoutHash.into()),
        };
        if hash_term.is_none() && keys::spans_partitions(ranges) {
            return Err(StatementProblem::OrderOverSeveralHashes.into());
        }
        let sort_term = sort.and_then(|sort| term(Some(sort)));
        Ok(Some(Direction {
            hash_descending: hash_term.is_some_and(|term| term.descending),
            sort_descending: sort_term.is_none_or(|term| term.descending),
        }))
    }
}
