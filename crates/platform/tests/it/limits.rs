//! Rate limits: never too much in any window over all instances, never refused without reason, and
//! everything that a client and an operator can see of them.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use fastrand::Rng;
use kernel::{Caller, Identity};
use limits::{
    Algorithm, Asked, By, Decision, Limiter, Mode, OnFailure, Override, Policies, Policy, Verdict,
};
use patterns::platform::RateLimits;

use crate::shared_store::{START, SharedStore};

const INSTANCES: usize = 8;

async fn world() -> SharedStore {
    SharedStore::new(&["platform/rate_limits"]).await
}

fn limiter(world: &SharedStore, policies: Vec<Policy>) -> Arc<Limiter> {
    let policies = Policies::new(policies).unwrap();
    Arc::new(Limiter::new(&world.store, Arc::new(world.clock.clone()), policies).unwrap())
}

fn limiters(world: &SharedStore) -> Vec<Arc<Limiter>> {
    (0..INSTANCES).map(|_| limiter(world, Vec::new())).collect()
}

/// What was admitted, in order: when, and how much.
#[derive(Default)]
struct Model(VecDeque<(u64, u64)>);

impl Model {
    fn add(&mut self, verdict: &Verdict, cost: u64) {
        self.0.push_back((verdict.at.millis(), cost));
    }

    /// How much was admitted after one moment and until another.
    fn between(&self, after: u64, until: u64) -> u64 {
        let within = self.0.iter().filter(|(at, _)| *at > after && *at <= until);
        within.map(|(_, cost)| cost).sum()
    }

    /// The most that any window of this length has. It is enough to look where something ends.
    fn most_in(&self, length: u64) -> u64 {
        let ends = self.0.iter().map(|(at, _)| *at);
        ends.map(|end| self.between(end.saturating_sub(length), end)).max().unwrap_or(0)
    }
}

fn some_policy(rng: &mut Rng) -> Policy {
    let limit = rng.u64(1..=20);
    let mut policy = Policy::new("some", limit, rng.u64(1..=5), By::Account);
    policy.algorithm = Algorithm::SlidingWindow { parts: rng.u32(1..=12) };
    policy.cost = rng.u64(1..=limit.min(3));
    policy
}

/// The time between two requests: often none, mostly a little, sometimes more than a window.
fn advance(world: &SharedStore, rng: &mut Rng, policy: &Policy) {
    let window = policy.window_seconds * 1000;
    let millis = match rng.u32(0..10) {
        0..4 => 0,
        4..9 => rng.u64(0..=window / 5),
        _ => rng.u64(0..=2 * window),
    };
    world.clock.advance(millis);
}

/// R003-rate-2, R003-rate-3, C3-11: over eight instances in random order, no window has more than the
/// limit, and nobody is refused while window and one part more have room.
#[tokio::test]
async fn a_sliding_window_admits_all_it_promises_and_never_more() {
    let world = world().await;
    let (mut admitted, mut refused) = (0, 0);
    for seed in 0..30 {
        let mut rng = Rng::with_seed(seed);
        let subject = format!("account:{seed}");
        let policy = some_policy(&mut rng);
        let (limiters, mut model) = (limiters(&world), Model::default());
        let Algorithm::SlidingWindow { parts } = policy.algorithm else { unreachable!() };
        let window = policy.window_seconds * 1000;
        let part = window.div_ceil(u64::from(parts));
        for step in 0..250 {
            advance(&world, &mut rng, &policy);
            let now = kernel::clock::Clock::now_millis(&world.clock);
            let times = rng.u64(1..=2);
            let cost = times * policy.cost;
            let limiter = &limiters[rng.usize(..INSTANCES)];
            let verdict = limiter.check_one(&policy, &subject, times).await.unwrap();
            let told = format!("seed {seed}, step {step}, {policy:?}, {verdict:?}");
            if verdict.admitted {
                admitted += 1;
                model.add(&verdict, cost);
            } else {
                refused += 1;
                let recent = model.between(now.saturating_sub(part * u64::from(parts + 1)), now);
                assert!(recent + cost > policy.limit, "{recent} were admitted: {told}");
            }
            let recent = model.between(now.saturating_sub(window), now);
            assert!(recent <= policy.limit, "{recent} in a window: {told}");
            let room = policy.limit - recent;
            assert!(!verdict.admitted || verdict.remaining <= room, "{told}");
        }
        assert!(model.most_in(window) <= policy.limit);
    }
    assert!(admitted > 1000 && refused > 1000, "{admitted} admitted, {refused} refused");
}

/// Who waits for as long as a refusal says is admitted, if nobody else comes.
#[tokio::test]
async fn a_refusal_says_when_there_is_room() {
    let world = world().await;
    let mut waits = 0;
    for seed in 0..15 {
        let mut rng = Rng::with_seed(seed);
        let subject = format!("account:{seed}");
        let mut policy = some_policy(&mut rng);
        if seed % 2 == 0 {
            policy.algorithm = Algorithm::Burst { burst: policy.cost + rng.u64(0..5) };
        }
        let limiters = limiters(&world);
        for _ in 0..60 {
            advance(&world, &mut rng, &policy);
            let limiter = &limiters[rng.usize(..INSTANCES)];
            let verdict = limiter.check_one(&policy, &subject, 1).await.unwrap();
            if let Some(after) = verdict.retry_after {
                waits += 1;
                world.clock.advance(u64::try_from(after.as_millis()).unwrap());
                let again = limiter.check_one(&policy, &subject, 1).await.unwrap();
                assert!(again.admitted, "seed {seed}, {policy:?}, {verdict:?}, {again:?}");
            }
        }
    }
    assert!(waits > 50, "{waits}");
}

/// R003-rate-2: eight instances at once, a thousand requests, a limit of a hundred: a hundred.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn exactly_the_limit_is_admitted_when_all_ask_at_once() {
    let world = world().await;
    let policy = Arc::new(Policy::new("hundred", 100, 60, By::Account));
    let tasks: Vec<_> = limiters(&world)
        .into_iter()
        .map(|limiter| {
            let policy = Arc::clone(&policy);
            tokio::spawn(async move {
                let mut admitted = 0;
                for _ in 0..125 {
                    let verdict = limiter.check_one(&policy, "account:a", 1).await.unwrap();
                    admitted += u64::from(verdict.admitted);
                }
                admitted
            })
        })
        .collect();
    let mut admitted = 0;
    for task in tasks {
        admitted += task.await.unwrap();
    }
    assert_eq!(admitted, 100);
}

/// The same while time passes: whenever the instances meet, no window has more than the limit.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn no_window_has_too_much_while_time_passes() {
    let world = world().await;
    let policy = Arc::new(Policy::new("moving", 20, 1, By::Account));
    let tasks: Vec<_> = limiters(&world)
        .into_iter()
        .map(|limiter| {
            let (policy, clock) = (Arc::clone(&policy), world.clock.clone());
            tokio::spawn(async move {
                let mut admitted = Vec::new();
                for _ in 0..300 {
                    clock.advance(3);
                    let verdict = limiter.check_one(&policy, "account:a", 1).await.unwrap();
                    admitted.extend(verdict.admitted.then_some(verdict));
                }
                admitted
            })
        })
        .collect();
    let mut model = Model::default();
    for task in tasks {
        for verdict in task.await.unwrap() {
            model.add(&verdict, 1);
        }
    }
    // Seven seconds have passed; a window and a part have at least one limit's worth.
    assert!(model.0.len() >= 100, "{}", model.0.len());
    assert!(model.most_in(1000) <= 20, "{}", model.most_in(1000));
}

/// C3-11: the fast mode admits at most `instances * (block - 1)` more, and writes far less.
#[tokio::test]
async fn the_fast_mode_overshoots_by_no_more_than_stated() {
    let world = world().await;
    let (mut writes, mut admitted) = (0, 0);
    for seed in 0..15 {
        let mut rng = Rng::with_seed(seed);
        let subject = format!("account:{seed}");
        let mut policy = Policy::new("fast", rng.u64(20..=60), rng.u64(1..=3), By::Account);
        let block = rng.u64(2..=8);
        policy.mode = Mode::Fast { block };
        let (limiters, mut model) = (limiters(&world), Model::default());
        for _ in 0..400 {
            let millis = rng.u64(0..=policy.window_seconds * 8);
            world.clock.advance(millis);
            let limiter = &limiters[rng.usize(..INSTANCES)];
            let verdict = limiter.check_one(&policy, &subject, 1).await.unwrap();
            if verdict.admitted {
                model.add(&verdict, 1);
            }
        }
        admitted += model.0.len();
        writes += world.counted.take().len();
        let found = model.most_in(policy.window_seconds * 1000);
        let stated = policy.limit + INSTANCES as u64 * (block - 1);
        assert!(found <= stated, "seed {seed}: {found} of {stated}, {policy:?}");
        assert!(found + INSTANCES as u64 * (block - 1) >= policy.limit, "seed {seed}: {found}");
    }
    assert!(writes < admitted, "{writes} writes for {admitted} requests");
}

/// The worst that can happen to the fast mode: every instance takes a block at the end of a part, and
/// spends it when the next has begun. The bound is reached, and not exceeded.
#[tokio::test]
async fn the_stated_overshoot_is_the_worst() {
    let world = world().await;
    assert!(worst_overshoot(&world, 100, 5, 1).await <= INSTANCES as u64 * 4);
    // By then each has spent blocks of 2, 4, 8… and would take one of 64, were there room for so many.
    let of_large = worst_overshoot(&world, 1280, 2, 63).await;
    let (of_least, stated) = (INSTANCES as u64, INSTANCES as u64 * (1280 / 64 - 1));
    assert!(of_large > of_least && of_large <= stated, "{of_large} of {stated}");
}

/// How much too much a window has if each instance asks so often before the part ends.
async fn worst_overshoot(world: &SharedStore, limit: u64, block: u64, first: u64) -> u64 {
    let policy =
        Policy { mode: Mode::Fast { block }, ..Policy::new("fast", limit, 10, By::Account) };
    let subject = format!("account:{limit}");
    let (limiters, mut model) = (limiters(world), Model::default());
    let now = || kernel::clock::Clock::now_millis(&world.clock);
    world.clock.advance(1000 - now() % 1000 - 1);
    for moment in [0, 2, 10_000 - 1] {
        world.clock.advance(moment);
        for round in 0..limit {
            for limiter in &limiters {
                let waits = moment == 0 && round >= first;
                if waits || !limiter.check_one(&policy, &subject, 1).await.unwrap().admitted {
                    continue;
                }
                model.0.push_back((now(), 1));
            }
        }
    }
    let most = model.most_in(10_000);
    assert!(most > limit, "{most} of {limit}");
    most - limit
}

/// Whoever is far from the limit and spends blocks quickly takes larger ones: a write for every tenth
/// request was a large part of what a busy account cost.
#[tokio::test]
async fn blocks_grow_with_what_is_asked() {
    let (world, limit, block) = (world().await, 100_000, 10);
    let policy =
        Policy { mode: Mode::Fast { block }, ..Policy::new("fast", limit, 1, By::Account) };
    let limiter = limiter(&world, Vec::new());
    let mut writes = Vec::new();
    world.clock.advance(100 - START % 100);
    // Parts of 100 ms: the first two are busy, then comes one request in each.
    for asked in [500, 500, 1, 1, 1, 1] {
        for _ in 0..asked {
            assert!(limiter.check_one(&policy, "account:a", 1).await.unwrap().admitted);
        }
        writes.push(world.counted.take().len());
        world.clock.advance(100);
    }
    // 10, 20, 40… and the first finds no window and makes it; then as much as before.
    assert!(writes[0] <= 8 && writes[1] <= 3, "{writes:?}");
    world.clock.advance(10_000);
    limiter.check_one(&policy, "account:a", 1).await.unwrap();
    let after_a_pause = limiter.inspect_one(&policy, "account:a").await.unwrap().remaining;
    assert_eq!(after_a_pause, limit - block, "nobody needs a large block any more");
}

/// Requests that come at once find no block. Each took one of its own, all but one of which were lost:
/// sixteen callers of one account wrote for every second request, and got a part of their limit.
#[tokio::test]
async fn requests_at_once_share_a_block() {
    let (world, limit, asked, block) = (world().await, 1000, 64, 8);
    let fast = Mode::Fast { block };
    let policy = Policy { mode: fast, ..Policy::new("fast", limit, 10, By::Account) };
    let limiter = limiter(&world, Vec::new());
    let all = (0..asked).map(|_| limiter.check_one(&policy, "account:a", 1));
    let verdicts = futures_util::future::try_join_all(all).await.unwrap();
    assert!(verdicts.iter().all(|verdict| verdict.admitted));
    // The first finds no window, and makes it with a second one.
    let writes = world.counted.take().len() as u64;
    assert!(writes <= asked / block + 1, "{writes} writes");
    let left = limiter.inspect_one(&policy, "account:a").await.unwrap().remaining;
    assert!(left > limit - asked - block, "{left} left");
}

/// C3-11: a burst at once and then the rate: no stretch has more than the burst and what is due in it.
#[tokio::test]
async fn a_burst_rule_keeps_its_rate() {
    let world = world().await;
    for seed in 0..15 {
        let mut rng = Rng::with_seed(seed);
        let subject = format!("account:{seed}");
        let mut policy = some_policy(&mut rng);
        policy.cost = 1;
        let burst = rng.u64(1..=10);
        policy.algorithm = Algorithm::Burst { burst };
        let (limiters, mut model) = (limiters(&world), Model::default());
        let share_us = (policy.window_seconds * 1_000_000).div_ceil(policy.limit);
        for step in 0..200 {
            advance(&world, &mut rng, &policy);
            let limiter = &limiters[rng.usize(..INSTANCES)];
            let verdict = limiter.check_one(&policy, &subject, 1).await.unwrap();
            if verdict.admitted {
                model.add(&verdict, 1);
            }
            assert!(step > 0 || verdict.admitted);
        }
        for length in [0, 100, 1000, 5000, 20_000] {
            // Both ends belong to the stretch.
            let most = model.most_in(length + 1);
            let due = length * 1000 / share_us;
            assert!(most <= burst + due, "seed {seed}, {policy:?}: {most} in {length} ms");
        }
    }
}

/// CX-14, R003-rate-2: once a window is known, a request is one conditional update; a refusal that
/// holds is none.
#[tokio::test]
async fn a_request_is_one_write_and_a_known_refusal_none() {
    let world = world().await;
    for (name, algorithm) in [
        ("window", Algorithm::SlidingWindow { parts: 10 }),
        ("burst", Algorithm::Burst { burst: 5 }),
    ] {
        let policy = Policy { algorithm, ..Policy::new(name, 5, 10, By::Account) };
        let limiter = limiter(&world, Vec::new());
        limiter.check_one(&policy, "account:a", 1).await.unwrap();
        for step in 0..4 {
            // Also across the border of a part.
            world.clock.advance(if step == 2 { 1000 } else { 0 });
            world.counted.take();
            assert!(limiter.check_one(&policy, "account:a", 1).await.unwrap().admitted);
            assert_eq!(world.counted.take(), ["UpdateItem"], "{name}");
        }
        limiter.check_one(&policy, "account:a", 3).await.unwrap();
        world.counted.take();
        assert!(!limiter.check_one(&policy, "account:a", 3).await.unwrap().admitted);
        assert_eq!(world.counted.take(), Vec::<&str>::new(), "{name}");
    }
}

/// The headers have the draft's form; of several policies the nearest to its limit is reported.
#[tokio::test]
async fn headers_tell_the_policy_that_is_nearest_to_its_limit() {
    let world = world().await;
    let narrow = Policy::new("narrow", 2, 60, By::Address).on(&["POST /auth/*"]);
    let limiter = limiter(&world, vec![Policy::new("default", 100, 60, By::Account), narrow]);
    let mut caller = Caller::new(Identity::Anonymous);
    caller.account_id = Some("acc_1".to_owned());
    caller.address = "192.0.2.1".parse().ok();
    let elsewhere = limiter.check(&Asked::of("GET /orders", &caller)).await.unwrap();
    assert_eq!(elsewhere.rate_limit_policy().unwrap(), "\"default\";q=100;w=60");
    let asked = Asked::of("POST /auth/login", &caller);
    let decision = limiter.check(&asked).await.unwrap();
    let policies = "\"default\";q=100;w=60, \"narrow\";q=2;w=60";
    assert_eq!(decision.rate_limit_policy().unwrap(), policies);
    // START is 40 s into a minute, and parts are 6 s long: the first leaves with the eleventh.
    assert_eq!(decision.rate_limit().unwrap(), "\"narrow\";r=1;t=62");
    assert_eq!(decision.retry_after(), None);
    limiter.check(&asked).await.unwrap();
    world.clock.advance(2500);
    let refused = limiter.check(&asked).await.unwrap();
    assert!(!refused.is_admitted());
    assert_eq!(refused.rate_limit().unwrap(), "\"narrow\";r=0;t=60");
    assert_eq!(refused.retry_after(), Some(60), "rounded up");
    let error = refused.into_result().unwrap_err();
    assert_eq!((error.code().status, error.retries_after()), (429, Some(Duration::from_secs(60))));
    assert_eq!(error.details()["policy"], "narrow");
    let nobody = limiter.check(&Asked { route: "GET /", ..Asked::default() }).await.unwrap();
    assert_eq!((nobody.rate_limit(), nobody.rate_limit_policy()), (None, None));
}

/// A policy that is asked about several subjects of one request is told once: of the subject that has
/// the least left.
#[tokio::test]
async fn a_policy_is_told_once() {
    let world = world().await;
    let policy = Policy::new("target", 3, 60, By::Target);
    let limiter = limiter(&world, Vec::new());
    let mut decision = Decision::default();
    for (subject, reported) in
        [("a", "r=2"), ("b", "r=2"), ("b", "r=1"), ("a", "r=1"), ("c", "r=1")]
    {
        decision.add(limiter.check_one(&policy, &format!("target:{subject}"), 1).await.unwrap());
        assert!(decision.rate_limit().unwrap().contains(reported), "{subject}: {decision:?}");
        assert_eq!(decision.rate_limit_policy().unwrap(), "\"target\";q=3;w=60");
    }
    for subject in ["b", "b", "c"] {
        decision.add(limiter.check_one(&policy, &format!("target:{subject}"), 1).await.unwrap());
    }
    assert!(!decision.is_admitted(), "b was refused, whatever came afterwards");
}

/// Others have other limits, and do not use up each other's.
#[tokio::test]
async fn overrides_and_subjects_are_apart() {
    let world = world().await;
    let mut policy = Policy::new("default", 1, 60, By::Account);
    let big = Override { subject: "account:big_*".to_owned(), limit: 3 };
    policy.overrides.push(big);
    let limiter = limiter(&world, Vec::new());
    for (subject, limit) in [("account:a", 1), ("account:b", 1), ("account:big_1", 3)] {
        let mut admitted = 0;
        for _ in 0..5 {
            let verdict = limiter.check_one(&policy, subject, 1).await.unwrap();
            admitted += u64::from(verdict.admitted);
            assert_eq!(verdict.limit, limit);
        }
        assert_eq!(admitted, limit, "{subject}");
    }
}

/// A policy that only watches refuses nobody and says whom it would have refused.
#[tokio::test]
async fn a_shadow_policy_reports_and_refuses_nobody() {
    let world = world().await;
    let shadow = Policy { shadow: true, ..Policy::new("trial", 2, 60, By::Account) };
    let limiter = limiter(&world, vec![shadow]);
    for (account_id, times) in [("a", 5), ("b", 3), ("c", 2)] {
        for _ in 0..times {
            let asked = Asked { account_id: Some(account_id), ..Asked::default() };
            let decision = limiter.check(&asked).await.unwrap();
            assert!(decision.is_admitted());
            assert_eq!(decision.rate_limit(), None, "it is nobody's business yet");
        }
    }
    let rows = limiter.would_refuse();
    let rows: Vec<_> = rows.iter().map(|row| (row.subject.as_str(), row.count)).collect();
    assert_eq!(rows, [("account:a", 3), ("account:b", 1)]);
}

/// When the store cannot be asked, an open policy admits and says so, a closed one refuses with 503.
#[tokio::test]
async fn without_the_store_a_policy_fails_as_it_says() {
    let world = world().await;
    let open = Policy::new("open", 1, 60, By::Account);
    let closed = Policy { on_failure: OnFailure::Closed, ..Policy::new("closed", 1, 60, By::User) };
    let limiter = limiter(&world, Vec::new());
    world.counted.set_broken(true);
    let verdict = limiter.check_one(&open, "account:a", 1).await.unwrap();
    assert!(verdict.admitted && verdict.degraded);
    let error = limiter.check_one(&closed, "user:a", 1).await.unwrap_err();
    assert_eq!(error.code().status, 503);
    assert!(error.retries_after().is_some());
    world.counted.set_broken(false);
    assert!(limiter.check_one(&closed, "user:a", 1).await.unwrap().admitted);
}

/// Requests that wait for one that takes a block do not ask a broken store one after the other: each would
/// wait for all the attempts of those before it.
#[tokio::test]
async fn who_waits_for_a_block_hears_that_the_store_is_broken() {
    let world = world().await;
    let fast = Mode::Fast { block: 8 };
    let policy = Policy { mode: fast, ..Policy::new("fast", 100, 60, By::Account) };
    let limiter = limiter(&world, Vec::new());
    let ask_all = || (0..20).map(|_| limiter.check_one(&policy, "account:a", 1));
    world.counted.set_broken(true);
    let verdicts = futures_util::future::try_join_all(ask_all()).await.unwrap();
    assert!(verdicts.iter().all(|verdict| verdict.admitted && verdict.degraded));
    let one = limiter.check_one(&policy, "account:b", 1);
    let asked = (world.counted.take().len(), one.await.unwrap(), world.counted.take().len());
    assert_eq!(asked.0, asked.2, "twenty asked as often as one");
    world.counted.set_broken(false);
    let verdicts = futures_util::future::try_join_all(ask_all()).await.unwrap();
    assert!(verdicts.iter().all(|verdict| verdict.admitted && !verdict.degraded));
}

/// An operator sees how far somebody is, and forgives; every instance follows within five seconds.
#[tokio::test]
async fn an_operator_looks_and_forgives() {
    let world = world().await;
    let burst = Algorithm::Burst { burst: 3 };
    let window = Policy::new("window", 3, 60, By::Account);
    let policies =
        vec![window, Policy { algorithm: burst, ..Policy::new("burst", 3, 60, By::Account) }];
    let (one, other) = (limiter(&world, policies.clone()), limiter(&world, policies.clone()));
    for policy in &policies {
        let name = policy.name.as_str();
        let fresh = one.inspect(name, "account:a").await.unwrap();
        assert_eq!((fresh.remaining, fresh.more_at), (3, None), "{name}");
        assert!(!one.reset(name, "account:a").await.unwrap(), "nothing to forget");
        for limiter in [&one, &other, &one] {
            assert!(limiter.check_one(policy, "account:a", 1).await.unwrap().admitted);
        }
        world.clock.advance(1000);
        assert!(!other.check_one(policy, "account:a", 1).await.unwrap().admitted);
        let used = one.inspect(name, "account:a").await.unwrap();
        assert_eq!((used.remaining, used.limit), (0, 3), "{name}");
        assert!(used.more_at.unwrap().millis() > START);
        assert!(one.reset(name, "account:a").await.unwrap());
        assert!(one.check_one(policy, "account:a", 1).await.unwrap().admitted);
        world.clock.advance(5000);
        assert!(other.check_one(policy, "account:a", 1).await.unwrap().admitted, "{name}");
    }
    let error = one.inspect("nothing", "account:a").await.unwrap_err();
    assert_eq!(error.code().status, 404);
}

/// R003-rate-1: out of the box, guessing a password stops after five tries, whatever address it
/// comes from, and one address cannot try many names for long.
#[tokio::test]
async fn guessing_is_limited_by_default() {
    let world = world().await;
    let usual: Vec<Policy> = Policies::usual().iter().cloned().collect();
    let limiter = limiter(&world, usual);
    let attempt = async |host: u8, target: &str| {
        let address = Some(std::net::IpAddr::from([192, 0, 2, host]));
        let route = "POST /auth/login";
        let asked = Asked { route, address, target: Some(target), ..Asked::default() };
        limiter.check(&asked).await.unwrap().is_admitted()
    };
    let mut admitted = 0;
    for host in 0..20 {
        admitted += u32::from(attempt(host, "one@example.com").await);
    }
    assert_eq!(admitted, 5);
    admitted = 0;
    for number in 0..60 {
        admitted += u32::from(attempt(100, &format!("user{number}@example.com")).await);
    }
    assert_eq!(admitted, 30);
}

/// R003-rate-4: an item goes when it can no longer matter, and not before.
#[tokio::test]
async fn items_expire_after_they_matter() {
    let world = world().await;
    let policy = Policy::new("short", 5, 10, By::Account);
    limiter(&world, Vec::new()).check_one(&policy, "account:a", 1).await.unwrap();
    let window = RateLimits::open(&world.store).unwrap().get_window("account:a", "short");
    let store::Raw(item) = window.get::<store::Raw>().await.unwrap().unwrap();
    let values::AttributeValue::N(ttl) = &item["ttl"] else { panic!("{item:?}") };
    let ttl = u64::try_from(ttl.to_i64().unwrap()).unwrap();
    let matters_until = START / 1000 + 11;
    assert!((matters_until..matters_until + 2 * 86_400).contains(&ttl), "{ttl}");
}
