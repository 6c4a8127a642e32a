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
use constraint::Stage;
use database::Database;
use shape::Structure;
use value::{Decoder, Wording};
use values::json::{Members, Node};

use crate::{Operation, WireError};

/// Executes an operation on the body of its request, and gives the text of its answer.
pub async fn execute(
    database: &Database,
    operation: Operation,
    body: &Node,
) -> Result<Json, WireError> {
    operation.check_members(body)?;
    match operation {
        Operation::GetItem => items::get_item(database, body).await,
        Operation::PutItem => items::put_item(database, body).await,
        Operation::UpdateItem => items::update_item(database, body).await,
        Operation::DeleteItem => items::delete_item(database, body).await,
        Operation::Query => reads::query(database, body).await,
        Operation::Scan => reads::scan(database, body).await,
        Operation::BatchGetItem => batches::batch_get_item(database, body).await,
        Operation::BatchWriteItem => batches::batch_write_item(database, body).await,
        Operation::TransactGetItems => transactions::transact_get_items(database, body).await,
        Operation::TransactWriteItems => transactions::transact_write_items(database, body).await,
        Operation::ExecuteStatement => statements::execute_statement(database, body).await,
        Operation::BatchExecuteStatement => {
            statements::batch_execute_statement(database, body).await
        }
        Operation::ExecuteTransaction => statements::execute_transaction(database, body).await,
        Operation::CreateTable => tables::create_table(database, body).await,
        Operation::UpdateTable => tables::update_table(database, body).await,
        Operation::DeleteTable => tables::delete_table(database, body).await,
        Operation::DescribeTable => tables::describe_table(database, body).await,
        Operation::ListTables => tables::list_tables(database, body).await,
        Operation::ListStreams => streams::list_streams(database, body).await,
        Operation::DescribeStream => streams::describe_stream(database, body).await,
        Operation::GetShardIterator => streams::get_shard_iterator(database, body).await,
        Operation::GetRecords => streams::get_records(database, body).await,
        Operation::UpdateTimeToLive => settings::update_time_to_live(database, body).await,
        Operation::DescribeTimeToLive => settings::describe_time_to_live(database, body).await,
        Operation::TagResource => settings::tag_resource(database, body).await,
        Operation::UntagResource => settings::untag_resource(database, body).await,
        Operation::ListTagsOfResource => settings::list_tags_of_resource(database, body).await,
        Operation::DescribeContinuousBackups => {
            settings::describe_continuous_backups(database, body).await
        }
        Operation::DescribeLimits => settings::describe_limits(database, body).await,
        Operation::DescribeEndpoints => settings::describe_endpoints(database, body, None).await,
    }
}

/// Reads a body as JSON. What is not JSON is a `SerializationException` without a message.
pub fn parse(body: &[u8]) -> Result<Node, WireError> {
    Node::parse(body).map_err(|_| WireError::serialization(""))
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
