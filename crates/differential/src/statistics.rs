//! What was exercised: the tables that tell whether a run means anything.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use crate::compare::accepted;
use crate::party::Outcome;
use crate::step::{Feature, Step};

/// How a request ended.
const COLUMNS: [&str; 4] = ["ok", "conditional", "validation", "other"];
const OPERATIONS: [&str; 27] = [
    "PutItem",
    "GetItem",
    "UpdateItem",
    "DeleteItem",
    "Query",
    "Scan",
    "BatchGetItem",
    "BatchWriteItem",
    "TransactGetItems",
    "TransactWriteItems",
    "ExecuteStatement",
    "BatchExecuteStatement",
    "ExecuteTransaction",
    "CreateTable",
    "UpdateTable",
    "DescribeTable",
    "ListTables",
    "UpdateTimeToLive",
    "DescribeTimeToLive",
    "TagResource",
    "UntagResource",
    "ListTagsOfResource",
    "ListStreams",
    "DescribeStream",
    "GetRecords",
    "GetShardIterator",
    "DeleteTable",
];
const INDEXED: [&str; 8] = [
    "PutItem",
    "UpdateItem",
    "DeleteItem",
    "Query",
    "Scan",
    "BatchWriteItem",
    "TransactWriteItems",
    "GetItem",
];
const TYPES: [&str; 10] = ["S", "N", "B", "BOOL", "NULL", "M", "L", "SS", "NS", "BS"];
const ORDERED: &[&str] = &["S", "N", "B"];
/// Functions and operators with the types they take.
const FUNCTIONS: [(&str, &[&str]); 22] = [
    ("=", &TYPES),
    ("<>", &TYPES),
    ("<", ORDERED),
    ("<=", ORDERED),
    (">", ORDERED),
    (">=", ORDERED),
    ("BETWEEN", ORDERED),
    ("IN", &TYPES),
    ("attribute_exists", &TYPES),
    ("attribute_not_exists", &TYPES),
    ("attribute_type", &TYPES),
    ("begins_with", &["S", "B"]),
    ("contains", &TYPES),
    ("size", &TYPES),
    ("SET", &TYPES),
    ("REMOVE", &TYPES),
    ("ADD", &["N", "SS", "NS", "BS"]),
    ("DELETE", &["SS", "NS", "BS"]),
    ("if_not_exists", &TYPES),
    ("list_append", &["L"]),
    ("+", &["N"]),
    ("-", &["N"]),
];

/// Counts of a run.
#[derive(Default)]
pub struct Statistics {
    outcomes: BTreeMap<(&'static str, usize), usize>,
    conditions: BTreeMap<bool, usize>,
    indexes: BTreeMap<(&'static str, &'static str), usize>,
    functions: BTreeMap<(&'static str, &'static str), usize>,
    faults: BTreeMap<&'static str, usize>,
    accepted: BTreeMap<&'static str, usize>,
}

impl Statistics {
    /// Counts a step and how it ended.
    pub fn count(&mut self, step: &Step, outcome: &Outcome) {
        let operation = step.operation();
        let column = column(outcome);
        *self.outcomes.entry((operation, column)).or_default() += 1;
        if step.body().is_some_and(|body| body.get("ConditionExpression").is_some()) && column < 2 {
            *self.conditions.entry(column == 0).or_default() += 1;
        }
        for feature in &step.features {
            match feature {
                Feature::Index(kind) => *self.indexes.entry((operation, kind)).or_default() += 1,
                Feature::Function(function, kind) => {
                    *self.functions.entry((function, kind)).or_default() += 1;
                }
            }
        }
        if let Some(fault) = step.fault {
            *self.faults.entry(fault).or_default() += 1;
        }
    }

    /// Counts accepted differences.
    pub fn accept(&mut self, names: &[&'static str]) {
        for name in names {
            *self.accepted.entry(name).or_default() += 1;
        }
    }

    /// Adds the counts of another run.
    pub fn merge(&mut self, other: Statistics) {
        add(&mut self.outcomes, other.outcomes);
        add(&mut self.conditions, other.conditions);
        add(&mut self.indexes, other.indexes);
        add(&mut self.functions, other.functions);
        add(&mut self.faults, other.faults);
        add(&mut self.accepted, other.accepted);
    }

    /// Requests in all.
    pub fn total(&self) -> usize {
        self.outcomes.values().sum()
    }

    /// Cells that can be reached and were not.
    pub fn empty_cells(&self) -> Vec<String> {
        let mut empty = Vec::new();
        for operation in OPERATIONS {
            for (column, name) in COLUMNS.iter().enumerate() {
                if is_reachable(operation, name) && self.outcome(operation, column) == 0 {
                    empty.push(format!("{operation} / {name}"));
                }
            }
        }
        for operation in INDEXED {
            for kind in ["table", "GSI", "LSI"] {
                let is_reachable = operation != "GetItem" || kind == "table";
                if is_reachable && self.index(operation, kind) == 0 {
                    empty.push(format!("{operation} / {kind}"));
                }
            }
        }
        for (function, kinds) in FUNCTIONS {
            for kind in kinds {
                if self.function(function, kind) == 0 {
                    empty.push(format!("{function} / {kind}"));
                }
            }
        }
        empty
    }

    /// Accepted differences that did not occur, and could have.
    pub fn unused_accepted(&self, over_http: bool) -> Vec<&'static str> {
        let used: BTreeSet<&str> = self.accepted.keys().copied().collect();
        let possible = accepted::ALL.iter().filter(|one| over_http || !one.is_over_http());
        possible.map(|one| one.name).filter(|name| !used.contains(name)).collect()
    }

    fn outcome(&self, operation: &'static str, column: usize) -> usize {
        self.outcomes.get(&(operation, column)).copied().unwrap_or_default()
    }

    fn index(&self, operation: &'static str, kind: &'static str) -> usize {
        self.indexes.get(&(operation, kind)).copied().unwrap_or_default()
    }

    fn function(&self, function: &'static str, kind: &'static str) -> usize {
        self.functions.get(&(function, kind)).copied().unwrap_or_default()
    }

    /// The tables as text.
    pub fn tables(&self) -> String {
        let mut text = String::new();
        let _ = writeln!(text, "{:<20}{}", "operation", heads(&COLUMNS));
        for operation in OPERATIONS {
            let counts: Vec<usize> = (0..4).map(|column| self.outcome(operation, column)).collect();
            let _ = writeln!(text, "{operation:<20}{}", cells(&counts));
        }
        let held = self.conditions.get(&true).copied().unwrap_or_default();
        let failed = self.conditions.get(&false).copied().unwrap_or_default();
        let share = held * 100 / (held + failed).max(1);
        let _ = writeln!(text, "\nconditions that held: {share} % of {}", held + failed);
        let kinds = ["table", "GSI", "LSI"];
        let _ = writeln!(text, "\n{:<20}{}", "index kind", heads(&kinds));
        for operation in INDEXED {
            let counts: Vec<usize> = kinds.iter().map(|kind| self.index(operation, kind)).collect();
            let _ = writeln!(text, "{operation:<20}{}", cells(&counts));
        }
        let _ = writeln!(text, "\n{:<20}{}", "function", heads(&TYPES));
        for (function, _) in FUNCTIONS {
            let counts: Vec<usize> =
                TYPES.iter().map(|kind| self.function(function, kind)).collect();
            let _ = writeln!(text, "{function:<20}{}", cells(&counts));
        }
        let _ = writeln!(text, "\nfaults put in on purpose");
        for (fault, count) in &self.faults {
            let _ = writeln!(text, "{count:>8}  {fault}");
        }
        let _ = writeln!(text, "\naccepted differences that occurred");
        for (name, count) in &self.accepted {
            let _ = writeln!(text, "{count:>8}  {name}");
        }
        text
    }
}

fn column(outcome: &Outcome) -> usize {
    let Some(failure) = outcome.failure() else { return 0 };
    match failure.kind.as_str() {
        "ConditionalCheckFailedException" => 1,
        "TransactionCanceledException" if failure.message.contains("ConditionalCheckFailed") => 1,
        "ValidationException" => 2,
        _ => 3,
    }
}

fn is_reachable(operation: &str, column: &str) -> bool {
    let writes = [
        "PutItem",
        "UpdateItem",
        "DeleteItem",
        "TransactWriteItems",
        "ExecuteStatement",
        "ExecuteTransaction",
    ];
    let requests = [
        "PutItem",
        "GetItem",
        "UpdateItem",
        "DeleteItem",
        "Query",
        "Scan",
        "BatchGetItem",
        "BatchWriteItem",
        "TransactGetItems",
        "TransactWriteItems",
        "ExecuteStatement",
        "ExecuteTransaction",
    ];
    match column {
        // Iterators are part of reading a stream.
        "ok" => operation != "GetShardIterator",
        "conditional" => writes.contains(&operation),
        _ if ["CreateTable", "UpdateTable"].contains(&operation) => true,
        _ => requests.contains(&operation),
    }
}

fn add<K: Ord>(into: &mut BTreeMap<K, usize>, from: BTreeMap<K, usize>) {
    for (key, count) in from {
        *into.entry(key).or_default() += count;
    }
}

fn heads(names: &[&str]) -> String {
    names.iter().map(|name| format!("{name:>13}")).collect()
}

fn cells(counts: &[usize]) -> String {
    counts.iter().map(|count| format!("{count:>13}")).collect()
}
