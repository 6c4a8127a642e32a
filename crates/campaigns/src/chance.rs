//! Chance that repeats: everything a run draws follows from its seed.

use database::clock::{Clock as _, SystemClock};
use database::storage::fjall::FjallOptions;
use xxhash_rust::xxh3::xxh3_64_with_seed;

/// A seed nobody has chosen.
pub fn new_seed() -> u64 {
    xxh3_64_with_seed(&SystemClock.now_millis().to_be_bytes(), u64::from(std::process::id())) >> 32
}

/// The seed for one part of a run.
pub fn part(seed: u64, purpose: &str, number: u64) -> u64 {
    let mut bytes = number.to_be_bytes().to_vec();
    bytes.extend_from_slice(purpose.as_bytes());
    xxh3_64_with_seed(&bytes, seed)
}

/// A source of chance for one part of a run.
pub fn random(seed: u64, purpose: &str, number: u64) -> fastrand::Rng {
    fastrand::Rng::with_seed(part(seed, purpose, number))
}

/// Settings of the storage engine, different at every start.
pub fn engine_options(random: &mut fastrand::Rng) -> FjallOptions {
    // One in three starts has tables so small that they are written and merged all the time.
    let memtable_bytes = if random.u8(0..3) == 0 {
        random.u64(64 << 10..1 << 20)
    } else {
        4 << (20 + random.u64(0..5))
    };
    FjallOptions {
        memtable_bytes,
        cache_bytes: 1 << (20 + random.u64(0..7)),
        worker_threads: random.usize(1..=4),
    }
}
