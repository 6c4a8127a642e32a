//! What a WHERE clause says about a key: the one item of a write, the item a read names, or the
//! ranges a read has to look through.

use values::{AttributeType, AttributeValue, Item};

use crate::condition::{Comparator, Condition, Node, Term, Test};
use crate::error::StatementProblem;
use crate::key_condition::{KeyRange, SortCondition};
use crate::path::Path;

/// A key attribute: its name and its type.
pub type KeyAttribute<'k> = (&'k str, AttributeType);

/// Where a SELECT has to look.
#[derive(Clone, Debug, PartialEq)]
pub enum Reads {
    /// Some alternative has no value for the hash key: all of the table or index.
    Everything,
    /// Only these ranges.
    Ranges {
        /// In the order written.
        ranges: Vec<KeyRange>,
        /// Whether ranges that share an item are merged instead of refused. The service compares
        /// alternatives only if each has at most one plain condition on the sort key.
        may_overlap: bool,
        /// Whether each alternative names the hash key exactly once, which ORDER BY asks for.
        hash_once: bool,
    },
}

/// More alternatives, or more ranges, than this are not told apart: everything is read and filtered.
const ALTERNATIVES_MAX: usize = 1024;
const RANGES_MAX: usize = 10_000;

/// The key of the one item that an UPDATE or DELETE is about: an equality for every key attribute
/// among the conditions that AND joins.
pub(super) fn item_key(
    condition: Option<&Condition>,
    keys: &[KeyAttribute<'_>],
) -> Result<Item, StatementProblem> {
    let joined = condition.map(joined_tests).unwrap_or_default();
    let mut key = Item::new();
    for (name, attribute_type) in keys {
        for test in &joined {
            let Some(value) = equality(test, name) else { continue };
            check_type(name, *attribute_type, value)?;
            match key.insert(*name, value.clone()) {
                Some(other) if other != *value => {
                    return Err(StatementProblem::SeveralKeyValues((*name).to_owned()));
                }
                _ => {}
            }
        }
        if !key.contains_key(name) {
            return Err(StatementProblem::NoKeyEquality);
        }
    }
    Ok(key)
}

/// The key of the one item that a SELECT names, if it says nothing but its key.
pub(super) fn exact_key(condition: Option<&Condition>, keys: &[KeyAttribute<'_>]) -> Option<Item> {
    let condition = condition?;
    let mut key = Item::new();
    for node in condition.nodes() {
        let test = match node {
            Node::All(_) => continue,
            Node::Test(test) => test,
            Node::Not(_) | Node::Any(_) => return None,
        };
        let (name, value) =
            keys.iter().find_map(|(name, _)| Some((*name, single_value(test, name)?)))?;
        match key.insert(name, value.clone()) {
            Some(other) if other != *value => return None,
            _ => {}
        }
    }
    (key.len() == keys.len()).then_some(key)
}

/// Where a SELECT has to look in a table or index with this key.
pub(super) fn reads(
    condition: Option<&Condition>,
    hash: KeyAttribute<'_>,
    sort: Option<KeyAttribute<'_>>,
) -> Result<Reads, StatementProblem> {
    let Some(condition) = condition else { return Ok(Reads::Everything) };
    let names: Vec<&str> = std::iter::once(hash.0).chain(sort.map(|(name, _)| name)).collect();
    let nodes = condition.nodes();
    let root = nodes.len().saturating_sub(1);
    let Some(alternatives) = alternatives(nodes, root, &names) else {
        return Ok(Reads::Everything);
    };
    let (mut ranges, mut may_overlap, mut hash_once) = (Vec::new(), false, true);
    for leaves in alternatives {
        let alternative = Alternative::new(nodes, &leaves, hash.0, sort.map(|(name, _)| name));
        let Some(hashes) = &alternative.hashes else { return Ok(Reads::Everything) };
        alternative.check_types(hash, sort)?;
        may_overlap |= alternative.is_loose || alternative.sorts.len() > 1;
        hash_once &= alternative.hash_conditions == 1;
        let sorts = alternative.sort_conditions();
        if ranges.len() + hashes.len() * sorts.len() > RANGES_MAX {
            return Ok(Reads::Everything);
        }
        for hash in hashes {
            ranges.extend(sorts.iter().cloned().map(|sort| KeyRange {
                hash: vec![hash.clone()],
                sort: sort.into_iter().collect(),
            }));
        }
    }
    Ok(Reads::Ranges { ranges, may_overlap, hash_once })
}

/// What one alternative of a WHERE clause says about the key.
#[derive(Default)]
struct Alternative {
    /// The values for the hash key that all its conditions allow; `None` without a condition.
    hashes: Option<Vec<AttributeValue>>,
    /// Every value compared with the hash key.
    hash_values: Vec<AttributeValue>,
    hash_conditions: usize,
    /// The different conditions on the sort key, an IN as several equalities.
    sorts: Vec<Vec<SortCondition>>,
    /// Something else is said about the sort key: `<>`, or NOT of anything.
    is_loose: bool,
}

impl Alternative {
    fn new(nodes: &[Node], leaves: &[usize], hash: &str, sort: Option<&str>) -> Self {
        let mut alternative = Alternative::default();
        for leaf in leaves {
            let mentions_sort = sort.is_some_and(|sort| mentions(nodes, *leaf, &[sort]));
            let Some(Node::Test(test)) = nodes.get(*leaf) else {
                alternative.is_loose |= mentions_sort;
                continue;
            };
            if let Some(values) = equal_values(test, hash) {
                alternative.narrow(values);
                continue;
            }
            match sort.and_then(|sort| sort_conditions(test, sort)) {
                Some(conditions) if !alternative.sorts.contains(&conditions) => {
                    alternative.sorts.push(conditions);
                }
                Some(_) => {}
                None => alternative.is_loose |= mentions_sort,
            }
        }
        alternative
    }

    fn narrow(&mut self, values: Vec<AttributeValue>) {
        self.hash_conditions += 1;
        self.hash_values.extend(values.iter().cloned());
        self.hashes = Some(match self.hashes.take() {
            None => values,
            Some(held) => held.into_iter().filter(|value| values.contains(value)).collect(),
        });
    }

    /// One entry for each range in a partition. What no key condition can say is left to the filter.
    fn sort_conditions(&self) -> Vec<Option<SortCondition>> {
        match self.sorts.as_slice() {
            [conditions] => conditions.iter().cloned().map(Some).collect(),
            _ => vec![None],
        }
    }

    fn check_types(
        &self,
        (hash, hash_type): KeyAttribute<'_>,
        sort: Option<KeyAttribute<'_>>,
    ) -> Result<(), StatementProblem> {
        self.hash_values.iter().try_for_each(|value| check_type(hash, hash_type, value))?;
        let Some((sort, sort_type)) = sort else { return Ok(()) };
        let conditions = self.sorts.iter().flatten();
        conditions
            .flat_map(SortCondition::values)
            .try_for_each(|value| check_type(sort, sort_type, value))
    }
}

fn check_type(
    name: &str,
    attribute_type: AttributeType,
    value: &AttributeValue,
) -> Result<(), StatementProblem> {
    match value.attribute_type() {
        found if found == attribute_type => Ok(()),
        AttributeType::S | AttributeType::N | AttributeType::B => {
            Err(StatementProblem::KeyType(name.to_owned()))
        }
        found => Err(StatementProblem::KeyNotScalar(name.to_owned(), found)),
    }
}

/// The alternatives that OR makes, each a list of nodes that all must hold. An OR about no key
/// attribute stays a filter. `None` if there are too many.
fn alternatives(nodes: &[Node], node: usize, keys: &[&str]) -> Option<Vec<Vec<usize>>> {
    match nodes.get(node)? {
        Node::Test(_) | Node::Not(_) => Some(vec![vec![node]]),
        Node::Any(_) if !mentions(nodes, node, keys) => Some(vec![Vec::new()]),
        Node::Any(parts) => {
            let mut all = Vec::new();
            for part in parts {
                all.extend(alternatives(nodes, *part, keys)?);
            }
            (all.len() <= ALTERNATIVES_MAX).then_some(all)
        }
        Node::All(parts) => {
            let mut all = vec![Vec::new()];
            for part in parts {
                let next = alternatives(nodes, *part, keys)?;
                if all.len() * next.len() > ALTERNATIVES_MAX {
                    return None;
                }
                all = all
                    .iter()
                    .flat_map(|held| next.iter().map(move |more| [held.as_slice(), more].concat()))
                    .collect();
            }
            Some(all)
        }
    }
}

fn mentions(nodes: &[Node], node: usize, names: &[&str]) -> bool {
    match nodes.get(node) {
        Some(Node::Test(test)) => {
            test.paths().iter().any(|path| names.contains(&path.name.as_str()))
        }
        Some(Node::Not(inner)) => mentions(nodes, *inner, names),
        Some(Node::All(parts) | Node::Any(parts)) => {
            parts.iter().any(|part| mentions(nodes, *part, names))
        }
        None => false,
    }
}

/// The tests that AND joins at the top.
fn joined_tests(condition: &Condition) -> Vec<&Test> {
    let nodes = condition.nodes();
    let mut pending: Vec<usize> = nodes.len().checked_sub(1).into_iter().collect();
    let mut tests = Vec::new();
    while let Some(node) = pending.pop() {
        match nodes.get(node) {
            Some(Node::All(parts)) => pending.extend(parts.iter().rev()),
            Some(Node::Test(test)) => tests.push(test),
            _ => {}
        }
    }
    tests
}

fn is_name(term: &Term, name: &str) -> bool {
    matches!(term, Term::Path(Path { name: found, rest }) if found == name && rest.is_empty())
}

/// A comparison of this attribute with a value, turned so that the attribute is on the left.
fn comparison<'t>(test: &'t Test, name: &str) -> Option<(Comparator, &'t AttributeValue)> {
    let Test::Compare(comparator, left, right) = test else { return None };
    match (left, right) {
        (path, Term::Value(value)) if is_name(path, name) => Some((*comparator, value)),
        (Term::Value(value), path) if is_name(path, name) => {
            let turned = match comparator {
                Comparator::Less => Comparator::Greater,
                Comparator::LessOrEqual => Comparator::GreaterOrEqual,
                Comparator::Greater => Comparator::Less,
                Comparator::GreaterOrEqual => Comparator::LessOrEqual,
                same => *same,
            };
            Some((turned, value))
        }
        _ => None,
    }
}

fn equality<'t>(test: &'t Test, name: &str) -> Option<&'t AttributeValue> {
    let (comparator, value) = comparison(test, name)?;
    (comparator == Comparator::Equal).then_some(value)
}

/// The values that `=` or IN allow for an attribute, as written.
fn equal_values(test: &Test, name: &str) -> Option<Vec<AttributeValue>> {
    if let Test::In(term, list) = test
        && is_name(term, name)
    {
        let value = |term: &Term| match term {
            Term::Value(value) => Some(value.clone()),
            _ => None,
        };
        return list.iter().map(value).collect();
    }
    equality(test, name).map(|value| vec![value.clone()])
}

/// The value of `=`, or of an IN with one value.
fn single_value<'t>(test: &'t Test, name: &str) -> Option<&'t AttributeValue> {
    match test {
        Test::In(term, list) if is_name(term, name) => match list.as_slice() {
            [Term::Value(value)] => Some(value),
            _ => None,
        },
        _ => equality(test, name),
    }
}

/// A test as conditions on the sort key that a range can be made of.
fn sort_conditions(test: &Test, name: &str) -> Option<Vec<SortCondition>> {
    if let Some((comparator, value)) = comparison(test, name) {
        let condition = match comparator {
            Comparator::Equal => SortCondition::Equal,
            Comparator::Less => SortCondition::Less,
            Comparator::LessOrEqual => SortCondition::LessOrEqual,
            Comparator::Greater => SortCondition::Greater,
            Comparator::GreaterOrEqual => SortCondition::GreaterOrEqual,
            Comparator::NotEqual => return None,
        };
        return Some(vec![condition(value.clone())]);
    }
    match test {
        Test::Between(term, Term::Value(low), Term::Value(high)) if is_name(term, name) => {
            Some(vec![SortCondition::Between(low.clone(), high.clone())])
        }
        Test::BeginsWith(term, Term::Value(prefix)) if is_name(term, name) => {
            Some(vec![SortCondition::BeginsWith(prefix.clone())])
        }
        Test::In(..) => {
            let values = equal_values(test, name)?;
            Some(values.into_iter().map(SortCondition::Equal).collect())
        }
        _ => None,
    }
}

/// Whether the hash key is pinned by `=` or IN among the conditions that AND joins at the top.
pub(super) fn pins(condition: Option<&Condition>, hash: &str) -> bool {
    let tests = condition.map(joined_tests).unwrap_or_default();
    tests.iter().any(|test| equal_values(test, hash).is_some())
}

/// Whether some ranges lie in more than one partition.
pub(super) fn spans_partitions(ranges: &[KeyRange]) -> bool {
    ranges.first().is_some_and(|first| ranges.iter().any(|range| range.hash != first.hash))
}
