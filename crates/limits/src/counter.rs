//! A sliding window in the store. The usual request is one conditional update, which commutes with
//! those of other instances; the first of a part also moves the window on.

use kernel::moment::Moment;
use patterns::platform::RateLimits;
use store::Changes;
use values::{AttributeValue, Number};

use super::window::{Rule, Window};

/// How often it is tried when other instances are faster. Each failure shows the window as it is, and
/// only the moves between parts get in each other's way: more than a few in a row do not happen.
const TRIES: usize = 16;

/// What came of a request.
pub(super) struct Taken {
    pub admitted: bool,
    /// The window after it.
    pub window: Window,
}

/// What to try next.
enum Next {
    /// Count in this part, which the window is thought to be at.
    Count(u64),
    /// Move on from this window.
    Move(Window),
    /// Start anew.
    Start,
}

/// Takes from a window, or finds that it cannot. `seen` is the window as last seen here, if it was.
pub(super) async fn take(
    table: &RateLimits,
    rule: &Rule,
    [subject, policy]: [&str; 2],
    cost: u64,
    now: Moment,
    seen: Option<Window>,
) -> Result<Taken, store::Error> {
    let part = rule.part(now);
    let room = rule.limit.checked_sub(cost);
    // A window seen here may have been forgiven elsewhere: alone it is no reason to refuse.
    let mut next = match seen.filter(|seen| seen.at(rule, part).room(rule) >= cost) {
        Some(seen) => after(rule, part, seen),
        None => Next::Count(part),
    };
    for _ in 0..TRIES {
        let found = match next {
            Next::Count(at) => {
                let Some(room) = room else { break };
                match count(table, rule, [subject, policy], at, room, cost).await? {
                    Ok(window) => return Ok(Taken { admitted: true, window }),
                    Err(Some(found)) if found.follows(rule) && found.part_number >= at => {
                        if found.admitted_total > room {
                            return Ok(Taken { admitted: false, window: found });
                        }
                        Some(found)
                    }
                    Err(found) => found,
                }
            }
            Next::Move(seen) => {
                let moved = seen.at(rule, part);
                if moved.room(rule) < cost {
                    return Ok(Taken { admitted: false, window: moved });
                }
                match advance(table, &seen, moved.with(rule, cost)).await? {
                    Ok(window) => return Ok(Taken { admitted: true, window }),
                    Err(found) => found,
                }
            }
            Next::Start => {
                let Some(_) = room else { break };
                let window = Window::empty(rule, subject, policy, part).with(rule, cost);
                match start(table, &window).await? {
                    Ok(()) => return Ok(Taken { admitted: true, window }),
                    Err(found) => found,
                }
            }
        };
        next = found.map_or(Next::Start, |found| after(rule, part, found));
    }
    if room.is_none() {
        let window = Window::empty(rule, subject, policy, part);
        return Ok(Taken { admitted: false, window });
    }
    Err(store::Error::Busy(format!("the limit {policy} of {subject} is contended")))
}

/// What to try, having seen this window. A window that is ahead of this clock is taken at its word:
/// the instances' time is that of the fastest clock.
fn after(rule: &Rule, part: u64, seen: Window) -> Next {
    if seen.follows(rule) && seen.part_number >= part {
        return Next::Count(seen.part_number);
    }
    Next::Move(seen)
}

/// What was found when the condition was false.
type Tried<T> = Result<Result<T, Option<Window>>, store::Error>;

async fn count(
    table: &RateLimits,
    rule: &Rule,
    [subject, policy]: [&str; 2],
    part: u64,
    room: u64,
    cost: u64,
) -> Tried<Window> {
    let count = table.count_request(subject, policy, rule.part_milliseconds, part, room);
    let changes = Changes::new().add("admitted_total", cost).add("admitted_now", cost);
    match count.update(changes)?.run_into::<Window>().await {
        Ok(Some(window)) => Ok(Ok(window)),
        Ok(None) => Ok(Err(None)),
        Err(error) => failed(error),
    }
}

async fn advance(table: &RateLimits, seen: &Window, moved: Window) -> Tried<Window> {
    let Window { subject, policy, part_milliseconds, part_number, admitted_total, .. } = seen;
    let advance =
        table.move_window(subject, policy, *part_milliseconds, *part_number, *admitted_total);
    let before = moved.admitted_before.iter().map(|count| number(*count)).collect();
    let changes = Changes::new()
        .set("part_milliseconds", number(moved.part_milliseconds))
        .set("part_number", number(moved.part_number))
        .set("admitted_total", number(moved.admitted_total))
        .set("admitted_now", number(moved.admitted_now))
        .set("admitted_before", AttributeValue::L(before))
        .set("ttl", number(moved.ttl));
    match advance.update(changes)?.run().await {
        Ok(_) => Ok(Ok(moved)),
        Err(error) => failed(error),
    }
}

async fn start(table: &RateLimits, window: &Window) -> Tried<()> {
    match table.start_window().put(window)?.run().await {
        Ok(_) => Ok(Ok(())),
        Err(error) => failed(error),
    }
}

fn failed<T>(error: store::Error) -> Tried<T> {
    match error {
        store::Error::ConditionFailed { found } => {
            Ok(Err(found.map(store::Record::from_item).transpose()?))
        }
        error => Err(error),
    }
}

pub(super) fn number(value: u64) -> AttributeValue {
    AttributeValue::N(Number::from(value))
}
