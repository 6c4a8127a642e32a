//! Lists and their tokens.

use std::sync::Arc;
use std::time::Duration;

use database::clock::ManualClock;
use store::{Access, Backend, Error, Page, Raw, Settings, Store, Test, TokenKeys};

use super::{Assignment, World, assignment};

/// Writes `count` assignments of which every `active_each`-th is active.
async fn fill(store: &Store, test: u32, count: usize, active_each: usize) -> Vec<Assignment> {
    let tenants = store.table("tenancy/bbws-tenants").unwrap();
    let all: Vec<_> =
        (0..count).map(|number| assignment(test, number, number % active_each == 0)).collect();
    let writes =
        all.iter().map(|one| tenants.kind("assignment").unwrap().put(one).unwrap()).collect();
    store.batch_write(writes).await.unwrap();
    all
}

fn users(store: &Store, test: u32) -> Access {
    let tenants = store.table("tenancy/bbws-tenants").unwrap();
    let tenant_id = assignment(test, 0, true).tenant_id;
    tenants.access("list-users").unwrap().with("tenantId", tenant_id).unwrap()
}

async fn every_page(access: &Access, limit: u32) -> Vec<Vec<Assignment>> {
    let mut pages = Vec::new();
    let mut token: Option<String> = None;
    loop {
        let page: Page<Assignment> = access.page("me", limit, token.as_deref()).await.unwrap();
        pages.push(page.items);
        match page.next {
            Some(next) => token = Some(next),
            None => return pages,
        }
    }
}

pub async fn pages_hold_every_item_once_in_order<B: Backend + Clone>(world: &World<B>) {
    let store = world.store();
    let all = fill(&store, 30, 40, 1).await;
    let pages = every_page(&users(&store, 30), 15).await;
    assert_eq!(pages.iter().map(Vec::len).collect::<Vec<_>>(), [15, 15, 10]);
    assert_eq!(pages.concat(), all);
    // The last page that is exactly full does not promise another one.
    let pages = every_page(&users(&store, 30), 20).await;
    assert_eq!(pages.iter().map(Vec::len).collect::<Vec<_>>(), [20, 20]);
    let one: Option<Assignment> = users(&store, 30).first().await.unwrap();
    assert_eq!(one, Some(all[0].clone()));
    for limit in [0, 1001] {
        let page = users(&store, 30).page::<Assignment>("me", limit, None).await;
        assert!(matches!(page, Err(Error::BadParameter { .. })));
    }
}

pub async fn a_filtered_page_is_full_while_items_remain<B: Backend + Clone>(world: &World<B>) {
    let store = world.store();
    let all = fill(&store, 31, 260, 13).await;
    let access = users(&store, 31).filter("active", Test::Equals(true.into())).unwrap();
    let pages = every_page(&access, 6).await;
    assert_eq!(pages.iter().map(Vec::len).collect::<Vec<_>>(), [6, 6, 6, 2]);
    let wanted: Vec<_> = all.into_iter().filter(|one| one.active).collect();
    assert_eq!(pages.concat(), wanted);
}

pub async fn a_page_that_is_used_in_part_goes_on_after_any_of_its_items<B: Backend + Clone>(
    world: &World<B>,
) {
    let store = world.store();
    let all = fill(&store, 35, 30, 2).await;
    let access = users(&store, 35);
    let active = access.clone().filter("active", Test::Equals(true.into())).unwrap();
    let raw: Page<Raw> = active.page("me", 10, None).await.unwrap();
    let token = active.token_after("me", &raw.items[3].0).unwrap();
    let rest: Page<Assignment> = active.page("me", 10, Some(&token)).await.unwrap();
    let wanted: Vec<_> = all.into_iter().filter(|one| one.active).collect();
    assert_eq!(rest.items, wanted[4..14]);
    for (access, caller) in [(&access, "me"), (&active, "you")] {
        let page = access.page::<Assignment>(caller, 10, Some(&token)).await;
        assert_eq!(page, Err(Error::PageToken));
    }
}

pub async fn a_page_looks_at_no_more_items_than_the_limit<B: Backend + Clone>(world: &World<B>) {
    let settings = Settings { evaluated_per_page_max: 100, ..world.settings() };
    let store = world.store_with(settings);
    fill(&store, 32, 250, 1000).await;
    let access = users(&store, 32).filter("active", Test::Equals(true.into())).unwrap();
    let pages = every_page(&access, 5).await;
    assert_eq!(pages.iter().map(Vec::len).collect::<Vec<_>>(), [1, 0, 0]);
}

pub async fn a_foreign_changed_or_stale_token_is_one_error<B: Backend + Clone>(world: &World<B>) {
    let clock = ManualClock::new(1_790_000_000_000);
    let settings = Settings { clock: Arc::new(clock.clone()), ..world.settings() };
    let store = world.store_with(settings.clone());
    fill(&store, 33, 12, 1).await;
    fill(&store, 34, 3, 1).await;
    let access = users(&store, 33);
    let next = access.page::<Assignment>("me", 5, None).await.unwrap().next.unwrap();
    let with = async |access: &Access, caller: &str, token: &str| {
        access.page::<Assignment>(caller, 5, Some(token)).await.map(|page| page.items.len())
    };
    assert_eq!(with(&access, "me", &next).await, Ok(5), "it is good to begin with");
    let bad = Err(Error::PageToken);
    assert_eq!(with(&access, "you", &next).await, bad);
    assert_eq!(with(&users(&store, 34), "me", &next).await, bad);
    let filtered = access.clone().filter("active", Test::Equals(true.into())).unwrap();
    assert_eq!(with(&filtered, "me", &next).await, bad);
    let tenants = store.table("tenancy/bbws-tenants").unwrap();
    let tenant_id = assignment(33, 0, true).tenant_id;
    let other = tenants.access("list-resources").unwrap().with("tenantId", tenant_id).unwrap();
    assert_eq!(with(&other, "me", &next).await, bad);
    for at in [0, 30, next.len() - 1] {
        let mut changed: Vec<u8> = next.clone().into_bytes();
        changed[at] = if changed[at] == b'A' { b'Q' } else { b'A' };
        assert_eq!(with(&access, "me", std::str::from_utf8(&changed).unwrap()).await, bad, "{at}");
    }
    for text in ["", "x", "####", &next[..20], &"A".repeat(100_000)] {
        assert_eq!(with(&access, "me", text).await, bad);
    }
    let keys = TokenKeys::new([7; 32]).replaced_by([8; 32]);
    let renewed = world.store_with(Settings { token_keys: keys, ..settings.clone() });
    assert_eq!(with(&users(&renewed, 33), "me", &next).await, Ok(5), "an old key still opens");
    let keys = TokenKeys::new([9; 32]);
    let strange = world.store_with(Settings { token_keys: keys, ..settings });
    assert_eq!(with(&users(&strange, 33), "me", &next).await, bad);
    clock.advance(Duration::from_secs(24 * 60 * 60).as_millis() as u64);
    assert_eq!(with(&access, "me", &next).await, Ok(5));
    clock.advance(1);
    assert_eq!(with(&access, "me", &next).await, bad);
}
