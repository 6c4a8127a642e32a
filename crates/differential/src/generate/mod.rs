//! Random steps. The generator looks at the reference's items, so that conditions are as often
//! true as false and paths lead somewhere.

mod batches;
pub mod broken;
mod definitions;
mod faults;
mod reads;
pub(crate) mod single;
mod statements;
mod tables;
mod transactions;

use serde_json::{Map, Value, json};

use crate::party::Party;
use crate::random::Random;
use crate::step::{Feature, Step};
use crate::world::{Index, IndexKind, Table, World};

/// Makes steps.
pub struct Generator<'a> {
    /// Choices.
    pub random: &'a mut Random,
    /// The tables.
    pub world: &'a mut World,
    /// Who is asked what is there.
    pub reference: &'a mut dyn Party,
}

/// The share of requests, in percent, that get a fault on purpose.
const FAULTS: usize = 12;

impl Generator<'_> {
    /// The next step or, where one calls for another, the next two.
    pub fn next_steps(&mut self) -> Vec<Step> {
        let make = self.random.weighted::<fn(&mut Self) -> Vec<Step>>(&[
            (18, |this| vec![single::put_item(this)]),
            (8, |this| vec![single::get_item(this)]),
            (20, |this| vec![single::update_item(this)]),
            (9, |this| vec![single::delete_item(this)]),
            (1, single::removal_of_nothing),
            (14, |this| vec![reads::query(this)]),
            (7, |this| vec![reads::scan(this)]),
            (4, |this| vec![batches::batch_get_item(this)]),
            (5, |this| vec![batches::batch_write_item(this)]),
            (3, |this| vec![transactions::transact_get_items(this)]),
            (7, |this| vec![transactions::transact_write_items(this)]),
            (12, |this| vec![statements::execute_statement(this)]),
            (3, |this| vec![statements::batch_execute_statement(this)]),
            (3, |this| vec![statements::execute_transaction(this)]),
            (5, tables::table_step),
            (1, |this| vec![definitions::create_table(this)]),
            (1, |this| vec![definitions::update_table(this)]),
        ]);
        let mut steps = make(self);
        if self.random.percent(FAULTS)
            && let Some(step) = steps.first_mut()
        {
            faults::insert(self.random, self.world, step);
        }
        steps
    }

    /// A table and the place of its key.
    fn table(&mut self) -> Table {
        self.world.table(self.random).clone()
    }

    /// The item under a key.
    fn peek(&mut self, table: &Table, key: &Map<String, Value>) -> Option<Map<String, Value>> {
        let body = json!({ "TableName": table.name, "Key": key });
        let outcome = self.reference.call("GetItem", &body);
        outcome.answer()?.get("Item")?.as_object().cloned()
    }

    /// An item of the table, if there is one.
    fn sample(&mut self, table: &Table) -> Option<Map<String, Value>> {
        let key = table.key(self.random);
        self.peek(table, &key)
    }

    /// `ReturnConsumedCapacity`, mostly.
    fn capacity(&mut self, body: &mut Value) {
        let mode = self.random.weighted(&[(5, "INDEXES"), (2, "TOTAL"), (1, "NONE"), (2, "")]);
        if !mode.is_empty() {
            body["ReturnConsumedCapacity"] = json!(mode);
        }
    }

    /// `ReturnItemCollectionMetrics`, sometimes.
    fn metrics(&mut self, body: &mut Value) {
        if self.random.percent(25) {
            body["ReturnItemCollectionMetrics"] = json!(self.random.pick(&["SIZE", "NONE"]));
        }
    }
}

/// The kind of index that a read uses.
pub fn kind_of(index: Option<&Index>) -> Feature {
    Feature::Index(match index.map(|index| index.kind) {
        None => "table",
        Some(IndexKind::Global) => "GSI",
        Some(IndexKind::Local) => "LSI",
    })
}

/// The kinds of index that a write to this table touches.
fn touched(table: &Table) -> Vec<Feature> {
    let has = |kind| table.indexes.iter().any(|index| index.kind == kind);
    let mut features = vec![Feature::Index("table")];
    if has(IndexKind::Global) {
        features.push(Feature::Index("GSI"));
    }
    if has(IndexKind::Local) {
        features.push(Feature::Index("LSI"));
    }
    features
}
