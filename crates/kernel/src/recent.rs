//! What was of use of late, in bounded memory. Two generations are kept: when the younger one is full it
//! becomes the older, and what is asked for becomes young again.

use std::borrow::Borrow;
use std::collections::HashMap;
use std::hash::Hash;
use std::mem;
use std::sync::{Mutex, PoisonError};

/// Entries of one generation; two are kept.
pub const GENERATION_MAX: usize = 4 * 1024;

/// Values by their keys. To find one copies it: let it be an `Arc`.
pub struct Recent<K, V>(Mutex<Generations<K, V>>);

struct Generations<K, V> {
    young: HashMap<K, V>,
    old: HashMap<K, V>,
}

impl<K, V> Default for Recent<K, V> {
    fn default() -> Self {
        Recent(Mutex::new(Generations { young: HashMap::new(), old: HashMap::new() }))
    }
}

impl<K: Eq + Hash, V: Clone> Recent<K, V> {
    /// The value of a key, if it was added or asked for of late.
    pub fn find<Q: Eq + Hash + ?Sized>(&self, key: &Q) -> Option<V>
    where
        K: Borrow<Q>,
    {
        self.locked(|known| {
            if let Some(young) = known.young.get(key) {
                return Some(young.clone());
            }
            let (key, old) = known.old.remove_entry(key)?;
            known.add(key, old.clone());
            Some(old)
        })
    }

    /// Adds a value, in the place of one that is there.
    pub fn add(&self, key: K, value: V) {
        self.locked(|known| known.add(key, value));
    }

    fn locked<T>(&self, with: impl FnOnce(&mut Generations<K, V>) -> T) -> T {
        with(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl<K: Eq + Hash, V> Generations<K, V> {
    fn add(&mut self, key: K, value: V) {
        if self.young.len() >= GENERATION_MAX {
            self.old = mem::take(&mut self.young);
        }
        self.young.insert(key, value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_remembered_has_an_end() {
        let known = Recent::default();
        for number in 0..3 * GENERATION_MAX {
            known.add(number, number);
            assert_eq!(known.find(&1), (number > 0).then_some(1), "it is asked for all the time");
        }
        assert_eq!(known.find(&0), None, "the first is forgotten");
        known.locked(|known| assert!(known.young.len() + known.old.len() <= 2 * GENERATION_MAX));
    }

    #[test]
    fn the_value_that_was_added_last_counts() {
        let known = Recent::default();
        known.add("key".to_owned(), 1);
        (0..GENERATION_MAX).for_each(|number| known.add(number.to_string(), 0));
        known.add("key".to_owned(), 2);
        assert_eq!(known.find("key"), Some(2));
    }
}
