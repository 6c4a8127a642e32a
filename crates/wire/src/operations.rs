//! Every operation of the API by name: offered, or refused with a reason.
//!
//! Tests walk botocore's service model against these lists, so that none is forgotten.

use hyper::header::HeaderName;
use values::json::Node;

use crate::WireError;

/// The header that says which operation is asked for.
pub(crate) static TARGET: HeaderName = HeaderName::from_static("x-amz-target");

/// The prefix of `x-amz-target` for tables and items.
pub const DYNAMODB_TARGET: &str = "DynamoDB_20120810";
/// The prefix of `x-amz-target` for streams.
pub const STREAMS_TARGET: &str = "DynamoDBStreams_20120810";

/// The operations on tables and items.
pub const DYNAMODB: &[&str] = &[
    "BatchExecuteStatement",
    "BatchGetItem",
    "BatchWriteItem",
    "CreateTable",
    "DeleteItem",
    "DeleteTable",
    "DescribeEndpoints",
    "DescribeLimits",
    "DescribeTable",
    "DescribeTimeToLive",
    "ExecuteStatement",
    "ExecuteTransaction",
    "GetItem",
    "ListTables",
    "ListTagsOfResource",
    "PutItem",
    "Query",
    "Scan",
    "TagResource",
    "TransactGetItems",
    "TransactWriteItems",
    "UntagResource",
    "UpdateItem",
    "UpdateTable",
    "UpdateTimeToLive",
];

/// The operations on streams.
pub const STREAMS: &[&str] = &["DescribeStream", "GetRecords", "GetShardIterator", "ListStreams"];

const GLOBAL_TABLES: &str = "a Plinth database is one process on one machine and has no replicas. To be in several regions, \
     move the tables to Amazon DynamoDB";
const KINESIS: &str = "there is no Kinesis here. Read the table's stream instead: ListStreams, \
                       GetShardIterator, GetRecords";
const INSIGHTS: &str = "there is no CloudWatch here. The figures of every table are at /metrics";
const POLICIES: &str =
    "there is no IAM here: an access key may do everything. `plinth access-keys` manages them";
const IMPORT: &str = "there is no S3 here. Write the items with BatchWriteItem";
const VECTORS: &str = "there are no vector indexes here. Keep the vectors where they are searched, \
                       and the items' keys beside them";
const RECOVERY: &str = "backups and point-in-time recovery are not in this version. Stop the server \
                        and copy the data folder to keep a state";

/// What is refused, and why.
pub const REFUSED: &[(&str, &str)] = &[
    ("CancelBulkOperation", IMPORT),
    ("CreateBackup", RECOVERY),
    ("CreateGlobalTable", GLOBAL_TABLES),
    ("DeleteBackup", RECOVERY),
    ("DeleteResourcePolicy", POLICIES),
    ("DescribeBackup", RECOVERY),
    ("DescribeBulkOperation", IMPORT),
    ("DescribeContinuousBackups", RECOVERY),
    ("DescribeContributorInsights", INSIGHTS),
    ("DescribeExport", RECOVERY),
    ("DescribeGlobalTable", GLOBAL_TABLES),
    ("DescribeGlobalTableSettings", GLOBAL_TABLES),
    ("DescribeImport", IMPORT),
    ("DescribeKinesisStreamingDestination", KINESIS),
    ("DescribeTableReplicaAutoScaling", GLOBAL_TABLES),
    ("DisableKinesisStreamingDestination", KINESIS),
    ("EnableKinesisStreamingDestination", KINESIS),
    ("ExportTableToPointInTime", RECOVERY),
    ("GetResourcePolicy", POLICIES),
    ("ImportTable", IMPORT),
    ("ListBackups", RECOVERY),
    ("ListBulkOperations", IMPORT),
    ("ListContributorInsights", INSIGHTS),
    ("ListExports", RECOVERY),
    ("ListGlobalTables", GLOBAL_TABLES),
    ("ListImports", IMPORT),
    ("PutResourcePolicy", POLICIES),
    ("RestoreTableFromBackup", RECOVERY),
    ("RestoreTableToPointInTime", RECOVERY),
    ("SearchVectors", VECTORS),
    ("StartBulkPutItems", IMPORT),
    ("UpdateContinuousBackups", RECOVERY),
    ("UpdateContributorInsights", INSIGHTS),
    ("UpdateGlobalTable", GLOBAL_TABLES),
    ("UpdateGlobalTableSettings", GLOBAL_TABLES),
    ("UpdateKinesisStreamingDestination", KINESIS),
    ("UpdateTableReplicaAutoScaling", GLOBAL_TABLES),
];

/// Members of offered operations that are refused, and why: what they ask for must not be silently
/// left undone.
pub const REFUSED_MEMBERS: &[(&str, &str, &str)] = &[
    ("CreateTable", "GlobalTableSettingsReplicationMode", GLOBAL_TABLES),
    ("CreateTable", "GlobalTableSourceArn", GLOBAL_TABLES),
    ("CreateTable", "ResourcePolicy", POLICIES),
    ("CreateTable", "VectorIndexes", VECTORS),
    ("UpdateTable", "DisassociationProtectionEnabled", GLOBAL_TABLES),
    ("UpdateTable", "GlobalTableSettingsReplicationMode", GLOBAL_TABLES),
    ("UpdateTable", "GlobalTableWitnessUpdates", GLOBAL_TABLES),
    ("UpdateTable", "MultiRegionConsistency", GLOBAL_TABLES),
    ("UpdateTable", "ReplicaUpdates", GLOBAL_TABLES),
    ("UpdateTable", "VectorIndexUpdates", VECTORS),
];

/// Refuses a request with a member that is not offered.
pub fn check_members(operation: &str, body: &Node) -> Result<(), WireError> {
    let refused = REFUSED_MEMBERS.iter().find(|(of, member, _)| {
        *of == operation && body.get(member).is_some_and(|value| !value.is_null())
    });
    match refused {
        Some((_, member, reason)) => {
            Err(WireError::validation(format!("{member} is not offered: {reason}.")))
        }
        None => Ok(()),
    }
}

/// The operation that an `x-amz-target` names.
pub fn find(target: Option<&str>) -> Result<&'static str, WireError> {
    let Some((prefix, name)) = target.and_then(|target| target.split_once('.')) else {
        return Err(WireError::unknown_operation());
    };
    let offered = match prefix {
        DYNAMODB_TARGET => DYNAMODB,
        STREAMS_TARGET => STREAMS,
        _ => return Err(WireError::unknown_operation()),
    };
    if let Ok(place) = offered.binary_search(&name) {
        return Ok(offered[place]);
    }
    let refused = REFUSED.iter().find(|(known, _)| *known == name && prefix == DYNAMODB_TARGET);
    let mut error = WireError::unknown_operation();
    if let Some((name, reason)) = refused {
        error.message = format!("{name} is not offered: {reason}.");
    }
    Err(error)
}

/// Every operation that is offered.
pub fn offered() -> impl Iterator<Item = &'static str> {
    DYNAMODB.iter().chain(STREAMS).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_in_order_so_that_they_are_found() {
        assert!(DYNAMODB.is_sorted() && STREAMS.is_sorted());
        assert!(REFUSED.iter().map(|(name, _)| name).is_sorted());
        for name in DYNAMODB {
            assert_eq!(find(Some(&format!("{DYNAMODB_TARGET}.{name}"))), Ok(*name));
        }
    }

    #[test]
    fn members_that_are_not_offered_are_refused_by_name() {
        let body = Node::from(serde_json::json!({ "TableName": "a", "ResourcePolicy": "{}" }));
        let error = check_members("CreateTable", &body).unwrap_err();
        assert!(error.message.starts_with("ResourcePolicy is not offered: "), "{error}");
        assert_eq!(error.kind.name(), "ValidationException");
        assert_eq!(check_members("PutItem", &body), Ok(()));
        let body = Node::from(serde_json::json!({ "TableName": "a", "ResourcePolicy": null }));
        assert_eq!(check_members("CreateTable", &body), Ok(()));
        assert_eq!(check_members("CreateTable", &serde_json::json!("text").into()), Ok(()));
    }

    #[test]
    fn what_is_refused_is_refused_by_name() {
        let error = find(Some("DynamoDB_20120810.ImportTable")).unwrap_err();
        assert!(error.message.starts_with("ImportTable is not offered: "), "{error}");
        for target in [None, Some(""), Some("PutItem"), Some("DynamoDBStreams_20120810.PutItem")] {
            let error = find(target).unwrap_err();
            assert_eq!(
                (error.kind.name(), error.message.as_str()),
                ("UnknownOperationException", "")
            );
        }
    }
}
