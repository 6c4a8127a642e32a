//! The ten attribute types.

use std::collections::BTreeSet;
use std::fmt;

use crate::{Item, Number};

/// One attribute value. Sets are ordered and cannot hold a member twice, so that equality never
/// depends on the order in which a client sent them.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum AttributeValue {
    /// A string.
    S(String),
    /// A number.
    N(Number),
    /// Binary.
    B(Vec<u8>),
    /// A boolean.
    Bool(bool),
    /// The null value. `{"NULL": false}` is accepted by the service and reads back as `true`.
    Null,
    /// A map.
    M(Item),
    /// A list.
    L(Vec<AttributeValue>),
    /// A set of strings.
    Ss(BTreeSet<String>),
    /// A set of numbers.
    Ns(BTreeSet<Number>),
    /// A set of binaries.
    Bs(BTreeSet<Vec<u8>>),
}

/// The type of an attribute value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum AttributeType {
    /// String.
    S,
    /// Number.
    N,
    /// Binary.
    B,
    /// Boolean.
    Bool,
    /// Null.
    Null,
    /// Map.
    M,
    /// List.
    L,
    /// String set.
    Ss,
    /// Number set.
    Ns,
    /// Binary set.
    Bs,
}

impl AttributeType {
    /// Every type.
    pub const ALL: [AttributeType; 10] = [
        AttributeType::S,
        AttributeType::N,
        AttributeType::B,
        AttributeType::Bool,
        AttributeType::Null,
        AttributeType::M,
        AttributeType::L,
        AttributeType::Ss,
        AttributeType::Ns,
        AttributeType::Bs,
    ];

    /// The descriptor used in DynamoDB JSON and by `attribute_type`.
    pub const fn descriptor(self) -> &'static str {
        match self {
            AttributeType::S => "S",
            AttributeType::N => "N",
            AttributeType::B => "B",
            AttributeType::Bool => "BOOL",
            AttributeType::Null => "NULL",
            AttributeType::M => "M",
            AttributeType::L => "L",
            AttributeType::Ss => "SS",
            AttributeType::Ns => "NS",
            AttributeType::Bs => "BS",
        }
    }

    /// The type with this descriptor.
    pub fn from_descriptor(descriptor: &str) -> Option<AttributeType> {
        Self::ALL.into_iter().find(|attribute_type| attribute_type.descriptor() == descriptor)
    }
}

impl fmt::Display for AttributeType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.descriptor())
    }
}

impl AttributeValue {
    /// The type of this value.
    pub const fn attribute_type(&self) -> AttributeType {
        match self {
            AttributeValue::S(_) => AttributeType::S,
            AttributeValue::N(_) => AttributeType::N,
            AttributeValue::B(_) => AttributeType::B,
            AttributeValue::Bool(_) => AttributeType::Bool,
            AttributeValue::Null => AttributeType::Null,
            AttributeValue::M(_) => AttributeType::M,
            AttributeValue::L(_) => AttributeType::L,
            AttributeValue::Ss(_) => AttributeType::Ss,
            AttributeValue::Ns(_) => AttributeType::Ns,
            AttributeValue::Bs(_) => AttributeType::Bs,
        }
    }
}

impl From<&str> for AttributeValue {
    fn from(text: &str) -> Self {
        AttributeValue::S(text.to_owned())
    }
}

impl From<String> for AttributeValue {
    fn from(text: String) -> Self {
        AttributeValue::S(text)
    }
}

impl From<Number> for AttributeValue {
    fn from(number: Number) -> Self {
        AttributeValue::N(number)
    }
}

impl From<i64> for AttributeValue {
    fn from(number: i64) -> Self {
        AttributeValue::N(Number::from(number))
    }
}

impl From<bool> for AttributeValue {
    fn from(boolean: bool) -> Self {
        AttributeValue::Bool(boolean)
    }
}

#[cfg(test)]
mod tests {
    use super::{AttributeType, AttributeValue};
    use crate::Item;

    /// Rule 15: the order in which a set was sent is irrelevant for equality, at any depth.
    #[test]
    fn equality_ignores_the_order_of_sets() {
        let nested = |members: [&str; 3]| {
            let set = AttributeValue::Ss(members.map(str::to_owned).into());
            let numbers =
                AttributeValue::Ns(members.map(|m| m.len().to_string().parse().unwrap()).into());
            AttributeValue::L(vec![AttributeValue::M(Item::from([
                ("strings", set),
                ("numbers", numbers),
            ]))])
        };
        assert_eq!(nested(["a", "bb", "ccc"]), nested(["ccc", "a", "bb"]));
        assert_ne!(nested(["a", "bb", "ccc"]), nested(["a", "bb", "cccc"]));
    }

    /// Rules 12 and 18: equality of numbers is numeric, and types never mix (rule 19).
    #[test]
    fn equality_is_by_type_and_value() {
        let number = |text: &str| AttributeValue::N(text.parse().unwrap());
        assert_eq!(number("1.50"), number("15e-1"));
        assert_ne!(number("1"), AttributeValue::from("1"));
        assert_ne!(AttributeValue::from("a"), AttributeValue::B(b"a".to_vec()));
        assert_ne!(AttributeValue::Null, AttributeValue::from(false));
    }

    /// Rule 21: ten type names, exactly as written.
    #[test]
    fn descriptors_name_the_ten_types() {
        let names = ["S", "N", "B", "BOOL", "NULL", "M", "L", "SS", "NS", "BS"];
        assert_eq!(AttributeType::ALL.map(AttributeType::descriptor), names);
        for name in names {
            let attribute_type = AttributeType::from_descriptor(name);
            assert_eq!(attribute_type.map(|t| t.to_string()).as_deref(), Some(name));
        }
        for name in ["", "s", "Bool", "STRING", "S "] {
            assert_eq!(AttributeType::from_descriptor(name), None, "{name}");
        }
    }
}
