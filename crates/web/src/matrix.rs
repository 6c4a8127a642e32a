//! The authorization matrix: every route × every kind of caller × (own, other's, missing, deleted),
//! tried in process, compared with what the table of permissions says. For tests.
//!
//! What the harness demands: the status of each cell; for each caller the same body for what is
//! another's and for what does not exist, up to request id, timestamp and the ids asked for; and, so
//! that nothing passes by chance, that somebody succeeds on every route.

use std::collections::BTreeSet;

use axum::body::Body;
use http::{Request, StatusCode};
use http_body_util::BodyExt as _;
use kernel::caller::{Caller, Identity};
use kernel::permissions::{Decision, Reach, Rule, Target, may};
use serde_json::Value;
use tower::ServiceExt as _;

use super::seams::Pending;
use super::{Registered, Shell};

/// Whose thing a request is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subject {
    /// The caller's account's (or the caller's own).
    Own,
    /// Another account's.
    Others,
    /// Nobody's: it does not exist.
    Missing,
    /// It was the caller's own, and is no more.
    Deleted,
    /// The route is about nothing in particular, as when a list is asked for.
    None,
}

/// Somebody who calls.
pub struct Cast {
    /// As the report names them.
    pub name: String,
    /// The headers that say who they are.
    pub headers: Vec<(&'static str, String)>,
    /// Whom the server should take them for; none if their credential is to be refused.
    pub caller: Option<Caller>,
}

/// What a route is tried with.
pub struct Example {
    /// The operation.
    pub operation: &'static str,
    /// Whose things it is about: usually own, others' and missing, or none.
    pub subjects: &'static [Subject],
    /// Makes a request without credentials, and before it what the request needs: a new thing for
    /// each cell, so that cells do not disturb each other. Gives the ids that it asks for too.
    #[expect(clippy::type_complexity, reason = "named once, here")]
    pub request:
        Box<dyn Fn(Subject) -> Pending<'static, (Request<Body>, Vec<String>)> + Send + Sync>,
    /// The status when all is well.
    pub success: u16,
}

/// What the accounts and users of the examples are called.
pub struct World {
    /// The account whose things are the callers' own.
    pub own_account: &'static str,
    /// The account whose things are another's.
    pub other_account: &'static str,
    /// The user whose things are a person's own.
    pub own_user: &'static str,
    /// Another user.
    pub other_user: &'static str,
}

/// What came of it.
#[derive(Debug, Default)]
pub struct Report {
    /// How many cells were tried.
    pub cells: usize,
    /// Every cell that was not as expected, as a sentence.
    pub problems: Vec<String>,
}

/// Tries every cell.
pub async fn run(shell: &Shell, world: &World, cast: &[Cast], examples: &[Example]) -> Report {
    let mut report = Report::default();
    let known: BTreeSet<&str> = examples.iter().map(|example| example.operation).collect();
    for route in shell.routes().filter(|route| !known.contains(route.operation)) {
        report.problems.push(format!("{} {} has no example", route.method, route.path));
    }
    for example in examples {
        let Some(route) = shell.routes().find(|route| route.operation == example.operation) else {
            report.problems.push(format!("{} is an example of no route", example.operation));
            continue;
        };
        let mut has_succeeded = false;
        for caller in cast {
            let mut hidden: Vec<Value> = Vec::new();
            for subject in example.subjects {
                report.cells += 1;
                let expected = expected(world, caller, &route.rule, *subject, example.success);
                let place = format!("{} as {} on {subject:?}", example.operation, caller.name);
                match try_cell(shell, caller, example, *subject).await {
                    Err(why) => report.problems.push(format!("{place}: {why}")),
                    Ok((status, body)) => {
                        has_succeeded |= status == example.success;
                        if status != expected {
                            let problem =
                                format!("{place}: {status} instead of {expected}: {body}");
                            report.problems.push(problem);
                        } else if status == StatusCode::NOT_FOUND.as_u16() {
                            hidden.push(body);
                        }
                    }
                }
            }
            if hidden.windows(2).any(|pair| pair[0] != pair[1]) {
                let (name, operation) = (&caller.name, example.operation);
                report.problems.push(format!(
                    "{operation} as {name}: what is another's can be told from what does not \
                     exist: {hidden:?}"
                ));
            }
        }
        if !has_succeeded {
            report.problems.push(positive(route));
        }
    }
    println!("authorization matrix: {} cells", report.cells);
    report
}

fn positive(route: &Registered) -> String {
    format!("{}: nobody succeeds, so its refusals prove nothing", route.operation)
}

/// What the table says.
fn expected(world: &World, caller: &Cast, rule: &Rule, subject: Subject, success: u16) -> u16 {
    let Some(caller) = &caller.caller else { return 401 };
    let is_own = rule.reach == Reach::Own;
    let target = match (subject, is_own) {
        (Subject::Own, false) => Target::Account(world.own_account),
        (Subject::Others, false) => Target::Account(world.other_account),
        (Subject::Own, true) => Target::User(world.own_user),
        (Subject::Others, true) => Target::User(world.other_user),
        (Subject::Missing | Subject::Deleted | Subject::None, _) => Target::Any,
    };
    // The permission as such is looked at before anything is looked for.
    match (may(caller, rule, &Target::Any), may(caller, rule, &target)) {
        (Decision::Allowed, _) if [Subject::Missing, Subject::Deleted].contains(&subject) => 404,
        (Decision::Allowed, Decision::Allowed) => success,
        (Decision::Allowed, Decision::Hidden) => 404,
        _ if caller.identity == Identity::Anonymous => 401,
        _ => 403,
    }
}

async fn try_cell(
    shell: &Shell,
    caller: &Cast,
    example: &Example,
    subject: Subject,
) -> Result<(u16, Value), String> {
    let made = (example.request)(subject).await;
    let (mut request, ids) = made.map_err(|error| format!("no request was made: {error:?}"))?;
    for (name, value) in &caller.headers {
        let value = value.parse().map_err(|_| format!("{name} has no value for a header"))?;
        request.headers_mut().insert(*name, value);
    }
    let answer = shell.router().oneshot(request).await.unwrap_or_else(|never| match never {});
    let status = answer.status().as_u16();
    let body = answer.into_body().collect().await.map_err(|error| error.to_string())?.to_bytes();
    let mut text = String::from_utf8_lossy(&body).into_owned();
    for id in ids.iter().filter(|id| !id.is_empty()) {
        text = text.replace(id.as_str(), "ID");
    }
    let mut value: Value = serde_json::from_str(&text).unwrap_or(Value::String(text));
    if let Some(members) = value.as_object_mut() {
        members.remove("requestId");
        members.remove("timestamp");
    }
    Ok((status, value))
}
