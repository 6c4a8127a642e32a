//! What an attribute is tested for by a filter of a list.

use values::AttributeValue;

/// A test of an attribute. A value alone tests whether the attribute is that value, and `None` for an
/// optional value tests nothing.
#[derive(Clone, Debug, PartialEq)]
pub enum Test<T = AttributeValue> {
    /// It is the value.
    Equals(T),
    /// It is not the value, or not there.
    NotEquals(T),
    /// It is less.
    LessThan(T),
    /// It is less or equal.
    AtMost(T),
    /// It is greater.
    GreaterThan(T),
    /// It is greater or equal.
    AtLeast(T),
    /// It is there.
    Exists,
    /// It is not there.
    Absent,
    /// It may be anything, or not there: nothing is filtered.
    Any,
}

impl<T> From<T> for Test<T> {
    fn from(value: T) -> Test<T> {
        Test::Equals(value)
    }
}

impl<T> From<Option<T>> for Test<T> {
    fn from(value: Option<T>) -> Test<T> {
        value.map_or(Test::Any, Test::Equals)
    }
}

impl<T: Into<AttributeValue>> Test<T> {
    /// The same test of a value of any type.
    pub(crate) fn untyped(self) -> Test {
        match self {
            Test::Equals(value) => Test::Equals(value.into()),
            Test::NotEquals(value) => Test::NotEquals(value.into()),
            Test::LessThan(value) => Test::LessThan(value.into()),
            Test::AtMost(value) => Test::AtMost(value.into()),
            Test::GreaterThan(value) => Test::GreaterThan(value.into()),
            Test::AtLeast(value) => Test::AtLeast(value.into()),
            Test::Exists => Test::Exists,
            Test::Absent => Test::Absent,
            Test::Any => Test::Any,
        }
    }
}

impl Test {
    /// DynamoDB's text, with `#n` for the attribute and `:v` for the value; nothing if nothing is
    /// filtered.
    pub(crate) const fn parts(&self) -> Option<(&'static str, Option<&AttributeValue>)> {
        Some(match self {
            Test::Equals(value) => ("#n = :v", Some(value)),
            Test::NotEquals(value) => ("#n <> :v", Some(value)),
            Test::LessThan(value) => ("#n < :v", Some(value)),
            Test::AtMost(value) => ("#n <= :v", Some(value)),
            Test::GreaterThan(value) => ("#n > :v", Some(value)),
            Test::AtLeast(value) => ("#n >= :v", Some(value)),
            Test::Exists => ("attribute_exists(#n)", None),
            Test::Absent => ("attribute_not_exists(#n)", None),
            Test::Any => return None,
        })
    }
}
