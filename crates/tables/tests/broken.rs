//! Documents that are wrong, each in one way, and what is said about them.
//!
//! `tests/broken/<case>.json` is read as `shop/items.json`; `<case>.expected` holds the problems.
//! To see what a new case says, write an empty `.expected` and run the test.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use tables::Documents;

fn system() -> (String, String) {
    let text = include_str!("broken/system/system.json");
    ("shop/system.json".to_owned(), text.to_owned())
}

fn problems(text: String) -> String {
    let read = Documents::read([system(), ("shop/items.json".to_owned(), text)]);
    let problems = read.map_or_else(|problems| problems, |documents| documents.warnings);
    problems.iter().fold(String::new(), |mut lines, problem| {
        let _ = writeln!(lines, "{problem}");
        lines
    })
}

#[test]
fn each_broken_document_says_where_and_what_to_write() {
    let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/broken"));
    let mut cases = 0;
    let mut failures = String::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "json") {
            continue;
        }
        cases += 1;
        let found = problems(fs::read_to_string(&path).unwrap());
        let expected = fs::read_to_string(path.with_extension("expected")).unwrap_or_default();
        if found != expected {
            let name = path.file_stem().unwrap().to_string_lossy();
            let _ = writeln!(failures, "{name}\n  expected:\n{expected}  found:\n{found}");
        }
    }
    assert!(cases >= 40, "only {cases} cases");
    assert!(failures.is_empty(), "{failures}");
}

/// Two tables of one name in one environment would be one table (CX-04).
#[test]
fn two_documents_with_one_table_name_are_refused() {
    let text = include_str!("broken/valid.json");
    let other = text.replace("\"tableName\": \"items\"", "\"tableName\": \"more\"");
    let files = [
        system(),
        ("shop/items.json".to_owned(), text.to_owned()),
        ("shop/more.json".to_owned(), other),
    ];
    let problems = Documents::read(files).unwrap_err();
    let first = problems.first().unwrap().to_string();
    assert!(first.starts_with("shop/more.json:"), "{first}");
    assert_eq!(problems.len(), 3, "{problems:?}");
}

#[test]
fn a_folder_without_a_system_document_is_refused() {
    let text = include_str!("broken/valid.json").to_owned();
    let problems = Documents::read([("shop/items.json".to_owned(), text)]).unwrap_err();
    assert_eq!(problems[0].file, "shop/system.json");
}

/// All problems of all documents come at once.
#[test]
fn every_problem_is_reported() {
    let text = include_str!("broken/valid.json").replace("\"type\": \"S\"", "\"type\": \"X\"");
    let found = problems(text);
    assert!(found.lines().count() > 5, "{found}");
}
