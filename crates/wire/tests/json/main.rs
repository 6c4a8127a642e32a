//! What the wire reads and writes, without a database behind it.
#![expect(clippy::panic, reason = "a test's helper fails the test by panicking")]

/// The body of a request.
macro_rules! node {
    ($($json:tt)+) => { values::json::Node::from(serde_json::json!($($json)+)) };
}

mod answers;
mod constraints;
mod requests;
mod shapes;
mod statements;

use serde_json::Value;
use values::json::Node;
use wire::{ErrorKind, WireError};

/// Asserts that a request was refused with this exception and message.
#[track_caller]
fn refused<T: std::fmt::Debug>(result: Result<T, WireError>, kind: ErrorKind, message: &str) {
    match result {
        Ok(request) => panic!("accepted: {request:?}"),
        Err(error) => assert_eq!((error.kind, error.message.as_str()), (kind, message)),
    }
}

/// Reads a body with the reader of an operation, for its error only.
fn read(operation: &str, body: &Value) -> Result<(), WireError> {
    let body = &Node::from(body);
    use wire::json::{batches, items, reads, settings, statements, streams, tables, transactions};
    match operation {
        "GetItem" => items::get_item_request(body).map(drop),
        "PutItem" => items::put_item_request(body).map(drop),
        "UpdateItem" => items::update_item_request(body).map(drop),
        "DeleteItem" => items::delete_item_request(body).map(drop),
        "Query" => reads::query_request(body).map(drop),
        "Scan" => reads::scan_request(body).map(drop),
        "BatchGetItem" => batches::batch_get_item_request(body).map(drop),
        "BatchWriteItem" => batches::batch_write_item_request(body).map(drop),
        "TransactGetItems" => transactions::transact_get_items_request(body).map(drop),
        "TransactWriteItems" => transactions::transact_write_items_request(body).map(drop),
        "ExecuteStatement" => statements::execute_statement_request(body).map(drop),
        "BatchExecuteStatement" => statements::batch_execute_statement_request(body).map(drop),
        "ExecuteTransaction" => statements::execute_transaction_request(body).map(drop),
        "CreateTable" => tables::create_table_request(body).map(drop),
        "UpdateTable" => tables::update_table_request(body).map(drop),
        "DescribeTable" => tables::describe_table_request(body).map(drop),
        "ListTables" => tables::list_tables_request(body).map(drop),
        "UpdateTimeToLive" => settings::update_time_to_live_request(body).map(drop),
        "TagResource" => settings::tag_resource_request(body).map(drop),
        "GetRecords" => streams::get_records_request(body).map(drop),
        "GetShardIterator" => streams::get_shard_iterator_request(body).map(drop),
        other => panic!("no reader for {other}"),
    }
}
