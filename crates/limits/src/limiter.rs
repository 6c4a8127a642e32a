//! The limiter asks the policies, and lets an operator look and forgive.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::Duration;

use kernel::clock::Clock;
use kernel::error::{Error, NOT_FOUND};
use kernel::moment::Moment;
use patterns::platform::RateLimits;
use serde::Serialize;
use store::{Store, Write};

use super::burst::{self, Bucket};
use super::counter;
use super::decision::{Decision, Verdict};
use super::known::{Known, Refused};
use super::policies::Policies;
use super::policy::{Algorithm, Mode, OnFailure, Policy};
use super::subject::Asked;
use super::window::{Rule, Window};

/// Subjects that the report of the watching policies has room for.
const REPORT_MAX: usize = 10_000;

/// Decides who may ask how much. Share it in an `Arc`; several instances share a store.
pub struct Limiter {
    table: RateLimits,
    clock: Arc<dyn Clock>,
    policies: RwLock<Arc<Policies>>,
    known: Known,
    would_refuse: Mutex<BTreeMap<[String; 2], u64>>,
}

/// How far somebody has used a limit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Inspection {
    /// The policy.
    pub policy: String,
    /// Who.
    pub subject: String,
    /// Their limit.
    pub limit: u64,
    /// How much more they may ask now.
    pub remaining: u64,
    /// From when on they may ask more.
    pub more_at: Option<Moment>,
}

/// Somebody whom a policy that only watches would have refused.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct WouldRefuse {
    /// The policy.
    pub policy: String,
    /// Who.
    pub subject: String,
    /// How often, on this instance since it started.
    pub count: u64,
}

impl Limiter {
    /// A limiter with these policies.
    pub fn new(store: &Store, clock: Arc<dyn Clock>, policies: Policies) -> Result<Limiter, Error> {
        let table = RateLimits::open(store)?;
        let policies = RwLock::new(Arc::new(policies));
        let (known, would_refuse) = (Known::default(), Mutex::default());
        Ok(Limiter { table, clock, policies, known, would_refuse })
    }

    /// Uses these policies from now on. What was counted stays counted.
    pub fn replace_policies(&self, policies: Policies) {
        *self.policies.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(policies);
    }

    /// The policies in use.
    pub fn policies(&self) -> Arc<Policies> {
        Arc::clone(&self.policies.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Counts a request by every policy that is for it, until one refuses it. What an earlier policy
    /// admitted stays counted there. An error only if a policy that fails closed cannot be asked.
    pub async fn check(&self, asked: &Asked<'_>) -> Result<Decision, Error> {
        let mut decision = Decision::default();
        for policy in self.policies().iter().filter(|policy| policy.covers(asked.route)) {
            let Some(subject) = asked.subject(policy.by) else { continue };
            let verdict = self.check_one(policy, &subject, asked.cost).await?;
            decision.verdicts.push(verdict);
            if !decision.is_admitted() {
                break;
            }
        }
        Ok(decision)
    }

    /// Counts a request by one policy, also one that is not among the limiter's own.
    pub async fn check_one(
        &self,
        policy: &Policy,
        subject: &str,
        times: u64,
    ) -> Result<Verdict, Error> {
        let call = Call {
            limiter: self,
            policy,
            key: [policy.name.clone(), subject.to_owned()],
            limit: policy.limit_of(subject),
            cost: policy.cost.saturating_mul(times.max(1)),
            now: self.now(),
        };
        let verdict = match call.run().await {
            Ok(verdict) => verdict,
            Err(_) if policy.shadow || policy.on_failure == OnFailure::Open => call.unasked(),
            Err(error) => return Err(Error::unavailable(error)),
        };
        if policy.shadow && !verdict.admitted {
            self.note_would_refuse(&call.key);
        }
        Ok(verdict)
    }

    /// How far somebody has used a limit. The subject is as [`Asked::subject`] gives it.
    pub async fn inspect(&self, policy: &str, subject: &str) -> Result<Inspection, Error> {
        let policies = self.policies();
        let policy = policies.find(policy).ok_or_else(|| no_policy(policy))?;
        self.inspect_one(policy, subject).await
    }

    /// The same of a policy that need not be among the limiter's own.
    pub async fn inspect_one(&self, policy: &Policy, subject: &str) -> Result<Inspection, Error> {
        let (limit, now) = (policy.limit_of(subject), self.now());
        let (remaining, more_at) = match policy.algorithm {
            Algorithm::SlidingWindow { parts } => {
                let rule = Rule::new(limit, policy.window_seconds, parts);
                let window = self.table.get_window(subject, &policy.name).get::<Window>().await?;
                let window = window.map(|window| window.at(&rule, rule.part(now)));
                let used = window.filter(|window| window.admitted_total > 0);
                used.map_or((limit, None), |window| {
                    (window.room(&rule), Some(window.next_room_at(&rule)))
                })
            }
            Algorithm::Burst { burst } => {
                let rule = burst::Rule::new(limit, policy.window_seconds, burst);
                let bucket = self.table.get_bucket(subject, &policy.name).get::<Bucket>().await?;
                let arrival = bucket.map_or(0, |bucket| bucket.theoretical_arrival_us);
                let room = rule.room(arrival, now);
                (room, rule.room_at(arrival, room + 1).filter(|_| room < burst))
            }
        };
        let (policy, subject) = (policy.name.clone(), subject.to_owned());
        Ok(Inspection { policy, subject, limit, remaining, more_at })
    }

    /// Forgets what was counted of somebody; other instances see it within five seconds. False if
    /// nothing was counted.
    pub async fn reset(&self, policy: &str, subject: &str) -> Result<bool, Error> {
        let policies = self.policies();
        let policy = policies.find(policy).ok_or_else(|| no_policy(policy))?;
        let deleted = self.reset_write(policy, subject)?.run().await;
        self.forget(policy, subject);
        match deleted {
            Ok(_) => Ok(true),
            Err(store::Error::ConditionFailed { .. }) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }

    /// The write that forgets what was counted of somebody, on condition that something was. Whoever
    /// commits it calls [`Limiter::forget`] afterwards.
    pub fn reset_write(&self, policy: &Policy, subject: &str) -> Result<Write, Error> {
        let reset = match policy.algorithm {
            Algorithm::SlidingWindow { .. } => self.table.reset_window(subject, &policy.name),
            Algorithm::Burst { .. } => self.table.reset_bucket(subject, &policy.name),
        };
        Ok(reset.delete()?)
    }

    /// Forgets what this instance remembers of somebody.
    pub fn forget(&self, policy: &Policy, subject: &str) {
        self.known.forget(&[policy.name.clone(), subject.to_owned()]);
    }

    /// Whom the policies that only watch would have refused, most often first.
    pub fn would_refuse(&self) -> Vec<WouldRefuse> {
        let counts = self.would_refuse.lock().unwrap_or_else(PoisonError::into_inner);
        let row = |([policy, subject], count): (&[String; 2], &u64)| WouldRefuse {
            policy: policy.clone(),
            subject: subject.clone(),
            count: *count,
        };
        let mut rows: Vec<WouldRefuse> = counts.iter().map(row).collect();
        rows.sort_by_key(|row| std::cmp::Reverse(row.count));
        rows
    }

    fn note_would_refuse(&self, key: &[String; 2]) {
        let mut counts = self.would_refuse.lock().unwrap_or_else(PoisonError::into_inner);
        if counts.len() < REPORT_MAX || counts.contains_key(key) {
            *counts.entry(key.clone()).or_default() += 1;
        }
    }

    fn now(&self) -> Moment {
        Moment::from_millis(self.clock.now_millis())
    }
}

/// One policy, being asked.
struct Call<'a> {
    limiter: &'a Limiter,
    policy: &'a Policy,
    /// Policy and subject.
    key: [String; 2],
    limit: u64,
    cost: u64,
    now: Moment,
}

impl Call<'_> {
    /// What asks the store is boxed: most requests need not, and carry nothing for it.
    async fn run(&self) -> Result<Verdict, store::Error> {
        if let Some(verdict) = self.known_refusal() {
            return Ok(verdict);
        }
        match self.policy.algorithm {
            Algorithm::Burst { burst } => Box::pin(self.burst(burst)).await,
            Algorithm::SlidingWindow { parts } => {
                let rule = Rule::new(self.limit, self.policy.window_seconds, parts);
                match self.policy.mode {
                    Mode::Exact => Box::pin(self.exact(&rule, self.cost)).await,
                    Mode::Fast { block } => match self.spend(&rule) {
                        Some(verdict) => Ok(verdict),
                        None => Box::pin(self.next_block(&rule, block)).await,
                    },
                }
            }
        }
    }

    /// One write.
    async fn exact(&self, rule: &Rule, taken: u64) -> Result<Verdict, store::Error> {
        let known = &self.limiter.known;
        let seen = known.get(&self.key).window;
        let (table, names) = (&self.limiter.table, [self.subject(), &self.policy.name]);
        let done = counter::take(table, rule, names, taken, self.now, seen).await?;
        known.saw_window(&self.key, done.window.clone());
        let window = done.window;
        if !done.admitted {
            let refused = Refused {
                cost: self.cost,
                limit: self.limit,
                remaining: window.room(rule),
                room_at: window.room_at(rule, self.cost),
                believed_until: self.now,
            };
            // A block that is refused does not mean that one request is.
            if refused.remaining < self.cost {
                known.refuse(&self.key, self.now, refused);
            }
            return Ok(self.refusal(&refused));
        }
        if taken > self.cost {
            known.keep(&self.key, taken, taken - self.cost, window.part_number + 1);
        }
        let reset = window.next_room_at(rule).since(self.now);
        let at = self.now.max(rule.begin(window.part_number));
        Ok(self.verdict(true, window.room(rule) + (taken - self.cost), reset, at))
    }

    /// There is no write while a block lasts, and one at a time when there is none.
    async fn next_block(&self, rule: &Rule, block: u64) -> Result<Verdict, store::Error> {
        let turn = self.limiter.known.turn(&self.key);
        let Some(_mine) = turn.wait(self.cost).await else {
            let why = "the store did not answer another request of the same subject";
            return Err(store::Error::Unavailable(why.to_owned()));
        };
        if let Some(verdict) = self.known_refusal().or_else(|| self.spend(rule)) {
            return Ok(verdict);
        }
        let all = self.cost.saturating_add(turn.waiting());
        let block = self.limiter.known.next_block(&self.key, rule, block, self.now);
        let block = block.max(all).min(self.limit).max(self.cost);
        self.block_or_one(rule, block).await.inspect_err(|_| turn.fail())
    }

    /// Near the limit, every request counts by itself.
    async fn block_or_one(&self, rule: &Rule, block: u64) -> Result<Verdict, store::Error> {
        let verdict = self.exact(rule, block).await?;
        if verdict.admitted || block == self.cost || verdict.remaining < self.cost {
            return Ok(verdict);
        }
        self.exact(rule, self.cost).await
    }

    fn spend(&self, rule: &Rule) -> Option<Verdict> {
        let (remaining, reset) = self.limiter.known.spend(&self.key, rule, self.cost, self.now)?;
        Some(self.verdict(true, remaining, reset.since(self.now), self.now))
    }

    fn known_refusal(&self) -> Option<Verdict> {
        let refused = self.limiter.known.refused(&self.key, self.now, self.cost, self.limit);
        refused.map(|refused| self.refusal(&refused))
    }

    async fn burst(&self, burst: u64) -> Result<Verdict, store::Error> {
        let rule = burst::Rule::new(self.limit, self.policy.window_seconds, burst);
        let known = &self.limiter.known;
        let seen = known.get(&self.key).arrival_us;
        let (table, names) = (&self.limiter.table, [self.subject(), &self.policy.name]);
        let done = burst::take(table, &rule, names, self.cost, self.now, seen).await?;
        known.saw_arrival(&self.key, done.arrival_us);
        let remaining = rule.room(done.arrival_us, self.now);
        if !done.admitted {
            let refused = Refused {
                cost: self.cost,
                limit: self.limit,
                remaining,
                room_at: rule.room_at(done.arrival_us, self.cost),
                believed_until: self.now,
            };
            known.refuse(&self.key, self.now, refused);
            return Ok(self.refusal(&refused));
        }
        let more = rule.room_at(done.arrival_us, remaining + 1).unwrap_or(self.now);
        Ok(self.verdict(true, remaining, more.since(self.now), self.now))
    }

    /// Nobody could be asked, and the policy lets the request pass.
    fn unasked(&self) -> Verdict {
        let verdict = self.verdict(true, self.limit, Duration::ZERO, self.now);
        Verdict { degraded: true, ..verdict }
    }

    fn refusal(&self, refused: &Refused) -> Verdict {
        let after = refused.room_at.map(|at| at.since(self.now));
        let reset = after.unwrap_or(Duration::from_secs(self.policy.window_seconds));
        let verdict = self.verdict(false, refused.remaining, reset, self.now);
        Verdict { retry_after: after, ..verdict }
    }

    fn verdict(&self, admitted: bool, remaining: u64, reset: Duration, at: Moment) -> Verdict {
        Verdict {
            policy: self.policy.name.clone(),
            limit: self.limit,
            window_seconds: self.policy.window_seconds,
            admitted,
            shadow: self.policy.shadow,
            remaining,
            reset,
            retry_after: None,
            at,
            degraded: false,
        }
    }

    fn subject(&self) -> &str {
        &self.key[1]
    }
}

fn no_policy(name: &str) -> Error {
    Error::new(NOT_FOUND, format!("There is no rate limit {name}"))
}
