//! Every limit of the service, with its source.
//!
//! "Quotas" is the AWS developer guide's page "Quotas in Amazon DynamoDB", "API" the AWS API
//! reference page of the operation named, "rule" the numbered list of DynamoDB behaviour that this
//! project follows. The unit comes last in a name. Sums of bytes are binary: 1 KB is 1,024 bytes.

const KIB: usize = 1024;
const MIB: usize = 1024 * KIB;

// Numbers.

/// Significant digits of a number. Quotas, "Number"; rule 11.
pub const NUMBER_DIGITS_MAX: usize = 38;
/// Power of ten of the leading digit of the largest number, 9.99…E+125. Quotas, "Number"; rule 11.
pub const NUMBER_LEADING_EXPONENT_MAX: i32 = 125;
/// Power of ten of the leading digit of the smallest number, 1E-130. Quotas, "Number"; rule 11.
pub const NUMBER_LEADING_EXPONENT_MIN: i32 = -130;

// Items, keys and names.

/// Names and values of one item. Quotas, "Item size"; rule 23.
pub const ITEM_SIZE_BYTES_MAX: usize = 400 * KIB;
/// A partition key value of a table or index. Quotas, "Partition key length"; rule 22.
pub const PARTITION_KEY_BYTES_MAX: usize = 2048;
/// A sort key value of a table or index. Quotas, "Sort key length"; rule 22.
pub const SORT_KEY_BYTES_MAX: usize = 1024;
/// A key value of a table or index: empty strings and binaries are refused. Rules 14 and 22.
pub const KEY_BYTES_MIN: usize = 1;
/// The name of a key attribute of a table or index. Quotas, "Attribute names"; rule 22.
pub const KEY_ATTRIBUTE_NAME_BYTES_MAX: usize = 255;
/// The name of any other attribute. Quotas, "Attribute names" (64 KB); rule 22.
pub const ATTRIBUTE_NAME_BYTES_MAX: usize = 65_535;
/// Levels of lists and maps, the attribute's own value being the first. Quotas, "Nested attribute
/// depth"; rule 9.
pub const NESTING_LEVELS_MAX: usize = 32;
/// Attributes of a key: partition and sort. Developer guide, "Core components".
pub const KEY_ATTRIBUTES_MAX: usize = 2;
/// Attributes in each part of a multi-attribute index key. Developer guide, "Multi-attribute keys".
pub const INDEX_KEY_PART_ATTRIBUTES_MAX: usize = 4;
/// Items with one partition key, their index entries included, in a table with a local secondary
/// index (10 GB). Quotas, "Item collection size".
pub const ITEM_COLLECTION_BYTES_MAX: u64 = 10 * 1024 * MIB as u64;

// What an item weighs. Rule 23; developer guide, "Item sizes and formats".

/// Weight of a list or map before its elements.
pub const CONTAINER_OVERHEAD_BYTES: usize = 3;
/// Weight of each element of a list or map, on top of its content.
pub const ELEMENT_OVERHEAD_BYTES: usize = 1;

// Requests and expressions.

/// The body of a request. Rule 9.
pub const REQUEST_BYTES_MAX: usize = 16 * MIB;
/// Text of one expression. Quotas, "Expression parameters"; rule 8.
pub const EXPRESSION_BYTES_MAX: usize = 4096;
/// Operators and functions in one expression. Quotas, "Expression parameters"; rule 8.
pub const EXPRESSION_OPERATORS_MAX: usize = 300;
/// Operands of `IN`. Quotas, "Expression parameters"; rule 8.
pub const IN_OPERANDS_MAX: usize = 100;
/// One `#name` or `:value` placeholder. Quotas, "Expression parameters".
pub const PLACEHOLDER_BYTES_MAX: usize = 255;
/// All names and values of one request's placeholders together. Quotas, "Expression parameters".
pub const PLACEHOLDERS_BYTES_MAX: usize = 2 * MIB;

// Operations on several items.

/// Requests of one BatchWriteItem. API BatchWriteItem; rule 45.
pub const BATCH_WRITE_ITEMS_MAX: usize = 25;
/// Keys of one BatchGetItem. API BatchGetItem; rule 45.
pub const BATCH_GET_ITEMS_MAX: usize = 100;
/// Items returned by one BatchGetItem. API BatchGetItem; rule 45.
pub const BATCH_RESPONSE_BYTES_MAX: usize = 16 * MIB;
/// Statements of one BatchExecuteStatement. API BatchExecuteStatement.
pub const BATCH_STATEMENTS_MAX: usize = 25;
/// Characters of one PartiQL statement. API ExecuteStatement.
pub const STATEMENT_CHARACTERS_MAX: usize = 8192;
/// Actions of one transaction. API TransactWriteItems, TransactGetItems; rule 48.
pub const TRANSACTION_ACTIONS_MAX: usize = 100;
/// Payload of one transaction. API TransactWriteItems, TransactGetItems; rule 48.
pub const TRANSACTION_BYTES_MAX: usize = 4 * MIB;
/// Characters of a `ClientRequestToken`. API TransactWriteItems; rule 51.
pub const CLIENT_TOKEN_CHARACTERS_MAX: usize = 36;
/// How long a `ClientRequestToken` is remembered after its call (10 minutes). API
/// TransactWriteItems; rule 51.
pub const CLIENT_TOKEN_SECONDS: u64 = 600;
/// Item data read for one page of Query or Scan. API Query, Scan; rule 29.
pub const PAGE_BYTES_MAX: usize = MIB;
/// `TotalSegments` of a parallel scan. API Scan; rule 35.
pub const TOTAL_SEGMENTS_MAX: u32 = 1_000_000;

// Capacity. Rule 54; developer guide, "Read and write operations".

/// Item data read for one read unit.
pub const READ_UNIT_BYTES: usize = 4 * KIB;
/// Item data written for one write unit.
pub const WRITE_UNIT_BYTES: usize = KIB;

// Tables and indexes.

/// Characters of a table or index name, at least. Quotas, "Table names"; API CreateTable.
pub const TABLE_NAME_CHARACTERS_MIN: usize = 3;
/// Characters of a table or index name, at most. Quotas, "Table names"; API CreateTable.
pub const TABLE_NAME_CHARACTERS_MAX: usize = 255;
/// Table names in one page of ListTables. API ListTables.
pub const LIST_TABLES_MAX: usize = 100;
/// Tables of one account and region, by default. Quotas, "Tables".
pub const TABLES_MAX: usize = 2500;
/// Global secondary indexes of a table, by default. Quotas, "Secondary indexes".
pub const GLOBAL_SECONDARY_INDEXES_MAX: usize = 20;
/// Local secondary indexes of a table. Quotas, "Secondary indexes".
pub const LOCAL_SECONDARY_INDEXES_MAX: usize = 5;
/// `NonKeyAttributes` over all indexes of a table. Quotas, "Projected secondary index attributes";
/// rule 47.
pub const PROJECTED_ATTRIBUTES_MAX: usize = 100;
/// `NonKeyAttributes` of one index. API Projection.
pub const INDEX_PROJECTED_ATTRIBUTES_MAX: usize = 20;

// Tags. Rule 62; API TagResource.

/// Tags of a table.
pub const TAGS_MAX: usize = 50;
/// Characters of a tag key, at least.
pub const TAG_KEY_CHARACTERS_MIN: usize = 1;
/// Characters of a tag key, at most.
pub const TAG_KEY_CHARACTERS_MAX: usize = 128;
/// Characters of a tag value, which may be empty.
pub const TAG_VALUE_CHARACTERS_MAX: usize = 256;

// Streams. Developer guide, "Change data capture for DynamoDB Streams"; rules 59 and 60.

/// How long a stream record can be read (24 hours).
pub const STREAM_RETENTION_SECONDS: u64 = 24 * 60 * 60;
/// How long a shard iterator can be used (15 minutes). API GetShardIterator; rule 60.
pub const SHARD_ITERATOR_SECONDS: u64 = 15 * 60;
/// Records of one GetRecords. API GetRecords; rule 60.
pub const GET_RECORDS_MAX: usize = 1000;
/// Data of one GetRecords. API GetRecords; rule 60.
pub const GET_RECORDS_BYTES_MAX: usize = MIB;
/// Streams in one page of ListStreams. API ListStreams; rule 60.
pub const LIST_STREAMS_MAX: usize = 100;
/// Shards in one page of DescribeStream. API DescribeStream.
pub const DESCRIBE_STREAM_SHARDS_MAX: usize = 100;

// Time to live. Rule 61; developer guide, "Using time to live (TTL)".

/// An expiry further in the past than this is ignored (five years, counted as 365 days each).
pub const TTL_AGE_SECONDS_MAX: u64 = 5 * 365 * 24 * 60 * 60;
/// Time in which a second change of the setting is refused (one hour). API UpdateTimeToLive.
pub const TTL_CHANGE_SECONDS: u64 = 60 * 60;
/// Characters of the attribute name. API UpdateTimeToLive; rule 61.
pub const TTL_ATTRIBUTE_NAME_CHARACTERS_MAX: usize = 255;

// Recovery. API UpdateContinuousBackups.

/// `RecoveryPeriodInDays`, at most and by default.
pub const RECOVERY_PERIOD_DAYS_MAX: u32 = 35;
/// `RecoveryPeriodInDays`, at least.
pub const RECOVERY_PERIOD_DAYS_MIN: u32 = 1;
/// How long the system backup of a deleted table is kept. Developer guide, "Point-in-time recovery".
pub const DELETED_TABLE_BACKUP_DAYS: u32 = 35;

// How the limits hang together. A change to one that breaks another does not compile.

const _: () = assert!(ITEM_SIZE_BYTES_MAX == 409_600, "rule 23 gives the figure to the byte");
const _: () = assert!(
    PARTITION_KEY_BYTES_MAX + SORT_KEY_BYTES_MAX + 2 * KEY_ATTRIBUTE_NAME_BYTES_MAX
        < ITEM_SIZE_BYTES_MAX,
    "the largest key leaves room for an item"
);
const _: () = assert!(ATTRIBUTE_NAME_BYTES_MAX < ITEM_SIZE_BYTES_MAX, "a name fits an item");
const _: () = assert!(KEY_ATTRIBUTE_NAME_BYTES_MAX < ATTRIBUTE_NAME_BYTES_MAX);
const _: () = assert!(ITEM_SIZE_BYTES_MAX < PAGE_BYTES_MAX, "a page holds the largest item");
const _: () = assert!(PAGE_BYTES_MAX < BATCH_RESPONSE_BYTES_MAX);
const _: () = assert!(
    BATCH_WRITE_ITEMS_MAX * ITEM_SIZE_BYTES_MAX < REQUEST_BYTES_MAX,
    "a full batch of the largest items is a possible request, its JSON overhead aside"
);
const _: () = assert!(ITEM_SIZE_BYTES_MAX < TRANSACTION_BYTES_MAX);
const _: () = assert!(TRANSACTION_BYTES_MAX < REQUEST_BYTES_MAX);
const _: () = assert!(EXPRESSION_BYTES_MAX < PLACEHOLDERS_BYTES_MAX);
const _: () = assert!(IN_OPERANDS_MAX < EXPRESSION_OPERATORS_MAX);
const _: () = assert!(WRITE_UNIT_BYTES < READ_UNIT_BYTES);
const _: () = assert!(INDEX_PROJECTED_ATTRIBUTES_MAX < PROJECTED_ATTRIBUTES_MAX);
const _: () = assert!(SHARD_ITERATOR_SECONDS < STREAM_RETENTION_SECONDS);
const _: () = assert!(RECOVERY_PERIOD_DAYS_MIN < RECOVERY_PERIOD_DAYS_MAX);
// Two 38-digit coefficients add up within 128 bits; the arithmetic relies on it.
const _: () = assert!(10_u128.pow(NUMBER_DIGITS_MAX as u32) < u128::MAX / 3);
