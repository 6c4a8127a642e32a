//! A tour of the in-process API: a table with an index and a stream, writes, a condition that
//! fails, a query, a transaction, the stream, and everything still there after closing.
//!
//! `cargo run --release -p database --example tour [FOLDER]`: in a new folder, by default one that
//! is removed afterwards.

use std::error::Error;
use std::fmt::Display;
use std::path::PathBuf;

use database::operations::{
    CreateTableRequest, DescribeStreamRequest, GetRecordsRequest, GetShardIteratorRequest,
    ListStreamsRequest, PutItemRequest, QueryRequest, ShardIteratorType, TransactAction,
    TransactWrite, TransactWriteItemsRequest,
};
use database::shapes::{
    AttributeDefinition, BillingMode, GlobalSecondaryIndex, KeySchemaElement, KeyType, Projection,
    ProjectionType, ScalarAttributeType, StreamSpecification, StreamViewType,
};
use database::{Database, Options};
use values::{AttributeValue, Item, json};

const TABLE: &str = "orders";
const INDEX: &str = "by_status";

type Outcome = Result<(), Box<dyn Error>>;

#[tokio::main]
async fn main() -> Outcome {
    let temporary = tempfile::tempdir()?;
    let folder =
        std::env::args().nth(1).map_or_else(|| temporary.path().join("data"), PathBuf::from);

    say("open", "a new database");
    let database = Database::open(Options::folder(&folder))?;
    create_table(&database).await?;
    put_orders(&database).await?;
    put_again(&database).await?;
    show_open_orders(&database).await?;
    ship(&database).await?;
    show_changes(&database).await?;
    database.close();

    say("reopen", "the same folder, its log checked first");
    let database = Database::open(Options::folder(&folder))?;
    show_open_orders(&database).await?;
    let (commits, head) = database.verify_log(|_| {})?;
    say(
        "verify",
        format!("{commits} commits in the log, the last one is number {}", head.sequence),
    );
    database.close();
    Ok(())
}

fn say(step: &str, what: impl Display) {
    println!("{step:<9} {what}");
}

async fn create_table(database: &Database) -> Outcome {
    let text = |name: &str| AttributeDefinition {
        attribute_name: name.to_owned(),
        attribute_type: ScalarAttributeType::S,
    };
    let key = |name: &str, key_type| KeySchemaElement { attribute_name: name.to_owned(), key_type };
    let index = GlobalSecondaryIndex {
        index_name: INDEX.to_owned(),
        key_schema: vec![key("status", KeyType::Hash), key("placed", KeyType::Range)],
        projection: Projection {
            projection_type: Some(ProjectionType::All),
            non_key_attributes: None,
        },
        ..GlobalSecondaryIndex::default()
    };
    let request = CreateTableRequest {
        table_name: TABLE.to_owned(),
        attribute_definitions: vec![text("id"), text("status"), text("placed")],
        key_schema: vec![key("id", KeyType::Hash)],
        global_secondary_indexes: Some(vec![index]),
        billing_mode: Some(BillingMode::PayPerRequest),
        stream_specification: Some(StreamSpecification {
            stream_enabled: true,
            stream_view_type: Some(StreamViewType::NewAndOldImages),
        }),
        ..CreateTableRequest::default()
    };
    let created = database.create_table(request).await?;
    let name = created.table_description.table_name;
    say("create", format!("table {name} with index {INDEX}"));
    Ok(())
}

fn order(id: &str, placed: &str, total: &str) -> Result<Item, Box<dyn Error>> {
    Ok(Item::from([
        ("id", id.into()),
        ("status", "open".into()),
        ("placed", placed.into()),
        ("total", AttributeValue::N(total.parse()?)),
    ]))
}

/// Puts a new order; fails if there is one with this id.
fn new_order(item: Item) -> PutItemRequest {
    PutItemRequest {
        table_name: TABLE.to_owned(),
        item,
        condition_expression: Some("attribute_not_exists(id)".to_owned()),
        ..PutItemRequest::default()
    }
}

async fn put_orders(database: &Database) -> Outcome {
    for (id, placed, total) in
        [("A-1", "2026-01-05", "19.90"), ("A-2", "2026-01-03", "250"), ("A-3", "2026-01-04", "7.5")]
    {
        database.put_item(new_order(order(id, placed, total)?)).await?;
        say("put", format!("order {id}: on disk, with its index entry and change record"));
    }
    Ok(())
}

async fn put_again(database: &Database) -> Outcome {
    let repeated = database.put_item(new_order(order("A-1", "2026-02-01", "0")?)).await;
    match repeated {
        Ok(_) => Err("the condition should have failed".into()),
        Err(error) => {
            say("put", format!("order A-1 again: {}: {error}", error.code()));
            Ok(())
        }
    }
}

async fn show_open_orders(database: &Database) -> Outcome {
    let request = QueryRequest {
        table_name: TABLE.to_owned(),
        index_name: Some(INDEX.to_owned()),
        key_condition_expression: Some("#status = :open".to_owned()),
        expression_attribute_names: Some([("#status".to_owned(), "status".to_owned())].into()),
        expression_attribute_values: Some([(":open".to_owned(), "open".into())].into()),
        ..QueryRequest::default()
    };
    let page = database.query(request).await?;
    say("query", format!("{} open orders, oldest first", page.count));
    for item in page.items.unwrap_or_default() {
        say("", json::item_to_json(&item));
    }
    Ok(())
}

/// Ships one order if it is still open, and records the parcel: both or neither.
async fn ship(database: &Database) -> Outcome {
    let update = TransactWrite::Update {
        update_expression: "SET #status = :shipped".to_owned(),
        action: TransactAction {
            table_name: TABLE.to_owned(),
            key: Item::from([("id", "A-2".into())]),
            condition_expression: Some("#status = :open".to_owned()),
            expression_attribute_names: Some([("#status".to_owned(), "status".to_owned())].into()),
            expression_attribute_values: Some(
                [(":open".to_owned(), "open".into()), (":shipped".to_owned(), "shipped".into())]
                    .into(),
            ),
            ..TransactAction::default()
        },
    };
    let put = TransactWrite::Put {
        item: Item::from([("id", "parcel-1".into()), ("order", "A-2".into())]).into(),
        action: TransactAction { table_name: TABLE.to_owned(), ..TransactAction::default() },
    };
    let request = TransactWriteItemsRequest {
        transact_items: vec![update, put],
        client_request_token: Some("ship-A-2".to_owned()),
        ..TransactWriteItemsRequest::default()
    };
    database.transact_write_items(request.clone()).await?;
    say("transact", "ship A-2 and record parcel-1, both or neither");
    database.transact_write_items(request).await?;
    say("transact", "the same again with the same token: nothing happens twice");
    Ok(())
}

async fn show_changes(database: &Database) -> Outcome {
    let streams = database.list_streams(ListStreamsRequest::default()).await?.streams;
    let stream_arn = streams.into_iter().next().ok_or("the table has a stream")?.stream_arn;
    let request = DescribeStreamRequest { stream_arn, ..DescribeStreamRequest::default() };
    let stream = database.describe_stream(request).await?.stream_description;
    let shard = stream.shards.into_iter().next().ok_or("the stream has a shard")?;
    let request = GetShardIteratorRequest {
        stream_arn: stream.stream_arn,
        shard_id: shard.shard_id,
        shard_iterator_type: ShardIteratorType::TrimHorizon,
        sequence_number: None,
    };
    let shard_iterator = database.get_shard_iterator(request).await?.shard_iterator;
    let request = GetRecordsRequest { shard_iterator, limit: None };
    let records = database.get_records(request).await?.records;
    say("stream", format!("{} change records", records.len()));
    for record in records {
        let keys = json::item_to_json(&record.keys);
        say("", format!("{} {:?} {keys}", record.sequence_number, record.event_name));
    }
    Ok(())
}
