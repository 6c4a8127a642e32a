//! The embedded database as a target.

use database::Database;
use serde_json::Value;
use wire::{Operation, WireError};

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
        let Some(offered) = Operation::named(operation) else {
            return Err(TargetError::NotOffered { operation: operation.to_owned() });
        };
        let answer = wire::json::execute(&self.database, offered, &body.into()).await;
        answer.map(|answer| answer.to_value()).map_err(refusal)
    }

    fn describe(&self) -> String {
        "the embedded database".to_owned()
    }

    /// Changes that wait at the same time reach the disk with one another.
    fn at_once(&self) -> usize {
        64
    }
}

fn refusal(error: WireError) -> TargetError {
    TargetError::Refused { code: error.kind.name().to_owned(), message: error.message }
}
