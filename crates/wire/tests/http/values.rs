//! Values that the service refuses, in the words of each operation.

use serde_json::{Value, json};

use super::Service;

const NULL: &str = "One or more parameter values were invalid: Null attribute value types must have the value of true";

fn enveloped(message: &str) -> String {
    format!("1 validation error detected: {message}")
}

/// Requests that have a value in each place where one can stand, with whether the operation puts what
/// it refuses into the envelope.
fn requests_with(value: &Value) -> Vec<(&'static str, Value, bool)> {
    let item = json!({ "pk": { "S": "a" }, "n": value });
    let table = |mut body: Value| {
        body["TableName"] = json!("things");
        body
    };
    let values = json!({ ":v": value });
    let key = json!({ "pk": { "S": "a" } });
    let condition = json!({ "n": { "ComparisonOperator": "EQ", "AttributeValueList": [value] } });
    vec![
        ("PutItem", table(json!({ "Item": item })), true),
        ("PutItem", table(json!({ "Item": { "pk": { "S": "a" }, "l": { "L": [value] } } })), true),
        ("PutItem", table(json!({ "Item": key, "Expected": { "n": { "Value": value } } })), true),
        ("DeleteItem", table(json!({ "Key": { "pk": value } })), true),
        (
            "UpdateItem",
            table(json!({ "Key": key, "UpdateExpression": "SET n = :v",
                "ExpressionAttributeValues": values })),
            true,
        ),
        (
            "DeleteItem",
            table(json!({ "Key": key, "ConditionExpression": "n = :v",
                "ExpressionAttributeValues": values })),
            true,
        ),
        (
            "PutItem",
            table(json!({ "Item": key, "ConditionExpression": "n = :v",
                "ExpressionAttributeValues": values })),
            true,
        ),
        ("GetItem", table(json!({ "Key": { "pk": value } })), false),
        (
            "Query",
            table(json!({ "KeyConditionExpression": "pk = :v",
                "ExpressionAttributeValues": values })),
            false,
        ),
        (
            "Scan",
            table(json!({ "FilterExpression": "n = :v", "ExpressionAttributeValues": values })),
            false,
        ),
        ("Scan", table(json!({ "ScanFilter": condition })), false),
        (
            "BatchWriteItem",
            json!({ "RequestItems": { "things": [{ "PutRequest": { "Item": item } }] } }),
            false,
        ),
    ]
}

/// Rule 16.
#[tokio::test]
async fn null_is_true() {
    let service = Service::start().await;
    let is_false = json!({ "NULL": false });
    for (operation, body, is_enveloped) in requests_with(&is_false) {
        let text = if is_enveloped { enveloped(NULL) } else { NULL.to_owned() };
        service.invalid(operation, &body, &text).await;
    }
    for (operation, body) in [
        (
            "TransactWriteItems",
            json!({ "TransactItems": [{ "Put": { "TableName": "things",
                "Item": { "pk": { "S": "a" }, "n": is_false } } }] }),
        ),
        (
            "TransactWriteItems",
            json!({ "TransactItems": [{ "Update": { "TableName": "things",
                "Key": { "pk": { "S": "a" } }, "UpdateExpression": "SET n = :v",
                "ExpressionAttributeValues": { ":v": is_false } } }] }),
        ),
        (
            "ExecuteStatement",
            json!({ "Statement": "SELECT * FROM things WHERE n = ?", "Parameters": [is_false] }),
        ),
        (
            "Query",
            json!({ "TableName": "things", "KeyConditionExpression": "pk = :p",
                "ExpressionAttributeValues": { ":p": { "S": "a" } },
                "ExclusiveStartKey": { "pk": is_false } }),
        ),
    ] {
        service.invalid(operation, &body, NULL).await;
    }
    let start_key = json!({ "TableName": "things", "ExclusiveStartKey": { "pk": is_false } });
    let text = format!("The provided starting key is invalid: {NULL}");
    service.invalid("Scan", &start_key, &text).await;
    let count = service.answer("Scan", &json!({ "TableName": "things" })).await["Count"].clone();
    assert_eq!(count, 0, "nothing was written");
    let item = json!({ "pk": { "S": "a" }, "n": { "NULL": true } });
    service.answer("PutItem", &json!({ "TableName": "things", "Item": item })).await;
}

/// A `NULL` that is false as text is refused while it is read: without the envelope.
#[tokio::test]
async fn null_is_true_as_text_as_well() {
    let service = Service::start().await;
    for value in [json!({ "NULL": "no" }), json!({ "NULL": false, "S": "x" })] {
        let item = json!({ "pk": { "S": "a" }, "n": value });
        service.invalid("PutItem", &json!({ "TableName": "things", "Item": item }), NULL).await;
        let update = json!({ "TableName": "things", "Key": { "pk": { "S": "a" } },
            "UpdateExpression": "SET n = :v", "ExpressionAttributeValues": { ":v": value } });
        let text = format!("ExpressionAttributeValues contains invalid value: {NULL} for key :v");
        service.invalid("UpdateItem", &update, &text).await;
    }
}

/// Rule 14: in `ExpressionAttributeValues` the text is that of an item, and the value is not named but
/// in a transaction.
#[tokio::test]
async fn empty_sets_among_the_values_of_expressions() {
    let service = Service::start().await;
    let invalid = "One or more parameter values were invalid: ";
    for (set, problem) in [
        (json!({ "SS": [] }), "An string set  may not be empty"),
        (json!({ "NS": [] }), "An number set  may not be empty"),
        (json!({ "BS": [] }), "Binary sets should not be empty"),
    ] {
        let message = format!("{invalid}{problem}");
        for (operation, body, is_enveloped) in requests_with(&set) {
            if body.get("ExpressionAttributeValues").is_some() {
                let text = if is_enveloped { enveloped(&message) } else { message.clone() };
                service.invalid(operation, &body, &text).await;
            }
        }
        let transaction = json!({ "TransactItems": [{ "Update": { "TableName": "things",
            "Key": { "pk": { "S": "a" } }, "UpdateExpression": "SET n = :v",
            "ExpressionAttributeValues": { ":v": set } } }] });
        let text =
            format!("ExpressionAttributeValues contains invalid value: {message} for key :v");
        service.invalid("TransactWriteItems", &transaction, &text).await;
    }
}

/// The two layers of the service disagree about a number at the limit of Java's exponents.
#[tokio::test]
async fn a_number_beyond_exponents_overflows_or_underflows() {
    let service = Service::start().await;
    let magnitude = |word: &str, size: &str| {
        format!(
            "Number {word}. Attempting to store a number with magnitude {size} than supported range"
        )
    };
    let (overflow, underflow) =
        (magnitude("overflow", "larger"), magnitude("underflow", "smaller"));
    let number = json!({ "N": "1e2147483647" });
    let item = json!({ "pk": { "S": "a" }, "n": number });
    let put = json!({ "TableName": "things", "Item": item });
    service.invalid("PutItem", &put, &enveloped(&overflow)).await;
    let batch = json!({ "RequestItems": { "things": [{ "PutRequest": { "Item": item } }] } });
    service.invalid("BatchWriteItem", &batch, &underflow).await;
    let transaction = json!({ "TransactItems": [{ "Update": { "TableName": "things",
        "Key": { "pk": { "S": "a" } }, "UpdateExpression": "SET n = :v",
        "ExpressionAttributeValues": { ":v": number } } }] });
    let text = format!("ExpressionAttributeValues contains invalid value: {underflow} for key :v");
    service.invalid("TransactWriteItems", &transaction, &text).await;
    let large = json!({ "pk": { "S": "a" }, "n": { "N": "1e126" } });
    let batch = json!({ "RequestItems": { "things": [{ "PutRequest": { "Item": large } }] } });
    service.invalid("BatchWriteItem", &batch, &overflow).await;
}
