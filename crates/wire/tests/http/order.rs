//! Which of several faults is reported.

use serde_json::{Value, json};

use super::Service;

fn deep_key() -> Value {
    let value = (0..40).fold(json!({ "S": "x" }), |inner, _| json!({ "M": { "a": inner } }));
    json!({ "pk": value })
}

/// Rule 50: what can be said of actions without their tables is said in the order of actions.
#[tokio::test]
async fn a_deep_key_is_found_in_the_order_of_actions() {
    let service = Service::start().await;
    let nesting = "Nesting Levels have exceeded supported limits: Attributes in the item have \
                   nested levels beyond supported limit";
    let syntax = "Invalid ConditionExpression: Syntax error; token: \"<EOF>\", near: \"<>\"";
    let bad = json!({ "ConditionCheck": { "TableName": "things", "Key": { "pk": { "S": "a" } },
        "ConditionExpression": "a <> " } });
    for deep in [
        json!({ "Delete": { "TableName": "things", "Key": deep_key() } }),
        json!({ "ConditionCheck": { "TableName": "things", "Key": deep_key(),
            "ConditionExpression": "attribute_exists(pk)" } }),
    ] {
        let first = json!({ "TransactItems": [deep, bad] });
        service.invalid("TransactWriteItems", &first, nesting).await;
        let second = json!({ "TransactItems": [bad, deep] });
        service.invalid("TransactWriteItems", &second, syntax).await;
    }
}

/// Rule 3: without a key, UpdateItem reports everything that is wrong with its members together, but
/// for an empty table name.
#[tokio::test]
async fn update_item_without_a_key_joins_its_errors() {
    let service = Service::start().await;
    let constraint = |shown: &str, member: &str, constraint: &str| {
        format!(
            "Value {shown} at '{member}' failed to satisfy constraint: Member must {constraint}"
        )
    };
    let key = constraint("null", "key", "not be null");
    for (name, of_name) in [
        ("ab", constraint("'ab'", "tableName", "have length greater than or equal to 3")),
        (
            "a!c",
            constraint("'a!c'", "tableName", "satisfy regular expression pattern: [a-zA-Z0-9_.-]+"),
        ),
    ] {
        let text = format!("2 validation errors detected: {of_name}; {key}");
        service.invalid("UpdateItem", &json!({ "TableName": name }), &text).await;
    }
    let values = constraint(
        "'X'",
        "returnValues",
        "satisfy enum value set: [ALL_NEW, UPDATED_OLD, ALL_OLD, NONE, UPDATED_NEW]",
    );
    let name = constraint("'ab'", "tableName", "have length greater than or equal to 3");
    let body = json!({ "TableName": "ab", "ReturnValues": "X" });
    let text = format!("3 validation errors detected: {name}; {values}; {key}");
    service.invalid("UpdateItem", &body, &text).await;
    let body = json!({ "TableName": "", "ReturnValues": "X" });
    let text = "1 validation error detected: Value at 'TableName' failed to satisfy constraint: \
                Member must have length greater than or equal to 1";
    service.invalid("UpdateItem", &body, text).await;
}
