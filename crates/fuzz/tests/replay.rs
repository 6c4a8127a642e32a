//! Every input that was ever kept, and a short while of new ones.

use std::time::{Duration, Instant};

use fuzz::{Mutator, TARGETS, inputs};

#[test]
fn kept_inputs_do_no_harm() {
    for target in TARGETS {
        let inputs = inputs(target).unwrap();
        assert!(inputs.len() >= 5, "{} has {} inputs", target.name, inputs.len());
        for (name, data) in inputs {
            let began = Instant::now();
            (target.run)(&data);
            assert!(began.elapsed() < Duration::from_secs(5), "{}: {name} is slow", target.name);
        }
    }
}

#[test]
fn a_thousand_new_inputs_do_no_harm() {
    for target in TARGETS {
        let old: Vec<Vec<u8>> = inputs(target).unwrap().into_iter().map(|(_, data)| data).collect();
        let mut mutator = Mutator::new(7);
        for _ in 0..1000 {
            (target.run)(&mutator.next(&old));
        }
    }
}
