//! Runs jobs one after another, each on the thread of somebody who waits for one.
//!
//! Whoever brings a job puts it into a queue. If nobody is running jobs, it runs all that are there;
//! if somebody is, that one runs this job too, and nobody waits for a lock. A thread of its own for the
//! jobs would have to be woken for nearly every one of them, and would read from another core's cache
//! what the caller has just made.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use bytes::Bytes;

use super::committer::Shared;
use super::group::{Group, PendingWrites};
use super::transaction::Buffers;
use super::{Completion, Job, Transaction};
use crate::Error;
use crate::catalog::Catalog;
use crate::clock::Clock;
use crate::counters::Counters;
use crate::keys::{self, TableNumber};
use crate::log::LogHead;
use crate::mark::{self, Mark};
use crate::storage::{Snapshot, Space, Storage, StorageError};
use crate::stored;

/// A group that writes this many keys waits for no more jobs.
const GROUP_KEYS_MAX: usize = 1024;

/// So many jobs are run by one caller at most, before it goes back to its own affairs. What is left is
/// run by the next one, or by the committer.
const JOBS_OF_ONE_CALLER_MAX: usize = 64;

/// After this many commits the known point of the chain moves up, so that opening after a crash
/// checks a bounded part of the log.
const VERIFIED_POINT_COMMITS: u64 = 10_000;

/// A group that has fewer jobs than the one before waits for more while they keep coming, one within
/// twice the time that one took lately: one sync for all of them beats two. It waits for a next one no
/// shorter than this, which is little beside a sync,
const GATHER_MIN: Duration = Duration::from_micros(60);
/// and not at all where that would be longer than this: then nobody is on the way.
const GATHER_MAX: Duration = Duration::from_micros(400);
/// All in all it waits no longer than the commit before it took, nor than this.
const GATHER_TOTAL_MAX: Duration = Duration::from_millis(2);

/// What the executor starts from.
pub struct Start {
    /// The storage.
    pub storage: Arc<dyn Storage>,
    /// Where the time comes from.
    pub clock: Arc<dyn Clock>,
    /// The tables.
    pub catalog: Arc<Catalog>,
    /// Where the log ends.
    pub head: LogHead,
    /// The last commit that is noted as a known point of the chain.
    pub verified: u64,
    /// The last commit that left its mark in the journals.
    pub marked: u64,
}

/// The group that is being filled.
#[derive(Default)]
pub(super) struct OpenGroup {
    pub(super) writes: PendingWrites,
    pub(super) completions: Vec<Completion>,
    pub(super) catalog: Option<Arc<Catalog>>,
    /// The tables whose counters it changes. They are written once for all its jobs.
    counted: BTreeSet<TableNumber>,
}

/// What jobs work on: everything up to and including the jobs already run.
pub struct State {
    /// Nothing once the database is closed, so that its folder can be opened again.
    storage: Option<Arc<dyn Storage>>,
    /// The storage as it is while a job runs: whoever asks for it anew writes to a count that all
    /// readers share.
    view: Option<Arc<dyn Snapshot>>,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) catalog: Arc<Catalog>,
    pub(super) head: LogHead,
    pub(super) group: OpenGroup,
    /// The group the committer has; readable until it is durable and so in the storage.
    in_flight: Option<Arc<PendingWrites>>,
    counters: BTreeMap<TableNumber, Counters>,
    /// For the next transaction to fill.
    pub(super) buffers: Buffers,
    verified_at: u64,
    /// The last commit of the groups the committer was given: what the next mark goes on from.
    marked: u64,
}

impl State {
    pub(super) fn get(&self, space: Space, key: &Bytes) -> Result<Option<Bytes>, StorageError> {
        if let Some(pending) = self.group.writes.get(space, key) {
            return Ok(pending);
        }
        if let Some(pending) = self.in_flight.as_ref().and_then(|writes| writes.get(space, key)) {
            return Ok(pending);
        }
        self.view.as_ref().ok_or(StorageError::Stopped)?.get(space, key)
    }

    pub(super) fn counters(&self, table: TableNumber) -> Result<Counters, StorageError> {
        if let Some(counters) = self.counters.get(&table) {
            return Ok(counters.clone());
        }
        let stored = self.get(Space::Meta, &counters_key(table))?;
        match stored {
            None => Ok(Counters::default()),
            Some(bytes) => stored::record(&bytes).map_err(|_| {
                StorageError::Damaged(format!("the counters of table {table} cannot be read"))
            }),
        }
    }

    pub(super) fn set_counters(&mut self, table: TableNumber, counters: Counters) {
        self.group.counted.insert(table);
        self.counters.insert(table, counters);
    }

    /// Writes the counters that the group's jobs left, of the tables that none of them deleted.
    fn write_counters(&mut self) {
        for table in std::mem::take(&mut self.group.counted) {
            if let Some(counters) = self.counters.get(&table)
                && self.catalog.table_by_number(table).is_some()
            {
                let bytes = stored::encode_record(counters);
                self.group.writes.set(Space::Meta, counters_key(table), Some(bytes));
            }
        }
    }

    /// Runs a job, and takes over what it staged if it stands. What could not be read is given too.
    fn run(&mut self, job: Job) -> (Option<StorageError>, Completion) {
        // The newest view will do, whether or not it holds what is in flight: that is asked first.
        self.view = self.storage.as_ref().map(|storage| storage.snapshot());
        let mut transaction = Transaction::new(self);
        let (stands, completion) = job(&mut transaction);
        let failure = transaction.take_failure();
        if stands && failure.is_none() {
            transaction.accept();
        }
        self.view = None;
        (failure, completion)
    }

    pub(super) fn append_to_log(&mut self, changes: &[u8]) {
        let (head, record) = self.head.append(self.clock.now_millis(), changes);
        self.group.writes.set(Space::Log, keys::log_record(head.sequence), Some(record));
        self.head = head;
    }

    /// Leaves a mark of the group in each space.
    fn mark_group(&mut self) {
        let mark = Mark { before: self.marked, sequence: self.head.sequence }.encode();
        self.marked = self.head.sequence;
        for space in mark::SPACES {
            let key = Bytes::from_static(mark::KEY);
            self.group.writes.set(space, key, Some(mark.clone()));
        }
    }

    /// Moves the known point of the chain up to here.
    fn note_verified_point(&mut self) {
        self.verified_at = self.head.sequence;
        let point = self.head.encode();
        self.group.writes.set(Space::Meta, keys::meta(b'l', &[]), Some(point));
    }
}

fn counters_key(table: TableNumber) -> Bytes {
    keys::meta(b'c', &[&table.to_be_bytes()])
}

/// Jobs that were brought and not run yet.
#[derive(Default)]
struct Waiting {
    jobs: VecDeque<Job>,
    /// Somebody runs jobs, and looks here again before it stops.
    is_being_run: bool,
    is_closed: bool,
}

/// What jobs and the committer take turns at.
struct Turn {
    state: State,
    /// The jobs of the group before this one.
    previous_jobs: usize,
    /// When that was taken.
    previous_at: Instant,
    /// How long the next job may be waited for.
    gather: Option<Duration>,
    /// How many jobs there must be for the committer to be woken, if it sleeps.
    wakes_at: Option<usize>,
    is_stopping: bool,
}

/// Runs jobs, and hands groups of what they wrote to the committer.
pub struct Executor {
    waiting: Mutex<Waiting>,
    /// Held by whoever runs jobs, for as long as it does.
    turn: Mutex<Turn>,
    /// There is a group for the committer.
    filled: Condvar,
    shared: Arc<Shared>,
}

impl Executor {
    /// Goes on from where a database was opened.
    pub fn new(start: Start, shared: Arc<Shared>) -> Executor {
        let state = State {
            verified_at: start.verified,
            marked: start.marked,
            storage: Some(start.storage),
            view: None,
            clock: start.clock,
            catalog: start.catalog,
            head: start.head,
            group: OpenGroup::default(),
            in_flight: None,
            counters: BTreeMap::new(),
            buffers: Buffers::default(),
        };
        let turn = Turn {
            state,
            previous_jobs: 0,
            previous_at: Instant::now(),
            gather: None,
            wakes_at: None,
            is_stopping: false,
        };
        let (waiting, filled) = (Mutex::default(), Condvar::new());
        Executor { waiting, turn: Mutex::new(turn), filled, shared }
    }

    /// Has a job run, here or by whoever is running others; false if there shall be no more.
    pub fn submit(&self, job: Job) -> bool {
        {
            let mut waiting = self.waiting();
            if waiting.is_closed {
                return false;
            }
            waiting.jobs.push_back(job);
            if waiting.is_being_run {
                return true;
            }
            waiting.is_being_run = true;
        }
        let mut turn = self.turn();
        let is_left = self.run_waiting(&mut turn, JOBS_OF_ONE_CALLER_MAX);
        let jobs = turn.state.group.completions.len();
        let wakes = turn.wakes_at.take_if(|wakes_at| is_left || jobs >= *wakes_at);
        drop(turn);
        if wakes.is_some() {
            self.filled.notify_one();
        }
        true
    }

    /// Takes no more jobs. The committer ends once everything that was taken is durable.
    pub fn stop(&self) {
        self.waiting().is_closed = true;
        let mut turn = self.turn();
        self.run_waiting(&mut turn, usize::MAX);
        turn.state.note_verified_point();
        turn.state.group.completions.push(Box::new(|_| {}));
        turn.is_stopping = true;
        turn.wakes_at = None;
        drop(turn);
        self.filled.notify_one();
    }

    /// For the committer, which has made durable what it was given last: waits for the next group.
    /// Nothing once everything is durable and there shall be no more.
    pub fn next_group(&self) -> Option<Group> {
        let mut turn = self.turn();
        turn.state.in_flight = None;
        let committed_at = Instant::now();
        let commit_took = committed_at - turn.previous_at;
        let gathers_until = committed_at + commit_took.min(GATHER_TOTAL_MAX);
        loop {
            let is_left = self.run_waiting(&mut turn, JOBS_OF_ONE_CALLER_MAX);
            let jobs = turn.state.group.completions.len();
            if is_left && (jobs == 0 || !turn.is_full()) {
                continue;
            }
            if jobs == 0 {
                if turn.is_stopping {
                    return None;
                }
                turn = self.sleep(turn, 1, None);
                continue;
            }
            let left = gathers_until.saturating_duration_since(Instant::now());
            if let Some(longest) = turn.gathers_for(jobs).filter(|_| !left.is_zero()) {
                let enough = turn.previous_jobs;
                turn = self.sleep(turn, enough, Some(longest.min(left)));
                if turn.state.group.completions.len() > jobs {
                    continue;
                }
            }
            return Some(turn.take_group());
        }
    }

    /// Waits until the group has so many jobs, or for so long.
    fn sleep<'t>(
        &self,
        mut turn: MutexGuard<'t, Turn>,
        jobs: usize,
        longest: Option<Duration>,
    ) -> MutexGuard<'t, Turn> {
        turn.wakes_at = Some(jobs);
        let mut turn = match longest {
            None => self.filled.wait(turn).unwrap_or_else(PoisonError::into_inner),
            Some(longest) => {
                let woken = self.filled.wait_timeout(turn, longest);
                woken.unwrap_or_else(PoisonError::into_inner).0
            }
        };
        turn.wakes_at = None;
        turn
    }

    /// The committer has ended. What it was not given is dropped, which tells the callers.
    pub fn end(&self) {
        let waiting = std::mem::replace(
            &mut *self.waiting(),
            Waiting { is_closed: true, ..Waiting::default() },
        );
        let (group, storage, view) = {
            let state = &mut self.turn().state;
            state.in_flight = None;
            (std::mem::take(&mut state.group), state.storage.take(), state.view.take())
        };
        drop((waiting, group, storage, view));
    }

    /// Runs jobs until none is waiting, or so many were run; whether some are left.
    fn run_waiting(&self, turn: &mut Turn, jobs_max: usize) -> bool {
        for _ in 0..jobs_max {
            let job = {
                let mut waiting = self.waiting();
                let job = waiting.jobs.pop_front();
                waiting.is_being_run = job.is_some();
                job
            };
            let Some(job) = job else { return false };
            self.run_job(&mut turn.state, job);
        }
        self.waiting().is_being_run = false;
        true
    }

    fn run_job(&self, state: &mut State, job: Job) {
        if self.shared.is_stopped() {
            // Dropping the job tells its caller.
            return;
        }
        let outcome = catch_unwind(AssertUnwindSafe(|| state.run(job)));
        let Ok((failure, completion)) = outcome else {
            // The panic has been reported; what it left half done is never committed, and the caller
            // is told by the job's own end.
            let detail = "a write ended in an internal error".to_owned();
            self.shared.stop(&StorageError::Damaged(detail));
            return;
        };
        match failure {
            None => state.group.completions.push(completion),
            // What a job could not read it could not judge; nothing after it may be trusted.
            Some(failure) => completion(Err(Error::Stopped(self.shared.stop(&failure)))),
        }
    }

    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn turn(&self) -> MutexGuard<'_, Turn> {
        self.turn.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Turn {
    /// How long the group, which has so many jobs, waits for one more.
    fn gathers_for(&self, jobs: usize) -> Option<Duration> {
        let is_enough = jobs >= self.previous_jobs || self.is_full() || self.is_stopping;
        self.gather.filter(|_| !is_enough)
    }

    fn is_full(&self) -> bool {
        self.state.group.writes.len() >= GROUP_KEYS_MAX
    }

    /// The group as it is now, to be committed; the next one begins.
    fn take_group(&mut self) -> Group {
        let state = &mut self.state;
        if state.head.sequence >= state.verified_at + VERIFIED_POINT_COMMITS {
            state.note_verified_point();
        }
        state.write_counters();
        if !state.group.writes.is_empty() {
            state.mark_group();
        }
        let next = OpenGroup {
            writes: PendingWrites::with_room_of(&state.group.writes),
            ..OpenGroup::default()
        };
        let open = std::mem::replace(&mut state.group, next);
        let (now, jobs) = (Instant::now(), open.completions.len());
        let one = (now - self.previous_at) / u32::try_from(jobs.max(1)).unwrap_or(u32::MAX);
        self.gather = Some((one * 2).max(GATHER_MIN)).filter(|gather| *gather <= GATHER_MAX);
        (self.previous_at, self.previous_jobs) = (now, jobs);
        let writes = Arc::new(open.writes);
        state.in_flight = Some(Arc::clone(&writes));
        Group { writes, completions: open.completions, catalog: open.catalog, head: state.head }
    }
}

#[cfg(test)]
mod tests;
