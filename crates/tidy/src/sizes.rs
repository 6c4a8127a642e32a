//! The shape of the source as a whole: most files are small.

use std::fmt;

use crate::Violation;

const MEDIAN_BYTES_MAX: usize = 8 * 1024;
const PERCENTILE_90_BYTES_MAX: usize = 16 * 1024;

/// The sizes of all source files under `crates/*/src`.
#[derive(Debug, Default)]
pub struct Sizes {
    /// Size in bytes and path, the smallest first.
    files: Vec<(usize, String)>,
}

impl Sizes {
    pub(crate) fn new(files: impl IntoIterator<Item = (usize, String)>) -> Self {
        let mut files: Vec<_> = files.into_iter().collect();
        files.sort();
        Self { files }
    }

    /// The smallest size that at least `percent` of the files do not exceed (nearest rank).
    fn percentile(&self, percent: usize) -> usize {
        let rank = (self.files.len() * percent).div_ceil(100);
        self.files.get(rank.saturating_sub(1)).map_or(0, |&(size, _)| size)
    }
}

/// The figures on one line.
impl fmt::Display for Sizes {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (median, percentile_90) = (self.percentile(50), self.percentile(90));
        let files = self.files.len();
        write!(formatter, "{files} source files: median {median} bytes, ")?;
        write!(formatter, "90th percentile {percentile_90} bytes")?;
        match self.files.last() {
            Some((size, path)) => write!(formatter, ", largest {size} bytes ({path})"),
            None => Ok(()),
        }
    }
}

/// The figures that are above their limit, each reported at the largest file.
pub(crate) fn check(sizes: &Sizes) -> Vec<Violation> {
    let largest = sizes.files.last().map_or("crates", |(_, path)| path);
    [("median", 50, MEDIAN_BYTES_MAX), ("90th percentile", 90, PERCENTILE_90_BYTES_MAX)]
        .into_iter()
        .filter(|&(_, percent, limit)| sizes.percentile(percent) > limit)
        .map(|(name, percent, limit)| {
            let size = sizes.percentile(percent);
            let problem = format!("the {name} of all source files is {size} bytes, not {limit}");
            Violation::new(
                largest,
                1,
                problem,
                "split the largest files by concept, this one first",
            )
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::violation::lines;

    fn sizes(of: &[usize]) -> Sizes {
        Sizes::new(of.iter().map(|&size| (size, format!("{size}.rs"))))
    }

    #[test]
    fn percentiles_are_by_nearest_rank() {
        let ten = sizes(&[10, 9, 8, 7, 6, 5, 4, 3, 2, 1]);
        assert_eq!((ten.percentile(50), ten.percentile(90)), (5, 9));
        let one = sizes(&[3]);
        assert_eq!((one.percentile(50), one.percentile(90)), (3, 3));
        assert_eq!(sizes(&[]).percentile(90), 0);
    }

    #[test]
    fn small_files_pass() {
        assert_eq!(check(&sizes(&[])), []);
        assert_eq!(check(&sizes(&[MEDIAN_BYTES_MAX, PERCENTILE_90_BYTES_MAX])), []);
    }

    #[test]
    fn a_large_median_fails() {
        assert_eq!(
            lines(&check(&sizes(&[1, 8193, 8194]))),
            ["8194.rs:1: the median of all source files is 8193 bytes, not 8192; \
              split the largest files by concept, this one first"]
        );
    }

    #[test]
    fn a_large_90th_percentile_fails() {
        assert_eq!(
            lines(&check(&sizes(&[1, 1, 1, 16385]))),
            ["16385.rs:1: the 90th percentile of all source files is 16385 bytes, not 16384; \
              split the largest files by concept, this one first"]
        );
    }

    #[test]
    fn the_figures_fit_on_one_line() {
        assert_eq!(
            sizes(&[1, 2, 300]).to_string(),
            "3 source files: median 2 bytes, 90th percentile 300 bytes, \
             largest 300 bytes (300.rs)"
        );
        let none = "0 source files: median 0 bytes, 90th percentile 0 bytes";
        assert_eq!(sizes(&[]).to_string(), none);
    }
}
