//! What a sequence is about: tables with their keys and indexes, and the values that fill them.

mod schema;
pub mod value;

pub use schema::{Index, IndexKind, KeyAttribute, Projection, Table};

use serde_json::{Map, Value};

use crate::random::Random;

/// Attribute names that are not keys. Two are reserved words, one needs a placeholder.
pub const ATTRIBUTES: [&str; 9] = ["a", "b", "c", "d", "num", "doc", "name", "size", "x.y"];

/// The tables of one sequence and what the generator remembers of it.
pub struct World {
    /// The tables.
    pub tables: Vec<Table>,
    /// Transactions that were sent with a token, to be sent again.
    pub tokens: Vec<Value>,
}

impl World {
    /// One or two tables.
    pub fn new(random: &mut Random) -> Self {
        let count = random.weighted(&[(3, 1), (1, 2)]);
        let is_large = random.percent(2);
        let tables = (0..count)
            .map(|number| Table::random(random, &format!("table{number}"), is_large))
            .collect();
        World { tables, tokens: Vec::new() }
    }

    /// A table by chance.
    pub fn table(&self, random: &mut Random) -> &Table {
        random.pick(&self.tables)
    }
}

impl Table {
    /// A key of this table, from its pool.
    pub fn key(&self, random: &mut Random) -> Map<String, Value> {
        let mut key = Map::new();
        key.insert(self.hash.name.clone(), random.pick(&self.hash_values).clone());
        if let Some(sort) = &self.sort {
            key.insert(sort.name.clone(), random.pick(&self.sort_values).clone());
        }
        key
    }

    /// Several keys, all different.
    pub fn keys(&self, random: &mut Random, most: usize) -> Vec<Map<String, Value>> {
        let mut keys: Vec<Map<String, Value>> = Vec::new();
        for _ in 0..most {
            let key = self.key(random);
            if !keys.contains(&key) {
                keys.push(key);
            }
        }
        keys
    }

    /// A whole item under this key.
    pub fn item(&self, random: &mut Random, key: Map<String, Value>) -> Map<String, Value> {
        let mut item = key;
        for attribute in self.index_attributes() {
            if !item.contains_key(&attribute.name) && random.percent(70) {
                let value = self.index_value(random, &attribute);
                item.insert(attribute.name, value);
            }
        }
        let most = random.below(6);
        for name in random.some(&ATTRIBUTES, most) {
            item.insert(name.to_owned(), value::any(random));
        }
        if self.is_large && random.percent(60) {
            item.insert("bulk".to_owned(), value::bulk(random.between(50_000, 380_000)));
        }
        item
    }

    /// A value for an attribute that is the key of an index.
    pub fn index_value(&self, random: &mut Random, attribute: &KeyAttribute) -> Value {
        value::key(random, attribute.kind)
    }
}
