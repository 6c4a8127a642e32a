//! The demonstration set is valid, real-looking, repeatable, and can be written.

use std::collections::BTreeSet;

use database::{Database, Options};
use serde_json::json;
use tables::seed::{self, SeedOptions};
use tables::{Documents, EmbeddedTarget, Environment, Plan, Target, apply};
use values::AttributeValue;

const OPTIONS: SeedOptions = SeedOptions { seed: 7, count: 60, now_seconds: 1_790_000_000 };

#[test]
fn every_item_of_every_table_is_valid() {
    for table in &Documents::embedded().unwrap().tables {
        let mut problems = Vec::new();
        for item in seed::items(table, OPTIONS) {
            let found = table.validate(&item).err().unwrap_or_default();
            let kind = table.kind_of(&item).map_or("?", |kind| kind.name.as_str());
            problems.extend(found.iter().map(|problem| format!("{kind} {problem}")));
        }
        problems.truncate(5);
        assert_eq!(problems, Vec::<String>::new(), "{}/{}", table.system, table.table_name);
    }
}

#[test]
fn no_two_items_of_a_table_have_one_key() {
    for table in &Documents::embedded().unwrap().tables {
        let key = |item: values::Item| {
            let names = table.key_names().into_iter();
            names.map(|name| format!("{:?}", item.get(name))).collect::<Vec<_>>()
        };
        let keys: BTreeSet<_> = seed::items(table, OPTIONS).map(key).collect();
        let count = usize::try_from(seed::item_count(table, OPTIONS)).unwrap();
        assert_eq!(keys.len(), count, "{}/{}", table.system, table.table_name);
        assert!(count >= OPTIONS.count as usize, "{}/{}", table.system, table.table_name);
    }
}

#[test]
fn the_same_seed_gives_the_same_items() {
    let documents = Documents::embedded().unwrap();
    for table in &documents.tables {
        let items = |options| seed::items(table, options).collect::<Vec<_>>();
        assert_eq!(items(OPTIONS), items(OPTIONS));
        assert_ne!(items(OPTIONS), items(SeedOptions { seed: 8, ..OPTIONS }));
    }
}

/// What refers to something refers to something that is there.
#[test]
fn references_lead_somewhere() {
    let documents = Documents::embedded().unwrap();
    for (from, attribute, to, key) in [
        ("storefront/campaigns", "productId", "storefront/products", "id"),
        ("listbackup/jobs", "sourceId", "listbackup/sources", "sourceId"),
        ("listbackup/sources", "accountId", "listbackup/accounts", "accountId"),
        ("popcorn/campaigns", "catalogId", "popcorn/catalogs", "catalogId"),
        ("popcorn/orders", "profileId", "popcorn/profiles", "profileId"),
    ] {
        let values = |table: &str, attribute: &str| -> BTreeSet<String> {
            let items = seed::items(documents.find(table)[0], OPTIONS);
            let text = |value: AttributeValue| match value {
                AttributeValue::S(text) => Some(text),
                _ => None,
            };
            items.filter_map(|mut item| item.remove(attribute).and_then(text)).collect()
        };
        let (wanted, found) = (values(from, attribute), values(to, key));
        assert!(wanted.is_subset(&found), "{from} {attribute}: {wanted:?} in {found:?}");
    }
}

#[tokio::test]
async fn the_set_is_written_through_batches() {
    let documents = Documents::embedded().unwrap();
    let target = EmbeddedTarget::new(Database::open(Options::in_memory()).unwrap());
    let all: Vec<_> = documents.tables.iter().collect();
    let plan = Plan::make(&documents, &all, Environment::Dev, &[], &target).await.unwrap();
    apply(&documents, &plan, false, &target, |_, _| {}).await.unwrap();
    for table in all {
        let mut written = 0;
        let outcome = seed::write(&documents, table, Environment::Dev, OPTIONS, &target, |count| {
            written += count
        });
        outcome.await.unwrap();
        assert_eq!(written, seed::item_count(table, OPTIONS));
        let name = documents.table_name(table, Environment::Dev);
        let scan = json!({ "TableName": name, "Select": "COUNT" });
        let mut count = 0;
        let mut body = scan.clone();
        loop {
            let answer = target.call("Scan", &body).await.unwrap();
            count += answer["Count"].as_u64().unwrap();
            if answer["LastEvaluatedKey"].is_null() {
                break;
            }
            body["ExclusiveStartKey"] = answer["LastEvaluatedKey"].clone();
        }
        assert_eq!(count, written, "{name}");
    }
}
