//! Is an exported log what it was? Told from its lines and the public key alone.
//!
//! What no checkpoint covers is proven only as far as the end of the export is believed: an export
//! seals the log first, so that there is no such event.

use kernel::moment::Moment;

use super::export::Line;
use super::signing::PublicKey;
use super::verify::{Bad, Expiry, Place, Report, Verifier};

/// Verifies the lines of an export. `keys` are keys that are known from elsewhere: those in the export
/// prove nothing. `now` decides which events may have expired.
pub fn verify_lines<S: AsRef<str>>(
    lines: impl IntoIterator<Item = S>,
    keys: &[PublicKey],
    now: Moment,
) -> Report {
    let mut reader = Reader { keys, now, account: String::new(), state: State::Start };
    let mut number = 0;
    for line in lines {
        number += 1;
        let line = line.as_ref();
        if line.trim().is_empty() {
            continue;
        }
        if let Err(bad) = reader.line(line, number) {
            return reader.bad(bad);
        }
    }
    match reader.state {
        State::Done(report) => report,
        _ => {
            let why = "the export ends before the end of the chain";
            reader.bad(Bad::new(Place::Line { number: number + 1 }, why))
        }
    }
}

struct Reader<'k> {
    keys: &'k [PublicKey],
    now: Moment,
    account: String,
    state: State,
}

/// How far the export has been read.
enum State {
    Start,
    Checkpoints(Vec<super::Checkpoint>),
    Events(Box<Verifier>),
    Done(Report),
}

impl Reader<'_> {
    fn line(&mut self, text: &str, number: u64) -> Result<(), Bad> {
        let at = Place::Line { number };
        let line: Line = serde_json::from_str(text)
            .map_err(|error| Bad::new(at.clone(), format!("it cannot be read: {error}")))?;
        self.state = match (std::mem::replace(&mut self.state, State::Start), line) {
            (State::Start, Line::Header { account, period, .. }) if self.account.is_empty() => {
                self.account = account;
                if !period.is_everything() {
                    let why =
                        "the export is of a period: only one of the whole log can be verified";
                    return Err(Bad::new(at, why));
                }
                State::Checkpoints(Vec::new())
            }
            (State::Checkpoints(mut all), Line::Checkpoint(checkpoint)) => {
                all.push(checkpoint);
                State::Checkpoints(all)
            }
            (State::Checkpoints(all), line @ (Line::Event(_) | Line::Head(_))) => {
                self.read(self.verifier(all)?, line)?
            }
            (State::Events(verifier), line @ (Line::Event(_) | Line::Head(_))) => {
                self.read(*verifier, line)?
            }
            _ => return Err(Bad::new(at, "it does not belong here")),
        };
        Ok(())
    }

    /// Only what is signed says how long events were kept.
    fn verifier(&self, checkpoints: Vec<super::Checkpoint>) -> Result<Verifier, Bad> {
        let held_since = checkpoints.last().and_then(|last| last.held_since);
        let expiry = Expiry { retention_days: u32::MAX, held_since, now: self.now };
        Verifier::new(&self.account, checkpoints, self.keys, expiry)
    }

    fn read(&self, mut verifier: Verifier, line: Line) -> Result<State, Bad> {
        match line {
            Line::Event(row) => {
                verifier.entry(&row)?;
                Ok(State::Events(Box::new(verifier)))
            }
            Line::Head(head) => {
                verifier.check_end(&head)?;
                verifier.check_checkpoints(&head)?;
                Ok(State::Done(verifier.report()))
            }
            _ => Ok(State::Events(Box::new(verifier))),
        }
    }

    fn bad(self, bad: Bad) -> Report {
        Report::bad(&self.account, bad)
    }
}
