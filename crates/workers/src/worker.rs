//! A worker: looks through the lists of due tasks and runs what has room, in bounded steps or in a
//! loop.

use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use kernel::clock::Clock;
use kernel::error::Error;
use kernel::ids::Ids;
use kernel::moment::Moment;
use store::Pauses;
use tokio::sync::{Mutex, Notify, watch};
use tokio::task::JoinSet;

use crate::bounds::{Bounds, Progress};
use crate::lanes::{Admission, Lanes};
use crate::lease::Lease;
use crate::lists::{List, Lists, Position, lists};
use crate::round::Round;
use crate::work::Work;

/// Pages without anything that has room after which a look ends, until there is room again.
const IDLE_PAGES_MAX: usize = 2;

/// What can be set about a worker.
#[derive(Clone, Debug)]
pub struct Settings {
    /// How long a worker has a task. Without a heartbeat, longer than a run may take.
    pub lease: Duration,
    /// How often a lease is extended while its task is run; a third of the lease is usual.
    pub heartbeat: Option<Duration>,
    /// Tasks at one time.
    pub concurrency: usize,
    /// Tasks at one time in one lane.
    pub lane_concurrency: usize,
    /// How often a worker without news looks for due tasks.
    pub poll: Duration,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            lease: Duration::from_secs(2 * 60),
            heartbeat: Some(Duration::from_secs(40)),
            concurrency: 64,
            lane_concurrency: 4,
            poll: Duration::from_secs(1),
        }
    }
}

/// What a worker is made of, besides its work.
pub struct Parts {
    /// The kind of its tasks, in log lines.
    pub kind: &'static str,
    /// Its name in leases.
    pub name: String,
    /// Chance: where a look begins.
    pub ids: Ids,
    /// The time.
    pub clock: Arc<dyn Clock>,
    /// How to wait.
    pub pauses: Arc<dyn Pauses>,
    /// Is told, in this process, that there may be new tasks.
    pub news: Arc<Notify>,
    /// Settings.
    pub settings: Settings,
}

/// A worker. It does nothing by itself.
pub struct Worker<W: Work> {
    parts: Parts,
    work: Arc<W>,
    lanes: Lanes<W::Candidate>,
    /// Where the looks of steps go on.
    lists: Mutex<Option<Lists>>,
}

/// What a look through the lists did.
struct Look {
    fed: usize,
    /// Some due tasks were left for want of room.
    has_rest: bool,
}

/// What became of a candidate.
enum Start {
    /// It is run, or waits for its lane.
    Taken,
    /// This worker has it already.
    Known,
    /// There is no room for it.
    Left,
}

type Running = JoinSet<()>;

impl<W: Work> Worker<W> {
    /// A worker for this work.
    pub fn new(work: Arc<W>, parts: Parts) -> Arc<Worker<W>> {
        let lanes = Lanes::new(&parts.settings);
        Arc::new(Worker { parts, work, lanes, lists: Mutex::default() })
    }

    /// The work.
    pub fn work(&self) -> &W {
        &self.work
    }

    /// Does one bounded step: looks for due tasks, runs those that have room, and waits for them. A
    /// scheduled function calls this; what did not fit is found by the next call, here or elsewhere.
    pub async fn step(self: &Arc<Self>, bounds: &Bounds) -> Result<Progress, Error> {
        let round = Arc::new(Round::new(bounds.tasks));
        let mut running = Running::new();
        let mut time = self.pause(bounds.time);
        let look = {
            let mut lists = self.lists.lock().await;
            tokio::select! {
                look = self.look(&mut lists, &mut running, &round) => look,
                () = &mut time => {
                    round.stop();
                    Ok(Look { fed: 0, has_rest: true })
                }
            }
        };
        self.finish(running, time, &round, bounds.grace).await;
        let is_any_forgotten = self.lanes.forget_waiting() > 0;
        let look = look?;
        let has_more = look.fed > 0 || look.has_rest || is_any_forgotten;
        Ok(Progress { fed: look.fed, has_more, ..round.progress() })
    }

    /// Waits for tasks until they are told to stop, and then for as long as the grace.
    async fn finish(
        &self,
        mut running: Running,
        mut time: Pin<Box<dyn Future<Output = ()> + Send>>,
        round: &Round,
        grace: Duration,
    ) {
        while !running.is_empty() {
            let is_stopped = round.signal().is_set();
            if is_stopped {
                time = self.pause(grace);
            }
            let ending = async {
                while let Some(ended) = running.join_next().await {
                    // One that panicked has noted nothing.
                    round.note(|progress| progress.failed += usize::from(ended.is_err()));
                }
            };
            tokio::select! {
                () = ending => {}
                () = &mut time => match is_stopped {
                    false => round.stop(),
                    true => {
                        round.note(|progress| progress.dropped = running.len());
                        running.shutdown().await;
                    }
                },
            }
        }
    }

    /// Does everything that is due now, and what becomes due by it. Returns how much was started.
    pub async fn drain(self: &Arc<Self>) -> Result<usize, Error> {
        let round = Arc::new(Round::unbounded());
        let mut lists = None;
        let mut done = 0;
        loop {
            let mut running = Running::new();
            let look = self.look(&mut lists, &mut running, &round).await?;
            let started = look.fed + running.len();
            while running.join_next().await.is_some() {}
            if started == 0 {
                return Ok(done);
            }
            done += started;
        }
    }

    /// Works until it is told to stop, and then finishes what it has begun.
    pub async fn run(self: Arc<Self>, mut stop: watch::Receiver<bool>) {
        let round = Arc::new(Round::unbounded());
        let mut running = Running::new();
        let mut lists = None;
        while !*stop.borrow() {
            while running.try_join_next().is_some() {}
            let news = self.parts.news.notified();
            match self.look(&mut lists, &mut running, &round).await {
                // There may be more.
                Ok(look) if look.fed > 0 => continue,
                Ok(_) => {}
                Err(error) => {
                    tracing::warn!(kind = self.kind(), ?error, "due tasks could not be listed");
                }
            }
            tokio::select! {
                () = news => {}
                () = self.pause(self.parts.settings.poll) => {}
                () = self.lanes.room().notified() => {}
                changed = stop.changed() => if changed.is_err() { break },
            }
        }
        round.stop();
        self.lanes.forget_waiting();
        while running.join_next().await.is_some() {}
    }

    /// Starts what is due and has room. A look goes on where the one before stopped, so that what is
    /// behind a long queue is found as well, without looking through that queue each time.
    async fn look(
        self: &Arc<Self>,
        lists: &mut Option<Lists>,
        running: &mut Running,
        round: &Arc<Round>,
    ) -> Result<Look, Error> {
        let fed = self.work.feed().await?;
        let lists = match lists {
            Some(lists) => lists,
            none => none.insert(self.fresh_lists()?),
        };
        let mut look = Look { fed, has_rest: false };
        let mut idle_pages = 0;
        for _ in 0..lists.len() {
            let Some(list) = lists.front_mut() else { break };
            if !self.look_through(list, running, round, (&mut look, &mut idle_pages)).await? {
                look.has_rest = true;
                break;
            }
            lists.rotate_left(1);
        }
        Ok(look)
    }

    /// Starts the tasks of one list, to its end; false if there is no room for more, or too little
    /// was found that has room. Candidates whose lane has none are passed over, so that a slow lane
    /// does not stand in the way.
    async fn look_through(
        self: &Arc<Self>,
        list: &mut List,
        running: &mut Running,
        round: &Arc<Round>,
        (look, idle_pages): (&mut Look, &mut usize),
    ) -> Result<bool, Error> {
        let (now, mut token) = match list.position.take() {
            Some(position) => (position.now, Some(position.token)),
            None => (self.now(), None),
        };
        loop {
            if *idle_pages >= IDLE_PAGES_MAX || round.is_spent() || !self.lanes.has_room() {
                list.position = token.map(|token| Position { now, token });
                return Ok(false);
            }
            let page = self.work.due(list.number, now, token.as_deref()).await?;
            let (found, mut taken, mut is_full) = (page.items.len(), 0, false);
            for candidate in page.items {
                is_full |= !self.lanes.has_room() || round.is_spent();
                match self.start(candidate, running, round) {
                    Start::Taken => taken += 1,
                    Start::Known => {}
                    Start::Left => look.has_rest = true,
                }
            }
            if is_full {
                // The page is looked at again for those that found no room.
                list.position = token.map(|token| Position { now, token });
                return Ok(false);
            }
            *idle_pages += usize::from(found > 0 && taken == 0);
            token = page.next;
            if token.is_none() {
                return Ok(true);
            }
        }
    }

    /// Runs a candidate, or lets it wait for its lane.
    fn start(
        self: &Arc<Self>,
        candidate: W::Candidate,
        running: &mut Running,
        round: &Arc<Round>,
    ) -> Start {
        if !round.take() {
            return Start::Left;
        }
        let start = match self.lanes.admit(candidate) {
            Admission::Run(slot) => {
                let (worker, round) = (Arc::clone(self), Arc::clone(round));
                running.spawn(async move { worker.use_slot(*slot, &round).await });
                return Start::Taken;
            }
            Admission::Wait => Start::Taken,
            Admission::Duplicate => Start::Known,
            Admission::Full => Start::Left,
        };
        round.give_back();
        start
    }

    /// Every list, beginning with any: workers that all begin with the same one claim the same tasks.
    fn fresh_lists(&self) -> Result<Lists, Error> {
        let first = u16::from_le_bytes(self.parts.ids.bytes()?);
        Ok(lists(self.work.lists(), usize::from(first)))
    }

    /// The lease that a claim or a heartbeat asks for now.
    pub(crate) fn lease(&self) -> Lease {
        let now = self.now();
        let until = now.after(self.parts.settings.lease);
        Lease { owner: self.parts.name.clone(), now, until }
    }

    pub(crate) fn now(&self) -> Moment {
        Moment::from_millis(self.parts.clock.now_millis())
    }

    pub(crate) fn pause(&self, duration: Duration) -> Pin<Box<dyn Future<Output = ()> + Send>> {
        self.parts.pauses.pause(duration)
    }

    pub(crate) fn settings(&self) -> &Settings {
        &self.parts.settings
    }

    pub(crate) fn kind(&self) -> &'static str {
        self.parts.kind
    }
}
