//! The promised figures: what each must be, and what it is.

use serde::Serialize;

use super::Report;
use crate::scenarios::Medium;
use crate::workload::Operation;

/// One promised figure.
#[derive(Clone, Debug, Serialize)]
pub struct Figure {
    /// What it says.
    pub name: String,
    /// What was found; nothing if it could not be measured.
    pub found: Option<f64>,
    /// What was promised.
    pub limit: Limit,
    /// Of what.
    pub unit: &'static str,
}

/// What a figure must be.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Limit {
    /// At least this.
    AtLeast(f64),
    /// At most this.
    AtMost(f64),
}

impl Figure {
    /// Is the promise kept?
    pub fn met(&self) -> bool {
        match (self.found, self.limit) {
            (Some(found), Limit::AtLeast(least)) => found >= least,
            (Some(found), Limit::AtMost(most)) => found <= most,
            (None, _) => false,
        }
    }
}

/// How many times dynoxide's speed each operation must reach on disk.
fn ratio_least(operation: Operation) -> f64 {
    match operation {
        Operation::PutItem => 8.0,
        Operation::PutItemAlone => 1.0,
        Operation::UpdateItem | Operation::TransactWriteItems => 5.0,
        Operation::GetItemTwo | Operation::GetItem | Operation::Query | Operation::QueryIndex => {
            2.0
        }
    }
}

/// How many times as much an operation may cost with ten times the items.
const GROWTH_MOST: f64 = 1.5;
const MEMORY_MEGABYTES_MOST: f64 = 600.0;
const OPEN_CLEAN_SECONDS_MOST: f64 = 1.0;
const OPEN_KILLED_SECONDS_MOST: f64 = 3.0;
const EXPIRY_LEAST: f64 = 10_000.0;

/// Compares what was found with what is promised.
pub fn judge(report: &Report) -> Vec<Figure> {
    let mut figures = Vec::new();
    for compared in report.comparison.iter().filter(|compared| compared.medium == Medium::Disk) {
        figures.push(Figure {
            name: format!("{}: plinth / dynoxide", compared.operation.label()),
            found: Some(compared.ratio),
            limit: Limit::AtLeast(ratio_least(compared.operation)),
            unit: "×",
        });
    }
    for grown in &report.growth {
        let figure = |what: &str, found: f64| Figure {
            name: format!("{}: {what}, larger / smaller", grown.operation.label()),
            found: Some(found),
            limit: Limit::AtMost(GROWTH_MOST),
            unit: "×",
        };
        figures.push(figure("CPU", grown.cpu_ratio));
        figures.push(figure("p50", grown.p50_ratio));
    }
    let endurance = report.endurance.as_ref();
    let mut add = |name: &str, found: Option<f64>, limit: Limit, unit: &'static str| {
        figures.push(Figure { name: name.to_owned(), found, limit, unit });
    };
    add(
        "memory after reading",
        endurance.map(|found| found.resident_bytes as f64 / 1e6),
        Limit::AtMost(MEMORY_MEGABYTES_MOST),
        "MB",
    );
    add(
        "opening after a clean stop",
        endurance.map(|found| found.open_clean_millis / 1e3),
        Limit::AtMost(OPEN_CLEAN_SECONDS_MOST),
        "s",
    );
    add(
        "opening after a kill",
        endurance.map(|found| found.open_killed_millis / 1e3),
        Limit::AtMost(OPEN_KILLED_SECONDS_MOST),
        "s",
    );
    add(
        "expired items swept",
        report.expiry.as_ref().map(|found| found.items_per_second),
        Limit::AtLeast(EXPIRY_LEAST),
        "/s",
    );
    figures
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_figure_is_met_at_its_limit_and_never_without_a_value() {
        let met = |found, limit| Figure { name: String::new(), found, limit, unit: "" }.met();
        assert!(met(Some(2.0), Limit::AtLeast(2.0)));
        assert!(!met(Some(1.9), Limit::AtLeast(2.0)));
        assert!(met(Some(2.0), Limit::AtMost(2.0)));
        assert!(!met(Some(2.1), Limit::AtMost(2.0)));
        assert!(!met(Some(f64::NAN), Limit::AtMost(2.0)));
        assert!(!met(None, Limit::AtLeast(0.0)));
    }
}
