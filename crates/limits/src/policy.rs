//! One policy: how much, for whom, where, and what happens when the store cannot be asked.

use serde::{Deserialize, Serialize};

/// A limit, as configuration has it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Policy {
    /// Its name in headers: small letters, digits and hyphens.
    pub name: String,
    /// How much is admitted in a window.
    pub limit: u64,
    /// The window's length.
    pub window_seconds: u64,
    /// What is limited.
    pub by: By,
    /// The routes it is for, as `POST /auth/login` or `POST /auth/*`; none means all.
    #[serde(default)]
    pub routes: Vec<String>,
    /// How it is counted.
    #[serde(default)]
    pub algorithm: Algorithm,
    /// How exactly.
    #[serde(default)]
    pub mode: Mode,
    /// Counts, and refuses nobody.
    #[serde(default)]
    pub shadow: bool,
    /// What one request costs; a request may cost a multiple.
    #[serde(default = "one")]
    pub cost: u64,
    /// What happens when the store cannot be asked.
    #[serde(default)]
    pub on_failure: OnFailure,
    /// Other limits for some.
    #[serde(default)]
    pub overrides: Vec<Override>,
}

fn one() -> u64 {
    1
}

/// How a policy counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Algorithm {
    /// No stretch of the window's length has more than the limit. The window is counted in parts, and
    /// a part leaves as a whole: a request is refused only if the limit was used within the window
    /// and one part more. Ten parts: a tenth more. (Parts are whole milliseconds, rounded up.)
    SlidingWindow {
        /// How many parts, 1 to 60.
        parts: u32,
    },
    /// A burst at once, then one request each `window / limit` (GCRA). A stretch of any length has at
    /// most the burst and what is due in that time.
    Burst {
        /// How much at once.
        burst: u64,
    },
}

impl Default for Algorithm {
    fn default() -> Algorithm {
        Algorithm::SlidingWindow { parts: 10 }
    }
}

/// How exactly a sliding window counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Mode {
    /// Every request is one write: never more than the limit, over all instances.
    #[default]
    Exact,
    /// Each instance takes a block from the limit and spends it without writing, until the part after
    /// the one it was taken in ends. In a window, at most `instances * (largest - 1)` more than the
    /// limit are admitted; as much may be lost in blocks that were not spent. The largest block is
    /// `block`, or a 64th of the limit if that is more.
    Fast {
        /// How much an instance takes at once, at least; more if more than that is waiting to be
        /// spent, or if blocks did not last, as long as there is room for many.
        block: u64,
    },
}

/// What a policy limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum By {
    /// The address that a request comes from; of IPv6 its network of 64 bits.
    Address,
    /// The account.
    Account,
    /// The API key.
    Key,
    /// The person.
    User,
    /// What is aimed at, such as the name that somebody tries to log in with.
    Target,
    /// The tenant that something is done to.
    Tenant,
    /// The address that an API key comes from which is not accepted. Only such keys are counted, on
    /// all routes together: the key is looked at before the route.
    RefusedKey,
    /// Everybody together.
    Everyone,
}

/// What happens when the store cannot be asked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OnFailure {
    /// The request is admitted.
    #[default]
    Open,
    /// The request is refused, to be tried again.
    Closed,
}

/// Another limit for some subjects.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Override {
    /// The subject, as `account:acc_1`; with a `*` at its end, all that begin so.
    pub subject: String,
    /// Their limit.
    pub limit: u64,
}

impl By {
    /// What its subjects begin with.
    pub fn subject_start(self) -> &'static str {
        match self {
            By::Address | By::RefusedKey => "address:",
            By::Account => "account:",
            By::Key => "key:",
            By::User => "user:",
            By::Tenant => "tenant:",
            By::Target => "target:",
            By::Everyone => "everyone",
        }
    }
}

impl Policy {
    /// A policy for all routes with the usual settings.
    pub fn new(name: &str, limit: u64, window_seconds: u64, by: By) -> Policy {
        Policy {
            name: name.to_owned(),
            limit,
            window_seconds,
            by,
            routes: Vec::new(),
            algorithm: Algorithm::default(),
            mode: Mode::default(),
            shadow: false,
            cost: 1,
            on_failure: OnFailure::default(),
            overrides: Vec::new(),
        }
    }

    /// The same for these routes.
    #[must_use]
    pub fn on(mut self, routes: &[&str]) -> Policy {
        self.routes = routes.iter().map(|route| (*route).to_owned()).collect();
        self
    }

    /// Whether it is for a route.
    pub fn covers(&self, route: &str) -> bool {
        self.routes.is_empty() || self.routes.iter().any(|pattern| fits(pattern, route))
    }

    /// The limit for a subject: of the overrides that fit, the one that says most.
    pub fn limit_of(&self, subject: &str) -> u64 {
        let fitting = self.overrides.iter().filter(|other| fits(&other.subject, subject));
        let weight = |other: &&Override| (!other.subject.ends_with('*'), other.subject.len());
        fitting.max_by_key(weight).map_or(self.limit, |other| other.limit)
    }

    /// What is wrong with it.
    pub(super) fn problems(&self) -> Vec<String> {
        let Policy { name, limit, window_seconds, cost, .. } = self;
        let is_named = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        let mut problems = Vec::new();
        let mut check = |holds: bool, what: &str| {
            if !holds {
                problems.push(format!("policy {name}: {what}"));
            }
        };
        check(!name.is_empty() && name.len() <= 64 && name.chars().all(is_named), {
            "the name must be 1 to 64 small letters, digits and hyphens"
        });
        check(*limit >= 1, "the limit must be at least 1");
        check((1..=31 * 86_400).contains(window_seconds), "the window must be 1 s to 31 days");
        check(*cost >= 1 && cost <= limit, "a request must cost 1 to the limit");
        match self.algorithm {
            Algorithm::SlidingWindow { parts } => {
                check((1..=60).contains(&parts), "a window has 1 to 60 parts");
            }
            Algorithm::Burst { burst } => {
                check(burst >= *cost, "the burst must have room for one request");
                check(self.mode == Mode::Exact, "only a sliding window has a fast mode");
            }
        }
        if let Mode::Fast { block } = self.mode {
            check(block >= *cost && block <= *limit, "a block must be one request to the limit");
        }
        check(self.by != By::RefusedKey || self.routes.is_empty(), {
            "refused keys are counted on all routes together"
        });
        for other in &self.overrides {
            let what = format!("the override for {} must be at least 1", other.subject);
            check(other.limit >= 1, &what);
            let start = self.by.subject_start();
            let what = match start {
                "target:" => {
                    "targets are stored as hashes, so there is no override for one".to_owned()
                }
                _ => {
                    format!("the subject of an override must begin with {start}: {}", other.subject)
                }
            };
            check(start != "target:" && other.subject.starts_with(start), &what);
        }
        problems
    }
}

/// Whether a text is the pattern, or begins as one that ends in `*` does.
pub(super) fn fits(pattern: &str, text: &str) -> bool {
    match pattern.strip_suffix('*') {
        Some(start) => text.starts_with(start),
        None => pattern == text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_override_that_says_most_counts() {
        let mut policy = Policy::new("default", 10, 60, By::Account);
        let limits = [("account:*", 20), ("account:big_*", 30), ("account:big_1", 40)];
        for (subject, limit) in limits {
            policy.overrides.push(Override { subject: subject.to_owned(), limit });
        }
        assert_eq!(policy.limit_of("address:1.2.3.4"), 10);
        assert_eq!(policy.limit_of("account:small"), 20);
        assert_eq!(policy.limit_of("account:big_2"), 30);
        assert_eq!(policy.limit_of("account:big_1"), 40);
    }

    #[test]
    fn every_problem_is_named() {
        let mut policy = Policy::new("Bad name", 0, 0, By::Account);
        policy.algorithm = Algorithm::SlidingWindow { parts: 0 };
        policy.mode = Mode::Fast { block: 0 };
        assert_eq!(policy.problems().len(), 6, "{:?}", policy.problems());
        assert!(Policy::new("good-1", 1, 1, By::Everyone).problems().is_empty());
        let refused = Policy::new("good-2", 1, 1, By::RefusedKey);
        assert!(refused.problems().is_empty());
        assert_eq!(refused.on(&["GET /keys"]).problems().len(), 1);
    }
}
