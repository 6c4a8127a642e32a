//! Query and Scan: which parameters go together, and the form of an index name.

use serde_json::{Value, json};

use super::Service;

fn equals(text: &str) -> Value {
    json!({ "ComparisonOperator": "EQ", "AttributeValueList": [{ "S": text }] })
}

/// Rule 7.
#[tokio::test]
async fn key_conditions_go_with_expressions_for_anything_but_the_key() {
    let service = Service::start().await;
    let item = json!({ "pk": { "S": "a" }, "b": { "S": "x" }, "c": { "S": "y" } });
    service.answer("PutItem", &json!({ "TableName": "things", "Item": item })).await;
    let query = |other: Value| {
        let mut body = json!({ "TableName": "things", "KeyConditions": { "pk": equals("a") } });
        body.as_object_mut().unwrap().extend(other.as_object().unwrap().clone());
        body
    };
    let filtered = json!({ "FilterExpression": "b = :b", "ExpressionAttributeValues": { ":b": { "S": "x" } } });
    assert_eq!(service.answer("Query", &query(filtered)).await["Count"], 1);
    let excluding = json!({ "FilterExpression": "b = :b", "ExpressionAttributeValues": { ":b": { "S": "z" } } });
    assert_eq!(service.answer("Query", &query(excluding)).await["Count"], 0);
    let projected = service.answer("Query", &query(json!({ "ProjectionExpression": "c" }))).await;
    assert_eq!(projected["Items"], json!([{ "c": { "S": "y" } }]));

    let refused = |older: &str, newer: &str| {
        format!(
            "Can not use both expression and non-expression parameters in the same request: \
             Non-expression parameters: {{{older}}} Expression parameters: {{{newer}}}"
        )
    };
    let both = query(json!({ "KeyConditionExpression": "pk = :b",
        "ExpressionAttributeValues": { ":b": { "S": "a" } } }));
    service.invalid("Query", &both, &refused("KeyConditions", "KeyConditionExpression")).await;
    let older_filter =
        query(json!({ "QueryFilter": { "b": equals("x") }, "ProjectionExpression": "c" }));
    let text = refused("QueryFilter, KeyConditions", "ProjectionExpression");
    service.invalid("Query", &older_filter, &text).await;
    let older_projection = query(json!({ "AttributesToGet": ["c"], "FilterExpression": "b = :b",
        "ExpressionAttributeValues": { ":b": { "S": "x" } } }));
    let text = refused("AttributesToGet, KeyConditions", "FilterExpression");
    service.invalid("Query", &older_projection, &text).await;
}

#[tokio::test]
async fn the_name_of_an_index_has_a_form() {
    let service = Service::start().await;
    for operation in ["Query", "Scan"] {
        for (name, constraint) in [
            ("a!c", "Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+"),
            ("ab", "Member must have length greater than or equal to 3"),
            (&*"x".repeat(256), "Member must have length less than or equal to 255"),
        ] {
            let mut body = json!({ "TableName": "things", "IndexName": name });
            if operation == "Query" {
                body["KeyConditions"] = json!({ "pk": equals("a") });
            }
            let text = format!(
                "1 validation error detected: Value '{name}' at 'indexName' failed to satisfy \
                 constraint: {constraint}"
            );
            service.invalid(operation, &body, &text).await;
        }
    }
}

/// Rule 35.
#[tokio::test]
async fn a_segment_out_of_range_is_named() {
    let service = Service::start().await;
    let body = json!({ "TableName": "things", "Segment": 5, "TotalSegments": 5 });
    let text = "The Segment parameter is zero-based and must be less than parameter TotalSegments: \
                Segment: 5 is not less than TotalSegments: 5";
    service.invalid("Scan", &body, text).await;
}

/// A bad `Select` is the last thing that is looked at. Scan does not count it, Query does.
#[tokio::test]
async fn a_bad_select_comes_after_a_bad_operator() {
    let service = Service::start().await;
    let text = "Value 'Y' at 'select' failed to satisfy constraint: Member must satisfy enum value \
                set: [SPECIFIC_ATTRIBUTES, COUNT, ALL_ATTRIBUTES, ALL_PROJECTED_ATTRIBUTES]";
    let mut scan = json!({ "TableName": "things", "Select": "Y" });
    service.invalid("Scan", &scan, text).await;
    let mut query = json!({ "TableName": "things", "Select": "Y",
        "KeyConditions": { "pk": equals("a") } });
    service.invalid("Query", &query, &format!("1 validation error detected: {text}")).await;

    let two = json!({ "b": equals("x"), "c": equals("y") });
    let operator = "Failed to satisfy constraint: Member must satisfy enum value set: [ALL, OR]";
    query["ConditionalOperator"] = json!("X");
    let alone = "ConditionalOperator cannot be used without Filter or Expected";
    service.invalid("Query", &query, alone).await;
    query["QueryFilter"] = two.clone();
    service.invalid("Query", &query, operator).await;
    scan["ConditionalOperator"] = json!("X");
    scan["ScanFilter"] = two;
    service.invalid("Scan", &scan, operator).await;
}
