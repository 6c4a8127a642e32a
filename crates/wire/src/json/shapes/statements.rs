//! Requests of PartiQL statements.

use super::{Shape, Structure};

/// The parameters of a statement.
pub(in crate::json) const PARAMETERS: Shape = Shape::List(&Shape::Value);

pub(in crate::json) const EXECUTE_STATEMENT: Structure = Structure {
    name: "ExecuteStatementInput",
    members: &[
        ("Statement", Shape::Text),
        ("Parameters", PARAMETERS),
        ("ConsistentRead", Shape::Flag),
        ("NextToken", Shape::Text),
        ("ReturnConsumedCapacity", Shape::Text),
        ("Limit", Shape::Integer),
        ("ReturnValuesOnConditionCheckFailure", Shape::Text),
    ],
};

pub(in crate::json) const BATCH_STATEMENTS: Shape = Shape::List(&Shape::Structure(&Structure {
    name: "BatchStatementRequest",
    members: &[
        ("Statement", Shape::Text),
        ("Parameters", PARAMETERS),
        ("ConsistentRead", Shape::Flag),
        ("ReturnValuesOnConditionCheckFailure", Shape::Text),
    ],
}));

pub(in crate::json) const BATCH_EXECUTE_STATEMENT: Structure = Structure {
    name: "BatchExecuteStatementInput",
    members: &[("Statements", BATCH_STATEMENTS), ("ReturnConsumedCapacity", Shape::Text)],
};

pub(in crate::json) const TRANSACT_STATEMENTS: Shape = Shape::List(&Shape::Structure(&Structure {
    name: "ParameterizedStatement",
    members: &[
        ("Statement", Shape::Text),
        ("Parameters", PARAMETERS),
        ("ReturnValuesOnConditionCheckFailure", Shape::Text),
    ],
}));

pub(in crate::json) const EXECUTE_TRANSACTION: Structure = Structure {
    name: "ExecuteTransactionInput",
    members: &[
        ("TransactStatements", TRANSACT_STATEMENTS),
        ("ClientRequestToken", Shape::Text),
        ("ReturnConsumedCapacity", Shape::Text),
    ],
};
