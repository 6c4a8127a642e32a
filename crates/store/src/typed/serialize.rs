//! Rust types into attribute values.

use std::fmt::Display;

use serde::ser::{
    Serialize, SerializeMap, SerializeSeq, SerializeStruct, SerializeStructVariant, SerializeTuple,
    SerializeTupleStruct, SerializeTupleVariant, Serializer,
};
use values::{AttributeValue, Item, Name};

use super::error::ConversionError;
use super::special::{BINARY_SET, NUMBER, NUMBER_SET, STRING_SET};

type Outcome = Result<AttributeValue, ConversionError>;

/// Makes an attribute value.
#[derive(Clone, Copy)]
pub(super) struct ToValue;

impl Serializer for ToValue {
    type Ok = AttributeValue;
    type Error = ConversionError;
    type SerializeSeq = List;
    type SerializeTuple = List;
    type SerializeTupleStruct = List;
    type SerializeTupleVariant = List;
    type SerializeMap = Map;
    type SerializeStruct = Map;
    type SerializeStructVariant = Map;

    fn serialize_bool(self, flag: bool) -> Outcome {
        Ok(AttributeValue::Bool(flag))
    }

    fn serialize_i8(self, number: i8) -> Outcome {
        self.serialize_i64(i64::from(number))
    }

    fn serialize_i16(self, number: i16) -> Outcome {
        self.serialize_i64(i64::from(number))
    }

    fn serialize_i32(self, number: i32) -> Outcome {
        self.serialize_i64(i64::from(number))
    }

    fn serialize_i64(self, number: i64) -> Outcome {
        Ok(AttributeValue::from(number))
    }

    fn serialize_i128(self, number: i128) -> Outcome {
        digits(number)
    }

    fn serialize_u8(self, number: u8) -> Outcome {
        self.serialize_i64(i64::from(number))
    }

    fn serialize_u16(self, number: u16) -> Outcome {
        self.serialize_i64(i64::from(number))
    }

    fn serialize_u32(self, number: u32) -> Outcome {
        self.serialize_i64(i64::from(number))
    }

    fn serialize_u64(self, number: u64) -> Outcome {
        i64::try_from(number).map_or_else(|_| digits(number), |number| self.serialize_i64(number))
    }

    fn serialize_u128(self, number: u128) -> Outcome {
        digits(number)
    }

    fn serialize_f32(self, number: f32) -> Outcome {
        digits(number)
    }

    fn serialize_f64(self, number: f64) -> Outcome {
        digits(number)
    }

    fn serialize_char(self, character: char) -> Outcome {
        Ok(AttributeValue::S(character.to_string()))
    }

    fn serialize_str(self, text: &str) -> Outcome {
        Ok(AttributeValue::from(text))
    }

    fn serialize_bytes(self, bytes: &[u8]) -> Outcome {
        Ok(AttributeValue::B(bytes.to_vec()))
    }

    fn serialize_none(self) -> Outcome {
        Ok(AttributeValue::Null)
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Outcome {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Outcome {
        Ok(AttributeValue::Null)
    }

    fn serialize_unit_struct(self, _: &'static str) -> Outcome {
        Ok(AttributeValue::Null)
    }

    fn serialize_unit_variant(self, _: &'static str, _: u32, variant: &'static str) -> Outcome {
        Ok(AttributeValue::from(variant))
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        name: &'static str,
        value: &T,
    ) -> Outcome {
        let value = value.serialize(self)?;
        match name {
            NUMBER => exact(value),
            STRING_SET | NUMBER_SET | BINARY_SET => set(name, value),
            _ => Ok(value),
        }
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        value: &T,
    ) -> Outcome {
        Ok(AttributeValue::M(Item::from([(Name::const_new(variant), value.serialize(self)?)])))
    }

    fn serialize_seq(self, length: Option<usize>) -> Result<List, ConversionError> {
        Ok(List { values: Vec::with_capacity(length.unwrap_or(0).min(1024)), variant: None })
    }

    fn serialize_tuple(self, length: usize) -> Result<List, ConversionError> {
        self.serialize_seq(Some(length))
    }

    fn serialize_tuple_struct(
        self,
        _: &'static str,
        length: usize,
    ) -> Result<List, ConversionError> {
        self.serialize_seq(Some(length))
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<List, ConversionError> {
        Ok(List { values: Vec::new(), variant: Some(variant) })
    }

    fn serialize_map(self, length: Option<usize>) -> Result<Map, ConversionError> {
        Ok(Map::new(length.unwrap_or(0), None))
    }

    fn serialize_struct(self, _: &'static str, length: usize) -> Result<Map, ConversionError> {
        Ok(Map::new(length, None))
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        length: usize,
    ) -> Result<Map, ConversionError> {
        Ok(Map::new(length, Some(variant)))
    }
}

fn digits(number: impl Display) -> Outcome {
    exact(AttributeValue::S(number.to_string()))
}

/// A text of digits as a number; what is a number already stays one, and nothing stays nothing.
fn exact(value: AttributeValue) -> Outcome {
    match value {
        AttributeValue::S(digits) => digits.parse().map(AttributeValue::N).map_err(|error| {
            ConversionError::new(format!("{digits} is not a number that DynamoDB has: {error}"))
        }),
        AttributeValue::N(_) | AttributeValue::Null => Ok(value),
        other => {
            let found = other.attribute_type();
            Err(ConversionError::new(format!("a number is made of a text, not of {found}")))
        }
    }
}

/// A list as a set. DynamoDB has no empty sets: that is nothing.
fn set(name: &str, value: AttributeValue) -> Outcome {
    let AttributeValue::L(values) = value else {
        let found = value.attribute_type();
        return match value {
            AttributeValue::Null => Ok(value),
            _ => Err(ConversionError::new(format!("a set is made of a list, not of {found}"))),
        };
    };
    if values.is_empty() {
        return Ok(AttributeValue::Null);
    }
    let wrong = || ConversionError::new("a set has members of its own type only");
    let collected = match name {
        STRING_SET => {
            let text = |value| if let AttributeValue::S(text) = value { Some(text) } else { None };
            values.into_iter().map(text).collect::<Option<_>>().map(AttributeValue::Ss)
        }
        NUMBER_SET => {
            let number = |value| match exact(value) {
                Ok(AttributeValue::N(number)) => Some(number),
                _ => None,
            };
            values.into_iter().map(number).collect::<Option<_>>().map(AttributeValue::Ns)
        }
        _ => {
            let bytes =
                |value| if let AttributeValue::B(bytes) = value { Some(bytes) } else { None };
            values.into_iter().map(bytes).collect::<Option<_>>().map(AttributeValue::Bs)
        }
    };
    collected.ok_or_else(wrong)
}

/// A list in the making.
pub(super) struct List {
    values: Vec<AttributeValue>,
    variant: Option<&'static str>,
}

impl List {
    fn push<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), ConversionError> {
        self.values.push(value.serialize(ToValue)?);
        Ok(())
    }

    fn finish(self) -> Outcome {
        Ok(within(self.variant, AttributeValue::L(self.values)))
    }
}

/// A map in the making.
pub(super) struct Map {
    attributes: Vec<(Name, AttributeValue)>,
    name: Option<Name>,
    variant: Option<&'static str>,
}

impl Map {
    fn new(length: usize, variant: Option<&'static str>) -> Map {
        // Room for the keys that patterns add.
        Map { attributes: Vec::with_capacity(length.min(1024) + 4), name: None, variant }
    }

    fn finish(self) -> Outcome {
        Ok(within(self.variant, AttributeValue::M(Item::from(self.attributes))))
    }
}

fn within(variant: Option<&'static str>, value: AttributeValue) -> AttributeValue {
    match variant {
        Some(variant) => AttributeValue::M(Item::from([(Name::const_new(variant), value)])),
        None => value,
    }
}

macro_rules! of_list {
    ($trait:ident, $method:ident) => {
        impl $trait for List {
            type Ok = AttributeValue;
            type Error = ConversionError;

            fn $method<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), ConversionError> {
                self.push(value)
            }

            fn end(self) -> Outcome {
                self.finish()
            }
        }
    };
}

of_list!(SerializeSeq, serialize_element);
of_list!(SerializeTuple, serialize_element);
of_list!(SerializeTupleStruct, serialize_field);
of_list!(SerializeTupleVariant, serialize_field);

macro_rules! of_map {
    ($trait:ident) => {
        impl $trait for Map {
            type Ok = AttributeValue;
            type Error = ConversionError;

            fn serialize_field<T: Serialize + ?Sized>(
                &mut self,
                name: &'static str,
                value: &T,
            ) -> Result<(), ConversionError> {
                // A name that is part of the program is never copied to the heap.
                self.attributes.push((Name::const_new(name), value.serialize(ToValue)?));
                Ok(())
            }

            fn end(self) -> Outcome {
                self.finish()
            }
        }
    };
}

of_map!(SerializeStruct);
of_map!(SerializeStructVariant);

impl SerializeMap for Map {
    type Ok = AttributeValue;
    type Error = ConversionError;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), ConversionError> {
        self.name = match key.serialize(ToValue)? {
            AttributeValue::S(text) => Some(text.into()),
            AttributeValue::N(number) => Some(number.to_string().into()),
            AttributeValue::Bool(flag) => Some(flag.to_string().into()),
            other => {
                let found = other.attribute_type();
                return Err(ConversionError::new(format!("a name is a text, not {found}")));
            }
        };
        Ok(())
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), ConversionError> {
        let name = self.name.take().unwrap_or_default();
        self.attributes.push((name, value.serialize(ToValue)?));
        Ok(())
    }

    fn end(self) -> Outcome {
        self.finish()
    }
}
