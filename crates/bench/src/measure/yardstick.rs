//! How quick is the machine just now? Whoever else works on it takes part of the cache that all cores
//! share, and a program whose code and data are more than one core's own cache holds then takes longer, by
//! half and more, while the kernel's books show nothing. It is seen by work that is always the same: to
//! follow a chain through memory of such a size.

use std::hint::black_box;

use rustix::time::ClockId;

use super::usage::time_of;

/// 4 MiB: more than a core's own cache, less than the shared one.
const LINES: usize = 1 << 16;
/// Times that the chain is gone through, after once to fetch what is left of it.
const TIMES: usize = 4;
/// Odd, and one more than a multiple of four: with it every line has its turn.
const MULTIPLIER: usize = 40_503 * 4 + 1;

/// As much as a processor fetches at once.
#[repr(align(64))]
struct Line {
    next: usize,
}

/// A chain through memory whose next step is known only where the last one led.
pub struct Yardstick(Vec<Line>);

impl Yardstick {
    /// Lays the chain.
    pub fn new() -> Yardstick {
        let line = |at: usize| Line { next: at.wrapping_mul(MULTIPLIER).wrapping_add(1) % LINES };
        Yardstick((0..LINES).map(line).collect())
    }

    /// Nanoseconds of this thread's processor time for one step.
    pub fn step_nanos(&self) -> f64 {
        let first = self.walk(0, LINES);
        let before = time_of(ClockId::ThreadCPUTime);
        black_box(self.walk(first, TIMES * LINES));
        let took = time_of(ClockId::ThreadCPUTime).saturating_sub(before);
        took.as_secs_f64() * 1e9 / (TIMES * LINES) as f64
    }

    fn walk(&self, start: usize, steps: usize) -> usize {
        (0..steps).fold(start, |at, _| self.0[at].next)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_chain_leads_through_every_line_and_back() {
        let yardstick = Yardstick::new();
        let mut at = 0;
        for _ in 1..LINES {
            at = yardstick.walk(at, 1);
            assert_ne!(at, 0);
        }
        assert_eq!(yardstick.walk(at, 1), 0);
        assert!(yardstick.step_nanos() > 0.0);
    }
}
