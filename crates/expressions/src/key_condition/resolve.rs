//! Matches a key condition with a key.

use values::{AttributeType, AttributeValue};

use super::{Clause, KeyCondition, KeyRange, Question, SortCondition};
use crate::error::{ExpressionError, KeyConditionProblem};

impl KeyCondition {
    /// Where to look in a table or an index with this key. `hash` and `sort` are the names and
    /// types of its attributes in the order of the key: one hash attribute and at most one sort
    /// attribute, or up to four of each for a global secondary index. Every hash attribute needs
    /// an equality; sort attributes are used from the left without gaps, and only the last may
    /// have another condition than an equality.
    pub fn resolve(
        &self,
        hash: &[(&str, AttributeType)],
        sort: &[(&str, AttributeType)],
    ) -> Result<KeyRange, ExpressionError> {
        let (given, defined) = (self.clauses.len(), hash.len() + sort.len());
        if given > defined {
            return Err(KeyConditionProblem::TooMany { given, defined }.into());
        }
        let several = hash.len() > 1 || sort.len() > 1;
        let hash_values =
            if several { self.hash_of_several(hash)? } else { self.hash_of_one(hash)? };
        self.check_strangers(hash, sort)?;
        let sort_conditions = self.sort_conditions(sort)?;
        self.check_types(hash, sort)?;
        Ok(KeyRange { hash: hash_values, sort: sort_conditions })
    }

    fn hash_of_one(
        &self,
        hash: &[(&str, AttributeType)],
    ) -> Result<Vec<AttributeValue>, ExpressionError> {
        hash.iter()
            .map(|(name, _)| match self.question_on(name) {
                Some(Question::Sort(SortCondition::Equal(value))) => Ok(value.clone()),
                Some(Question::Sort(_)) => Err(KeyConditionProblem::NotSupported.into()),
                Some(Question::NotIndexable) => Err(KeyConditionProblem::NotIndexable.into()),
                None => Err(KeyConditionProblem::Missing((*name).to_owned()).into()),
            })
            .collect()
    }

    /// A key with more than one attribute on either side names all that lack an equality.
    fn hash_of_several(
        &self,
        hash: &[(&str, AttributeType)],
    ) -> Result<Vec<AttributeValue>, ExpressionError> {
        let missing = self.without_equality(hash);
        if !missing.is_empty() {
            return Err(KeyConditionProblem::HashWithoutEquality(missing).into());
        }
        Ok(hash.iter().filter_map(|(name, _)| self.equality_on(name)).cloned().collect())
    }

    /// A condition on an attribute that is not in the key leaves one of the key's without.
    fn check_strangers(
        &self,
        hash: &[(&str, AttributeType)],
        sort: &[(&str, AttributeType)],
    ) -> Result<(), ExpressionError> {
        let in_key =
            |clause: &Clause| hash.iter().chain(sort).any(|(name, _)| *name == clause.name);
        if self.clauses.iter().all(in_key) {
            return Ok(());
        }
        let missing = sort.iter().find(|(name, _)| self.question_on(name).is_none());
        let name = missing.map_or("", |(name, _)| name).to_owned();
        Err(KeyConditionProblem::Missing(name).into())
    }

    fn sort_conditions(
        &self,
        sort: &[(&str, AttributeType)],
    ) -> Result<Vec<SortCondition>, ExpressionError> {
        let questions = || sort.iter().filter_map(|(name, _)| self.question_on(name));
        if questions().any(|question| *question == Question::NotIndexable) {
            return Err(KeyConditionProblem::NotIndexable.into());
        }
        let Some(last) = sort.iter().rposition(|(name, _)| self.question_on(name).is_some()) else {
            return Ok(Vec::new());
        };
        let (before, from) = sort.split_at(last);
        let missing = self.without_equality(before);
        if !missing.is_empty() {
            let name = from.first().map_or("", |(name, _)| name).to_owned();
            return Err(KeyConditionProblem::SortWithoutEquality(missing, name).into());
        }
        Ok(sort.iter().filter_map(|(name, _)| self.condition_on(name)).cloned().collect())
    }

    fn check_types(
        &self,
        hash: &[(&str, AttributeType)],
        sort: &[(&str, AttributeType)],
    ) -> Result<(), ExpressionError> {
        let fits = |(name, attribute_type): &(&str, AttributeType)| {
            self.condition_on(name).is_none_or(|condition| {
                condition.values().all(|value| value.attribute_type() == *attribute_type)
            })
        };
        if hash.iter().chain(sort).all(fits) {
            Ok(())
        } else {
            Err(KeyConditionProblem::Type.into())
        }
    }

    fn without_equality(&self, attributes: &[(&str, AttributeType)]) -> Vec<String> {
        let lacking = attributes.iter().filter(|(name, _)| self.equality_on(name).is_none());
        lacking.map(|(name, _)| (*name).to_owned()).collect()
    }

    fn equality_on(&self, name: &str) -> Option<&AttributeValue> {
        match self.condition_on(name) {
            Some(SortCondition::Equal(value)) => Some(value),
            _ => None,
        }
    }

    fn condition_on(&self, name: &str) -> Option<&SortCondition> {
        match self.question_on(name) {
            Some(Question::Sort(condition)) => Some(condition),
            Some(Question::NotIndexable) | None => None,
        }
    }

    fn question_on(&self, name: &str) -> Option<&Question> {
        self.clauses.iter().find(|clause| clause.name == name).map(|clause| &clause.question)
    }
}

impl SortCondition {
    /// The values that the attribute is compared with.
    pub fn values(&self) -> impl Iterator<Item = &AttributeValue> {
        let (first, second) = match self {
            SortCondition::Equal(value)
            | SortCondition::Less(value)
            | SortCondition::LessOrEqual(value)
            | SortCondition::Greater(value)
            | SortCondition::GreaterOrEqual(value)
            | SortCondition::BeginsWith(value) => (value, None),
            SortCondition::Between(low, high) => (low, Some(high)),
        };
        std::iter::once(first).chain(second)
    }
}
