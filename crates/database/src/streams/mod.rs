//! Streams: the part of the log that belongs to one table, cut into shards.
//!
//! A stream holds no records of its own. Each item change of a table with a stream leaves a pointer
//! (`r` stream sequence position, see [`crate::keys`]) to the commit that holds it; a record is built
//! from that commit when it is read. So a record exists exactly when its commit does.
//!
//! - [`position`]: where a record stands, and its `SequenceNumber`.
//! - [`shard`]: shard ids, and which shards may still be read.
//! - [`iterator`]: the opaque text that a reader carries from page to page.
//! - [`view`]: a stream at one moment: its end, its trim point, its pointers.
//! - [`record`]: a change of the log as a reader sees it.
//!
//! Records are kept for 24 hours by the time of their commit, whether or not the background has
//! trimmed them by then; a disabled stream, or one whose table was deleted, is kept as long.

pub mod iterator;
pub mod position;
pub mod record;
pub mod shard;
pub mod view;

use std::sync::Arc;

use values::limits;

use crate::catalog::StreamDefinition;
use crate::shapes::TimestampMillis;
use crate::{Database, Error, arn, text};

/// How long a record can be read.
pub const RETENTION_MILLIS: u64 = limits::STREAM_RETENTION_SECONDS * 1000;

const ARN_LENGTH_MIN: usize = 37;
const ARN_LENGTH_MAX: usize = 1024;

impl Database {
    /// The ARN of a stream.
    pub(crate) fn stream_arn_of(&self, stream: &StreamDefinition) -> String {
        arn::stream(self.options(), &stream.table_name, &stream.label)
    }

    /// The stream with this ARN, if its records may still be read.
    pub(crate) fn stream_with_arn(&self, arn: &str) -> Result<Arc<StreamDefinition>, Error> {
        let (table_name, label) = parse_arn(arn, "streamArn")?;
        self.check_running()?;
        let catalog = self.catalog();
        let stream = catalog.stream_by_label(table_name, label);
        let now = self.clock().now_millis();
        stream
            .filter(|stream| is_kept(stream, now) && self.stream_arn_of(stream) == arn)
            .cloned()
            .ok_or_else(|| Error::ResourceNotFound(text::stream_not_found(arn)))
    }
}

/// May the stream still be read? A disabled one can be for 24 hours (rule 59).
pub fn is_kept(stream: &StreamDefinition, now: TimestampMillis) -> bool {
    stream.disabled_date_time.is_none_or(|disabled| disabled + RETENTION_MILLIS >= now)
}

/// The table name and label of a stream's ARN.
pub fn parse_arn<'a>(arn: &'a str, member: &str) -> Result<(&'a str, &'a str), Error> {
    check_length(arn, member, ARN_LENGTH_MIN, ARN_LENGTH_MAX)?;
    // The label is a time and has colons of its own.
    let mut parts = arn.splitn(6, ':');
    let starts_well = parts.by_ref().take(3).eq(["arn", "aws", "dynamodb"]);
    let names = parts
        .nth(2)
        .and_then(|resource| resource.strip_prefix("table/"))
        .and_then(|resource| resource.split_once("/stream/"))
        .filter(|(table_name, label)| !table_name.is_empty() && !label.is_empty());
    match names {
        Some(names) if starts_well => Ok(names),
        _ => Err(Error::Validation(text::INVALID_STREAM_ARN.to_owned())),
    }
}

/// Checks the length of a member, as the service does before anything else.
pub fn check_length(
    value: &str,
    member: &str,
    minimum: usize,
    maximum: usize,
) -> Result<(), Error> {
    let length = value.chars().count();
    if length < minimum {
        return Err(Error::Validation(text::length_at_least(member, minimum)));
    }
    if length > maximum {
        return Err(Error::Validation(text::length_at_most(member, maximum)));
    }
    Ok(())
}

/// Checks a `Limit`; absent means the maximum.
pub fn check_limit(limit: Option<i64>, maximum: usize) -> Result<usize, Error> {
    let limit = limit.map_or(Ok(maximum), |limit| {
        if limit < 1 {
            return Err(Error::Validation(text::at_least("limit", 1)));
        }
        Ok(usize::try_from(limit).unwrap_or(usize::MAX))
    })?;
    if limit > maximum {
        let maximum = i64::try_from(maximum).unwrap_or(i64::MAX);
        return Err(Error::Validation(text::at_most("limit", maximum)));
    }
    Ok(limit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_arn_names_a_table_and_a_label_with_colons() {
        let arn =
            "arn:aws:dynamodb:us-east-1:000000000000:table/Music/stream/2015-05-11T21:21:33.291";
        assert_eq!(parse_arn(arn, "streamArn"), Ok(("Music", "2015-05-11T21:21:33.291")));
    }

    #[test]
    fn a_malformed_arn_is_refused() {
        for arn in [
            "short",
            "sdfadfsdfnlfkajakfgjalksfgklasjklasdjfklasdfasdfgasf",
            "arn:aws:dynamodb:us-east-1:000000000000:table/Music",
            "arn:aws:dynamodb:us-east-1:000000000000:table//stream/2015",
            "arn:aws:dynamodb:us-east-1:000000000000:table/Music/stream/",
            "arn:aws:kinesis:us-east-1:000000000000:table/Music/stream/2015",
        ] {
            assert!(matches!(parse_arn(arn, "streamArn"), Err(Error::Validation(_))), "{arn}");
        }
    }

    #[test]
    fn a_limit_is_between_one_and_the_maximum() {
        assert_eq!(check_limit(None, 1000), Ok(1000));
        assert_eq!(check_limit(Some(1000), 1000), Ok(1000));
        for limit in [i64::MIN, 0, 1001, i64::MAX] {
            assert!(check_limit(Some(limit), 1000).is_err(), "{limit}");
        }
    }
}
