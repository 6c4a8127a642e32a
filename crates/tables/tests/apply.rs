//! Plans and their application on the embedded database.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on panics")]

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use database::clock::ManualClock;
use database::{Database, Options};
use serde_json::{Value, json};
use tables::plan::Change;
use tables::state::TableState;
use tables::{
    ApplyError, Documents, EmbeddedTarget, Environment, Plan, Target, TargetError, apply,
};

fn embedded() -> EmbeddedTarget {
    EmbeddedTarget::new(Database::open(Options::in_memory()).unwrap())
}

async fn plan<T: Target>(documents: &Documents, environment: Environment, target: &T) -> Plan {
    let all: Vec<_> = documents.tables.iter().collect();
    Plan::make(documents, &all, environment, &[], target).await.unwrap()
}

async fn run<T: Target>(
    documents: &Documents,
    target: &T,
    removal: bool,
) -> Result<usize, ApplyError> {
    let plan = plan(documents, Environment::Dev, target).await;
    apply(documents, &plan, removal, target, |_, _| {}).await
}

/// The small document of `tests/broken`, changed.
fn shop(change: impl FnOnce(&mut Value)) -> Documents {
    let mut document: Value = serde_json::from_str(include_str!("broken/valid.json")).unwrap();
    change(&mut document);
    let system = include_str!("broken/system/system.json").to_owned();
    let files = [
        ("shop/system.json".to_owned(), system),
        ("shop/items.json".to_owned(), document.to_string()),
    ];
    Documents::read(files).unwrap()
}

#[tokio::test]
async fn thirty_tables_are_as_the_documents_say_and_a_second_run_has_nothing_to_do() {
    let documents = Documents::embedded().unwrap();
    let target = embedded();
    for environment in [Environment::Dev, Environment::Prod] {
        let first = plan(&documents, environment, &target).await;
        assert!(!first.is_empty() && !first.is_blocked() && !first.is_destructive());
        apply(&documents, &first, false, &target, |_, _| {}).await.unwrap();
        for table in &documents.tables {
            let name = documents.table_name(table, environment);
            let state = TableState::read(&target, &name).await.unwrap().unwrap();
            assert_eq!(state.keys, table.key_names(), "{name}");
            assert_eq!(state.global.len(), table.global_secondary_indexes.len(), "{name}");
            for index in &table.global_secondary_indexes {
                let found = &state.global[&index.index_name];
                assert_eq!(found.keys, index.key_names(), "{name} {}", index.index_name);
                assert_eq!(found.projection, index.projection_type.word());
            }
            let ttl = table.time_to_live.as_ref().map(|ttl| ttl.attribute.clone());
            assert_eq!(state.time_to_live, ttl, "{name}");
            let view = table.streams.view_type.map(|view| view.word().to_owned());
            assert_eq!(state.stream, view, "{name}");
            assert_eq!(state.deletion_protection, *table.deletion_protection.get(environment));
            assert_eq!(&state.tags, table.tags.get(environment), "{name}");
            assert_eq!(state.billing_mode, "PAY_PER_REQUEST");
            assert!(state.is_active() && state.kms, "{name}");
        }
        let second = plan(&documents, environment, &target).await;
        assert!(second.is_empty(), "{second}");
        assert!(second.notes[0].contains("point-in-time recovery"), "{second}");
    }
}

#[tokio::test]
async fn an_index_is_added_to_a_table_that_has_items() {
    let target = embedded();
    let bare = shop(|document| {
        document["globalSecondaryIndexes"].as_array_mut().unwrap().truncate(1);
        document["accessPatterns"].as_array_mut().unwrap().remove(2);
    });
    run(&bare, &target, false).await.unwrap();
    let item = json!({ "PK": { "S": "ITEM#1" }, "SK": { "S": "METADATA" },
        "status": { "S": "new" }, "price": { "N": "1" }, "createdAt": { "S": "x" } });
    target.call("PutItem", &json!({ "TableName": "shop-items", "Item": item })).await.unwrap();
    let documents = shop(|_| {});
    let plan = plan(&documents, Environment::Dev, &target).await;
    let changes = &plan.tables[0].changes;
    assert_eq!(*changes, [Change::CreateIndex { index: "price-index".to_owned() }], "{plan}");
    apply(&documents, &plan, false, &target, |_, _| {}).await.unwrap();
    assert_eq!(run(&documents, &target, false).await.unwrap(), 0);
    let query = json!({
        "TableName": "shop-items", "IndexName": "price-index",
        "KeyConditionExpression": "#s = :s", "ExpressionAttributeNames": { "#s": "status" },
        "ExpressionAttributeValues": { ":s": { "S": "new" } },
    });
    assert_eq!(target.call("Query", &query).await.unwrap()["Count"], 1);
}

/// Two indexes at once are two UpdateTable requests, each waited for.
#[tokio::test]
async fn several_indexes_are_added_one_at_a_time() {
    let target = embedded();
    let bare = shop(|document| {
        document["globalSecondaryIndexes"] = json!([]);
        document["accessPatterns"].as_array_mut().unwrap().drain(1..3);
    });
    run(&bare, &target, false).await.unwrap();
    assert_eq!(run(&shop(|_| {}), &target, false).await.unwrap(), 2);
    assert_eq!(run(&shop(|_| {}), &target, false).await.unwrap(), 0);
}

#[tokio::test]
async fn nothing_is_removed_without_leave() {
    let target = embedded();
    run(&shop(|_| {}), &target, false).await.unwrap();
    let bare = shop(|document| {
        document["globalSecondaryIndexes"] = json!([]);
        document["accessPatterns"].as_array_mut().unwrap().drain(1..3);
    });
    assert!(matches!(run(&bare, &target, false).await, Err(ApplyError::NotAllowed)));
    assert_eq!(run(&shop(|_| {}), &target, false).await.unwrap(), 0, "nothing was done");
    assert_eq!(run(&bare, &target, true).await.unwrap(), 2);
    assert_eq!(run(&bare, &target, false).await.unwrap(), 0);
}

#[tokio::test]
async fn an_index_with_another_key_is_made_anew() {
    let target = embedded();
    run(&shop(|_| {}), &target, false).await.unwrap();
    let changed = shop(|document| {
        document["globalSecondaryIndexes"][0]["sortKey"] = json!("note");
    });
    let plan = plan(&changed, Environment::Dev, &target).await;
    assert!(plan.is_destructive(), "{plan}");
    assert_eq!(run(&changed, &target, true).await.unwrap(), 2);
    assert_eq!(run(&changed, &target, false).await.unwrap(), 0);
}

#[tokio::test]
async fn settings_follow_the_document() {
    let clock = ManualClock::new(1_800_000_000_000);
    let mut options = Options::in_memory();
    options.clock = Arc::new(clock.clone());
    let target = EmbeddedTarget::new(Database::open(options).unwrap());
    run(&shop(|_| {}), &target, false).await.unwrap();
    // DynamoDB takes one change of TTL in an hour.
    clock.advance(3_700_000);
    let changed = shop(|document| {
        document["streams"] = json!({ "enabled": true, "viewType": "OLD_IMAGE" });
        document.as_object_mut().unwrap().remove("timeToLive");
        document["deletionProtection"]["dev"] = json!(true);
        document["tags"]["dev"]["Owner"] = json!("somebody");
        document["encryption"]["type"] = json!("AWS_OWNED");
    });
    let plan = plan(&changed, Environment::Dev, &target).await;
    let expected = "\
shop-items
  ~ switch off the stream (NEW_IMAGE)
  ~ switch on a stream (OLD_IMAGE)
  ~ switch off TTL on expiresAt
  ~ switch deletion protection on
  ~ encrypt with a key that AWS owns
  ~ set the tags Owner=somebody
note: the embedded database does not offer point-in-time recovery; it is skipped for 1 table.
6 changes to 1 table on the embedded database (dev); 0 tables stay as they are.
";
    assert_eq!(plan.to_string(), expected);
    assert_eq!(run(&changed, &target, false).await.unwrap(), 6);
    assert_eq!(run(&changed, &target, false).await.unwrap(), 0);
}

/// The key of a table cannot change: the plan says what to do instead, and nothing is done.
#[tokio::test]
async fn another_key_blocks_the_plan() {
    let target = embedded();
    run(&shop(|_| {}), &target, false).await.unwrap();
    let changed = shop(|document| {
        document["primaryKey"] = json!({ "partitionKey": { "name": "PK", "type": "S" } });
        document["itemTypes"][0]["keys"] = json!({ "PK": "ITEM#{id}" });
        for at in [0, 3] {
            document["accessPatterns"][at]["keyCondition"] = json!({ "PK": "ITEM#{id}" });
        }
    });
    let plan = plan(&changed, Environment::Dev, &target).await;
    assert!(plan.is_blocked());
    let said = plan.to_string();
    let expected = "  ! the primary key is PK (S) and SK (S), and the document says PK (S). This cannot be \
                    changed: create a table under another name with the new key, copy the items, let \
                    the services use it, then delete this one";
    assert_eq!(said.lines().nth(1), Some(expected));
    assert!(matches!(run(&changed, &target, true).await, Err(ApplyError::Blocked)));
}

#[tokio::test]
async fn a_table_that_no_document_describes_goes_only_by_name() {
    let target = embedded();
    let documents = shop(|_| {});
    run(&documents, &target, false).await.unwrap();
    let old = json!({
        "TableName": "old",
        "AttributeDefinitions": [{ "AttributeName": "id", "AttributeType": "S" }],
        "KeySchema": [{ "AttributeName": "id", "KeyType": "HASH" }],
        "BillingMode": "PAY_PER_REQUEST",
    });
    target.call("CreateTable", &old).await.unwrap();
    let all: Vec<_> = documents.tables.iter().collect();
    let removed = ["old".to_owned(), "shop-items".to_owned(), "missing".to_owned()];
    let plan = Plan::make(&documents, &all, Environment::Dev, &removed, &target).await.unwrap();
    assert_eq!(plan.change_count(), 1, "{plan}");
    assert!(plan.notes.iter().any(|note| note.contains("shop-items")), "{plan}");
    apply(&documents, &plan, true, &target, |_, _| {}).await.unwrap();
    assert!(TableState::describe(&target, "old").await.unwrap().is_none());
}

/// Refuses the n-th request that changes something, as a service does that runs into a quota.
struct Refusing {
    inner: EmbeddedTarget,
    left: AtomicUsize,
}

impl Target for Refusing {
    async fn call(&self, operation: &'static str, body: &Value) -> Result<Value, TargetError> {
        // A plan asks whether recovery is offered by an update that changes nothing.
        let reads = ["Describe", "List", "UpdateContinuousBackups"];
        let changes = !reads.iter().any(|read| operation.starts_with(read));
        if changes && self.left.fetch_sub(1, Ordering::SeqCst) == 1 {
            let (code, message) = ("LimitExceededException", "Too many tables");
            return Err(TargetError::Refused {
                code: code.to_owned(),
                message: message.to_owned(),
            });
        }
        self.inner.call(operation, body).await
    }

    fn describe(&self) -> String {
        "a target that refuses".to_owned()
    }
}

/// Wherever a run ends, the next one goes on from there.
#[tokio::test]
async fn a_second_run_continues_after_a_refusal() {
    let documents = shop(|_| {});
    for refused in 1..=2 {
        let target = Refusing { inner: embedded(), left: AtomicUsize::new(refused) };
        let error = run(&documents, &target, false).await.unwrap_err().to_string();
        assert!(error.contains("LimitExceededException: Too many tables"), "{error}");
        assert!(error.contains("run the command again"), "{error}");
        assert!(run(&documents, &target, false).await.unwrap() > 0);
        assert_eq!(run(&documents, &target, false).await.unwrap(), 0);
    }
}
