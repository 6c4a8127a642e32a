//! Hand-made histories of transactions, good and bad. A checker that accepts a bad history is the
//! failure to fear, so there are more of those.

use super::append::{Anomaly, Dependency, Outcome, Transaction, Work, check};

fn append(called: u64, returned: u64, appends: &[(u64, u64)]) -> Transaction {
    let work = Work::Append(appends.to_vec());
    Transaction { called, returned, work, outcome: Outcome::Done }
}

fn read(called: u64, returned: u64, lists: &[(u64, &[u64])]) -> Transaction {
    let lists = lists.iter().map(|(list, elements)| (*list, elements.to_vec())).collect();
    Transaction { called, returned, work: Work::Read(lists), outcome: Outcome::Done }
}

fn ending(outcome: Outcome, transaction: Transaction) -> Transaction {
    Transaction { outcome, ..transaction }
}

#[track_caller]
fn accept(history: &[Transaction]) {
    assert_eq!(check(history), []);
}

#[track_caller]
fn reject(history: &[Transaction], expected: &[Anomaly]) {
    assert_eq!(check(history), expected);
}

#[track_caller]
fn reject_as_cycle(history: &[Transaction], expected: &[Dependency]) {
    let found = check(history);
    let [Anomaly::Cycle(steps)] = found.as_slice() else {
        panic!("expected one cycle, found {found:?}")
    };
    for dependency in expected {
        assert!(steps.iter().any(|(_, found)| found == dependency), "no {dependency:?}: {steps:?}");
    }
}

#[test]
fn one_after_another() {
    accept(&[]);
    accept(&[
        append(0, 1, &[(1, 10), (2, 11)]),
        read(2, 3, &[(1, &[10]), (2, &[11])]),
        append(4, 5, &[(1, 12)]),
        read(6, 7, &[(1, &[10, 12]), (2, &[11])]),
    ]);
}

#[test]
fn overlapping_transactions_may_come_in_either_order() {
    accept(&[append(0, 10, &[(1, 10)]), read(1, 9, &[(1, &[])])]);
    accept(&[append(0, 10, &[(1, 10)]), read(1, 9, &[(1, &[10])])]);
    accept(&[
        append(0, 10, &[(1, 10)]),
        append(0, 10, &[(1, 11)]),
        read(11, 12, &[(1, &[11, 10])]),
    ]);
}

#[test]
fn an_unknown_append_may_show_or_not_and_late() {
    let unknown = || ending(Outcome::Unknown, append(0, 0, &[(1, 10)]));
    accept(&[unknown(), read(5, 6, &[(1, &[])])]);
    accept(&[unknown(), read(5, 6, &[(1, &[])]), read(7, 8, &[(1, &[10])])]);
    // But not come and go.
    reject_as_cycle(
        &[unknown(), read(5, 6, &[(1, &[10])]), read(7, 8, &[(1, &[])])],
        &[Dependency::RealTime],
    );
}

#[test]
fn a_stale_read_is_found() {
    // The read was called after the append had returned, and somebody else saw the append.
    reject_as_cycle(
        &[append(0, 1, &[(1, 10)]), read(2, 3, &[(1, &[])]), read(4, 5, &[(1, &[10])])],
        &[Dependency::RealTime, Dependency::ReadWrite(1)],
    );
}

#[test]
fn a_lost_append_is_found() {
    reject(&[append(0, 1, &[(1, 10)]), read(2, 3, &[(1, &[])])], &[Anomaly::Lost(1, 10)]);
    reject(
        &[append(0, 1, &[(1, 10)]), append(0, 1, &[(1, 11)]), read(2, 3, &[(1, &[11])])],
        &[Anomaly::Lost(1, 10)],
    );
}

#[test]
fn half_a_transaction_is_found() {
    // A read sees one of two appends of the same transaction.
    reject_as_cycle(
        &[
            append(0, 100, &[(1, 10), (2, 11)]),
            read(1, 99, &[(1, &[10]), (2, &[])]),
            read(101, 102, &[(1, &[10]), (2, &[11])]),
        ],
        &[Dependency::WriteRead(1), Dependency::ReadWrite(2)],
    );
}

#[test]
fn two_orders_of_the_same_writers_are_found() {
    // List 1 says first 0 then 1, list 2 the other way round.
    reject_as_cycle(
        &[
            append(0, 100, &[(1, 10), (2, 11)]),
            append(0, 100, &[(1, 20), (2, 21)]),
            read(101, 102, &[(1, &[10, 20]), (2, &[21, 11])]),
        ],
        &[Dependency::WriteWrite(1), Dependency::WriteWrite(2)],
    );
}

#[test]
fn readers_that_see_two_writers_in_different_order_are_found() {
    // Long fork: one reader sees only the first write, the other only the second.
    reject_as_cycle(
        &[
            append(0, 100, &[(1, 10)]),
            append(0, 100, &[(2, 20)]),
            read(0, 100, &[(1, &[10]), (2, &[])]),
            read(0, 100, &[(1, &[]), (2, &[20])]),
            read(101, 102, &[(1, &[10]), (2, &[20])]),
        ],
        &[Dependency::ReadWrite(1), Dependency::ReadWrite(2)],
    );
}

#[test]
fn a_read_that_goes_backwards_is_found() {
    reject_as_cycle(
        &[append(0, 100, &[(1, 10)]), read(1, 2, &[(1, &[10])]), read(3, 4, &[(1, &[])])],
        &[Dependency::RealTime, Dependency::ReadWrite(1)],
    );
}

#[test]
fn wrong_elements_are_found() {
    reject(&[read(0, 1, &[(1, &[10])])], &[Anomaly::FromNowhere(1, 10)]);
    let refused = ending(Outcome::Refused, append(0, 1, &[(1, 10)]));
    reject(&[refused, read(0, 1, &[(1, &[10])])], &[Anomaly::FromRefused(1, 10)]);
    let twice = [append(0, 1, &[(1, 10)]), read(2, 3, &[(1, &[10, 10])])];
    reject(&twice, &[Anomaly::Twice(1, 10)]);
    let elsewhere = [append(0, 9, &[(1, 10)]), read(0, 9, &[(2, &[10])])];
    reject(&elsewhere, &[Anomaly::FromNowhere(2, 10)]);
}

#[test]
fn reads_that_disagree_are_found() {
    reject(
        &[
            append(0, 9, &[(1, 10)]),
            append(0, 9, &[(1, 11)]),
            read(0, 9, &[(1, &[10])]),
            read(0, 9, &[(1, &[11, 10])]),
        ],
        &[Anomaly::Diverging(1)],
    );
}

/// Runs a true serial execution with overlapping intervals, then breaks it in one place.
#[test]
fn random_serial_histories_pass_and_their_mutations_fail() {
    let mut random = fastrand::Rng::with_seed(11);
    let mut broken = 0;
    for _ in 0..300 {
        let history = serial_history(&mut random);
        accept(&history);
        let mut mutated = history.clone();
        let reads = mutated.iter_mut().filter_map(|transaction| match &mut transaction.work {
            Work::Read(lists) => lists.iter_mut().find(|(_, elements)| elements.len() > 1),
            Work::Append(_) => None,
        });
        if let Some((_, elements)) = reads.last() {
            let position = random.usize(0..elements.len() - 1);
            elements.swap(position, position + 1);
            assert_ne!(check(&mutated), [], "{mutated:?}");
            broken += 1;
        }
    }
    assert!(broken > 100, "only {broken} histories could be broken");
}

fn serial_history(random: &mut fastrand::Rng) -> Vec<Transaction> {
    let mut lists = vec![Vec::new(); 3];
    let mut history = Vec::new();
    for moment in 0..30 {
        let called = (moment * 10_u64).saturating_sub(random.u64(0..25));
        let returned = moment * 10 + 1 + random.u64(0..25);
        let first = random.usize(0..2);
        if random.bool() {
            let element = moment * 2;
            lists[first].push(element);
            lists[first + 1].push(element + 1);
            let appends = [(first as u64, element), (first as u64 + 1, element + 1)];
            history.push(append(called, returned, &appends));
        } else {
            let seen = |list: usize| (list as u64, lists[list].clone());
            let work = Work::Read(vec![seen(first), seen(first + 1)]);
            history.push(Transaction { called, returned, work, outcome: Outcome::Done });
        }
    }
    let all = (0..3).map(|list| (list as u64, lists[list].clone())).collect();
    let work = Work::Read(all);
    history.push(Transaction { called: 1_000, returned: 1_001, work, outcome: Outcome::Done });
    history
}
