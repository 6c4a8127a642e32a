//! Points in time as the tables and answers write them: UTC, ISO 8601, always with milliseconds.

use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use time::format_description::well_known::Rfc3339;
use time::{OffsetDateTime, UtcOffset};

use crate::error::Error;

/// The last moment that the fixed width has room for: the end of the year 9999.
const LAST_MILLIS: u64 = 253_402_300_799_999;

/// A moment, in milliseconds since 1970. Its text sorts as it does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Moment(u64);

impl Moment {
    /// So many milliseconds after 1970; what lies beyond the year 9999 is its end.
    pub fn from_millis(millis: u64) -> Moment {
        Moment(millis.min(LAST_MILLIS))
    }

    /// So many seconds after 1970.
    pub fn from_seconds(seconds: u64) -> Moment {
        Moment::from_millis(seconds.saturating_mul(1000))
    }

    /// Milliseconds since 1970.
    pub fn millis(self) -> u64 {
        self.0
    }

    /// Whole seconds since 1970, as TTL attributes count.
    pub fn seconds(self) -> u64 {
        self.0 / 1000
    }

    /// This much later.
    pub fn after(self, duration: Duration) -> Moment {
        let millis = u64::try_from(duration.as_millis()).unwrap_or(u64::MAX);
        Moment::from_millis(self.0.saturating_add(millis))
    }

    /// This much earlier, and not before 1970.
    pub fn before(self, duration: Duration) -> Moment {
        let millis = u64::try_from(duration.as_millis()).unwrap_or(u64::MAX);
        Moment(self.0.saturating_sub(millis))
    }

    /// How long after an earlier moment this is; nothing if that is later.
    pub fn since(self, earlier: Moment) -> Duration {
        Duration::from_millis(self.0.saturating_sub(earlier.0))
    }

    /// The day, as `YYYY-MM-DD`.
    pub fn day(self) -> String {
        let mut text = self.to_string();
        text.truncate(10);
        text
    }

    /// A moment from RFC 3339 text with any offset and any fraction.
    pub fn parse(text: &str) -> Option<Moment> {
        let moment = OffsetDateTime::parse(text, &Rfc3339).ok()?;
        let millis = u64::try_from(moment.unix_timestamp_nanos() / 1_000_000).ok()?;
        (millis <= LAST_MILLIS).then_some(Moment(millis))
    }
}

/// Refuses a period that ends before it begins; either end may be open.
pub fn in_order(from: Option<Moment>, to: Option<Moment>) -> Result<(), Error> {
    match from.zip(to).is_some_and(|(from, to)| from > to) {
        true => Err(Error::validation([("to", "it should not be before `from`".to_owned())])),
        false => Ok(()),
    }
}

impl fmt::Display for Moment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let nanos = i128::from(self.0) * 1_000_000;
        let moment = OffsetDateTime::from_unix_timestamp_nanos(nanos)
            .map_err(|_| fmt::Error)?
            .to_offset(UtcOffset::UTC);
        let (date, time) = (moment.date(), moment.time());
        write!(
            f,
            "{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z",
            date.year(),
            u8::from(date.month()),
            date.day(),
            time.hour(),
            time.minute(),
            time.second(),
            time.millisecond()
        )
    }
}

impl Serialize for Moment {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Moment {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Moment, D::Error> {
        let text = String::deserialize(deserializer)?;
        let why = || de::Error::custom("a time has the form 2026-01-31T23:59:59.000Z");
        Moment::parse(&text).ok_or_else(why)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_has_one_width_and_sorts_as_time() {
        let moments = [0, 1, 999, 1_000, 1_763_200_000_123, LAST_MILLIS, u64::MAX];
        let texts: Vec<String> =
            moments.iter().map(|millis| Moment::from_millis(*millis).to_string()).collect();
        assert!(texts.iter().all(|text| text.len() == 24), "{texts:?}");
        assert!(texts.is_sorted(), "{texts:?}");
        assert_eq!(texts[4], "2025-11-15T09:46:40.123Z");
    }

    #[test]
    fn other_offsets_and_fractions_are_read() {
        let expected = Some(Moment::from_millis(1_763_200_000_120));
        assert_eq!(Moment::parse("2025-11-15T11:46:40.12+02:00"), expected);
        assert_eq!(Moment::parse("2025-11-15T09:46:40.1209Z"), expected);
        assert_eq!(Moment::parse("1969-12-31T23:59:59Z"), None);
        assert_eq!(Moment::parse("2025-11-15"), None);
    }
}
