//! The texts of DynamoDB's errors, apart from the logic that raises them: AWS changes them now and
//! then. Texts about expressions stand in the crate `expressions`, those about values in `values`.

use crate::Error;

/// A table that does not exist, in operations on items.
pub const RESOURCE_NOT_FOUND: &str = "Requested resource not found";

/// A table that does not exist, in operations on tables.
pub fn table_not_found(table_name: &str) -> String {
    format!("Requested resource not found: Table: {table_name} not found")
}

/// A table that does not exist, in operations on backups.
pub fn table_not_found_by_backups(table_name: &str) -> String {
    format!("Table not found: {table_name}")
}

/// Plinth's own: an operation on a database that was closed.
pub const CLOSED: &str = "The database has been closed";

/// PutItem and DeleteItem return the old item or nothing.
pub const RETURN_VALUES_OLD_ONLY: &str = "ReturnValues can only be ALL_OLD or NONE";

/// An update of a key attribute (rule 42).
pub fn key_update(attribute_name: &str) -> String {
    format!(
        "One or more parameter values were invalid: Cannot update attribute {attribute_name}. This attribute is part of the key"
    )
}

/// A global index is never read consistently (rule 33).
pub const CONSISTENT_READ_ON_GLOBAL_INDEX: &str =
    "Consistent reads are not supported on global secondary indexes";

/// An `ExclusiveStartKey` that is not a key of what is read (rule 31).
pub const START_KEY_INVALID: &str = "The provided starting key is invalid";

/// A key condition's value whose type is not the key's.
pub const KEY_CONDITION_TYPE: &str = "One or more parameter values were invalid: Condition parameter type does not match schema type";

/// An index the table does not have (rule 5).
pub fn unknown_index(index_name: &str) -> String {
    format!("The table does not have the specified index: {index_name}")
}

/// A new index that is still being filled.
pub fn backfilling_index(index_name: &str) -> String {
    format!("Cannot read from backfilling global secondary index: {index_name}")
}

/// `ALL_ATTRIBUTES` of an index that does not hold them (rule 32).
pub fn all_attributes_of_index(index_name: &str) -> String {
    format!(
        "One or more parameter values were invalid: Select type ALL_ATTRIBUTES is not supported for global secondary index {index_name} because its projection type is not ALL"
    )
}

/// A projection that asks a global index for what it does not hold.
pub fn not_projected(index_name: &str, attribute_names: &str) -> String {
    format!(
        "One or more parameter values were invalid: Global secondary index {index_name} does not project [{attribute_names}]"
    )
}

/// A filter that names a key attribute (rule 34).
pub fn key_in_filter(parameter: &str, attribute_name: &str) -> String {
    format!(
        "{parameter} can only contain non-primary key attributes: Primary key attribute: {attribute_name}"
    )
}

/// A number below its minimum, as the newer validation layer puts it.
pub fn at_least(member: &str, minimum: i64) -> String {
    format!(
        "1 validation error detected: Value at '{member}' failed to satisfy constraint: Member must have value greater than or equal to {minimum}"
    )
}

/// A number above its maximum, as the newer validation layer puts it.
pub fn at_most(member: &str, maximum: i64) -> String {
    format!(
        "1 validation error detected: Value at '{member}' failed to satisfy constraint: Member must have value less than or equal to {maximum}"
    )
}

/// A batch that names an item twice (rule 45).
pub const DUPLICATE_KEYS: &str = "Provided list of item keys contains duplicates";

/// A transaction that names an item twice (rule 48).
pub const ITEM_TWICE_IN_TRANSACTION: &str =
    "Transaction request cannot include multiple operations on one item";

/// A transaction of more than 4 MB (rule 48).
pub const TRANSACTION_TOO_LARGE: &str = "Collection size of items exceeded, which can also be caused by the aggregate size of the items in the transaction exceeding the 4MB limit";

/// A text below its shortest length.
pub fn length_at_least(member: &str, minimum: usize) -> String {
    format!(
        "1 validation error detected: Value at '{member}' failed to satisfy constraint: Member must have length greater than or equal to {minimum}"
    )
}

/// A text above its greatest length.
pub fn length_at_most(member: &str, maximum: usize) -> String {
    format!(
        "1 validation error detected: Value at '{member}' failed to satisfy constraint: Member must have length less than or equal to {maximum}"
    )
}

/// An ARN that is not a stream's.
pub const INVALID_STREAM_ARN: &str = "Invalid StreamArn";

/// A stream that does not exist, or not any more.
pub fn stream_not_found(arn: &str) -> String {
    format!("Requested resource not found: Stream: {arn} not found")
}

/// A shard that does not exist, or not any more.
pub fn shard_not_found(shard_id: &str, arn: &str) -> String {
    format!("Requested resource not found: Shard: {shard_id} in Stream: {arn} not found")
}

/// A text that is not a shard iterator.
pub const INVALID_SHARD_ITERATOR: &str = "Invalid ShardIterator.";

/// A shard iterator older than 15 minutes (rule 60).
pub const EXPIRED_ITERATOR: &str =
    "Shard iterator has expired: it was issued more than 15 minutes ago";

/// A position before the oldest kept record (rule 60).
pub const TRIMMED_DATA: &str = "The data you are trying to access has been trimmed";

/// `AT_SEQUENCE_NUMBER` and `AFTER_SEQUENCE_NUMBER` need one.
pub const SEQUENCE_NUMBER_MISSING: &str =
    "One or more parameter values were invalid: SequenceNumber cannot be null";

/// `TRIM_HORIZON` and `LATEST` take none.
pub const SEQUENCE_NUMBER_UNEXPECTED: &str = "One or more parameter values were invalid: SequenceNumber should not be passed for this iterator type";

/// A sequence number that no record of the shard can have.
pub const SEQUENCE_NUMBER_INVALID: &str = "Invalid SequenceNumber for the shard";

/// Plinth's own: the log, or a pointer into it, is not what was written.
pub const LOG_DAMAGED: &str = "The database is damaged: the log cannot be read. Stop the server, check the disk, and restore from a backup";

/// Plinth's own: the storage failed under a reader.
pub fn unreadable(error: &dyn std::fmt::Display) -> String {
    format!("The database cannot be read: {error}")
}

/// A PartiQL read of an index the table does not have.
pub const UNKNOWN_INDEX_IN_STATEMENT: &str = "The table does not have the specified index";

/// A PartiQL read of an index whose key has more than two attributes.
pub const MULTI_ATTRIBUTE_INDEX_IN_STATEMENT: &str = "PartiQL statements cannot be executed on tables with multi-attribute HASH keys or multi-attribute RANGE keys.";

/// A consistent PartiQL read of a global index.
pub const CONSISTENT_STATEMENT_ON_GLOBAL_INDEX: &str =
    "Strongly consistent read is not supported on Global Secondary Indexes";

/// A read by the hash key of an index whose filter needs what the index does not hold.
pub fn filter_not_projected(index_name: &str, attribute_names: &str) -> String {
    format!(
        "One or more parameter values were invalid: Secondary index {index_name} does not project one or more filter attributes: [{attribute_names}]"
    )
}

/// A path that leads into a key; `kind` is `Key`, or `IndexKey` for one of an index.
pub fn path_into_key(kind: &str, name: &str) -> String {
    format!(
        "Key attributes must be scalars; list random access '[]' and map lookup '.' are not allowed: {kind}: {name}"
    )
}

/// A text that is no NextToken.
pub const INVALID_NEXT_TOKEN: &str = "Invalid NextToken";

/// A NextToken of another statement, or of other parameters.
pub const NEXT_TOKEN_MISMATCH: &str = "NextToken does not match request";

/// Plinth's own: a NextToken with a statement that does not read.
pub const NEXT_TOKEN_OF_WRITE: &str = "NextToken is only valid on a SELECT statement";

/// Reads and writes in one BatchExecuteStatement (rule 63).
pub const MIXED_BATCH: &str =
    "Read and write requests together in the same batch is not supported.";

/// Reads and writes in one ExecuteTransaction.
pub const MIXED_TRANSACTION: &str =
    "ExecuteTransaction API does not support both read and write operations in the same request.";

/// A SELECT that does not name one item, where it must (rule 63).
pub fn select_without_key(operation: &str) -> String {
    format!(
        "Select statements within {operation} must specify the primary key in the where clause."
    )
}

/// A SELECT of an index in a transaction.
pub const INDEX_IN_TRANSACTION: &str = "Reads on indices are not supported within transactions.";

/// An EXISTS of an index in a transaction.
pub const INDEX_IN_EXISTS: &str = "Operations on indices are not supported in transactions";

/// An EXISTS that is not about one item, or says no more of it than its key (rule 75).
pub const EXISTS_OF_KEY_ONLY: &str =
    "EXISTS() must contain a single item read with additional condition";

/// RETURNING in a transaction.
pub const RETURNING_IN_TRANSACTION: &str =
    "RETURNING clause is not supported in ExecuteTransaction.";

/// A statement of an ExecuteTransaction that refuses the request.
pub fn in_transact_statement(position: usize, message: &str) -> String {
    format!("Validation failed in TransactStatements[{position}]: {message}")
}

/// A member that is too short or too long, as the older validation layer puts it.
pub fn length_of(shown: &str, member: &str, constraint: &str) -> String {
    format!(
        "1 validation error detected: Value '{shown}' at '{member}' failed to satisfy constraint: Member must have length {constraint}"
    )
}

/// The form in which the newer validation layer reports one problem.
pub fn enveloped(message: &str) -> String {
    format!("1 validation error detected: {message}")
}

/// An error in that form.
pub fn in_envelope(error: Error) -> Error {
    match error {
        Error::Validation(message) => Error::Validation(enveloped(&message)),
        other => other,
    }
}
