//! The reference: dynoxide, in process.
//!
//! Its requests are read from JSON by serde; what its HTTP server would make of a body that does
//! not read is done here, as far as its error texts tell.

use std::io;
use std::net::{Ipv4Addr, SocketAddr};

use dynoxide::DynoxideError;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use tokio::net::TcpListener;

use super::{Failure, Host, Outcome, Party};

/// dynoxide with an empty database.
pub struct Reference {
    database: dynoxide::Database,
}

impl Reference {
    /// An empty database in memory.
    #[expect(clippy::expect_used, reason = "without a reference there is nothing to compare")]
    pub fn open() -> Self {
        let database = dynoxide::Database::memory().expect("the reference opens in memory");
        Reference { database }
    }
}

impl Host for Reference {
    async fn serve(&self) -> io::Result<SocketAddr> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let address = listener.local_addr()?;
        tokio::spawn(dynoxide::server::serve_on(listener, self.database.clone()));
        Ok(address)
    }
}

impl Party for Reference {
    fn call(&mut self, operation: &str, body: &Value) -> Outcome {
        let database = &self.database;
        match operation {
            "PutItem" => run(operation, body, |request| database.put_item(request)),
            "GetItem" => run(operation, body, |request| database.get_item(request)),
            "UpdateItem" => run(operation, body, |request| database.update_item(request)),
            "DeleteItem" => run(operation, body, |request| database.delete_item(request)),
            "Query" => run(operation, body, |request| database.query(request)),
            "Scan" => run(operation, body, |request| database.scan(request)),
            "BatchGetItem" => run(operation, body, |request| database.batch_get_item(request)),
            "BatchWriteItem" => run(operation, body, |request| database.batch_write_item(request)),
            "TransactGetItems" => {
                run(operation, body, |request| database.transact_get_items(request))
            }
            "TransactWriteItems" => {
                run(operation, body, |request| database.transact_write_items(request))
            }
            "ExecuteStatement" => {
                run(operation, body, |request| database.execute_statement(request))
            }
            "BatchExecuteStatement" => {
                run(operation, body, |request| database.batch_execute_statement(request))
            }
            "ExecuteTransaction" => {
                run(operation, body, |request| database.execute_transaction(request))
            }
            _ => self.call_other(operation, body),
        }
    }
}

impl Reference {
    fn call_other(&self, operation: &str, body: &Value) -> Outcome {
        let database = &self.database;
        match operation {
            "CreateTable" => run(operation, body, |request| database.create_table(request)),
            "UpdateTable" => run(operation, body, |request| database.update_table(request)),
            "DeleteTable" => run(operation, body, |request| database.delete_table(request)),
            "DescribeTable" => run(operation, body, |request| database.describe_table(request)),
            "ListTables" => run(operation, body, |request| database.list_tables(request)),
            "UpdateTimeToLive" => {
                run(operation, body, |request| database.update_time_to_live(request))
            }
            "DescribeTimeToLive" => {
                run(operation, body, |request| database.describe_time_to_live(request))
            }
            "TagResource" => run(operation, body, |request| database.tag_resource(request)),
            "UntagResource" => run(operation, body, |request| database.untag_resource(request)),
            "ListTagsOfResource" => {
                run(operation, body, |request| database.list_tags_of_resource(request))
            }
            "ListStreams" => run(operation, body, |request| database.list_streams(request)),
            "DescribeStream" => run(operation, body, |request| database.describe_stream(request)),
            "GetShardIterator" => {
                run(operation, body, |request| database.get_shard_iterator(request))
            }
            "GetRecords" => run(operation, body, |request| database.get_records(request)),
            other => Outcome::Failure(Failure::new("UnknownOperationException", other)),
        }
    }
}

fn run<Q: DeserializeOwned, A: Serialize>(
    operation: &str,
    body: &Value,
    execute: impl FnOnce(Q) -> Result<A, DynoxideError>,
) -> Outcome {
    let request = match Q::deserialize(body) {
        Ok(request) => request,
        Err(error) => return Outcome::Failure(unreadable(operation, &error.to_string())),
    };
    match execute(request) {
        Ok(answer) => Outcome::Answer(serde_json::to_value(answer).unwrap_or_default()),
        Err(error) => {
            let body = serde_json::from_str(&error.to_json()).unwrap_or_default();
            Outcome::Failure(Failure::from_body(body))
        }
    }
}

/// The exception for a body that does not read: the reader marks what is a `ValidationException`.
fn unreadable(operation: &str, text: &str) -> Failure {
    if let Some(message) = text.strip_prefix("VALIDATION_REQUEST:") {
        let counted = matches!(operation, "PutItem" | "UpdateItem" | "DeleteItem");
        let prefix = if counted { "1 validation error detected: " } else { "" };
        return Failure::new("ValidationException", format!("{prefix}{message}"));
    }
    if let Some(message) = text.strip_prefix("VALIDATION:") {
        return Failure::new("ValidationException", message);
    }
    if let Some(message) = text.strip_prefix("SERIALIZATION:") {
        return Failure::new("SerializationException", message);
    }
    const EMPTY: &str = "Supplied AttributeValue is empty, must contain exactly one of the \
                         supported datatypes";
    if text.contains("empty AttributeValue") {
        return Failure::new("ValidationException", EMPTY);
    }
    if text.contains("Supplied AttributeValue") {
        return Failure::new("ValidationException", text);
    }
    let is_validation = ["missing field", "unknown variant", "invalid type: null"];
    let kind = if is_validation.iter().any(|mark| text.contains(mark)) {
        "ValidationException"
    } else {
        "SerializationException"
    };
    Failure::new(kind, format!("{UNREADABLE}{text}"))
}

/// Marks a text that is serde's and not DynamoDB's.
pub(crate) const UNREADABLE: &str = "serde: ";
