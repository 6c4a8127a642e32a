//! ListStreams, DescribeStream, GetShardIterator, GetRecords.

use super::{Rule, Stage};

const STREAM_ARN: Rule = Rule::Length("StreamArn", 37, 1024);
const SHARD_ID: Rule = Rule::Length("ShardId", 28, 65);

pub(in crate::json) const LIST_STREAMS: &[Stage] = &[Stage::always(&[
    Rule::Pattern("TableName"),
    Rule::Length("TableName", 3, 255),
    Rule::Range("Limit", 1, 100),
    Rule::Length("ExclusiveStartStreamArn", 37, 1024),
])];

pub(in crate::json) const DESCRIBE_STREAM: &[Stage] = &[Stage::always(&[
    Rule::Required("StreamArn"),
    STREAM_ARN,
    Rule::Range("Limit", 1, 100),
    Rule::Length("ExclusiveStartShardId", 28, 65),
    Rule::Within("ShardFilter", &[Rule::OneOf("Type", &["CHILD_SHARDS"]), SHARD_ID]),
])];

pub(in crate::json) const GET_SHARD_ITERATOR: &[Stage] = &[Stage::always(&[
    Rule::Required("StreamArn"),
    STREAM_ARN,
    Rule::Required("ShardId"),
    SHARD_ID,
    Rule::Required("ShardIteratorType"),
    Rule::OneOf(
        "ShardIteratorType",
        &["AFTER_SEQUENCE_NUMBER", "LATEST", "AT_SEQUENCE_NUMBER", "TRIM_HORIZON"],
    ),
    Rule::Length("SequenceNumber", 21, 40),
])];

pub(in crate::json) const GET_RECORDS: &[Stage] = &[Stage::always(&[
    Rule::Required("ShardIterator"),
    Rule::Length("ShardIterator", 1, 2048),
    Rule::Range("Limit", 1, 1000),
])];
