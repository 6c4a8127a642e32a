//! The embedded database as a target.

use database::Database;
use serde_json::Value;
use wire::{ErrorKind, WireError};

use crate::target::{Target, TargetError};

/// An open embedded database.
#[derive(Clone)]
pub struct EmbeddedTarget {
    database: Database,
}

impl EmbeddedTarget {
    /// A target that puts tables into this database.
    pub fn new(database: Database) -> EmbeddedTarget {
        EmbeddedTarget { database }
    }
}

impl Target for EmbeddedTarget {
    async fn call(&self, operation: &'static str, body: &Value) -> Result<Value, TargetError> {
        let answer = wire::json::execute(&self.database, operation, &body.into()).await;
        answer.map(|answer| answer.to_value()).map_err(|error| refusal(operation, error))
    }

    fn describe(&self) -> String {
        "the embedded database".to_owned()
    }

    /// Changes that wait at the same time reach the disk with one another.
    fn at_once(&self) -> usize {
        64
    }
}

fn refusal(operation: &str, error: WireError) -> TargetError {
    if error.kind == ErrorKind::UnknownOperation {
        return TargetError::NotOffered { operation: operation.to_owned() };
    }
    TargetError::Refused { code: error.kind.name().to_owned(), message: error.message }
}
