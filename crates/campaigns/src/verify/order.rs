//! Real time: what was answered before another operation was sent came before it in the log.

use super::Findings;
use super::replay::Replayed;
use crate::ledger::History;
use crate::workload::Effect;

pub(super) fn check(history: &History, replayed: &Replayed<'_>, findings: &mut Findings) {
    let bounds = Bounds::new(history, replayed);
    for (attempt, commits) in history.attempts.iter().zip(&replayed.commits) {
        let earlier = bounds.before[attempt.sent];
        if let Some((first, _)) = commits
            && *first <= earlier
        {
            findings.add(format!(
                "operation {} is commit {first}, but commit {earlier} was answered before it was \
                 sent",
                attempt.operation.id
            ));
        }
    }
    check_deletions(history, replayed, &bounds, findings);
    check_removals(history, replayed, &bounds, findings);
}

/// A deletion that left no record: there must have been a moment without the item.
fn check_deletions(
    history: &History,
    replayed: &Replayed<'_>,
    bounds: &Bounds,
    findings: &mut Findings,
) {
    for (place, attempt) in history.attempts.iter().enumerate() {
        let Some(ended) = attempt.ended else { continue };
        let window = (bounds.before[attempt.sent], bounds.after[ended]);
        for (position, action) in attempt.operation.actions.iter().enumerate() {
            let seen = replayed.evidence[place] >> position & 1 == 1;
            let certain = attempt.certainty.is_certain(position);
            let silent = action.effect == Effect::Delete && certain && !seen;
            let has_stream = action.name.table.has_stream();
            if silent && has_stream && !replayed.is_absent_within(action.name, window) {
                findings.add(format!(
                    "operation {} deleted {:?}, which was there all the time",
                    attempt.operation.id, action.name
                ));
            }
        }
    }
}

/// Every removal must be the work of some deletion that was under way at the time.
fn check_removals(
    history: &History,
    replayed: &Replayed<'_>,
    bounds: &Bounds,
    findings: &mut Findings,
) {
    for (name, commit) in &replayed.unclaimed {
        let fits = |place: usize| {
            let attempt = &history.attempts[place];
            let after = attempt.ended.map_or(u64::MAX, |ended| bounds.after[ended]);
            bounds.before[attempt.sent] < *commit && *commit < after
        };
        if !replayed.untold_deletions(*name).any(fits) {
            findings.add(format!("commit {commit} removes {name:?}, and no operation can have"));
        }
    }
}

/// For each moment of the ledger, what is known about the log.
struct Bounds {
    /// The last commit of an operation answered before this moment.
    before: Vec<u64>,
    /// The first commit of an operation sent after this moment.
    after: Vec<u64>,
}

impl Bounds {
    fn new(history: &History, replayed: &Replayed<'_>) -> Bounds {
        let mut before = vec![0; history.notes + 1];
        let mut after = vec![u64::MAX; history.notes + 1];
        for (attempt, commits) in history.attempts.iter().zip(&replayed.commits) {
            let Some((first, last)) = commits else { continue };
            if let Some(ended) = attempt.ended {
                before[ended + 1] = before[ended + 1].max(*last);
            }
            if attempt.sent > 0 {
                after[attempt.sent - 1] = after[attempt.sent - 1].min(*first);
            }
        }
        for moment in 1..before.len() {
            before[moment] = before[moment].max(before[moment - 1]);
        }
        for moment in (1..after.len()).rev() {
            after[moment - 1] = after[moment - 1].min(after[moment]);
        }
        Bounds { before, after }
    }
}
