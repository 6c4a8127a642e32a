//! Hand-made histories of one item, good and bad.

use super::linearizability::{Call, check};
use super::register::{Answer, Register, Request};

type RegisterCall = Call<Request, Answer>;

fn call(called: u64, returned: u64, input: Request, answer: Answer) -> RegisterCall {
    Call { called, returned: Some((returned, answer)), input }
}

fn open(called: u64, input: Request) -> RegisterCall {
    Call { called, returned: None, input }
}

fn read(called: u64, returned: u64, value: impl Into<Option<u64>>) -> RegisterCall {
    call(called, returned, Request::Read, Answer::Was(value.into()))
}

fn put(called: u64, returned: u64, new: u64, was: impl Into<Option<u64>>) -> RegisterCall {
    call(called, returned, Request::Put(new), Answer::Was(was.into()))
}

#[track_caller]
fn accept(calls: &[RegisterCall]) {
    assert_eq!(check(&Register, calls), Ok(()));
}

#[track_caller]
fn reject(calls: &[RegisterCall]) {
    assert!(check(&Register, calls).is_err(), "a bad history was accepted: {calls:?}");
}

#[test]
fn one_after_another() {
    accept(&[]);
    accept(&[read(0, 1, None), put(2, 3, 7, None), read(4, 5, 7)]);
    reject(&[read(0, 1, None), put(2, 3, 7, None), read(4, 5, None)]);
    reject(&[put(0, 1, 7, None), read(2, 3, 8)]);
}

#[test]
fn overlapping_calls_may_come_in_either_order() {
    accept(&[put(0, 10, 7, None), read(1, 9, None)]);
    accept(&[put(0, 10, 7, None), read(1, 9, 7)]);
    accept(&[put(0, 10, 7, None), read(1, 2, 7), read(3, 4, 7)]);
    // Once seen, it stays.
    reject(&[put(0, 10, 7, None), read(1, 2, 7), read(3, 4, None)]);
}

#[test]
fn calls_that_touch_at_one_moment_overlap() {
    accept(&[put(0, 5, 7, None), read(5, 6, None)]);
}

#[test]
fn a_lost_update_is_found() {
    // Both clients replaced 1; only one can have.
    let replace = |called, returned, new| {
        call(called, returned, Request::Replace { expected: 1, new }, Answer::Done)
    };
    accept(&[put(0, 1, 1, None), replace(2, 10, 2), read(11, 12, 2)]);
    reject(&[put(0, 1, 1, None), replace(2, 10, 2), replace(2, 10, 3), read(11, 12, 3)]);
}

#[test]
fn two_winners_of_one_claim_are_found() {
    let claim = |new, answer| call(0, 10, Request::PutIfAbsent(new), answer);
    accept(&[claim(1, Answer::Done), claim(2, Answer::ConditionFailed)]);
    reject(&[claim(1, Answer::Done), claim(2, Answer::Done)]);
    reject(&[claim(1, Answer::ConditionFailed), claim(2, Answer::ConditionFailed)]);
}

#[test]
fn a_condition_must_be_judged_on_the_current_item() {
    let replace = Request::Replace { expected: 1, new: 2 };
    reject(&[put(0, 1, 1, None), call(2, 3, replace, Answer::ConditionFailed)]);
    reject(&[put(0, 1, 9, None), call(2, 3, replace, Answer::Done)]);
    let delete_if = |answer| call(4, 5, Request::DeleteIf(1), answer);
    accept(&[put(0, 1, 1, None), delete_if(Answer::Done), read(6, 7, None)]);
    reject(&[put(0, 1, 1, None), delete_if(Answer::Done), read(6, 7, 1)]);
    reject(&[put(0, 1, 1, None), delete_if(Answer::ConditionFailed)]);
}

#[test]
fn what_a_write_says_was_there_counts() {
    accept(&[put(0, 1, 1, None), put(2, 3, 2, 1)]);
    reject(&[put(0, 1, 1, None), put(2, 3, 2, None)]);
    let delete = |was| call(4, 5, Request::Delete, Answer::Was(was));
    accept(&[put(0, 1, 1, None), delete(Some(1)), read(6, 7, None)]);
    reject(&[put(0, 1, 1, None), delete(None)]);
}

#[test]
fn what_was_refused_did_not_happen() {
    let refused = |called, returned| call(called, returned, Request::Put(9), Answer::Refused);
    accept(&[put(0, 1, 1, None), refused(2, 3), read(4, 5, 1)]);
    reject(&[put(0, 1, 1, None), refused(2, 3), read(4, 5, 9)]);
}

#[test]
fn an_unknown_outcome_stays_open_to_the_end() {
    let unknown = || open(0, Request::Put(9));
    accept(&[unknown(), read(1, 2, None)]);
    accept(&[unknown(), read(1, 2, 9)]);
    accept(&[unknown(), read(1, 2, None), read(3, 4, 9)]);
    accept(&[unknown(), put(5, 6, 1, None), read(7, 8, 9)]);
    reject(&[unknown(), read(1, 2, 9), read(3, 4, None)]);
    reject(&[unknown(), put(1, 2, 1, None), put(3, 4, 2, 1), read(5, 6, 1)]);
    // A conditional one takes effect only where its condition holds.
    let conditional = open(0, Request::Replace { expected: 5, new: 6 });
    reject(&[conditional.clone(), read(1, 2, 6)]);
    accept(&[conditional, put(1, 2, 5, None), read(3, 4, 6)]);
    // It cannot take effect before it was called.
    reject(&[read(0, 1, 9), open(2, Request::Put(9))]);
}

#[test]
fn the_place_of_the_failure_is_named() {
    let failure = check(&Register, &[put(0, 1, 1, None), read(2, 3, 1), read(4, 5, 2)]);
    let failure = failure.expect_err("the last read is wrong");
    assert_eq!((failure.longest, failure.stuck), (vec![0, 1], 2));
}

/// Sixteen clients with many overlaps: true histories pass in reasonable time, and a single false
/// read is found.
#[test]
fn random_true_histories_pass_and_their_mutations_fail() {
    let mut random = fastrand::Rng::with_seed(5);
    let mut broken = 0;
    for _ in 0..40 {
        let mut calls = Vec::new();
        let mut state = None;
        for moment in 0..200_u64 {
            let called = (moment * 10).saturating_sub(random.u64(0..60));
            let returned = moment * 10 + random.u64(0..60);
            let request = match random.u8(0..4) {
                0 => Request::Read,
                1 => Request::Put(moment),
                2 => Request::Delete,
                _ => Request::PutIfAbsent(moment),
            };
            let answer = match request {
                Request::PutIfAbsent(_) if state.is_none() => Answer::Done,
                Request::PutIfAbsent(_) => Answer::ConditionFailed,
                _ => Answer::Was(state),
            };
            state = match (request, answer) {
                (Request::Put(new), _) | (Request::PutIfAbsent(new), Answer::Done) => Some(new),
                (Request::Delete, _) => None,
                _ => state,
            };
            calls.push(call(called, returned, request, answer));
        }
        accept(&calls);
        let victim = random.usize(0..calls.len());
        if let Some((_, Answer::Was(value))) = &mut calls[victim].returned {
            *value = Some(1_000_000);
            reject(&calls);
            broken += 1;
        }
    }
    assert!(broken > 10, "only {broken} histories could be broken");
}
