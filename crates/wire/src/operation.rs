//! Every operation of the API: offered, or refused with a reason.
//!
//! Tests walk botocore's service model against these lists, so that none is forgotten.

mod refused;

use hyper::header::HeaderName;
use values::json::Node;

use crate::WireError;

/// The header that says which operation is asked for.
pub(crate) static TARGET: HeaderName = HeaderName::from_static("x-amz-target");

/// The prefix of `x-amz-target` for tables and items.
const DYNAMODB: &str = "DynamoDB_20120810";
/// The prefix of `x-amz-target` for streams.
const STREAMS: &str = "DynamoDBStreams_20120810";

/// One name per operation: the variant, the text in `x-amz-target` and the label of its metrics.
macro_rules! operations {
    ($($prefix:ident { $($name:ident,)+ })+) => {
        /// An operation that is offered, under its name in the API.
        #[expect(missing_docs, reason = "DynamoDB's API reference describes each")]
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Operation { $($($name,)+)+ }

        impl Operation {
            /// Every operation, in the order in which they are declared.
            pub const ALL: &[Operation] = &[$($(Operation::$name,)+)+];

            /// The operation's name in the API.
            pub const fn name(self) -> &'static str {
                match self { $($(Operation::$name => stringify!($name),)+)+ }
            }

            /// What stands before the name in `x-amz-target`.
            const fn prefix(self) -> &'static str {
                match self { $($(Operation::$name => $prefix,)+)+ }
            }
        }
    };
}

operations! {
    DYNAMODB {
        BatchExecuteStatement,
        BatchGetItem,
        BatchWriteItem,
        CreateTable,
        DeleteItem,
        DeleteTable,
        DescribeContinuousBackups,
        DescribeEndpoints,
        DescribeLimits,
        DescribeTable,
        DescribeTimeToLive,
        ExecuteStatement,
        ExecuteTransaction,
        GetItem,
        ListTables,
        ListTagsOfResource,
        PutItem,
        Query,
        Scan,
        TagResource,
        TransactGetItems,
        TransactWriteItems,
        UntagResource,
        UpdateItem,
        UpdateTable,
        UpdateTimeToLive,
    }
    STREAMS {
        DescribeStream,
        GetRecords,
        GetShardIterator,
        ListStreams,
    }
}

impl Operation {
    /// The operation with this name.
    pub fn named(name: &str) -> Option<Operation> {
        Operation::ALL.iter().copied().find(|operation| operation.name() == name)
    }

    /// The operation that an `x-amz-target` asks for.
    pub fn of_target(target: Option<&str>) -> Result<Operation, WireError> {
        let Some((prefix, name)) = target.and_then(|target| target.split_once('.')) else {
            return Err(WireError::unknown_operation());
        };
        match Operation::named(name) {
            Some(operation) if operation.prefix() == prefix => return Ok(operation),
            Some(_) => return Err(WireError::unknown_operation()),
            None => {}
        }
        let mut error = WireError::unknown_operation();
        let refused = refused::OPERATIONS.iter().find(|(refused, _)| *refused == name);
        if let (Some((name, reason)), DYNAMODB) = (refused, prefix) {
            error.message = format!("{name} is not offered: {reason}.");
        }
        Err(error)
    }

    /// The `x-amz-target` that asks for it.
    pub fn target(self) -> String {
        format!("{}.{}", self.prefix(), self.name())
    }

    /// Whether it reads items, which can make a large answer, and changes nothing.
    pub(crate) const fn reads_items(self) -> bool {
        matches!(
            self,
            Operation::BatchGetItem
                | Operation::GetItem
                | Operation::GetRecords
                | Operation::Query
                | Operation::Scan
                | Operation::TransactGetItems
        )
    }

    /// Refuses a request with a member that is not offered.
    pub(crate) fn check_members(self, body: &Node) -> Result<(), WireError> {
        let refused = refused::MEMBERS.iter().find(|(of, member, _)| {
            *of == self && body.get(member).is_some_and(|value| !value.is_null())
        });
        match refused {
            Some((_, member, reason)) => {
                Err(WireError::validation(format!("{member} is not offered: {reason}.")))
            }
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_operation_is_found_by_its_own_target_only() {
        for operation in Operation::ALL.iter().copied() {
            assert_eq!(Operation::of_target(Some(&operation.target())), Ok(operation));
            let other = if operation.prefix() == DYNAMODB { STREAMS } else { DYNAMODB };
            let target = format!("{other}.{}", operation.name());
            assert_eq!(Operation::of_target(Some(&target)), Err(WireError::unknown_operation()));
        }
    }

    #[test]
    fn what_is_offered_is_not_refused() {
        assert!(refused::OPERATIONS.iter().map(|(name, _)| name).is_sorted());
        for (name, _) in refused::OPERATIONS {
            assert_eq!(Operation::named(name), None);
        }
    }

    #[test]
    fn members_that_are_not_offered_are_refused_by_name() {
        let body = Node::from(serde_json::json!({ "TableName": "a", "ResourcePolicy": "{}" }));
        let error = Operation::CreateTable.check_members(&body).unwrap_err();
        assert!(error.message.starts_with("ResourcePolicy is not offered: "), "{error}");
        assert_eq!(error.kind.name(), "ValidationException");
        assert_eq!(Operation::PutItem.check_members(&body), Ok(()));
        let body = Node::from(serde_json::json!({ "TableName": "a", "ResourcePolicy": null }));
        assert_eq!(Operation::CreateTable.check_members(&body), Ok(()));
        assert_eq!(Operation::CreateTable.check_members(&serde_json::json!("text").into()), Ok(()));
    }

    #[test]
    fn what_is_refused_is_refused_by_name() {
        let error = Operation::of_target(Some("DynamoDB_20120810.ImportTable")).unwrap_err();
        assert!(error.message.starts_with("ImportTable is not offered: "), "{error}");
        let streams = "DynamoDBStreams_20120810.ImportTable";
        for target in [None, Some(""), Some("PutItem"), Some(streams)] {
            assert_eq!(Operation::of_target(target), Err(WireError::unknown_operation()));
        }
    }
}
