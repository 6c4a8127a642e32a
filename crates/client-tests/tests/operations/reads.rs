//! Query and Scan, with the SDK's paginators.

use std::collections::BTreeSet;

use aws_sdk_dynamodb::types::{AttributeValue, Select};

use crate::{Item, Outcome, item, n, ready_table, s};

fn sort_keys(items: &[Item]) -> Vec<String> {
    let texts = items.iter().filter_map(|item| item.get("sk")?.as_s().ok());
    texts.cloned().collect()
}

#[tokio::test]
async fn pages_of_a_query_and_of_a_scan() -> Outcome {
    let (client, table) = ready_table().await?;
    for number in 0..20 {
        let whole = item("a", &format!("{number:02}"), &[("even", n(number % 2))]);
        client.put_item().table_name(&table).set_item(Some(whole)).send().await?;
    }
    let found = client
        .query()
        .table_name(&table)
        .key_condition_expression("pk = :p AND sk >= :s")
        .filter_expression("even = :zero")
        .expression_attribute_values(":p", s("a"))
        .expression_attribute_values(":s", s("05"))
        .expression_attribute_values(":zero", n(0))
        .scan_index_forward(false)
        .into_paginator()
        .page_size(4)
        .items()
        .send()
        .collect::<Result<Vec<_>, _>>()
        .await?;
    assert_eq!(sort_keys(&found), ["18", "16", "14", "12", "10", "08", "06"]);
    let scanned = client.scan().table_name(&table).into_paginator().page_size(6).items().send();
    let scanned = scanned.collect::<Result<Vec<_>, _>>().await?;
    assert_eq!(sort_keys(&scanned).into_iter().collect::<BTreeSet<_>>().len(), 20);
    let counted = client.scan().table_name(&table).select(Select::Count).send().await?;
    assert_eq!((counted.count(), counted.items().len()), (20, 0));
    Ok(())
}

#[tokio::test]
async fn segments_of_a_scan() -> Outcome {
    let (client, table) = ready_table().await?;
    for number in 0..30 {
        let whole = item(&number.to_string(), "1", &[]);
        client.put_item().table_name(&table).set_item(Some(whole)).send().await?;
    }
    let mut seen = BTreeSet::new();
    for segment in 0..3 {
        let page = client.scan().table_name(&table).segment(segment).total_segments(3).send();
        for item in page.await?.items() {
            let name = item.get("pk").and_then(|value| AttributeValue::as_s(value).ok());
            assert!(seen.insert(name.cloned()), "{name:?} is in two segments");
        }
    }
    assert_eq!(seen.len(), 30);
    Ok(())
}
