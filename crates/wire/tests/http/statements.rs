//! PartiQL in transactions (rule 75).

use serde_json::{Value, json};

use super::Service;

fn transaction(check: &str) -> Value {
    let update = "UPDATE things SET z = 1 WHERE pk = 'a'";
    json!({ "TransactStatements": [{ "Statement": check }, { "Statement": update }] })
}

#[tokio::test]
async fn exists_needs_one_item_and_a_further_condition() {
    let service = Service::start().await;
    for pk in ["a", "b"] {
        let item = json!({ "pk": { "S": pk } });
        service.answer("PutItem", &json!({ "TableName": "things", "Item": item })).await;
    }
    let text = "Validation failed in TransactStatements[0]: EXISTS() must contain a single item \
                read with additional condition";
    for check in [
        "EXISTS(SELECT * FROM things WHERE pk = 'b')",
        "exists(SELECT a FROM things WHERE pk = 'b')",
        "EXISTS(SELECT * FROM things)",
        "EXISTS(SELECT * FROM things WHERE a = 1)",
        "EXISTS(SELECT * FROM things WHERE pk IN ['b'] AND a IS MISSING)",
        "EXISTS(SELECT * FROM things WHERE pk = 'b' OR a = 1)",
    ] {
        service.invalid("ExecuteTransaction", &transaction(check), text).await;
    }
    let check = "EXISTS(SELECT * FROM things WHERE pk = 'b' AND a IS MISSING)";
    service.answer("ExecuteTransaction", &transaction(check)).await;
    let check = "EXISTS(SELECT * FROM things WHERE pk = 'b' AND a = 1)";
    let (kind, _) = service.refusal("ExecuteTransaction", &transaction(check)).await;
    assert_eq!(kind, "TransactionCanceledException");
}

#[tokio::test]
async fn the_unknown_function_is_named_as_the_language_spells_it() {
    let service = Service::start().await;
    for (statement, name) in [
        ("SELECT * FROM things WHERE EXISTS(a)", "exists at 1:28:6"),
        ("SELECT * FROM things WHERE Exists(a)", "exists at 1:28:6"),
        ("SELECT * FROM things WHERE FOO(a)", "FOO at 1:28:3"),
    ] {
        let text = format!("Unrecognized function: {name}");
        service.invalid("ExecuteStatement", &json!({ "Statement": statement }), &text).await;
    }
}
