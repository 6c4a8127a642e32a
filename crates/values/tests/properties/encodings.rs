//! Keys, the stored form, and JSON.

use proptest::prelude::*;
use values::json::Node;
use values::{AttributeType, AttributeValue, codec, json, key, size, validate};

use crate::strategies::{binary, item, key as key_value, text, value};

fn encoded_key(value: &AttributeValue) -> Vec<u8> {
    let mut bytes = Vec::new();
    assert!(key::encode(value, &mut bytes));
    bytes
}

fn encoded_item(item: &values::Item) -> Vec<u8> {
    let mut bytes = Vec::new();
    codec::encode_item(item, &mut bytes);
    bytes
}

/// Bytes that come close to the encodings: small counts and tags.
fn garbage() -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(prop_oneof![3 => 0..13_u8, 1 => any::<u8>()], 0..60)
}

proptest! {
    #[test]
    fn keys_round_trip(value in key_value(), rest in any::<[u8; 3]>()) {
        let mut bytes = encoded_key(&value);
        let length = bytes.len();
        let attribute_type = value.attribute_type();
        prop_assert_eq!(key::decode(attribute_type, &bytes[..length - 1]), None);
        bytes.extend(rest);
        prop_assert_eq!(key::decode(attribute_type, &bytes), Some((value, length)));
    }

    #[test]
    fn string_keys_sort_by_their_bytes(left in text(), right in text()) {
        let expected = left.as_bytes().cmp(right.as_bytes());
        prop_assert_eq!(encoded_key(&left.into()).cmp(&encoded_key(&right.into())), expected);
    }

    #[test]
    fn binary_keys_sort_by_their_bytes(left in binary(), right in binary()) {
        let expected = left.cmp(&right);
        let (left, right) = (AttributeValue::B(left), AttributeValue::B(right));
        prop_assert_eq!(encoded_key(&left).cmp(&encoded_key(&right)), expected);
    }

    #[test]
    fn prefixes_match_exactly_what_begins_with_them(
        prefix in binary(),
        value in binary(),
        extended in any::<bool>(),
    ) {
        let value = if extended { [prefix.clone(), value].concat() } else { value };
        let expected = value.starts_with(&prefix);
        let mut bytes = Vec::new();
        prop_assert!(key::encode_prefix(&AttributeValue::B(prefix), &mut bytes));
        prop_assert_eq!(encoded_key(&AttributeValue::B(value)).starts_with(&bytes), expected);
    }

    #[test]
    fn key_decoding_accepts_only_encodings(bytes in garbage()) {
        for attribute_type in AttributeType::ALL {
            if let Some((value, length)) = key::decode(attribute_type, &bytes) {
                prop_assert_eq!(encoded_key(&value), &bytes[..length]);
            }
        }
    }

    #[test]
    fn items_round_trip_through_storage(item in item()) {
        let bytes = encoded_item(&item);
        prop_assert_eq!(codec::decode_item(&bytes), Ok(item.clone()));
        for (name, value) in &item {
            let found = codec::decode_attribute(&bytes, name);
            prop_assert_eq!(found, Ok(Some(value.clone())));
        }
        prop_assert_eq!(codec::decode_attribute(&bytes, "not a name"), Ok(None));
    }

    #[test]
    fn values_round_trip_through_storage(value in value()) {
        let mut bytes = Vec::new();
        codec::encode_value(&value, &mut bytes);
        prop_assert_eq!(codec::decode_value(&bytes), Ok(value));
    }

    /// One item, one encoding: what is accepted encodes to the same bytes.
    #[test]
    fn decoding_accepts_only_encodings(bytes in garbage()) {
        if let Ok(item) = codec::decode_item(&bytes) {
            prop_assert_eq!(encoded_item(&item), bytes.clone());
        }
        let _ = codec::decode_attribute(&bytes, "a");
        if let Ok(value) = codec::decode_value(&bytes) {
            let mut encoding = Vec::new();
            codec::encode_value(&value, &mut encoding);
            prop_assert_eq!(encoding, bytes);
        }
    }

    /// A damaged byte is noticed, or gives another item; never the same one.
    #[test]
    fn damage_never_goes_unnoticed_silently(
        item in item(),
        place in any::<prop::sample::Index>(),
        change in 1..=255_u8,
    ) {
        let mut bytes = encoded_item(&item);
        let place = place.index(bytes.len());
        bytes[place] ^= change;
        prop_assert_ne!(codec::decode_item(&bytes), Ok(item.clone()));
        bytes[place] ^= change;
        prop_assert!(codec::decode_item(&bytes[..place]).is_err());
    }

    #[test]
    fn items_round_trip_through_json(item in item()) {
        let tree = json::item_to_json(&item);
        prop_assert_eq!(json::item_from_json(&Node::from(&tree)), Ok(item.clone()));
        let mut bytes = Vec::new();
        json::write_item(&item, &mut bytes);
        let written = String::from_utf8(bytes).expect("JSON is UTF-8");
        prop_assert_eq!(written, tree.to_string());
    }

    /// What goes straight from storage to text is what the long way gives.
    #[test]
    fn stored_items_become_the_same_json(item in item()) {
        let (mut expected, mut written) = (Vec::new(), Vec::new());
        json::write_item(&item, &mut expected);
        let size = json::write_stored_item(&encoded_item(&item), &mut written);
        prop_assert_eq!(String::from_utf8(written), String::from_utf8(expected));
        prop_assert_eq!(size, Ok(size::item_size(&item)));
    }

    /// The straight way accepts exactly what decoding does, damage and garbage included.
    #[test]
    fn the_straight_way_is_as_strict(
        garbage in garbage(),
        item in item(),
        place in any::<prop::sample::Index>(),
        change in 1..=255_u8,
    ) {
        let mut damaged = encoded_item(&item);
        let place = place.index(damaged.len());
        damaged[place] ^= change;
        for bytes in [garbage, damaged] {
            let written = json::write_stored_item(&bytes, &mut Vec::new());
            prop_assert_eq!(written.map(drop), codec::decode_item(&bytes).map(drop));
        }
    }

    #[test]
    fn any_json_is_read_or_refused(tree in any_json()) {
        let tree = Node::from(tree);
        if let Ok(value) = json::value_from_json(&tree) {
            prop_assert_eq!(json::value_from_json(&json::value_to_json(&value).into()), Ok(value));
        }
        // What has the wrong shape is never reported as a wrong value.
        if json::check_value_shape(&tree).is_err() {
            prop_assert_eq!(json::value_from_json(&tree).err(), json::check_value_shape(&tree).err());
        }
    }

    /// A map weighs its content, 3 bytes, and 1 for each entry (rule 23).
    #[test]
    fn sizes_add_up(item in item()) {
        let parts: usize = item.iter().map(|(name, value)| size::attribute_size(name, value)).sum();
        prop_assert_eq!(size::item_size(&item), parts);
        let count = item.len();
        prop_assert_eq!(size::value_size(&AttributeValue::M(item)), 3 + count + parts);
    }

    #[test]
    fn validation_finds_an_empty_set_anywhere(value in value()) {
        let nested = AttributeValue::L(vec![value, AttributeValue::Ns([].into())]);
        prop_assert!(validate::value(&nested).is_err());
    }
}

/// JSON that comes close to attribute values.
fn any_json() -> impl Strategy<Value = serde_json::Value> {
    use serde_json::Value;
    let name = prop_oneof![
        prop::sample::select(AttributeType::ALL.to_vec())
            .prop_map(|attribute_type| attribute_type.descriptor().to_owned()),
        "[a-z]{0,2}",
    ];
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        "[0-9]{0,3}|true|AAA=|\\PC{0,4}".prop_map(Value::from),
    ];
    leaf.prop_recursive(6, 30, 4, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
            prop::collection::btree_map(name.clone(), inner, 0..3)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}
