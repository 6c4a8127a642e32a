//! The thread that runs jobs, one after another.

use std::collections::{BTreeSet, HashMap};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, TryRecvError};
use std::time::Duration;

use bytes::Bytes;

use super::committer::Outbox;
use super::group::{Group, PendingWrites};
use super::transaction::Buffers;
use super::{Completion, Job, Message, Transaction};
use crate::Error;
use crate::catalog::Catalog;
use crate::clock::Clock;
use crate::counters::Counters;
use crate::keys::{self, TableNumber};
use crate::log::LogHead;
use crate::mark::{self, Mark};
use crate::storage::{Space, Storage, StorageError};
use crate::stored;

/// A group that writes this many keys waits for no more jobs.
const GROUP_KEYS_MAX: usize = 1024;

/// After this many commits the known point of the chain moves up, so that opening after a crash
/// checks a bounded part of the log.
const VERIFIED_POINT_COMMITS: u64 = 10_000;

/// How long a group that is small beside the one before may wait for the callers that were just
/// answered to come back: they are on their way, and one sync for all of them beats two.
const GATHER: Duration = Duration::from_micros(60);

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
    storage: Arc<dyn Storage>,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) catalog: Arc<Catalog>,
    pub(super) head: LogHead,
    pub(super) group: OpenGroup,
    /// The group the committer has; readable until it is durable and so in the storage.
    in_flight: Option<Arc<PendingWrites>>,
    counters: HashMap<TableNumber, Counters>,
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
        // The newest view will do, whether or not it holds what is in flight: that was asked first.
        self.storage.snapshot().get(space, key)
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

/// The thread's own state.
pub struct Executor {
    state: State,
    inbox: Receiver<Message>,
    outbox: Outbox,
    previous_jobs: usize,
    stopping: Option<Sender<()>>,
}

impl Executor {
    /// Prepares the thread; [`Executor::run`] is its body.
    pub fn new(start: Start, inbox: Receiver<Message>, outbox: Outbox) -> Executor {
        let state = State {
            verified_at: start.verified,
            marked: start.marked,
            storage: start.storage,
            clock: start.clock,
            catalog: start.catalog,
            head: start.head,
            group: OpenGroup::default(),
            in_flight: None,
            counters: HashMap::new(),
            buffers: Buffers::default(),
        };
        Executor { state, inbox, outbox, previous_jobs: 0, stopping: None }
    }

    /// Runs jobs until told to stop.
    pub fn run(mut self) {
        loop {
            let Some(message) = self.next_message() else { return };
            self.handle(message);
            if self.finished() {
                return;
            }
        }
    }

    /// Gives the next message. Before it waits for one, it hands the group over if the committer is
    /// free: at once if the group is full, otherwise when no job is waiting to join it.
    fn next_message(&mut self) -> Option<Message> {
        let may_send = self.state.in_flight.is_none() && !self.state.group.completions.is_empty();
        if may_send && self.state.group.writes.len() >= GROUP_KEYS_MAX {
            self.send_group();
            return self.inbox.recv().ok();
        }
        match self.inbox.try_recv() {
            Ok(message) => return Some(message),
            Err(TryRecvError::Disconnected) => return None,
            Err(TryRecvError::Empty) => {}
        }
        if may_send {
            if self.state.group.completions.len() * 2 < self.previous_jobs {
                match self.inbox.recv_timeout(GATHER) {
                    Ok(message) => return Some(message),
                    Err(RecvTimeoutError::Disconnected) => return None,
                    Err(RecvTimeoutError::Timeout) => {}
                }
            }
            self.send_group();
        }
        self.inbox.recv().ok()
    }

    fn handle(&mut self, message: Message) {
        match message {
            Message::Job(job) => self.run_job(job),
            Message::Committed => self.state.in_flight = None,
            Message::Stop(done) => {
                self.state.note_verified_point();
                self.state.group.completions.push(Box::new(|_| {}));
                self.stopping = Some(done);
            }
        }
    }

    fn run_job(&mut self, job: Job) {
        if self.outbox.is_stopped() {
            // Dropping the job tells its caller.
            return;
        }
        let mut transaction = Transaction::new(&mut self.state);
        let outcome = catch_unwind(AssertUnwindSafe(|| job(&mut transaction)));
        let Ok((stands, completion)) = outcome else {
            // The panic has been reported; what the job had staged is dropped, and its caller is told
            // by the job's own end.
            self.outbox
                .fail(&StorageError::Damaged("a write ended in an internal error".to_owned()));
            return;
        };
        if let Some(failure) = transaction.failure() {
            // What a job could not read it could not judge; nothing after it may be trusted.
            let word = self.outbox.fail(failure);
            completion(Err(Error::Stopped(word)));
            return;
        }
        if stands {
            transaction.accept();
        }
        self.state.group.completions.push(completion);
    }

    fn send_group(&mut self) {
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
        self.previous_jobs = open.completions.len();
        let writes = Arc::new(open.writes);
        state.in_flight = Some(Arc::clone(&writes));
        let group = Group {
            writes,
            completions: open.completions,
            catalog: open.catalog,
            head: state.head,
        };
        self.outbox.send(group);
    }

    /// With a stop asked for: is everything durable?
    fn finished(&mut self) -> bool {
        let idle = self.state.in_flight.is_none() && self.state.group.completions.is_empty();
        match (&self.stopping, idle) {
            (Some(done), true) => {
                // Whoever asked may have gone away.
                let _ = done.send(());
                true
            }
            _ => false,
        }
    }
}
