//! Attribute values into Rust types.

use std::vec;

use serde::de::value::{SeqDeserializer, StrDeserializer};
use serde::de::{
    DeserializeSeed, Deserializer, EnumAccess, Error as _, IntoDeserializer, MapAccess,
    VariantAccess, Visitor,
};
use serde::forward_to_deserialize_any;
use values::{AttributeValue, Name, Number};

use super::error::ConversionError;

/// Gives an attribute value to a type.
pub(super) struct FromValue(pub AttributeValue);

impl<'de> IntoDeserializer<'de, ConversionError> for FromValue {
    type Deserializer = FromValue;

    fn into_deserializer(self) -> FromValue {
        self
    }
}

impl<'de> Deserializer<'de> for FromValue {
    type Error = ConversionError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ConversionError> {
        match self.0 {
            AttributeValue::S(text) => visitor.visit_string(text),
            AttributeValue::N(number) => visit_number(&number, visitor),
            AttributeValue::B(bytes) => visitor.visit_byte_buf(bytes),
            AttributeValue::Bool(flag) => visitor.visit_bool(flag),
            AttributeValue::Null => visitor.visit_unit(),
            AttributeValue::M(item) => {
                visitor.visit_map(Attributes { rest: item.into_iter(), value: None })
            }
            AttributeValue::L(list) => {
                visitor.visit_seq(SeqDeserializer::new(list.into_iter().map(FromValue)))
            }
            AttributeValue::Ss(set) => visitor.visit_seq(SeqDeserializer::new(set.into_iter())),
            AttributeValue::Ns(set) => {
                let numbers = set.into_iter().map(|number| FromValue(AttributeValue::N(number)));
                visitor.visit_seq(SeqDeserializer::new(numbers))
            }
            AttributeValue::Bs(set) => {
                let binaries = set.into_iter().map(|bytes| FromValue(AttributeValue::B(bytes)));
                visitor.visit_seq(SeqDeserializer::new(binaries))
            }
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ConversionError> {
        match self.0 {
            AttributeValue::Null => visitor.visit_none(),
            _ => visitor.visit_some(self),
        }
    }

    /// A type that wants a text of a number gets its digits: exact, whatever their count.
    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ConversionError> {
        match self.0 {
            AttributeValue::N(number) => visitor.visit_string(number.to_string()),
            _ => self.deserialize_any(visitor),
        }
    }

    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ConversionError> {
        self.deserialize_string(visitor)
    }

    fn deserialize_u128<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ConversionError> {
        self.whole(|digits| digits.parse().ok(), |number| visitor.visit_u128(number))
    }

    fn deserialize_i128<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ConversionError> {
        self.whole(|digits| digits.parse().ok(), |number| visitor.visit_i128(number))
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, ConversionError> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, ConversionError> {
        match self.0 {
            AttributeValue::S(variant) => visitor.visit_enum(variant.into_deserializer()),
            AttributeValue::M(item) if item.len() == 1 => {
                let Some((variant, value)) = item.into_iter().next() else {
                    return Err(ConversionError::custom("a variant has a name"));
                };
                visitor.visit_enum(Variant { name: variant, value })
            }
            other => {
                let found = other.attribute_type();
                Err(ConversionError::custom(format!("a variant is a name, not {found}")))
            }
        }
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 u8 u16 u32 u64 f32 f64 char bytes byte_buf unit unit_struct seq tuple
        tuple_struct map struct identifier ignored_any
    }
}

impl FromValue {
    fn whole<T, R>(
        self,
        read: impl FnOnce(&str) -> Option<T>,
        visit: impl FnOnce(T) -> Result<R, ConversionError>,
    ) -> Result<R, ConversionError> {
        let found = self.0.attribute_type();
        let digits =
            if let AttributeValue::N(number) = self.0 { number.to_string() } else { String::new() };
        match read(&digits) {
            Some(number) => visit(number),
            None => Err(ConversionError::custom(format!("{found} {digits} is not a whole number"))),
        }
    }
}

fn visit_number<'de, V: Visitor<'de>>(
    number: &Number,
    visitor: V,
) -> Result<V::Value, ConversionError> {
    if let Some(number) = number.to_i64() {
        return match u64::try_from(number) {
            Ok(number) => visitor.visit_u64(number),
            Err(_) => visitor.visit_i64(number),
        };
    }
    let digits = number.to_string();
    if let Ok(number) = digits.parse::<u64>() {
        return visitor.visit_u64(number);
    }
    let parsed = digits.parse::<f64>();
    visitor.visit_f64(parsed.map_err(|error| ConversionError::custom(error.to_string()))?)
}

/// The attributes of an item, one after the other.
struct Attributes {
    rest: vec::IntoIter<(Name, AttributeValue)>,
    value: Option<AttributeValue>,
}

impl<'de> MapAccess<'de> for Attributes {
    type Error = ConversionError;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, ConversionError> {
        let Some((name, value)) = self.rest.next() else { return Ok(None) };
        self.value = Some(value);
        seed.deserialize(name.as_str().into_deserializer()).map(Some)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(
        &mut self,
        seed: V,
    ) -> Result<V::Value, ConversionError> {
        let value = self.value.take();
        seed.deserialize(FromValue(value.ok_or_else(|| ConversionError::custom("no name yet"))?))
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.rest.len())
    }
}

/// A variant with something in it.
struct Variant {
    name: Name,
    value: AttributeValue,
}

impl<'de> EnumAccess<'de> for Variant {
    type Error = ConversionError;
    type Variant = Content;

    fn variant_seed<V: DeserializeSeed<'de>>(
        self,
        seed: V,
    ) -> Result<(V::Value, Content), ConversionError> {
        let name: StrDeserializer<'_, ConversionError> = self.name.as_str().into_deserializer();
        let name = seed.deserialize(name)?;
        Ok((name, Content(self.value)))
    }
}

struct Content(AttributeValue);

impl<'de> VariantAccess<'de> for Content {
    type Error = ConversionError;

    fn unit_variant(self) -> Result<(), ConversionError> {
        Ok(())
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(
        self,
        seed: T,
    ) -> Result<T::Value, ConversionError> {
        seed.deserialize(FromValue(self.0))
    }

    fn tuple_variant<V: Visitor<'de>>(
        self,
        _: usize,
        visitor: V,
    ) -> Result<V::Value, ConversionError> {
        FromValue(self.0).deserialize_any(visitor)
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, ConversionError> {
        FromValue(self.0).deserialize_any(visitor)
    }
}
