//! What is wrong, in words; the first few of each run are enough.

/// How many are kept.
const KEPT_MAX: usize = 20;

/// Things found wrong.
#[derive(Clone, Debug, Default)]
pub struct Findings {
    kept: Vec<String>,
    count: usize,
}

impl Findings {
    /// Adds one.
    pub fn add(&mut self, finding: String) {
        self.count += 1;
        if self.kept.len() < KEPT_MAX {
            self.kept.push(finding);
        }
    }

    /// Is everything right?
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.count
    }

    /// The first of them.
    pub fn kept(&self) -> &[String] {
        &self.kept
    }
}
