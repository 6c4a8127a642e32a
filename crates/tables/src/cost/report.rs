//! The estimate as a text.

use std::fmt::Write as _;

use super::{Prices, TableCost};

type Column = (&'static str, fn(&TableCost) -> f64);

const COLUMNS: [Column; 9] = [
    ("reads", |cost| cost.reads),
    ("writes", |cost| cost.writes),
    ("indexes", |cost| cost.index_writes),
    ("stream", |cost| cost.stream),
    ("storage", |cost| cost.storage),
    ("recovery", |cost| cost.recovery),
    ("backups", |cost| cost.backups),
    ("replica", |cost| cost.replica),
    ("total", TableCost::total),
];

/// A table of costs with a line per table, and the sum.
pub fn report(costs: &[TableCost], prices: &Prices) -> String {
    let width = costs.iter().map(|cost| cost.table.len()).max().unwrap_or_default().max(5) + 1;
    let mut text = String::new();
    let _ = write!(text, "{:width$}", "table");
    for (name, _) in COLUMNS {
        let _ = write!(text, " {name:>9}");
    }
    text.push('\n');
    for cost in costs {
        let mark = if cost.assumed { "*" } else { "" };
        let _ = write!(text, "{:width$}", format!("{}{mark}", cost.table));
        for (_, column) in COLUMNS {
            let _ = write!(text, " {:>9.2}", column(cost));
        }
        text.push('\n');
    }
    let _ = write!(text, "{:width$}", "sum");
    for (_, column) in COLUMNS {
        let _ = write!(text, " {:>9.2}", costs.iter().map(column).sum::<f64>());
    }
    let _ = write!(
        text,
        "\n\nDollars per month, estimated. A million reads ${}, a million writes ${}, a gigabyte \
         stored ${}, recoverable ${}, backed up ${}: give others with --prices.\n",
        prices.million_reads,
        prices.million_writes,
        prices.storage_gigabyte,
        prices.recovery_gigabyte,
        prices.backup_gigabyte,
    );
    if costs.iter().any(|cost| cost.assumed) {
        text.push_str("* The document states no load; one is assumed. Give one with --load.\n");
    }
    text
}
