//! No requirement of document 002 is without a test: every id of the kinds A (API), B (behaviour), E
//! (enumeration), X (error), V (event) and P (access pattern) is named by a test, or left out with a
//! reason.

use std::path::Path;

/// The ids, as `section first last`.
const IDS: &[(&str, u32, u32)] = &[
    ("1.1", 1, 2),
    ("1.3", 1, 8),
    ("2", 1, 15),
    ("4.1", 1, 1),
    ("4.2", 1, 2),
    ("4.3", 1, 1),
    ("4.4", 1, 4),
    ("4.5", 1, 3),
    ("5.7", 1, 8),
    ("5.8", 1, 11),
    ("6.2", 1, 2),
    ("6.3", 1, 2),
    ("6.4", 1, 5),
    ("6.5", 1, 4),
    ("6.6", 1, 9),
    ("6.7", 1, 5),
    ("6.8", 1, 5),
    ("6.4b", 1, 6),
    ("6.5b", 1, 10),
    ("7.3", 1, 1),
    ("7.4", 1, 1),
    ("7.5", 1, 7),
    ("8.1", 1, 1),
    ("8.2", 1, 1),
    ("8.3", 1, 3),
    ("9.1", 2, 2),
    ("9.2", 1, 6),
    ("11.1", 1, 3),
    ("11.2", 1, 3),
    ("17C", 1, 5),
];

/// What has no test, and why.
const LEFT_OUT: &[(&str, &str)] = &[(
    "R002-11.2-3",
    "DYNAMODB_ERROR and EVENTBRIDGE_ERROR with 500 are never sent: a store that is away is answered \
     with 503 SERVICE_UNAVAILABLE and Retry-After, as in every service, and publishing happens after \
     the answer, so that it cannot fail a request",
)];

#[test]
fn every_requirement_is_named_by_a_test() {
    let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it"));
    let mut text = String::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.file_name().is_some_and(|name| name != "requirements.rs") {
            text.push_str(&std::fs::read_to_string(path).unwrap());
        }
    }
    let is_named = |id: &str| {
        let ends = |rest: &str| !rest.starts_with(|c: char| c.is_ascii_alphanumeric());
        text.match_indices(id).any(|(at, _)| ends(&text[at + id.len()..]))
    };
    let ids = IDS.iter().flat_map(|(section, first, last)| {
        (*first..=*last).map(move |number| format!("R002-{section}-{number}"))
    });
    let missing: Vec<String> =
        ids.filter(|id| !is_named(id) && !LEFT_OUT.iter().any(|(left, _)| left == id)).collect();
    assert_eq!(missing, Vec::<String>::new());
}
