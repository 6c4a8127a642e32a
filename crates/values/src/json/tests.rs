//! Cases for DynamoDB JSON.

use serde_json::{Value, json};

use super::{
    JsonError, check_item_shape, item_from_json, item_to_json, value_from_json, value_to_json,
    write_item, write_string, write_value,
};
use crate::{AttributeValue, Item, ValueError};

#[track_caller]
fn check(json: Value, expected: AttributeValue) {
    assert_eq!(value_from_json(&json.clone().into()), Ok(expected.clone()), "{json}");
    assert_eq!(value_to_json(&expected), json);
    let mut written = Vec::new();
    write_value(&expected, &mut written);
    assert_eq!(String::from_utf8(written).unwrap(), json.to_string());
}

#[track_caller]
fn check_shape(json: Value, expected: &str) {
    assert_eq!(
        value_from_json(&json.clone().into()),
        Err(JsonError::Shape(expected.to_owned())),
        "{json}"
    );
}

#[track_caller]
fn check_value(json: Value, expected: &str) {
    match value_from_json(&json.clone().into()) {
        Err(JsonError::Value(error)) => assert_eq!(error.to_string(), expected, "{json}"),
        other => panic!("{json}: {other:?}"),
    }
}

#[test]
fn every_type_reads_and_writes() {
    check(json!({"S": ""}), "".into());
    check(json!({"S": "a\"\\/\n\u{1}é"}), "a\"\\/\n\u{1}é".into());
    check(json!({"N": "42"}), 42.into());
    check(json!({"B": "AP8="}), AttributeValue::B(vec![0, 255]));
    check(json!({"B": ""}), AttributeValue::B(vec![]));
    check(json!({"BOOL": true}), true.into());
    check(json!({"BOOL": false}), false.into());
    check(json!({"NULL": true}), AttributeValue::Null);
    check(
        json!({"M": {"a": {"N": "1"}, "b": {"M": {}}}}),
        AttributeValue::M(Item::from([("a", 1.into()), ("b", AttributeValue::M(Item::new()))])),
    );
    check(
        json!({"L": [{"S": "a"}, {"L": []}]}),
        AttributeValue::L(vec!["a".into(), AttributeValue::L(vec![])]),
    );
    check(json!({"SS": ["", "a"]}), AttributeValue::Ss(["".to_owned(), "a".to_owned()].into()));
    check(json!({"NS": ["-1", "2"]}), AttributeValue::Ns([(-1).into(), 2.into()].into()));
    check(json!({"BS": ["", "AQ=="]}), AttributeValue::Bs([vec![], vec![1]].into()));
    // Representable, so that `validate` can refuse them in their place.
    check(json!({"SS": []}), AttributeValue::Ss([].into()));
    check(json!({"M": {"": {"NULL": true}}}), {
        AttributeValue::M(Item::from([("", AttributeValue::Null)]))
    });
}

/// Rules 12 and 15, and the strings the service takes for booleans.
#[test]
fn reading_normalises() {
    for (json, expected) in [
        (json!({"N": "+001.50"}), json!({"N": "1.5"})),
        (json!({"NS": ["10", "9", "1e1000000000000000000000"]}), Value::Null),
        (json!({"NS": ["10", "9"]}), json!({"NS": ["9", "10"]})),
        (json!({"SS": ["b", "a"]}), json!({"SS": ["a", "b"]})),
        (json!({"BS": ["Ag==", "AQ=="]}), json!({"BS": ["AQ==", "Ag=="]})),
        (json!({"NULL": "yes"}), json!({"NULL": true})),
        (json!({"BOOL": "yEs"}), json!({"BOOL": true})),
        (json!({"BOOL": "0"}), json!({"BOOL": false})),
        (json!({"S": "a", "N": null, "unknown": 5}), json!({"S": "a"})),
    ] {
        let read = value_from_json(&json.clone().into())
            .map_or(Value::Null, |value| value_to_json(&value));
        assert_eq!(read, expected, "{json}");
    }
}

/// Rule 4, first half: the wrong JSON type is a matter of shape.
#[test]
fn wrong_shapes() {
    for content in [json!(123), json!(-1)] {
        check_shape(json!({"N": content}), "NUMBER_VALUE cannot be converted to String");
    }
    for name in ["S", "N"] {
        check_shape(json!({name: 1.5}), "DECIMAL_VALUE cannot be converted to String");
        check_shape(json!({name: true}), "TRUE_VALUE cannot be converted to String");
        check_shape(json!({name: false}), "FALSE_VALUE cannot be converted to String");
        check_shape(json!({name: []}), "Unrecognized collection type class java.lang.String");
        check_shape(json!({name: {}}), "Start of structure or map found where not expected");
    }
    for name in ["BOOL", "NULL"] {
        check_shape(json!({name: "maybe"}), "Unexpected token received from parser");
        check_shape(json!({name: 1}), "NUMBER_VALUE cannot be converted to Boolean");
        check_shape(json!({name: 0.5}), "DECIMAL_VALUE cannot be converted to Boolean");
        check_shape(json!({name: {}}), "Start of structure or map found where not expected");
        check_shape(json!({name: []}), "");
    }
    for name in ["L", "SS", "NS", "BS"] {
        check_shape(json!({name: "a"}), "Unexpected field type");
        check_shape(json!({name: {}}), "Start of structure or map found where not expected");
    }
    check_shape(json!({"SS": [1]}), "NUMBER_VALUE cannot be converted to String");
    check_shape(json!({"NS": [1]}), "NUMBER_VALUE cannot be converted to String");
    check_shape(json!({"B": 1}), "only base-64-encoded strings are convertible to bytes");
    check_shape(json!({"B": []}), "Unrecognized collection type class java.nio.ByteBuffer");
    check_shape(json!({"M": "a"}), "Unexpected field type");
    check_shape(json!({"L": ["a"]}), "Unexpected value type in payload");
    check_shape(json!({"M": {"a": 5}}), "Unexpected value type in payload");
    check_shape(
        json!([]),
        "Unrecognized collection type class com.amazonaws.dynamodb.v20120810.AttributeValue",
    );
    let map = "Unrecognized collection type java.util.Map<java.lang.String, \
               com.amazonaws.dynamodb.v20120810.AttributeValue>";
    check_shape(json!({"M": []}), map);
    assert_eq!(item_from_json(&json!([]).into()), Err(JsonError::Shape(map.to_owned())));
    let scalar = JsonError::Shape("Unexpected field type".to_owned());
    assert_eq!(item_from_json(&json!("a").into()), Err(scalar));
}

/// Rule 17: padded, valid base64 and nothing else.
#[test]
fn binary_is_padded_base64() {
    for (text, expected) in [
        ("23456", "Base64 encoded length is expected a multiple of 4 bytes but found: 5"),
        ("AP8", "Base64 encoded length is expected a multiple of 4 bytes but found: 3"),
        ("AP", "Base64 encoded length is expected a multiple of 4 bytes but found: 2"),
        ("=+/=", "Invalid last non-pad Base64 character dectected"),
        ("+/+=", "Invalid last non-pad Base64 character dectected"),
        ("AP8=AP8=", "Invalid last non-pad Base64 character dectected"),
        ("AP8-", "Invalid Base64 character: '-'"),
        ("AP 8", "Invalid Base64 character: ' '"),
    ] {
        check_shape(json!({"B": text}), expected);
        check_shape(json!({"BS": ["AQ==", text]}), expected);
    }
}

/// Rule 4, second half: the right JSON type with content that is not accepted.
#[test]
fn wrong_values() {
    const EMPTY: &str = "Supplied AttributeValue is empty, must contain exactly one of the \
                         supported datatypes";
    const SEVERAL: &str = "Supplied AttributeValue has more than one datatypes set, must contain \
                           exactly one of the supported datatypes";
    for text in ["dog", "NaN", "Infinity", " 1", "1 "] {
        let expected = format!("The parameter cannot be converted to a numeric value: {text}");
        check_value(json!({"N": text}), &expected);
        check_value(json!({"NS": ["1", text]}), &expected);
        check_value(json!({"S": "a", "N": text}), &expected);
    }
    check_value(json!({"N": ""}), "The parameter cannot be converted to a numeric value");
    for json in [json!({}), json!({"X": "a"}), json!({"S": null}), Value::Null, json!({"s": "a"})] {
        check_value(json.clone(), EMPTY);
        check_value(json!({"L": [json]}), EMPTY);
    }
    check_value(json!({"S": "a", "N": "1"}), SEVERAL);
    check_value(json!({"BOOL": true, "NULL": true}), SEVERAL);
    check_value(
        json!({"S": "a", "SS": []}),
        "One or more parameter values were invalid: An string set  may not be empty",
    );
}

/// Rule 15, and rule 12 for numbers.
#[test]
fn duplicate_members() {
    const PREFIX: &str = "One or more parameter values were invalid: ";
    for (json, batch, single) in [
        (
            json!({"SS": ["b", "a", "b", "C"]}),
            format!("{PREFIX}Input collection [b, a, b, C] contains duplicates."),
            format!(r#"{PREFIX}Input collection ["a", "b", "b", "C"] contains duplicates."#),
        ),
        (
            json!({"BS": ["Yg==", "Yg=="]}),
            format!("{PREFIX}Input collection [Yg==, Yg==]of type BS contains duplicates."),
            format!(r#"{PREFIX}Input collection ["Yg==","Yg=="]of type BS contains duplicates."#),
        ),
        (
            json!({"NS": ["1", "1.0"]}),
            "Input collection contains duplicates".to_owned(),
            format!("{PREFIX}Input collection contains duplicates."),
        ),
    ] {
        check_value(json.clone(), &batch);
        match value_from_json(&json.clone().into()) {
            Err(JsonError::Value(error)) => assert_eq!(error.single_item_message(), single),
            other => panic!("{other:?}"),
        }
    }
    let empty = ValueError::NotANumber(String::new());
    let expected = "The parameter cannot be converted to a numeric value: ";
    assert_eq!(empty.single_item_message(), expected);
    assert_eq!(
        ValueError::NumberOverflow.single_item_message(),
        ValueError::NumberOverflow.to_string(),
    );
}

/// Rule 2: every shape in a document comes before any content.
#[test]
fn shape_comes_before_content() {
    let json = json!({"a": {"N": "dog"}, "b": {"M": {"c": {"S": 5}}}});
    let expected = JsonError::Shape("NUMBER_VALUE cannot be converted to String".to_owned());
    assert_eq!(item_from_json(&json.clone().into()), Err(expected.clone()));
    assert_eq!(check_item_shape(&json.clone().into()), Err(expected));
    assert_eq!(check_item_shape(&json!({"a": {"N": "dog"}}).into()), Ok(()));
    check_shape(json!({"S": "a", "BOOL": "abc"}), "Unexpected token received from parser");
}

#[test]
fn depth_is_bounded() {
    // Built by hand: the macro would copy the inner value at every level.
    let nested = |levels: usize| {
        (1..levels).fold(json!({"NULL": true}), |inner, _| {
            Value::Object([("L".to_owned(), Value::Array(vec![inner]))].into_iter().collect())
        })
    };
    assert!(value_from_json(&nested(super::LEVELS_MAX).into()).is_ok());
    for levels in [super::LEVELS_MAX + 1, 300] {
        let error = value_from_json(&nested(levels).into());
        assert_eq!(error, Err(JsonError::Value(ValueError::NestingTooDeep)));
    }
}

#[test]
fn text_is_escaped() {
    let every_character: String = (0..=0x2FF).filter_map(char::from_u32).collect();
    let mut written = Vec::new();
    write_string(&every_character, &mut written);
    let expected = serde_json::to_string(&every_character).unwrap();
    assert_eq!(String::from_utf8(written).unwrap(), expected);

    let item = Item::from([("a\"b", "\u{7f}\u{2028}".into()), ("", 1.into())]);
    let mut written = Vec::new();
    write_item(&item, &mut written);
    assert_eq!(String::from_utf8(written).unwrap(), item_to_json(&item).to_string());
}
