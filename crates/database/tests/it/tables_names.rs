//! Table names in operations on items: checked before the table is looked up (rules 3 and 5).

use database::operations::GetItemRequest;

use crate::tables_support::*;

fn told_about(name: &str) -> String {
    let world = World::new();
    let request = GetItemRequest {
        table_name: name.to_owned(),
        key: [("pk", values::AttributeValue::S("p".to_owned()))].into(),
        ..Default::default()
    };
    told(block_on(world.database.get_item(request)))
}

#[test]
fn a_bad_name_is_not_a_missing_table() {
    let value = |name: &str, constraint: &str| {
        format!(
            "ValidationException: 1 validation error detected: Value '{name}' at 'tableName' \
             failed to satisfy constraint: {constraint}"
        )
    };
    assert_eq!(
        told_about(""),
        "ValidationException: 1 validation error detected: Value at 'TableName' failed to satisfy \
         constraint: Member must have length greater than or equal to 1"
    );
    let short = "Member must have length greater than or equal to 3";
    assert_eq!(told_about("a!"), value("a!", short), "the length hides the pattern");
    let name = "a".repeat(256);
    let long = "Member must have length less than or equal to 255";
    assert_eq!(told_about(&name), value(&name, long));
    let pattern = "Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+";
    assert_eq!(told_about("abc!"), value("abc!", pattern));
    assert_eq!(told_about("abc"), "ResourceNotFoundException: Requested resource not found");
}

#[test]
fn an_arn_stands_for_the_table() {
    assert_eq!(
        told_about("arn:aws:dynamodb:us-east-1:000000000000:table/abc"),
        "ResourceNotFoundException: Requested resource not found"
    );
}
