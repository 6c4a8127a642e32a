//! The two tables and their items, made from numbers.
//!
//! - `orders`: hash key `id`, three global indexes with all attributes. Ids are scattered, as random
//!   ones would be, so that neighbours in time are not neighbours in the key space.
//! - `history`: hash key `account`, sort key `position`; forty items to an account.
//!
//! An item weighs about 700 bytes in about ten attributes. More than half of that is a note of
//! random letters, which hardly compresses: engines that compress get no easy gain.

use serde::{Deserialize, Serialize};

/// The table with three indexes.
pub const ORDERS: &str = "orders";
/// The table with a sort key.
pub const HISTORY: &str = "history";

/// The indexes of `orders`: name, hash key (a string), sort key (a number).
pub const INDEXES: [(&str, &str, &str); 3] = [
    ("by_customer", "customer", "ordered_at"),
    ("by_warehouse", "warehouse", "due_at"),
    ("by_courier", "courier", "weight_grams"),
];

/// How many items share an account, and a customer: twice what a query asks for.
const GROUP_ITEMS: u64 = 40;
const WAREHOUSE_ITEMS: u64 = 1000;
const COURIER_ITEMS: u64 = 200;

/// What the note is filled up to.
const ITEM_BYTES: usize = 700;

/// An attribute value that every engine can convert to its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Field {
    /// A string.
    Text(String),
    /// A number.
    Number(u64),
    /// A boolean.
    Flag(bool),
    /// A map.
    Map(Record),
}

/// An item: attribute names and values.
pub type Record = Vec<(&'static str, Field)>;

/// How many items there are, and which.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Dataset {
    /// Items loaded into each table.
    pub items: u64,
    /// Another seed makes other keys and other notes.
    pub seed: u64,
}

impl Dataset {
    /// The item with this number of `orders`. Numbers from `items` up are new ones.
    pub fn order(&self, number: u64) -> Record {
        let mut record = self.key(number);
        record.push(("customer", Field::Text(self.customer(number))));
        record.push(("ordered_at", Field::Number(1_700_000_000 + number)));
        self.push_details(number, &mut record);
        record
    }

    /// The key of an order.
    pub fn key(&self, number: u64) -> Record {
        vec![("id", Field::Text(format!("{:016x}", self.scatter(number))))]
    }

    /// Who made the order with this number.
    pub fn customer(&self, number: u64) -> String {
        self.name("customer", number, GROUP_ITEMS)
    }

    /// The item with this number of `history`.
    pub fn history(&self, number: u64) -> Record {
        let position = number / self.groups(GROUP_ITEMS);
        let mut record = vec![
            ("account", Field::Text(self.account(number))),
            ("position", Field::Number(position)),
        ];
        self.push_details(number, &mut record);
        record
    }

    /// The account that the history item with this number belongs to.
    pub fn account(&self, number: u64) -> String {
        self.name("account", number, GROUP_ITEMS)
    }

    fn push_details(&self, number: u64, record: &mut Record) {
        let mut random = Random::new(self.scatter(number));
        let warehouse = self.name("warehouse", number, WAREHOUSE_ITEMS);
        let courier = self.name("courier", number, COURIER_ITEMS);
        record.push(("warehouse", Field::Text(warehouse)));
        record.push(("due_at", Field::Number(1_700_000_000 + random.below(100_000_000))));
        record.push(("courier", Field::Text(courier)));
        record.push(("weight_grams", Field::Number(1 + random.below(30_000))));
        record.push(("revision", Field::Number(0)));
        record.push(("express", Field::Flag(number.is_multiple_of(4))));
        let address = vec![
            ("street", Field::Text(random.letters(18))),
            ("town", Field::Text(random.letters(12))),
            ("postcode", Field::Number(10_000 + random.below(90_000))),
        ];
        record.push(("address", Field::Map(address)));
        let note = "note";
        let room = ITEM_BYTES.saturating_sub(size(record) + note.len());
        record.push((note, Field::Text(random.letters(room))));
    }

    /// One of the names that each belong to `sharers` items.
    fn name(&self, kind: &str, number: u64, sharers: u64) -> String {
        let group = number % self.groups(sharers);
        format!("{kind}-{:012x}", self.scatter(group) >> 16)
    }

    fn groups(&self, sharers: u64) -> u64 {
        (self.items / sharers).max(1)
    }

    /// A number that looks random and that no other number is mapped to.
    fn scatter(&self, number: u64) -> u64 {
        mix(number ^ mix(self.seed))
    }
}

/// Bytes as DynamoDB counts them, near enough.
fn size(record: &Record) -> usize {
    let value_size = |field: &Field| match field {
        Field::Text(text) => text.len(),
        Field::Number(number) => number.to_string().len().div_ceil(2) + 1,
        Field::Flag(_) => 1,
        Field::Map(content) => 3 + content.len() + size(content),
    };
    record.iter().map(|(name, field)| name.len() + value_size(field)).sum()
}

/// The next numbers of a repeatable sequence (SplitMix64).
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// The sequence that belongs to a seed.
    pub fn new(seed: u64) -> Self {
        Random(seed)
    }

    /// Any number.
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        mix(self.0)
    }

    /// A number below a limit.
    pub fn below(&mut self, limit: u64) -> u64 {
        let product = u128::from(self.next()) * u128::from(limit);
        (product >> 64) as u64
    }

    fn letters(&mut self, count: usize) -> String {
        const LETTERS: &[u8; 32] = b"abcdefghijklmnopqrstuvwxyz      ";
        let mut text = String::with_capacity(count);
        while text.len() < count {
            let bits = self.next();
            let room = (count - text.len()).min(12);
            text.extend((0..room).map(|at| char::from(LETTERS[(bits >> (5 * at)) as usize & 31])));
        }
        text
    }
}

/// The finalizer of SplitMix64: a bijection whose output bits all depend on all input bits.
fn mix(number: u64) -> u64 {
    let number = (number ^ (number >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let number = (number ^ (number >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    number ^ (number >> 31)
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use super::*;

    const DATASET: Dataset = Dataset { items: 4000, seed: 1 };

    #[test]
    fn items_repeat_from_the_seed() {
        assert_eq!(DATASET.order(7), DATASET.order(7));
        assert_ne!(DATASET.order(7), Dataset { seed: 2, ..DATASET }.order(7));
    }

    #[test]
    fn items_weigh_what_they_should() {
        for number in [0, 1, 3999, 1 << 40] {
            assert_eq!(size(&DATASET.order(number)), ITEM_BYTES);
            assert_eq!(size(&DATASET.history(number % 4000)), ITEM_BYTES);
        }
    }

    #[test]
    fn ids_are_distinct() {
        let ids: BTreeSet<String> = (0..4000)
            .map(|number| match DATASET.key(number).remove(0).1 {
                Field::Text(text) => text,
                other => panic!("{other:?}"),
            })
            .collect();
        assert_eq!(ids.len(), 4000);
    }

    #[test]
    fn customers_and_accounts_have_forty_items_each() {
        let mut customers: BTreeMap<String, u64> = BTreeMap::new();
        let mut accounts: BTreeMap<String, u64> = BTreeMap::new();
        for number in 0..DATASET.items {
            *customers.entry(DATASET.customer(number)).or_default() += 1;
            *accounts.entry(DATASET.account(number)).or_default() += 1;
        }
        assert!(customers.values().chain(accounts.values()).all(|&count| count == GROUP_ITEMS));
    }
}
