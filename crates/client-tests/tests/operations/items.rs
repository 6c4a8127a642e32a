//! Single items.

use aws_sdk_dynamodb::error::ProvideErrorMetadata as _;
use aws_sdk_dynamodb::primitives::Blob;
use aws_sdk_dynamodb::types::{AttributeValue, ReturnValue, ReturnValuesOnConditionCheckFailure};

use crate::{Outcome, item, n, ready_table, s};

#[tokio::test]
async fn an_item_is_put_read_changed_and_deleted() -> Outcome {
    let (client, table) = ready_table().await?;
    let whole = item(
        "a",
        "1",
        &[
            ("number", n("-12.5")),
            ("bytes", AttributeValue::B(Blob::new([0, 1, 255]))),
            ("texts", AttributeValue::Ss(vec!["x".to_owned(), "y".to_owned()])),
            (
                "list",
                AttributeValue::L(vec![AttributeValue::Null(true), AttributeValue::Bool(false)]),
            ),
            ("map", AttributeValue::M(item("b", "2", &[]))),
        ],
    );
    client.put_item().table_name(&table).set_item(Some(whole.clone())).send().await?;
    let key = item("a", "1", &[]);
    let found = client
        .get_item()
        .table_name(&table)
        .set_key(Some(key.clone()))
        .consistent_read(true)
        .send()
        .await?;
    assert_eq!(found.item(), Some(&whole));
    let updated = client
        .update_item()
        .table_name(&table)
        .set_key(Some(key.clone()))
        .update_expression("SET #n = #n + :one")
        .expression_attribute_names("#n", "number")
        .expression_attribute_values(":one", n(1))
        .return_values(ReturnValue::UpdatedNew)
        .send()
        .await?;
    assert_eq!(updated.attributes().and_then(|new| new.get("number")), Some(&n("-11.5")));
    let removed = client
        .delete_item()
        .table_name(&table)
        .set_key(Some(key))
        .return_values(ReturnValue::AllOld)
        .send()
        .await?;
    assert_eq!(removed.attributes().map(|old| old.len()), Some(7));
    Ok(())
}

#[tokio::test]
async fn a_failed_condition_carries_the_item() -> Outcome {
    let (client, table) = ready_table().await?;
    let whole = item("a", "1", &[("v", s("x"))]);
    client.put_item().table_name(&table).set_item(Some(whole.clone())).send().await?;
    let failed = client
        .put_item()
        .table_name(&table)
        .set_item(Some(whole.clone()))
        .condition_expression("attribute_not_exists(pk)")
        .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld)
        .send()
        .await;
    let error = failed.err().ok_or("the condition held")?.into_service_error();
    assert!(error.is_conditional_check_failed_exception());
    assert_eq!(error.message(), Some("The conditional request failed"));
    let aws_sdk_dynamodb::operation::put_item::PutItemError::ConditionalCheckFailedException(shown) =
        error
    else {
        return Err("another error".into());
    };
    assert_eq!(shown.item(), Some(&whole));
    Ok(())
}

#[tokio::test]
async fn errors_have_their_codes_and_texts() -> Outcome {
    let (client, table) = ready_table().await?;
    let missing = client.get_item().table_name("nowhere").set_key(Some(item("a", "1", &[]))).send();
    let error = missing.await.err().ok_or("found")?.into_service_error();
    assert!(error.is_resource_not_found_exception());
    assert_eq!(error.message(), Some("Requested resource not found"));
    let wrong = client.get_item().table_name(&table).key("pk", s("a")).send().await;
    let error = wrong.err().ok_or("found")?.into_service_error();
    assert_eq!(error.code(), Some("ValidationException"));
    assert_eq!(error.message(), Some("The provided key element does not match the schema"));
    Ok(())
}
