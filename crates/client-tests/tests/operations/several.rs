//! Batches and transactions.

use aws_sdk_dynamodb::operation::transact_write_items::TransactWriteItemsError;
use aws_sdk_dynamodb::types::{
    ConditionCheck, Get, KeysAndAttributes, Put, PutRequest, TransactGetItem, TransactWriteItem,
    Update, WriteRequest,
};

use crate::{Outcome, item, n, ready_table};

#[tokio::test]
async fn batches() -> Outcome {
    let (client, table) = ready_table().await?;
    let mut writes = Vec::new();
    for number in 0..25 {
        let put = PutRequest::builder().set_item(Some(item(&number.to_string(), "1", &[])));
        writes.push(WriteRequest::builder().put_request(put.build()?).build());
    }
    let written = client.batch_write_item().request_items(&table, writes).send().await?;
    assert!(written.unprocessed_items().is_some_and(|rest| rest.is_empty()));
    let keys = (20..30).map(|number| item(&number.to_string(), "1", &[])).collect();
    let wanted = KeysAndAttributes::builder().set_keys(Some(keys)).build()?;
    let read = client.batch_get_item().request_items(&table, wanted).send().await?;
    let found = read.responses().and_then(|tables| tables.get(&table)).map(Vec::len);
    assert_eq!(found, Some(5));
    Ok(())
}

#[tokio::test]
async fn a_transaction_is_all_or_nothing() -> Outcome {
    let (client, table) = ready_table().await?;
    let put = Put::builder().table_name(&table).set_item(Some(item("a", "1", &[]))).build()?;
    let update = Update::builder()
        .table_name(&table)
        .set_key(Some(item("b", "1", &[])))
        .update_expression("ADD n :n")
        .expression_attribute_values(":n", n(5))
        .build()?;
    let check = ConditionCheck::builder()
        .table_name(&table)
        .set_key(Some(item("c", "1", &[])))
        .condition_expression("attribute_exists(pk)")
        .build()?;
    let put = TransactWriteItem::builder().put(put).build();
    let update = TransactWriteItem::builder().update(update).build();
    let check = TransactWriteItem::builder().condition_check(check).build();
    let call = client.transact_write_items().transact_items(put.clone()).transact_items(check);
    let error = call.send().await.err().ok_or("not cancelled")?.into_service_error();
    let TransactWriteItemsError::TransactionCanceledException(cancelled) = error else {
        return Err("another error".into());
    };
    let codes = cancelled.cancellation_reasons().iter().filter_map(|reason| reason.code());
    assert_eq!(codes.collect::<Vec<_>>(), ["None", "ConditionalCheckFailed"]);
    client.transact_write_items().transact_items(put).transact_items(update).send().await?;
    let mut get = client.transact_get_items();
    for pk in ["a", "b", "c"] {
        let wanted = Get::builder().table_name(&table).set_key(Some(item(pk, "1", &[]))).build()?;
        get = get.transact_items(TransactGetItem::builder().get(wanted).build());
    }
    let answer = get.send().await?;
    let found: Vec<_> = answer.responses().iter().map(|entry| entry.item()).collect();
    let [first, second] = [item("a", "1", &[]), item("b", "1", &[("n", n(5))])];
    assert_eq!(found, [Some(&first), Some(&second), None]);
    Ok(())
}
