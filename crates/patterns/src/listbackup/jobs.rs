//! Work that runs in the background.
//!
//! Generated from `tables/listbackup/jobs.json`: do not edit, `ACCEPT=1 cargo nextest run -p
//! tables` writes it anew.

use store::{Error, Get, Kind, List, Store, TableHandle, Update};

/// The table `listbackup/jobs`. Cloning is cheap.
#[derive(Clone)]
pub struct Jobs(TableHandle);

impl Jobs {
    /// The table of a store.
    pub fn open(store: &Store) -> Result<Jobs, Error> {
        let fingerprint = 0x8866_a9f4_e9c7_ff9e;
        TableHandle::generated(store, "listbackup/jobs", fingerprint).map(Jobs)
    }

    /// Get a job (R001-jobs-1).
    pub fn get_job(&self, account_id: &str, job_id: &str) -> Get {
        Get::new(&self.0, 0, [account_id.into(), job_id.into()])
    }

    /// List the jobs of an account (R001-access-12).
    pub fn list_jobs(&self, account_id: &str) -> List {
        List::new(&self.0, 1, [account_id.into()])
    }

    /// List an account's jobs in a status (R001-access-13, C1-07).
    pub fn list_jobs_by_status(&self, account_id: &str, status: &str) -> List {
        List::new(&self.0, 2, [account_id.into(), status.into()])
    }

    /// List the jobs of a source, newest first (R001-access-14).
    pub fn list_jobs_of_source(&self, source_id: &str) -> List {
        List::new(&self.0, 3, [source_id.into()])
    }

    /// Get a job by id alone (R001-jobs-11).
    pub fn get_job_by_id(&self, job_id: &str) -> List {
        List::new(&self.0, 4, [job_id.into()])
    }

    /// List the jobs that are due (C1-21).
    pub fn list_due_jobs(&self, due_shard: &str, now: &str) -> List {
        List::new(&self.0, 5, [due_shard.into(), now.into()])
    }

    /// Take a job for a worker (C1-22).
    pub fn claim_job(&self, account_id: &str, job_id: &str, now: &str) -> Update {
        Update::new(&self.0, 6, [account_id.into(), job_id.into(), now.into()])
    }

    /// Items of the kind `job`. One job.
    pub fn job(&self) -> Kind<'_> {
        Kind::new(&self.0, 0)
    }
}
