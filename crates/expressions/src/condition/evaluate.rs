//! Asks a condition of an item. Values of the item and of the request are only looked at, never
//! copied.

use std::cmp::Ordering;

use values::{AttributeValue, Item, Number};

use super::{Comparator, Node, Term, Test};

/// Whether the last node, and so the whole condition, is true of the item.
pub(super) fn holds(nodes: &[Node], item: &Item) -> bool {
    nodes.len().checked_sub(1).is_none_or(|root| node_holds(nodes, root, item))
}

/// Recurses at most as deep as an expression may have operators; see [`super::check`].
fn node_holds(nodes: &[Node], node: usize, item: &Item) -> bool {
    match nodes.get(node) {
        Some(Node::Test(test)) => test_holds(test, item),
        Some(Node::Not(node)) => !node_holds(nodes, *node, item),
        Some(Node::All(parts)) => parts.iter().all(|part| node_holds(nodes, *part, item)),
        Some(Node::Any(parts)) => parts.iter().any(|part| node_holds(nodes, *part, item)),
        None => false,
    }
}

fn test_holds(test: &Test, item: &Item) -> bool {
    match test {
        Test::Compare(comparator, left, right) => match (left.see(item), right.see(item)) {
            (Some(left), Some(right)) => compare(*comparator, left.get(), right.get()),
            // A missing attribute differs from everything, itself included (rule 19).
            _ => *comparator == Comparator::NotEqual,
        },
        Test::Between(term, low, high) => term.see(item).is_some_and(|value| {
            let at_least = |bound: &Term, comparator| {
                bound.see(item).is_some_and(|bound| compare(comparator, value.get(), bound.get()))
            };
            at_least(low, Comparator::GreaterOrEqual) && at_least(high, Comparator::LessOrEqual)
        }),
        Test::In(term, list) => term.see(item).is_some_and(|value| {
            list.iter().any(|one| one.see(item).is_some_and(|one| one.get() == value.get()))
        }),
        Test::Exists(path) => path.find(item).is_some(),
        Test::NotExists(path) => path.find(item).is_none(),
        Test::HasType(term, attribute_type) => {
            term.see(item).is_some_and(|value| value.get().attribute_type() == *attribute_type)
        }
        Test::BeginsWith(term, prefix) => both(term, prefix, item, begins_with),
        Test::Contains(term, part) => both(term, part, item, contains),
        Test::ExistsWithout(path, part) => {
            path.find(item).is_some_and(|value| !contains(value, part))
        }
    }
}

fn both(
    one: &Term,
    two: &Term,
    item: &Item,
    test: fn(&AttributeValue, &AttributeValue) -> bool,
) -> bool {
    match (one.see(item), two.see(item)) {
        (Some(one), Some(two)) => test(one.get(), two.get()),
        _ => false,
    }
}

/// What a term stands for in one item.
enum Seen<'i> {
    Value(&'i AttributeValue),
    /// Of a type that needs no allocation: a number or a boolean.
    Made(AttributeValue),
}

impl Seen<'_> {
    fn get(&self) -> &AttributeValue {
        match self {
            Seen::Value(value) => value,
            Seen::Made(value) => value,
        }
    }
}

impl Term {
    fn see<'i>(&'i self, item: &'i Item) -> Option<Seen<'i>> {
        match self {
            Term::Path(path) => path.find(item).map(Seen::Value),
            Term::Value(value) => Some(Seen::Value(value)),
            Term::Size(term) => {
                let size = size(term.see(item)?.get())?;
                Some(Seen::Made(AttributeValue::N(Number::from(size))))
            }
            Term::Truth(test) => Some(Seen::Made(AttributeValue::Bool(test_holds(test, item)))),
        }
    }
}

/// What `size` gives (rule 20); nothing for the types that have none.
fn size(value: &AttributeValue) -> Option<u64> {
    let size = match value {
        AttributeValue::S(text) => text.encode_utf16().count(),
        AttributeValue::B(bytes) => bytes.len(),
        AttributeValue::M(map) => map.len(),
        AttributeValue::L(list) => list.len(),
        AttributeValue::Ss(set) => set.len(),
        AttributeValue::Ns(set) => set.len(),
        AttributeValue::Bs(set) => set.len(),
        AttributeValue::N(_) | AttributeValue::Bool(_) | AttributeValue::Null => return None,
    };
    u64::try_from(size).ok()
}

fn compare(comparator: Comparator, left: &AttributeValue, right: &AttributeValue) -> bool {
    let order = || compare_order(left, right);
    match comparator {
        Comparator::Equal => left == right,
        Comparator::NotEqual => left != right,
        Comparator::Less => order().is_some_and(Ordering::is_lt),
        Comparator::LessOrEqual => order().is_some_and(Ordering::is_le),
        Comparator::Greater => order().is_some_and(Ordering::is_gt),
        Comparator::GreaterOrEqual => order().is_some_and(Ordering::is_ge),
    }
}

/// The order of two values of one orderable type (rule 18); none between types, nor among
/// documents, sets, booleans and nulls.
pub(crate) fn compare_order(left: &AttributeValue, right: &AttributeValue) -> Option<Ordering> {
    match (left, right) {
        (AttributeValue::S(left), AttributeValue::S(right)) => {
            Some(left.as_bytes().cmp(right.as_bytes()))
        }
        (AttributeValue::N(left), AttributeValue::N(right)) => Some(left.cmp(right)),
        (AttributeValue::B(left), AttributeValue::B(right)) => Some(left.cmp(right)),
        _ => None,
    }
}

fn begins_with(value: &AttributeValue, prefix: &AttributeValue) -> bool {
    match (value, prefix) {
        (AttributeValue::S(text), AttributeValue::S(prefix)) => text.starts_with(prefix.as_str()),
        (AttributeValue::B(bytes), AttributeValue::B(prefix)) => bytes.starts_with(prefix),
        _ => false,
    }
}

/// Part of a string or binary, member of a set, element of a list.
fn contains(value: &AttributeValue, part: &AttributeValue) -> bool {
    match (value, part) {
        (AttributeValue::S(text), AttributeValue::S(part)) => text.contains(part.as_str()),
        (AttributeValue::B(bytes), AttributeValue::B(part)) => contains_bytes(bytes, part),
        (AttributeValue::Ss(set), AttributeValue::S(member)) => set.contains(member),
        (AttributeValue::Ns(set), AttributeValue::N(member)) => set.contains(member),
        (AttributeValue::Bs(set), AttributeValue::B(member)) => set.contains(member),
        (AttributeValue::L(list), element) => list.contains(element),
        _ => false,
    }
}

/// Looks for `part` in `bytes` in a time that only grows with their lengths, whatever they hold
/// (Knuth, Morris and Pratt).
fn contains_bytes(bytes: &[u8], part: &[u8]) -> bool {
    // For each length of `part`'s beginning: how much of it the end of that beginning repeats.
    let mut repeats = vec![0; part.len() + 1];
    let extend = |repeats: &[usize], mut matched: usize, byte: u8| {
        while matched > 0 && part.get(matched) != Some(&byte) {
            matched = repeats.get(matched).copied().unwrap_or(0);
        }
        matched + usize::from(part.get(matched) == Some(&byte))
    };
    let mut matched = 0;
    for (length, byte) in part.iter().enumerate().skip(1) {
        matched = extend(&repeats, matched, *byte);
        if let Some(slot) = repeats.get_mut(length + 1) {
            *slot = matched;
        }
    }
    matched = 0;
    part.is_empty()
        || bytes.iter().any(|byte| {
            matched = extend(&repeats, matched, *byte);
            matched == part.len()
        })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::contains_bytes;

    proptest! {
        #[test]
        fn finds_what_a_plain_search_finds(
            bytes in prop::collection::vec(0_u8..3, 0..40),
            part in prop::collection::vec(0_u8..3, 0..6),
        ) {
            let plain = part.is_empty() || bytes.windows(part.len()).any(|window| window == part);
            prop_assert_eq!(contains_bytes(&bytes, &part), plain);
        }
    }
}
