//! Requests that make, change and describe tables.

use super::{Shape, Structure, TEXTS};

pub(in crate::json) const KEY_SCHEMA: Shape = Shape::List(&Shape::Structure(&Structure {
    name: "KeySchemaElement",
    members: &[("AttributeName", Shape::Text), ("KeyType", Shape::Text)],
}));

const ATTRIBUTE_DEFINITIONS: Shape = Shape::List(&Shape::Structure(&Structure {
    name: "AttributeDefinition",
    members: &[("AttributeName", Shape::Text), ("AttributeType", Shape::Text)],
}));

const PROJECTION: Shape = Shape::Structure(&Structure {
    name: "Projection",
    members: &[("ProjectionType", Shape::Text), ("NonKeyAttributes", TEXTS)],
});

const PROVISIONED: Shape = Shape::Structure(&Structure {
    name: "ProvisionedThroughput",
    members: &[("WriteCapacityUnits", Shape::Long), ("ReadCapacityUnits", Shape::Long)],
});

const ON_DEMAND: Shape = Shape::Structure(&Structure {
    name: "OnDemandThroughput",
    members: &[("MaxReadRequestUnits", Shape::Long), ("MaxWriteRequestUnits", Shape::Long)],
});

const WARM: Shape = Shape::Structure(&Structure {
    name: "WarmThroughput",
    members: &[("ReadUnitsPerSecond", Shape::Long), ("WriteUnitsPerSecond", Shape::Long)],
});

const STREAM: Shape = Shape::Structure(&Structure {
    name: "StreamSpecification",
    members: &[("StreamEnabled", Shape::Flag), ("StreamViewType", Shape::Text)],
});

const ENCRYPTION: Shape = Shape::Structure(&Structure {
    name: "SSESpecification",
    members: &[("Enabled", Shape::Flag), ("SSEType", Shape::Text), ("KMSMasterKeyId", Shape::Text)],
});

const TAGS: Shape = Shape::List(&Shape::Structure(&Structure {
    name: "Tag",
    members: &[("Key", Shape::Text), ("Value", Shape::Text)],
}));

const GLOBAL_INDEX_MEMBERS: &[(&str, Shape)] = &[
    ("Projection", PROJECTION),
    ("ProvisionedThroughput", PROVISIONED),
    ("OnDemandThroughput", ON_DEMAND),
    ("WarmThroughput", WARM),
    ("KeySchema", KEY_SCHEMA),
    ("IndexName", Shape::Text),
];

const GLOBAL_INDEXES: Shape = Shape::List(&Shape::Structure(&Structure {
    name: "GlobalSecondaryIndex",
    members: GLOBAL_INDEX_MEMBERS,
}));

const LOCAL_INDEXES: Shape = Shape::List(&Shape::Structure(&Structure {
    name: "LocalSecondaryIndex",
    members: &[("Projection", PROJECTION), ("KeySchema", KEY_SCHEMA), ("IndexName", Shape::Text)],
}));

pub(in crate::json) const CREATE_TABLE: Structure = Structure {
    name: "CreateTableInput",
    members: &[
        ("AttributeDefinitions", ATTRIBUTE_DEFINITIONS),
        ("KeySchema", KEY_SCHEMA),
        ("LocalSecondaryIndexes", LOCAL_INDEXES),
        ("GlobalSecondaryIndexes", GLOBAL_INDEXES),
        ("ProvisionedThroughput", PROVISIONED),
        ("OnDemandThroughput", ON_DEMAND),
        ("WarmThroughput", WARM),
        ("StreamSpecification", STREAM),
        ("SSESpecification", ENCRYPTION),
        ("Tags", TAGS),
        ("TableName", Shape::Text),
        ("BillingMode", Shape::Text),
        ("TableClass", Shape::Text),
        ("DeletionProtectionEnabled", Shape::Flag),
    ],
};

const GLOBAL_INDEX_UPDATES: Shape = Shape::List(&Shape::Structure(&Structure {
    name: "GlobalSecondaryIndexUpdate",
    members: &[
        (
            "Create",
            Shape::Structure(&Structure {
                name: "CreateGlobalSecondaryIndexAction",
                members: GLOBAL_INDEX_MEMBERS,
            }),
        ),
        (
            "Update",
            Shape::Structure(&Structure {
                name: "UpdateGlobalSecondaryIndexAction",
                members: &[
                    ("ProvisionedThroughput", PROVISIONED),
                    ("OnDemandThroughput", ON_DEMAND),
                    ("WarmThroughput", WARM),
                    ("IndexName", Shape::Text),
                ],
            }),
        ),
        (
            "Delete",
            Shape::Structure(&Structure {
                name: "DeleteGlobalSecondaryIndexAction",
                members: &[("IndexName", Shape::Text)],
            }),
        ),
    ],
}));

pub(in crate::json) const UPDATE_TABLE: Structure = Structure {
    name: "UpdateTableInput",
    members: &[
        ("AttributeDefinitions", ATTRIBUTE_DEFINITIONS),
        ("GlobalSecondaryIndexUpdates", GLOBAL_INDEX_UPDATES),
        ("ProvisionedThroughput", PROVISIONED),
        ("OnDemandThroughput", ON_DEMAND),
        ("WarmThroughput", WARM),
        ("StreamSpecification", STREAM),
        ("SSESpecification", ENCRYPTION),
        ("TableName", Shape::Text),
        ("BillingMode", Shape::Text),
        ("TableClass", Shape::Text),
        ("DeletionProtectionEnabled", Shape::Flag),
    ],
};

/// DescribeTable, DeleteTable and DescribeTimeToLive.
pub(in crate::json) const TABLE_NAME_ONLY: Structure =
    Structure { name: "TableNameInput", members: &[("TableName", Shape::Text)] };

pub(in crate::json) const LIST_TABLES: Structure = Structure {
    name: "ListTablesInput",
    members: &[("ExclusiveStartTableName", Shape::Text), ("Limit", Shape::Integer)],
};

pub(in crate::json) const UPDATE_TIME_TO_LIVE: Structure = Structure {
    name: "UpdateTimeToLiveInput",
    members: &[
        (
            "TimeToLiveSpecification",
            Shape::Structure(&Structure {
                name: "TimeToLiveSpecification",
                members: &[("AttributeName", Shape::Text), ("Enabled", Shape::Flag)],
            }),
        ),
        ("TableName", Shape::Text),
    ],
};

pub(in crate::json) const TAG_RESOURCE: Structure = Structure {
    name: "TagResourceInput",
    members: &[("Tags", TAGS), ("ResourceArn", Shape::Text)],
};

pub(in crate::json) const UNTAG_RESOURCE: Structure = Structure {
    name: "UntagResourceInput",
    members: &[("TagKeys", TEXTS), ("ResourceArn", Shape::Text)],
};

pub(in crate::json) const LIST_TAGS_OF_RESOURCE: Structure = Structure {
    name: "ListTagsOfResourceInput",
    members: &[("ResourceArn", Shape::Text), ("NextToken", Shape::Text)],
};
