//! The command: runs sequences, prints what differs and what was exercised.

use std::process::ExitCode;

use clap::Parser;
use differential::sequence::{Channel, Finding, Opponent, Pair};
use differential::step::Action;
use differential::{Plan, Report, run_plan};

/// Compares the database with dynoxide on random sequences of requests.
#[derive(Parser)]
struct Arguments {
    /// How many sequences.
    #[arg(long, default_value_t = 2000)]
    sequences: u64,
    /// The seed of the first sequence.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Steps in each sequence.
    #[arg(long, default_value_t = 40)]
    operations: usize,
    /// Print the tables of what was exercised.
    #[arg(long)]
    table: bool,
    /// Compare dynoxide with itself.
    #[arg(long)]
    against_itself: bool,
    /// Ask both over HTTP, each behind its own server, and with broken requests in between.
    #[arg(long)]
    over_http: bool,
    /// Leave findings as they are.
    #[arg(long)]
    no_shrinking: bool,
    /// Threads.
    #[arg(long, default_value_t = 2)]
    threads: usize,
}

/// With fewer sequences an empty cell is chance.
const SEQUENCES_FOR_CELLS: u64 = 1000;

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let opponent = if arguments.against_itself { Opponent::Reference } else { Opponent::Database };
    // A panic of the database is a finding like any other; its trace would only be in the way.
    std::panic::set_hook(Box::new(|_| {}));
    let channel = if arguments.over_http { Channel::Http } else { Channel::InProcess };
    let plan = Plan {
        pair: Pair { opponent, channel },
        seed: arguments.seed,
        sequences: arguments.sequences,
        operations: arguments.operations,
        threads: arguments.threads,
        shrinks: !arguments.no_shrinking,
    };
    let report = run_plan(plan, |done| eprintln!("{done} of {} sequences", plan.sequences));
    if arguments.table {
        println!("{}", report.statistics.tables());
    }
    print_findings(&report);
    let empty = report.statistics.empty_cells();
    let is_thorough = plan.sequences >= SEQUENCES_FOR_CELLS;
    if !empty.is_empty() && is_thorough {
        println!("reached by no request: {}", empty.join(", "));
    }
    let unused = report.statistics.unused_accepted(arguments.over_http);
    if !unused.is_empty() && is_thorough && opponent == Opponent::Database {
        println!("accepted differences that did not occur: {}", unused.join(", "));
    }
    println!(
        "{} requests in {} sequences from seed {}: {} kinds of difference",
        report.statistics.total(),
        plan.sequences,
        plan.seed,
        report.findings.len()
    );
    if report.findings.is_empty() && (empty.is_empty() || !is_thorough) {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

fn print_findings(report: &Report) {
    let mut findings: Vec<&(usize, Finding)> = report.findings.values().collect();
    findings.sort_by_key(|(count, _)| std::cmp::Reverse(*count));
    for (number, (count, finding)) in findings.into_iter().enumerate() {
        println!("--- {} ({count} sequences; seed {})", number + 1, finding.seed);
        for step in &finding.steps {
            println!("  {}", described(step));
        }
        println!("{}\n", finding.difference);
    }
}

fn described(step: &differential::step::Step) -> String {
    const LENGTH_MAX: usize = 1500;
    let fault = step.fault.map(|fault| format!("  [{fault}]")).unwrap_or_default();
    let text = match &step.action {
        Action::Call { operation, body } => format!("{operation} {body}{fault}"),
        Action::Send { message, .. } => format!("{message}{fault}"),
        Action::Pages { operation, body, .. } => format!("{operation} to the end {body}{fault}"),
        Action::Segments { body, total } => format!("Scan in {total} segments {body}{fault}"),
        Action::ReadStream { table, limit, .. } => format!("read the stream of {table} by {limit}"),
        Action::AwaitGone { table } => format!("wait until {table} is gone"),
        Action::AwaitActive { table } => format!("wait for {table}"),
        Action::Recount { table, .. } => format!("recount {table}"),
    };
    match text.char_indices().nth(LENGTH_MAX) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text,
    }
}
