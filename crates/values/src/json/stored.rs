//! From the stored form straight to JSON text, with the item's size on the way: what most reads want,
//! without the tree in between.

use super::write;
use crate::codec::reader::Reader;
use crate::codec::{CodecError, DECODED_LEVELS_MAX, tag};
use crate::limits::{CONTAINER_OVERHEAD_BYTES, ELEMENT_OVERHEAD_BYTES};

/// Writes a stored item that fills `bytes` completely, and gives its size.
pub(super) fn item(bytes: &[u8], out: &mut Vec<u8>) -> Result<usize, CodecError> {
    let mut reader = Reader::new(bytes);
    let (_, size) = attributes(&mut reader, DECODED_LEVELS_MAX, out)?;
    reader.finish()?;
    Ok(size)
}

/// Writes the attributes of an item or map; gives their number and the size of names and values.
fn attributes(
    reader: &mut Reader<'_>,
    levels: usize,
    out: &mut Vec<u8>,
) -> Result<(usize, usize), CodecError> {
    let mut last: Option<&[u8]> = None;
    out.push(b'{');
    let sizes = elements(reader, out, |reader, out| {
        let name = string(reader, out)?;
        if last.is_some_and(|last| last >= name) {
            return Err(reader.error());
        }
        last = Some(name);
        out.push(b':');
        Ok(name.len() + value(reader, levels, out)?)
    })?;
    out.push(b'}');
    Ok(sizes)
}

/// Writes a value that may take up this many levels, itself included, and gives its size.
fn value(reader: &mut Reader<'_>, levels: usize, out: &mut Vec<u8>) -> Result<usize, CodecError> {
    let inner = levels.checked_sub(1).ok_or_else(|| reader.error())?;
    let mut is = |opening: &str| out.extend_from_slice(opening.as_bytes());
    let size = match reader.byte()? {
        tag::STRING => {
            is("{\"S\":");
            string(reader, out)?.len()
        }
        tag::NUMBER => {
            is("{\"N\":");
            let number = reader.number()?;
            write::number(&number, out);
            number.size()
        }
        tag::BINARY => {
            is("{\"B\":");
            let bytes = reader.bytes()?;
            write::binary(bytes, out);
            bytes.len()
        }
        tag::FALSE => {
            is("{\"BOOL\":false");
            1
        }
        tag::TRUE => {
            is("{\"BOOL\":true");
            1
        }
        tag::NULL => {
            is("{\"NULL\":true");
            1
        }
        tag::MAP => {
            is("{\"M\":");
            container(attributes(reader, inner, out)?)
        }
        tag::LIST => {
            is("{\"L\":[");
            let sizes = elements(reader, out, |reader, out| value(reader, inner, out))?;
            out.push(b']');
            container(sizes)
        }
        tag => set(tag, reader, out)?,
    };
    out.push(b'}');
    Ok(size)
}

/// Writes a set and gives its size.
fn set(tag: u8, reader: &mut Reader<'_>, out: &mut Vec<u8>) -> Result<usize, CodecError> {
    let (_, size) = match tag {
        tag::STRING_SET => {
            out.extend_from_slice(b"{\"SS\":[");
            let mut last = None;
            elements(reader, out, |reader, out| {
                let text = string(reader, out)?;
                ascending(&mut last, text).map_or_else(|| Err(reader.error()), |()| Ok(text.len()))
            })?
        }
        tag::NUMBER_SET => {
            out.extend_from_slice(b"{\"NS\":[");
            let mut last = None;
            elements(reader, out, |reader, out| {
                let number = reader.number()?;
                write::number(&number, out);
                let size = number.size();
                ascending(&mut last, number).map_or_else(|| Err(reader.error()), |()| Ok(size))
            })?
        }
        tag::BINARY_SET => {
            out.extend_from_slice(b"{\"BS\":[");
            let mut last = None;
            elements(reader, out, |reader, out| {
                let bytes = reader.bytes()?;
                write::binary(bytes, out);
                ascending(&mut last, bytes)
                    .map_or_else(|| Err(reader.error()), |()| Ok(bytes.len()))
            })?
        }
        _ => return Err(reader.error()),
    };
    out.push(b']');
    Ok(size)
}

/// Writes a text and gives its bytes, whose order is that of the texts.
fn string<'a>(reader: &mut Reader<'a>, out: &mut Vec<u8>) -> Result<&'a [u8], CodecError> {
    let start = reader.error();
    let bytes = reader.bytes()?;
    if !write::plain(bytes, out) {
        write::string(std::str::from_utf8(bytes).map_err(|_| start)?, out);
    }
    Ok(bytes)
}

/// Remembers a member, if it comes after the last one.
fn ascending<T: PartialOrd>(last: &mut Option<T>, member: T) -> Option<()> {
    if last.as_ref().is_some_and(|last| *last >= member) {
        return None;
    }
    *last = Some(member);
    Some(())
}

/// Writes what is counted, with commas between; gives the number and the sum of the sizes.
fn elements<'a>(
    reader: &mut Reader<'a>,
    out: &mut Vec<u8>,
    mut one: impl FnMut(&mut Reader<'a>, &mut Vec<u8>) -> Result<usize, CodecError>,
) -> Result<(usize, usize), CodecError> {
    let count = reader.count()?;
    let mut size = 0;
    for place in 0..count {
        if place > 0 {
            out.push(b',');
        }
        size += one(reader, out)?;
    }
    Ok((count, size))
}

fn container((count, size): (usize, usize)) -> usize {
    CONTAINER_OVERHEAD_BYTES + ELEMENT_OVERHEAD_BYTES * count + size
}
