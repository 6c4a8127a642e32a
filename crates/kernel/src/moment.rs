//! Points in time as the tables and answers write them: UTC, ISO 8601, always with milliseconds.

use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

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
        str::from_utf8(&self.text()[..10]).unwrap_or_default().to_owned()
    }

    /// `YYYY-MM-DDTHH:MM:SS.mmmZ`. Digit by digit: a request writes a dozen of them.
    fn text(self) -> [u8; 24] {
        // Every moment there is lies within the calendar.
        let at = i64::try_from(self.seconds()).map(OffsetDateTime::from_unix_timestamp);
        let date = at.ok().and_then(Result::ok).unwrap_or(OffsetDateTime::UNIX_EPOCH).date();
        let year = u64::try_from(date.year()).unwrap_or_default();
        let (month, day) = (u64::from(u8::from(date.month())), u64::from(date.day()));
        let seconds = self.0 / 1000 % 86_400;
        let (hour, minute, second) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
        let milli = self.0 % 1000;
        let mut text = *b"0000-00-00T00:00:00.000Z";
        for (at, number) in [
            (0, year / 100),
            (2, year % 100),
            (5, month),
            (8, day),
            (11, hour),
            (14, minute),
            (17, second),
            (20, milli / 10),
        ] {
            text[at] = b'0' + (number / 10) as u8;
            text[at + 1] = b'0' + (number % 10) as u8;
        }
        text[22] = b'0' + (milli % 10) as u8;
        text
    }

    /// A moment from RFC 3339 text with any offset and any fraction.
    pub fn parse(text: &str) -> Option<Moment> {
        let moment = OffsetDateTime::parse(text, &Rfc3339).ok()?;
        let millis = u64::try_from(moment.unix_timestamp_nanos() / 1_000_000).ok()?;
        (millis <= LAST_MILLIS).then_some(Moment(millis))
    }
}

impl utoipa::PartialSchema for Moment {
    fn schema() -> utoipa::openapi::RefOr<utoipa::openapi::schema::Schema> {
        utoipa::openapi::ObjectBuilder::new()
            .schema_type(utoipa::openapi::schema::Type::String)
            .format(Some(utoipa::openapi::SchemaFormat::KnownFormat(
                utoipa::openapi::KnownFormat::DateTime,
            )))
            .description(Some("A moment in UTC"))
            .into()
    }
}

impl utoipa::ToSchema for Moment {}

/// Refuses a period that ends before it begins; either end may be open.
pub fn in_order(from: Option<Moment>, to: Option<Moment>) -> Result<(), Error> {
    match from.zip(to).is_some_and(|(from, to)| from > to) {
        true => Err(Error::validation([("to", "it should not be before `from`".to_owned())])),
        false => Ok(()),
    }
}

impl fmt::Display for Moment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(str::from_utf8(&self.text()).unwrap_or_default())
    }
}

impl Serialize for Moment {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(str::from_utf8(&self.text()).unwrap_or_default())
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
        assert_eq!(texts[5], "9999-12-31T23:59:59.999Z");
    }

    /// Every day up to the year 2500, and then some, as another calendar has it.
    #[test]
    fn days_are_those_of_the_calendar() {
        let days = (0..193_600_u64).chain((193_600..LAST_MILLIS / 86_400_000).step_by(97));
        for day in days {
            let moment = Moment::from_millis(day * 86_400_000 + day % 86_400_000);
            let seconds = i64::try_from(moment.seconds()).unwrap();
            let date = OffsetDateTime::from_unix_timestamp(seconds).unwrap().date();
            let (year, month) = (date.year(), u8::from(date.month()));
            assert_eq!(moment.day(), format!("{year:04}-{month:02}-{:02}", date.day()));
            assert_eq!(Moment::parse(&moment.to_string()), Some(moment));
        }
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
