//! UpdateTable: the types of an index's key, and one action at a time (rule 47).

use serde_json::{Value, json};

use super::Service;

/// UpdateTable with an index on these key attributes, and definitions of these types.
fn with_index(keys: &[(&str, &str)], definitions: &[(&str, &str)]) -> Value {
    let keys: Vec<_> =
        keys.iter().map(|(name, kind)| json!({ "AttributeName": name, "KeyType": kind })).collect();
    let definitions: Vec<_> = definitions
        .iter()
        .map(|(name, kind)| json!({ "AttributeName": name, "AttributeType": kind }))
        .collect();
    json!({ "TableName": "things", "AttributeDefinitions": definitions,
        "GlobalSecondaryIndexUpdates": [{ "Create": { "IndexName": "by-it", "KeySchema": keys,
            "Projection": { "ProjectionType": "ALL" } } }] })
}

fn redefined(old: &str, new: &str) -> String {
    format!(
        "One or more parameter values were invalid: Attributes cannot be redefined. Please check \
         that your attribute has the same type as previously defined. Existing schema: \
         Schema:[SchemaElement: key{{{old}}}] New schema: Schema:[SchemaElement: key{{{new}}}]"
    )
}

#[tokio::test]
async fn an_index_cannot_redefine_a_known_attribute() {
    let service = Service::start().await;
    let of_table = with_index(&[("pk", "HASH")], &[("pk", "N")]);
    service.invalid("UpdateTable", &of_table, &redefined("pk:S:HASH", "pk:N:HASH")).await;
    let sort = with_index(&[("a", "HASH"), ("pk", "RANGE")], &[("a", "S"), ("pk", "B")]);
    service.invalid("UpdateTable", &sort, &redefined("pk:S:HASH", "pk:B:RANGE")).await;

    service.answer("UpdateTable", &with_index(&[("a", "HASH")], &[("a", "N")])).await;
    let mut of_index = with_index(&[("a", "HASH")], &[("a", "S")]);
    of_index["GlobalSecondaryIndexUpdates"][0]["Create"]["IndexName"] = json!("by-it-too");
    service.invalid("UpdateTable", &of_index, &redefined("a:N:HASH", "a:S:HASH")).await;
    let table = service.answer("DescribeTable", &json!({ "TableName": "things" })).await;
    let indexes = table["Table"]["GlobalSecondaryIndexes"].as_array().unwrap();
    assert_eq!(indexes.len(), 1, "only the one that fits");
}

/// A definition that the new index does not use changes nothing (measured 2026-10-08).
#[tokio::test]
async fn an_unused_redefinition_is_passed_over() {
    let service = Service::start().await;
    service.answer("UpdateTable", &with_index(&[("a", "HASH")], &[("pk", "N"), ("a", "S")])).await;
    let table = service.answer("DescribeTable", &json!({ "TableName": "things" })).await;
    let definitions = json!([{ "AttributeName": "a", "AttributeType": "S" },
        { "AttributeName": "pk", "AttributeType": "S" }]);
    assert_eq!(table["Table"]["AttributeDefinitions"], definitions);
}

#[tokio::test]
async fn one_element_has_one_action() {
    let service = Service::start().await;
    service.answer("UpdateTable", &with_index(&[("a", "HASH")], &[("a", "S")])).await;
    let text = "One or more parameter values were invalid: Only one global secondary index action \
                is allowed per GlobalSecondaryIndexUpdate object";
    for other in ["Delete", "Update"] {
        let mut both = with_index(&[("b", "HASH")], &[("b", "S")]);
        both["GlobalSecondaryIndexUpdates"][0]["Create"]["IndexName"] = json!("by-other");
        both["GlobalSecondaryIndexUpdates"][0][other] = json!({ "IndexName": "by-it" });
        service.invalid("UpdateTable", &both, text).await;
    }
    let table = service.answer("DescribeTable", &json!({ "TableName": "things" })).await;
    let indexes = table["Table"]["GlobalSecondaryIndexes"].as_array().unwrap();
    assert_eq!(indexes.len(), 1, "nothing was created and nothing deleted");
}

#[tokio::test]
async fn two_deletes_are_too_many_even_of_indexes_that_are_not_there() {
    let service = Service::start().await;
    let delete = |name: &str| json!({ "Delete": { "IndexName": name } });
    let one =
        json!({ "TableName": "things", "GlobalSecondaryIndexUpdates": [delete("not-there")] });
    assert_eq!(service.refusal("UpdateTable", &one).await.0, "ResourceNotFoundException");
    let two = json!({ "TableName": "things",
        "GlobalSecondaryIndexUpdates": [delete("not-there"), delete("nor-there")] });
    let expected = (
        "LimitExceededException".to_owned(),
        "Subscriber limit exceeded: Only 1 online index can be created or deleted simultaneously \
         per table"
            .to_owned(),
    );
    assert_eq!(service.refusal("UpdateTable", &two).await, expected);
}
