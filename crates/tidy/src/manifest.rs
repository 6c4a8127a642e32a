//! Every crate says what it is, follows the workspace's lints, and has a way in.

use crate::Violation;

/// The rules for the crate in `directory`, whose `Cargo.toml` is `manifest`, if it has one.
pub(crate) fn check(
    directory: &str,
    manifest: Option<&str>,
    exists: impl Fn(&str) -> bool,
) -> Vec<Violation> {
    let path = format!("{directory}/Cargo.toml");
    let Some(manifest) = manifest else {
        return vec![Violation::new(&path, 1, "the crate has no Cargo.toml", "add one")];
    };
    let mut violations = Vec::new();
    if value(manifest, "lints", "workspace") != Some("true") {
        let remedy = "add `[lints]` with `workspace = true`";
        violations.push(Violation::new(&path, 1, "the workspace's lints are not used", remedy));
    }
    let description = value(manifest, "package", "description").unwrap_or_default();
    if description.trim_matches('"').trim().is_empty() {
        let remedy = "add `description = \"…\"`: the question that the crate answers, in one line";
        violations.push(Violation::new(&path, 1, "the crate has no description", remedy));
    }
    if !["lib.rs", "main.rs"].iter().any(|root| exists(&format!("{directory}/src/{root}"))) {
        let remedy = "add `src/lib.rs` or `src/main.rs`";
        violations.push(Violation::new(&path, 1, "the crate has no way in", remedy));
    }
    violations
}

/// The value of `key = value` in `[section]`, as it is written.
fn value<'a>(manifest: &'a str, section: &str, key: &str) -> Option<&'a str> {
    let header = format!("[{section}]");
    manifest
        .lines()
        .map(str::trim)
        .skip_while(|line| *line != header)
        .skip(1)
        .take_while(|line| !line.starts_with('['))
        .filter_map(|line| line.split_once('='))
        .find(|(name, _)| name.trim() == key)
        .map(|(_, value)| value.trim())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::violation::lines;

    const GOOD: &str = "[package]\nname = \"a\"\ndescription = \"What is a?\"\n\n\
                        [dependencies]\n\n[lints]\nworkspace = true\n";

    #[track_caller]
    fn check_with(manifest: &str, files: &[&str], expected: &[&str]) {
        let found = check("crates/a", Some(manifest), |path| files.contains(&path));
        let expected: Vec<_> =
            expected.iter().map(|text| format!("crates/a/Cargo.toml:1: {text}")).collect();
        assert_eq!(lines(&found), expected);
    }

    #[test]
    fn a_library_and_a_program_pass() {
        check_with(GOOD, &["crates/a/src/lib.rs"], &[]);
        check_with(GOOD, &["crates/a/src/main.rs"], &[]);
    }

    #[test]
    fn lints_of_its_own_fail() {
        let expected = "the workspace's lints are not used; add `[lints]` with `workspace = true`";
        for bad in ["workspace = false\n", "", "[other]\nworkspace = true\n"] {
            let manifest = GOOD.replace("workspace = true\n", bad);
            check_with(&manifest, &["crates/a/src/lib.rs"], &[expected]);
        }
        check_with(&GOOD.replace("[lints]", "[x]"), &["crates/a/src/lib.rs"], &[expected]);
    }

    #[test]
    fn a_missing_or_empty_description_fails() {
        let expected = "the crate has no description; \
                        add `description = \"…\"`: the question that the crate answers, in one line";
        for bad in ["", "description = \" \"\n", "# description = \"What is a?\"\n"] {
            let manifest = GOOD.replace("description = \"What is a?\"\n", bad);
            check_with(&manifest, &["crates/a/src/lib.rs"], &[expected]);
        }
    }

    #[test]
    fn a_crate_without_a_root_fails() {
        let expected = "the crate has no way in; add `src/lib.rs` or `src/main.rs`";
        check_with(GOOD, &["crates/a/src/other.rs", "crates/b/src/lib.rs"], &[expected]);
    }

    #[test]
    fn a_folder_without_a_manifest_fails() {
        assert_eq!(
            lines(&check("crates/a", None, |_| true)),
            ["crates/a/Cargo.toml:1: the crate has no Cargo.toml; add one"]
        );
    }
}
