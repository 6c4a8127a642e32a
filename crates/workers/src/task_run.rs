//! One task from claim to settlement.

use std::pin::pin;
use std::time::Duration;

use kernel::error::Error;

use crate::lanes::Slot;
use crate::round::Round;
use crate::stop::StopSignal;
use crate::work::{Candidate as _, Work};
use crate::worker::Worker;

/// How the run of a task ended.
enum End {
    /// Its outcome is stored.
    Settled,
    /// Another worker claimed it first.
    Missed,
    /// Its lease was lost: another worker has it, or it was cancelled.
    Lost,
}

impl<W: Work> Worker<W> {
    /// Runs the candidate of a slot, and then those that wait for the slot, one after the other. The
    /// round has given leave for the first one already.
    pub(crate) async fn use_slot(&self, mut slot: Slot<W::Candidate>, round: &Round) {
        loop {
            match self.attempt(&slot.candidate, round.signal()).await {
                Ok(End::Settled) => round.note(|progress| progress.settled += 1),
                Ok(End::Missed) => round.note(|progress| progress.missed += 1),
                Ok(End::Lost) => round.note(|progress| progress.lost += 1),
                Err(error) => {
                    let (kind, task) = (self.kind(), slot.candidate.id());
                    tracing::warn!(kind, task, ?error, "a task failed: its lease must end first");
                    round.note(|progress| progress.failed += 1);
                }
            }
            if !round.take() {
                return;
            }
            match slot.next() {
                Some(next) => slot = next,
                None => return round.give_back(),
            }
        }
    }

    async fn attempt(&self, candidate: &W::Candidate, stop: &StopSignal) -> Result<End, Error> {
        let Some(task) = self.work().claim(candidate, &self.lease()).await? else {
            return Ok(End::Missed);
        };
        let outcome = match self.settings().heartbeat {
            None => self.work().run(&task, stop).await?,
            Some(every) => match self.run_under_heartbeat(&task, stop, every).await? {
                Some(outcome) => outcome,
                None => return Ok(End::Lost),
            },
        };
        let is_settled = self.work().settle(task, outcome).await?;
        Ok(if is_settled { End::Settled } else { End::Lost })
    }

    /// Runs a task and extends its lease meanwhile. None if the lease was lost; the run is dropped then.
    /// Returns with no extension under way.
    async fn run_under_heartbeat(
        &self,
        task: &W::Task,
        stop: &StopSignal,
        every: Duration,
    ) -> Result<Option<W::Outcome>, Error> {
        let mut running = pin!(self.work().run(task, stop));
        let mut until = self.lease().until;
        loop {
            tokio::select! {
                outcome = &mut running => return outcome.map(Some),
                () = self.pause(every) => {}
            }
            let lease = self.lease();
            let mut extension = pin!(self.work().extend(task, &lease));
            let mut outcome = None;
            let extended = loop {
                tokio::select! {
                    extended = &mut extension => break extended,
                    ended = &mut running, if outcome.is_none() => outcome = Some(ended),
                }
            };
            match extended {
                Ok(true) => until = lease.until,
                Ok(false) => return Ok(None),
                Err(error) => {
                    let kind = self.kind();
                    tracing::warn!(kind, ?error, "a lease could not be extended");
                    if outcome.is_none() && self.now() >= until {
                        return Ok(None);
                    }
                }
            }
            if let Some(outcome) = outcome {
                return outcome.map(Some);
            }
        }
    }
}
