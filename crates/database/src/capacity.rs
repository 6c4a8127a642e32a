//! What a request consumes: read and write units, exactly as the service counts them (rules 54-56).

use std::collections::BTreeMap;

use values::limits;

use crate::commit::WriteEffect;
use crate::index_entries::IndexCharge;
use crate::shapes::{Capacity, ConsumedCapacity, ReturnConsumedCapacity};

/// Write units for an item of this size; an item that is not there costs the minimum.
pub fn write_units(size: usize) -> u64 {
    size.div_ceil(limits::WRITE_UNIT_BYTES).max(1) as u64
}

/// Read units for this many bytes, at least the minimum.
pub fn read_units(bytes: usize, consistent: bool) -> f64 {
    let units = bytes.div_ceil(limits::READ_UNIT_BYTES).max(1) as f64;
    if consistent { units } else { units / 2.0 }
}

/// The units of one table that a request adds up.
#[derive(Clone, Debug, Default)]
pub struct Meter {
    table: f64,
    local: BTreeMap<String, f64>,
    global: BTreeMap<String, f64>,
}

impl Meter {
    /// Units on the table itself.
    pub fn charge_table(&mut self, units: f64) {
        self.table += units;
    }

    /// Units on an index.
    pub fn charge_index(&mut self, name: &str, is_global: bool, units: f64) {
        let arm = if is_global { &mut self.global } else { &mut self.local };
        *arm.entry(name.to_owned()).or_default() += units;
    }

    /// Adds what another part of the request consumed.
    pub fn add(&mut self, other: &Meter) {
        self.charge_table(other.table);
        other.local.iter().for_each(|(name, units)| self.charge_index(name, false, *units));
        other.global.iter().for_each(|(name, units)| self.charge_index(name, true, *units));
    }

    /// A write: the larger of the two sizes on the table, times two inside a transaction, which
    /// leaves the indexes alone (rule 55).
    pub fn charge_write(&mut self, effect: &WriteEffect, transactional: bool) {
        let units = write_units(effect.old_size.max(effect.new_size)) as f64;
        self.charge_table(if transactional { units * 2.0 } else { units });
        for IndexCharge { index_name, is_global, units } in &effect.index_charges {
            self.charge_index(index_name, *is_global, *units as f64);
        }
    }

    /// What the answer shows. `kind` adds the read or write arm, which only transactions show.
    pub fn report(
        &self,
        table_name: &str,
        mode: ReturnConsumedCapacity,
        kind: Option<Kind>,
    ) -> Option<ConsumedCapacity> {
        let total =
            self.table + self.local.values().sum::<f64>() + self.global.values().sum::<f64>();
        let detailed = match mode {
            ReturnConsumedCapacity::None => return None,
            ReturnConsumedCapacity::Total => false,
            ReturnConsumedCapacity::Indexes => true,
        };
        let capacity = |units: f64| Capacity {
            capacity_units: units,
            read_capacity_units: (kind == Some(Kind::Read)).then_some(units),
            write_capacity_units: (kind == Some(Kind::Write)).then_some(units),
        };
        let arm = |units: &BTreeMap<String, f64>| {
            let charged = units.iter().filter(|(_, units)| detailed && **units > 0.0);
            charged.map(|(name, units)| (name.clone(), capacity(*units))).collect()
        };
        let Capacity { capacity_units, read_capacity_units, write_capacity_units } =
            capacity(total);
        Some(ConsumedCapacity {
            table_name: table_name.to_owned(),
            capacity_units,
            read_capacity_units,
            write_capacity_units,
            table: detailed.then(|| capacity(self.table)),
            local_secondary_indexes: arm(&self.local),
            global_secondary_indexes: arm(&self.global),
        })
    }
}

/// Read or write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Read units.
    Read,
    /// Write units.
    Write,
}

/// What each table of a request consumed; nothing if it was not asked for.
pub fn report(
    meters: &BTreeMap<&str, Meter>,
    mode: ReturnConsumedCapacity,
    kind: Option<Kind>,
) -> Option<Vec<ConsumedCapacity>> {
    if mode == ReturnConsumedCapacity::None {
        return None;
    }
    Some(meters.iter().filter_map(|(name, meter)| meter.report(name, mode, kind)).collect())
}
