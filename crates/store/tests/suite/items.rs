//! Single items and batches.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use store::{Backend, Changes, Error, Key, Raw};
use values::AttributeValue;

use super::{Assignment, Product, Tenant, World, assignment, product, tenant};

pub async fn created_items_are_read_as_they_were_written<B: Backend + Clone>(world: &World<B>) {
    let products = world.store().table("storefront/products").unwrap();
    let written = Product { features: Some(vec!["Backups".to_owned()]), ..product(1, 1) };
    products.kind("product").unwrap().create(&written).unwrap().run().await.unwrap();
    let access = products.access("get-product").unwrap().with("id", written.id.as_str()).unwrap();
    assert_eq!(access.get::<Product>().await.unwrap(), Some(written));
    let access = products.access("get-product").unwrap().with("id", "prod_none").unwrap();
    assert_eq!(access.get::<Product>().await.unwrap(), None);
}

pub async fn exact_numbers_sets_and_options_survive<B: Backend + Clone>(world: &World<B>) {
    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    struct Extended {
        #[serde(flatten)]
        product: Product,
        #[serde(with = "store::typed::number")]
        exact: String,
        #[serde(with = "store::typed::string_set")]
        words: BTreeSet<String>,
        #[serde(with = "store::typed::number_set")]
        numbers: BTreeSet<i64>,
        #[serde(with = "serde_bytes")]
        bytes: Vec<u8>,
        negative: i64,
        large: u64,
        half: f64,
        nothing: Option<String>,
        choice: Choice,
    }
    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    enum Choice {
        Named { name: String },
    }
    let products = world.store().table("storefront/products").unwrap();
    let written = Extended {
        product: product(2, 1),
        exact: "12345678901234567890123456789012345.678".to_owned(),
        words: ["a".to_owned(), "b".to_owned()].into(),
        numbers: [-1, 5].into(),
        bytes: vec![0, 1, 255],
        negative: -42,
        large: u64::MAX,
        half: 0.5,
        nothing: None,
        choice: Choice::Named { name: "x".to_owned() },
    };
    products.kind("product").unwrap().create(&written).unwrap().run().await.unwrap();
    let access = products.access("get-product").unwrap();
    let access = access.with("id", written.product.id.as_str()).unwrap();
    let Raw(item) = access.get().await.unwrap().unwrap();
    assert_eq!(item["price"], AttributeValue::N("299.99".parse().unwrap()));
    assert_eq!(item["words"], AttributeValue::Ss(written.words.clone()));
    assert!(!item.contains_key("nothing") && !item.contains_key("features"));
    // A flattened struct buffers numbers in serde's own type, so that exactness is asked of the item.
    assert_eq!(item["exact"], AttributeValue::N(written.exact.parse().unwrap()));
    assert_eq!(item["large"], AttributeValue::N(u64::MAX.to_string().parse().unwrap()));
    let found: Product = access.get().await.unwrap().unwrap();
    assert_eq!(found, written.product);
}

pub async fn what_exists_cannot_be_created_again<B: Backend + Clone>(world: &World<B>) {
    let products = world.store().table("storefront/products").unwrap();
    let first = product(3, 1);
    products.kind("product").unwrap().create(&first).unwrap().run().await.unwrap();
    let second = Product { name: "Other".to_owned(), ..first.clone() };
    let error = products.kind("product").unwrap().create(&second).unwrap().run().await.unwrap_err();
    let Error::ConditionFailed { found: Some(found) } = &error else { panic!("{error}") };
    assert_eq!(found["name"], AttributeValue::from("Hosting"));
    let by_pattern = products.access("create-product").unwrap().put(&second).unwrap();
    assert!(by_pattern.run().await.unwrap_err().is_condition_of(0));
    products.kind("product").unwrap().replace(&second).unwrap().run().await.unwrap();
    let access = products.access("get-product").unwrap().with("id", first.id.as_str()).unwrap();
    assert_eq!(access.get::<Product>().await.unwrap(), Some(second));
}

pub async fn what_does_not_exist_can_be_neither_replaced_nor_updated_nor_deleted<
    B: Backend + Clone,
>(
    world: &World<B>,
) {
    let products = world.store().table("storefront/products").unwrap();
    let missing = product(4, 1);
    let absent = Error::ConditionFailed { found: None };
    let replace = products.kind("product").unwrap().replace(&missing).unwrap();
    assert_eq!(replace.run().await.unwrap_err(), absent);
    let access =
        products.access("change-product").unwrap().with("id", missing.id.as_str()).unwrap();
    let update = access.update(Changes::new().set("name", "New")).unwrap();
    assert_eq!(update.run().await.unwrap_err(), absent);
    let delete = access.key().unwrap().delete();
    assert_eq!(delete.run().await.unwrap_err(), absent);
    let access = products.access("get-product").unwrap().with("id", missing.id.as_str()).unwrap();
    assert_eq!(access.get::<Product>().await.unwrap(), None, "no phantom item");
    products.kind("product").unwrap().create(&missing).unwrap().run().await.unwrap();
    let delete = access.key().unwrap().delete();
    assert_eq!(delete.run_into::<Product>().await.unwrap(), Some(missing));
}

pub async fn an_update_keeps_to_the_patterns_condition_and_completes_index_keys<
    B: Backend + Clone,
>(
    world: &World<B>,
) {
    let tenants = world.store().table("tenancy/bbws-tenants").unwrap();
    let written = tenant(5, 1);
    tenants.kind("tenant").unwrap().create(&written).unwrap().run().await.unwrap();
    let change = |expected: &str| {
        let access = tenants.access("change-status").unwrap();
        let access = access.with("tenantId", written.tenant_id.as_str()).unwrap();
        access.with("expected", expected).unwrap().with("version", 1).unwrap()
    };
    let changes = Changes::new()
        .set("status", "PARKED")
        .set("updatedAt", "2026-11-16T00:00:00.000Z")
        .expect_version(1);
    let refused = change("PENDING").update(changes.clone()).unwrap().run().await;
    assert!(matches!(refused, Err(Error::ConditionFailed { found: Some(_) })));
    let after = change("ACTIVE").update(changes).unwrap().run().await.unwrap().unwrap();
    assert_eq!(after["GSI2PK"], AttributeValue::from("STATUS#PARKED"));
    let place = format!("2026-11-16T00:00:00.000Z#{}", written.tenant_id);
    assert_eq!(after["GSI2SK"], AttributeValue::from(place));
    assert_eq!(after["version"], AttributeValue::from(2_i64));
    let stale = Changes::new().set("updatedAt", "yesterday");
    assert!(matches!(change("ACTIVE").update(stale), Err(Error::Invalid { stored: false, .. })));
    let key = Changes::new().set("PK", "TENANT#x");
    assert!(matches!(change("ACTIVE").update(key), Err(Error::BadParameter { .. })));
    let needed = Changes::new().remove("contactEmail");
    assert!(matches!(change("ACTIVE").update(needed), Err(Error::BadParameter { .. })));
    assert!(matches!(change("ACTIVE").update(Changes::new()), Err(Error::BadParameter { .. })));
}

pub async fn versions_stop_lost_updates<B: Backend + Clone>(world: &World<B>) {
    let tenants = world.store().table("tenancy/bbws-tenants").unwrap();
    let first = tenant(6, 1);
    tenants.kind("tenant").unwrap().create(&first).unwrap().run().await.unwrap();
    let mine = Tenant { status: "PARKED".to_owned(), ..first.clone() };
    let theirs = Tenant { status: "SUSPENDED".to_owned(), ..first.clone() };
    tenants.kind("tenant").unwrap().replace_version(&mine).unwrap().run().await.unwrap();
    let late = tenants.kind("tenant").unwrap().replace_version(&theirs).unwrap().run().await;
    let Err(Error::ConditionFailed { found: Some(found) }) = late else { panic!("lost update") };
    assert_eq!(found["status"], AttributeValue::from("PARKED"));
    assert_eq!(found["version"], AttributeValue::from(2_i64));
}

pub async fn items_that_the_document_does_not_allow_are_refused_on_both_ways<B: Backend + Clone>(
    world: &World<B>,
) {
    let products = world.store().table("storefront/products").unwrap();
    let written = product(7, 1);
    let free = Product { billing_cycle: "weekly".to_owned(), ..written.clone() };
    let Err(Error::Invalid { stored: false, problems, .. }) =
        products.kind("product").unwrap().create(&free)
    else {
        panic!("it was accepted")
    };
    assert_eq!(problems[0].attribute, "billingCycle");
    // Somebody else, who does not go through the store, writes what the document does not allow.
    let write = products.kind("product").unwrap().create(&written).unwrap();
    let mut item = write.item().unwrap().clone();
    item.insert("billingCycle", "weekly".into());
    let action = store::backend::Action {
        table_name: products.name().to_owned(),
        change: store::backend::Change::Put(item.into()),
        condition: None,
        names: Default::default(),
        values: Default::default(),
    };
    world.backend.write(&action).await.unwrap();
    let access = products.access("get-product").unwrap().with("id", written.id.as_str()).unwrap();
    let read = access.get::<Product>().await;
    assert!(matches!(read, Err(Error::Invalid { stored: true, .. })), "{read:?}");
    world.backend.write(&clean(&action)).await.unwrap();
}

/// The removal of what an action put: other tests list the same index.
fn clean(action: &store::backend::Action) -> store::backend::Action {
    let store::backend::Change::Put(item) = &action.change else { panic!("not a put") };
    let key = ["PK", "SK"].map(|name| (name.to_owned(), item[name].clone())).into();
    store::backend::Action { change: store::backend::Change::Delete { key }, ..action.clone() }
}

pub async fn batches_of_many_items_are_written_and_read<B: Backend + Clone>(world: &World<B>) {
    let store = world.store();
    let tenants = store.table("tenancy/bbws-tenants").unwrap();
    let all: Vec<_> = (0..130).map(|number| assignment(8, number, true)).collect();
    let writes =
        all.iter().map(|one| tenants.kind("assignment").unwrap().put(one).unwrap()).collect();
    store.batch_write(writes).await.unwrap();
    let mut keys: Vec<_> =
        all.iter().map(|one| tenants.kind("assignment").unwrap().key_of(one).unwrap()).collect();
    keys.push(tenants.kind("assignment").unwrap().key_of(&assignment(8, 999, true)).unwrap());
    keys.push(keys[0].clone());
    let read: Vec<Option<Assignment>> = store.batch_get(&keys).await.unwrap();
    let mut wanted: Vec<_> = all.iter().cloned().map(Some).collect();
    wanted.extend([None, Some(all[0].clone())]);
    assert_eq!(read, wanted);
    let removals = keys[..130].iter().map(Key::remove).collect();
    store.batch_write(removals).await.unwrap();
    let read: Vec<Option<Assignment>> = store.batch_get(&keys).await.unwrap();
    assert!(read.iter().all(Option::is_none));
    let conditional = vec![tenants.kind("assignment").unwrap().create(&all[0]).unwrap()];
    assert!(matches!(store.batch_write(conditional).await, Err(Error::Refused { .. })));
}

pub async fn what_the_documents_do_not_name_cannot_be_asked<B: Backend + Clone>(world: &World<B>) {
    let store = world.store();
    assert!(matches!(store.table("storefront/nothing"), Err(Error::NotInDocuments(_))));
    let tenants = store.table("tenancy/bbws-tenants").unwrap();
    assert!(matches!(tenants.access("no-such-pattern"), Err(Error::NotInDocuments(_))));
    let access = tenants.access("list-users").unwrap();
    assert!(matches!(access.clone().with("name", "x"), Err(Error::NotInDocuments(_))));
    let wrong = access.clone().with("tenantId", 5);
    assert!(matches!(wrong, Err(Error::BadParameter { .. })));
    let test = store::Test::Equals("x".into());
    assert!(matches!(access.clone().filter("email", test), Err(Error::NotInDocuments(_))));
    let test = store::Test::Equals("x".into());
    assert!(matches!(access.clone().filter("active", test), Err(Error::BadParameter { .. })));
    assert!(matches!(access.get::<Raw>().await, Err(Error::NotInDocuments(_))));
    let unfilled = access.page::<Raw>("", 10, None).await;
    assert!(matches!(unfilled, Err(Error::BadParameter { .. })));
    let empty = access.clone().with("tenantId", "").unwrap().page::<Raw>("", 10, None).await;
    assert!(matches!(empty, Err(Error::BadParameter { .. })));
    let get = tenants.access("get-tenant").unwrap().with("tenantId", "t").unwrap();
    assert!(matches!(get.page::<Raw>("", 10, None).await, Err(Error::NotInDocuments(_))));
    assert!(matches!(tenants.kind("nothing"), Err(Error::NotInDocuments(_))));
}
