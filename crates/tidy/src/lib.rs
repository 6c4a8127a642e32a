//! Which house rules can a machine check, and where are they broken?
//!
//! Each check is a small pure function over a path and a text, and has a unit test in which it is
//! seen to fail. [`Repository`] reads the files, [`check`] runs everything, and `tests/tidy.rs`
//! fails with all violations at once. There is no list of exceptions, on purpose: what breaks a
//! rule is changed, or the rule is.
//!
//! Not a linter: what rustfmt and clippy can see is left to them.

mod access;
mod attributes;
mod functions;
mod manifest;
mod mask;
mod repository;
mod sizes;
mod source;
mod text;
mod violation;

pub use repository::{File, Repository};
pub use sizes::Sizes;
pub use violation::Violation;

/// Every violation of every rule, ordered by path and line.
pub fn check(repository: &Repository) -> Vec<Violation> {
    let mut violations = Vec::new();
    for file in repository.files() {
        let (path, text) = (file.path.as_str(), file.text.as_str());
        violations.extend(text::check(path, text));
        if repository::is_rust_source(path) {
            violations.extend(check_rust(path, text));
        }
    }
    for directory in repository.crates() {
        let manifest = repository.text(&format!("{directory}/Cargo.toml"));
        violations.extend(manifest::check(directory, manifest, |path| repository.contains(path)));
    }
    violations.extend(sizes::check(&repository.source_sizes()));
    violations.sort();
    violations
}

/// The rules for one Rust file.
fn check_rust(path: &str, text: &str) -> Vec<Violation> {
    let code = mask::mask(text);
    let mut violations = source::check(path, text);
    violations.extend(access::check(path, &code));
    violations.extend(attributes::check(path, &code));
    violations.extend(functions::check(path, &code));
    violations
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A repository with one crate, in which every rule holds until `path` gets another `text`.
    #[track_caller]
    fn check_with(path: &str, text: &str, expected: &[&str]) {
        let manifest = "[package]\ndescription = \"What is a?\"\n[lints]\nworkspace = true\n";
        let files = [("crates/a/Cargo.toml", manifest), ("crates/a/src/lib.rs", "//! A.\n")]
            .into_iter()
            .chain([(path, text)])
            .map(|(path, text)| File { path: path.to_owned(), text: text.to_owned() });
        let found: Vec<String> = check(&Repository::from_files(files))
            .into_iter()
            .map(|violation| {
                format!("{}:{}: {}", violation.path, violation.line, violation.problem)
            })
            .collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn a_tidy_repository_passes() {
        check_with("README.md", "# A\n", &[]);
    }

    #[test]
    fn each_family_of_rules_is_applied() {
        check_with("a.md", "A\n", &["a.md:1: the document has no title"]);
        let source = "crates/a/src/b.rs";
        let opening = "crates/a/src/b.rs:1: the file does not open with a `//!` module doc";
        check_with(source, "use c;\n", &[opening]);
        let ignored = "crates/a/src/b.rs:2: a test is switched off";
        check_with(source, "//! B.\n#[ignore]\n", &[ignored]);
        let long = format!("//! B.\nfn b() {{{}}}\n", "\n".repeat(70));
        let function = "crates/a/src/b.rs:2: function `b` has 71 lines, the limit is 70";
        check_with(source, &long, &[function]);
        let access = "crates/a/src/b.rs:2: an access pattern is named by a text";
        check_with(source, "//! B.\nfn b() { c.access(\"d\") }\n", &[access]);
        let manifest = "crates/b/Cargo.toml:1: the crate has no Cargo.toml";
        check_with("crates/b/notes.txt", "B\n", &[manifest]);
        let large = format!("//! B.\n{}", "//\n".repeat(6_000));
        let size = "crates/a/src/b.rs:1: the 90th percentile of all source files is 18007 bytes, \
                    not 16384";
        check_with(source, &large, &[size]);
    }

    #[test]
    fn all_violations_are_reported_in_order() {
        let text = "fn b() {}\n#[allow(x)]\n#[ignore]";
        check_with(
            "crates/a/tests/b.rs",
            text,
            &[
                "crates/a/tests/b.rs:1: the file does not open with a `//!` module doc",
                "crates/a/tests/b.rs:2: a lint is allowed without a reason",
                "crates/a/tests/b.rs:3: a test is switched off",
                "crates/a/tests/b.rs:3: the file does not end with a line break",
            ],
        );
    }
}
