//! What an item weighs, to the byte.
//!
//! Names count in UTF-8 bytes, everywhere (rule 23; AWS developer guide: "Item sizes and formats").

use crate::limits::{CONTAINER_OVERHEAD_BYTES, ELEMENT_OVERHEAD_BYTES};
use crate::{AttributeValue, Item, Number};

/// Bytes of an item: names plus values.
pub fn item_size(item: &Item) -> usize {
    item.iter().map(|(name, value)| attribute_size(name, value)).sum()
}

/// Bytes of one attribute of an item: its name and its value.
pub fn attribute_size(name: &str, value: &AttributeValue) -> usize {
    name.len() + value_size(value)
}

/// Bytes of one value, without its name.
pub fn value_size(value: &AttributeValue) -> usize {
    match value {
        AttributeValue::S(text) => text.len(),
        AttributeValue::N(number) => number.size(),
        AttributeValue::B(bytes) => bytes.len(),
        AttributeValue::Bool(_) | AttributeValue::Null => 1,
        AttributeValue::M(map) => {
            CONTAINER_OVERHEAD_BYTES + ELEMENT_OVERHEAD_BYTES * map.len() + item_size(map)
        }
        AttributeValue::L(list) => {
            let elements: usize = list.iter().map(value_size).sum();
            CONTAINER_OVERHEAD_BYTES + ELEMENT_OVERHEAD_BYTES * list.len() + elements
        }
        AttributeValue::Ss(set) => set.iter().map(String::len).sum(),
        AttributeValue::Ns(set) => set.iter().map(Number::size).sum(),
        AttributeValue::Bs(set) => set.iter().map(Vec::len).sum(),
    }
}

#[cfg(test)]
mod tests {
    use super::{attribute_size, item_size, value_size};
    use crate::{AttributeValue, Item};

    fn number(text: &str) -> AttributeValue {
        AttributeValue::N(text.parse().unwrap())
    }

    /// Rule 23.
    #[test]
    fn values_weigh_what_the_service_says() {
        let map = |entries: &[(&str, AttributeValue)]| {
            AttributeValue::M(entries.iter().map(|(k, v)| (k.to_string(), v.clone())).collect())
        };
        for (value, expected) in [
            (AttributeValue::from(""), 0),
            (AttributeValue::from("aé"), 3),
            (AttributeValue::B(vec![0; 10]), 10),
            (AttributeValue::Null, 1),
            (AttributeValue::from(true), 1),
            (number("3.14159"), 5),
            (AttributeValue::L(vec![]), 3),
            (map(&[]), 3),
            (AttributeValue::L(vec!["ab".into(), AttributeValue::Null]), 3 + 2 + 2 + 1),
            (map(&[("key", "ab".into())]), 3 + 1 + 3 + 2),
            (map(&[("k", AttributeValue::L(vec![map(&[])]))]), 3 + 1 + 1 + 3 + 1 + 3),
            (AttributeValue::Ss(["a".to_owned(), "bc".to_owned()].into()), 3),
            (AttributeValue::Ns([1.into(), (-100).into()].into()), 2 + 3),
            (AttributeValue::Bs([vec![1, 2], vec![]].into()), 2),
        ] {
            assert_eq!(value_size(&value), expected, "{value:?}");
        }
    }

    #[test]
    fn an_item_is_its_names_and_values() {
        let item = Item::from([("é", "abc".into()), ("n", 42.into())]);
        assert_eq!(item_size(&item), 2 + 3 + 1 + 2);
        assert_eq!(attribute_size("é", &"abc".into()), 2 + 3);
        assert_eq!(item_size(&Item::new()), 0);
    }
}
