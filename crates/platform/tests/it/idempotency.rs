//! A request that is repeated has one effect and one answer (R003-idem-1, C3-08, C3-09, CX-15).

use std::sync::Arc;
use std::sync::atomic::Ordering;

use ::http::{HeaderName, HeaderValue, StatusCode};
use audit::Entry;
use changes::idempotency::{Begun, Claim, Key, REQUEST_IN_PROGRESS, Request};
use changes::{Answer, Conflict, Rejection, RequestFacts};
use kernel::caller::Caller;
use kernel::error::{SERVICE_UNAVAILABLE, UNPROCESSABLE};
use kernel::{Code, Error};

use crate::change_world::{World, caller, request};

/// A request of a test.
struct Asked {
    account: &'static str,
    caller: Caller,
    if_match: &'static [u8],
    body: &'static [u8],
    key: Key,
}

impl Asked {
    fn new(body: &'static [u8]) -> Asked {
        let key = Key::parse(b"8e03978e-40d5-43e8").unwrap();
        Asked { account: "acc-1", caller: caller(), if_match: b"", body, key }
    }

    async fn begin(&self, world: &World) -> Result<Begun, Error> {
        let request = Request {
            account: self.account,
            caller: &self.caller,
            method: "POST",
            route: "/v1.0/tenants/{id}/users",
            path: "/v1.0/tenants/tenant-1/users",
            query: "",
            if_match: self.if_match,
            content_type: "application/json",
            body: self.body,
            key: &self.key,
        };
        world.idempotency.begin(&request).await
    }

    async fn claim(&self, world: &World) -> Claim {
        match self.begin(world).await {
            Ok(Begun::Claimed(claim)) => claim,
            other => panic!("{other:?}"),
        }
    }

    async fn replay(&self, world: &World) -> Answer {
        match self.begin(world).await {
            Ok(Begun::Replay(answer)) => answer,
            other => panic!("{other:?}"),
        }
    }

    async fn refused(&self, world: &World) -> u16 {
        match self.begin(world).await {
            Err(error) => error.code().status,
            other => panic!("{other:?}"),
        }
    }
}

fn answer(body: impl Into<bytes::Bytes>) -> Answer {
    let mut answer = Answer::new(StatusCode::CREATED, body)
        .with(HeaderName::from_static("content-type"), HeaderValue::from_static("application/json"))
        .with(HeaderName::from_static("etag"), HeaderValue::from_static("\"1\""))
        .with(HeaderName::from_static("vary"), HeaderValue::from_static("Accept"));
    answer.headers.append("vary", HeaderValue::from_static("Origin"));
    answer
}

/// What a replay adds, and nothing else.
fn replayed(answer: Answer) -> Answer {
    answer.with(HeaderName::from_static("idempotent-replayed"), HeaderValue::from_static("true"))
}

async fn work(
    world: &World,
    claim: Claim,
    product: &str,
    given: Answer,
) -> Result<Option<Answer>, Rejection> {
    let claimed = RequestFacts { claim: Some(claim), ..RequestFacts::clone(&request()) };
    let mut change = world.changes.begin(&Arc::new(claimed));
    change.add(world.product(product), Conflict);
    change.record(Entry::new("TENANT", "TENANT_CREATED", "acc-1"));
    change.commit(given).await
}

/// The code of a refused commit.
fn refused(outcome: Result<Option<Answer>, Rejection>) -> Code {
    match outcome {
        Err(Rejection::Refused(error)) => error.code(),
        other => panic!("{other:?}"),
    }
}

/// 64 at once: one effect, every answer is the first one or 409, and each retry is the first answer
/// byte for byte.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_64_concurrent_requests_with_one_key_one_has_an_effect() {
    for is_in_process in [true, false] {
        one_of_64_has_an_effect(World::with(is_in_process).await).await;
    }
}

async fn one_of_64_has_an_effect(world: World) {
    let world = std::sync::Arc::new(world);
    let mut tasks = Vec::new();
    for number in 0..64 {
        let world = std::sync::Arc::clone(&world);
        tasks.push(tokio::spawn(async move {
            match Asked::new(b"{}").begin(&world).await {
                Ok(Begun::Claimed(claim)) => {
                    let given = answer(format!("{{\"winner\":{number}}}"));
                    Ok((
                        true,
                        work(&world, claim, &format!("{number:x}"), given).await.unwrap().unwrap(),
                    ))
                }
                Ok(Begun::Replay(answer)) => Ok((false, answer)),
                Err(error) => {
                    assert!(error.retries_after().is_some());
                    Err(error.code().status)
                }
            }
        }));
    }
    let mut outcomes = Vec::new();
    for task in tasks {
        outcomes.push(task.await.unwrap());
    }
    let first: Vec<_> = outcomes.iter().flatten().filter(|(worked, _)| *worked).collect();
    assert_eq!((first.len(), world.products().await), (1, 1));
    let expected = replayed(first[0].1.clone());
    for outcome in &outcomes {
        match outcome {
            Ok((true, _)) => {}
            Ok((false, answer)) => assert_eq!(*answer, expected),
            Err(status) => assert_eq!(*status, 409),
        }
    }
    for _ in 0..3 {
        assert_eq!(Asked::new(b"{}").replay(&world).await, expected);
    }
}

/// The process dies between claim and commit: the lease expires and the work is done once. The first
/// worker, if it was only slow, fails by its fence.
#[tokio::test]
async fn a_claim_is_taken_over_after_its_lease_and_a_late_worker_is_fenced_off() {
    let world = World::new().await;
    let asked = Asked::new(b"{}");
    let late = asked.claim(&world).await;
    world.clock.advance(59_000);
    assert_eq!(asked.refused(&world).await, 409);
    world.clock.advance(1_000);
    let second = asked.claim(&world).await;
    assert!(second.fencing_token() > late.fencing_token());
    let outcome = work(&world, late.clone(), "a1", answer("late")).await;
    assert_eq!(refused(outcome), REQUEST_IN_PROGRESS);
    world
        .idempotency
        .settle(&late, &Answer::new(StatusCode::INTERNAL_SERVER_ERROR, ""))
        .await
        .unwrap();
    assert_eq!((world.products().await, asked.refused(&world).await), (0, 409));
    work(&world, second, "a2", answer("second")).await.unwrap();
    assert_eq!(
        (world.products().await, world.audit.verify("acc-1", &[]).await.unwrap().entries),
        (1, 1)
    );
    assert_eq!(asked.replay(&world).await, replayed(answer("second")));
}

/// Another body is told on every path: in progress, after the lease, and completed.
#[tokio::test]
async fn another_body_is_refused_on_every_path() {
    let world = World::new().await;
    let (asked, other) = (Asked::new(b"{\"a\":1}"), Asked::new(b"{\"a\":2}"));
    let _lost = asked.claim(&world).await;
    assert_eq!(other.refused(&world).await, 422);
    world.clock.advance(61_000);
    assert_eq!(other.refused(&world).await, 422);
    let claim = asked.claim(&world).await;
    work(&world, claim, "a1", answer("{}")).await.unwrap();
    assert_eq!(other.refused(&world).await, 422);
    assert_eq!(asked.replay(&world).await, replayed(answer("{}")));
}

/// C3-09: another account's key is another key; another user of the account gets no answer.
#[tokio::test]
async fn keys_belong_to_accounts_and_answers_to_callers() {
    for is_in_process in [true, false] {
        let world = World::with(is_in_process).await;
        let claim = Asked::new(b"{}").claim(&world).await;
        work(&world, claim, "a1", answer("{}")).await.unwrap();
        let stranger = Asked { account: "acc-2", ..Asked::new(b"{}") };
        assert!(stranger.claim(&world).await.fencing_token() > 0);
        let other_version = Asked { if_match: b"\"v2\"", ..Asked::new(b"{}") };
        assert_eq!(other_version.refused(&world).await, 422);
        let colleague = Asked { caller: Caller::system("worker"), ..Asked::new(b"{}") };
        assert_eq!(colleague.refused(&world).await, 422);
    }
}

/// Answers beyond an item's limit are kept in parts, up to the transaction's limit.
#[tokio::test]
async fn large_answers_are_replayed_byte_for_byte() {
    for is_in_process in [true, false] {
        let world = World::with(is_in_process).await;
        let asked = Asked::new(b"{}");
        let body: Vec<u8> =
            (0..2_500_000_u32).map(|at| (at.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
        let claim = asked.claim(&world).await;
        work(&world, claim, "a1", answer(body.clone())).await.unwrap();
        assert_eq!(asked.replay(&world).await, replayed(answer(body)));

        let asked = Asked { key: Key::parse(b"another").unwrap(), ..Asked::new(b"{}") };
        let claim = asked.claim(&world).await;
        let outcome = work(&world, claim.clone(), "a2", answer(vec![b'x'; 4_300_000])).await;
        assert_eq!(refused(outcome), UNPROCESSABLE);
        assert_eq!(world.products().await, 1);
        world
            .idempotency
            .settle(&claim, &Answer::new(StatusCode::UNPROCESSABLE_ENTITY, "too large"))
            .await
            .unwrap();
        assert_eq!(asked.replay(&world).await.status, 422);
    }
}

/// Answers that changed nothing: what the handler decided is kept, what may go better is not.
#[tokio::test]
async fn answers_without_effects_are_kept_or_released_by_their_status() {
    for is_in_process in [true, false] {
        let world = World::with(is_in_process).await;
        for (status, kept) in [
            (200, true),
            (400, true),
            (404, true),
            (422, true),
            (409, false),
            (412, false),
            (428, false),
            (401, false),
            (403, false),
            (408, false),
            (429, false),
            (500, false),
            (503, false),
        ] {
            let key = Key::parse(format!("key-{status}").as_bytes()).unwrap();
            let asked = Asked { key, ..Asked::new(b"{}") };
            let claim = asked.claim(&world).await;
            world
                .idempotency
                .settle(&claim, &Answer::new(StatusCode::from_u16(status).unwrap(), "no"))
                .await
                .unwrap();
            if kept {
                assert_eq!(
                    asked.replay(&world).await,
                    replayed(Answer::new(StatusCode::from_u16(status).unwrap(), "no"))
                );
            } else {
                asked.claim(&world).await;
            }
        }
    }
}

/// R003-idem-4: 24 hours, told by the reader; the item is still there.
#[tokio::test]
async fn after_24_hours_the_key_is_new_although_ttl_has_not_removed_it() {
    for is_in_process in [true, false] {
        let world = World::with(is_in_process).await;
        let asked = Asked::new(b"{}");
        let first = asked.claim(&world).await;
        work(&world, first.clone(), "a1", answer("first")).await.unwrap();
        world.clock.advance(24 * 60 * 60 * 1000 - 1_000);
        asked.replay(&world).await;
        world.clock.advance(1_000);
        let other = Asked::new(b"{\"other\":true}");
        let second = other.claim(&world).await;
        assert!(second.fencing_token() > first.fencing_token());
        work(&world, second, "a2", answer("second")).await.unwrap();
        assert_eq!(other.replay(&world).await, replayed(answer("second")));
    }
}

/// The commit happened, and its answer was lost: releasing the claim comes too late, and the retry
/// finds the answer.
#[tokio::test]
async fn a_commit_without_an_answer_keeps_its_claim_and_is_replayed() {
    let world = World::new().await;
    let asked = Asked::new(b"{}");
    let claim = asked.claim(&world).await;
    world.lost_answers.store(3, Ordering::SeqCst);
    let outcome = work(&world, claim.clone(), "a1", answer("{}")).await;
    assert_eq!(refused(outcome), SERVICE_UNAVAILABLE);
    world
        .idempotency
        .settle(&claim, &Answer::new(StatusCode::SERVICE_UNAVAILABLE, ""))
        .await
        .unwrap();
    assert_eq!(asked.replay(&world).await, replayed(answer("{}")));
    assert_eq!(world.products().await, 1);
}

/// R003-idem-2: an account's requests are listed, the newest first, without their answers.
#[tokio::test]
async fn the_requests_of_an_account_are_listed() {
    let world = World::new().await;
    for number in 0..3 {
        let key = Key::parse(format!("key-{number}").as_bytes()).unwrap();
        let asked = Asked { key, ..Asked::new(b"{}") };
        let claim = asked.claim(&world).await;
        if number < 2 {
            work(&world, claim, &format!("{number}"), answer("{}")).await.unwrap();
        }
        world.clock.advance(1_000);
    }
    let page = world.idempotency.list("acc-1", "user-1", 2, None).await.unwrap();
    let keys: Vec<_> = page.items.iter().map(|seen| seen.idempotency_key.as_str()).collect();
    assert_eq!(keys, ["key-2", "key-1"]);
    assert_eq!(
        (page.items[0].status.as_str(), page.items[1].response_status),
        ("in_progress", Some(201))
    );
    let rest = world.idempotency.list("acc-1", "user-1", 2, page.next.as_deref()).await.unwrap();
    assert_eq!((rest.items.len(), rest.next), (1, None));
}

/// An answer may hold what is shown only once: it is not stored as it is.
#[tokio::test]
async fn answers_are_sealed_at_rest() {
    for is_in_process in [true, false] {
        let world = World::with(is_in_process).await;
        let claim = Asked::new(b"{}").claim(&world).await;
        let given = answer("{\"secret\":\"canary-in-body\"}").with(
            HeaderName::from_static("set-cookie"),
            HeaderValue::from_static("s=canary-in-head"),
        );
        work(&world, claim, "a1", given).await.unwrap();
        let stored = format!("{:?}", world.items("platform/idempotency_keys").await);
        for canary in ["canary-in-body", "canary-in-head"] {
            let bytes = format!("{:?}", canary.as_bytes());
            assert!(!stored.contains(canary) && !stored.contains(bytes.trim_matches(['[', ']'])));
        }
    }
}

/// In a store of this process a claim lasts as long as somebody works on the request: whoever gives up,
/// as by a timeout, is not waited for.
#[tokio::test]
async fn a_claim_in_memory_ends_with_its_worker() {
    let world = World::with(true).await;
    let (asked, other) = (Asked::new(b"{}"), Asked::new(b"{\"other\":true}"));
    let claim = asked.claim(&world).await;
    world.clock.advance(600_000);
    assert_eq!((asked.refused(&world).await, other.refused(&world).await), (409, 422));
    assert!(world.items("platform/idempotency_keys").await.is_empty());
    drop(claim);
    let claim = other.claim(&world).await;
    work(&world, claim.clone(), "a1", answer("{}")).await.unwrap();
    // The answer is there although somebody still has the claim.
    assert_eq!(other.replay(&world).await, replayed(answer("{}")));
    drop(claim);
    assert_eq!((world.products().await, asked.refused(&world).await), (1, 422));
}

/// A worker that was given up, and whose work comes through all the same, leaves the second nothing to
/// do; and the other way round.
#[tokio::test]
async fn of_two_workers_in_memory_the_first_to_commit_has_the_effect() {
    let world = World::with(true).await;
    let other = world.beside(true).await;
    let asked = Asked::new(b"{}");
    let (slow, fast) = (asked.claim(&world).await, asked.claim(&other).await);
    work(&other, fast, "a1", answer("fast")).await.unwrap();
    let outcome = work(&world, slow.clone(), "a2", answer("slow")).await;
    assert_eq!(refused(outcome), REQUEST_IN_PROGRESS);
    world.idempotency.settle(&slow, &Answer::new(StatusCode::CONFLICT, "")).await.unwrap();
    assert_eq!(world.products().await, 1);
    for world in [&world, &other] {
        assert_eq!(asked.replay(world).await, replayed(answer("fast")));
    }
}

/// A claim that another process has stored holds here too, and is taken over after its lease.
#[tokio::test]
async fn a_stored_claim_holds_in_every_process() {
    let here = World::with(true).await;
    let elsewhere = here.beside(false).await;
    let asked = Asked::new(b"{}");
    let late = asked.claim(&elsewhere).await;
    assert_eq!((asked.refused(&here).await, Asked::new(b"2").refused(&here).await), (409, 422));
    here.clock.advance(60_000);
    let second = asked.claim(&here).await;
    assert!(second.fencing_token() > late.fencing_token());
    work(&here, second, "a1", answer("here")).await.unwrap();
    let outcome = work(&elsewhere, late, "a2", answer("late")).await;
    assert_eq!(refused(outcome), REQUEST_IN_PROGRESS);
    assert_eq!(asked.replay(&elsewhere).await, replayed(answer("here")));

    // Here nothing is stored, so that elsewhere the work begins too: the first to commit has the effect.
    let asked = Asked { key: Key::parse(b"another").unwrap(), ..Asked::new(b"{}") };
    let (slow, fast) = (asked.claim(&here).await, asked.claim(&elsewhere).await);
    let outcome = work(&here, slow, "a3", answer("here")).await;
    assert_eq!(refused(outcome), REQUEST_IN_PROGRESS);
    work(&elsewhere, fast, "a4", answer("elsewhere")).await.unwrap();
    assert_eq!(asked.replay(&here).await, replayed(answer("elsewhere")));
    assert_eq!(here.products().await, 2);
}
