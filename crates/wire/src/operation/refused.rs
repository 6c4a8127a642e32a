//! What the API has and Plinth does not: operations and members that are refused with a reason.

use super::Operation;

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

/// Operations that are not offered, in order of their names, and why.
pub(super) const OPERATIONS: &[(&str, &str)] = &[
    ("CancelBulkOperation", IMPORT),
    ("CreateBackup", RECOVERY),
    ("CreateGlobalTable", GLOBAL_TABLES),
    ("DeleteBackup", RECOVERY),
    ("DeleteResourcePolicy", POLICIES),
    ("DescribeBackup", RECOVERY),
    ("DescribeBulkOperation", IMPORT),
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
pub(super) const MEMBERS: &[(Operation, &str, &str)] = &[
    (Operation::CreateTable, "GlobalTableSettingsReplicationMode", GLOBAL_TABLES),
    (Operation::CreateTable, "GlobalTableSourceArn", GLOBAL_TABLES),
    (Operation::CreateTable, "ResourcePolicy", POLICIES),
    (Operation::CreateTable, "VectorIndexes", VECTORS),
    (Operation::UpdateTable, "DisassociationProtectionEnabled", GLOBAL_TABLES),
    (Operation::UpdateTable, "GlobalTableSettingsReplicationMode", GLOBAL_TABLES),
    (Operation::UpdateTable, "GlobalTableWitnessUpdates", GLOBAL_TABLES),
    (Operation::UpdateTable, "MultiRegionConsistency", GLOBAL_TABLES),
    (Operation::UpdateTable, "ReplicaUpdates", GLOBAL_TABLES),
    (Operation::UpdateTable, "VectorIndexUpdates", VECTORS),
];
