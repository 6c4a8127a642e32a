//! A change of the log as a reader of the stream sees it.

use values::{AttributeType, Item, size};

use super::position::Position;
use super::view::damaged;
use crate::catalog::StreamDefinition;
use crate::keys;
use crate::log::{CommitRecord, ItemChange};
use crate::operations::{EventName, Record};
use crate::shapes::{KeyType, StreamViewType};
use crate::{Error, stored};

/// Bytes of an event id: the start of the commit's hash, and the place of the change.
const EVENT_HASH_BYTES: usize = 14;

/// Builds the record of one change.
pub fn build(
    stream: &StreamDefinition,
    region: &str,
    commit: &CommitRecord,
    place: Position,
    change: &ItemChange<'_>,
) -> Result<Record, Error> {
    let keys = key_attributes(stream, change.item_key)?;
    let (shows_new, shows_old) = match stream.view_type {
        StreamViewType::KeysOnly => (false, false),
        StreamViewType::NewImage => (true, false),
        StreamViewType::OldImage => (false, true),
        StreamViewType::NewAndOldImages => (true, true),
    };
    let image =
        |shown: bool, bytes: Option<&[u8]>| bytes.filter(|_| shown).map(stored::item).transpose();
    let new_image = image(shows_new, change.new)?;
    let old_image = image(shows_old, change.old)?;
    // What the samples in the AWS Lambda guide ("Using AWS Lambda with Amazon DynamoDB") show: 26
    // bytes for an insert, 59 for a change and 38 for a removal of the same small item are the keys
    // and the images, each weighed as items are.
    let images = [&new_image, &old_image].into_iter().flatten();
    let size_bytes = size::item_size(&keys) + images.map(size::item_size).sum::<usize>();
    Ok(Record {
        event_id: event_id(commit, place),
        event_name: match (change.existed, change.new) {
            (_, None) => EventName::Remove,
            (false, Some(_)) => EventName::Insert,
            (true, Some(_)) => EventName::Modify,
        },
        aws_region: region.to_owned(),
        // "Rounded down to the closest second": API reference, StreamRecord.
        approximate_creation_date_time: commit.time / 1000 * 1000,
        keys,
        new_image,
        old_image,
        sequence_number: place.sequence_number(),
        size_bytes: size_bytes as u64,
        stream_view_type: stream.view_type,
        by_time_to_live: change.by_time_to_live,
    })
}

/// 32 hexadecimal digits: no two changes share a commit and a place in it.
fn event_id(commit: &CommitRecord, place: Position) -> String {
    let mut bytes = commit.hash.get(..EVENT_HASH_BYTES).unwrap_or_default().to_vec();
    bytes.extend_from_slice(&place.change.to_be_bytes());
    values::hexadecimal::encode(&bytes)
}

/// The key attributes of an item, from its storage key: the log need not hold any image.
fn key_attributes(stream: &StreamDefinition, item_part: &[u8]) -> Result<Item, Error> {
    let (hash_name, hash_type) = key_attribute(stream, KeyType::Hash).ok_or_else(damaged)?;
    let sort = key_attribute(stream, KeyType::Range);
    let sort_type = sort.map(|(_, sort_type)| sort_type);
    let (hash_value, sort_value) =
        keys::decode_item_part(item_part, hash_type, sort_type).ok_or_else(damaged)?;
    let mut attributes = Item::from([(hash_name, hash_value)]);
    if let Some(((sort_name, _), sort_value)) = sort.zip(sort_value) {
        attributes.insert(sort_name, sort_value);
    }
    Ok(attributes)
}

fn key_attribute(stream: &StreamDefinition, key_type: KeyType) -> Option<(&str, AttributeType)> {
    let element = stream.key_schema.iter().find(|element| element.key_type == key_type)?;
    let definition = stream
        .attribute_definitions
        .iter()
        .find(|definition| definition.attribute_name == element.attribute_name)?;
    Some((&element.attribute_name, definition.attribute_type.into()))
}
