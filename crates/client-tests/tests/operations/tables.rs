//! Tables and their settings.

use std::time::Duration;

use aws_sdk_dynamodb::client::Waiters as _;
use aws_sdk_dynamodb::error::ProvideErrorMetadata as _;
use aws_sdk_dynamodb::types::{
    CreateGlobalSecondaryIndexAction, GlobalSecondaryIndexUpdate, IndexStatus, KeyType, Projection,
    ProjectionType, TableStatus, Tag, TimeToLiveSpecification,
};

use crate::{Outcome, client, item, key, ready_table, s, setting, text};

#[tokio::test]
async fn a_table_is_listed_tagged_and_deleted() -> Outcome {
    let (client, table) = ready_table().await?;
    let described = client.describe_table().table_name(&table).send().await?;
    let described = described.table().ok_or("no description")?;
    assert_eq!(described.table_status(), Some(&TableStatus::Active));
    let names = client.list_tables().into_paginator().page_size(2).items().send();
    assert!(names.collect::<Result<Vec<_>, _>>().await?.contains(&table));
    let arn = described.table_arn().ok_or("no ARN")?;
    let tag = Tag::builder().key("team").value("base").build()?;
    client.tag_resource().resource_arn(arn).tags(tag).send().await?;
    let tags = client.list_tags_of_resource().resource_arn(arn).send().await?;
    assert_eq!(tags.tags().len(), 1);
    client.untag_resource().resource_arn(arn).tag_keys("team").send().await?;
    client.delete_table().table_name(&table).send().await?;
    let gone = client.wait_until_table_not_exists().table_name(&table);
    gone.wait(Duration::from_secs(20)).await?;
    Ok(())
}

#[tokio::test]
async fn an_index_is_added_to_a_table_in_use() -> Outcome {
    let (client, table) = ready_table().await?;
    let whole = item("a", "1", &[("kind", s("k"))]);
    client.put_item().table_name(&table).set_item(Some(whole.clone())).send().await?;
    let index = CreateGlobalSecondaryIndexAction::builder()
        .index_name("ByKind")
        .key_schema(key("kind", KeyType::Hash)?)
        .projection(Projection::builder().projection_type(ProjectionType::All).build())
        .build()?;
    let change = GlobalSecondaryIndexUpdate::builder().create(index).build();
    let update = client.update_table().table_name(&table).attribute_definitions(text("kind")?);
    update.global_secondary_index_updates(change).send().await?;
    loop {
        let described = client.describe_table().table_name(&table).send().await?;
        let indexes = described.table().map(|table| table.global_secondary_indexes());
        let index = indexes.and_then(<[_]>::first).ok_or("no index")?;
        if index.index_status() == Some(&IndexStatus::Active) {
            break;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let found = client
        .query()
        .table_name(&table)
        .index_name("ByKind")
        .key_condition_expression("kind = :k")
        .expression_attribute_values(":k", s("k"))
        .send()
        .await?;
    assert_eq!(found.items(), [whole]);
    Ok(())
}

#[tokio::test]
async fn settings_and_limits() -> Outcome {
    let (client, table) = ready_table().await?;
    let wanted =
        TimeToLiveSpecification::builder().enabled(true).attribute_name("until").build()?;
    let update = client.update_time_to_live().table_name(&table);
    update.time_to_live_specification(wanted).send().await?;
    let described = client.describe_time_to_live().table_name(&table).send().await?;
    let attribute = described.time_to_live_description().and_then(|shown| shown.attribute_name());
    assert_eq!(attribute, Some("until"));
    assert!(client.describe_limits().send().await?.table_max_read_capacity_units() > Some(0));
    // Whoever discovers endpoints is sent here, and not to Amazon.
    let discovered = client.describe_endpoints().send().await?;
    let addresses: Vec<&str> = discovered.endpoints().iter().map(|one| one.address()).collect();
    let asked = setting("PLINTH_ENDPOINT")?;
    assert_eq!(addresses, [asked.split_once("://").ok_or("no URL")?.1.trim_end_matches('/')]);
    Ok(())
}

#[tokio::test]
async fn what_is_not_offered_is_refused_by_name() -> Outcome {
    let error = client()?.list_backups().send().await.err().ok_or("offered")?.into_service_error();
    assert_eq!(error.code(), Some("UnknownOperationException"));
    let message = error.message().unwrap_or_default();
    assert!(message.starts_with("ListBackups is not offered: "), "{message}");
    Ok(())
}
