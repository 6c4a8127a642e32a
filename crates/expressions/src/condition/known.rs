//! Conditions that were read of late. A program has few of them, with other values each time: the same
//! text with the same names is the same condition but for its values, whoever asks.

use std::cell::RefCell;
use std::collections::BTreeMap;

use values::AttributeValue;
use xxhash_rust::xxh3::xxh3_64_with_seed;

use super::form::Form;

type Names = BTreeMap<String, String>;

/// A power of two. Each thread has as many, and each holds what was read last of those that share it.
const PLACES: usize = 64;
/// Longer texts, or with more names, are not remembered.
const TEXT_BYTES_MAX: usize = 256;
const NAMES_MAX: usize = 4;

#[derive(Clone, Default)]
struct Place {
    /// What was asked for last, and not known: it is worth remembering once it comes again.
    missed: u64,
    known: Option<Known>,
}

/// A form, and what it was read from.
#[derive(Clone)]
struct Known {
    text: String,
    names: Option<Names>,
    form: Form,
}

thread_local! {
    static PLACES_OF_THREAD: RefCell<Vec<Place>> = RefCell::new(vec![Place::default(); PLACES]);
}

/// What is done with the form of the condition with this text and these names, if it was read of late
/// on this thread.
pub fn find<R>(
    text: &str,
    names: Option<&Names>,
    found: impl FnOnce(&Form) -> Option<R>,
) -> Option<R> {
    let hash = hash(text, names)?;
    PLACES_OF_THREAD.with_borrow(|places| {
        let known = places.get(place(hash))?.known.as_ref()?;
        let is_it = known.text == text && known.names.as_ref() == names;
        is_it.then(|| found(&known.form)).flatten()
    })
}

/// Remembers a condition that was read without mistakes and comes again.
pub fn remember(
    text: &str,
    names: Option<&Names>,
    values: Option<&BTreeMap<String, AttributeValue>>,
) {
    let Some(hash) = hash(text, names) else { return };
    PLACES_OF_THREAD.with_borrow_mut(|places| {
        let place = &mut places[place(hash)];
        if std::mem::replace(&mut place.missed, hash) != hash {
            return;
        }
        if let Some(form) = Form::read(text, names, values) {
            place.known = Some(Known { text: text.to_owned(), names: names.cloned(), form });
        }
    });
}

fn place(hash: u64) -> usize {
    hash as usize % PLACES
}

fn hash(text: &str, names: Option<&Names>) -> Option<u64> {
    if text.len() > TEXT_BYTES_MAX || names.is_some_and(|names| names.len() > NAMES_MAX) {
        return None;
    }
    let further = |hash, text: &String| xxh3_64_with_seed(text.as_bytes(), hash);
    let names = names.into_iter().flatten().flat_map(|(sign, name)| [sign, name]);
    Some(names.fold(xxh3_64_with_seed(text.as_bytes(), 0), further))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use values::{AttributeValue, Item};

    use crate::{Condition, ExpressionError, Placeholders};

    type Values<'a> = &'a [(&'a str, AttributeValue)];

    fn read(
        text: &str,
        names: &[(&str, &str)],
        values: Values<'_>,
    ) -> Result<Condition, ExpressionError> {
        let owned = |(sign, name): &(&str, &str)| ((*sign).to_owned(), (*name).to_owned());
        let names: BTreeMap<_, _> = names.iter().map(owned).collect();
        let values: BTreeMap<_, _> =
            values.iter().map(|(sign, value)| ((*sign).to_owned(), value.clone())).collect();
        let names = (!names.is_empty()).then_some(&names);
        let values = (!values.is_empty()).then_some(&values);
        let mut placeholders = Placeholders::new(names, values)?;
        let condition = placeholders.condition(text)?;
        placeholders.finish().map(|()| condition)
    }

    /// As often as it takes to be known, and then some.
    fn read_often(
        text: &str,
        names: &[(&str, &str)],
        values: Values<'_>,
    ) -> Result<Condition, ExpressionError> {
        let first = read(text, names, values);
        for _ in 0..3 {
            assert_eq!(read(text, names, values), first, "{text}");
        }
        first
    }

    /// Whatever was read before on the thread, the answer is that of a first reading.
    #[test]
    fn the_same_text_means_what_its_names_say() {
        let text = "attribute_not_exists(#k)";
        let first = read_often(text, &[("#k", "PK")], &[]).unwrap();
        let other = read_often(text, &[("#k", "id")], &[]).unwrap();
        assert_eq!(other.attribute_names().collect::<Vec<_>>(), ["id"]);
        assert_eq!(read_often(text, &[("#k", "PK")], &[]).unwrap(), first);

        assert!(read_often(text, &[("#k", "PK"), ("#other", "x")], &[]).is_err(), "unused");
        assert!(read_often("attribute_not_exists(#k", &[("#k", "PK")], &[]).is_err());
    }

    #[test]
    fn more_conditions_than_are_remembered_are_all_told_apart() {
        for _ in 0..3 {
            for number in 0..1_000 {
                let name = format!("name{number}");
                let condition = read("attribute_exists(#k)", &[("#k", &name)], &[]).unwrap();
                assert_eq!(condition.attribute_names().collect::<Vec<_>>(), [name.as_str()]);
            }
        }
    }

    #[test]
    fn the_same_text_means_what_its_values_say() {
        let text = "attribute_not_exists(id) OR NOT (#t <= :now AND #t > :then)";
        for now in [10, 20, 30] {
            let values = [(":now", now.into()), (":then", 5.into())];
            let condition = read_often(text, &[("#t", "ttl")], &values).unwrap();
            for (ttl, expected) in [(5, true), (now, false), (now + 1, true)] {
                let item = Item::from([("id", "x".into()), ("ttl", ttl.into())]);
                assert_eq!(condition.holds(&item), Ok(expected), "{ttl} with {now}");
            }
        }
        // Two placeholders of one value stay two.
        let swapped = [(":now", 5.into()), (":then", 5.into())];
        read_often(text, &[("#t", "ttl")], &swapped).unwrap();
    }

    /// What a value may be is asked each time, and what is missing or left over is told.
    #[test]
    fn other_values_are_checked_as_at_the_first_reading() {
        let text = "a < :v";
        read_often(text, &[], &[(":v", 1.into())]).unwrap();
        let refused = read_often(text, &[], &[(":v", true.into())]).unwrap_err();
        assert!(refused.to_string().contains("Incorrect operand type"), "{refused}");
        assert!(read_often(text, &[], &[(":w", 1.into())]).is_err(), "undefined");
        let left_over = [(":v", 1.into()), (":w", 1.into())];
        assert!(read_often(text, &[], &left_over).is_err(), "unused");
        read_often("a = :v", &[], &[(":v", true.into())]).unwrap();
        for (text, good, bad) in
            [("a BETWEEN :v AND :w", (1, 2), (2, 1)), ("size(a) < :v AND b = :w", (1, 2), (2, 1))]
        {
            let with = |(v, w): (i64, i64)| [(":v", v.into()), (":w", w.into())];
            read_often(text, &[], &with(good)).unwrap();
            let is_refused = text.contains("BETWEEN");
            assert_eq!(read_often(text, &[], &with(bad)).is_err(), is_refused, "{text}");
        }
    }
}
