//! What a step is bound by.

use std::future::pending;
use std::time::Duration;

use kernel::Error;
use workers::{Bounds, Progress, Settings};

use crate::world::{LEASE_TIME, MILLISECOND, Notes, WIDE, World};

const MINUTE: Duration = Duration::from_secs(60);

/// A step starts no more tasks than it may, and says that there is more.
#[tokio::test]
async fn a_step_starts_no_more_tasks_than_its_bounds_say() {
    let world = World::new().await;
    for number in 0..25 {
        world.add(&format!("task-{number}"), &format!("lane-{}", number % 2)).await;
    }
    let notes = Notes::default();
    let noted = notes.clone();
    let worker = world.worker(move |task, _| {
        noted.add(task.task_id.as_str());
        async { Ok(()) }
    });
    let bounds = Bounds { tasks: 10, ..WIDE };
    for (settled, has_more) in [(10, true), (10, true), (5, false), (0, false)] {
        let progress = worker.step(&bounds).await.unwrap();
        assert_eq!(progress, Progress { settled, has_more, ..Progress::default() });
    }
    let mut started = notes.all();
    started.sort();
    started.dedup();
    assert_eq!((notes.all().len(), started.len()), (25, 25));
}

/// When its time is up a step starts nothing more, tells what runs, waits for that as long as the
/// grace, and drops the rest, whose lease then ends.
#[tokio::test]
async fn a_step_ends_in_time_whatever_its_tasks_do() {
    let mut world = World::new().await;
    world.settings = Settings { lane_concurrency: 1, ..world.settings.clone() };
    world.add("deaf", "deaf").await;
    for number in 0..3 {
        world.add(&format!("obeys-{number}"), "obeys").await;
    }
    let notes = Notes::default();
    let noted = notes.clone();
    let worker = world.worker(move |task, stop| {
        noted.add(task.lane.as_str());
        let is_deaf = task.lane == "deaf";
        async move {
            stop.wait().await;
            assert!(stop.is_set());
            if is_deaf { pending().await } else { Ok(()) }
        }
    });
    let bounds = Bounds { tasks: 10, time: MINUTE, grace: MINUTE };
    let step = tokio::spawn(async move { worker.step(&bounds).await });
    while notes.all().len() < 2 {
        tokio::task::yield_now().await;
    }
    world.pass(MINUTE - MILLISECOND).await;
    assert!(!step.is_finished(), "the time");
    world.pass(MILLISECOND).await;
    world.pass(MINUTE - MILLISECOND).await;
    assert!(!step.is_finished(), "the grace");
    world.pass(MILLISECOND).await;
    let progress = step.await.unwrap().unwrap();
    let expected = Progress { settled: 1, dropped: 1, has_more: true, ..Progress::default() };
    assert_eq!((progress, notes.all().len()), (expected, 2));
}

/// Bounds of nothing are kept too.
#[tokio::test]
async fn a_step_that_may_start_nothing_starts_nothing() {
    let world = World::new().await;
    world.add("a", "lane").await;
    let worker = world.worker(|_, _| async { Ok(()) });
    let bounds = Bounds { tasks: 0, ..WIDE };
    let progress = worker.step(&bounds).await.unwrap();
    assert_eq!(progress, Progress { has_more: true, ..Progress::default() });
    assert_eq!(world.task("a").await.fence, 0);
}

/// Neither an error nor a panic hangs a step or loses a task: it is due again when its lease has ended.
#[tokio::test]
async fn a_task_that_failed_is_due_when_its_lease_has_ended() {
    let world = World::new().await;
    world.add("error", "lane").await;
    world.add("panic", "lane").await;
    let worker = world.worker(|task, _| {
        let (id, claims) = (task.task_id.clone(), task.fence);
        async move {
            match id.as_str() {
                _ if claims > 1 => Ok(()),
                "panic" => panic!("on purpose"),
                _ => Err(Error::internal("on purpose")),
            }
        }
    });
    let progress = worker.step(&WIDE).await.unwrap();
    assert_eq!(progress, Progress { failed: 2, ..Progress::default() });
    assert_eq!(worker.step(&WIDE).await.unwrap(), Progress::default());
    world.pass(LEASE_TIME).await;
    assert_eq!(worker.step(&WIDE).await.unwrap().settled, 2);
}

/// A lane that is full is passed over, and the step says that there is more.
#[tokio::test]
async fn a_full_lane_leaves_the_rest_to_the_next_step() {
    let mut world = World::new().await;
    world.settings = Settings { lane_concurrency: 1, ..world.settings.clone() };
    for number in 0..10 {
        world.add(&format!("slow-{number}"), "slow").await;
    }
    world.add("fast", "fast").await;
    let worker = world.worker(|_, _| async { Ok(()) });
    let first = worker.step(&WIDE).await.unwrap();
    assert!(first.has_more && first.settled < 11, "{first:?}");
    assert_eq!(world.task("fast").await.effects, 1);
    let mut settled = first.settled;
    for _ in 0..10 {
        settled += worker.step(&WIDE).await.unwrap().settled;
    }
    assert_eq!(settled, 11);
}
