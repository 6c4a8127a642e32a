//! An item, or the content of a map: attribute names with their values, in one vector.

use std::cmp::Ordering;
use std::ops::Index;
use std::{fmt, mem, slice, vec};

use compact_str::CompactString;

use crate::AttributeValue;
use crate::name_order::{NameOrder, compare};

/// The name of an attribute. Up to 24 bytes are held in place, without an allocation.
pub type Name = CompactString;

/// An item, or the content of a map: attribute names with their values, in the order of the names.
///
/// Used like a `BTreeMap`, whose smallest node has room for eleven attributes. To insert behind the
/// last name costs nothing but the attribute, at any other place the move of all that follow: many
/// attributes in any order are collected, or given to `extend`, and sorted once.
#[derive(Clone, Default, PartialEq, Eq, Hash)]
pub struct Item {
    /// In ascending order of the names' bytes, each name once.
    attributes: Vec<Attribute>,
}

type Attribute = (Name, AttributeValue);

impl Item {
    /// One without attributes.
    pub const fn new() -> Item {
        Item { attributes: Vec::new() }
    }

    /// One without attributes, that has room for some.
    pub fn with_capacity(capacity: usize) -> Item {
        Item { attributes: Vec::with_capacity(capacity) }
    }

    /// Of attributes that are known to be in order, each name once.
    pub(crate) fn from_ascending(attributes: Vec<Attribute>) -> Item {
        debug_assert!(is_ascending(&attributes));
        Item { attributes }
    }

    /// How many attributes there are.
    pub fn len(&self) -> usize {
        self.attributes.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.attributes.is_empty()
    }

    /// The value of this name.
    pub fn get(&self, name: &str) -> Option<&AttributeValue> {
        let place = self.place(name).ok()?;
        Some(&self.attributes[place].1)
    }

    /// The value of this name, to change it.
    pub fn get_mut(&mut self, name: &str) -> Option<&mut AttributeValue> {
        let place = self.place(name).ok()?;
        Some(&mut self.attributes[place].1)
    }

    /// Whether there is an attribute of this name.
    pub fn contains_key(&self, name: &str) -> bool {
        self.place(name).is_ok()
    }

    /// Gives a name its value, and returns the one it had.
    pub fn insert(
        &mut self,
        name: impl Into<Name>,
        value: AttributeValue,
    ) -> Option<AttributeValue> {
        let name = name.into();
        if self.attributes.last().is_none_or(|(last, _)| compare(last, &name).is_lt()) {
            self.attributes.push((name, value));
            return None;
        }
        match self.place(&name) {
            Ok(place) => Some(mem::replace(&mut self.attributes[place].1, value)),
            Err(place) => {
                self.attributes.insert(place, (name, value));
                None
            }
        }
    }

    /// Takes the attribute of this name out, and returns its value.
    pub fn remove(&mut self, name: &str) -> Option<AttributeValue> {
        let place = self.place(name).ok()?;
        Some(self.attributes.remove(place).1)
    }

    /// Keeps only the attributes of which this is true.
    pub fn retain(&mut self, mut keep: impl FnMut(&Name, &mut AttributeValue) -> bool) {
        self.attributes.retain_mut(|(name, value)| keep(name, value));
    }

    /// The attributes, by name.
    pub fn iter(&self) -> Iter<'_> {
        Iter(self.attributes.iter())
    }

    /// The attributes, by name, to change their values.
    pub fn iter_mut(
        &mut self,
    ) -> impl DoubleEndedIterator<Item = (&Name, &mut AttributeValue)> + ExactSizeIterator {
        self.attributes.iter_mut().map(|(name, value)| (&*name, value))
    }

    /// The names, in order.
    pub fn keys(&self) -> impl DoubleEndedIterator<Item = &Name> + ExactSizeIterator + Clone {
        self.attributes.iter().map(|(name, _)| name)
    }

    /// The values, in the order of their names.
    pub fn values(
        &self,
    ) -> impl DoubleEndedIterator<Item = &AttributeValue> + ExactSizeIterator + Clone {
        self.attributes.iter().map(|(_, value)| value)
    }

    /// The values, in the order of their names, to change them.
    pub fn values_mut(
        &mut self,
    ) -> impl DoubleEndedIterator<Item = &mut AttributeValue> + ExactSizeIterator {
        self.attributes.iter_mut().map(|(_, value)| value)
    }

    /// By halving. The library's search never ends early, and to compare names is what it costs.
    fn place(&self, name: &str) -> Result<usize, usize> {
        let order = NameOrder::of(name);
        let (mut low, mut high) = (0, self.attributes.len());
        while low < high {
            let middle = usize::midpoint(low, high);
            match order.of_other(&self.attributes[middle].0) {
                Ordering::Less => low = middle + 1,
                Ordering::Equal => return Ok(middle),
                Ordering::Greater => high = middle,
            }
        }
        Err(low)
    }
}

/// As a map.
impl fmt::Debug for Item {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self).finish()
    }
}

impl Index<&str> for Item {
    type Output = AttributeValue;

    #[expect(clippy::expect_used, reason = "an index is for names that are known to be there")]
    fn index(&self, name: &str) -> &AttributeValue {
        self.get(name).expect("no attribute of this name")
    }
}

/// In any order. Of several values for one name the last counts.
impl From<Vec<(Name, AttributeValue)>> for Item {
    fn from(mut attributes: Vec<Attribute>) -> Item {
        if !is_ascending(&attributes) {
            sort(&mut attributes);
        }
        Item { attributes }
    }
}

/// In any order. Of several values for one name the last counts.
impl<N: Into<Name>, const COUNT: usize> From<[(N, AttributeValue); COUNT]> for Item {
    fn from(attributes: [(N, AttributeValue); COUNT]) -> Item {
        Item::from_iter(attributes)
    }
}

/// In any order. Of several values for one name the last counts.
impl<N: Into<Name>> FromIterator<(N, AttributeValue)> for Item {
    fn from_iter<I: IntoIterator<Item = (N, AttributeValue)>>(attributes: I) -> Item {
        Item::from(collected(attributes))
    }
}

/// As if each was inserted, one after the other.
impl<N: Into<Name>> Extend<(N, AttributeValue)> for Item {
    fn extend<I: IntoIterator<Item = (N, AttributeValue)>>(&mut self, attributes: I) {
        // Collected first: an iterator that panics leaves nothing behind that is out of order.
        let mut added = collected(attributes);
        let unchecked = self.attributes.len().saturating_sub(1);
        self.attributes.append(&mut added);
        if !is_ascending(&self.attributes[unchecked..]) {
            sort(&mut self.attributes);
        }
    }
}

impl IntoIterator for Item {
    type Item = (Name, AttributeValue);
    type IntoIter = vec::IntoIter<(Name, AttributeValue)>;

    fn into_iter(self) -> Self::IntoIter {
        self.attributes.into_iter()
    }
}

impl<'a> IntoIterator for &'a Item {
    type Item = (&'a Name, &'a AttributeValue);
    type IntoIter = Iter<'a>;

    fn into_iter(self) -> Iter<'a> {
        self.iter()
    }
}

/// The attributes of an [`Item`], by name.
#[derive(Clone, Debug)]
pub struct Iter<'a>(slice::Iter<'a, Attribute>);

impl<'a> Iterator for Iter<'a> {
    type Item = (&'a Name, &'a AttributeValue);

    fn next(&mut self) -> Option<Self::Item> {
        self.0.next().map(|(name, value)| (name, value))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.0.size_hint()
    }
}

impl DoubleEndedIterator for Iter<'_> {
    fn next_back(&mut self) -> Option<Self::Item> {
        self.0.next_back().map(|(name, value)| (name, value))
    }
}

impl ExactSizeIterator for Iter<'_> {}

fn collected<N: Into<Name>>(
    attributes: impl IntoIterator<Item = (N, AttributeValue)>,
) -> Vec<Attribute> {
    attributes.into_iter().map(|(name, value)| (name.into(), value)).collect()
}

fn is_ascending(attributes: &[Attribute]) -> bool {
    attributes.is_sorted_by(|(one, _), (other, _)| compare(one, other).is_lt())
}

/// Those of one name stay in their order, and of each two the later takes the place.
fn sort(attributes: &mut Vec<Attribute>) {
    attributes.sort_by(|(one, _), (other, _)| compare(one, other));
    attributes.dedup_by(|later, earlier| {
        let is_again = later.0 == earlier.0;
        if is_again {
            mem::swap(later, earlier);
        }
        is_again
    });
}

#[cfg(test)]
mod tests;
