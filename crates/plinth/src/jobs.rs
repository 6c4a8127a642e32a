//! What has to be done now and then while the services run: by whom, how often, and what came of it.
//!
//! Every job has a task of its own, so that a long one does not hold up the others, and says itself
//! when it was last done: what the store says counts, not when this process started.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use audit::Audit;
use database::clock::Clock;
use identity::keys::Keys;
use kernel::metrics::{Counter, Metrics};
use kernel::{Error, Moment, PLATFORM};
use platform::Platform;
use secrets::Vault;
use store::{Pauses, TokioPauses};
use tokio::task::JoinSet;

const DAY: Duration = Duration::from_secs(24 * 60 * 60);
const MINUTE: Duration = Duration::from_secs(60);
/// How soon a job is tried again that failed, if it is not due sooner.
const AGAIN: Duration = Duration::from_secs(5 * 60);
/// The longest sleep: a clock that was set forward is noticed after this.
const SLEEP_MAX: Duration = Duration::from_secs(60);

/// What came of it, in words for the log; nothing if there was nothing to do.
type Outcome = Result<Option<String>, Error>;
type Running<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// Something that is done now and then.
trait Job: Send + Sync + 'static {
    /// Its name in log lines and metrics.
    fn name(&self) -> &'static str;

    /// How long after one run the next is due.
    fn every(&self) -> Duration;

    /// When it was last done, as far as that is known.
    fn last_done(&self) -> Running<'_, Result<Option<Moment>, Error>> {
        Box::pin(std::future::ready(Ok(None)))
    }

    /// Does it.
    fn run(&self) -> Running<'_, Outcome>;
}

/// Signs checkpoints of the audit log, and lets go of what has been kept long enough.
struct Seal(Audit);

impl Job for Seal {
    fn name(&self) -> &'static str {
        "seal-audit-log"
    }

    fn every(&self) -> Duration {
        DAY
    }

    /// The last checkpoint of the platform's own chain: every day of sealing makes one, unless nothing
    /// happened, and then there is little to seal.
    fn last_done(&self) -> Running<'_, Result<Option<Moment>, Error>> {
        Box::pin(async {
            let checkpoints = self.0.checkpoints(PLATFORM).await?;
            Ok(checkpoints.last().map(|checkpoint| checkpoint.sealed_at))
        })
    }

    fn run(&self) -> Running<'_, Outcome> {
        Box::pin(async {
            let sealed = self.0.seal_all(|_| ()).await?;
            for (account, error) in &sealed.failed {
                tracing::error!(job = self.name(), account, ?error, "an account was not sealed");
            }
            let (accounts, made) = (sealed.accounts, sealed.checkpoints.len());
            match sealed.failed.len() {
                0 => Ok(Some(format!("{made} checkpoints for {accounts} accounts"))),
                failed => Err(Error::internal(format!("{failed} of {accounts} accounts failed"))),
            }
        })
    }
}

/// Writes when API keys were last used.
struct LastUsed(Arc<Keys>);

impl Job for LastUsed {
    fn name(&self) -> &'static str {
        "note-use-of-keys"
    }

    fn every(&self) -> Duration {
        MINUTE
    }

    fn run(&self) -> Running<'_, Outcome> {
        Box::pin(async {
            let written = self.0.write_last_used().await?;
            Ok((written > 0).then(|| format!("{written} keys")))
        })
    }
}

/// Lets another key sign access tokens when the newest has become old.
struct Rotate {
    platform: Platform,
    age: Duration,
}

impl Job for Rotate {
    fn name(&self) -> &'static str {
        "rotate-signing-key"
    }

    /// Asked more often than it is done: the ring of keys knows how old they are.
    fn every(&self) -> Duration {
        Duration::from_secs(60 * 60)
    }

    fn run(&self) -> Running<'_, Outcome> {
        Box::pin(async {
            let made = self.platform.identity().keys().rotate_if_older(self.age).await?;
            Ok(made.map(|kid| format!("{kid} signs soon")))
        })
    }
}

/// Wraps the accounts' keys under the newest master key, so that an older one can be taken away.
struct Rewrap(Arc<Vault>);

impl Job for Rewrap {
    fn name(&self) -> &'static str {
        "wrap-account-keys"
    }

    /// Other instances may have made keys under an older one since.
    fn every(&self) -> Duration {
        Duration::from_secs(60 * 60)
    }

    fn run(&self) -> Running<'_, Outcome> {
        Box::pin(async {
            let moved = self.0.rewrap().await?;
            Ok((moved > 0).then(|| format!("{moved} accounts are under the newest master key")))
        })
    }
}

/// The jobs of the platform, while this is kept.
pub struct Jobs {
    _running: JoinSet<()>,
}

/// Starts them all.
pub fn start(platform: &Platform, metrics: &Metrics, key_age: Option<Duration>) -> Jobs {
    let mut jobs: Vec<Box<dyn Job>> = vec![
        Box::new(Seal(platform.audit().clone())),
        Box::new(LastUsed(Arc::clone(platform.keys()))),
        Box::new(Rewrap(Arc::clone(platform.vault()))),
    ];
    if let Some(age) = key_age {
        jobs.push(Box::new(Rotate { platform: platform.clone(), age }));
    }
    let help = "Runs of background jobs, by outcome";
    let runs = metrics.counter("plinth", "job_runs", help);
    let mut running = JoinSet::new();
    for job in jobs {
        let (clock, runs) = (Arc::clone(platform.clock()), runs.clone());
        running.spawn(async move { repeat(&*job, &*clock, &TokioPauses, &runs).await });
    }
    Jobs { _running: running }
}

/// Does a job whenever it is due, for ever.
async fn repeat(job: &dyn Job, clock: &dyn Clock, pauses: &dyn Pauses, runs: &Counter) {
    let now = || Moment::from_millis(clock.now_millis());
    let mut due = match job.last_done().await {
        Ok(last) => last.map_or_else(now, |last| last.after(job.every())),
        Err(error) => {
            tracing::warn!(job = job.name(), ?error, "it is not known when it was last done");
            now()
        }
    };
    loop {
        let left = due.since(now());
        if !left.is_zero() {
            pauses.pause(left.min(SLEEP_MAX)).await;
            continue;
        }
        let began = now();
        let wait = match job.run().await {
            Ok(done) => {
                runs.count(&[("name", job.name()), ("outcome", "success")]);
                if let Some(done) = done {
                    tracing::info!(job = job.name(), done, "a background job is done");
                }
                job.every()
            }
            Err(error) => {
                runs.count(&[("name", job.name()), ("outcome", "failure")]);
                tracing::error!(job = job.name(), ?error, "a background job failed");
                job.every().min(AGAIN)
            }
        };
        due = began.after(wait);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use database::clock::ManualClock;

    use super::*;

    /// A job that was done at 0 and fails each third time.
    struct Sample {
        clock: ManualClock,
        runs: Mutex<Vec<u64>>,
    }

    impl Job for Sample {
        fn name(&self) -> &'static str {
            "sample"
        }

        fn every(&self) -> Duration {
            DAY
        }

        fn last_done(&self) -> Running<'_, Result<Option<Moment>, Error>> {
            Box::pin(std::future::ready(Ok(Some(Moment::from_millis(0)))))
        }

        fn run(&self) -> Running<'_, Outcome> {
            let mut runs = self.runs.lock().unwrap();
            runs.push(self.clock.now_millis() / 1000);
            let outcome = match runs.len() % 3 {
                0 => Err(Error::internal("the third time")),
                _ => Ok(Some("done".to_owned())),
            };
            Box::pin(std::future::ready(outcome))
        }
    }

    /// Time goes by only while somebody waits.
    struct Passing(ManualClock);

    impl Pauses for Passing {
        fn pause(&self, duration: Duration) -> Pin<Box<dyn Future<Output = ()> + Send>> {
            assert!(duration <= SLEEP_MAX, "{duration:?}");
            self.0.advance(u64::try_from(duration.as_millis()).unwrap());
            Box::pin(tokio::task::yield_now())
        }
    }

    async fn watched(start_seconds: u64) -> (Vec<u64>, String) {
        let clock = ManualClock::new(start_seconds * 1000);
        let job = Arc::new(Sample { clock: clock.clone(), runs: Mutex::default() });
        let metrics = Metrics::new();
        let runs = metrics.counter("plinth", "job_runs", "");
        let watched = Arc::clone(&job);
        let task = tokio::spawn(async move {
            repeat(&*watched, &clock, &Passing(clock.clone()), &runs).await;
        });
        while job.runs.lock().unwrap().len() < 5 {
            tokio::task::yield_now().await;
        }
        task.abort();
        let times = job.runs.lock().unwrap().clone();
        (times[..5].to_vec(), metrics.text())
    }

    /// Issue 5, item 6: checkpoints are made daily, whenever the process was started.
    #[tokio::test]
    async fn a_job_is_done_when_it_is_due_and_soon_again_after_a_failure() {
        let day = DAY.as_secs();
        let (times, counted) = watched(1000).await;
        let third = 3 * day;
        assert_eq!(times, [day, 2 * day, third, third + 300, third + 300 + day]);
        let line = "plinth_job_runs_total{name=\"sample\",outcome=\"failure\"} 1";
        assert!(counted.contains(line), "{counted}");
    }

    #[tokio::test]
    async fn a_job_that_was_missed_while_nothing_ran_is_done_at_once() {
        let day = DAY.as_secs();
        assert_eq!(watched(10 * day + 5).await.0[..2], [10 * day + 5, 11 * day + 5]);
    }
}
