//! The lease on a task: who has it, until when, and which attributes of an item say so.

use kernel::moment::Moment;
use store::Changes;

/// A lease that a worker asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lease {
    /// The worker's name.
    pub owner: String,
    /// When it asks.
    pub now: Moment,
    /// When the lease ends, unless it is extended.
    pub until: Moment,
}

/// The names of the attributes that hold a lease.
#[derive(Clone, Copy, Debug)]
pub struct LeaseAttributes {
    /// Which worker has the task.
    pub owner: &'static str,
    /// Until when.
    pub expires_at: &'static str,
    /// The sort key of the due index.
    pub due_at: &'static str,
    /// Counts the claims.
    pub fence: &'static str,
}

impl LeaseAttributes {
    /// The changes of a claim. Its condition is that the due time has come.
    pub fn claim(&self, lease: &Lease) -> Changes {
        self.extend(lease).set(self.owner, lease.owner.as_str()).add(self.fence, 1_i64)
    }

    /// The changes of a heartbeat. Its condition is the fence.
    pub fn extend(&self, lease: &Lease) -> Changes {
        let until = lease.until.to_string();
        // The due time is the end of the lease: the due index lists the task when its worker is dead.
        Changes::new().set(self.expires_at, until.as_str()).set(self.due_at, until)
    }

    /// Ends the lease, with what else changes when a task is settled. The condition is the fence; the
    /// due time is the caller's to set or to remove.
    pub fn release(&self, changes: Changes) -> Changes {
        changes.remove(self.owner).remove(self.expires_at)
    }
}
