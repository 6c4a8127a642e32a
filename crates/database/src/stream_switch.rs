//! Turning a table's stream on and off, within a commit.

use crate::catalog::{ShardDefinition, StreamDefinition, TableDefinition};
use crate::commit::Transaction;
use crate::shapes::{StreamViewType, TimestampMillis};

/// Gives the table a new stream with one open shard.
pub fn enable(
    transaction: &mut Transaction<'_>,
    table: &mut TableDefinition,
    view_type: StreamViewType,
) {
    let now = transaction.now_millis();
    let number = transaction.next_stream_number();
    let label = free_label(transaction, &table.name, now);
    let is_key = |name: &str| table.key_schema.iter().any(|key| key.attribute_name == name);
    let key_definitions = table.attribute_definitions.iter();
    let attribute_definitions =
        key_definitions.filter(|d| is_key(&d.attribute_name)).cloned().collect();
    transaction.put_stream(StreamDefinition {
        number,
        table: table.number,
        table_name: table.name.clone(),
        label: label.clone(),
        view_type,
        creation_date_time: now,
        disabled_date_time: None,
        key_schema: table.key_schema.clone(),
        attribute_definitions,
        shards: vec![ShardDefinition {
            number: 0,
            opened: now,
            first_sequence: transaction.sequence(),
            last_sequence: None,
            closed: None,
        }],
    });
    table.stream = Some(number);
    table.latest_stream_label = Some(label);
}

/// Takes the stream from the table, if it has one. The stream stays readable for 24 hours, its
/// shards closed; the table keeps its label (rule 59).
pub fn disable(transaction: &mut Transaction<'_>, table: &mut TableDefinition) {
    let Some(number) = table.stream.take() else { return };
    let Some(stream) = transaction.catalog().streams.get(&number) else { return };
    let mut stream = StreamDefinition::clone(stream);
    let now = transaction.now_millis();
    stream.disabled_date_time = Some(now);
    if let Some(shard) = stream.shards.last_mut()
        && shard.last_sequence.is_none()
    {
        shard.last_sequence = Some(transaction.sequence());
        shard.closed = Some(now);
    }
    transaction.put_stream(stream);
}

/// A label is the time to the millisecond; if the table had a stream in this very millisecond, the
/// next free one.
fn free_label(transaction: &Transaction<'_>, table_name: &str, now: TimestampMillis) -> String {
    let mut millis = now;
    loop {
        let label = label(millis);
        if transaction.catalog().stream_by_label(table_name, &label).is_none() {
            return label;
        }
        millis += 1;
    }
}

/// `2026-11-15T01:02:03.456`.
fn label(millis: TimestampMillis) -> String {
    let (seconds, thousandths) = (millis / 1000, millis % 1000);
    let (days, second_of_day) = (seconds / 86_400, seconds % 86_400);
    let (year, month, day) = date(days);
    let (hour, minute) = (second_of_day / 3600, second_of_day / 60 % 60);
    let second = second_of_day % 60;
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{thousandths:03}")
}

/// The date of a day counted from 1970-01-01. Years are counted from March, so that the leap day is
/// the last of its year, and in cycles of 400 years, which all have the same number of days.
fn date(days_since_1970: u64) -> (u64, u64, u64) {
    const DAYS_FROM_MARCH_0000: u64 = 719_468;
    const DAYS_OF_CYCLE: u64 = 146_097;
    let days = days_since_1970 + DAYS_FROM_MARCH_0000;
    let (cycle, day_of_cycle) = (days / DAYS_OF_CYCLE, days % DAYS_OF_CYCLE);
    let leap_days = day_of_cycle / 1460 + day_of_cycle / 146_096 - day_of_cycle / 36_524;
    let year_of_cycle = (day_of_cycle - leap_days) / 365;
    let first_day_of_year = year_of_cycle * 365 + year_of_cycle / 4 - year_of_cycle / 100;
    let day_of_year = day_of_cycle - first_day_of_year;
    // Months from March follow a pattern of 153 days for five of them.
    let month_from_march = (day_of_year * 5 + 2) / 153;
    let day = day_of_year - (month_from_march * 153 + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    let year = cycle * 400 + year_of_cycle + u64::from(month <= 2);
    (year, month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_label_is_the_time() {
        assert_eq!(label(0), "1970-01-01T00:00:00.000");
        assert_eq!(label(951_782_400_000), "2000-02-29T00:00:00.000");
        assert_eq!(label(1_709_251_199_999), "2024-02-29T23:59:59.999");
        assert_eq!(label(1_794_704_523_456), "2026-11-15T01:02:03.456");
        assert_eq!(label(4_107_542_399_001), "2100-02-28T23:59:59.001");
    }
}
