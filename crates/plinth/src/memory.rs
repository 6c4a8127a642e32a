//! A process that has little to do takes little memory; one that has much takes it in large pages.
//!
//! Starting describes every route and hashes a password: three times what an idle process needs. The
//! allocator keeps what is freed for a second at least and looks at it when memory is next asked for,
//! which in an idle process may be never. And of the code that is mapped, most has run its only time.
//!
//! Pages of 2 MiB spare a reader of a full cache an eighth of its processor time. Of a small heap they
//! make a large one: wherever a few kilobytes are in use, the kernel fills up the rest.

#![expect(unsafe_code, reason = "asks the allocator and the kernel to take memory back")]

use std::ffi::c_void;
use std::ops::Range;

use rustix::mm::{Advice, madvise};
use rustix::thread::disable_transparent_huge_pages;

/// With so much memory in use, large pages are worth what they waste.
const LARGE_PAGES_FROM_BYTES: usize = 128 << 20;

/// Which pages the kernel gives.
pub struct Pages {
    are_small: bool,
}

impl Pages {
    /// Small ones, to begin with.
    pub fn small() -> Pages {
        Pages { are_small: set_small(true) }
    }

    /// Large ones from now on, if much memory is in use.
    pub fn review(&mut self) {
        if self.are_small && resident_bytes() >= LARGE_PAGES_FROM_BYTES {
            self.are_small = false;
            set_small(false);
        }
    }
}

/// Gives whether it was done.
fn set_small(are_small: bool) -> bool {
    let outcome = disable_transparent_huge_pages(are_small);
    if let Err(error) = outcome {
        tracing::debug!(%error, "the kernel keeps to the pages it gives");
    }
    outcome.is_ok()
}

/// Memory in use; none where the kernel does not tell.
fn resident_bytes() -> usize {
    let sizes = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let pages = sizes.split(' ').nth(1).and_then(|pages| pages.parse::<usize>().ok());
    pages.unwrap_or(0) * rustix::param::page_size()
}

/// Gives back what is free, and lets go of code until it is run again.
pub fn give_back() {
    // SAFETY: the call frees memory that nobody has; it may be made at any time, on any thread.
    unsafe { libmimalloc_sys::mi_collect(true) };
    let maps = std::fs::read_to_string("/proc/self/maps").unwrap_or_default();
    let Some(code) = mapping_of(give_back as fn() as usize, &maps) else { return };
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
    use rustix::thread::transparent_huge_pages_are_disabled;

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
    fn much_memory_comes_in_large_pages() {
        let mut pages = Pages::small();
        assert!(transparent_huge_pages_are_disabled().unwrap());
        pages.review();
        assert!(transparent_huge_pages_are_disabled().unwrap(), "a test takes little memory");
        let much = vec![1_u8; LARGE_PAGES_FROM_BYTES];
        pages.review();
        assert!(!transparent_huge_pages_are_disabled().unwrap());
        drop(much);
    }

    #[test]
    fn the_program_goes_on_afterwards() {
        let kept: Vec<String> = (0..1000).map(|number| format!("{number}")).collect();
        give_back();
        assert!(kept.iter().enumerate().all(|(number, text)| *text == number.to_string()));
    }
}
