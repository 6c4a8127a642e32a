//! Endpoints, signatures, the delivery worker, and recovery.

use std::sync::Arc;
use std::time::Duration;

use kernel::Moment;
use kernel::clock::{Clock as _, SystemClock};
use patterns::platform::WebhookEvents;
use store::{Raw, Transaction};
use tokio::sync::watch;
use webhooks::{
    EndpointPatch, NewEndpoint, NoticeKind, Outgoing, Posting, Reply, Secret, SecretChoice, Sender,
    Settings, public_key, sign,
};

use crate::webhook_world::{ACCOUNT, START, Scripted, World, header, set, status};

const SECOND: Duration = Duration::from_secs(1);

fn new(url: &str) -> NewEndpoint {
    NewEndpoint { url: url.to_owned(), ..NewEndpoint::default() }
}

/// The signature holds for an independent implementation, and stops to if anything is changed.
#[tokio::test]
async fn another_implementation_verifies_what_is_sent() {
    let world = World::at(SystemClock.now_millis(), Settings::default()).await;
    let created = world.endpoints.create(ACCOUNT, new("https://hooks.example/in")).await.unwrap();
    let secret = world.commit(created).await.secret.unwrap();
    let sender = Scripted::new(&world.clock, |_, _| status(200));
    world.emit("tenant.parked").await;
    world.worker(sender.clone()).drain().await.unwrap();
    let (_, sent) = sender.received.lock().unwrap()[0].clone();
    let mut headers = hyper::HeaderMap::new();
    for (name, value) in &sent.headers {
        headers.insert(*name, value.parse().unwrap());
    }
    let verifier = standardwebhooks::Webhook::new(&secret).unwrap();
    verifier.verify(&sent.body, &headers).unwrap();
    let changed = [&sent.body[..], b" "].concat();
    assert!(verifier.verify(&changed, &headers).is_err());
    headers.insert("webhook-timestamp", "1".parse().unwrap());
    assert!(verifier.verify(&sent.body, &headers).is_err());
}

/// The vectors of docs/webhooks.md are what this code computes.
#[test]
fn the_published_vectors_hold() {
    let page = include_str!("../../../../docs/webhooks.md");
    let mut checked = 0;
    for block in page.split("```vector\n").skip(1) {
        let block = block.split("```").next().unwrap();
        let field = |name: &str| {
            let start = format!("{name}: ");
            let line = block.lines().find(|line| line.starts_with(&start)).unwrap();
            line[start.len()..].to_owned()
        };
        let secrets: Vec<Secret> =
            field("secrets").split(' ').map(|text| Secret::parse(text).unwrap()).collect();
        let timestamp = field("webhook-timestamp").parse().unwrap();
        let body = field("body");
        let signature = sign(&secrets, &field("webhook-id"), timestamp, body.as_bytes());
        assert_eq!(signature, field("webhook-signature"));
        if let Some(key) = public_key(&secrets[0]) {
            assert_eq!(key, field("public-key"));
            let unsigned = format!("{}.{timestamp}.{body}", field("webhook-id"));
            verify_ed25519(&key, &signature, unsigned.as_bytes());
        }
        checked += 1;
    }
    assert_eq!(checked, 4);
}

fn verify_ed25519(key: &str, signature: &str, signed: &[u8]) {
    use base64::Engine as _;
    let decode = |text: &str| base64::engine::general_purpose::STANDARD.decode(text).unwrap();
    let key = decode(key.strip_prefix("whpk_").unwrap());
    let signature = decode(signature.strip_prefix("v1a,").unwrap());
    let key = ring::signature::UnparsedPublicKey::new(&ring::signature::ED25519, key);
    key.verify(signed, &signature).unwrap();
    assert!(key.verify(b"else", &signature).is_err());
}

/// Secrets have 24 to 64 bytes, and cannot be printed.
#[test]
fn secrets_are_checked_and_not_printed() {
    use base64::Engine as _;
    let encode = |count| {
        let bytes = vec![7_u8; count];
        format!("whsec_{}", base64::engine::general_purpose::STANDARD.encode(bytes))
    };
    for (count, good) in [(23, false), (24, true), (64, true), (65, false), (0, false)] {
        assert_eq!(Secret::parse(&encode(count)).is_some(), good, "{count}");
    }
    for bad in ["", "whsec_", "whsec_?", "whsk_AAAA", "whpk_AAAA", "abc"] {
        assert!(Secret::parse(bad).is_none(), "{bad}");
    }
    let text = encode(32);
    let secret = Secret::parse(&text).unwrap();
    assert_eq!(format!("{secret:?}"), "Secret");
    assert_eq!(*secret.reveal(), text);
}

/// R of reliability.md: a secret is shown once, is nowhere in the table, and signs beside its successor
/// for 24 hours.
#[tokio::test]
async fn a_rotated_secret_signs_for_a_day_beside_its_successor() {
    let world = World::new().await;
    let created = world.endpoints.create(ACCOUNT, new("https://hooks.example/")).await.unwrap();
    let first = world.commit(created).await;
    let id = first.endpoint.id.clone();
    let (old, sender) = (first.secret.unwrap(), Scripted::new(&world.clock, |_, _| status(200)));
    let rotated = world.endpoints.rotate(ACCOUNT, &id, &SecretChoice::Hmac).await.unwrap();
    let new = world.commit(rotated).await.secret.unwrap();
    let rotated = world.endpoints.rotate(ACCOUNT, &id, &SecretChoice::Ed25519).await.unwrap();
    let third = world.commit(rotated).await;
    assert!(third.secret.is_none() && third.endpoint.public_key.is_some());
    let worker = world.worker(sender.clone());
    for pass in [Duration::ZERO, Duration::from_secs(24 * 3600 - 1), SECOND] {
        world.pass(pass);
        world.emit("a.b").await;
        worker.drain().await.unwrap();
    }
    let received = sender.received.lock().unwrap().clone();
    let kinds = |at: usize| -> Vec<String> {
        let header = header(&received[at].1, "webhook-signature");
        header.split(' ').map(|one| one.split(',').next().unwrap().to_owned()).collect()
    };
    assert_eq!(kinds(0), ["v1a", "v1", "v1"]);
    assert_eq!(kinds(1), ["v1a", "v1", "v1"]);
    assert_eq!(kinds(2), ["v1a"]);
    let table = WebhookEvents::open(&world.store).unwrap();
    let Raw(item) = table.get_endpoint(ACCOUNT, &id).get().await.unwrap().unwrap();
    let stored = format!("{item:?}");
    for secret in [&old, &new] {
        assert!(!stored.contains(&secret["whsec_".len()..]), "{stored}");
    }
}

#[tokio::test]
async fn what_is_wrong_with_an_endpoint_is_named_field_by_field() {
    let world = World::new().await;
    let wrong = NewEndpoint {
        url: "http://127.0.0.1/".to_owned(),
        description: Some("x".repeat(501)),
        event_types: Some(set(["a b".to_owned()])),
        throttle_rate: Some(0),
        ..NewEndpoint::default()
    };
    let error = world.endpoints.create(ACCOUNT, wrong).await.err().unwrap();
    let errors = error.details()["errors"].as_array().unwrap();
    let fields: Vec<_> = errors.iter().map(|error| error["field"].as_str().unwrap()).collect();
    assert_eq!(fields, ["url", "description", "eventTypes", "throttleRate"]);
}

/// Another account's endpoint answers as one that does not exist; a stale version is refused.
#[tokio::test]
async fn endpoints_are_changed_by_their_account_and_version() {
    let world = World::new().await;
    let made = world.endpoint("https://hooks.example/", Some(&["tenant.*"])).await;
    for (account, id) in [("acc-2", made.id.as_str()), (ACCOUNT, "ep_none")] {
        let error = world.endpoints.get(account, id).await.err().unwrap();
        assert_eq!(
            (error.code().status, error.to_string().as_str()),
            (404, "There is no such webhook endpoint")
        );
    }
    let patch = EndpointPatch { event_types: Some(None), ..EndpointPatch::default() };
    let planned = world.endpoints.update(ACCOUNT, &made.id, patch.clone(), Some(1)).await.unwrap();
    assert_eq!(planned.entry.action, "WEBHOOK_ENDPOINT_UPDATED");
    assert_eq!(planned.event.as_ref().unwrap().event_type, "webhook_endpoint.updated");
    let changed = world.commit(planned).await;
    assert_eq!((changed.version, changed.event_types), (2, None));
    assert_eq!(world.endpoints.get(ACCOUNT, &made.id).await.unwrap().version, 2);
    let stale = world.endpoints.update(ACCOUNT, &made.id, patch, Some(1)).await;
    assert_eq!(stale.err().unwrap().code().status, 412);
    world.commit(world.endpoints.delete(ACCOUNT, &made.id, None).await.unwrap()).await;
    assert!(world.endpoints.get(ACCOUNT, &made.id).await.is_err());
    let page = world.endpoints.list(ACCOUNT, "", 10, None).await.unwrap();
    assert!(page.items.is_empty());
}

/// C3-10: attempts at 0 s, 5 s, 5 m, 30 m, 2 h, 5 h, 10 h, 14 h, 20 h and 24 h, never earlier and up to
/// a tenth later; then the delivery is exhausted, and every attempt is kept.
#[tokio::test]
async fn attempts_follow_the_schedule_and_are_kept() {
    let world = World::with(Settings { failures_to_open: 1_000, ..Settings::default() }).await;
    let endpoint = world.endpoint("https://hooks.example/", None).await;
    let sender = Scripted::new(&world.clock, |_, _| status(500));
    let worker = world.worker(sender.clone());
    let event = world.emit("tenant.parked").await;
    loop {
        worker.drain().await.unwrap();
        let (_, Some(next)) = world.status_of(&event, &endpoint.id).await else { break };
        world.pass(next.since(world.now()) - Duration::from_millis(1));
        assert_eq!(worker.drain().await.unwrap(), 0, "nothing is tried too early");
        world.pass(Duration::from_millis(1));
    }
    let delays = [0, 5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400];
    let times = sender.times();
    assert_eq!(times.len(), delays.len());
    for (at, delay) in delays.iter().enumerate().skip(1) {
        let gap = times[at] - times[at - 1];
        assert!((*delay..=delay + delay / 10 + 1).contains(&gap), "{at}: {gap} for {delay}");
    }
    assert_eq!(world.status_of(&event, &endpoint.id).await.0, "exhausted");
    // What the alarm of R002-10.2-5 looks at.
    let (shown, line) = (world.metrics.text(), "webhook_deliveries_total{outcome=\"exhausted\"} 1");
    assert!(shown.contains(line), "{shown}");
    let attempts = world.messages.attempts(ACCOUNT, &event, &endpoint.id).await.unwrap();
    let numbers: Vec<i64> = attempts.iter().map(|attempt| attempt.attempt_number).collect();
    assert_eq!(numbers, (1..=10).collect::<Vec<_>>());
    assert_eq!(attempts[0].response_status, Some(500));
    assert_eq!(attempts[0].response_excerpt.as_deref(), Some("said so"));
}

/// 410 disables the endpoint, tells its owner through another channel and the trail, and stops.
#[tokio::test]
async fn an_endpoint_that_is_gone_is_disabled_and_its_owner_told() {
    let world = World::new().await;
    let endpoint = world.endpoint("https://hooks.example/", None).await;
    let worker = world.worker(Scripted::new(&world.clock, |_, _| status(410)));
    let event = world.emit("tenant.parked").await;
    worker.drain().await.unwrap();
    let found = world.endpoints.get(ACCOUNT, &endpoint.id).await.unwrap();
    assert!(!found.enabled);
    assert_eq!(found.disabled_reason.as_deref(), Some("it answered 410 Gone"));
    assert_eq!(world.status_of(&event, &endpoint.id).await, ("failed".to_owned(), None));
    assert_eq!(world.told.notices.lock().unwrap()[0].kind, NoticeKind::DisabledAsGone);
    assert_eq!(world.recorded().await, ["WEBHOOK_ENDPOINT_DISABLED"]);
    let events = world.messages.list(ACCOUNT, "", 10, None).await.unwrap();
    assert!(events.items.iter().any(|event| event.event_type == "webhook_endpoint.disabled"));
}

/// Answers that all come at one moment, to workers that share nothing but the store: each finds that
/// the owner must be told, and one tells.
async fn told_at_once(answer: u16) -> (World, usize) {
    const AT_ONCE: usize = 24;
    let poll = Duration::from_millis(10);
    let settings = Settings { failures_to_open: 1, poll, ..Settings::default() };
    let mut world = World::with(settings).await;
    world.told.together = 3;
    world.endpoint("https://hooks.example/", None).await;
    for _ in 0..AT_ONCE {
        world.emit("a.b").await;
    }
    let under_way = Arc::new(tokio::sync::Barrier::new(AT_ONCE + 1));
    let (stop, stopped) = watch::channel(false);
    let mut workers = tokio::task::JoinSet::new();
    for _ in 0..AT_ONCE / 4 {
        let worker = world.worker(AtOnce(Arc::clone(&under_way), answer));
        workers.spawn(worker.run(stopped.clone()));
    }
    under_way.wait().await;
    stop.send(true).unwrap();
    while workers.join_next().await.is_some() {}
    let prepared = *world.told.prepared.lock().unwrap();
    (world, prepared)
}

/// Answers when so many requests are under way.
struct AtOnce(Arc<tokio::sync::Barrier>, u16);

impl Sender for AtOnce {
    fn post(&self, _: Outgoing) -> Posting<'_> {
        Box::pin(async {
            self.0.wait().await;
            status(self.1)
        })
    }
}

/// The owner is told once, however many workers find out at one moment; and recorded once.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_owner_is_told_once_although_many_workers_find_out() {
    for (answer, kind, action) in [
        (500, NoticeKind::Failing, "WEBHOOK_ENDPOINT_FAILING"),
        (410, NoticeKind::DisabledAsGone, "WEBHOOK_ENDPOINT_DISABLED"),
    ] {
        let (world, prepared) = told_at_once(answer).await;
        let told: Vec<_> =
            world.told.notices.lock().unwrap().iter().map(|notice| notice.kind).collect();
        assert_eq!(told, [kind], "of {prepared} that were made ready");
        assert_eq!(world.recorded().await, [action]);
        assert!(prepared >= 3, "nobody was in anybody's way, so this proves nothing");
    }
}

/// Retry-After is honoured, and an overloaded endpoint is left alone with its other events too.
#[tokio::test]
async fn an_overloaded_endpoint_is_left_alone_for_as_long_as_it_asks() {
    let world = World::new().await;
    world.endpoint("https://hooks.example/", None).await;
    let sender = Scripted::new(&world.clock, |_, nth| match nth {
        1 => Ok(Reply { status: 429, retry_after: Some("600".to_owned()), body: Vec::new() }),
        _ => status(200),
    });
    let worker = world.worker(sender.clone());
    world.emit("a.b").await;
    worker.drain().await.unwrap();
    world.pass(10 * SECOND);
    world.emit("a.b").await;
    worker.drain().await.unwrap();
    assert_eq!(sender.times(), [0], "neither the first again nor the second");
    world.pass(589 * SECOND);
    worker.drain().await.unwrap();
    assert_eq!(sender.times(), [0]);
    world.pass(70 * SECOND);
    worker.drain().await.unwrap();
    assert_eq!(sender.times().len(), 3);
}

/// The breaker: opens after repeated failure and tells the owner once, lets one probe through, closes
/// by a success, and disables after days.
#[tokio::test]
async fn a_failing_endpoint_is_probed_and_after_days_disabled() {
    let disable_after = Duration::from_secs(2 * 86_400);
    let settings = Settings { endpoint_concurrency: 1, disable_after, ..Settings::default() };
    let world = World::with(settings).await;
    let endpoint = world.endpoint("https://hooks.example/", None).await;
    let sender = Scripted::new(&world.clock, |_, _| Err("no connection".to_owned()));
    let worker = world.worker(sender.clone());
    for _ in 0..8 {
        world.emit("a.b").await;
    }
    worker.drain().await.unwrap();
    let first = sender.received.lock().unwrap().len();
    assert_eq!(first, 5, "attempts until the circuit opened");
    assert_eq!(world.endpoints.health(ACCOUNT, &endpoint.id).await.unwrap().circuit, "open");
    let kinds = || -> Vec<_> {
        world.told.notices.lock().unwrap().iter().map(|notice| notice.kind).collect()
    };
    assert_eq!(kinds(), [NoticeKind::Failing]);
    world.pass(67 * SECOND);
    worker.drain().await.unwrap();
    assert_eq!(sender.received.lock().unwrap().len(), first + 1, "one probe");
    for _ in 0..60 {
        world.pass(world.settings.cooldown_max);
        worker.drain().await.unwrap();
        if !world.endpoints.get(ACCOUNT, &endpoint.id).await.unwrap().enabled {
            break;
        }
    }
    assert_eq!(kinds(), [NoticeKind::Failing, NoticeKind::DisabledAfterFailing]);
    let failing = world.now().since(Moment::from_millis(START));
    assert_eq!(failing.as_secs() / 86_400, 2);
    let enabled = world.endpoints.enable(ACCOUNT, &endpoint.id).await.unwrap();
    world.commit(enabled).await;
    assert_eq!(world.endpoints.health(ACCOUNT, &endpoint.id).await.unwrap().circuit, "closed");
}

/// A dead endpoint that takes its time does not hold up the others.
#[tokio::test]
async fn a_slow_endpoint_does_not_stand_in_the_way() {
    let world = World::with(Settings { concurrency: 8, ..Settings::default() }).await;
    world.endpoint("https://slow.example/", Some(&["slow.event"])).await;
    world.endpoint("https://fast.example/", Some(&["fast.event"])).await;
    let mut sender = Scripted::new(&world.clock, |_, _| status(200));
    sender.pause = Duration::from_millis(1);
    let slow = Slow(sender.clone());
    for _ in 0..300 {
        world.emit("slow.event").await;
    }
    world.pass(SECOND);
    world.emit("fast.event").await;
    let (stop, stopped) = watch::channel(false);
    let running = tokio::spawn(world.worker(slow).run(stopped));
    for _ in 0..1000 {
        let received = sender.received.lock().unwrap().len();
        if received > 0 {
            break;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    assert_eq!(sender.received.lock().unwrap()[0].1.url, "https://fast.example/");
    stop.send(true).unwrap();
    running.abort();
}

/// Never answers for one host.
struct Slow(Scripted);

impl webhooks::Sender for Slow {
    fn post(&self, outgoing: webhooks::Outgoing) -> webhooks::Posting<'_> {
        if outgoing.url.contains("slow") {
            return Box::pin(std::future::pending());
        }
        self.0.post(outgoing)
    }
}

/// A throttle spaces attempts, across workers.
#[tokio::test]
async fn a_throttle_spaces_attempts() {
    let world = World::new().await;
    let throttled = NewEndpoint { throttle_rate: Some(2), ..new("https://hooks.example/") };
    world.commit(world.endpoints.create(ACCOUNT, throttled).await.unwrap()).await;
    let sender = Scripted::new(&world.clock, |_, _| status(200));
    let workers = [world.worker(sender.clone()), world.worker(sender.clone())];
    for _ in 0..20 {
        world.emit("a.b").await;
    }
    let mut most = 0;
    for _ in 0..200 {
        let before = sender.received.lock().unwrap().len();
        let (one, two) = tokio::join!(workers[0].drain(), workers[1].drain());
        one.unwrap();
        two.unwrap();
        most = most.max(sender.received.lock().unwrap().len() - before);
        world.pass(Duration::from_millis(100));
    }
    assert_eq!((sender.received.lock().unwrap().len(), most), (20, 1));
    let received = sender.received.lock().unwrap();
    let took = received[19].0.since(received[0].0);
    assert!(took >= Duration::from_millis(19 * 500), "{took:?}");
}

/// A worker that dies in the middle of an attempt: nobody touches the delivery while its lease lasts,
/// then the attempt is made again. A worker that was only slow may not write any more.
#[tokio::test]
async fn a_killed_worker_leaves_its_delivery_to_the_next_one() {
    let world = World::new().await;
    let endpoint = world.endpoint("https://slow.example/", None).await;
    let event = world.emit("a.b").await;
    let stuck = Slow(Scripted::new(&world.clock, |_, _| status(200)));
    let (_stop, stopped) = watch::channel(false);
    let killed = tokio::spawn(world.worker(stuck).run(stopped));
    for _ in 0..1000 {
        tokio::time::sleep(Duration::from_millis(5)).await;
        let page = world.messages.deliveries(ACCOUNT, &endpoint.id, "", 10, None).await.unwrap();
        if page.items.first().is_some_and(|delivery| delivery.status == "delivering") {
            break;
        }
    }
    killed.abort();
    let _ = killed.await;
    let sender = Scripted::new(&world.clock, |_, _| status(200));
    let worker = world.worker(sender.clone());
    world.pass(world.settings.lease - Duration::from_millis(1));
    worker.drain().await.unwrap();
    assert!(sender.received.lock().unwrap().is_empty(), "the lease still holds");
    world.pass(Duration::from_millis(1));
    worker.drain().await.unwrap();
    assert_eq!(sender.received.lock().unwrap().len(), 1);
    assert_eq!(world.status_of(&event, &endpoint.id).await.0, "delivered");
}

/// The fence: what a worker finds out after its lease has passed to another is not written.
#[tokio::test]
async fn a_worker_without_the_lease_writes_nothing() {
    let world = World::new().await;
    let endpoint = world.endpoint("https://hooks.example/", None).await;
    let event = world.emit("a.b").await;
    let mut late = Scripted::new(&world.clock, |_, _| status(500));
    late.pause = Duration::from_millis(300);
    let slow = world.worker(late.clone());
    let running = tokio::spawn(async move { slow.drain().await });
    while late.received.lock().unwrap().is_empty() {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    world.pass(world.settings.lease);
    let quick = Scripted::new(&world.clock, |_, _| status(200));
    world.worker(quick.clone()).drain().await.unwrap();
    running.await.unwrap().unwrap();
    assert_eq!(quick.received.lock().unwrap().len(), 1);
    assert_eq!(world.status_of(&event, &endpoint.id).await, ("delivered".to_owned(), None));
    let attempts = world.messages.attempts(ACCOUNT, &event, &endpoint.id).await.unwrap();
    assert_eq!(attempts.len(), 1);
    assert_eq!(attempts[0].outcome, "success");
}

/// A stop is graceful: what is under way is finished.
#[tokio::test]
async fn a_stopped_worker_finishes_what_it_began() {
    let world = World::new().await;
    let endpoint = world.endpoint("https://hooks.example/", None).await;
    let event = world.emit("a.b").await;
    let mut sender = Scripted::new(&world.clock, |_, _| status(200));
    sender.pause = Duration::from_millis(200);
    let (stop, stopped) = watch::channel(false);
    let running = tokio::spawn(world.worker(sender.clone()).run(stopped));
    while sender.received.lock().unwrap().is_empty() {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    stop.send(true).unwrap();
    running.await.unwrap();
    assert_eq!(world.status_of(&event, &endpoint.id).await.0, "delivered");
}

/// Resend of one, test event, "missing since" without gaps, replay of a range.
#[tokio::test]
async fn what_an_endpoint_missed_is_found_and_sent_again() {
    let world = World::new().await;
    let endpoint = world.endpoint("https://hooks.example/", Some(&["tenant.*"])).await;
    let sender = Scripted::new(&world.clock, |_, _| status(200));
    let worker = world.worker(sender.clone());
    let got = world.emit("tenant.got").await;
    worker.drain().await.unwrap();
    world.pass(SECOND);
    let off = world.endpoints.disable(ACCOUNT, &endpoint.id, "a while").await.unwrap();
    world.commit(off).await;
    let since = world.now();
    let mut missed = Vec::new();
    for number in 0..250 {
        world.pass(Duration::from_millis(10));
        missed.push(world.emit("tenant.missed").await);
        if number % 10 == 0 {
            world.emit("other.unwanted").await;
        }
    }
    worker.drain().await.unwrap();
    world.commit(world.endpoints.enable(ACCOUNT, &endpoint.id).await.unwrap()).await;
    assert_eq!(found_missing(&world, &endpoint.id, since).await, missed);
    let everything = (Moment::from_millis(START), world.now());
    let mut replayed = Vec::new();
    let mut token = None;
    loop {
        let part = world.messages.replay(ACCOUNT, &endpoint.id, everything, true, token.as_deref());
        let part = world.commit(part.await.unwrap()).await;
        replayed.extend(part.event_ids);
        token = part.next;
        if token.is_none() {
            break;
        }
    }
    assert_eq!(replayed, missed);
    worker.drain().await.unwrap();
    assert_eq!(sender.received.lock().unwrap().len(), 251);
    assert!(found_missing(&world, &endpoint.id, since).await.is_empty());
    let resend = world.messages.resend(ACCOUNT, &got, &endpoint.id).await.unwrap();
    assert_eq!(resend.entry.action, "WEBHOOK_EVENT_RESENT");
    world.commit(resend).await;
    let test = world.messages.test(ACCOUNT, &endpoint.id).await.unwrap();
    let test = world.commit(test).await;
    worker.drain().await.unwrap();
    let received = sender.received.lock().unwrap().clone();
    let last = set(received[251..].iter().map(|(_, sent)| header(sent, "webhook-id")));
    assert_eq!(last, set([got, test]));
    let other = world.messages.get("acc-2", &last.first().unwrap().clone()).await;
    assert_eq!(other.err().unwrap().code().status, 404);
}

async fn found_missing(world: &World, endpoint: &str, since: Moment) -> Vec<String> {
    let (mut found, mut token) = (Vec::new(), None::<String>);
    loop {
        let page = world.messages.missing(ACCOUNT, endpoint, since, "me", token.as_deref());
        let page = page.await.unwrap();
        found.extend(page.items.into_iter().map(|missing| missing.event_id));
        token = page.next;
        if token.is_none() {
            return found;
        }
    }
}

/// Many workers on one store make each attempt once.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_workers_make_each_attempt_once() {
    let world = Arc::new(World::new().await);
    for number in 0..4 {
        world.endpoint(&format!("https://e{number}.example/"), None).await;
    }
    let sender = Scripted::new(&world.clock, |_, _| status(200));
    let mut events = Transaction::new();
    for _ in 0..50 {
        let event = changes::Event::new("a.b", ACCOUNT, serde_json::json!({}));
        for write in world.outbox.writes(&event, world.now()).unwrap() {
            events = events.with(write);
        }
    }
    world.store.commit(events).await.unwrap();
    let mut workers = tokio::task::JoinSet::new();
    for _ in 0..5 {
        let worker = world.worker(sender.clone());
        workers.spawn(async move { worker.drain().await.unwrap() });
    }
    while workers.join_next().await.is_some() {}
    let received = sender.received.lock().unwrap();
    let distinct =
        set(received.iter().map(|(_, sent)| format!("{}{}", header(sent, "webhook-id"), sent.url)));
    assert_eq!((received.len(), distinct.len()), (200, 200));
}

/// One bounded step, as a scheduled function calls it: no more attempts than it may make, and the rest
/// in the next one.
#[tokio::test]
async fn a_step_makes_no_more_attempts_than_it_may() {
    let world = World::new().await;
    world.endpoint("https://hooks.example/", None).await;
    let sender = Scripted::new(&world.clock, |_, _| status(200));
    let worker = world.worker(sender.clone());
    for _ in 0..25 {
        world.emit("a.b").await;
    }
    let bounds = workers::Bounds { tasks: 10, time: 60 * SECOND, grace: SECOND };
    for attempts in [10, 20, 25] {
        let progress = worker.step(&bounds).await.unwrap();
        assert_eq!(sender.received.lock().unwrap().len(), attempts, "{progress:?}");
    }
    assert!(!worker.step(&bounds).await.unwrap().has_more);
}
