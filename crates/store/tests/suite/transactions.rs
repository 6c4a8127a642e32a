//! Several items at one moment.

use store::{Backend, Error, Marker, Transaction};
use values::Item;

use super::{Assignment, NOW, World, assignment, uuid};

pub async fn markers_keep_a_value_unique<B: Backend + Clone>(world: &World<B>) {
    let store = world.store();
    let tenants = store.table("storefront/tenants").unwrap();
    let kinds = &tenants.document().item_types;
    let at = kinds.iter().position(|kind| kind.name == "emailMarker").unwrap();
    let marker = Marker::new(&tenants, at, []);
    let person = |number: usize| {
        let text = |name: &str, value: &str| (name.to_owned(), value.into());
        store::Raw(Item::from([
            text("id", &format!("tenant_{}", uuid(20, number))),
            text("email", "unique@example.com"),
            text("status", "UNVALIDATED"),
            text("active", "true"),
            text("dateCreated", NOW),
            text("dateLastUpdated", NOW),
            text("lastUpdatedBy", "admin@example.com"),
        ]))
    };
    let create = |number: usize| {
        let owner = format!("tenant_{}", uuid(20, number));
        let access = tenants.access("create-tenant").unwrap();
        let reserve = marker.reserve("unique@example.com", &owner).unwrap();
        Transaction::new().with(access.put(person(number)).unwrap()).with(reserve)
    };
    store.commit(create(1)).await.unwrap();
    let error = store.commit(create(2)).await.unwrap_err();
    assert!(error.is_condition_of(1) && !error.is_condition_of(0), "{error}");
    let get = |number: usize| {
        let id = format!("tenant_{}", uuid(20, number));
        tenants.access("get-tenant").unwrap().with("id", id).unwrap()
    };
    assert!(get(1).get::<store::Raw>().await.unwrap().is_some());
    assert!(get(2).get::<store::Raw>().await.unwrap().is_none(), "nothing by half");
    let release = |owner: usize| {
        let owner = format!("tenant_{}", uuid(20, owner));
        marker.release("unique@example.com", &owner).unwrap()
    };
    assert!(matches!(release(2).run().await, Err(Error::ConditionFailed { found: Some(_) })));
    release(1).run().await.unwrap();
    store.commit(create(2)).await.unwrap();
    assert!(get(2).get::<store::Raw>().await.unwrap().is_some());
}

pub async fn a_transaction_happens_once_for_a_token_and_not_by_half<B: Backend + Clone>(
    world: &World<B>,
) {
    let store = world.store();
    let tenants = store.table("tenancy/bbws-tenants").unwrap();
    let two = |first: usize, second: usize| {
        let write = |number| {
            tenants.kind("assignment").unwrap().create(&assignment(21, number, true)).unwrap()
        };
        Transaction::new().with(write(first)).with(write(second))
    };
    let token = uuid(21, 1);
    store.commit_once(two(1, 2), &token).await.unwrap();
    if world.remembers_tokens {
        store.commit_once(two(1, 2), &token).await.unwrap();
    }
    let mut lent = two(3, 1);
    let error = store.commit(&mut lent).await.unwrap_err();
    assert!(error.is_condition_of(1) && !error.is_condition_of(0), "{error}");
    assert_eq!(lent.len(), 2, "what is not done is given back");
    let mut lent = two(4, 5);
    store.commit(&mut lent).await.unwrap();
    assert!(lent.is_empty());
    let key = tenants.kind("assignment").unwrap().key_of(&assignment(21, 3, true)).unwrap();
    assert_eq!(store.transact_get::<Assignment>(&[key]).await.unwrap(), [None]);
    let empty = store.commit(Transaction::new()).await;
    assert!(matches!(empty, Err(Error::Refused { .. })));
}

pub async fn reads_of_one_moment_are_in_order<B: Backend + Clone>(world: &World<B>) {
    let store = world.store();
    let tenants = store.table("tenancy/bbws-tenants").unwrap();
    let all: Vec<_> = (0..5).map(|number| assignment(22, number, true)).collect();
    let writes = all.iter().map(|one| tenants.kind("assignment").unwrap().create(one).unwrap());
    store.commit(writes.fold(Transaction::new(), Transaction::with)).await.unwrap();
    let keys: Vec<_> = all
        .iter()
        .rev()
        .map(|one| tenants.kind("assignment").unwrap().key_of(one).unwrap())
        .collect();
    let read: Vec<Option<Assignment>> = store.transact_get(&keys).await.unwrap();
    assert_eq!(read, all.into_iter().rev().map(Some).collect::<Vec<_>>());
}
