//! Choices. Everything random comes from one seed, so that a sequence can be made again.

/// A source of choices.
#[derive(Clone)]
pub struct Random(fastrand::Rng);

impl Random {
    /// The source that a seed gives.
    pub fn new(seed: u64) -> Self {
        Random(fastrand::Rng::with_seed(seed))
    }

    /// A number below `bound`, which must not be zero.
    pub fn below(&mut self, bound: usize) -> usize {
        self.0.usize(..bound)
    }

    /// A number from `least` to `most`, both included.
    pub fn between(&mut self, least: usize, most: usize) -> usize {
        self.0.usize(least..=most)
    }

    /// True so many times in a hundred.
    pub fn percent(&mut self, chance: usize) -> bool {
        self.below(100) < chance
    }

    /// One of these.
    pub fn pick<'a, T>(&mut self, among: &'a [T]) -> &'a T {
        &among[self.below(among.len())]
    }

    /// One of these, by weight.
    pub fn weighted<T: Copy>(&mut self, among: &[(usize, T)]) -> T {
        let total: usize = among.iter().map(|(weight, _)| weight).sum();
        let mut drawn = self.below(total);
        for (weight, choice) in among {
            match drawn.checked_sub(*weight) {
                Some(rest) => drawn = rest,
                None => return *choice,
            }
        }
        among[0].1
    }

    /// Up to `most` of these, each once, in random order.
    pub fn some<T: Clone>(&mut self, among: &[T], most: usize) -> Vec<T> {
        let mut all = among.to_vec();
        self.0.shuffle(&mut all);
        all.truncate(most);
        all
    }
}
