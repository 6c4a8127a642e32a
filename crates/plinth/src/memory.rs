//! A process at rest keeps no code in memory that it does not run.
//!
//! Starting describes every route, reads every document and hashes a password: two thirds of the code
//! are mapped afterwards, and most of it is never run again. The kernel would keep it until memory gets
//! scarce. What is let go and does run is mapped again from the system's cache of the file, a
//! microsecond for each 64 KiB.

#![expect(unsafe_code, reason = "asks the kernel to take memory back")]

use std::ffi::c_void;
use std::ops::Range;
use std::time::Duration;

use rustix::mm::{Advice, madvise};

/// How many looks in a row must find next to nothing done.
const RESTING_LOOKS: u32 = 10;
/// Next to nothing: a health check now and then, the regular jobs.
const RESTING_CPU_MAX: Duration = Duration::from_millis(20);
/// What must have been done since code was last let go of, for there to be some again.
const BUSY_CPU_MIN: Duration = Duration::from_millis(100);

/// Whether the process has come to rest after it was busy, by the processor time it takes.
#[derive(Default)]
pub struct Rest {
    /// The processor time used when code was last let go of.
    at_last: Duration,
    /// The processor time used when this row of looks began.
    at_first_look: Duration,
    looks: u32,
}

impl Rest {
    /// To be called at regular intervals: lets go of code when rest has come.
    pub fn look(&mut self) {
        let used = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
        let seconds = u64::try_from(used.tv_sec).unwrap_or(0);
        let nanoseconds = u32::try_from(used.tv_nsec).unwrap_or(0);
        if self.has_come(Duration::new(seconds, nanoseconds)) {
            let_go_of_code();
        }
    }

    fn has_come(&mut self, used: Duration) -> bool {
        if used.saturating_sub(self.at_first_look) > RESTING_CPU_MAX {
            (self.at_first_look, self.looks) = (used, 0);
            return false;
        }
        self.looks += 1;
        if self.looks < RESTING_LOOKS {
            return false;
        }
        (self.at_first_look, self.looks) = (used, 0);
        let was_busy = used.saturating_sub(self.at_last) >= BUSY_CPU_MIN;
        if was_busy {
            self.at_last = used;
        }
        was_busy
    }
}

/// Lets go of code until it is run again: the kernel then maps it from the file.
fn let_go_of_code() {
    let maps = std::fs::read_to_string("/proc/self/maps").unwrap_or_default();
    let Some(code) = mapping_of(let_go_of_code as fn() as usize, &maps) else { return };
    let start = std::ptr::with_exposed_provenance_mut::<c_void>(code.start);
    // SAFETY: the range is one mapping of the program's own file, which cannot be written to: what is
    // let go is the same when it is read again.
    let advised = unsafe { madvise(start, code.len(), Advice::LinuxDontNeed) };
    if let Err(error) = advised {
        tracing::debug!(%error, "code that has run stays in memory");
    }
}

/// The mapping that holds this address, if it is code and nothing but a file's.
fn mapping_of(address: usize, maps: &str) -> Option<Range<usize>> {
    maps.lines().find_map(|line| {
        let (range, rest) = line.split_once(' ')?;
        let (start, end) = range.split_once('-')?;
        let parse = |digits| usize::from_str_radix(digits, 16).ok();
        let range = parse(start)?..parse(end)?;
        (range.contains(&address) && rest.starts_with("r-xp ")).then_some(range)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_code_is_let_go() {
        let maps = "1000-2000 r--p 00000000 fe:00 1 /bin/plinth\n\
                    2000-4000 r-xp 00001000 fe:00 1 /bin/plinth\n\
                    4000-5000 rw-p 00003000 fe:00 1 /bin/plinth\n\
                    nonsense\n";
        assert_eq!(mapping_of(0x2000, maps), Some(0x2000..0x4000));
        assert_eq!(mapping_of(0x3fff, maps), Some(0x2000..0x4000));
        assert_eq!(mapping_of(0x1fff, maps), None);
        assert_eq!(mapping_of(0x4000, maps), None);
        assert_eq!(mapping_of(0x9000, maps), None);
    }

    #[test]
    fn rest_comes_once_after_each_busy_time() {
        let mut rest = Rest::default();
        let mut row = |used: &[u64]| {
            let looks = used.iter().map(|used| rest.has_come(Duration::from_millis(*used)));
            looks.filter(|has_come| *has_come).count()
        };
        assert_eq!(row(&[300; 10]), 0, "the first look sees what the start took");
        assert_eq!(row(&[301]), 1, "ten looks later");
        assert_eq!(row(&[305; 100]), 0, "nothing was done since");
        let busy: Vec<u64> = (0..100).map(|look| 310 + 30 * look).collect();
        assert_eq!(row(&busy), 0, "busy all the time");
        assert_eq!(row(&[3281; 30]), 1);
        let calm: Vec<u64> = (0..100).map(|look| 3281 + look).collect();
        assert_eq!(row(&calm), 0, "a millisecond a look is rest, but not yet work");
        assert_eq!(row(&[3382; 20]), 1, "now it adds up");
    }

    #[test]
    fn the_program_goes_on_afterwards() {
        let kept: Vec<String> = (0..1000).map(|number| format!("{number}")).collect();
        let_go_of_code();
        assert!(kept.iter().enumerate().all(|(number, text)| *text == number.to_string()));
    }
}
