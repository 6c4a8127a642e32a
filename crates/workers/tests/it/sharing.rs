//! Many workers on one table.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;
use tokio::task::JoinSet;

use crate::world::{LEASE_TIME, WIDE, World};

const TASKS: usize = 120;

async fn filled() -> World {
    let world = World::new().await;
    for number in 0..TASKS {
        world.add(&format!("task-{number}"), &format!("lane-{}", number % 7)).await;
    }
    world
}

/// Workers that are killed all the time: every task is done, and none twice to its end.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_task_is_done_once_although_workers_are_killed() {
    let world = filled().await;
    let take_a_moment = |_: &crate::world::Task, _| async {
        tokio::time::sleep(Duration::from_millis(3)).await;
        Ok(())
    };
    for _ in 0..12 {
        let (_stop, stopped) = watch::channel(false);
        let mut running = JoinSet::new();
        for _ in 0..3 {
            running.spawn(world.worker(take_a_moment).run(stopped.clone()));
        }
        tokio::time::sleep(Duration::from_millis(4)).await;
        running.shutdown().await;
        world.pass(LEASE_TIME / 2).await;
    }
    world.pass(LEASE_TIME).await;
    world.worker(take_a_moment).drain().await.unwrap();
    let mut claims = 0;
    for number in 0..TASKS {
        let task = world.task(&format!("task-{number}")).await;
        assert_eq!((task.status.as_str(), task.effects), ("done", 1), "{task:?}");
        claims += task.fence;
    }
    assert!(claims > i64::try_from(TASKS).unwrap(), "no worker was killed in the middle of a task");
}

/// Workers side by side claim each task once.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn workers_side_by_side_share_the_tasks() {
    let world = Arc::new(filled().await);
    let mut running = JoinSet::new();
    for _ in 0..5 {
        let world = Arc::clone(&world);
        running.spawn(async move {
            let worker = world.worker(|_, _| async { Ok(()) });
            let mut settled = 0;
            loop {
                let progress = worker.step(&WIDE).await.unwrap();
                settled += progress.settled;
                if !progress.has_more {
                    return settled;
                }
            }
        });
    }
    let settled: usize = running.join_all().await.into_iter().sum();
    assert_eq!(settled, TASKS);
}

/// A stop lets what runs end, and starts nothing more.
#[tokio::test]
async fn a_stopped_worker_finishes_what_it_began() {
    let world = World::new().await;
    world.add("a", "lane").await;
    let worker = world.worker(|_, stop| async move {
        stop.wait().await;
        Ok(())
    });
    let (stop, stopped) = watch::channel(false);
    let running = tokio::spawn(worker.run(stopped));
    world.wait_until_running("a").await;
    world.add("b", "lane").await;
    stop.send(true).unwrap();
    running.await.unwrap();
    assert_eq!((world.task("a").await.effects, world.task("b").await.fence), (1, 0));
}
