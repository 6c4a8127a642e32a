//! What a sequence consists of.

use serde_json::Value;

use crate::party::Message;

/// One step: something that both parties are asked.
#[derive(Clone, Debug)]
pub struct Step {
    /// What is asked.
    pub action: Action,
    /// What the step exercises, for the tables of the report.
    pub features: Vec<Feature>,
    /// The fault that was put in on purpose.
    pub fault: Option<&'static str>,
}

/// What is asked.
#[derive(Clone, Debug)]
pub enum Action {
    /// One request.
    Call {
        /// The operation.
        operation: &'static str,
        /// The body. `$table_arn:t` and `$stream_arn:t` stand for what each party calls them.
        body: Value,
    },
    /// One request, as it goes over the wire.
    Send {
        /// The operation that it was made for.
        operation: &'static str,
        /// The request.
        message: Message,
    },
    /// A Query or Scan, from page to page to the end.
    Pages {
        /// `Query` or `Scan`.
        operation: &'static str,
        /// The body of the first request.
        body: Value,
        /// The sort attributes by which the answer is ordered.
        order_by: Vec<String>,
        /// Whether items are so large that pages end by size.
        is_large: bool,
    },
    /// A Scan in so many segments, each to the end.
    Segments {
        /// The body without segments.
        body: Value,
        /// How many.
        total: usize,
    },
    /// Reading a table's stream.
    ReadStream {
        /// The table.
        table: String,
        /// Records per request.
        limit: usize,
        /// Whether an earlier stream of the table has ended.
        is_restarted: bool,
    },
    /// Comparing what a table says of its size with what is in it.
    Recount {
        /// The table.
        table: String,
        /// Its indexes.
        indexes: Vec<String>,
    },
    /// Waiting until a table is gone.
    AwaitGone {
        /// The table.
        table: String,
    },
    /// Waiting until a table and its indexes are active.
    AwaitActive {
        /// The table.
        table: String,
    },
}

/// Something that a step exercises.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Feature {
    /// A kind of index with an operation: `table`, `GSI` or `LSI`.
    Index(&'static str),
    /// A function or operator with the type of its operand.
    Function(&'static str, &'static str),
}

impl Step {
    /// One request.
    pub fn call(operation: &'static str, body: Value) -> Self {
        Step { action: Action::Call { operation, body }, features: Vec::new(), fault: None }
    }

    /// With what it exercises.
    pub fn with(mut self, features: Vec<Feature>) -> Self {
        self.features.extend(features);
        self
    }

    /// The operation, as the report counts it.
    pub fn operation(&self) -> &'static str {
        match &self.action {
            Action::Call { operation, .. }
            | Action::Pages { operation, .. }
            | Action::Send { operation, .. } => operation,
            Action::Segments { .. } => "Scan",
            Action::ReadStream { .. } => "GetRecords",
            Action::AwaitActive { .. } | Action::AwaitGone { .. } | Action::Recount { .. } => {
                "DescribeTable"
            }
        }
    }

    /// The body, if there is one.
    pub fn body(&self) -> Option<&Value> {
        match &self.action {
            Action::Call { body, .. }
            | Action::Pages { body, .. }
            | Action::Segments { body, .. } => Some(body),
            Action::Send { .. }
            | Action::ReadStream { .. }
            | Action::AwaitActive { .. }
            | Action::AwaitGone { .. }
            | Action::Recount { .. } => None,
        }
    }

    /// The body, to be changed.
    pub fn body_mut(&mut self) -> Option<&mut Value> {
        match &mut self.action {
            Action::Call { body, .. }
            | Action::Pages { body, .. }
            | Action::Segments { body, .. } => Some(body),
            Action::Send { .. }
            | Action::ReadStream { .. }
            | Action::AwaitActive { .. }
            | Action::AwaitGone { .. }
            | Action::Recount { .. } => None,
        }
    }
}
