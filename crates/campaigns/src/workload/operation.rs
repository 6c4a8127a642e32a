//! The operations: what number 17 asks for.

use std::collections::BTreeSet;

use xxhash_rust::xxh3::xxh3_64_with_seed;

use super::{ItemName, Table};

/// The number of an operation: run, writer and count in one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct OperationId(pub u64);

impl OperationId {
    /// The `count`-th operation of a writer in a run.
    pub fn new(run: u16, writer: u16, count: u32) -> OperationId {
        OperationId(u64::from(run) << 48 | u64::from(writer) << 32 | u64::from(count))
    }
}

impl std::fmt::Display for OperationId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (run, writer, count) = (self.0 >> 48, self.0 >> 32 & 0xFFFF, self.0 & 0xFFFF_FFFF);
        write!(f, "{run}.{writer}.{count}")
    }
}

/// How a workload looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Plan {
    /// Everything follows from it.
    pub seed: u64,
    /// How many different items each table may hold.
    pub items_per_table: u32,
    /// Actions of the largest transaction and batch.
    pub actions_max: usize,
    /// Around this second some items of the local table expire.
    pub expiry_seconds: u64,
}

/// What happens to an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Replaced by a new one.
    Put,
    /// Some attributes changed; created if need be.
    Update,
    /// Removed.
    Delete,
    /// Looked at.
    Check,
}

/// When it happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Condition {
    /// Always.
    Always,
    /// If there is no such item.
    Absent,
    /// If there is one.
    Exists,
    /// If there is one whose counter is below this.
    CounterBelow(i64),
}

/// One item's part of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Action {
    /// The item.
    pub name: ItemName,
    /// What happens to it.
    pub effect: Effect,
    /// When.
    pub condition: Condition,
}

/// Which request carries the actions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// PutItem, UpdateItem or DeleteItem: one action.
    Single,
    /// BatchWriteItem: each action on its own.
    Batch,
    /// TransactWriteItems with a client token: all or nothing.
    Transaction,
}

/// A request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Operation {
    /// Its number.
    pub id: OperationId,
    /// Which request it is.
    pub kind: Kind,
    /// What it asks for; no item twice.
    pub actions: Vec<Action>,
}

impl Operation {
    /// The action on this item.
    pub fn action_on(&self, name: ItemName) -> Option<&Action> {
        self.actions.iter().find(|action| action.name == name)
    }
}

impl Plan {
    /// A source of chance that is the same for the same parts.
    pub fn random(&self, purpose: u8, id: u64) -> fastrand::Rng {
        let mut bytes = [purpose; 9];
        bytes[..8].copy_from_slice(&id.to_be_bytes());
        fastrand::Rng::with_seed(xxh3_64_with_seed(&bytes, self.seed))
    }

    /// The operation with this number.
    pub fn operation(&self, id: OperationId) -> Operation {
        let mut random = self.random(b'o', id.0);
        let kind = match random.u8(0..100) {
            0..60 => Kind::Single,
            60..75 => Kind::Batch,
            _ => Kind::Transaction,
        };
        let actions = match kind {
            Kind::Single => vec![self.single(&mut random)],
            Kind::Batch => self.several(&mut random, 1, |plan, random, name| {
                let effect = if random.u8(0..4) == 0 { Effect::Delete } else { Effect::Put };
                plan.action(name, effect, Condition::Always)
            }),
            Kind::Transaction => self.transaction(&mut random),
        };
        Operation { id, kind, actions }
    }

    fn single(&self, random: &mut fastrand::Rng) -> Action {
        let table = *random.choice(&Table::ALL).unwrap_or(&Table::Plain);
        // A third of the single writes meet on a few items.
        let hot = random.u8(0..3) == 0;
        let numbers = if hot { self.items_per_table.min(16) } else { self.items_per_table };
        let name = ItemName { table, number: random.u32(0..numbers) };
        let effect = match random.u8(0..10) {
            0..4 => Effect::Put,
            4..8 => Effect::Update,
            _ => Effect::Delete,
        };
        let condition = match random.u8(0..8) {
            0 => Condition::Absent,
            1 => Condition::Exists,
            2 => Condition::CounterBelow(random.i64(0..6)),
            _ => Condition::Always,
        };
        self.action(name, effect, condition)
    }

    /// Its first action is an unconditional write to a table with a stream, so that the stream tells
    /// whether it happened.
    fn transaction(&self, random: &mut fastrand::Rng) -> Vec<Action> {
        let mut actions = self.several(random, 2, |plan, random, name| {
            let effect = match random.u8(0..10) {
                0..4 => Effect::Put,
                4..7 => Effect::Update,
                7..9 => Effect::Delete,
                _ => Effect::Check,
            };
            let condition = match random.u8(0..100) {
                0 => Condition::Absent,
                1..4 => Condition::CounterBelow(100),
                _ if effect == Effect::Check && random.bool() => Condition::Exists,
                _ if effect == Effect::Check => Condition::Absent,
                _ => Condition::Always,
            };
            plan.action(name, effect, condition)
        });
        // Few checks, or every large transaction would fail.
        let mut checks = 0;
        for action in &mut actions {
            checks += usize::from(action.effect == Effect::Check);
            if action.effect == Effect::Check && checks > 1 {
                (action.effect, action.condition) = (Effect::Put, Condition::Always);
            }
        }
        if let Some(witness) = actions.iter_mut().find(|action| action.name.table.has_stream()) {
            (witness.effect, witness.condition) = (Effect::Put, Condition::Always);
        }
        actions
    }

    fn several(
        &self,
        random: &mut fastrand::Rng,
        least: usize,
        make: impl Fn(&Plan, &mut fastrand::Rng, ItemName) -> Action,
    ) -> Vec<Action> {
        // Small ones are more common, as in life.
        let most = if random.u8(0..3) == 0 { self.actions_max } else { least + 3 };
        let count = random.usize(least..=most.max(least));
        let mut names = BTreeSet::new();
        names.insert(ItemName {
            table: if random.bool() { Table::Indexed } else { Table::Local },
            number: random.u32(0..self.items_per_table),
        });
        while names.len() < count {
            let table = *random.choice(&Table::ALL).unwrap_or(&Table::Plain);
            names.insert(ItemName { table, number: random.u32(0..self.items_per_table) });
        }
        let mut names: Vec<ItemName> = names.into_iter().collect();
        random.shuffle(&mut names);
        names.into_iter().map(|name| make(self, random, name)).collect()
    }

    fn action(&self, name: ItemName, effect: Effect, condition: Condition) -> Action {
        Action { name, effect, condition }
    }
}
