//! The largest database of the run: how much memory reading takes, and how long opening takes after
//! a clean stop and after a kill. A fresh process each time.

use std::time::Duration;

use serde::Serialize;

use super::{Setting, batch};
use crate::engines::EngineName;
use crate::measure::median;
use crate::worker::Worker;

/// What was found.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Endurance {
    /// Items in each of the two tables at first.
    pub items: u64,
    /// GetItem, so many times.
    pub gets: u64,
    /// Query of 20, so many times, half of them on an index.
    pub queries: u64,
    /// Memory after these reads.
    pub resident_bytes: u64,
    /// The most memory during these reads.
    pub peak_resident_bytes: u64,
    /// The median time of three openings after a clean stop.
    pub open_clean_millis: f64,
    /// The time of the opening after a kill.
    pub open_killed_millis: f64,
    /// How long the process had been writing when it was killed.
    pub written_seconds: f64,
}

/// How often the database is opened after a clean stop.
const OPENINGS: usize = 3;

/// Measures the database with `items` items, which an earlier part has left behind.
pub fn endure(setting: &Setting, items: u64, gets: u64, queries: u64) -> anyhow::Result<Endurance> {
    let stage = setting.progress.stage("Memory and opening", 3);
    let plinth = |batch: u64| setting.on_disk(EngineName::Plinth, items, batch);
    stage.step("opening after a clean stop");
    let mut clean = Vec::new();
    for _ in 0..OPENINGS {
        let worker = Worker::start(&plinth(batch::READING))?;
        clean.push(worker.open_millis);
        worker.close()?;
    }
    stage.step("memory");
    let mut reader = Worker::start(&plinth(batch::READING))?;
    let (resident_bytes, peak_resident_bytes) = reader.read(gets, queries)?;
    reader.close()?;
    stage.step("opening after a kill");
    let written_seconds = setting.seconds * 3.0;
    let mut writer = Worker::start(&plinth(batch::KILL))?;
    writer.write_until_killed()?;
    std::thread::sleep(Duration::from_secs_f64(written_seconds));
    writer.kill()?;
    let opened = Worker::start(&plinth(batch::AFTER_KILL))?;
    let open_killed_millis = opened.open_millis;
    opened.close()?;
    Ok(Endurance {
        items,
        gets,
        queries,
        resident_bytes,
        peak_resident_bytes,
        open_clean_millis: median(clean.into_iter()),
        open_killed_millis,
        written_seconds,
    })
}
