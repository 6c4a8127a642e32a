//! What is in the table afterwards, and whether it is as promised.

use std::fmt;
use std::sync::atomic::Ordering;

use platform::webhooks::Attempt;

use super::WebhooksArguments;
use super::world::{ACCOUNT, World};

/// What a campaign found.
#[derive(Clone, Debug, Default)]
pub struct Findings {
    /// Events times endpoints.
    pub wanted: usize,
    /// Deliveries whose record has exactly one success.
    pub delivered: usize,
    /// Attempts that were recorded.
    pub attempts: usize,
    /// Requests that came.
    pub requests: usize,
    /// Workers that were killed.
    pub kills: usize,
    /// Deliveries that came again because the worker was killed before it could note the success.
    pub repeated: usize,
    /// Notices to the owner that were made ready; of two workers that do so at once, one commits.
    pub notices: usize,
    /// What is not as promised.
    pub broken: Vec<String>,
}

impl Findings {
    /// Whether everything is as promised.
    pub fn is_well(&self) -> bool {
        self.broken.is_empty() && self.delivered == self.wanted
    }
}

impl fmt::Display for Findings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{} of {} deliveries made, {} attempts, {} requests, {} workers killed, {} came again \
             after a kill, {} notices, {} broken promises",
            self.delivered,
            self.wanted,
            self.attempts,
            self.requests,
            self.kills,
            self.repeated,
            self.notices,
            self.broken.len()
        )?;
        self.broken.iter().take(20).try_for_each(|broken| writeln!(f, "  {broken}"))
    }
}

/// Reads every delivery and attempt and judges them.
pub async fn judge(
    world: &World,
    arguments: &WebhooksArguments,
    kills: usize,
) -> Result<Findings, String> {
    let mut findings = Findings {
        wanted: arguments.events * arguments.endpoints,
        requests: world.receiver.requests(),
        repeated: world.receiver.taken().iter().filter(|taken| **taken > 1).count(),
        notices: world.notices.load(Ordering::SeqCst),
        kills,
        ..Findings::default()
    };
    let mut token: Option<String> = None;
    loop {
        let page = world.messages.list(ACCOUNT, "", 500, token.as_deref()).await;
        let page = page.map_err(|error| format!("{error:?}"))?;
        for event in page.items {
            for endpoint in &world.endpoint_ids {
                let attempts = world.messages.attempts(ACCOUNT, &event.id, endpoint).await;
                let attempts = attempts.map_err(|error| format!("{error:?}"))?;
                judge_one(world, &attempts, &mut findings);
            }
        }
        token = page.next;
        if token.is_none() {
            break;
        }
    }
    // What was under way in a killed worker may have been answered without being noted.
    let most = kills * world.settings.concurrency;
    if findings.repeated > most {
        let broken =
            format!("{} deliveries came again, and {most} at most could", findings.repeated);
        findings.broken.push(broken);
    }
    Ok(findings)
}

fn judge_one(world: &World, attempts: &[Attempt], findings: &mut Findings) {
    findings.attempts += attempts.len();
    let Some(last) = attempts.last() else { return };
    let successes = attempts.iter().filter(|attempt| attempt.outcome == "success").count();
    let name = format!("{} to {}", last.event_id, last.endpoint_id);
    match (successes, last.outcome.as_str()) {
        (1, "success") => findings.delivered += 1,
        (0, _) => {}
        _ => findings.broken.push(format!("{name}: an attempt after the success")),
    }
    for (at, attempt) in attempts.iter().enumerate() {
        if usize::try_from(attempt.attempt_number) != Ok(at + 1) {
            findings.broken.push(format!("{name}: attempt {} is missing", at + 1));
        }
    }
    for (at, pair) in attempts.windows(2).enumerate() {
        let delay = world.settings.schedule.delay_after(at + 1).unwrap_or_default();
        let gap = pair[1].attempted_at.since(pair[0].attempted_at);
        if gap < delay {
            findings.broken.push(format!("{name}: attempt {} after {gap:?}", at + 2));
        }
    }
}
