//! What an endpoint's answer means.

use std::time::Duration;

use kernel::moment::Moment;
use time::OffsetDateTime;
use time::format_description::well_known::Rfc2822;

use crate::client::Reply;

/// What is to be done after an attempt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Nothing more: the endpoint has the event.
    Delivered,
    /// The endpoint wants no events any more (410): it is disabled.
    Gone,
    /// Try again as scheduled, and not before the endpoint wants it.
    Retry {
        /// How long the endpoint asked to be left alone.
        after: Option<Duration>,
        /// Whether it is overloaded, so that its other deliveries wait too.
        overloaded: bool,
    },
}

/// Judges an answer: only 2xx is a success, a redirect is a failure like any other.
pub fn judge(reply: &Result<Reply, String>, now: Moment) -> Verdict {
    let Ok(reply) = reply else { return Verdict::Retry { after: None, overloaded: false } };
    match reply.status {
        200..=299 => Verdict::Delivered,
        410 => Verdict::Gone,
        status => Verdict::Retry {
            after: reply.retry_after.as_deref().and_then(|text| wait(text, now)),
            overloaded: matches!(status, 429 | 502 | 504),
        },
    }
}

/// `Retry-After`: seconds, or a date.
fn wait(text: &str, now: Moment) -> Option<Duration> {
    let text = text.trim();
    if let Ok(seconds) = text.parse() {
        return Some(Duration::from_secs(seconds));
    }
    let date = OffsetDateTime::parse(text, &Rfc2822).ok()?;
    let seconds = u64::try_from(date.unix_timestamp()).ok()?;
    Some(Moment::from_seconds(seconds).since(now))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judged(status: u16, retry_after: Option<&str>) -> Verdict {
        let retry_after = retry_after.map(str::to_owned);
        let now = Moment::parse("1994-11-06T08:49:00Z").unwrap();
        judge(&Ok(Reply { status, retry_after, body: Vec::new() }), now)
    }

    #[test]
    fn only_2xx_is_a_success() {
        for status in [200, 201, 204, 299] {
            assert_eq!(judged(status, None), Verdict::Delivered);
        }
        for status in [100, 199, 300, 301, 302, 307, 308, 400, 404, 500, 503] {
            let expected = Verdict::Retry { after: None, overloaded: false };
            assert_eq!(judged(status, None), expected, "{status}");
        }
        assert_eq!(judged(410, None), Verdict::Gone);
        for status in [429, 502, 504] {
            let expected = Verdict::Retry { after: None, overloaded: true };
            assert_eq!(judged(status, None), expected, "{status}");
        }
    }

    #[test]
    fn retry_after_is_seconds_or_a_date() {
        let after = |text| match judged(503, Some(text)) {
            Verdict::Retry { after, .. } => after,
            other => panic!("{other:?}"),
        };
        assert_eq!(after("120"), Some(Duration::from_secs(120)));
        assert_eq!(after("Sun, 06 Nov 1994 08:49:37 GMT"), Some(Duration::from_secs(37)));
        assert_eq!(after("Sun, 06 Nov 1994 08:00:00 GMT"), Some(Duration::ZERO));
        assert_eq!(after("soon"), None);
    }
}
