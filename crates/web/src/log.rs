//! One line per request, with the fields of document 002 (R002-10.4-1, R002-10.4-2). The subscriber
//! adds timestamp and level. Nothing of a query string, a body or a credential is in it.

use std::sync::Arc;
use std::time::Duration;

use http::StatusCode;
use kernel::error::Error;

use super::Registered;
use super::trace::Trace;

/// What the pipeline has found out about a request, for its line.
#[derive(Clone, Default)]
pub(super) struct Noted {
    pub route: Option<Arc<Registered>>,
    pub tenant: Option<String>,
    pub caller: Option<String>,
    pub failure: Option<(&'static str, Option<String>)>,
}

impl Noted {
    pub(super) fn fail(&mut self, error: &Error) {
        self.failure = Some((error.code().name, error.reason().map(str::to_owned)));
    }
}

/// Writes the line of a request.
pub(super) fn line(
    noted: &Noted,
    request_id: &str,
    trace: &Trace,
    status: StatusCode,
    time: Duration,
) {
    let route = noted.route.as_deref();
    let service = route.map_or("plinth", |route| route.service);
    let function = route.map_or("none", |route| route.operation);
    let (code, reason) = match &noted.failure {
        Some((code, reason)) => (Some(*code), reason.as_deref()),
        None => (None, None),
    };
    let outcome = if status.as_u16() < 400 { "SUCCESS" } else { "FAILURE" };
    macro_rules! write_line {
        ($level:ident, $message:literal) => {
            tracing::$level!(
                target: "platform::request",
                service,
                function,
                requestId = request_id,
                xrayTraceId = trace.xray_id(),
                tenantId = noted.tenant.as_deref(),
                caller = noted.caller.as_deref(),
                action = route.map_or("NONE", |route| route.action.as_str()),
                route = route.map(|route| route.path.as_str()),
                status = outcome,
                httpStatus = status.as_u16(),
                duration = milliseconds(time),
                errorCode = code,
                reason,
                $message
            )
        };
    }
    match status.as_u16() {
        500.. => write_line!(error, "a request failed"),
        400.. => write_line!(info, "a request was refused"),
        _ if route.is_none() => write_line!(debug, "a request was answered"),
        _ => write_line!(info, "a request was answered"),
    }
}

/// `parkTenant` becomes `PARK_TENANT`.
pub(super) fn action(operation: &str) -> String {
    let mut action = String::with_capacity(operation.len() + 4);
    for letter in operation.chars() {
        if letter.is_ascii_uppercase() && !action.is_empty() {
            action.push('_');
        }
        action.push(letter.to_ascii_uppercase());
    }
    action
}

/// Milliseconds with at most three decimals.
fn milliseconds(time: Duration) -> f64 {
    let micros = u32::try_from(time.as_micros()).unwrap_or(u32::MAX);
    f64::from(micros) / 1000.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_duration_has_at_most_three_decimals() {
        for (nanos, text) in [(1_234_567_891, "1234.567"), (1_999, "0.001"), (40_000_000, "40")] {
            assert_eq!(milliseconds(Duration::from_nanos(nanos)).to_string(), text);
        }
    }
}
