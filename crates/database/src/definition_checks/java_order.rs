//! The order in which the service lists attribute names in some texts: that of the Java hash table
//! it collects them in. The order is the same for the same names, so it belongs to the text
//! (captured 2026-10-09 in two regions).

/// How large the hash table is before anything is in it.
#[derive(Clone, Copy, Debug)]
pub enum Table {
    /// Made for this many names.
    ForNames,
    /// Java's default.
    Default,
}

/// Buckets of a table made without saying how many.
const DEFAULT_BUCKETS: usize = 16;

/// The names, each once, separated by commas.
pub fn list<'a>(names: impl Iterator<Item = &'a str>, table: Table) -> String {
    let mut distinct: Vec<&str> = Vec::new();
    for name in names {
        if !distinct.contains(&name) {
            distinct.push(name);
        }
    }
    let mut buckets = match table {
        Table::ForNames => distinct.len().max(1).next_power_of_two(),
        Table::Default => DEFAULT_BUCKETS,
    };
    // Java doubles a table that is more than three quarters full.
    while distinct.len() * 4 > buckets * 3 {
        buckets *= 2;
    }
    // Names in one bucket keep the order they came in: the sort is stable.
    distinct.sort_by_key(|name| bucket(name, buckets));
    distinct.join(", ")
}

/// `HashMap.hash(String.hashCode())`, cut to the number of buckets (a power of two).
fn bucket(name: &str, buckets: usize) -> usize {
    let add = |hash: u32, unit: u16| hash.wrapping_mul(31).wrapping_add(u32::from(unit));
    let code = name.encode_utf16().fold(0_u32, add);
    ((code ^ (code >> 16)) as usize) & (buckets - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn for_names(names: &[&str]) -> String {
        list(names.iter().copied(), Table::ForNames)
    }

    #[test]
    fn names_come_in_the_captured_order() {
        assert_eq!(for_names(&["PK", "h", "a", "unused"]), "h, a, unused, PK");
        assert_eq!(list(["PK", "h", "a"].into_iter(), Table::Default), "a, h, PK");
        assert_eq!(for_names(&["w", "x", "y", "q"]), "x, y, q, w");
    }

    #[test]
    fn a_table_that_fills_up_is_doubled() {
        let names = ["PK", "a", "b", "c", "d", "u1", "u2"];
        assert_eq!(for_names(&names), "a, b, c, d, PK, u1, u2");
        assert_eq!(for_names(&names[..6]), "a, b, PK, c, d, u1");
    }
}
