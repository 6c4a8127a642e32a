//! Requests that read and write items.

use super::{ATTRIBUTES, NAMES, Shape, Structure, TEXTS};

const CONDITION: Structure = Structure {
    name: "Condition",
    members: &[
        ("ComparisonOperator", Shape::Text),
        ("AttributeValueList", Shape::List(&Shape::Value)),
    ],
};
const CONDITIONS: Shape = Shape::Map(&Shape::Structure(&CONDITION));

const EXPECTED: Shape = Shape::Map(&Shape::Structure(&Structure {
    name: "ExpectedAttributeValue",
    members: &[
        ("Value", Shape::Value),
        ("Exists", Shape::Flag),
        ("ComparisonOperator", Shape::Text),
        ("AttributeValueList", Shape::List(&Shape::Value)),
    ],
}));

const UPDATES: Shape = Shape::Map(&Shape::Structure(&Structure {
    name: "AttributeValueUpdate",
    members: &[("Value", Shape::Value), ("Action", Shape::Text)],
}));

pub(in crate::json) const PUT_ITEM: Structure = Structure {
    name: "PutItemInput",
    members: &[
        ("Item", ATTRIBUTES),
        ("Expected", EXPECTED),
        ("ExpressionAttributeNames", NAMES),
        ("ExpressionAttributeValues", ATTRIBUTES),
        ("TableName", Shape::Text),
        ("ConditionExpression", Shape::Text),
        ("ConditionalOperator", Shape::Text),
        ("ReturnValues", Shape::Text),
        ("ReturnConsumedCapacity", Shape::Text),
        ("ReturnItemCollectionMetrics", Shape::Text),
        ("ReturnValuesOnConditionCheckFailure", Shape::Text),
    ],
};

pub(in crate::json) const DELETE_ITEM: Structure = Structure {
    name: "DeleteItemInput",
    members: &[
        ("Key", ATTRIBUTES),
        ("Expected", EXPECTED),
        ("ExpressionAttributeNames", NAMES),
        ("ExpressionAttributeValues", ATTRIBUTES),
        ("TableName", Shape::Text),
        ("ConditionExpression", Shape::Text),
        ("ConditionalOperator", Shape::Text),
        ("ReturnValues", Shape::Text),
        ("ReturnConsumedCapacity", Shape::Text),
        ("ReturnItemCollectionMetrics", Shape::Text),
        ("ReturnValuesOnConditionCheckFailure", Shape::Text),
    ],
};

pub(in crate::json) const UPDATE_ITEM: Structure = Structure {
    name: "UpdateItemInput",
    members: &[
        ("Key", ATTRIBUTES),
        ("AttributeUpdates", UPDATES),
        ("Expected", EXPECTED),
        ("ExpressionAttributeNames", NAMES),
        ("ExpressionAttributeValues", ATTRIBUTES),
        ("TableName", Shape::Text),
        ("UpdateExpression", Shape::Text),
        ("ConditionExpression", Shape::Text),
        ("ConditionalOperator", Shape::Text),
        ("ReturnValues", Shape::Text),
        ("ReturnConsumedCapacity", Shape::Text),
        ("ReturnItemCollectionMetrics", Shape::Text),
        ("ReturnValuesOnConditionCheckFailure", Shape::Text),
    ],
};

pub(in crate::json) const GET_ITEM: Structure = Structure {
    name: "GetItemInput",
    members: &[
        ("Key", ATTRIBUTES),
        ("AttributesToGet", TEXTS),
        ("ExpressionAttributeNames", NAMES),
        ("TableName", Shape::Text),
        ("ProjectionExpression", Shape::Text),
        ("ReturnConsumedCapacity", Shape::Text),
        ("ConsistentRead", Shape::Flag),
    ],
};

pub(in crate::json) const QUERY: Structure = Structure {
    name: "QueryInput",
    members: &[
        ("KeyConditions", CONDITIONS),
        ("QueryFilter", CONDITIONS),
        ("ExclusiveStartKey", ATTRIBUTES),
        ("AttributesToGet", TEXTS),
        ("ExpressionAttributeNames", NAMES),
        ("ExpressionAttributeValues", ATTRIBUTES),
        ("TableName", Shape::Text),
        ("IndexName", Shape::Text),
        ("KeyConditionExpression", Shape::Text),
        ("FilterExpression", Shape::Text),
        ("ProjectionExpression", Shape::Text),
        ("ConditionalOperator", Shape::Text),
        ("Select", Shape::Text),
        ("ReturnConsumedCapacity", Shape::Text),
        ("Limit", Shape::Integer),
        ("ScanIndexForward", Shape::Flag),
        ("ConsistentRead", Shape::Flag),
    ],
};

pub(in crate::json) const SCAN: Structure = Structure {
    name: "ScanInput",
    members: &[
        ("ScanFilter", CONDITIONS),
        ("ExclusiveStartKey", ATTRIBUTES),
        ("AttributesToGet", TEXTS),
        ("ExpressionAttributeNames", NAMES),
        ("ExpressionAttributeValues", ATTRIBUTES),
        ("TableName", Shape::Text),
        ("IndexName", Shape::Text),
        ("FilterExpression", Shape::Text),
        ("ProjectionExpression", Shape::Text),
        ("ConditionalOperator", Shape::Text),
        ("Select", Shape::Text),
        ("ReturnConsumedCapacity", Shape::Text),
        ("Limit", Shape::Integer),
        ("Segment", Shape::Integer),
        ("TotalSegments", Shape::Integer),
        ("ConsistentRead", Shape::Flag),
    ],
};

pub(in crate::json) const BATCH_GET_ITEM: Structure = Structure {
    name: "BatchGetItemInput",
    members: &[
        (
            "RequestItems",
            Shape::Map(&Shape::Structure(&Structure {
                name: "KeysAndAttributes",
                members: &[
                    ("Keys", Shape::List(&ATTRIBUTES)),
                    ("AttributesToGet", TEXTS),
                    ("ExpressionAttributeNames", NAMES),
                    ("ProjectionExpression", Shape::Text),
                    ("ConsistentRead", Shape::Flag),
                ],
            })),
        ),
        ("ReturnConsumedCapacity", Shape::Text),
    ],
};

/// The members of a write request stand in the order in which the service echoes them.
pub(in crate::json) const WRITE_REQUESTS: Shape = Shape::List(&Shape::Structure(&Structure {
    name: "WriteRequest",
    members: &[
        (
            "PutRequest",
            Shape::Structure(&Structure {
                name: "PutRequest",
                members: &[("Item", ATTRIBUTES), WORKLOAD_PROFILE],
            }),
        ),
        (
            "DeleteRequest",
            Shape::Structure(&Structure {
                name: "DeleteRequest",
                members: &[("Key", ATTRIBUTES), WORKLOAD_PROFILE],
            }),
        ),
    ],
}));

/// A member that is in no documentation, but in every echo.
const WORKLOAD_PROFILE: (&str, Shape) = ("WorkloadProfileName", Shape::Text);

pub(in crate::json) const BATCH_WRITE_ITEM: Structure = Structure {
    name: "BatchWriteItemInput",
    members: &[
        ("RequestItems", Shape::Map(&WRITE_REQUESTS)),
        ("ReturnConsumedCapacity", Shape::Text),
        ("ReturnItemCollectionMetrics", Shape::Text),
    ],
};

pub(in crate::json) const TRANSACT_GETS: Shape = Shape::List(&Shape::Structure(&Structure {
    name: "TransactGetItem",
    members: &[(
        "Get",
        Shape::Structure(&Structure {
            name: "Get",
            members: &[
                ("Key", ATTRIBUTES),
                ("TableName", Shape::Text),
                ("ProjectionExpression", Shape::Text),
                ("ExpressionAttributeNames", NAMES),
                WORKLOAD_PROFILE,
            ],
        }),
    )],
}));

pub(in crate::json) const TRANSACT_GET_ITEMS: Structure = Structure {
    name: "TransactGetItemsInput",
    members: &[("TransactItems", TRANSACT_GETS), ("ReturnConsumedCapacity", Shape::Text)],
};

const CONDITION_CHECK: Structure = Structure {
    name: "ConditionCheck",
    members: &[
        ("Key", ATTRIBUTES),
        ("TableName", Shape::Text),
        ("ConditionExpression", Shape::Text),
        ("ExpressionAttributeNames", NAMES),
        ("ExpressionAttributeValues", ATTRIBUTES),
        ("ReturnValuesOnConditionCheckFailure", Shape::Text),
        WORKLOAD_PROFILE,
    ],
};

const PUT: Structure = Structure {
    name: "Put",
    members: &[
        ("Item", ATTRIBUTES),
        ("TableName", Shape::Text),
        ("ConditionExpression", Shape::Text),
        ("ExpressionAttributeNames", NAMES),
        ("ExpressionAttributeValues", ATTRIBUTES),
        ("ReturnValuesOnConditionCheckFailure", Shape::Text),
        WORKLOAD_PROFILE,
    ],
};

const DELETE: Structure = Structure { name: "Delete", members: CONDITION_CHECK.members };

const UPDATE: Structure = Structure {
    name: "Update",
    members: &[
        ("Key", ATTRIBUTES),
        ("UpdateExpression", Shape::Text),
        ("TableName", Shape::Text),
        ("ConditionExpression", Shape::Text),
        ("ExpressionAttributeNames", NAMES),
        ("ExpressionAttributeValues", ATTRIBUTES),
        ("ReturnValuesOnConditionCheckFailure", Shape::Text),
        WORKLOAD_PROFILE,
    ],
};

pub(in crate::json) const TRANSACT_WRITES: Shape = Shape::List(&Shape::Structure(&Structure {
    name: "TransactWriteItem",
    members: &[
        ("ConditionCheck", Shape::Structure(&CONDITION_CHECK)),
        ("Put", Shape::Structure(&PUT)),
        ("Delete", Shape::Structure(&DELETE)),
        ("Update", Shape::Structure(&UPDATE)),
    ],
}));

pub(in crate::json) const TRANSACT_WRITE_ITEMS: Structure = Structure {
    name: "TransactWriteItemsInput",
    members: &[
        ("TransactItems", TRANSACT_WRITES),
        ("ClientRequestToken", Shape::Text),
        ("ReturnConsumedCapacity", Shape::Text),
        ("ReturnItemCollectionMetrics", Shape::Text),
    ],
};
