//! One access pattern through the store: what it finds, where, and for how many units.

use std::sync::{Arc, Mutex, PoisonError};

use store::{Access, Changes, Error, Meter, Page, Raw, Store, TableHandle, Transaction, Write};
use tables::document::{AccessPattern, Action, Operation, Table};
use values::limits::{READ_UNIT_BYTES, WRITE_UNIT_BYTES};
use values::{AttributeType, AttributeValue, Item, Number};

use super::sample::{Sample, above, below, finds, fitting, samples};

/// Items of a page.
const PAGE_ITEMS: u32 = 10;
/// Items that are tried for a write whose condition they may not meet.
const TRIES_MAX: usize = 200;

/// Keeps what operations cost.
#[derive(Clone, Default)]
pub struct Ledger(Arc<Mutex<Vec<Entry>>>);

/// One charge: the index, if it was one, and the units.
pub type Entry = (Option<String>, f64);

impl Ledger {
    /// What was charged since the last time.
    pub fn take(&self) -> Vec<Entry> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Meter for Ledger {
    fn consumed(&self, _: &'static str, _: &str, index: Option<&str>, units: f64) {
        let mut entries = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        entries.push((index.map(str::to_owned), units));
    }
}

/// A filled table, and everything that patterns are tried with.
pub struct Bench<'b> {
    pub store: &'b Store,
    pub handle: &'b TableHandle,
    pub ledger: &'b Ledger,
    /// Some of the items.
    pub items: &'b [Item],
    /// The weight of the largest item.
    pub item_bytes_max: usize,
}

impl Bench<'_> {
    /// Tries a pattern. Gives the units, or what is wrong.
    pub async fn exercise(&self, access: &AccessPattern) -> Result<f64, String> {
        let table = self.handle.document();
        let mut missed = String::from("no item of the set fits it");
        let mut found: Vec<_> = samples(table, access, self.items).take(TRIES_MAX).collect();
        if found.is_empty() {
            found.extend(self.made(access).await);
        }
        for sample in found {
            self.ledger.take();
            let outcome = match access.operation {
                Operation::GetItem | Operation::BatchGetItem => self.get(access, &sample).await,
                Operation::Query => self.query(access, &sample).await,
                _ => self.write(table, access, &sample).await,
            };
            match outcome {
                Ok(units) => return Ok(units),
                // Another item may meet the condition.
                Err(Failure::Condition) => missed = "no item meets its condition".to_owned(),
                Err(Failure::Wrong(message)) => return Err(message),
            }
        }
        Err(missed)
    }

    /// A sample that is not of the set, written for the pattern.
    async fn made(&self, access: &AccessPattern) -> Option<Sample> {
        let table = self.handle.document();
        let item = fitting(table, access, self.items.first()?)?;
        let sample = samples(table, access, std::slice::from_ref(&item)).next()?;
        self.put(&sample).await.ok()?;
        Some(sample)
    }

    fn access(&self, access: &AccessPattern, sample: &Sample) -> Result<Access, Failure> {
        let mut filled = self.handle.access(&access.id)?;
        for (name, value) in &sample.values {
            filled = filled.with(name, value.clone())?;
        }
        Ok(filled)
    }

    async fn get(&self, access: &AccessPattern, sample: &Sample) -> Result<f64, Failure> {
        let found: Option<Raw> = self.access(access, sample)?.get().await?;
        if found.map(|Raw(item)| item).as_ref() != Some(&sample.item) {
            return Err(Failure::Wrong("it does not give the item that was written".to_owned()));
        }
        self.judge(access, read_units(self.item_bytes_max, 1, access.consistent_read))
    }

    /// A page costs what its items weigh, and one item more.
    async fn query(&self, access: &AccessPattern, sample: &Sample) -> Result<f64, Failure> {
        let filled = self.access(access, sample)?;
        let page: Page<Raw> = filled.page("", PAGE_ITEMS, None).await?;
        let most = read_units(self.item_bytes_max, PAGE_ITEMS as usize + 1, access.consistent_read);
        let units = self.judge(access, most)?;
        let strange = page.items.iter().find(|Raw(item)| !finds(access, &sample.values, item));
        if let Some(Raw(item)) = strange {
            return Err(Failure::Wrong(format!("it gives what it should not: {item:?}")));
        }
        let keys = self.handle.document().key_names();
        let is_sample =
            |Raw(item): &Raw| keys.iter().all(|key| item.get(key) == sample.item.get(key));
        let goes_on = page.items.len() == PAGE_ITEMS as usize && page.next.is_some();
        if !goes_on && !page.items.iter().any(is_sample) {
            return Err(Failure::Wrong("it does not give the item that was written".to_owned()));
        }
        Ok(units)
    }

    /// Writes to the item as it is; if it does not meet the condition, to one that has the condition's
    /// constants, and to none.
    async fn write(
        &self,
        table: &Table,
        access: &AccessPattern,
        sample: &Sample,
    ) -> Result<f64, Failure> {
        let mut outcome = self.attempt(table, access, sample).await;
        if let Err(Failure::Condition) = outcome {
            let item = with_constants(table, access, sample);
            let sample = Sample { item, ..sample.clone() };
            if self.put(&sample).await.is_ok() {
                outcome = self.attempt(table, access, &sample).await;
            }
        }
        if let Err(Failure::Condition) = outcome {
            let raw = Raw(sample.item.clone());
            self.handle.kind(&sample.kind)?.key_of(&raw)?.remove().run().await?;
            outcome = self.attempt(table, access, sample).await;
        }
        // Others find the item as it was.
        self.put(sample).await?;
        outcome
    }

    async fn put(&self, sample: &Sample) -> Result<(), Failure> {
        let raw = Raw(sample.item.clone());
        self.handle.kind(&sample.kind)?.put(&raw)?.run().await?;
        Ok(())
    }

    async fn attempt(
        &self,
        table: &Table,
        access: &AccessPattern,
        sample: &Sample,
    ) -> Result<f64, Failure> {
        let mut filled = self.access(access, sample)?;
        for (word, value) in condition_values(table, access, &sample.item) {
            filled = filled.with(&word, value)?;
        }
        let stored = table.kind_named(access).map(|at| &table.item_types[at].name);
        let write = match access.write_action() {
            Some(Action::Put) if stored != Some(&sample.kind) => return Err(Failure::Condition),
            Some(Action::Put) => filled.put(Raw(sample.item.clone()))?,
            Some(Action::Delete) => filled.delete()?,
            Some(Action::ConditionCheck) => filled.check()?,
            _ => filled.update(same_again(table, sample)?)?,
        };
        self.ledger.take();
        self.run(access, write).await?;
        let copies = 2.0 * (1 + table.indexes().count()) as f64;
        self.judge(access, copies * write_units(self.item_bytes_max))
    }

    async fn run(&self, access: &AccessPattern, write: Write) -> Result<(), Failure> {
        if access.operation == Operation::TransactWriteItems {
            self.store.commit(Transaction::new().with(write)).await?;
        } else {
            write.run().await?;
        }
        Ok(())
    }

    /// The units, if they are no more than the answer is worth, and of the index that the document
    /// names.
    fn judge(&self, access: &AccessPattern, most: f64) -> Result<f64, Failure> {
        let entries = self.ledger.take();
        let units: f64 = entries.iter().map(|(_, units)| units).sum();
        if access.operation.reads()
            && let Some((index, _)) = entries.iter().find(|(index, _)| *index != access.index)
        {
            return Err(Failure::Wrong(format!("it uses {index:?}, and not {:?}", access.index)));
        }
        if units <= 0.0 || units > most {
            return Err(Failure::Wrong(format!("it costs {units} units, and {most} at most")));
        }
        Ok(units)
    }
}

/// Why an item did not do.
enum Failure {
    Condition,
    Wrong(String),
}

impl From<Error> for Failure {
    fn from(error: Error) -> Failure {
        match error {
            Error::ConditionFailed { .. } | Error::TransactionFailed(_) => Failure::Condition,
            error => Failure::Wrong(error.to_string()),
        }
    }
}

fn read_units(item_bytes: usize, items: usize, consistent: bool) -> f64 {
    let units = (item_bytes * items).div_ceil(READ_UNIT_BYTES) as f64;
    if consistent { units } else { units / 2.0 }
}

fn write_units(item_bytes: usize) -> f64 {
    item_bytes.div_ceil(WRITE_UNIT_BYTES) as f64
}

/// Sets an attribute that no key is made of to what it is.
fn same_again(table: &Table, sample: &Sample) -> Result<Changes, Failure> {
    let kind = table.item_types.iter().find(|kind| kind.name == sample.kind);
    let in_keys = |name: &str| {
        let patterns = kind.into_iter().flat_map(|kind| kind.keys.values());
        table.is_key(name) || patterns.into_iter().any(|text| text.contains(&format!("{{{name}}}")))
    };
    let other = sample.item.iter().find(|(name, _)| !in_keys(name));
    let (name, value) =
        other.ok_or_else(|| Failure::Wrong("its items have nothing but keys".to_owned()))?;
    Ok(Changes::new().set(name, value.clone()))
}

/// Values with which the condition is true of the item, if it can be, besides those that the document
/// gives.
fn condition_values(
    table: &Table,
    access: &AccessPattern,
    item: &Item,
) -> Vec<(String, AttributeValue)> {
    let given =
        comparisons(access).into_iter().filter(|(.., word)| !access.values.contains_key(*word));
    let value = |(name, comparator, word): (&str, &str, &str)| {
        let found = item.get(name).cloned().unwrap_or_else(|| any(table.attribute_type(name)));
        let value = match comparator {
            "<" | "<>" => above(&found),
            ">" => below(&found),
            _ => found,
        };
        (word.to_owned(), value)
    };
    given.map(value).collect()
}

/// The item with attributes that what the document gives is true of. Keys of indexes are made again.
fn with_constants(table: &Table, access: &AccessPattern, sample: &Sample) -> Item {
    let mut item = sample.item.clone();
    for (name, comparator, word) in comparisons(access) {
        let Some(constant) = access.values.get(word) else { continue };
        let value = match comparator {
            ">" => above(constant),
            "<" => below(constant),
            "<>" => continue,
            _ => constant.clone(),
        };
        item.insert(name, value);
    }
    let kind = table.item_types.iter().find(|kind| kind.name == sample.kind);
    for (key, pattern) in kind.into_iter().flat_map(|kind| &kind.keys) {
        if !table.key_names().contains(&key.as_str()) && *pattern != format!("{{{key}}}") {
            item.remove(key);
        }
    }
    item
}

/// What the condition compares: `A = :word`, `A < :word`, `A > :word` and so on.
fn comparisons(access: &AccessPattern) -> Vec<(&str, &str, &str)> {
    let condition = access.condition.as_deref().unwrap_or_default();
    let words: Vec<&str> = condition.split_whitespace().collect();
    let mut compared = Vec::new();
    for three in words.windows(3) {
        let Some(word) = three[2].strip_prefix(':') else { continue };
        let name = three[0].trim_start_matches(['(', '#']);
        compared.push((name, three[1], word.trim_end_matches(')')));
    }
    compared
}

fn any(attribute_type: Option<AttributeType>) -> AttributeValue {
    match attribute_type {
        Some(AttributeType::N) => AttributeValue::N(Number::from(1)),
        Some(AttributeType::Bool) => AttributeValue::Bool(false),
        _ => AttributeValue::from("2026-01-01T00:00:00.000Z"),
    }
}
