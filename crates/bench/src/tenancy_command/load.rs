//! Requests at a rate, whether the answers keep up or not; and as fast as they go.

use std::io::Write as _;
use std::sync::Arc;
use std::time::Duration;

use tokio::task::JoinSet;
use tokio::time::{Instant, sleep_until};

use super::Operation;
use super::world::World;
use crate::measure::Tally;

/// Requests under way at which no more are offered: answers do not keep up.
const WAITING_MAX: usize = 500;

/// What came of a rate.
pub struct Offered {
    pub tally: Tally,
    /// Whether every request could be offered.
    pub is_taken: bool,
}

impl World {
    /// Offers requests at a rate. A request's time begins when it is due, so that waiting counts.
    pub fn offer(&self, operation: Operation, rate: f64, seconds: f64) -> anyhow::Result<Offered> {
        self.runtime.block_on(async {
            let mut tally = Tally::new()?;
            let mut tasks = JoinSet::new();
            let start = Instant::now();
            let mut number = 0_u32;
            let mut is_taken = true;
            loop {
                let after = f64::from(number) / rate;
                if after >= seconds {
                    break;
                }
                number += 1;
                let due = start + Duration::from_secs_f64(after);
                sleep_until(due).await;
                if tasks.len() >= WAITING_MAX {
                    is_taken = false;
                    break;
                }
                let service = Arc::clone(&self.service);
                tasks.spawn(async move { service.do_one(operation).await.map(|()| due.elapsed()) });
                while let Some(done) = tasks.try_join_next() {
                    tally.record(done??);
                }
            }
            while let Some(done) = tasks.join_next().await {
                tally.record(done??);
            }
            tally.elapsed = start.elapsed();
            Ok(Offered { tally, is_taken })
        })
    }

    /// Writes and syncs of 4 KiB at a rate, beside the database while it rests: what the disk and the
    /// machine take by themselves. The time of one begins when it is due.
    pub fn sync_at(&self, rate: f64, seconds: f64) -> anyhow::Result<Tally> {
        let mut tally = Tally::new()?;
        let mut probe = tempfile::tempfile_in(&self.folder)?;
        let start = std::time::Instant::now();
        for number in 0_u32.. {
            let after = f64::from(number) / rate;
            if after >= seconds {
                break;
            }
            let due = start + Duration::from_secs_f64(after);
            std::thread::sleep(due.saturating_duration_since(std::time::Instant::now()));
            probe.write_all(&[0; 4096])?;
            probe.sync_data()?;
            tally.record(due.elapsed());
        }
        tally.elapsed = start.elapsed();
        Ok(tally)
    }

    /// So many callers, each with one request after the other.
    pub fn rush(
        &self,
        operation: Operation,
        callers: usize,
        seconds: f64,
    ) -> anyhow::Result<Tally> {
        self.runtime.block_on(async {
            let start = Instant::now();
            let end = start + Duration::from_secs_f64(seconds);
            let mut tasks = JoinSet::new();
            for _ in 0..callers {
                let service = Arc::clone(&self.service);
                tasks.spawn(async move {
                    let mut tally = Tally::new()?;
                    loop {
                        let begun = Instant::now();
                        if begun >= end {
                            return anyhow::Ok(tally);
                        }
                        service.do_one(operation).await?;
                        tally.record(begun.elapsed());
                        // As between two requests of a connection.
                        tokio::task::yield_now().await;
                    }
                });
            }
            let mut total = Tally::new()?;
            while let Some(tally) = tasks.join_next().await {
                total.add(&tally??)?;
            }
            total.elapsed = start.elapsed();
            Ok(total)
        })
    }
}
