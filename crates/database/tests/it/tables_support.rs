//! What the tests of the table operations share: a database with a clock of its own, and short ways
//! to write definitions.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on panics")]

use std::sync::Arc;

use database::clock::{ManualClock, SequentialIds};
use database::operations::*;
use database::options::Location;
use database::shapes::*;
use database::storage::memory::MemoryStorage;
use database::{Database, Error, Options};
use values::{AttributeValue, Item};

/// 2026-11-15T01:02:03.456Z.
pub const NOW: u64 = 1_794_704_523_456;

pub const PREFIX: &str = "One or more parameter values were invalid: ";

/// A database whose clock stands still and whose background work is done when asked for.
pub struct World {
    pub database: Database,
    pub clock: ManualClock,
    pub storage: MemoryStorage,
}

impl World {
    pub fn new() -> World {
        World::on(MemoryStorage::default(), ManualClock::new(NOW))
    }

    pub fn on(storage: MemoryStorage, clock: ManualClock) -> World {
        let mut options = Options::at(Location::Storage(Arc::new(storage.clone())));
        options.clock = Arc::new(clock.clone());
        options.ids = Arc::new(SequentialIds::default());
        options.background_work = false;
        World { database: Database::open(options).unwrap(), clock, storage }
    }

    /// Closes the database and opens it again on what it left.
    pub fn reopen(self) -> World {
        self.database.close();
        World::on(self.storage.clone(), self.clock.clone())
    }

    pub fn create(&self, request: CreateTableRequest) -> TableDescription {
        self.try_create(request).unwrap()
    }

    pub fn try_create(&self, request: CreateTableRequest) -> Result<TableDescription, Error> {
        block_on(self.database.create_table(request)).map(|answer| answer.table_description)
    }

    pub fn update(&self, request: UpdateTableRequest) -> TableDescription {
        self.try_update(request).unwrap()
    }

    pub fn try_update(&self, request: UpdateTableRequest) -> Result<TableDescription, Error> {
        block_on(self.database.update_table(request)).map(|answer| answer.table_description)
    }

    pub fn describe(&self, table_name: &str) -> TableDescription {
        self.try_describe(table_name).unwrap()
    }

    pub fn try_describe(&self, table_name: &str) -> Result<TableDescription, Error> {
        let request = DescribeTableRequest { table_name: table_name.to_owned() };
        block_on(self.database.describe_table(request)).map(|answer| answer.table)
    }

    pub fn try_delete(&self, table_name: &str) -> Result<TableDescription, Error> {
        let request = DeleteTableRequest { table_name: table_name.to_owned() };
        block_on(self.database.delete_table(request)).map(|answer| answer.table_description)
    }

    pub fn put(&self, table_name: &str, attributes: &[(&str, &str)]) {
        let item: Item = attributes
            .iter()
            .map(|(name, value)| ((*name).to_owned(), AttributeValue::S((*value).to_owned())))
            .collect();
        let request =
            PutItemRequest { table_name: table_name.to_owned(), item, ..Default::default() };
        block_on(self.database.put_item(request)).unwrap();
    }

    pub fn stream_arns(&self) -> Vec<String> {
        let answer = block_on(self.database.list_streams(ListStreamsRequest::default())).unwrap();
        answer.streams.into_iter().map(|stream| stream.stream_arn).collect()
    }
}

pub fn block_on<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(future)
}

/// Code and text of an error, as a client sees them.
pub fn told<T>(outcome: Result<T, Error>) -> String {
    match outcome {
        Ok(_) => "no error".to_owned(),
        Err(error) => format!("{}: {error}", error.code()),
    }
}

pub fn invalid(text: &str) -> String {
    format!("ValidationException: {PREFIX}{text}")
}

pub fn definitions(names: &[&str]) -> Vec<AttributeDefinition> {
    let definition = |name: &&str| AttributeDefinition {
        attribute_name: (*name).to_owned(),
        attribute_type: ScalarAttributeType::S,
    };
    names.iter().map(definition).collect()
}

/// `"a b / c"` is a key of hash attributes `a` and `b` and range attribute `c`.
pub fn key(text: &str) -> Vec<KeySchemaElement> {
    let (hash, range) = text.split_once('/').unwrap_or((text, ""));
    let elements = |names: &str, key_type: KeyType| {
        let element =
            move |name: &str| KeySchemaElement { attribute_name: name.to_owned(), key_type };
        names.split_whitespace().map(element).collect::<Vec<_>>()
    };
    [elements(hash, KeyType::Hash), elements(range, KeyType::Range)].concat()
}

pub fn keys_only() -> Projection {
    Projection { projection_type: Some(ProjectionType::KeysOnly), non_key_attributes: None }
}

pub fn include(names: &[&str]) -> Projection {
    Projection {
        projection_type: Some(ProjectionType::Include),
        non_key_attributes: Some(names.iter().map(|name| (*name).to_owned()).collect()),
    }
}

pub fn global(name: &str, key_schema: &str) -> GlobalSecondaryIndex {
    GlobalSecondaryIndex {
        index_name: name.to_owned(),
        key_schema: key(key_schema),
        projection: keys_only(),
        ..Default::default()
    }
}

pub fn local(name: &str, key_schema: &str) -> LocalSecondaryIndex {
    LocalSecondaryIndex {
        index_name: name.to_owned(),
        key_schema: key(key_schema),
        projection: keys_only(),
    }
}

pub fn units(read: i64, write: i64) -> Option<ProvisionedThroughput> {
    Some(ProvisionedThroughput { read_capacity_units: read, write_capacity_units: write })
}

/// An on-demand table with all its attributes strings.
pub fn on_demand(name: &str, key_schema: &str, attributes: &[&str]) -> CreateTableRequest {
    CreateTableRequest {
        table_name: name.to_owned(),
        key_schema: key(key_schema),
        attribute_definitions: definitions(attributes),
        billing_mode: Some(BillingMode::PayPerRequest),
        ..Default::default()
    }
}

/// The plainest table.
pub fn orders() -> CreateTableRequest {
    on_demand("orders", "pk", &["pk"])
}

/// A provisioned table.
pub fn provisioned(read: i64, write: i64) -> CreateTableRequest {
    CreateTableRequest {
        billing_mode: Some(BillingMode::Provisioned),
        provisioned_throughput: units(read, write),
        ..orders()
    }
}

pub fn change() -> UpdateTableRequest {
    UpdateTableRequest { table_name: "orders".to_owned(), ..Default::default() }
}

pub fn enabled(view_type: StreamViewType) -> Option<StreamSpecification> {
    Some(StreamSpecification { stream_enabled: true, stream_view_type: Some(view_type) })
}

pub fn disabled() -> Option<StreamSpecification> {
    Some(StreamSpecification { stream_enabled: false, stream_view_type: None })
}
