//! What items hold, and what an action makes of an item: the model, in plain code.
//!
//! Items of [`Table::Plain`] hold nothing that depends on what was there before, because that table
//! has no stream to tell what was.

use values::{AttributeValue, Item};

use super::{Action, Condition, Effect, OperationId, Plan, Table};

/// The attributes of the workload's items.
#[derive(Clone, Copy, Debug)]
pub struct Attribute;

impl Attribute {
    /// The hash key of every table.
    pub const ID: &'static str = "id";
    /// The sort key of the local table.
    pub const SORT: &'static str = "sort";
    /// The number of the operation that wrote the item last.
    pub const WRITER: &'static str = "writer";
    /// Counts updates.
    pub const COUNTER: &'static str = "counter";
    /// Some text.
    pub const PAYLOAD: &'static str = "payload";
    /// Hash key of indexes; not in every item.
    pub const GROUP: &'static str = "grp";
    /// Hash and sort key of indexes; not in every item.
    pub const LABEL: &'static str = "label";
    /// Sort key of indexes; not in every item.
    pub const RANK: &'static str = "rank";
    /// The second at which an item of the local table expires; in few items.
    pub const EXPIRES: &'static str = "expires";
}

/// What an update sets and removes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Changes {
    /// Attributes that get a value.
    pub set: Item,
    /// Attributes that go.
    pub remove: Vec<&'static str>,
    /// One is added to the counter.
    pub count: bool,
}

/// The item that a put of this operation stores.
pub fn put_item(plan: &Plan, id: OperationId, action: &Action) -> Item {
    let mut item = action.name.key();
    item.extend(fresh_attributes(plan, id, action));
    item
}

/// What an update of this operation changes.
pub fn update_changes(plan: &Plan, id: OperationId, action: &Action) -> Changes {
    let set = fresh_attributes(plan, id, action);
    if action.name.table == Table::Plain {
        return Changes { set, remove: Vec::new(), count: false };
    }
    let mut random = plan.random(b'u', id.0 ^ u64::from(action.name.number));
    let optional = [Attribute::GROUP, Attribute::LABEL, Attribute::RANK, Attribute::EXPIRES];
    let mut changes = Changes { count: true, ..Changes::default() };
    for (name, value) in set {
        let optional = optional.iter().find(|optional| **optional == name);
        match optional {
            None if name == Attribute::COUNTER => {}
            None => {
                changes.set.insert(name, value);
            }
            // Most updates leave an index alone.
            Some(name) => match random.u8(0..10) {
                0 => changes.remove.push(name),
                1..4 => {
                    changes.set.insert(*name, value);
                }
                _ => {}
            },
        }
    }
    changes
}

fn fresh_attributes(plan: &Plan, id: OperationId, action: &Action) -> Item {
    let mut random = plan.random(b'c', id.0 ^ u64::from(action.name.number) << 20);
    let length = match random.u16(0..1000) {
        0 => random.usize(0..20_000),
        1..30 => random.usize(0..3_000),
        _ => random.usize(0..200),
    };
    let payload: String = std::iter::repeat_with(|| random.lowercase()).take(length).collect();
    let mut item = Item::from([
        (Attribute::WRITER, AttributeValue::N(id.0.into())),
        (Attribute::COUNTER, AttributeValue::from(random.i64(0..4))),
        (Attribute::PAYLOAD, AttributeValue::from(payload)),
    ]);
    if action.name.table != Table::Plain {
        let mut add = |name: &str, value: AttributeValue| {
            if random.u8(0..5) > 0 {
                item.insert(name, value);
            }
        };
        let spread = id.0.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 40;
        add(Attribute::GROUP, AttributeValue::from(format!("group-{}", spread % 13)));
        add(Attribute::LABEL, AttributeValue::from(format!("label-{}", spread % 101)));
        add(Attribute::RANK, AttributeValue::from((spread % 1009) as i64 - 500));
        if action.name.table == Table::Local && random.u8(0..12) == 0 {
            let seconds = plan.expiry_seconds + random.u64(0..3);
            item.insert(Attribute::EXPIRES, AttributeValue::N(seconds.into()));
        }
    }
    item
}

impl Condition {
    /// Is it true for this item?
    pub fn holds(self, item: Option<&Item>) -> bool {
        match self {
            Condition::Always => true,
            Condition::Absent => item.is_none(),
            Condition::Exists => item.is_some(),
            Condition::CounterBelow(limit) => {
                item.and_then(counter).is_some_and(|counter| counter < limit)
            }
        }
    }
}

fn counter(item: &Item) -> Option<i64> {
    match item.get(Attribute::COUNTER)? {
        AttributeValue::N(number) => number.to_i64(),
        _ => None,
    }
}

/// What is there after the action; the action's condition has been checked.
pub fn apply(plan: &Plan, id: OperationId, action: &Action, old: Option<&Item>) -> Option<Item> {
    match action.effect {
        Effect::Put => Some(put_item(plan, id, action)),
        Effect::Delete => None,
        Effect::Check => old.cloned(),
        Effect::Update => {
            let changes = update_changes(plan, id, action);
            let mut item = old.cloned().unwrap_or_else(|| action.name.key());
            item.extend(changes.set);
            for name in changes.remove {
                item.remove(name);
            }
            if changes.count {
                let count = old.and_then(counter).unwrap_or(0) + 1;
                item.insert(Attribute::COUNTER, AttributeValue::from(count));
            }
            Some(item)
        }
    }
}
