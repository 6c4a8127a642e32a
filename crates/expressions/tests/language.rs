//! Runs the language tests: `tests/language/*.txt`, many small cases to a file.
//!
//! A file is a list of lines; blank lines and lines that begin with `#` say nothing.
//!
//! - `== reason` begins a group of cases and says which rule they show.
//! - `item`, `names`, `values`, `parameters`, `hash`, `sort` and `ConditionalOperator` set what the cases below
//!   use, up to the end of the group; before the first group, up to the end of the file. Of `names`
//!   and `values` each case is given those it mentions, unless `all placeholders: yes`.
//! - A line with an expression or a legacy parameter begins a case: `condition`, `filter`,
//!   `key-condition`, `projection`, `update`, `Expected`, `ScanFilter`, `KeyConditions`,
//!   `AttributeUpdates`, `AttributesToGet`. `with condition` and so on add a second expression.
//!   An expression in quotes is a JSON string.
//! - `statement` is a whole PartiQL statement and `where` only what follows `SELECT * FROM "T" WHERE`;
//!   of `parameters` each is given as many as it has question marks.
//! - The lines below say what comes of it: `holds`, `gives`, `old`, `new`, `attributes`, `nested`,
//!   `only removes`, for statements also `table`, `index`, `key`, `exact key`, `reads` and
//!   `returning`; or `refused` with the exact text; `envelope` goes with `refused`.
//! - `true: …` and `false: …` are a whole case each: a condition and whether it holds; `where true: …`
//!   and `where false: …` the same in PartiQL.

#[path = "language/case.rs"]
mod case;
#[path = "language/legacy.rs"]
mod legacy;
#[path = "language/run.rs"]
mod run;
#[path = "language/statements.rs"]
mod statements;

use std::fs;
use std::path::Path;

#[test]
fn every_case_gives_what_it_says() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/language");
    let mut files: Vec<_> = fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "txt"))
        .collect();
    files.sort();
    assert!(!files.is_empty(), "no language tests in {}", folder.display());
    let (mut count, mut failures) = (0, Vec::new());
    for path in files {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let cases = case::read(&fs::read_to_string(&path).unwrap())
            .unwrap_or_else(|(line, problem)| panic!("{name}:{line}: {problem}"));
        assert!(!cases.is_empty(), "no cases in {name}");
        count += cases.len();
        for case in cases {
            if let Err(problem) = run::run(&case) {
                let (line, reason) = (case.line, &case.reason);
                failures.push(format!("{name}:{line} ({reason})\n{problem}"));
            }
        }
    }
    println!("{count} language cases");
    assert!(
        failures.is_empty(),
        "{} of {count} cases fail:\n\n{}",
        failures.len(),
        failures.join("\n\n")
    );
}
