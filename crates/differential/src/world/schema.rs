//! Random tables: keys, indexes, projections, streams.

use serde_json::{Map, Value, json};

use super::value;
use crate::random::Random;

const KEY_TYPES: [&str; 3] = ["S", "N", "B"];

/// An attribute that is part of a key.
#[derive(Clone, Debug, PartialEq)]
pub struct KeyAttribute {
    /// Its name.
    pub name: String,
    /// Its type: `S`, `N` or `B`.
    pub kind: &'static str,
}

/// Local or global.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IndexKind {
    /// The table's hash key with another sort key.
    Local,
    /// Keys of its own.
    Global,
}

/// What an index holds besides keys.
#[derive(Clone, Debug, PartialEq)]
pub enum Projection {
    /// Everything.
    All,
    /// Nothing.
    KeysOnly,
    /// These.
    Include(Vec<&'static str>),
}

/// An index.
#[derive(Clone, Debug, PartialEq)]
pub struct Index {
    /// Its name.
    pub name: String,
    /// Local or global.
    pub kind: IndexKind,
    /// Hash attributes: one, or up to four of a global index.
    pub hash: Vec<KeyAttribute>,
    /// Sort attributes: up to four of a global index.
    pub sort: Vec<KeyAttribute>,
    /// What it holds.
    pub projection: Projection,
}

/// A table.
#[derive(Clone, Debug)]
pub struct Table {
    /// Its name.
    pub name: String,
    /// The hash key.
    pub hash: KeyAttribute,
    /// The sort key.
    pub sort: Option<KeyAttribute>,
    /// Its indexes.
    pub indexes: Vec<Index>,
    /// The stream's view type, if there is one.
    pub stream: Option<&'static str>,
    /// Whether a stream of the table has been disabled.
    pub is_stream_restarted: bool,
    /// Whether time to live has been changed.
    pub is_time_to_live_changed: bool,
    /// The hash values that occur.
    pub hash_values: Vec<Value>,
    /// The sort values that occur.
    pub sort_values: Vec<Value>,
    /// Whether items are made so large that pages end by size.
    pub is_large: bool,
    /// Whether capacity is provisioned.
    pub is_provisioned: bool,
}

impl Table {
    /// A table of this name, everything else by chance.
    pub fn random(random: &mut Random, name: &str, is_large: bool) -> Self {
        let hash =
            KeyAttribute { name: "pk".to_owned(), kind: random.pick::<&'static str>(&KEY_TYPES) };
        let sort = random.percent(65).then(|| KeyAttribute {
            name: "sk".to_owned(),
            kind: random.pick::<&'static str>(&KEY_TYPES),
        });
        let hash_count = if sort.is_some() { random.between(1, 6) } else { 12 };
        let hash_values = value::key_pool(random, hash.kind, hash_count);
        let sort_count = random.between(3, 12);
        let sort_values = sort.as_ref().map(|sort| value::key_pool(random, sort.kind, sort_count));
        let views = ["KEYS_ONLY", "NEW_IMAGE", "OLD_IMAGE", "NEW_AND_OLD_IMAGES"];
        let mut table = Table {
            name: name.to_owned(),
            hash,
            sort,
            indexes: Vec::new(),
            stream: random.percent(60).then(|| *random.pick(&views)),
            is_stream_restarted: false,
            is_time_to_live_changed: false,
            hash_values,
            sort_values: sort_values.unwrap_or_default(),
            is_large,
            is_provisioned: random.percent(20),
        };
        for _ in 0..random.weighted(&[(3, 0), (3, 1), (3, 2), (2, 3), (1, 4), (1, 5)]) {
            let index = table.new_index(random);
            table.indexes.push(index);
        }
        table
    }

    /// A further index, with a name that is free.
    pub fn new_index(&self, random: &mut Random) -> Index {
        let kind = if self.sort.is_some() && random.percent(40) {
            IndexKind::Local
        } else {
            IndexKind::Global
        };
        self.new_index_of(random, kind)
    }

    /// A further index of this kind.
    pub fn new_index_of(&self, random: &mut Random, kind: IndexKind) -> Index {
        let taken = |name: &String| self.indexes.iter().any(|index| index.name == *name);
        let mut names = (0..).map(|number| format!("index{number}"));
        let name = names.find(|name| !taken(name)).unwrap_or_default();
        let projection = match random.below(3) {
            0 => Projection::All,
            1 => Projection::KeysOnly,
            _ => {
                let most = random.between(1, 3);
                Projection::Include(random.some(&["a", "b", "num", "doc"], most))
            }
        };
        let (hash, sort) = match kind {
            IndexKind::Local => (vec![self.hash.clone()], vec![self.index_key(random)]),
            IndexKind::Global => self.global_keys(random),
        };
        Index { name, kind, hash, sort, projection }
    }

    fn global_keys(&self, random: &mut Random) -> (Vec<KeyAttribute>, Vec<KeyAttribute>) {
        let (hash_count, sort_count) =
            random.weighted(&[(4, (1, 0)), (4, (1, 1)), (1, (2, 0)), (1, (2, 2)), (1, (1, 2))]);
        let mut all: Vec<KeyAttribute> = Vec::new();
        while all.len() < hash_count + sort_count {
            // A global index may use the table's own sort key.
            let own = self.sort.as_ref().filter(|_| random.percent(10));
            let key = own.cloned().unwrap_or_else(|| self.index_key(random));
            if !all.contains(&key) {
                all.push(key);
            }
        }
        let sort = all.split_off(hash_count);
        (all, sort)
    }

    /// An attribute for the key of an index. Each has one type for good.
    fn index_key(&self, random: &mut Random) -> KeyAttribute {
        let kinds = ["S", "N", "B", "S", "N", "S"];
        let number = random.below(kinds.len());
        KeyAttribute { name: format!("g{number}"), kind: kinds[number] }
    }

    /// Every attribute that is part of an index key and not of the table's.
    pub fn index_attributes(&self) -> Vec<KeyAttribute> {
        let mut attributes: Vec<KeyAttribute> = Vec::new();
        let keys = self.indexes.iter().flat_map(|index| index.hash.iter().chain(&index.sort));
        for key in keys {
            let is_own = key.name == self.hash.name
                || self.sort.as_ref().is_some_and(|sort| sort.name == key.name);
            if !is_own && !attributes.contains(key) {
                attributes.push(key.clone());
            }
        }
        attributes
    }

    /// The names of the table's key attributes.
    pub fn key_names(&self) -> Vec<&str> {
        let sort = self.sort.iter().map(|sort| sort.name.as_str());
        std::iter::once(self.hash.name.as_str()).chain(sort).collect()
    }

    /// The body of the CreateTable request.
    pub fn create_request(&self) -> Value {
        let hash = std::slice::from_ref(&self.hash);
        let sort: Vec<KeyAttribute> = self.sort.iter().cloned().collect();
        let mut body = json!({
            "TableName": self.name,
            "KeySchema": key_schema(hash, &sort),
            "AttributeDefinitions": self.definitions(),
        });
        body["BillingMode"] =
            json!(if self.is_provisioned { "PROVISIONED" } else { "PAY_PER_REQUEST" });
        if self.is_provisioned {
            body["ProvisionedThroughput"] = throughput();
        }
        for (kind, member) in [
            (IndexKind::Local, "LocalSecondaryIndexes"),
            (IndexKind::Global, "GlobalSecondaryIndexes"),
        ] {
            let indexes = self.indexes.iter().filter(|index| index.kind == kind);
            let described: Vec<Value> =
                indexes.map(|index| index.request(self.is_provisioned)).collect();
            if !described.is_empty() {
                body[member] = Value::Array(described);
            }
        }
        if let Some(view) = self.stream {
            body["StreamSpecification"] = json!({ "StreamEnabled": true, "StreamViewType": view });
        }
        body
    }

    /// `AttributeDefinitions` of everything that is a key.
    pub fn definitions(&self) -> Value {
        let own = std::iter::once(&self.hash).chain(&self.sort).cloned();
        own.chain(self.index_attributes()).map(|key| definition(&key)).collect()
    }
}

impl Index {
    /// The index as CreateTable and UpdateTable take it.
    pub fn request(&self, is_provisioned: bool) -> Value {
        let mut projection = Map::new();
        let word = match &self.projection {
            Projection::All => "ALL",
            Projection::KeysOnly => "KEYS_ONLY",
            Projection::Include(_) => "INCLUDE",
        };
        projection.insert("ProjectionType".to_owned(), json!(word));
        if let Projection::Include(names) = &self.projection {
            projection.insert("NonKeyAttributes".to_owned(), json!(names));
        }
        let mut body = json!({
            "IndexName": self.name,
            "KeySchema": key_schema(&self.hash, &self.sort),
            "Projection": projection,
        });
        if is_provisioned && self.kind == IndexKind::Global {
            body["ProvisionedThroughput"] = throughput();
        }
        body
    }

    /// `AttributeDefinitions` of its keys.
    pub fn definitions(&self) -> Value {
        self.hash.iter().chain(&self.sort).map(definition).collect()
    }
}

fn definition(key: &KeyAttribute) -> Value {
    json!({ "AttributeName": key.name, "AttributeType": key.kind })
}

fn key_schema(hash: &[KeyAttribute], sort: &[KeyAttribute]) -> Value {
    let hash = hash.iter().map(|key| json!({ "AttributeName": key.name, "KeyType": "HASH" }));
    let sort = sort.iter().map(|key| json!({ "AttributeName": key.name, "KeyType": "RANGE" }));
    hash.chain(sort).collect()
}

fn throughput() -> Value {
    json!({ "ReadCapacityUnits": 5, "WriteCapacityUnits": 5 })
}
