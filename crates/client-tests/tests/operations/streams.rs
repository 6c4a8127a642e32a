//! Streams.

use aws_sdk_dynamodb::types::{StreamSpecification, StreamViewType};
use aws_sdk_dynamodbstreams::Client as Streams;
use aws_sdk_dynamodbstreams::config::{BehaviorVersion, Region};
use aws_sdk_dynamodbstreams::types::{AttributeValue, OperationType, ShardIteratorType};

use crate::{Outcome, client, credentials, item, setting, table, wait};

fn streams() -> Result<Streams, String> {
    let config = aws_sdk_dynamodbstreams::Config::builder()
        .behavior_version(BehaviorVersion::latest())
        .http_client(aws_smithy_http_client::Builder::new().build_http())
        .endpoint_url(setting("PLINTH_ENDPOINT")?)
        .region(Region::new("us-east-1"))
        .credentials_provider(credentials()?)
        .build();
    Ok(Streams::from_conf(config))
}

#[tokio::test]
async fn a_stream_is_read_from_its_beginning() -> Outcome {
    let (client, streams) = (client()?, streams()?);
    let (name, builder) = table(&client)?;
    let view = StreamSpecification::builder()
        .stream_enabled(true)
        .stream_view_type(StreamViewType::NewAndOldImages)
        .build()?;
    builder.stream_specification(view).send().await?;
    wait(&client, &name).await?;
    client.put_item().table_name(&name).set_item(Some(item("a", "1", &[]))).send().await?;
    client.delete_item().table_name(&name).set_key(Some(item("a", "1", &[]))).send().await?;
    let listed = streams.list_streams().table_name(&name).send().await?;
    let arn = listed.streams().first().and_then(|stream| stream.stream_arn()).ok_or("no stream")?;
    let described = streams.describe_stream().stream_arn(arn).send().await?;
    let shards = described.stream_description().map(|stream| stream.shards()).unwrap_or_default();
    let shard = shards.first().and_then(|shard| shard.shard_id()).ok_or("no shard")?;
    let iterator = streams
        .get_shard_iterator()
        .stream_arn(arn)
        .shard_id(shard)
        .shard_iterator_type(ShardIteratorType::TrimHorizon)
        .send()
        .await?;
    let iterator = iterator.shard_iterator().ok_or("no iterator")?;
    let read = streams.get_records().shard_iterator(iterator).send().await?;
    let names: Vec<_> = read.records().iter().filter_map(|record| record.event_name()).collect();
    assert_eq!(names, [&OperationType::Insert, &OperationType::Remove]);
    let change = read.records().first().and_then(|record| record.dynamodb()).ok_or("no change")?;
    let pk = change.new_image().and_then(|image| image.get("pk"));
    assert_eq!(pk, Some(&AttributeValue::S("a".to_owned())));
    Ok(())
}
