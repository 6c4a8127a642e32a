//! The table documents, typed. What each field means stands in `tables/schema.json`.

mod access;
mod attribute;
mod environment;
mod parameters;
mod system;
mod table;

pub use access::{AccessPattern, Action, Comparison, KeyComparison, Operation, SortDirection};
pub use attribute::{Attribute, Elements, Format};
pub use environment::{Environment, PerEnvironment, UnknownEnvironment};
pub use parameters::{Parameter, Parameters};
pub use system::{Site, System};
pub(crate) use table::Rule;
pub use table::{
    Backup, CapacityMode, Encryption, EncryptionType, Frequency, Index, ItemType, KeyAttribute,
    Load, MARKER_OWNER, MARKER_VALUE, PrimaryKey, ProjectionType, ProvisionedThroughput, Recovery,
    Streams, Table, TimeToLive, ViewType,
};
