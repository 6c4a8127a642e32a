//! Decoding, over bytes that may be damaged.

use super::{CodecError, tag};
use crate::{AttributeValue, Item, Name, Number};

/// Elements for which room is made before any was read. More room is made as they arrive, so a
/// damaged count cannot allocate what the bytes do not hold.
const PREALLOCATED_MAX: usize = 64;

/// A position in encoded bytes.
pub(crate) struct Reader<'a> {
    bytes: &'a [u8],
    offset: usize,
}

impl<'a> Reader<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Reader<'a> {
        Reader { bytes, offset: 0 }
    }

    /// Nothing may follow what was read.
    pub(crate) fn finish(&self) -> Result<(), CodecError> {
        if self.offset == self.bytes.len() { Ok(()) } else { Err(self.error()) }
    }

    pub(crate) fn item(&mut self, levels: usize) -> Result<Item, CodecError> {
        let count = self.count()?;
        let mut attributes: Vec<(Name, AttributeValue)> =
            Vec::with_capacity(count.min(PREALLOCATED_MAX));
        for _ in 0..count {
            let name = self.text()?;
            if attributes.last().is_some_and(|(last, _)| last.as_str() >= name) {
                return Err(self.error());
            }
            attributes.push((Name::from(name), self.value(levels)?));
        }
        Ok(Item::from_ascending(attributes))
    }

    /// Reads a value that may take up this many levels, itself included.
    pub(crate) fn value(&mut self, levels: usize) -> Result<AttributeValue, CodecError> {
        let inner = levels.checked_sub(1).ok_or_else(|| self.error())?;
        Ok(match self.byte()? {
            tag::STRING => AttributeValue::S(self.text()?.to_owned()),
            tag::NUMBER => AttributeValue::N(self.number()?),
            tag::BINARY => AttributeValue::B(self.bytes()?.to_owned()),
            tag::FALSE => AttributeValue::Bool(false),
            tag::TRUE => AttributeValue::Bool(true),
            tag::NULL => AttributeValue::Null,
            tag::MAP => AttributeValue::M(self.item(inner)?),
            tag::LIST => {
                let count = self.count()?;
                let mut list = Vec::with_capacity(count.min(PREALLOCATED_MAX));
                for _ in 0..count {
                    list.push(self.value(inner)?);
                }
                AttributeValue::L(list)
            }
            tag::STRING_SET => {
                AttributeValue::Ss(self.set(|reader| Ok(reader.text()?.to_owned()))?)
            }
            tag::NUMBER_SET => AttributeValue::Ns(self.set(Reader::number)?),
            tag::BINARY_SET => {
                AttributeValue::Bs(self.set(|reader| Ok(reader.bytes()?.to_owned()))?)
            }
            _ => return Err(self.error()),
        })
    }

    /// Steps over a value. Looks only at what is needed to find its end.
    pub(crate) fn skip_value(&mut self, levels: usize) -> Result<(), CodecError> {
        let inner = levels.checked_sub(1).ok_or_else(|| self.error())?;
        match self.byte()? {
            tag::STRING | tag::BINARY => self.bytes().map(drop),
            tag::NUMBER => self.skip_number(),
            tag::FALSE | tag::TRUE | tag::NULL => Ok(()),
            tag::MAP => self.skip_elements(|reader| {
                reader.bytes()?;
                reader.skip_value(inner)
            }),
            tag::LIST => self.skip_elements(|reader| reader.skip_value(inner)),
            tag::STRING_SET | tag::BINARY_SET => {
                self.skip_elements(|reader| reader.bytes().map(drop))
            }
            tag::NUMBER_SET => self.skip_elements(Reader::skip_number),
            _ => Err(self.error()),
        }
    }

    /// Reads a number of elements. Each takes at least one byte, so a count above what is left is
    /// damage.
    pub(crate) fn count(&mut self) -> Result<usize, CodecError> {
        let count = usize::try_from(self.unsigned()?).map_err(|_| self.error())?;
        if count > self.bytes.len() - self.offset { Err(self.error()) } else { Ok(count) }
    }

    /// Reads a length and that many bytes.
    pub(crate) fn bytes(&mut self) -> Result<&'a [u8], CodecError> {
        let length = self.count()?;
        let end = self.offset + length;
        let content = self.bytes.get(self.offset..end).ok_or_else(|| self.error())?;
        self.offset = end;
        Ok(content)
    }

    pub(crate) fn text(&mut self) -> Result<&'a str, CodecError> {
        let start = self.offset;
        std::str::from_utf8(self.bytes()?).map_err(|_| CodecError { offset: start })
    }

    fn set<T: Ord, S: FromIterator<T>>(
        &mut self,
        read: impl Fn(&mut Reader<'a>) -> Result<T, CodecError>,
    ) -> Result<S, CodecError> {
        let count = self.count()?;
        let mut members: Vec<T> = Vec::with_capacity(count.min(PREALLOCATED_MAX));
        for _ in 0..count {
            let member = read(self)?;
            if members.last().is_some_and(|last| *last >= member) {
                return Err(self.error());
            }
            members.push(member);
        }
        Ok(members.into_iter().collect())
    }

    fn skip_elements(
        &mut self,
        skip: impl Fn(&mut Reader<'a>) -> Result<(), CodecError>,
    ) -> Result<(), CodecError> {
        let count = self.count()?;
        (0..count).try_for_each(|_| skip(self))
    }

    pub(crate) fn number(&mut self) -> Result<Number, CodecError> {
        let scale = self.unsigned()?;
        let coefficient = self.unsigned_wide()?;
        let exponent = i16::try_from(scale >> 2).map_err(|_| self.error())?;
        // Undoes `2e` for e >= 0 and `-2e - 1` for e < 0: an odd zigzag means negative.
        let exponent = if scale & 2 == 0 { exponent } else { -exponent - 1 };
        Number::from_parts(scale & 1 == 1, coefficient, exponent).ok_or_else(|| self.error())
    }

    fn skip_number(&mut self) -> Result<(), CodecError> {
        self.unsigned()?;
        self.unsigned_wide().map(drop)
    }

    /// Reads an LEB128 integer of at most 64 bits, in its shortest form only.
    fn unsigned(&mut self) -> Result<u64, CodecError> {
        // Lengths, counts and scales are nearly always one byte.
        let mut byte = self.byte()?;
        let mut value = u64::from(byte & 0x7F);
        let mut shift = 7;
        while byte >= 0x80 {
            byte = self.byte()?;
            if byte == 0 || shift > 63 || (shift == 63 && byte > 1) {
                return Err(self.error());
            }
            value |= u64::from(byte & 0x7F) << shift;
            shift += 7;
        }
        Ok(value)
    }

    /// The same for a coefficient, whose 38 digits need 127 bits: 18 groups of 7, and one bit.
    fn unsigned_wide(&mut self) -> Result<u128, CodecError> {
        let mut byte = self.byte()?;
        let mut value = u128::from(byte & 0x7F);
        let mut shift = 7;
        while byte >= 0x80 {
            byte = self.byte()?;
            if byte == 0 || shift > 126 || (shift == 126 && byte > 1) {
                return Err(self.error());
            }
            value |= u128::from(byte & 0x7F) << shift;
            shift += 7;
        }
        Ok(value)
    }

    pub(crate) fn byte(&mut self) -> Result<u8, CodecError> {
        let byte = *self.bytes.get(self.offset).ok_or_else(|| self.error())?;
        self.offset += 1;
        Ok(byte)
    }

    pub(crate) fn error(&self) -> CodecError {
        CodecError { offset: self.offset }
    }
}
