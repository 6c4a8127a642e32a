//! Integration tests of the database, one binary: a file for each subject.
#![expect(clippy::unwrap_used, reason = "a test's helper fails the test by panicking")]

mod background_backfill;
mod background_expiry;
mod background_flush;
mod background_purge;
mod background_thread;
mod background_trim;
mod commits;
mod items_reads;
mod items_transactions;
mod items_world;
mod items_writes;
mod opening;
mod stamps;
mod statements_select;
mod statements_transactions;
mod statements_world;
mod statements_write;
mod streams_iterators;
mod streams_records;
mod streams_shards;
mod streams_world;
mod tables_create;
mod tables_create_indexes;
mod tables_describe;
mod tables_names;
mod tables_support;
mod tables_tags;
mod tables_time_to_live;
mod tables_update;
mod tables_update_indexes;
