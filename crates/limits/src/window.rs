//! The arithmetic of a sliding window, without a store.
//!
//! Time is cut into parts. A window of the policy's length touches the part it ends in and as many
//! parts before as the policy has: `admitted_total` counts them all, and never exceeds the limit. So
//! no window has more than the limit, wherever it begins. What is lost: of the earliest of these parts
//! a window touches only the end, yet all of it counts.

use kernel::moment::Moment;
use serde::{Deserialize, Serialize};

/// How a window is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Rule {
    pub limit: u64,
    /// Parts before the latest that count.
    pub parts: usize,
    pub part_milliseconds: u64,
}

impl Rule {
    pub fn new(limit: u64, window_seconds: u64, parts: u32) -> Rule {
        let parts = parts.max(1);
        // Rounded up: parts that are too short would let a window touch one more.
        let part_milliseconds = (window_seconds * 1000).div_ceil(u64::from(parts)).max(1);
        Rule { limit, parts: parts as usize, part_milliseconds }
    }

    /// The part that a moment is in.
    pub fn part(&self, now: Moment) -> u64 {
        now.millis() / self.part_milliseconds
    }

    /// When a part begins.
    pub fn begin(&self, part: u64) -> Moment {
        Moment::from_millis(part.saturating_mul(self.part_milliseconds))
    }
}

/// A window as it is stored.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Window {
    pub subject: String,
    pub policy: String,
    pub part_milliseconds: u64,
    pub part_number: u64,
    pub admitted_total: u64,
    pub admitted_now: u64,
    /// The latest first.
    pub admitted_before: Vec<u64>,
    pub ttl: u64,
}

impl Window {
    /// Nothing admitted yet.
    pub fn empty(rule: &Rule, subject: &str, policy: &str, part: u64) -> Window {
        let window = Window {
            subject: subject.to_owned(),
            policy: policy.to_owned(),
            part_milliseconds: rule.part_milliseconds,
            part_number: part,
            admitted_total: 0,
            admitted_now: 0,
            admitted_before: vec![0; rule.parts],
            ttl: 0,
        };
        window.kept(rule)
    }

    /// Whether it is counted by this rule's parts.
    pub fn follows(&self, rule: &Rule) -> bool {
        self.part_milliseconds == rule.part_milliseconds && self.admitted_before.len() == rule.parts
    }

    /// The window at a part, which is not before its own. One that was counted in other parts keeps
    /// its total as if all of it was admitted just before: that can only refuse more.
    pub fn at(&self, rule: &Rule, part: u64) -> Window {
        let mut next = Window::empty(rule, &self.subject, &self.policy, part);
        if !self.follows(rule) {
            next.admitted_before[0] = self.admitted_total;
            next.admitted_total = self.admitted_total;
            return next;
        }
        if part <= self.part_number {
            return self.clone();
        }
        let passed = usize::try_from(part - self.part_number).unwrap_or(usize::MAX);
        let counts = std::iter::once(&self.admitted_now).chain(&self.admitted_before);
        for (at, count) in counts.enumerate() {
            let to = passed.saturating_add(at).checked_sub(1);
            if let Some(place) = to.and_then(|to| next.admitted_before.get_mut(to)) {
                *place = *count;
            }
        }
        next.admitted_total = next.admitted_before.iter().sum();
        next
    }

    /// With a request counted.
    pub fn with(mut self, rule: &Rule, cost: u64) -> Window {
        self.admitted_total += cost;
        self.admitted_now += cost;
        self.kept(rule)
    }

    /// Kept as long as it can matter, and a day more for those who look.
    fn kept(mut self, rule: &Rule) -> Window {
        let after = self.part_number + rule.parts as u64 + 2;
        self.ttl = rule.begin(after).seconds() + 86_400;
        self
    }

    /// How much more is admitted now.
    pub fn room(&self, rule: &Rule) -> u64 {
        rule.limit.saturating_sub(self.admitted_total)
    }

    /// When a request of this cost is admitted, if nobody else comes; none if never.
    pub fn room_at(&self, rule: &Rule, cost: u64) -> Option<Moment> {
        if cost > rule.limit {
            return None;
        }
        let last = self.part_number + rule.parts as u64 + 1;
        let fits = |part: &u64| self.at(rule, *part).room(rule) >= cost;
        (self.part_number..=last).find(fits).map(|part| rule.begin(part))
    }

    /// When some of what is used becomes free.
    pub fn next_room_at(&self, rule: &Rule) -> Moment {
        let counts = std::iter::once(&self.admitted_now).chain(&self.admitted_before);
        let oldest = counts.enumerate().filter(|(_, count)| **count > 0).last();
        let age = oldest.map_or(rule.parts, |(age, _)| age);
        rule.begin(self.part_number + (rule.parts + 1 - age.min(rule.parts)) as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RULE: Rule = Rule { limit: 10, parts: 3, part_milliseconds: 100 };

    #[test]
    fn parts_leave_one_by_one() {
        let window = Window::empty(&RULE, "s", "p", 5).with(&RULE, 4).at(&RULE, 6).with(&RULE, 6);
        assert_eq!((window.admitted_total, window.room(&RULE)), (10, 0));
        assert_eq!(window.at(&RULE, 8).admitted_before, [0, 6, 4]);
        assert_eq!(window.at(&RULE, 9).admitted_before, [0, 0, 6]);
        assert_eq!(window.at(&RULE, 9).room(&RULE), 4);
        assert_eq!(window.at(&RULE, 10).room(&RULE), 10);
        assert_eq!(window.at(&RULE, u64::MAX / 200).room(&RULE), 10);
        assert_eq!(window.room_at(&RULE, 1), Some(Moment::from_millis(900)));
        assert_eq!(window.room_at(&RULE, 5), Some(Moment::from_millis(1000)));
        assert_eq!(window.room_at(&RULE, 11), None);
        assert_eq!(window.next_room_at(&RULE), Moment::from_millis(900));
    }

    #[test]
    fn another_cut_forgets_nothing() {
        let window = Window::empty(&RULE, "s", "p", 5).with(&RULE, 7);
        let other = Rule { limit: 10, parts: 5, part_milliseconds: 60 };
        let moved = window.at(&other, 9);
        assert_eq!((moved.admitted_total, moved.room(&other)), (7, 3));
        assert_eq!(moved.at(&other, 9 + 4).admitted_total, 7);
        assert_eq!(moved.at(&other, 9 + 5).admitted_total, 0);
    }

    #[test]
    fn parts_are_never_shorter_than_their_share() {
        assert_eq!(Rule::new(1, 1, 7).part_milliseconds, 143);
        assert_eq!(Rule::new(1, 60, 60).part_milliseconds, 1000);
    }
}
