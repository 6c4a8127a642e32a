//! The tables of the workload: one bare, one with three global indexes, one with a local index.

use database::operations::{
    CreateTableRequest, DescribeTableRequest, DescribeTimeToLiveRequest,
    GlobalSecondaryIndexUpdate, TimeToLiveStatus, UpdateTableRequest, UpdateTimeToLiveRequest,
};
use database::shapes::{
    AttributeDefinition, BillingMode, GlobalSecondaryIndex, IndexStatus, KeySchemaElement, KeyType,
    LocalSecondaryIndex, Projection, ProjectionType, ScalarAttributeType, StreamSpecification,
    StreamViewType,
};
use database::{Database, Error};
use values::{AttributeValue, Item};

use super::Attribute;

/// Items of one collection of [`Table::Local`].
const COLLECTION_ITEMS: u32 = 8;

/// A table of the workload.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Table {
    /// No index, no stream.
    Plain,
    /// Three global indexes, one of each projection, and a stream.
    Indexed,
    /// A sort key, a local index and a stream.
    Local,
}

/// An index of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IndexLayout {
    /// Its name.
    pub name: &'static str,
    /// Its hash and sort key.
    pub keys: [&'static str; 2],
    /// What it holds besides keys.
    pub projection: ProjectionType,
    /// With [`ProjectionType::Include`].
    pub included: &'static [&'static str],
}

const GLOBAL_INDEXES: [IndexLayout; 3] = [
    IndexLayout {
        name: "by-group",
        keys: [Attribute::GROUP, Attribute::RANK],
        projection: ProjectionType::KeysOnly,
        included: &[],
    },
    IndexLayout {
        name: "by-label",
        keys: [Attribute::LABEL, Attribute::WRITER],
        projection: ProjectionType::Include,
        included: &[Attribute::COUNTER, Attribute::GROUP],
    },
    IndexLayout {
        name: "by-group-whole",
        keys: [Attribute::GROUP, Attribute::LABEL],
        projection: ProjectionType::All,
        included: &[],
    },
];

/// Comes and goes while others write.
const EXTRA_INDEX: IndexLayout = IndexLayout {
    name: "extra",
    keys: [Attribute::LABEL, Attribute::COUNTER],
    projection: ProjectionType::Include,
    included: &[Attribute::PAYLOAD],
};

const LOCAL_INDEXES: [IndexLayout; 1] = [IndexLayout {
    name: "by-rank",
    keys: [Attribute::ID, Attribute::RANK],
    projection: ProjectionType::Include,
    included: &[Attribute::WRITER],
}];

impl Table {
    /// Every table.
    pub const ALL: [Table; 3] = [Table::Plain, Table::Indexed, Table::Local];

    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Table::Plain => "plain",
            Table::Indexed => "indexed",
            Table::Local => "local",
        }
    }

    /// Does it have a stream with both images?
    pub const fn has_stream(self) -> bool {
        !matches!(self, Table::Plain)
    }

    /// Its key attributes.
    pub const fn keys(self) -> &'static [&'static str] {
        match self {
            Table::Plain | Table::Indexed => &[Attribute::ID],
            Table::Local => &[Attribute::ID, Attribute::SORT],
        }
    }

    /// The index with this name, also one that is not always there.
    pub fn index(self, name: &str) -> Option<&'static IndexLayout> {
        let extra = (self == Table::Indexed).then_some(&EXTRA_INDEX);
        self.indexes().iter().chain(extra).find(|index| index.name == name)
    }

    /// The indexes that are always there.
    pub const fn indexes(self) -> &'static [IndexLayout] {
        match self {
            Table::Plain => &[],
            Table::Indexed => &GLOBAL_INDEXES,
            Table::Local => &LOCAL_INDEXES,
        }
    }

    fn definition(self) -> CreateTableRequest {
        let mut names: Vec<&str> = self.keys().to_vec();
        names.extend(self.indexes().iter().flat_map(|index| index.keys));
        names.sort_unstable();
        names.dedup();
        let attribute_definitions = names.into_iter().map(|name| AttributeDefinition {
            attribute_name: name.to_owned(),
            attribute_type: Attribute::key_type(name),
        });
        let mut request = CreateTableRequest {
            table_name: self.name().to_owned(),
            attribute_definitions: attribute_definitions.collect(),
            key_schema: key_schema(self.keys()),
            billing_mode: Some(BillingMode::PayPerRequest),
            ..CreateTableRequest::default()
        };
        if self.has_stream() {
            request.stream_specification = Some(StreamSpecification {
                stream_enabled: true,
                stream_view_type: Some(StreamViewType::NewAndOldImages),
            });
        }
        match self {
            Table::Plain => {}
            Table::Indexed => {
                let indexes = self.indexes().iter().map(|index| GlobalSecondaryIndex {
                    index_name: index.name.to_owned(),
                    key_schema: key_schema(&index.keys),
                    projection: index.projection(),
                    ..GlobalSecondaryIndex::default()
                });
                request.global_secondary_indexes = Some(indexes.collect());
            }
            Table::Local => {
                let indexes = self.indexes().iter().map(|index| LocalSecondaryIndex {
                    index_name: index.name.to_owned(),
                    key_schema: key_schema(&index.keys),
                    projection: index.projection(),
                });
                request.local_secondary_indexes = Some(indexes.collect());
            }
        }
        request
    }
}

impl IndexLayout {
    fn projection(&self) -> Projection {
        let included = self.included.iter().map(|name| (*name).to_owned()).collect();
        Projection {
            projection_type: Some(self.projection),
            non_key_attributes: (self.projection == ProjectionType::Include).then_some(included),
        }
    }

    /// What the index shows of an item, worked out by hand: nothing without all its keys.
    pub fn entry(&self, table: Table, item: &Item) -> Option<Item> {
        if !self.keys.iter().all(|key| item.contains_key(key)) {
            return None;
        }
        let shown = |name: &str| match self.projection {
            ProjectionType::All => true,
            ProjectionType::KeysOnly | ProjectionType::Include => {
                table.keys().contains(&name)
                    || self.keys.contains(&name)
                    || self.included.contains(&name)
            }
        };
        let shown = item.iter().filter(|(name, _)| shown(name));
        Some(shown.map(|(name, value)| (name.clone(), value.clone())).collect())
    }
}

fn key_schema(names: &[&str]) -> Vec<KeySchemaElement> {
    let types = [KeyType::Hash, KeyType::Range];
    let elements = names.iter().zip(types);
    let element = |(name, key_type): (&&str, KeyType)| KeySchemaElement {
        attribute_name: (*name).to_owned(),
        key_type,
    };
    elements.map(element).collect()
}

/// One item, by table and number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ItemName {
    /// The table.
    pub table: Table,
    /// Which item of it.
    pub number: u32,
}

impl ItemName {
    /// The key attributes.
    pub fn key(self) -> Item {
        let (id, sort) = match self.table {
            Table::Plain | Table::Indexed => (format!("item-{}", self.number), None),
            Table::Local => {
                let collection = self.number / COLLECTION_ITEMS;
                (format!("collection-{collection}"), Some(self.number % COLLECTION_ITEMS))
            }
        };
        let mut key = Item::from([(Attribute::ID, AttributeValue::from(id))]);
        if let Some(sort) = sort {
            key.insert(Attribute::SORT, AttributeValue::from(i64::from(sort)));
        }
        key
    }

    /// The name of the item with these key attributes, if it is one of the workload's.
    pub fn of(table: Table, item: &Item) -> Option<ItemName> {
        let Some(AttributeValue::S(id)) = item.get(Attribute::ID) else { return None };
        let number = id.rsplit('-').next()?.parse::<u32>().ok()?;
        let number = match table {
            Table::Plain | Table::Indexed => number,
            Table::Local => {
                let Some(AttributeValue::N(sort)) = item.get(Attribute::SORT) else { return None };
                let sort = u32::try_from(sort.to_i64()?).ok()?;
                number.checked_mul(COLLECTION_ITEMS)?.checked_add(sort)?
            }
        };
        let name = ItemName { table, number };
        name.key().iter().all(|(key, value)| item.get(key) == Some(value)).then_some(name)
    }
}

/// Creates the tables that are not there yet.
pub async fn create_tables(database: &Database) -> Result<(), Error> {
    for table in Table::ALL {
        match database.create_table(table.definition()).await {
            Ok(_) | Err(Error::ResourceInUse(_)) => {}
            Err(error) => return Err(error),
        }
    }
    let table_name = Table::Local.name().to_owned();
    let request = DescribeTimeToLiveRequest { table_name: table_name.clone() };
    let described = database.describe_time_to_live(request).await?;
    if described.time_to_live_status == TimeToLiveStatus::Disabled {
        let attribute_name = Attribute::EXPIRES.to_owned();
        let request = UpdateTimeToLiveRequest { table_name, attribute_name, enabled: true };
        database.update_time_to_live(request).await?;
    }
    Ok(())
}

/// Adds the extra index, or removes it if it is there and complete.
pub async fn toggle_extra_index(database: &Database) -> Result<(), Error> {
    let table_name = Table::Indexed.name().to_owned();
    let request = DescribeTableRequest { table_name: table_name.clone() };
    let described = database.describe_table(request).await?.table;
    let mut indexes = described.global_secondary_indexes.iter();
    let index = EXTRA_INDEX;
    let update = match indexes.find(|described| described.index_name == index.name) {
        None => GlobalSecondaryIndexUpdate::Create(GlobalSecondaryIndex {
            index_name: index.name.to_owned(),
            key_schema: key_schema(&index.keys),
            projection: index.projection(),
            ..GlobalSecondaryIndex::default()
        }),
        Some(described) if described.index_status == IndexStatus::Active => {
            GlobalSecondaryIndexUpdate::Delete { index_name: index.name.to_owned() }
        }
        Some(_) => return Ok(()),
    };
    let definition = |name: &&str| AttributeDefinition {
        attribute_name: (*name).to_owned(),
        attribute_type: Attribute::key_type(name),
    };
    let request = UpdateTableRequest {
        table_name,
        attribute_definitions: Some(index.keys.iter().map(definition).collect()),
        global_secondary_index_updates: Some(vec![update]),
        ..UpdateTableRequest::default()
    };
    match database.update_table(request).await {
        // It is being changed already.
        Ok(_) | Err(Error::ResourceInUse(_) | Error::LimitExceeded(_)) => Ok(()),
        Err(error) => Err(error),
    }
}

/// A round of background work; it must not run on a thread of the runtime.
pub async fn background_work(database: &Database) -> Result<usize, Error> {
    let database = database.clone();
    let work = tokio::task::spawn_blocking(move || database.run_background_work());
    work.await.unwrap_or_else(|error| Err(Error::Stopped(error.to_string())))
}

/// Are all tables there?
pub async fn tables_exist(database: &Database) -> Result<bool, Error> {
    let listed = database.list_tables(database::operations::ListTablesRequest::default()).await?;
    Ok(Table::ALL.iter().all(|table| listed.table_names.iter().any(|name| name == table.name())))
}

impl Attribute {
    fn key_type(name: &str) -> ScalarAttributeType {
        match name {
            Attribute::SORT | Attribute::RANK | Attribute::WRITER | Attribute::COUNTER => {
                ScalarAttributeType::N
            }
            _ => ScalarAttributeType::S,
        }
    }
}
