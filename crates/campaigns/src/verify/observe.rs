//! Reads everything a client can read: items, index entries, stream records, counts.

use std::collections::BTreeMap;

use database::operations::{
    DescribeStreamRequest, DescribeTableRequest, GetRecordsRequest, GetShardIteratorRequest,
    ScanRequest, ShardIteratorType,
};
use database::shapes::{IndexStatus, TableDescription};
use database::{Database, Error};
use values::Item;

use crate::workload::{ItemName, Table};

/// Sequence numbers start here; see `database::streams::position`.
const SEQUENCE_BASE: u128 = 100_000_000_000_000_000_000;
/// Sequence numbers of one commit.
const SEQUENCE_CHANGES: u128 = 100_000;

/// A stream record.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    /// Where it stands in the log.
    pub sequence: u128,
    /// The commit it is part of.
    pub commit: u64,
    /// The item.
    pub name: ItemName,
    /// What was there before.
    pub old: Option<Item>,
    /// What is there since.
    pub new: Option<Item>,
    /// The item had expired.
    pub expired: bool,
}

/// Everything that was read.
#[derive(Clone, Debug, Default)]
pub struct Observed {
    /// The items of all tables.
    pub items: BTreeMap<ItemName, Item>,
    /// The entries of each index.
    pub indexes: BTreeMap<(Table, String), Vec<Item>>,
    /// The records of all streams, in the order of the log.
    pub changes: Vec<Change>,
    /// What each table says of itself.
    pub descriptions: BTreeMap<Table, TableDescription>,
    /// What cannot be right already when it is read.
    pub oddities: Vec<String>,
}

/// Reads everything.
pub async fn observe(database: &Database) -> Result<Observed, Error> {
    let mut observed = Observed::default();
    for table in Table::ALL {
        for item in scan(database, table, None).await? {
            match ItemName::of(table, &item) {
                None => observed.oddities.push(format!("{table:?} holds a foreign item: {item:?}")),
                Some(name) => {
                    if observed.items.insert(name, item).is_some() {
                        observed.oddities.push(format!("a scan shows {name:?} twice"));
                    }
                }
            }
        }
        let request = DescribeTableRequest { table_name: table.name().to_owned() };
        let description = database.describe_table(request).await?.table;
        let global = description.global_secondary_indexes.iter();
        let ready = global.filter(|index| index.index_status == IndexStatus::Active);
        let local = description.local_secondary_indexes.iter().map(|index| &index.index_name);
        for name in ready.map(|index| &index.index_name).chain(local) {
            let entries = scan(database, table, Some(name)).await?;
            observed.indexes.insert((table, name.clone()), entries);
        }
        if let Some(stream) = &description.latest_stream_arn {
            read_stream(database, table, stream, &mut observed).await?;
        } else if table.has_stream() {
            observed.oddities.push(format!("{table:?} has lost its stream"));
        }
        observed.descriptions.insert(table, description);
    }
    observed.changes.sort_by_key(|change| change.sequence);
    Ok(observed)
}

/// Every item of a table, or every entry of an index.
pub async fn scan(
    database: &Database,
    table: Table,
    index: Option<&str>,
) -> Result<Vec<Item>, Error> {
    let mut items = Vec::new();
    let mut start = None;
    loop {
        let request = ScanRequest {
            table_name: table.name().to_owned(),
            index_name: index.map(str::to_owned),
            exclusive_start_key: start,
            ..ScanRequest::default()
        };
        let page = database.scan(request).await?;
        items.extend(page.items.into_iter().flatten());
        start = page.last_evaluated_key;
        if start.is_none() {
            return Ok(items);
        }
    }
}

/// Every record of a stream.
pub async fn read_stream(
    database: &Database,
    table: Table,
    stream_arn: &str,
    observed: &mut Observed,
) -> Result<(), Error> {
    let request = DescribeStreamRequest { stream_arn: stream_arn.to_owned(), ..Default::default() };
    let stream = database.describe_stream(request).await?.stream_description;
    let mut last = 0;
    for shard in stream.shards {
        let request = GetShardIteratorRequest {
            stream_arn: stream_arn.to_owned(),
            shard_id: shard.shard_id,
            shard_iterator_type: ShardIteratorType::TrimHorizon,
            sequence_number: None,
        };
        let mut next = Some(database.get_shard_iterator(request).await?.shard_iterator);
        while let Some(shard_iterator) = next {
            let request = GetRecordsRequest { shard_iterator, limit: None };
            let page = database.get_records(request).await?;
            let is_last = page.records.is_empty();
            for record in page.records {
                let number = record.sequence_number.parse::<u128>().ok();
                let number = number.and_then(|number| number.checked_sub(SEQUENCE_BASE));
                let name = ItemName::of(table, &record.keys);
                let (Some(sequence), Some(name)) = (number, name) else {
                    observed.oddities.push(format!("a record that makes no sense: {record:?}"));
                    continue;
                };
                if sequence < last {
                    observed.oddities.push(format!("record {sequence} follows record {last}"));
                }
                last = sequence;
                observed.changes.push(Change {
                    sequence,
                    commit: u64::try_from(sequence / SEQUENCE_CHANGES).unwrap_or(u64::MAX),
                    name,
                    old: record.old_image,
                    new: record.new_image,
                    expired: record.by_time_to_live,
                });
            }
            next = page.next_shard_iterator.filter(|_| !is_last);
        }
    }
    Ok(())
}
