//! What the tests of streams and background work share: a database in memory on a clock that stands
//! still, background work by hand, and short ways to write and read.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on panics")]

use std::sync::Arc;

use bytes::Bytes;
use database::clock::ManualClock;
use database::operations::*;
use database::options::Location;
use database::shapes::*;
use database::storage::memory::MemoryStorage;
use database::storage::{Snapshot, Space, Storage};
use database::{Database, Error, Options};
use values::{AttributeValue, Item};

pub const TABLE: &str = "Music";
pub const SECOND: u64 = 1000;
pub const MINUTE: u64 = 60 * SECOND;
pub const HOUR: u64 = 60 * MINUTE;
/// When every test begins.
pub const START: u64 = 1_800_000_000_000;

pub struct World {
    pub database: Database,
    pub clock: ManualClock,
    pub storage: MemoryStorage,
    runtime: tokio::runtime::Runtime,
}

impl World {
    pub fn new() -> World {
        World::on(MemoryStorage::default(), ManualClock::new(START))
    }

    fn on(storage: MemoryStorage, clock: ManualClock) -> World {
        let options = Options {
            clock: Arc::new(clock.clone()),
            background_work: false,
            ..Options::at(Location::Storage(Arc::new(storage.clone())))
        };
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        World { database: Database::open(options).unwrap(), clock, storage, runtime }
    }

    /// Closes the database and opens it again.
    pub fn reopen(self) -> World {
        self.database.close();
        World::on(self.storage, self.clock)
    }

    pub fn wait<T>(&self, future: impl Future<Output = T>) -> T {
        self.runtime.block_on(future)
    }

    /// A table with a hash key `artist` and a sort key `song`.
    pub fn create_table(&self, view_type: Option<StreamViewType>) {
        self.wait(self.database.create_table(table_request(view_type))).unwrap();
    }

    pub fn switch_stream(&self, view_type: Option<StreamViewType>) {
        let stream_specification = Some(StreamSpecification {
            stream_enabled: view_type.is_some(),
            stream_view_type: view_type,
        });
        let request = UpdateTableRequest {
            table_name: TABLE.to_owned(),
            stream_specification,
            ..UpdateTableRequest::default()
        };
        self.wait(self.database.update_table(request)).unwrap();
    }

    pub fn expire_by(&self, attribute_name: &str) {
        let request = UpdateTimeToLiveRequest {
            table_name: TABLE.to_owned(),
            attribute_name: attribute_name.to_owned(),
            enabled: true,
        };
        self.wait(self.database.update_time_to_live(request)).unwrap();
    }

    pub fn put(&self, item: Item) {
        self.wait(self.database.put_item(put_request(item))).unwrap();
    }

    pub fn delete(&self, item: &Item) {
        let request = DeleteItemRequest {
            table_name: TABLE.to_owned(),
            key: key_of(item),
            ..DeleteItemRequest::default()
        };
        self.wait(self.database.delete_item(request)).unwrap();
    }

    pub fn get(&self, item: &Item) -> Option<Item> {
        let request = GetItemRequest {
            table_name: TABLE.to_owned(),
            key: key_of(item),
            ..GetItemRequest::default()
        };
        self.wait(self.database.get_item(request)).unwrap().item
    }

    /// Does background work until there is none.
    pub fn work(&self) -> usize {
        let mut worked = 0;
        loop {
            match self.database.run_background_work().unwrap() {
                0 => return worked,
                more => worked += more,
            }
        }
    }

    pub fn describe_table(&self) -> TableDescription {
        let request = DescribeTableRequest { table_name: TABLE.to_owned() };
        self.wait(self.database.describe_table(request)).unwrap().table
    }

    /// The ARNs of the table's streams.
    pub fn streams(&self) -> Vec<String> {
        let listed = self.wait(self.database.list_streams(ListStreamsRequest::default())).unwrap();
        listed.streams.into_iter().map(|stream| stream.stream_arn).collect()
    }

    pub fn describe(&self, arn: &str) -> StreamDescription {
        let request = DescribeStreamRequest {
            stream_arn: arn.to_owned(),
            ..DescribeStreamRequest::default()
        };
        self.wait(self.database.describe_stream(request)).unwrap().stream_description
    }

    pub fn iterator(
        &self,
        arn: &str,
        shard_id: &str,
        shard_iterator_type: ShardIteratorType,
        sequence_number: Option<&str>,
    ) -> Result<String, Error> {
        let request = GetShardIteratorRequest {
            stream_arn: arn.to_owned(),
            shard_id: shard_id.to_owned(),
            shard_iterator_type,
            sequence_number: sequence_number.map(str::to_owned),
        };
        let answer = self.wait(self.database.get_shard_iterator(request));
        answer.map(|answer| answer.shard_iterator)
    }

    pub fn records(&self, iterator: &str, limit: Option<i64>) -> Result<GetRecordsResponse, Error> {
        let request = GetRecordsRequest { shard_iterator: iterator.to_owned(), limit };
        self.wait(self.database.get_records(request))
    }

    /// Everything in a shard, from its oldest kept record.
    pub fn read_shard(&self, arn: &str, shard_id: &str) -> Vec<Record> {
        let kind = ShardIteratorType::TrimHorizon;
        let mut next = Some(self.iterator(arn, shard_id, kind, None).unwrap());
        let mut records = Vec::new();
        while let Some(iterator) = next {
            let page = self.records(&iterator, None).unwrap();
            let at_end = page.records.is_empty();
            assert!(records.len() < 100_000, "the reader goes round in circles");
            records.extend(page.records);
            next = page.next_shard_iterator.filter(|_| !at_end);
        }
        records
    }

    /// Everything in the only stream of the only table.
    pub fn read_stream(&self) -> Vec<Record> {
        let arn = self.streams().pop().unwrap();
        let shards = self.describe(&arn).shards;
        shards.iter().flat_map(|shard| self.read_shard(&arn, &shard.shard_id)).collect()
    }

    /// The keys of a space with this prefix, as they are stored.
    pub fn keys(&self, space: Space, prefix: &[u8]) -> Vec<Bytes> {
        let snapshot: Arc<dyn Snapshot> = self.storage.snapshot();
        let end = database::keys::prefix_end(prefix);
        let entries = snapshot.range(space, Bytes::copy_from_slice(prefix), end, false);
        entries.map(|entry| entry.unwrap().0).collect()
    }
}

pub fn table_request(view_type: Option<StreamViewType>) -> CreateTableRequest {
    let attribute = |name: &str| AttributeDefinition {
        attribute_name: name.to_owned(),
        attribute_type: ScalarAttributeType::S,
    };
    let key = |name: &str, key_type| KeySchemaElement { attribute_name: name.to_owned(), key_type };
    CreateTableRequest {
        table_name: TABLE.to_owned(),
        attribute_definitions: vec![attribute("artist"), attribute("song")],
        key_schema: vec![key("artist", KeyType::Hash), key("song", KeyType::Range)],
        billing_mode: Some(BillingMode::PayPerRequest),
        stream_specification: view_type.map(|view_type| StreamSpecification {
            stream_enabled: true,
            stream_view_type: Some(view_type),
        }),
        ..CreateTableRequest::default()
    }
}

pub fn put_request(item: Item) -> PutItemRequest {
    PutItemRequest { table_name: TABLE.to_owned(), item, ..PutItemRequest::default() }
}

/// An item with these further attributes.
pub fn song(name: impl Into<String>, attributes: &[(&str, AttributeValue)]) -> Item {
    let mut item =
        Item::from([("artist", "Nina".into()), ("song", AttributeValue::S(name.into()))]);
    item.extend(attributes.iter().map(|(name, value)| (*name, value.clone())));
    item
}

pub fn key_of(item: &Item) -> Item {
    let is_key = |name: &str| name == "artist" || name == "song";
    let attributes = item.iter().filter(|(name, _)| is_key(name));
    attributes.map(|(name, value)| (name.clone(), value.clone())).collect()
}
