//! DynamoDB's JSON: a request body in, an answer body out.
//!
//! Every request goes through the same steps, in the order in which the service reports what is
//! wrong (rule 2): the shape of the JSON ([`shape`] against the tables in `shapes`), the member
//! constraints (`constraint` against the tables in `rules`), values that no attribute may have,
//! and then whatever the database finds.
//!
//! Each module below holds a group of operations: a function that reads the request of each, and
//! one that writes its answer.

pub mod batches;
pub mod items;
pub mod reads;
pub mod settings;
pub mod statements;
pub mod streams;
pub mod tables;
pub mod transactions;

mod answer;
mod capacity;
mod constraint;
mod description;
mod echo;
mod enums;
mod legacy;
mod members;
mod rules;
mod shape;
mod shapes;
mod value;

pub use answer::Json;
use answer::JsonItem;
use constraint::Stage;
use database::Database;
use serde_json::json;
use shape::Structure;
use value::{Decoder, Wording};
use values::json::{Members, Node};

use crate::{WireError, operations};

/// Executes an operation by name on the body of its request, and gives the text of its answer.
pub async fn execute(database: &Database, operation: &str, body: &Node) -> Result<Json, WireError> {
    operations::check_members(operation, body)?;
    match operation {
        "GetItem" | "PutItem" | "UpdateItem" | "DeleteItem" | "Query" | "Scan" => {
            items_and_reads(database, operation, body).await
        }
        "BatchGetItem" | "BatchWriteItem" | "TransactGetItems" | "TransactWriteItems" => {
            several_items(database, operation, body).await
        }
        "ExecuteStatement" | "BatchExecuteStatement" | "ExecuteTransaction" => {
            partiql(database, operation, body).await
        }
        "CreateTable" | "UpdateTable" | "DeleteTable" | "DescribeTable" | "ListTables" => {
            whole_tables(database, operation, body).await
        }
        "ListStreams" | "DescribeStream" | "GetShardIterator" | "GetRecords" => {
            change_streams(database, operation, body).await
        }
        _ => other(database, operation, body).await,
    }
}

/// Reads a body as JSON. What is not JSON is a `SerializationException` without a message.
pub fn parse(body: &[u8]) -> Result<Node, WireError> {
    Node::parse(body).map_err(|_| WireError::serialization(""))
}

async fn items_and_reads(
    database: &Database,
    operation: &str,
    body: &Node,
) -> Result<Json, WireError> {
    Ok(match operation {
        "GetItem" => {
            let request = items::get_item_request(body)?;
            items::get_item_answer(&database.get_item_as::<JsonItem>(request).await?)
        }
        "PutItem" => {
            items::put_item_answer(&database.put_item(items::put_item_request(body)?).await?)
        }
        "UpdateItem" => items::update_item_answer(
            &database.update_item(items::update_item_request(body)?).await?,
        ),
        "DeleteItem" => items::delete_item_answer(
            &database.delete_item(items::delete_item_request(body)?).await?,
        ),
        "Query" => {
            let request = reads::query_request(body)?;
            reads::query_answer(&database.query_as::<JsonItem>(request).await?)
        }
        _ => {
            let request = reads::scan_request(body)?;
            reads::scan_answer(&database.scan_as::<JsonItem>(request).await?)
        }
    })
}

async fn several_items(
    database: &Database,
    operation: &str,
    body: &Node,
) -> Result<Json, WireError> {
    Ok(match operation {
        "BatchGetItem" => {
            let request = batches::batch_get_item_request(body)?;
            batches::batch_get_item_answer(&database.batch_get_item(request).await?)
        }
        "BatchWriteItem" => {
            let request = batches::batch_write_item_request(body)?;
            batches::batch_write_item_answer(&database.batch_write_item(request).await?)
        }
        "TransactGetItems" => {
            let request = transactions::transact_get_items_request(body)?;
            transactions::transact_get_items_answer(&database.transact_get_items(request).await?)
        }
        _ => {
            let request = transactions::transact_write_items_request(body)?;
            let answer = database.transact_write_items(request).await?;
            transactions::transact_write_items_answer(&answer)
        }
    })
}

async fn partiql(database: &Database, operation: &str, body: &Node) -> Result<Json, WireError> {
    Ok(match operation {
        "ExecuteStatement" => {
            let request = statements::execute_statement_request(body)?;
            statements::execute_statement_answer(&database.execute_statement(request).await?)
        }
        "BatchExecuteStatement" => {
            let request = statements::batch_execute_statement_request(body)?;
            let answer = database.batch_execute_statement(request).await?;
            statements::batch_execute_statement_answer(&answer)
        }
        _ => {
            let request = statements::execute_transaction_request(body)?;
            statements::execute_transaction_answer(&database.execute_transaction(request).await?)
        }
    })
}

async fn whole_tables(
    database: &Database,
    operation: &str,
    body: &Node,
) -> Result<Json, WireError> {
    Ok(match operation {
        "CreateTable" => {
            let request = tables::create_table_request(body)?;
            tables::create_table_answer(&database.create_table(request).await?)
        }
        "UpdateTable" => {
            let request = tables::update_table_request(body)?;
            tables::update_table_answer(&database.update_table(request).await?)
        }
        "DeleteTable" => {
            let request = tables::delete_table_request(body)?;
            tables::delete_table_answer(&database.delete_table(request).await?)
        }
        "DescribeTable" => {
            let request = tables::describe_table_request(body)?;
            tables::describe_table_answer(&database.describe_table(request).await?)
        }
        _ => {
            let request = tables::list_tables_request(body)?;
            tables::list_tables_answer(&database.list_tables(request).await?)
        }
    })
}

async fn change_streams(
    database: &Database,
    operation: &str,
    body: &Node,
) -> Result<Json, WireError> {
    Ok(match operation {
        "ListStreams" => {
            let request = streams::list_streams_request(body)?;
            streams::list_streams_answer(&database.list_streams(request).await?)
        }
        "DescribeStream" => {
            let request = streams::describe_stream_request(body)?;
            streams::describe_stream_answer(&database.describe_stream(request).await?)
        }
        "GetShardIterator" => {
            let request = streams::get_shard_iterator_request(body)?;
            streams::get_shard_iterator_answer(&database.get_shard_iterator(request).await?)
        }
        _ => {
            let request = streams::get_records_request(body)?;
            streams::get_records_answer(&database.get_records(request).await?)
        }
    })
}

async fn other(database: &Database, operation: &str, body: &Node) -> Result<Json, WireError> {
    Ok(match operation {
        "UpdateTimeToLive" => {
            let request = settings::update_time_to_live_request(body)?;
            settings::update_time_to_live_answer(&database.update_time_to_live(request).await?)
        }
        "DescribeTimeToLive" => {
            let request = settings::describe_time_to_live_request(body)?;
            settings::describe_time_to_live_answer(&database.describe_time_to_live(request).await?)
        }
        "TagResource" => {
            database.tag_resource(settings::tag_resource_request(body)?).await?;
            json!({}).into()
        }
        "UntagResource" => {
            database.untag_resource(settings::untag_resource_request(body)?).await?;
            json!({}).into()
        }
        "ListTagsOfResource" => {
            let request = settings::list_tags_of_resource_request(body)?;
            settings::list_tags_of_resource_answer(&database.list_tags_of_resource(request).await?)
        }
        "DescribeLimits" => {
            shape::check(&shapes::NOTHING, body)?;
            settings::describe_limits_answer(&database.describe_limits().await?)
        }
        "DescribeEndpoints" => return describe_endpoints(database, body, None).await,
        _ => return Err(WireError::unknown_operation()),
    })
}

/// DescribeEndpoints with the address that the client has asked at, if it was over a network: a client
/// that discovers endpoints sends everything else to the address it is told.
pub(crate) async fn describe_endpoints(
    database: &Database,
    body: &Node,
    asked_at: Option<&str>,
) -> Result<Json, WireError> {
    shape::check(&shapes::NOTHING, body)?;
    let mut response = database.describe_endpoints().await?;
    if let Some(address) = asked_at {
        response.address = address.to_owned();
    }
    Ok(settings::describe_endpoints_answer(&response))
}

/// The steps every request goes through. What `read` returns holds stand-ins where a member is
/// missing or refused; it is given out only if nothing was.
fn read<T>(
    structure: &'static Structure,
    stages: &'static [Stage],
    wording: Wording,
    body: &Node,
    read: impl FnOnce(&mut Decoder, &Members) -> Result<T, WireError>,
) -> Result<T, WireError> {
    let members = shape::check(structure, body)?;
    let mut decoder = Decoder::new(wording);
    let request = read(&mut decoder, members)?;
    if let Some(path) = shape::null_element(structure, members) {
        let refusal = constraint::refusal(None, &path, constraint::NOT_NULL);
        return Err(WireError::validation(constraint::detected(&[refusal])));
    }
    constraint::check(stages, members)?;
    decoder.finish()?;
    Ok(request)
}
