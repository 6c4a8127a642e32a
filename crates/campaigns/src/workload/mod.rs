//! What the tests write: operations that follow from a seed and a number alone.
//!
//! Nothing about an operation is stored but its number: whoever knows the [`Plan`] can say exactly
//! what operation 17 asked for. So a ledger of numbers is a complete history, also after the process
//! that sent the operations was killed.

mod content;
mod execute;
mod operation;
mod tables;
mod writers;

pub use content::{Attribute, apply, put_item};
pub use execute::{Outcome, Refusal, execute};
pub use operation::{Action, Condition, Effect, Kind, Operation, OperationId, Plan};
pub use tables::{
    IndexLayout, ItemName, Table, background_work, create_tables, tables_exist, toggle_extra_index,
};
pub use writers::{Tally, Writers};
