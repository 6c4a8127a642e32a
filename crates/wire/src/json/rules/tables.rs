//! Tables, time to live and tags.

use super::{Finding, Rule, Stage, TABLE_NAME_LENGTH, TABLE_NAME_THERE, text};
use crate::json::shape::Shape;
use crate::json::shapes::tables::KEY_SCHEMA;

const TEXTS: Shape = Shape::List(&Shape::Text);

const THROUGHPUT: &[Rule] = &[
    Rule::Required("WriteCapacityUnits"),
    Rule::Range("WriteCapacityUnits", 1, i64::MAX),
    Rule::Required("ReadCapacityUnits"),
    Rule::Range("ReadCapacityUnits", 1, i64::MAX),
];
const KEY_ELEMENT: &[Rule] = &[
    Rule::Required("AttributeName"),
    Rule::Length("AttributeName", 1, 255),
    Rule::Required("KeyType"),
    Rule::OneOf("KeyType", &["HASH", "RANGE"]),
];
const PROJECTION: &[Rule] = &[
    Rule::OneOf("ProjectionType", &["ALL", "INCLUDE", "KEYS_ONLY"]),
    Rule::Elements("NonKeyAttributes", 1, usize::MAX, &TEXTS),
];
const DEFINITION: &[Rule] = &[
    Rule::Required("AttributeName"),
    Rule::Length("AttributeName", 1, 255),
    Rule::Required("AttributeType"),
    Rule::OneOf("AttributeType", &["B", "N", "S"]),
];
const INDEX_NAME: [Rule; 3] =
    [Rule::Required("IndexName"), Rule::Pattern("IndexName"), Rule::Length("IndexName", 3, 255)];
const BILLING_MODE: Rule = Rule::OneOf("BillingMode", &["PROVISIONED", "PAY_PER_REQUEST"]);
const TABLE_CLASS: Rule = Rule::OneOf("TableClass", &["STANDARD", "STANDARD_INFREQUENT_ACCESS"]);
const STREAM: Rule = Rule::Within(
    "StreamSpecification",
    &[
        Rule::Required("StreamEnabled"),
        Rule::OneOf(
            "StreamViewType",
            &["NEW_IMAGE", "OLD_IMAGE", "NEW_AND_OLD_IMAGES", "KEYS_ONLY"],
        ),
    ],
);
const ENCRYPTION: Rule =
    Rule::Within("SSESpecification", &[Rule::OneOf("SSEType", &["AES256", "KMS"])]);

/// An index of several attributes has up to four of each kind.
const GLOBAL_INDEX: &[Rule] = &[
    Rule::Required("KeySchema"),
    Rule::Elements("KeySchema", 1, 8, &KEY_SCHEMA),
    Rule::Each("KeySchema", KEY_ELEMENT),
    Rule::Required("Projection"),
    Rule::Within("Projection", PROJECTION),
    INDEX_NAME[0],
    INDEX_NAME[1],
    INDEX_NAME[2],
    Rule::Within("ProvisionedThroughput", THROUGHPUT),
];
const LOCAL_INDEX: &[Rule] = &[
    INDEX_NAME[0],
    INDEX_NAME[1],
    INDEX_NAME[2],
    Rule::Required("KeySchema"),
    Rule::Elements("KeySchema", 1, 2, &KEY_SCHEMA),
    Rule::Each("KeySchema", KEY_ELEMENT),
    Rule::Required("Projection"),
    Rule::Within("Projection", PROJECTION),
];

pub(in crate::json) const CREATE_TABLE: &[Stage] = &[
    Stage::always(&[TABLE_NAME_THERE]),
    Stage::always(&[Rule::Pattern("TableName"), Rule::Length("TableName", 3, 255)]),
    Stage::always(&[
        BILLING_MODE,
        Rule::Within("ProvisionedThroughput", THROUGHPUT),
        Rule::Required("KeySchema"),
        Rule::Elements("KeySchema", 1, 2, &KEY_SCHEMA),
        Rule::Each("KeySchema", KEY_ELEMENT),
        Rule::Required("AttributeDefinitions"),
        Rule::Each("AttributeDefinitions", DEFINITION),
        Rule::Each("GlobalSecondaryIndexes", GLOBAL_INDEX),
        Rule::Each("LocalSecondaryIndexes", LOCAL_INDEX),
        STREAM,
        ENCRYPTION,
        Rule::Each("Tags", &[Rule::Required("Key"), Rule::Required("Value")]),
    ]),
    Stage::always(&[TABLE_CLASS]),
];

pub(in crate::json) const UPDATE_TABLE: &[Stage] = &[
    Stage::always(&[TABLE_NAME_THERE]),
    Stage::always(&[TABLE_NAME_LENGTH]),
    Stage::always(&[Rule::Pattern("TableName")]),
    Stage::always(&[
        Rule::Within("ProvisionedThroughput", THROUGHPUT),
        Rule::Each("AttributeDefinitions", DEFINITION),
        Rule::Each(
            "GlobalSecondaryIndexUpdates",
            &[
                Rule::Within(
                    "Update",
                    &[
                        INDEX_NAME[0],
                        Rule::Length("IndexName", 3, 255),
                        Rule::Pattern("IndexName"),
                        Rule::Within("ProvisionedThroughput", THROUGHPUT),
                    ],
                ),
                Rule::Within("Create", GLOBAL_INDEX),
                Rule::Within("Delete", &INDEX_NAME),
            ],
        ),
        STREAM,
        ENCRYPTION,
    ]),
    Stage::always(&[BILLING_MODE]),
    Stage::always(&[TABLE_CLASS]),
];

/// DescribeTable, DeleteTable, DescribeTimeToLive.
pub(in crate::json) const TABLE_NAME_ONLY: &[Stage] = &[
    Stage::always(&[TABLE_NAME_THERE]),
    Stage::always(&[TABLE_NAME_LENGTH]),
    Stage::always(&[Rule::Pattern("TableName")]),
];

pub(in crate::json) const LIST_TABLES: &[Stage] = &[Stage::always(&[
    Rule::Pattern("ExclusiveStartTableName"),
    Rule::Length("ExclusiveStartTableName", 3, 255),
    Rule::Range("Limit", 1, 100),
])];

pub(in crate::json) const UPDATE_TIME_TO_LIVE: &[Stage] = &[
    Stage::always(&[TABLE_NAME_THERE]),
    Stage::always(&[TABLE_NAME_LENGTH]),
    Stage::always(&[
        Rule::Pattern("TableName"),
        Rule::Required("TimeToLiveSpecification"),
        Rule::Within(
            "TimeToLiveSpecification",
            &[
                Rule::Required("AttributeName"),
                Rule::Length("AttributeName", 1, 255),
                Rule::Required("Enabled"),
            ],
        ),
    ]),
];

/// TagResource, UntagResource, ListTagsOfResource. What is behind the ARN is the database's matter.
pub(in crate::json) const RESOURCE_ARN: &[Stage] = &[
    Stage::always(&[Rule::Special(|members| {
        text(members, "ResourceArn")
            .unwrap_or_default()
            .is_empty()
            .then_some(Finding::Plain("Invalid TableArn"))
    })]),
    Stage::always(&[Rule::Each("Tags", &[Rule::Required("Key"), Rule::Required("Value")])]),
];
