//! Conditions that were read of late. A program has few of them, and most have no values, such as
//! `attribute_not_exists(#key)`: the same text with the same names is the same condition, whoever asks.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use super::Condition;

type Names = BTreeMap<String, String>;

/// A power of two. Each thread has as many, and each holds what was read last of those that share it.
const PLACES: usize = 64;
/// Longer texts, or with more names, are not remembered.
const TEXT_BYTES_MAX: usize = 256;
const NAMES_MAX: usize = 4;

/// A condition, what it was read from, and which of the names it uses.
#[derive(Clone)]
struct Known {
    text: String,
    names: Option<Names>,
    used_names: Vec<String>,
    condition: Condition,
}

thread_local! {
    static KNOWN: RefCell<Vec<Option<Known>>> = RefCell::new(vec![None; PLACES]);
}

/// The condition with this text and these names and without values, and the names that it uses, if it
/// was read of late on this thread.
pub fn find<R>(
    text: &str,
    names: Option<&Names>,
    found: impl FnOnce(&Condition, &[String]) -> R,
) -> Option<R> {
    KNOWN.with_borrow(|known| {
        let known = known.get(place(text, names)?)?.as_ref()?;
        let is_it = known.text == text && known.names.as_ref() == names;
        is_it.then(|| found(&known.condition, &known.used_names))
    })
}

/// Remembers a condition that was read without mistakes and has no values.
pub fn remember<'a>(
    text: &str,
    names: Option<&Names>,
    used_names: impl Iterator<Item = &'a str>,
    condition: &Condition,
) {
    let Some(place) = place(text, names) else { return };
    let known = Known {
        text: text.to_owned(),
        names: names.cloned(),
        used_names: used_names.map(str::to_owned).collect(),
        condition: condition.clone(),
    };
    KNOWN.with_borrow_mut(|all| all[place] = Some(known));
}

fn place(text: &str, names: Option<&Names>) -> Option<usize> {
    if text.len() > TEXT_BYTES_MAX || names.is_some_and(|names| names.len() > NAMES_MAX) {
        return None;
    }
    let mut hasher = DefaultHasher::new();
    (text, names).hash(&mut hasher);
    Some(hasher.finish() as usize % PLACES)
}

#[cfg(test)]
mod tests {
    use crate::{Condition, ExpressionError, Placeholders};

    fn read(text: &str, names: &[(&str, &str)]) -> Result<Condition, ExpressionError> {
        let owned = |(sign, name): &(&str, &str)| ((*sign).to_owned(), (*name).to_owned());
        let names = names.iter().map(owned).collect();
        let mut placeholders = Placeholders::new(Some(&names), None)?;
        let condition = placeholders.condition(text)?;
        placeholders.finish().map(|()| condition)
    }

    /// Whatever was read before on the thread, the answer is that of a first reading.
    #[test]
    fn the_same_text_means_what_its_names_say() {
        let text = "attribute_not_exists(#k)";
        let first = read(text, &[("#k", "PK")]).unwrap();
        assert_eq!(read(text, &[("#k", "PK")]).unwrap(), first);
        let other = read(text, &[("#k", "id")]).unwrap();
        assert_eq!(other.attribute_names().collect::<Vec<_>>(), ["id"]);
        assert_eq!(read(text, &[("#k", "PK")]).unwrap(), first);

        let unused = [("#k", "PK"), ("#other", "x")];
        let refused = read(text, &unused).unwrap_err();
        assert_eq!(read(text, &unused).unwrap_err(), refused, "also when it is known");
        assert!(read("attribute_not_exists(#k", &[("#k", "PK")]).is_err());
        assert!(read("attribute_not_exists(#k", &[("#k", "PK")]).is_err());
    }

    #[test]
    fn more_conditions_than_are_remembered_are_all_told_apart() {
        for _ in 0..2 {
            for number in 0..1_000 {
                let name = format!("name{number}");
                let condition = read("attribute_exists(#k)", &[("#k", &name)]).unwrap();
                assert_eq!(condition.attribute_names().collect::<Vec<_>>(), [name.as_str()]);
            }
        }
    }
}
