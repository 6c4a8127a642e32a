//! ExecuteStatement, BatchExecuteStatement, ExecuteTransaction. Every violation is listed, in the
//! order in which the service lists them (DX); where the token of ExecuteStatement stands in it is
//! not known.

use super::{CAPACITY, ON_FAILURE, Rule, Stage};
use crate::json::shapes::statements::{BATCH_STATEMENTS, PARAMETERS, TRANSACT_STATEMENTS};

const STATEMENT_REQUIRED: Rule = Rule::Required("Statement");
const STATEMENT: Rule = Rule::Length("Statement", 1, 8192);
const PARAMETERS_THERE: Rule = Rule::Elements("Parameters", 1, usize::MAX, &PARAMETERS);

pub(in crate::json) const EXECUTE_STATEMENT: &[Stage] = &[Stage::always(&[
    ON_FAILURE,
    Rule::Range("Limit", 1, i64::MAX),
    STATEMENT_REQUIRED,
    STATEMENT,
    CAPACITY,
    PARAMETERS_THERE,
    Rule::Length("NextToken", 1, 32_768),
])];

/// What each statement of a batch or a transaction must be.
const MEMBER: &[Rule] = &[ON_FAILURE, STATEMENT_REQUIRED, STATEMENT, PARAMETERS_THERE];

pub(in crate::json) const BATCH_EXECUTE_STATEMENT: &[Stage] = &[Stage::always(&[
    CAPACITY,
    Rule::Required("Statements"),
    Rule::Elements("Statements", 1, 25, &BATCH_STATEMENTS),
    Rule::Each("Statements", MEMBER),
])];

pub(in crate::json) const EXECUTE_TRANSACTION: &[Stage] = &[Stage::always(&[
    Rule::Length("ClientRequestToken", 1, 36),
    Rule::Required("TransactStatements"),
    Rule::Elements("TransactStatements", 1, 100, &TRANSACT_STATEMENTS),
    Rule::Each("TransactStatements", MEMBER),
    CAPACITY,
])];
