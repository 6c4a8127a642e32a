//! The checks every value passes before it is stored or used in an expression.
//!
//! Numbers need none here: a [`crate::Number`] out of range cannot be made.

use crate::limits::{ATTRIBUTE_NAME_BYTES_MAX, NESTING_LEVELS_MAX};
use crate::{AttributeValue, Item, ValueError};

/// Attribute names, empty sets, nesting depth. Does not look at the item's size.
pub fn item(item: &Item) -> Result<(), ValueError> {
    attributes(item, NESTING_LEVELS_MAX)
}

/// Empty sets and nesting depth of one value, and the names in its maps.
pub fn value(value: &AttributeValue) -> Result<(), ValueError> {
    value_within(value, NESTING_LEVELS_MAX)
}

/// One attribute name: not empty, at most 65,535 bytes (rule 22). A key attribute's name has a
/// lower limit, which the table's definition checks.
pub fn name(name: &str) -> Result<(), ValueError> {
    match name.len() {
        0 => Err(ValueError::EmptyAttributeName),
        1..=ATTRIBUTE_NAME_BYTES_MAX => Ok(()),
        _ => Err(ValueError::AttributeNameTooLong),
    }
}

fn attributes(item: &Item, levels: usize) -> Result<(), ValueError> {
    item.iter().try_for_each(|(attribute_name, value)| {
        name(attribute_name)?;
        value_within(value, levels)
    })
}

/// Checks a value that may take up this many levels, itself included. The recursion ends with the
/// levels, however deep the value goes.
fn value_within(value: &AttributeValue, levels: usize) -> Result<(), ValueError> {
    if levels == 0 {
        return Err(ValueError::NestingTooDeep);
    }
    match value {
        AttributeValue::M(map) => attributes(map, levels - 1),
        AttributeValue::L(list) => {
            list.iter().try_for_each(|element| value_within(element, levels - 1))
        }
        AttributeValue::Ss(set) if set.is_empty() => Err(ValueError::EmptyStringSet),
        AttributeValue::Ns(set) if set.is_empty() => Err(ValueError::EmptyNumberSet),
        AttributeValue::Bs(set) if set.is_empty() => Err(ValueError::EmptyBinarySet),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::{item, name, value};
    use crate::{AttributeValue, Item, ValueError};

    fn within(value: AttributeValue) -> [AttributeValue; 3] {
        let map = AttributeValue::M(Item::from([("m", value.clone())]));
        let list = AttributeValue::L(vec![AttributeValue::Null, map.clone()]);
        [value, map, list]
    }

    /// Rule 14: empty strings and binaries are values, empty sets are not, at any depth.
    #[test]
    fn empty_sets_are_refused_and_empty_scalars_are_not() {
        for (set, expected) in [
            (
                AttributeValue::Ss([].into()),
                "One or more parameter values were invalid: An string set  may not be empty",
            ),
            (
                AttributeValue::Ns([].into()),
                "One or more parameter values were invalid: An number set  may not be empty",
            ),
            (
                AttributeValue::Bs([].into()),
                "One or more parameter values were invalid: Binary sets should not be empty",
            ),
        ] {
            for nested in within(set) {
                let error = value(&nested).unwrap_err();
                assert_eq!(error.to_string(), expected);
                assert_eq!(item(&Item::from([("a", nested)])), Err(error));
            }
        }
        for accepted in [
            AttributeValue::from(""),
            AttributeValue::B(vec![]),
            AttributeValue::L(vec![]),
            AttributeValue::M(Item::new()),
            AttributeValue::Ss([String::new()].into()),
        ] {
            for nested in within(accepted) {
                assert_eq!(value(&nested), Ok(()));
            }
        }
    }

    /// Rule 22: names of 1 to 65,535 bytes, in maps as well.
    #[test]
    fn names_have_a_length() {
        let named = |name: String| Item::from([(name, AttributeValue::Null)]);
        for (text, expected) in [
            (String::new(), Err(ValueError::EmptyAttributeName)),
            (" ".to_owned(), Ok(())),
            ("x".repeat(65_535), Ok(())),
            ("x".repeat(65_536), Err(ValueError::AttributeNameTooLong)),
            ("é".repeat(32_768), Err(ValueError::AttributeNameTooLong)),
        ] {
            assert_eq!(name(&text), expected);
            assert_eq!(item(&named(text.clone())), expected);
            for nested in within(AttributeValue::M(named(text))) {
                assert_eq!(value(&nested), expected);
            }
        }
        assert_eq!(ValueError::EmptyAttributeName.to_string(), "Empty attribute name");
        assert_eq!(
            ValueError::AttributeNameTooLong.to_string(),
            "Attribute name is too large, must be less than 65536 bytes"
        );
    }

    /// Rule 9: a scalar in 31 lists or maps is accepted, in 32 it is not.
    #[test]
    fn nesting_is_limited_to_32_levels() {
        let in_lists = |count| {
            (0..count).fold(AttributeValue::Null, |inner, _| AttributeValue::L(vec![inner]))
        };
        let in_maps = |count| {
            (0..count).fold(AttributeValue::Null, |inner, _| {
                AttributeValue::M(Item::from([("a", inner)]))
            })
        };
        for (accepted, refused) in [(in_lists(31), in_lists(32)), (in_maps(31), in_maps(32))] {
            assert_eq!(value(&accepted), Ok(()));
            assert_eq!(item(&Item::from([("a", accepted)])), Ok(()));
            let error = value(&refused).unwrap_err();
            assert_eq!(
                error.to_string(),
                "Nesting Levels have exceeded supported limits: Attributes in the item have nested \
                 levels beyond supported limit"
            );
            assert_eq!(item(&Item::from([("a", refused)])), Err(error));
        }
    }
}
