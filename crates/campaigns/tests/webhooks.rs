//! The outbox under load: every event reaches every endpoint, none twice after a success,
//! attempts by the schedule, although workers are killed (R003-webhook-1, R003-webhook-2, C3-10).

use campaigns::webhooks::{WebhooksArguments, campaign};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_event_reaches_every_endpoint_although_workers_are_killed() {
    let arguments =
        WebhooksArguments { events: 130, endpoints: 20, workers: 3, kills: 12, seed: Some(5) };
    let findings = campaign(&arguments, 5).await.unwrap();
    println!("{findings}");
    assert!(findings.is_well(), "{findings}");
    assert!(findings.kills >= 10 && findings.attempts > findings.wanted, "{findings}");
    assert!(findings.cut_off >= 1 && findings.unrecorded >= findings.cut_off, "{findings}");
}

/// Where nobody is killed nothing is made again, and the owner gets the mail too.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_event_reaches_every_endpoint_and_the_owner_is_told_of_an_outage() {
    let arguments =
        WebhooksArguments { events: 130, endpoints: 4, workers: 3, kills: 0, seed: Some(6) };
    let findings = campaign(&arguments, 6).await.unwrap();
    println!("{findings}");
    assert!(findings.is_well(), "{findings}");
    let told = &findings.told;
    assert_eq!((told.messages, told.mails, told.recorded), (1, 1, 1), "{findings}");
    assert_eq!((findings.cut_off, findings.unrecorded), (0, 0), "{findings}");
}
