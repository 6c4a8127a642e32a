//! Values that are nested too deep, in every place where a value can stand (rule 9).

use super::Service;

const NESTING: &str = "Nesting Levels have exceeded supported limits: Attributes in the item have \
                       nested levels beyond supported limit";

/// A scalar in so many maps, as text: a tree of it would be as deep.
fn in_maps(levels: usize) -> String {
    r#"{"M":{"a":"#.repeat(levels) + r#"{"S":"x"}"# + &"}}".repeat(levels)
}

/// A scalar in so many lists.
fn in_lists(levels: usize) -> String {
    r#"{"L":["#.repeat(levels) + r#"{"S":"x"}"# + &"]}".repeat(levels)
}

/// How an operation puts it.
#[derive(Clone, Copy)]
enum Words {
    Bare,
    /// In the envelope, unless it is found while the request is read.
    Enveloped,
    /// Named if it is found while the request is read; in the envelope or bare otherwise.
    Value(bool),
    /// Always named.
    NamedValue,
    /// As a fault of the start key, by a Query only if it is found while the request is read.
    StartKey(bool),
}

/// Arrays and objects inside one another that the service reads before it looks at values.
const READ_MAX: usize = 127;

impl Words {
    fn text(self, form: &str, levels: usize) -> String {
        let named =
            || format!("ExpressionAttributeValues contains invalid value: {NESTING} for key :v");
        let around = form.split("VALUE").next().unwrap();
        let open = around.matches(['{', '[']).count() - around.matches(['}', ']']).count();
        let is_read_first = open + 2 * levels + 1 > READ_MAX;
        match self {
            Words::Value(_) if is_read_first => named(),
            Words::NamedValue => named(),
            Words::Enveloped | Words::Value(true) if !is_read_first => {
                format!("1 validation error detected: {NESTING}")
            }
            Words::StartKey(always) if always || is_read_first => {
                format!("The provided starting key is invalid: {NESTING}")
            }
            _ => NESTING.to_owned(),
        }
    }
}

const REQUESTS: &[(&str, &str, Words)] = &[
    ("PutItem", r#"{"TableName":"things","Item":{"pk":{"S":"a"},"x":VALUE}}"#, Words::Enveloped),
    (
        "PutItem",
        r#"{"TableName":"things","Item":{"pk":{"S":"a"}},"Expected":{"x":{"Value":VALUE}}}"#,
        Words::Enveloped,
    ),
    (
        "PutItem",
        r#"{"TableName":"things","Item":{"pk":{"S":"a"}},"ConditionExpression":"x = :v","ExpressionAttributeValues":{":v":VALUE}}"#,
        Words::Value(true),
    ),
    ("GetItem", r#"{"TableName":"things","Key":{"pk":VALUE}}"#, Words::Bare),
    ("DeleteItem", r#"{"TableName":"things","Key":{"pk":VALUE}}"#, Words::Enveloped),
    (
        "DeleteItem",
        r#"{"TableName":"things","Key":{"pk":{"S":"a"}},"Expected":{"x":{"ComparisonOperator":"EQ","AttributeValueList":[VALUE]}}}"#,
        Words::Enveloped,
    ),
    (
        "UpdateItem",
        r#"{"TableName":"things","Key":{"pk":VALUE},"UpdateExpression":"REMOVE x"}"#,
        Words::Enveloped,
    ),
    (
        "UpdateItem",
        r#"{"TableName":"things","Key":{"pk":{"S":"a"}},"AttributeUpdates":{"x":{"Action":"PUT","Value":VALUE}}}"#,
        Words::Enveloped,
    ),
    (
        "UpdateItem",
        r#"{"TableName":"things","Key":{"pk":{"S":"a"}},"UpdateExpression":"SET x = :v","ExpressionAttributeValues":{":v":VALUE}}"#,
        Words::Value(true),
    ),
    (
        "Query",
        r#"{"TableName":"things","KeyConditions":{"pk":{"ComparisonOperator":"EQ","AttributeValueList":[VALUE]}}}"#,
        Words::Bare,
    ),
    (
        "Query",
        r#"{"TableName":"things","KeyConditionExpression":"pk = :p","FilterExpression":"x = :v","ExpressionAttributeValues":{":p":{"S":"a"},":v":VALUE}}"#,
        Words::Value(false),
    ),
    (
        "Query",
        r#"{"TableName":"things","KeyConditionExpression":"pk = :p","ExpressionAttributeValues":{":p":{"S":"a"}},"ExclusiveStartKey":{"pk":VALUE}}"#,
        Words::StartKey(false),
    ),
    (
        "Scan",
        r#"{"TableName":"things","ScanFilter":{"x":{"ComparisonOperator":"EQ","AttributeValueList":[VALUE]}}}"#,
        Words::Bare,
    ),
    ("Scan", r#"{"TableName":"things","ExclusiveStartKey":{"pk":VALUE}}"#, Words::StartKey(true)),
    ("BatchGetItem", r#"{"RequestItems":{"things":{"Keys":[{"pk":VALUE}]}}}"#, Words::Bare),
    (
        "BatchWriteItem",
        r#"{"RequestItems":{"things":[{"DeleteRequest":{"Key":{"pk":VALUE}}}]}}"#,
        Words::Bare,
    ),
    (
        "BatchWriteItem",
        r#"{"RequestItems":{"things":[{"PutRequest":{"Item":{"pk":{"S":"a"},"x":VALUE}}}]}}"#,
        Words::Bare,
    ),
    (
        "TransactGetItems",
        r#"{"TransactItems":[{"Get":{"TableName":"things","Key":{"pk":VALUE}}}]}"#,
        Words::Bare,
    ),
    (
        "TransactWriteItems",
        r#"{"TransactItems":[{"Put":{"TableName":"things","Item":{"pk":{"S":"a"},"x":VALUE}}}]}"#,
        Words::Bare,
    ),
    (
        "TransactWriteItems",
        r#"{"TransactItems":[{"ConditionCheck":{"TableName":"things","Key":{"pk":VALUE},"ConditionExpression":"attribute_exists(pk)"}}]}"#,
        Words::Bare,
    ),
    (
        "TransactWriteItems",
        r#"{"TransactItems":[{"Update":{"TableName":"things","Key":{"pk":{"S":"a"}},"UpdateExpression":"SET x = :v","ExpressionAttributeValues":{":v":VALUE}}}]}"#,
        Words::NamedValue,
    ),
    (
        "ExecuteStatement",
        r#"{"Statement":"SELECT * FROM things WHERE x = ?","Parameters":[VALUE]}"#,
        Words::Bare,
    ),
    (
        "ExecuteTransaction",
        r#"{"TransactStatements":[{"Statement":"SELECT * FROM things WHERE x = ?","Parameters":[VALUE]}]}"#,
        Words::Bare,
    ),
];

#[tokio::test]
async fn every_place_refuses_it_with_the_services_exception() {
    let service = Service::start().await;
    for levels in [33, 61, 62, 63, 64, 100, 1_500] {
        for (operation, form, words) in REQUESTS {
            for value in [in_maps(levels), in_lists(levels)] {
                let body = form.replace("VALUE", &value);
                let refusal = service.refusal_of_text(operation, &body).await;
                let expected = ("ValidationException".to_owned(), words.text(form, levels));
                assert_eq!(refusal, expected, "{levels} levels: {operation} {form}");
            }
        }
        let form = r#"{"Statements":[{"Statement":"SELECT * FROM things WHERE pk = ?","Parameters":[VALUE]}]}"#;
        let (status, _, answer) = service
            .send("BatchExecuteStatement", &form.replace("VALUE", &in_maps(levels)), &[])
            .await;
        let answer: serde_json::Value = serde_json::from_slice(&answer).unwrap();
        assert_eq!(status, 200, "{answer}");
        assert_eq!(answer["Responses"][0]["Error"]["Message"], NESTING);
    }
    assert_eq!(
        service.answer("Scan", &serde_json::json!({ "TableName": "things" })).await["Count"],
        0,
        "nothing was written"
    );
}

/// As deep as the service reads, and no deeper.
#[tokio::test]
async fn what_is_deeper_than_is_read_is_no_request() {
    let service = Service::start().await;
    let put = |levels| {
        format!(r#"{{"TableName":"things","Item":{{"pk":{{"S":"a"}},"x":{}}}}}"#, in_maps(levels))
    };
    let refused = ("ValidationException".to_owned(), NESTING.to_owned());
    assert_eq!(service.refusal_of_text("PutItem", &put(2_000)).await, refused);
    let unread = ("SerializationException".to_owned(), String::new());
    assert_eq!(service.refusal_of_text("PutItem", &put(2_001)).await, unread);
    assert_eq!(service.refusal_of_text("PutItem", &put(500_000)).await, unread);
    let malformed = put(100).replace(r#""x""#, "x");
    assert_eq!(service.refusal_of_text("PutItem", &malformed).await, unread);
}

/// A value that is not too deep may make an item that is.
#[tokio::test]
async fn an_update_that_makes_an_item_too_deep_has_a_text_of_its_own() {
    let service = Service::start().await;
    let item =
        format!(r#"{{"TableName":"things","Item":{{"pk":{{"S":"a"}},"x":{}}}}}"#, in_maps(20));
    assert_eq!(service.send("PutItem", &item, &[]).await.0, 200);
    let path = "x".to_owned() + &".a".repeat(20);
    let update = |levels| {
        format!(
            r#""TableName":"things","Key":{{"pk":{{"S":"a"}}}},"UpdateExpression":"SET {path} = :v","ExpressionAttributeValues":{{":v":{}}}"#,
            in_maps(levels)
        )
    };
    let short = "Nesting Levels have exceeded supported limits".to_owned();
    let (alone, together) = (
        format!("{{{}}}", update(12)),
        format!(r#"{{"TransactItems":[{{"Update":{{{}}}}}]}}"#, update(12)),
    );
    let refused = ("ValidationException".to_owned(), short.clone());
    assert_eq!(service.refusal_of_text("UpdateItem", &alone).await, refused);
    let (status, _, answer) = service.send("TransactWriteItems", &together, &[]).await;
    let answer: serde_json::Value = serde_json::from_slice(&answer).unwrap();
    let reasons = serde_json::json!([{ "Code": "ValidationError", "Message": short }]);
    assert_eq!((status, &answer["CancellationReasons"]), (400, &reasons), "{answer}");
    let fits = format!("{{{}}}", update(11));
    assert_eq!(service.send("UpdateItem", &fits, &[]).await.0, 200);
}

/// A fault of a member comes before a deep value, and a value of 31 maps is none.
#[tokio::test]
async fn members_come_first_and_the_limit_is_31_around_a_scalar() {
    let service = Service::start().await;
    let body = format!(
        r#"{{"TableName":"things","Limit":0,"ExclusiveStartKey":{{"pk":{}}}}}"#,
        in_maps(100)
    );
    let (_, message) = service.refusal_of_text("Scan", &body).await;
    assert!(message.starts_with("1 validation error detected: Value at 'Limit'"), "{message}");
    let item =
        format!(r#"{{"TableName":"things","Item":{{"pk":{{"S":"a"}},"x":{}}}}}"#, in_maps(31));
    assert_eq!(service.send("PutItem", &item, &[]).await.0, 200);
}
