//! Is it the same? Answers are made comparable, accepted differences are taken out, and what is
//! left is reported with the place where it shows.

pub mod accepted;
pub mod normalise;

use std::fmt;

use serde_json::Value;

use crate::party::Outcome;
use crate::step::Step;

/// What came of a step on both sides.
pub struct Case<'a> {
    /// The step.
    pub step: &'a Step,
    /// The database's outcome.
    pub ours: Outcome,
    /// The reference's outcome.
    pub theirs: Outcome,
}

/// How a comparison ended.
pub enum Verdict {
    /// Nothing to report.
    Same,
    /// Different, as the list of accepted differences says.
    Accepted {
        /// Which of them.
        names: Vec<&'static str>,
        /// Whether the two may hold different data from here on.
        ends_sequence: bool,
    },
    /// Different.
    Different(Difference),
}

/// A difference.
#[derive(Clone, Debug)]
pub struct Difference {
    /// What kind, and on which operation: differences of one signature have one cause, mostly.
    pub signature: String,
    /// Where in the answer, or in what the errors differ.
    pub place: String,
    /// The database's outcome, made comparable.
    pub ours: Outcome,
    /// The reference's outcome, made comparable.
    pub theirs: Outcome,
}

/// Compares the two outcomes of a step.
pub fn compare(step: &Step, ours: Outcome, theirs: Outcome) -> Verdict {
    let ours = normalise::outcome(step, ours);
    let theirs = normalise::outcome(step, theirs);
    let mut case = Case { step, ours, theirs };
    // Of this no difference is accepted.
    if let Some(difference) = other_status(&case) {
        return Verdict::Different(difference);
    }
    if difference(&case).is_none() {
        return Verdict::Same;
    }
    let mut names = Vec::new();
    let mut ends_sequence = false;
    for accepted in accepted::ALL {
        if difference(&case).is_none() {
            break;
        }
        match (accepted.apply)(&mut case) {
            accepted::Applied::No => continue,
            accepted::Applied::Yes => {}
            accepted::Applied::YesAndEnds => ends_sequence = true,
        }
        names.push(accepted.name);
    }
    match difference(&case) {
        None => Verdict::Accepted { names, ends_sequence },
        Some(difference) => Verdict::Different(difference),
    }
}

/// Errors with different statuses of HTTP.
fn other_status(case: &Case<'_>) -> Option<Difference> {
    let status = |outcome: &Outcome| outcome.failure().map(|failure| failure.status);
    let (ours, theirs) = (status(&case.ours)?, status(&case.theirs)?);
    let signature = format!("{}: status {ours:?} against {theirs:?}", case.step.operation());
    let difference = Difference {
        signature,
        place: "status".to_owned(),
        ours: case.ours.clone(),
        theirs: case.theirs.clone(),
    };
    (ours != theirs).then_some(difference)
}

fn difference(case: &Case<'_>) -> Option<Difference> {
    let operation = case.step.operation();
    let (signature, place) = match (&case.ours, &case.theirs) {
        (Outcome::Answer(ours), Outcome::Answer(theirs)) => {
            let place = first_difference(ours, theirs, String::new())?;
            (format!("{operation}: answer at {}", generic(&place)), place)
        }
        (Outcome::Failure(ours), Outcome::Answer(_)) => (
            format!("{operation}: only ours fails: {} {}", ours.kind, generic(&ours.message)),
            String::new(),
        ),
        (Outcome::Answer(_), Outcome::Failure(theirs)) => {
            let text = generic(&theirs.message);
            (format!("{operation}: only theirs fails: {} {text}", theirs.kind), String::new())
        }
        (Outcome::Failure(ours), Outcome::Failure(theirs)) if ours.kind != theirs.kind => {
            let (one, other) = (generic(&ours.message), generic(&theirs.message));
            let signature =
                format!("{operation}: {} ({one}) against {} ({other})", ours.kind, theirs.kind);
            (signature, "kind".to_owned())
        }
        (Outcome::Failure(ours), Outcome::Failure(theirs)) if ours.message != theirs.message => {
            let (one, other) = (generic(&ours.message), generic(&theirs.message));
            (format!("{operation}: text {one} against {other}"), "message".to_owned())
        }
        (Outcome::Failure(ours), Outcome::Failure(theirs)) => {
            let ours = Value::Object(ours.extra.clone());
            let theirs = Value::Object(theirs.extra.clone());
            let place = first_difference(&ours, &theirs, String::new())?;
            (format!("{operation}: error body at {}", generic(&place)), place)
        }
    };
    Some(Difference { signature, place, ours: case.ours.clone(), theirs: case.theirs.clone() })
}

/// The pointer to the first place where two values differ. Numbers are compared by value: `1` and
/// `1.0` are the same.
pub fn first_difference(ours: &Value, theirs: &Value, at: String) -> Option<String> {
    match (ours, theirs) {
        (Value::Object(one), Value::Object(other)) => {
            let names = one.keys().chain(other.keys().filter(|name| !one.contains_key(*name)));
            names.into_iter().find_map(|name| {
                let at = format!("{at}/{name}");
                match (one.get(name), other.get(name)) {
                    (Some(one), Some(other)) => first_difference(one, other, at),
                    (Some(_), None) => Some(format!("{at} (only ours)")),
                    _ => Some(format!("{at} (only theirs)")),
                }
            })
        }
        (Value::Array(one), Value::Array(other)) if one.len() == other.len() => {
            one.iter().zip(other).enumerate().find_map(|(index, (one, other))| {
                first_difference(one, other, format!("{at}/{index}"))
            })
        }
        (Value::Array(one), Value::Array(other)) => {
            Some(format!("{at} (length {} against {})", one.len(), other.len()))
        }
        (Value::Number(one), Value::Number(other)) => {
            (one.as_f64() != other.as_f64()).then_some(at)
        }
        _ => (ours != theirs).then_some(at),
    }
}

/// A text without what varies from case to case: numbers, quoted and named things.
fn generic(text: &str) -> String {
    let mut result = String::new();
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        if character.is_ascii_digit() {
            while characters.next_if(char::is_ascii_digit).is_some() {}
            result.push('0');
        } else if character == '"' {
            while characters.next_if(|next| *next != '"').is_some() {}
            characters.next();
            result.push_str("\"\"");
        } else if character == '[' || character == '{' {
            result.push(character);
            while characters.next_if(|next| !"]}".contains(*next)).is_some() {}
        } else {
            result.push(character);
        }
        if result.len() > 160 {
            break;
        }
    }
    result
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "  {}", self.signature)?;
        writeln!(f, "  at     {}", self.place)?;
        writeln!(f, "  ours   {}", shown(&self.ours))?;
        write!(f, "  theirs {}", shown(&self.theirs))
    }
}

/// An outcome on one line, cut if it is very long.
pub fn shown(outcome: &Outcome) -> String {
    const LENGTH_MAX: usize = 3000;
    let text = match outcome {
        Outcome::Answer(answer) => answer.to_string(),
        Outcome::Failure(failure) if failure.extra.is_empty() => {
            format!("{}: {}", failure.kind, failure.message)
        }
        Outcome::Failure(failure) => {
            let extra = Value::Object(failure.extra.clone());
            format!("{}: {} {extra}", failure.kind, failure.message)
        }
    };
    match text.char_indices().nth(LENGTH_MAX) {
        Some((end, _)) => format!("{}... ({} bytes)", &text[..end], text.len()),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_first_difference_is_found_wherever_it_is() {
        let find = |one: Value, other: Value| first_difference(&one, &other, String::new());
        assert_eq!(find(json!({"a": 1}), json!({"a": 1.0})), None);
        assert_eq!(find(json!({"a": [1, 2]}), json!({"a": [1, 3]})), Some("/a/1".to_owned()));
        assert_eq!(find(json!({"a": 1}), json!({})), Some("/a (only ours)".to_owned()));
        assert_eq!(find(json!([1]), json!([])), Some(" (length 1 against 0)".to_owned()));
    }

    #[test]
    fn texts_of_one_cause_have_one_signature() {
        let one = generic("Value '12' at 'x' in [a, b]; key: \"k1\"");
        assert_eq!(one, generic("Value '9' at 'x' in [c]; key: \"other\""));
    }
}
