//! Requests that read streams.

use super::{Shape, Structure};

pub(in crate::json) const LIST_STREAMS: Structure = Structure {
    name: "ListStreamsInput",
    members: &[
        ("TableName", Shape::Text),
        ("Limit", Shape::Integer),
        ("ExclusiveStartStreamArn", Shape::Text),
    ],
};

pub(in crate::json) const DESCRIBE_STREAM: Structure = Structure {
    name: "DescribeStreamInput",
    members: &[
        (
            "ShardFilter",
            Shape::Structure(&Structure {
                name: "ShardFilter",
                members: &[("Type", Shape::Text), ("ShardId", Shape::Text)],
            }),
        ),
        ("StreamArn", Shape::Text),
        ("Limit", Shape::Integer),
        ("ExclusiveStartShardId", Shape::Text),
    ],
};

pub(in crate::json) const GET_SHARD_ITERATOR: Structure = Structure {
    name: "GetShardIteratorInput",
    members: &[
        ("StreamArn", Shape::Text),
        ("ShardId", Shape::Text),
        ("ShardIteratorType", Shape::Text),
        ("SequenceNumber", Shape::Text),
    ],
};

pub(in crate::json) const GET_RECORDS: Structure = Structure {
    name: "GetRecordsInput",
    members: &[("ShardIterator", Shape::Text), ("Limit", Shape::Integer)],
};
