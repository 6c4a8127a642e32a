//! Request ids and W3C trace context: what joins an answer, its log lines and other systems' traces.

use http::HeaderMap;
use kernel::ids::Ids;
use kernel::moment::Moment;

/// The longest request id that is taken over.
const REQUEST_ID_MAX: usize = 128;

/// The trace that a request belongs to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trace {
    /// 32 hexadecimal digits.
    pub trace_id: String,
    /// This request's span: 16 hexadecimal digits.
    pub span_id: String,
    /// The caller's span, if it sent one.
    pub parent_id: Option<String>,
    /// Whether the caller records it.
    pub is_sampled: bool,
}

impl Trace {
    /// What requests to others carry.
    pub fn traceparent(&self) -> String {
        format!("00-{}-{}-{:02x}", self.trace_id, self.span_id, u8::from(self.is_sampled))
    }

    /// The trace's id in the form of X-Ray.
    pub fn xray_id(&self) -> String {
        let (time, rest) = self.trace_id.split_at_checked(8).unwrap_or_default();
        format!("1-{time}-{rest}")
    }

    pub(super) fn of(headers: &HeaderMap, ids: &Ids) -> Trace {
        // Without chance a trace is not unique, which harms nobody but whoever reads traces.
        let chance: [u8; 24] = ids.bytes().unwrap_or([1; 24]);
        let (trace, span) = chance.split_at(16);
        let span_id = hexadecimal(span);
        let sent = headers.get("traceparent").and_then(|value| value.to_str().ok());
        match sent.and_then(parse) {
            Some((trace_id, parent_id, is_sampled)) => {
                Trace { trace_id, span_id, parent_id: Some(parent_id), is_sampled }
            }
            None => {
                let trace_id = hexadecimal(trace);
                Trace { trace_id, span_id, parent_id: None, is_sampled: false }
            }
        }
    }
}

fn hexadecimal(bytes: &[u8]) -> String {
    let digit = |half: u8| char::from(b"0123456789abcdef"[usize::from(half)]);
    bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}

/// Trace, parent, and whether it is recorded.
fn parse(text: &str) -> Option<(String, String, bool)> {
    let mut parts = text.trim().split('-');
    let (version, trace, parent, flags) =
        (parts.next()?, parts.next()?, parts.next()?, parts.next()?);
    let is_hexadecimal = |text: &str, length: usize| {
        text.len() == length && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
    };
    let is_something = |text: &str| text.bytes().any(|byte| byte != b'0');
    let is_fine = is_hexadecimal(version, 2)
        && version != "ff"
        && (version != "00" || parts.next().is_none())
        && is_hexadecimal(trace, 32)
        && is_something(trace)
        && is_hexadecimal(parent, 16)
        && is_something(parent)
        && is_hexadecimal(flags, 2);
    let is_sampled = u8::from_str_radix(flags, 16).ok()? & 1 == 1;
    is_fine.then(|| (trace.to_owned(), parent.to_owned(), is_sampled))
}

/// The caller's id of the request if it is a sane one, else a new one.
pub(super) fn request_id(headers: &HeaderMap, ids: &Ids, now: Moment) -> String {
    let sent = headers.get("x-request-id").and_then(|value| value.to_str().ok());
    let is_sane = |id: &&str| {
        (1..=REQUEST_ID_MAX).contains(&id.len())
            && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.:".contains(&byte))
    };
    match sent.filter(is_sane) {
        Some(id) => id.to_owned(),
        None => ids.ulid(now).unwrap_or_else(|_| format!("{:026}", now.millis())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trace_goes_on_only_if_it_is_well_formed() {
        let good = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
        assert!(parse(good).is_some_and(|(trace, _, sampled)| trace.len() == 32 && sampled));
        let bad = [
            "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7",
            "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01",
            "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
            "ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-more",
            "",
        ];
        for text in bad {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
