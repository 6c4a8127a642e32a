//! Does the database keep its promises? Tools that break it on purpose and check what is left.

pub mod aftermath;
pub mod chance;
pub mod common;
pub mod faults;
pub mod full;
pub mod histories;
pub mod kill;
pub mod ledger;
pub mod patterns;
pub mod power;
pub mod progress;
pub mod recorder;
pub mod report;
pub mod rot;
pub mod services;
pub mod siege;
pub mod verify;
pub mod webhooks;
pub mod workload;
