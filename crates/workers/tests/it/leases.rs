//! Claims, heartbeats and fences.

use std::future::pending;
use std::sync::Arc;

use kernel::Error;
use store::Changes;
use tokio::sync::{Notify, watch};
use workers::{Progress, Settings};

use crate::world::{LEASE_TIME, MILLISECOND, Notes, WIDE, World};

/// A worker that is killed in the middle of a task: the task is left alone while its lease lasts, and
/// goes on elsewhere the moment it ends.
#[tokio::test]
async fn a_killed_workers_task_goes_on_elsewhere_within_one_lease() {
    let world = World::new().await;
    world.add("a", "lane").await;
    let (_stop, stopped) = watch::channel(false);
    let killed = tokio::spawn(world.worker(|_, _| pending()).run(stopped));
    world.wait_until_running("a").await;
    killed.abort();
    let _aborted = killed.await;
    let other = world.worker(|_, _| async { Ok(()) });
    world.pass(LEASE_TIME - MILLISECOND).await;
    assert_eq!(other.step(&WIDE).await.unwrap(), Progress::default(), "the lease still holds");
    world.pass(MILLISECOND).await;
    assert_eq!(other.step(&WIDE).await.unwrap().settled, 1);
    let task = world.task("a").await;
    assert_eq!((task.status.as_str(), task.effects, task.fence), ("done", 1, 2));
    assert_eq!((task.lease_owner, task.lease_expires_at, task.due_at), (None, None, None));
}

/// A worker that was only slow: its task passes to another, which ends it; what the slow one found out
/// is not written.
#[tokio::test]
async fn a_worker_that_was_too_slow_writes_nothing() {
    let world = World::new().await;
    world.add("a", "lane").await;
    let go_on = Arc::new(Notify::new());
    let gate = Arc::clone(&go_on);
    let slow = world.worker(move |_, _| {
        let gate = Arc::clone(&gate);
        async move {
            gate.notified().await;
            Ok(())
        }
    });
    let step = tokio::spawn(async move { slow.step(&WIDE).await });
    world.wait_until_running("a").await;
    world.pass(LEASE_TIME).await;
    let quick = world.worker(|_, _| async { Ok(()) });
    assert_eq!(quick.step(&WIDE).await.unwrap().settled, 1);
    go_on.notify_one();
    let progress = step.await.unwrap().unwrap();
    assert_eq!((progress.settled, progress.lost), (0, 1));
    assert_eq!(world.task("a").await.effects, 1);
}

fn with_heartbeat(world: &mut World) {
    let heartbeat = Some(LEASE_TIME / 3);
    world.settings = Settings { heartbeat, ..world.settings.clone() };
}

/// A task that takes ten leases is run once, because its worker gives signs of life.
#[tokio::test]
async fn a_heartbeat_keeps_a_long_task() {
    let mut world = World::new().await;
    with_heartbeat(&mut world);
    world.add("a", "lane").await;
    let go_on = Arc::new(Notify::new());
    let gate = Arc::clone(&go_on);
    let long = world.worker(move |_, _| {
        let gate = Arc::clone(&gate);
        async move {
            gate.notified().await;
            Ok(())
        }
    });
    let step = tokio::spawn(async move { long.step(&WIDE).await });
    world.wait_until_running("a").await;
    let other = world.worker(|_, _| async { Ok(()) });
    for _ in 0..30 {
        world.pass(LEASE_TIME / 3).await;
        assert_eq!(other.step(&WIDE).await.unwrap(), Progress::default());
    }
    go_on.notify_one();
    assert_eq!(step.await.unwrap().unwrap().settled, 1);
    let task = world.task("a").await;
    assert_eq!((task.status.as_str(), task.fence, task.effects), ("done", 1, 1));
}

/// A task that is cancelled ends with the next heartbeat, wherever it is in its run.
#[tokio::test]
async fn a_cancelled_task_is_dropped_with_the_next_heartbeat() {
    let mut world = World::new().await;
    with_heartbeat(&mut world);
    world.add("a", "lane").await;
    let worker = world.worker(|_, _| pending());
    let step = tokio::spawn(async move { worker.step(&WIDE).await });
    world.wait_until_running("a").await;
    let access = world.table.access("cancel-task").unwrap().with("task_id", "a").unwrap();
    let changes = Changes::new().set("status", "cancelled").remove("due_at");
    access.update(changes).unwrap().run().await.unwrap();
    world.pass(LEASE_TIME / 3).await;
    let progress = step.await.unwrap().unwrap();
    assert_eq!((progress.lost, progress.settled), (1, 0));
    let task = world.task("a").await;
    assert_eq!((task.status.as_str(), task.due_at, task.effects), ("cancelled", None, 0));
}

/// An extension that is under way when a run ends is waited for: if it arrived after the settlement,
/// it would put the task back on the due index.
#[tokio::test]
async fn no_extension_is_under_way_when_a_task_is_settled() {
    let mut world = World::new().await;
    with_heartbeat(&mut world);
    world.add("a", "lane").await;
    let (notes, end_run, end_extension) = (Notes::default(), gate(), gate());
    let (run, extension, noted) = (Arc::clone(&end_run), Arc::clone(&end_extension), notes.clone());
    let worker = world.worker_with(
        move |_, _| {
            let run = Arc::clone(&run);
            async move {
                run.notified().await;
                Ok(())
            }
        },
        move |name| {
            let (name, extension, noted) = (name.to_owned(), Arc::clone(&extension), noted.clone());
            async move {
                noted.add(name.as_str());
                if name == "extend" {
                    extension.notified().await;
                    noted.add("extended");
                }
                Ok(())
            }
        },
    );
    let step = tokio::spawn(async move { worker.step(&WIDE).await });
    world.wait_until_running("a").await;
    world.pass(LEASE_TIME / 3).await;
    end_run.notify_one();
    world.pass(MILLISECOND).await;
    assert_eq!(notes.all(), ["extend"]);
    end_extension.notify_one();
    assert_eq!(step.await.unwrap().unwrap().settled, 1);
    assert_eq!(notes.all(), ["extend", "extended", "settle"]);
    assert_eq!(world.task("a").await.due_at, None);
}

fn gate() -> Arc<Notify> {
    Arc::default()
}

/// A worker that cannot reach the store while it runs a task gives the run up when its lease has ended:
/// another has it then.
#[tokio::test]
async fn a_run_ends_with_its_lease_if_no_heartbeat_gets_through() {
    let mut world = World::new().await;
    with_heartbeat(&mut world);
    world.add("a", "lane").await;
    let away = |_: &str| async { Err(Error::unavailable("the store is away")) };
    let worker = world.worker_with(|_, _| pending(), away);
    let step = tokio::spawn(async move { worker.step(&WIDE).await });
    world.wait_until_running("a").await;
    for _ in 0..2 {
        world.pass(LEASE_TIME / 3).await;
        assert!(!step.is_finished());
    }
    world.pass(LEASE_TIME / 3).await;
    assert_eq!(step.await.unwrap().unwrap().lost, 1);
}
