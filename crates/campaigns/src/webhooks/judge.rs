//! What is in the table afterwards, and whether it is as promised.

use std::fmt;

use webhooks::Attempt;

use super::WebhooksArguments;
use super::receiver::Seen;
use super::world::{FAILURES_TO_OPEN, Told, World, text};

/// What a campaign found.
#[derive(Clone, Debug, Default)]
pub struct Findings {
    /// Events times endpoints.
    pub wanted: usize,
    /// Deliveries whose record has exactly one success, at its end.
    pub delivered: usize,
    /// Attempts that were recorded.
    pub attempts: usize,
    /// Requests that came.
    pub requests: usize,
    /// Workers that were killed.
    pub kills: usize,
    /// Requests whose worker was killed before it had the answer.
    pub cut_off: usize,
    /// Requests that no attempt was recorded of, each made again: those, and the ones whose worker was
    /// killed between answer and record.
    pub unrecorded: usize,
    /// Deliveries that the endpoint took twice, because the first time could not be recorded.
    pub repeated: usize,
    /// How often the owner was told of the outage.
    pub told: Told,
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
        let Told { messages, mails, recorded } = self.told;
        writeln!(
            f,
            "{} of {} deliveries made, {} attempts recorded, {} requests, {} workers killed, {} \
             requests cut off, {} made again, {} taken twice, owner told {messages} time by message, \
             {mails} by mail, {recorded} in the audit log, {} broken promises",
            self.delivered,
            self.wanted,
            self.attempts,
            self.requests,
            self.kills,
            self.cut_off,
            self.unrecorded,
            self.repeated,
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
        told: world.told().await?,
        kills,
        ..Findings::default()
    };
    let messages = world.platform.messages();
    let mut token: Option<String> = None;
    loop {
        let page = messages.list(&world.account, "", 500, token.as_deref()).await.map_err(text)?;
        for event in page.items.iter().filter(|event| event.event_type == "campaign.event") {
            let attempts = messages.all_attempts(&world.account, &event.id).await.map_err(text)?;
            for (endpoint, url) in &world.endpoints {
                let of_one = attempts.iter().filter(|one| one.endpoint_id == *endpoint);
                let seen = world.receiver.seen(&event.id, url);
                judge_one(world, &of_one.collect::<Vec<_>>(), seen, &mut findings);
            }
        }
        token = page.next;
        if token.is_none() {
            break;
        }
    }
    judge_all(world, arguments, &mut findings).await?;
    Ok(findings)
}

async fn judge_all(
    world: &World,
    arguments: &WebhooksArguments,
    findings: &mut Findings,
) -> Result<(), String> {
    // What was under way in a killed worker may have been answered without being recorded.
    let most = findings.kills * world.settings.concurrency;
    let mut broken = Vec::new();
    if findings.unrecorded > most {
        broken.push(format!("{} were made again, and {most} at most could", findings.unrecorded));
    }
    if findings.kills > 0 && findings.cut_off == 0 {
        broken.push("no worker was killed in the middle of a request: nothing is shown".to_owned());
    }
    let has_outage = arguments.endpoints > 1
        && i64::try_from(arguments.events).unwrap_or(i64::MAX) > 2 * FAILURES_TO_OPEN;
    if has_outage && findings.told != (Told { messages: 1, mails: 1, recorded: 1 }) {
        broken.push(format!("the owner was told otherwise than once: {:?}", findings.told));
    }
    for (endpoint, url) in world.endpoints.iter().take(2) {
        if !world.has_everything(endpoint).await? {
            broken.push(format!("{url} misses something, as the platform says itself"));
        }
    }
    findings.broken.extend(broken);
    Ok(())
}

fn judge_one(world: &World, attempts: &[&Attempt], seen: Seen, findings: &mut Findings) {
    findings.attempts += attempts.len();
    findings.cut_off += seen.cut_off;
    findings.unrecorded += seen.requests.saturating_sub(attempts.len());
    findings.repeated += usize::from(seen.taken > 1);
    let Some(last) = attempts.last() else { return };
    let successes = attempts.iter().filter(|attempt| attempt.outcome == "success").count();
    let name = format!("{} to {}", last.event_id, last.endpoint_id);
    match (successes, last.outcome.as_str()) {
        (1, "success") => findings.delivered += 1,
        (0, _) => {}
        _ => findings.broken.push(format!("{name}: an attempt after the success")),
    }
    // Each answer says which request it answers: the one that was recorded must be the last that came.
    let recorded = last.response_excerpt.as_deref();
    if successes == 1 && recorded != Some(seen.last.to_string().as_str()) {
        let (recorded, last) = (recorded.unwrap_or_default(), seen.last);
        let broken =
            format!("{name}: request {last} came beside {recorded}, whose success is recorded");
        findings.broken.push(broken);
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
