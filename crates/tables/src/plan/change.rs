//! One change to a table.

use std::collections::BTreeMap;
use std::fmt;

/// A change to a table on a target.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Change {
    /// The table is made, with its indexes, stream, encryption, protection and tags.
    CreateTable {
        /// How many indexes it gets.
        indexes: usize,
    },
    /// The table is removed, with its items.
    DeleteTable,
    /// Only a new table can have this.
    Rebuild {
        /// What differs.
        difference: String,
    },
    /// An index is added and filled.
    CreateIndex {
        /// Its name.
        index: String,
    },
    /// An index is removed.
    DeleteIndex {
        /// Its name.
        index: String,
        /// Whether it is made anew afterwards, because it differs.
        replaced: Option<String>,
    },
    /// Capacity is paid for otherwise.
    SetBilling {
        /// How.
        mode: String,
    },
    /// The stream is switched off.
    StopStream {
        /// What its records held.
        view: String,
    },
    /// A stream is switched on.
    StartStream {
        /// What its records hold.
        view: String,
    },
    /// TTL is switched off.
    StopTimeToLive {
        /// The attribute it was on.
        attribute: String,
    },
    /// TTL is switched on.
    StartTimeToLive {
        /// The attribute.
        attribute: String,
    },
    /// Point-in-time recovery is switched.
    SetRecovery {
        /// On or off.
        enabled: bool,
    },
    /// Deletion protection is switched.
    SetDeletionProtection {
        /// On or off.
        enabled: bool,
    },
    /// Encryption is changed.
    SetEncryption {
        /// Whether with a key of the account.
        kms: bool,
    },
    /// Tags are added or changed.
    SetTags {
        /// Their new values.
        tags: BTreeMap<String, String>,
    },
}

/// What a change means for what is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Weight {
    /// Something is added.
    Addition,
    /// A setting changes.
    Setting,
    /// Something is lost.
    Destructive,
    /// It cannot be done.
    Impossible,
}

impl Change {
    /// What it means for what is there.
    pub fn weight(&self) -> Weight {
        match self {
            Change::CreateTable { .. } | Change::CreateIndex { .. } => Weight::Addition,
            Change::DeleteTable | Change::DeleteIndex { .. } => Weight::Destructive,
            Change::Rebuild { .. } => Weight::Impossible,
            _ => Weight::Setting,
        }
    }
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let switched = |on: &bool| if *on { "on" } else { "off" };
        match self {
            Change::CreateTable { indexes } => {
                let plural = if *indexes == 1 { "index" } else { "indexes" };
                write!(f, "create the table, with {indexes} {plural}")
            }
            Change::DeleteTable => f.write_str("delete the table, with all its items"),
            Change::Rebuild { difference } => write!(
                f,
                "{difference}. This cannot be changed: create a table under another name with the \
                 new key, copy the items, let the services use it, then delete this one"
            ),
            Change::CreateIndex { index } => write!(f, "add the index {index}"),
            Change::DeleteIndex { index, replaced: None } => write!(f, "remove the index {index}"),
            Change::DeleteIndex { index, replaced: Some(difference) } => {
                write!(f, "remove the index {index}, to make it anew: {difference}")
            }
            Change::SetBilling { mode } => write!(f, "pay for capacity by {mode}"),
            Change::StopStream { view } => write!(f, "switch off the stream ({view})"),
            Change::StartStream { view } => write!(f, "switch on a stream ({view})"),
            Change::StopTimeToLive { attribute } => write!(f, "switch off TTL on {attribute}"),
            Change::StartTimeToLive { attribute } => write!(f, "switch on TTL on {attribute}"),
            Change::SetRecovery { enabled } => {
                write!(f, "switch point-in-time recovery {}", switched(enabled))
            }
            Change::SetDeletionProtection { enabled } => {
                write!(f, "switch deletion protection {}", switched(enabled))
            }
            Change::SetEncryption { kms: true } => {
                f.write_str("encrypt with the key that AWS manages in the account")
            }
            Change::SetEncryption { kms: false } => f.write_str("encrypt with a key that AWS owns"),
            Change::SetTags { tags } => {
                let tags: Vec<_> =
                    tags.iter().map(|(key, value)| format!("{key}={value}")).collect();
                write!(f, "set the tags {}", tags.join(", "))
            }
        }
    }
}
