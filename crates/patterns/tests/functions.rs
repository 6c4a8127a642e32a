//! Functions of the documents' access patterns, on the embedded database.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on panics")]

use database::Database;
use patterns::platform::RateLimits;
use patterns::storefront::{Products, Tenants};
use patterns::tenancy::BbwsTenants;
use store::{
    Changes, Embedded, Error, List, MovedMarker, Page, Raw, Settings, Store, Test, TokenKeys,
    Transaction,
};
use tables::{Documents, EmbeddedTarget, Environment, Plan, apply};
use values::{AttributeValue, Item};

const NOW: &str = "2026-11-15T06:00:00.000Z";

async fn store() -> Store {
    let documents = Documents::embedded().unwrap();
    let database = Database::in_memory().unwrap();
    let target = EmbeddedTarget::new(database.clone());
    let names = ["platform/rate_limits", "storefront/tenants", "tenancy/bbws-tenants"];
    let tables: Vec<_> = names.iter().flat_map(|name| documents.find(name)).collect();
    let plan = Plan::make(&documents, &tables, Environment::Dev, &[], &target).await.unwrap();
    apply(&documents, &plan, false, &target, |_, _| {}).await.unwrap();
    let settings = Settings::new(Environment::Dev, TokenKeys::new([7; 32]));
    Store::new(&documents, Embedded::new(database), settings)
}

fn item<const N: usize>(attributes: [(&str, AttributeValue); N]) -> Raw {
    Raw(Item::from(attributes))
}

fn uuid(number: usize) -> String {
    format!("00000000-0000-4000-8000-{number:012x}")
}

fn tenant_id(number: usize) -> String {
    format!("tenant-{}", uuid(number))
}

fn tenant(number: usize) -> Raw {
    item([
        ("tenantId", tenant_id(number).into()),
        ("organizationName", format!("Organisation {number}").into()),
        ("contactEmail", "contact@example.com".into()),
        ("environment", if number.is_multiple_of(2) { "dev" } else { "prod" }.into()),
        ("status", "ACTIVE".into()),
        ("createdAt", NOW.into()),
        ("createdBy", "admin".into()),
        ("updatedAt", NOW.into()),
        ("version", 1_i64.into()),
        ("adminCount", 1_i64.into()),
        ("activeResources", 0_i64.into()),
    ])
}

/// An item of a kind is created, read, changed under a condition whose constants the document gives,
/// asked, and deleted by its key.
#[tokio::test]
async fn each_operation_does_what_its_pattern_says() {
    let store = store().await;
    let tenants = BbwsTenants::open(&store).unwrap();
    let id = tenant_id(1);
    tenants.create_tenant().put(tenant(1)).unwrap().run().await.unwrap();
    let again = tenants.create_tenant().put(tenant(1)).unwrap().run().await;
    assert!(matches!(again, Err(Error::ConditionFailed { found: Some(_) })), "{again:?}");
    let last = tenants.count_admin_out(&id).update(Changes::new().add("adminCount", -1_i64));
    let last = last.unwrap().run().await;
    assert!(matches!(last, Err(Error::ConditionFailed { found: Some(_) })), "{last:?}");
    let more = tenants.count_admin_in(&id).update(Changes::new().add("adminCount", 1_i64));
    let Some(after) = more.unwrap().run().await.unwrap() else { panic!("it gives nothing") };
    assert_eq!(after["adminCount"], AttributeValue::from(2_i64));
    let is_active = || Transaction::new().with(tenants.must_be_active(&id).check().unwrap());
    store.commit(is_active()).await.unwrap();
    let parked = Changes::new().set("status", "PARKED").set("updatedAt", NOW);
    tenants.change_status(&id, "ACTIVE", 1).update(parked).unwrap().run().await.unwrap();
    assert!(store.commit(is_active()).await.unwrap_err().is_condition_of(0));
    let Some(Raw(found)) = tenants.get_tenant(&id).get::<Raw>().await.unwrap() else {
        panic!("it is not there")
    };
    assert_eq!(found["status"], AttributeValue::from("PARKED"));
    let key = tenants.get_tenant(&id).key().unwrap();
    key.delete().run().await.unwrap();
    assert!(matches!(key.delete().run().await, Err(Error::ConditionFailed { found: None })));
    key.remove().run().await.unwrap();
}

/// A value alone is what the attribute must be, a missing one asks nothing.
#[tokio::test]
async fn lists_are_filtered_by_typed_values() {
    let tenants = BbwsTenants::open(&store().await).unwrap();
    for number in 0..5 {
        tenants.tenant().create(tenant(number)).unwrap().run().await.unwrap();
    }
    let count = async |list: List| {
        let page: Page<Raw> = list.page("me", 10, None).await.unwrap();
        page.items.len()
    };
    let active = || tenants.list_tenants_by_status("ACTIVE");
    assert_eq!(count(active().into()).await, 5);
    assert_eq!(count(active().filter_environment("prod").into()).await, 2);
    assert_eq!(count(active().filter_environment(None).into()).await, 5);
    assert_eq!(count(active().filter_environment(Some("dev")).into()).await, 3);
    assert_eq!(count(active().filter_environment(Test::NotEquals("dev")).into()).await, 2);
    assert_eq!(count(active().filter_environment(Test::Absent).into()).await, 0);
    assert_eq!(count(tenants.list_tenants_by_environment("prod")).await, 2);
    let one: Option<Raw> =
        tenants.get_tenant_by_organization("Organisation 3").first().await.unwrap();
    assert!(one.is_some());
    // A page of one list does not go on in another.
    let first: Page<Raw> = active().page("me", 2, None).await.unwrap();
    let token = first.next.as_deref();
    let rest: Page<Raw> = active().page("me", 10, token).await.unwrap();
    assert_eq!(rest.items.len(), 3);
    let other = active().filter_environment("dev").page::<Raw>("me", 10, token).await;
    assert_eq!(other.unwrap_err(), Error::PageToken);
}

/// Functions cannot fail; what is wrong with a value is said when it is used.
#[tokio::test]
async fn a_value_that_does_not_fit_its_place_is_refused_at_the_end() {
    let tenants = BbwsTenants::open(&store().await).unwrap();
    for (division, team) in [("", "t"), ("a#b", "t"), ("d", "")] {
        let get = tenants.get_team("tenant-x", division, "g", team);
        let refused = get.get::<Raw>().await;
        assert!(matches!(refused, Err(Error::BadParameter { .. })), "{division} {team}");
        assert!(matches!(get.key(), Err(Error::BadParameter { .. })));
    }
    let refused = tenants.list_users("").page::<Raw>("me", 10, None).await;
    assert!(matches!(refused, Err(Error::BadParameter { .. })));
}

/// C3-11: the first request of a burst makes its bucket, because the document says so.
#[tokio::test]
async fn an_update_makes_an_item_only_where_the_document_says_so() {
    let limits = RateLimits::open(&store().await).unwrap();
    let changes = Changes::new().set("ttl", 2_000_000_000_i64);
    let count = limits.count_burst("account:a", "short", 1, 2).update(changes.clone()).unwrap();
    assert_eq!(count.run().await.unwrap_err(), Error::ConditionFailed { found: None });
    let changes = changes.set("subject", "account:a").set("policy", "short");
    let changes = changes.set("theoretical_arrival_us", 5_i64);
    let start = limits.start_burst("account:a", "short", 3).update(changes).unwrap();
    start.run().await.unwrap();
    let bucket: Option<Raw> = limits.get_bucket("account:a", "short").get().await.unwrap();
    assert_eq!(bucket.unwrap().0["theoretical_arrival_us"], AttributeValue::from(5_i64));
}

#[tokio::test]
async fn a_unique_value_moves_from_one_text_to_another() {
    let store = store().await;
    let tenants = BbwsTenants::open(&store).unwrap();
    let (mine, theirs) = (tenant_id(1), tenant_id(2));
    let marker = tenants.organization_marker(&mine);
    let run = async |moved: MovedMarker| {
        let writes: Transaction = moved.release.into_iter().chain(moved.reserve).collect();
        store.commit(writes).await
    };
    let owner = async |name: &str| {
        let marker: Option<Raw> = tenants.get_organization_owner(name).get().await.unwrap();
        marker.map(|Raw(marker)| marker["reservedBy"].clone())
    };
    for same in [None, Some("acme")] {
        let moved = marker.moved(same, same, &mine).unwrap();
        assert!(moved.release.is_none() && moved.reserve.is_none());
    }
    run(marker.moved(None, Some("acme"), &mine).unwrap()).await.unwrap();
    assert_eq!(owner("acme").await, Some(mine.as_str().into()));
    run(marker.moved(Some("acme"), Some("apex"), &mine).unwrap()).await.unwrap();
    assert_eq!((owner("acme").await, owner("apex").await), (None, Some(mine.as_str().into())));
    let other = tenants.organization_marker(&theirs);
    let taken = run(other.moved(None, Some("apex"), &theirs).unwrap()).await.unwrap_err();
    assert!(taken.is_condition_of(0), "{taken}");
    let foreign = run(other.moved(Some("apex"), None, &theirs).unwrap()).await.unwrap_err();
    assert!(foreign.is_condition_of(0), "{foreign}");
    run(marker.moved(Some("apex"), None, &mine).unwrap()).await.unwrap();
    assert_eq!(owner("apex").await, None);
}

/// A store of other documents than the functions were made from has other places for everything.
#[tokio::test]
async fn a_table_with_another_document_is_not_opened() {
    let mut documents = Documents::embedded().unwrap();
    let settings = || Settings::new(Environment::Dev, TokenKeys::new([7; 32]));
    let store = |documents: &Documents| {
        Store::new(documents, Embedded::new(Database::in_memory().unwrap()), settings())
    };
    assert!(Tenants::open(&store(&documents)).is_ok());
    let tenants = documents.tables.iter_mut().find(|table| table.system == "storefront");
    tenants.unwrap().access_patterns.swap(0, 1);
    let campaigns = patterns::storefront::Campaigns::open(&store(&documents));
    assert!(matches!(campaigns, Err(Error::NotInDocuments(_))));
    assert!(Products::open(&store(&documents)).is_ok(), "this one is as it was");
    documents.tables.retain(|table| table.table_name != "products");
    assert!(matches!(Products::open(&store(&documents)), Err(Error::NotInDocuments(_))));
}
