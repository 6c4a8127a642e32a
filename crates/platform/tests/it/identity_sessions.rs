//! Sessions: rotation, reuse, repetition, the end of them; signing keys that follow one another.

use std::time::Duration;

use futures_util::future::join_all;
use identity::{Authenticator, LoggedIn, Login, Tokens};
use kernel::Role;
use kernel::clock::{Clock as _, ManualClock};

use crate::identity::{PASSWORD, World, origin, secret, service, settings, world};

async fn refresh(world: &World, tokens: &Tokens) -> Result<Tokens, kernel::Error> {
    world.service.refresh(&world.store, &tokens.refresh_token).await
}

/// R001-refreshtokens-1 to R001-refreshtokens-4, R002-9.1-1: each token is replaced by the next, until
/// the session's 30 days are over.
#[tokio::test]
async fn a_session_is_refreshed_until_its_end() {
    let world = world().await;
    let user_id = world.user("ada").await;
    let first = world.log_in("ada").await;
    let mut last = first.clone();
    for _ in 0..29 {
        world.advance(Duration::from_secs(24 * 60 * 60));
        let next = refresh(&world, &last).await.unwrap();
        assert_ne!(next.refresh_token.reveal(), last.refresh_token.reveal());
        assert_eq!(next.session, first.session);
        last = next;
    }
    assert!(world.service.is_live(&user_id, &first.session).await.unwrap());
    world.advance(Duration::from_secs(24 * 60 * 60));
    assert!(refresh(&world, &last).await.is_err(), "30 days");
    assert!(!world.service.is_live(&user_id, &first.session).await.unwrap());
}

/// C1-28: a token that was replaced and is used again ends its family, for thief and owner alike, and
/// no other family. Seen red without the check of `rotated_to`.
#[tokio::test]
async fn a_stolen_token_ends_the_family() {
    let world = world().await;
    let user_id = world.user("ada").await;
    let other = world.log_in("ada").await;
    let stolen = world.log_in("ada").await;
    let owner = refresh(&world, &stolen).await.unwrap();
    world.advance(Duration::from_secs(11));
    assert!(refresh(&world, &stolen).await.is_err(), "the thief");
    assert!(refresh(&world, &owner).await.is_err(), "the owner, who has to log in again");
    assert!(!world.service.is_live(&user_id, &stolen.session).await.unwrap());
    refresh(&world, &other).await.unwrap();
    let told = world.service.notifications().list(&user_id, 10, None).await.unwrap().items;
    assert!(told.iter().any(|one| one.subject == "A session was ended"), "{told:?}");
}

/// 32 refreshes of one token at once: one replaces it, and the others are given the very same
/// successor, so that one chain goes on. Seen red with a successor of chance.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_32_refreshes_at_once_one_wins_and_all_are_told_the_same() {
    let world = world().await;
    let user_id = world.user("ada").await;
    let tokens = world.log_in("ada").await;
    let tasks = (0..32).map(|_| {
        let (service, store) = (world.service.clone(), world.store.clone());
        let token = tokens.refresh_token.clone();
        tokio::spawn(async move { service.refresh(&store, &token).await })
    });
    let mut given: Vec<String> = Vec::new();
    for task in join_all(tasks).await {
        given.push(task.unwrap().unwrap().refresh_token.reveal().to_owned());
    }
    given.sort();
    given.dedup();
    assert_eq!(given.len(), 1, "one successor");
    let next = world.service.refresh(&world.store, &secret(&given[0])).await.unwrap();
    assert!(world.service.is_live(&user_id, &next.session).await.unwrap());
}

/// The answer may be lost once: within ten seconds, and while the successor is unused, it is given
/// again. After either, asking again is reuse.
#[tokio::test]
async fn a_lost_answer_is_given_again_while_that_is_safe() {
    let world = world().await;
    let user_id = world.user("ada").await;
    let tokens = world.log_in("ada").await;
    let lost = refresh(&world, &tokens).await.unwrap();
    world.advance(Duration::from_secs(9));
    let again = refresh(&world, &tokens).await.unwrap();
    assert_eq!(again.refresh_token.reveal(), lost.refresh_token.reveal());
    let used = refresh(&world, &again).await.unwrap();
    assert!(refresh(&world, &tokens).await.is_err(), "its successor was used");
    assert!(refresh(&world, &used).await.is_err(), "so the family ended");
    assert!(!world.service.is_live(&user_id, &tokens.session).await.unwrap());
}

/// Log out of this session, with its token, and everywhere: on the very next request.
#[tokio::test]
async fn logging_out_counts_at_once() {
    let world = world().await;
    let user_id = world.user("ada").await;
    let authenticator = Authenticator::new(world.service.clone(), Vec::new());
    let [one, two, three] =
        [world.log_in("ada").await, world.log_in("ada").await, world.log_in("ada").await];
    let accepted =
        async |tokens: &Tokens| authenticator.token(tokens.access_token.reveal()).await.is_ok();
    assert!(accepted(&one).await && accepted(&two).await && accepted(&three).await);
    let (service, store) = (&world.service, &world.store);
    service.log_out(store, &user_id, &one.session).await.unwrap();
    service.log_out(store, &user_id, &one.session).await.unwrap();
    assert!(!accepted(&one).await && accepted(&two).await);
    assert!(refresh(&world, &one).await.is_err());
    let stranger = "00000000-0000-4000-8000-000000000000";
    service.log_out(store, stranger, &two.session).await.unwrap();
    assert!(accepted(&two).await, "somebody else's session");
    service.log_out_with(store, &two.refresh_token).await.unwrap();
    assert!(!accepted(&two).await && accepted(&three).await);
    let listed = service.sessions(&user_id).await.unwrap();
    assert!(listed.iter().any(|session| session.session == three.session));
    assert!(!listed.iter().any(|session| session.session == two.session));
    service.log_out_everywhere(store, &user_id).await.unwrap();
    assert!(!accepted(&three).await && refresh(&world, &three).await.is_err());
    assert!(service.sessions(&user_id).await.unwrap().is_empty());
    let after = world.log_in("ada").await;
    assert!(accepted(&after).await);
}

/// What is no token of ours is refused, and tells nothing.
#[tokio::test]
async fn tokens_that_never_were_are_refused() {
    let world = world().await;
    for token in ["", "plr_", "plr_AAAA", &"x".repeat(100_000)] {
        let error = world.service.refresh(&world.store, &secret(token)).await.unwrap_err();
        assert_eq!(error.code().status, 401);
        world.service.log_out_with(&world.store, &secret(token)).await.unwrap();
    }
    assert!(!world.service.is_live("not a uuid", "SESSION#").await.unwrap());
}

/// Issue 5, item 2: keys are replaced by age, by one of several instances, and not by how long one ran.
#[tokio::test]
async fn an_old_signing_key_gets_a_successor_once() {
    let world = world().await;
    world.user("ada").await;
    let second = service(&world.store, &world.clock, world.mailbox.path(), settings()).await;
    let age = Duration::from_secs(90 * 24 * 60 * 60);
    assert_eq!(world.service.keys().rotate_if_older(age).await.unwrap(), None);
    world.advance(age);
    let made = [
        world.service.keys().rotate_if_older(age).await.unwrap(),
        second.keys().rotate_if_older(age).await.unwrap(),
    ];
    assert!(made[0].is_some() && made[1].is_none(), "{made:?}");
    world.advance(Duration::from_secs(60 * 60));
    assert_eq!(second.keys().rotate_if_older(age).await.unwrap(), None);
}

/// A key follows another: tokens of both are accepted, on every instance, until the last of the old
/// one has expired; then the old one is gone from the key set.
#[tokio::test]
async fn keys_rotate_without_logging_anyone_out() {
    let world = world().await;
    world.user("ada").await;
    let second = service(&world.store, &world.clock, world.mailbox.path(), settings()).await;
    let before = world.log_in("ada").await;
    second.verify_token(before.access_token.reveal()).await.unwrap();
    let kid = world.service.keys().rotate().await.unwrap();
    assert!(world.service.keys().rotate().await.is_err(), "one after the other");
    let kids = async |service: &identity::Service| -> Vec<String> {
        let set = service.keys().jwks().await.unwrap();
        let keys = set["keys"].as_array().unwrap();
        keys.iter().map(|key| key["kid"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(kids(&world.service).await.len(), 2, "published before it signs");
    world.advance(Duration::from_secs(9 * 60));
    let old = world.log_in("ada").await;
    world.advance(Duration::from_secs(61));
    let new = world.log_in("ada").await;
    for service in [&world.service, &second] {
        service.verify_token(old.access_token.reveal()).await.unwrap();
        service.verify_token(new.access_token.reveal()).await.unwrap();
    }
    world.advance(Duration::from_secs(14 * 60 - 61));
    world.service.verify_token(old.access_token.reveal()).await.unwrap();
    world.advance(Duration::from_secs(4 * 60));
    assert_eq!(kids(&world.service).await, std::slice::from_ref(&kid));
    assert_eq!(kids(&second).await, std::slice::from_ref(&kid));
    let next = refresh(&world, &before).await.unwrap();
    world.service.verify_token(next.access_token.reveal()).await.unwrap();
    world.service.keys().revoke(&kid).await.unwrap();
    assert!(world.service.verify_token(next.access_token.reveal()).await.is_err(), "at once");
    world.advance(Duration::from_secs(61));
    assert!(second.verify_token(next.access_token.reveal()).await.is_err());
    let fresh = world.log_in("ada").await;
    second.verify_token(fresh.access_token.reveal()).await.unwrap();
}

/// Many instances that start at once agree on one first key.
#[tokio::test]
async fn instances_agree_on_the_first_key() {
    let world = world().await;
    let mut services = Vec::new();
    for _ in 0..8 {
        let mailbox = world.mailbox.path();
        services.push(service(&world.store, &world.clock, mailbox, settings()).await);
    }
    let sets = join_all(services.iter().map(|service| service.keys().jwks())).await;
    let sets: Vec<_> = sets.into_iter().map(Result::unwrap).collect();
    assert!(sets.iter().all(|set| set == &sets[0]), "{sets:?}");
    assert!(sets[0]["keys"][0]["d"].is_null(), "no private part");
}

/// A clock that was set back to before the first key signs: whoever logs in gets a token that counts.
#[tokio::test]
async fn with_a_clock_set_back_the_oldest_key_signs() {
    let world = world().await;
    world.user("ada").await;
    world.log_in("ada").await;
    let yesterday = ManualClock::new(world.clock.now_millis() - 86_400_000);
    let back = service(&world.store, &yesterday, world.mailbox.path(), settings()).await;
    let login = Login { name: "ada".to_owned(), password: secret(PASSWORD) };
    let LoggedIn::Tokens(tokens) = back.log_in(&world.store, &origin(1), login).await.unwrap()
    else {
        panic!("no second factor is set up")
    };
    back.verify_token(tokens.access_token.reveal()).await.unwrap();
}

/// `plinth token`: a role and a tenant for a script, for fifteen minutes.
#[tokio::test]
async fn a_script_gets_a_short_lived_token() {
    let world = world().await;
    let signed =
        world.service.sign_script_token("Ops@Example.com", Role::Operator, Some("tenant-1"));
    let token = signed.await.unwrap();
    let authenticator = Authenticator::new(world.service.clone(), Vec::new());
    let caller = authenticator.token(token.reveal()).await.unwrap();
    assert_eq!(
        (caller.name(), caller.account_id.as_deref()),
        ("ops@example.com", Some("tenant-1"))
    );
    assert!(caller.roles.contains(&Role::Operator) && caller.roles.len() == 1);
    world.advance(Duration::from_secs(15 * 60));
    let error = authenticator.token(token.reveal()).await.unwrap_err();
    assert_eq!(error.details()["reason"], "expired");
}
