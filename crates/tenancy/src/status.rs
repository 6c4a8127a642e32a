//! The state machine, as one table: from which state to which, by which ways, and what it is called.

use std::fmt;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Where a tenant stands in its life (R002-5.8-1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "UPPERCASE")]
pub enum Status {
    /// Created, and not provisioned yet.
    Pending,
    /// In use.
    Active,
    /// Locked by an administrator.
    Suspended,
    /// Its resources are released for a while, its data kept (R002-16-1).
    Parked,
    /// Given up, for good.
    Deprovisioned,
    /// Could not be provisioned.
    Failed,
}

impl Status {
    /// Every state.
    pub const ALL: [Status; 6] = [
        Status::Pending,
        Status::Active,
        Status::Suspended,
        Status::Parked,
        Status::Deprovisioned,
        Status::Failed,
    ];

    /// As it is stored and shown.
    pub fn as_str(self) -> &'static str {
        match self {
            Status::Pending => "PENDING",
            Status::Active => "ACTIVE",
            Status::Suspended => "SUSPENDED",
            Status::Parked => "PARKED",
            Status::Deprovisioned => "DEPROVISIONED",
            Status::Failed => "FAILED",
        }
    }

    /// The states that the table lets it become (R002-7.5-1).
    pub fn allowed(self) -> impl Iterator<Item = Status> {
        MOVES.iter().filter(move |step| step.is_from(self, Way::Status)).map(|step| step.to)
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A way to ask for a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// `PATCH …/status`.
    Status,
    /// `POST …/lifecycle/suspend`.
    Suspend,
    /// `POST …/lifecycle/resume`.
    Resume,
    /// `POST …/lifecycle/park`, and `POST …/park`.
    Park,
    /// `POST …/lifecycle/unpark`, and `POST …/unpark`.
    Unpark,
    /// `POST …/lifecycle/callback`.
    Callback,
    /// `DELETE`.
    Delete,
}

/// A row of the table.
#[derive(Debug, PartialEq, Eq)]
pub struct Move {
    /// Its name: `park`.
    pub name: &'static str,
    /// The state before.
    pub from: Status,
    /// The state after.
    pub to: Status,
    /// By which ways it can be asked for.
    pub ways: &'static [Way],
    /// What history, audit and the event bus call it: `TENANT_PARKED`.
    pub event: &'static str,
    /// What webhooks call it: `tenant.parked`.
    pub topic: &'static str,
    /// What a provisioner is asked to do then.
    pub asks: Option<Work>,
}

/// What a provisioner does for a tenant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Work {
    /// Makes its resources.
    Provision,
    /// Locks them.
    Suspend,
    /// Unlocks them.
    Resume,
    /// Releases them for a while (R002-8.2-1).
    Park,
    /// Makes them again.
    Unpark,
    /// Releases them for good.
    Deprovision,
}

impl Work {
    /// As events name it.
    pub fn as_str(self) -> &'static str {
        match self {
            Work::Provision => "provision",
            Work::Suspend => "suspend",
            Work::Resume => "resume",
            Work::Park => "park",
            Work::Unpark => "unpark",
            Work::Deprovision => "deprovision",
        }
    }
}

impl Move {
    /// Whether it begins there and can be asked for so.
    pub fn is_from(&self, status: Status, way: Way) -> bool {
        self.from == status && self.ways.contains(&way)
    }
}

/// The move from a state by a way; of several, the one that ends at `to`.
pub fn find(from: Status, way: Way, to: Status) -> Option<&'static Move> {
    MOVES.iter().find(|step| step.is_from(from, way) && step.to == to)
}

macro_rules! moves {
    ($($name:literal $from:ident $to:ident [$($way:ident)*] $event:literal $topic:literal $($asks:ident)?;)*) => {
        &[$(Move {
            name: $name,
            from: Status::$from,
            to: Status::$to,
            ways: &[$(Way::$way),*],
            event: $event,
            topic: $topic,
            asks: moves!(@asks $($asks)?),
        }),*]
    };
    (@asks) => { None };
    (@asks $asks:ident) => { Some(Work::$asks) };
}

/// The table. DELETE leads out of every state but the last; PATCH follows the document (C2-29).
#[rustfmt::skip]
pub const MOVES: &[Move] = moves! {
    "activate"    Pending   Active        [Status Callback] "TENANT_ACTIVATED"     "tenant.activated";
    "fail"        Pending   Failed        [Status Callback] "TENANT_FAILED"        "tenant.failed";
    "deprovision" Pending   Deprovisioned [Delete]          "TENANT_DEPROVISIONED" "tenant.deprovisioned" Deprovision;
    "suspend"     Active    Suspended     [Status Suspend]  "TENANT_SUSPENDED"     "tenant.suspended"     Suspend;
    "park"        Active    Parked        [Status Park]     "TENANT_PARKED"        "tenant.parked"        Park;
    "deprovision" Active    Deprovisioned [Status Delete]   "TENANT_DEPROVISIONED" "tenant.deprovisioned" Deprovision;
    "resume"      Suspended Active        [Status Resume]   "TENANT_RESUMED"       "tenant.resumed"       Resume;
    "deprovision" Suspended Deprovisioned [Status Delete]   "TENANT_DEPROVISIONED" "tenant.deprovisioned" Deprovision;
    "unpark"      Parked    Active        [Status Unpark]   "TENANT_UNPARKED"      "tenant.unparked"      Unpark;
    "deprovision" Parked    Deprovisioned [Status Delete]   "TENANT_DEPROVISIONED" "tenant.deprovisioned" Deprovision;
    "retry"       Failed    Pending       [Status]          "TENANT_RETRIED"       "tenant.retried"       Provision;
    "deprovision" Failed    Deprovisioned [Delete]          "TENANT_DEPROVISIONED" "tenant.deprovisioned" Deprovision;
};

#[cfg(test)]
mod tests {
    use super::*;

    fn allowed(status: Status) -> Vec<&'static str> {
        status.allowed().map(Status::as_str).collect()
    }

    /// R002-7.5-1, R002-5.8-1, C2-29: the table is the document's.
    #[test]
    fn the_table_is_that_of_the_document() {
        assert_eq!(allowed(Status::Pending), ["ACTIVE", "FAILED"]);
        assert_eq!(allowed(Status::Active), ["SUSPENDED", "PARKED", "DEPROVISIONED"]);
        assert_eq!(allowed(Status::Suspended), ["ACTIVE", "DEPROVISIONED"]);
        assert_eq!(allowed(Status::Parked), ["ACTIVE", "DEPROVISIONED"]);
        assert_eq!(allowed(Status::Failed), ["PENDING"]);
        assert_eq!(allowed(Status::Deprovisioned), Vec::<&str>::new());
        for status in Status::ALL {
            let is_deletable = find(status, Way::Delete, Status::Deprovisioned).is_some();
            assert_eq!(is_deletable, status != Status::Deprovisioned, "{status}");
        }
    }

    #[test]
    fn a_way_from_a_state_is_never_ambiguous() {
        for (at, step) in MOVES.iter().enumerate() {
            let same = |other: &&Move| other.from == step.from && other.to == step.to;
            assert!(!MOVES[..at].iter().any(|other| same(&other)), "{step:?}");
        }
    }
}
