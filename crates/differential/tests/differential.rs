//! The short form of the comparison, and proof that a run can fail.

use differential::sequence::{Channel, Opponent, Pair};
use differential::{Plan, Report, run_plan};

fn run(opponent: Opponent, channel: Channel, sequences: u64, shrinks: bool) -> Report {
    let pair = Pair { opponent, channel };
    let plan = Plan { pair, seed: 1, sequences, operations: 30, threads: 2, shrinks };
    run_plan(plan, |_| {})
}

fn differences(report: &Report) -> Vec<String> {
    let finding = |(_, finding): &(usize, differential::sequence::Finding)| {
        format!("seed {}:\n{}", finding.seed, finding.difference)
    };
    report.findings.values().map(finding).collect()
}

#[test]
fn the_database_answers_as_the_reference_does() {
    let report = run(Opponent::Database, Channel::InProcess, 80, true);
    assert_eq!(differences(&report), Vec::<String>::new());
    assert!(report.statistics.total() > 80 * 20, "{}", report.statistics.tables());
}

#[test]
fn the_reference_answers_as_itself() {
    let report = run(Opponent::Reference, Channel::InProcess, 40, false);
    assert_eq!(differences(&report), Vec::<String>::new());
}

#[test]
fn a_fault_in_the_answers_is_found_and_made_short() {
    let report = run(Opponent::Perturbed, Channel::InProcess, 20, true);
    let steps: Vec<usize> =
        report.findings.values().map(|(_, finding)| finding.steps.len()).collect();
    assert!(!steps.is_empty(), "every second item lost an attribute, and nobody noticed");
    assert!(steps.iter().all(|count| *count <= 30), "{steps:?}");
}

#[test]
fn over_http_the_database_answers_as_the_reference_does() {
    let report = run(Opponent::Database, Channel::Http, 40, true);
    assert_eq!(differences(&report), Vec::<String>::new());
    assert!(report.statistics.total() > 40 * 20, "{}", report.statistics.tables());
}

#[test]
fn over_http_a_wrong_status_is_found_and_made_short() {
    let report = run(Opponent::Perturbed, Channel::Http, 5, true);
    let found =
        report.findings.iter().find(|(signature, _)| signature.contains("status Some(500)"));
    let (_, (_, finding)) = found.expect("what is broken was refused with 500, and nobody noticed");
    assert_eq!(finding.steps.len(), 1, "{}", finding.difference);
}
