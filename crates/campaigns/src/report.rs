//! What a run did and found: a table for people, JSON for machines, an exit code for both.

use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

use serde::Serialize;

/// How much of a finding is printed on a terminal; the JSON file has all of it.
const PRINTED_MAX: usize = 400;

/// One run of a subcommand.
#[derive(Debug)]
pub struct Report {
    command: String,
    seed: u64,
    started: Instant,
    rows: Vec<(String, String)>,
    findings: Vec<String>,
    finding_count: usize,
}

#[derive(Serialize)]
struct Written<'a> {
    command: &'a str,
    seed: u64,
    passed: bool,
    seconds: f64,
    rows: std::collections::BTreeMap<&'a str, &'a str>,
    finding_count: usize,
    findings: &'a [String],
}

impl Report {
    /// Starts a report and prints how to repeat the run.
    pub fn start(command: String, seed: u64) -> Report {
        println!("campaigns {command} --seed {seed}");
        Report {
            command,
            seed,
            started: Instant::now(),
            rows: Vec::new(),
            findings: Vec::new(),
            finding_count: 0,
        }
    }

    /// Adds a line to the table.
    pub fn row(&mut self, name: &str, value: impl ToString) {
        self.rows.push((name.to_owned(), value.to_string()));
    }

    /// Something is wrong. Printed at once, since the run may be long.
    pub fn finding(&mut self, finding: String) {
        self.finding_count += 1;
        let shown: String = finding.chars().take(PRINTED_MAX).collect();
        println!("FINDING: {shown}");
        if self.findings.len() < 200 {
            self.findings.push(finding);
        }
    }

    /// How many things are wrong.
    pub fn finding_count(&self) -> usize {
        self.finding_count
    }

    /// Prints the table, writes the file if one is asked for, and says how it went.
    pub fn finish(mut self, json: Option<&Path>) -> ExitCode {
        let seconds = self.started.elapsed().as_secs_f64();
        self.row("time", format!("{seconds:.1} s"));
        self.row("findings", self.finding_count);
        let width = self.rows.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0);
        println!();
        for (name, value) in &self.rows {
            println!("  {name:<width$}  {value}");
        }
        let passed = self.finding_count == 0;
        println!("\n{}: campaigns {}", if passed { "passed" } else { "FAILED" }, self.command);
        if let Some(path) = json
            && let Err(error) = self.write(path, passed, seconds)
        {
            eprintln!("`{}` cannot be written: {error}", path.display());
            return ExitCode::FAILURE;
        }
        if passed { ExitCode::SUCCESS } else { ExitCode::FAILURE }
    }

    fn write(&self, path: &Path, passed: bool, seconds: f64) -> std::io::Result<()> {
        let rows = self.rows.iter().map(|(name, value)| (name.as_str(), value.as_str()));
        let written = Written {
            command: &self.command,
            seed: self.seed,
            passed,
            seconds,
            rows: rows.collect(),
            finding_count: self.finding_count,
            findings: &self.findings,
        };
        std::fs::write(path, serde_json::to_vec_pretty(&written)?)
    }
}
