//! What serde has no words for: exact numbers, and sets. The serializer knows them by the names of
//! newtypes.

pub(super) const NUMBER: &str = "$plinth::Number";
pub(super) const STRING_SET: &str = "$plinth::StringSet";
pub(super) const NUMBER_SET: &str = "$plinth::NumberSet";
pub(super) const BINARY_SET: &str = "$plinth::BinarySet";

macro_rules! with {
    ($(#[$about:meta])* $module:ident, $name:ident) => {
        $(#[$about])*
        pub mod $module {
            use serde::{Deserialize, Deserializer, Serialize, Serializer};

            /// Writes it.
            pub fn serialize<T: Serialize, S: Serializer>(
                value: &T,
                serializer: S,
            ) -> Result<S::Ok, S::Error> {
                serializer.serialize_newtype_struct(super::$name, value)
            }

            /// Reads it.
            pub fn deserialize<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
                deserializer: D,
            ) -> Result<T, D::Error> {
                T::deserialize(deserializer)
            }
        }
    };
}

with! {
    /// A text of digits, such as a decimal's, as an exact number.
    number, NUMBER
}
with! {
    /// A collection of texts as a set of strings.
    string_set, STRING_SET
}
with! {
    /// A collection of numbers as a set of numbers.
    number_set, NUMBER_SET
}
with! {
    /// A collection of byte strings (`serde_bytes`) as a set of binaries.
    binary_set, BINARY_SET
}
