//! That every job is run and answered, by whom, and how long a group waits for more.

use std::sync::mpsc::{self, Receiver, Sender};
use std::thread::ThreadId;

use super::*;
use crate::clock::SystemClock;
use crate::options::Points;
use crate::storage::memory::MemoryStorage;

const LONGEST: Duration = Duration::from_secs(20);

fn executor() -> Executor {
    let catalog = Arc::new(Catalog::default());
    let start = Start {
        storage: Arc::new(MemoryStorage::default()),
        clock: Arc::new(SystemClock),
        catalog: Arc::clone(&catalog),
        head: LogHead::GENESIS,
        verified: 0,
        marked: 0,
    };
    Executor::new(start, Arc::new(Shared::new(catalog, Points::default())))
}

/// Writes nothing. Tells which thread ran it, and that it was answered.
fn job(ran: &Sender<ThreadId>, answered: &Sender<()>) -> Job {
    let (ran, answered) = (ran.clone(), answered.clone());
    Box::new(move |_| {
        ran.send(std::thread::current().id()).unwrap();
        (true, Box::new(move |_| answered.send(()).unwrap()))
    })
}

fn answer(group: Group) {
    group.completions.into_iter().for_each(|completion| completion(Ok(())));
}

fn count<T>(received: &Receiver<T>, expected: usize) -> Vec<T> {
    (0..expected).map(|_| received.recv_timeout(LONGEST).unwrap()).collect()
}

/// A caller who finds many jobs of others does its share and goes on; the committer, which sleeps, is
/// woken for the rest.
#[test]
fn what_a_caller_leaves_is_run_by_the_committer() {
    const OTHERS: usize = JOBS_OF_ONE_CALLER_MAX * 3;
    let executor = executor();
    let ((ran, runs), (answered, answers)) = (mpsc::channel(), mpsc::channel());
    let (is_begun, begun) = mpsc::channel();
    let (may_end, end) = mpsc::channel::<()>();
    std::thread::scope(|scope| {
        let committer = scope.spawn(|| {
            while let Some(group) = executor.next_group() {
                answer(group);
            }
        });
        let first = scope.spawn(|| {
            let (ran, answered) = (ran.clone(), answered.clone());
            assert!(executor.submit(Box::new(move |_| {
                is_begun.send(()).unwrap();
                end.recv_timeout(LONGEST).unwrap();
                ran.send(std::thread::current().id()).unwrap();
                (true, Box::new(move |_| answered.send(()).unwrap()))
            })));
            std::thread::current().id()
        });
        begun.recv_timeout(LONGEST).unwrap();
        for _ in 0..OTHERS {
            assert!(executor.submit(job(&ran, &answered)), "nobody waits for who runs jobs");
        }
        may_end.send(()).unwrap();
        let first = first.join().unwrap();
        let by = count(&runs, OTHERS + 1);
        count(&answers, OTHERS + 1);
        let by_first = by.iter().filter(|thread| **thread == first).count();
        assert!((1..=JOBS_OF_ONE_CALLER_MAX).contains(&by_first), "{by_first} by one caller");
        assert!(by.contains(&committer.thread().id()));
        executor.stop();
    });
    assert!(!executor.submit(job(&ran, &answered)), "it has stopped");
}

/// What was taken before the end is given to the committer; then there is nothing more.
#[test]
fn stopping_gives_away_what_is_there() {
    let executor = executor();
    let ((ran, _runs), (answered, answers)) = (mpsc::channel(), mpsc::channel());
    for _ in 0..3 {
        assert!(executor.submit(job(&ran, &answered)));
    }
    executor.stop();
    executor.next_group().map(answer).unwrap();
    count(&answers, 3);
    assert!(executor.next_group().is_none());
}

/// A group that has fewer jobs than the one before waits for the others only while they keep coming.
#[test]
fn a_small_group_waits_for_others_on_their_way() {
    let executor = executor();
    let mut turn = executor.turn();
    let spaced = |turn: &mut Turn, jobs: usize, one: Duration| {
        turn.previous_at = Instant::now() - one * u32::try_from(jobs).unwrap();
        turn.state.group.completions.extend((0..jobs).map(|_| Box::new(|_| {}) as Completion));
        turn.take_group();
    };
    spaced(&mut turn, 16, Duration::from_micros(100));
    let gather = turn.gathers_for(3).unwrap();
    assert!((200..300).contains(&gather.as_micros()), "twice what one took: {gather:?}");
    assert_eq!(turn.gathers_for(16), None, "as many as before are enough");
    spaced(&mut turn, 16, Duration::from_micros(1));
    assert!(turn.gathers_for(3).unwrap() >= GATHER_MIN);
    spaced(&mut turn, 16, Duration::from_millis(5));
    assert_eq!(turn.gathers_for(3), None, "nobody is on the way");
}

/// After one large group, jobs that come one by one are not collected until there are as many again.
#[test]
fn a_group_waits_no_longer_than_a_commit_takes() {
    let executor = executor();
    {
        let mut turn = executor.turn();
        turn.previous_jobs = 1_000_000;
        turn.previous_at = Instant::now();
        turn.gather = Some(Duration::from_millis(400));
    }
    let is_done = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !is_done.load(std::sync::atomic::Ordering::Relaxed) {
                assert!(executor.submit(Box::new(|_| (true, Box::new(|_| {})))));
                std::thread::sleep(Duration::from_micros(20));
            }
        });
        let started = Instant::now();
        let group = executor.next_group().unwrap();
        is_done.store(true, std::sync::atomic::Ordering::Relaxed);
        assert!(!group.completions.is_empty());
        assert!(started.elapsed() < LONGEST / 4, "{:?}", started.elapsed());
    });
}
