//! Rules for every text file: no machine's own paths, no stray blanks, an end, a title.
//!
//! The forbidden paths are put together from pieces here, so that this file obeys its own rule.

use crate::Violation;
use crate::mask::is_word;

/// The folders that exist on one machine only, without their slashes.
const MACHINE_FOLDERS: [&str; 4] = ["work", "farm", "root", "home"];

/// The kinds of file in which a blank at the end of a line means nothing.
const BLANKS_MEAN_NOTHING: [&str; 5] = [".rs", ".toml", ".md", ".txt", ".sh"];

/// The rules that hold for a text file of any kind.
pub(crate) fn check(path: &str, text: &str) -> Vec<Violation> {
    let mut violations = Vec::new();
    violations.extend(check_machine_paths(path, text));
    violations.extend(check_trailing_blanks(path, text));
    violations.extend(check_end(path, text));
    violations.extend(check_title(path, text));
    violations
}

fn check_machine_paths(path: &str, text: &str) -> Vec<Violation> {
    let mut violations = Vec::new();
    for (index, line) in text.lines().enumerate() {
        for folder in MACHINE_FOLDERS.map(|folder| ["/", folder, "/"].concat()) {
            if contains_absolute(line, &folder) {
                let problem = format!("the line holds a path of one machine, under `{folder}`");
                let remedy = "write it relative to the repository, or take it from the environment";
                violations.push(Violation::new(path, index + 1, problem, remedy));
            }
        }
    }
    violations
}

/// Whether an absolute path under `folder` stands in the line; `a/b` and `../b` are relative.
fn contains_absolute(line: &str, folder: &str) -> bool {
    let continues_a_path = |c: char| is_word(c) || matches!(c, '.' | '-' | '~' | '*' | '}' | ')');
    line.match_indices(folder).any(|(at, _)| !line[..at].ends_with(continues_a_path))
}

fn check_trailing_blanks(path: &str, text: &str) -> Vec<Violation> {
    let is_script = text.starts_with("#!/");
    if !is_script && !BLANKS_MEAN_NOTHING.iter().any(|ending| path.ends_with(ending)) {
        return Vec::new();
    }
    // Not `lines`, which takes a carriage return for a part of the line break.
    text.split('\n')
        .enumerate()
        .filter(|(_, line)| line.ends_with(char::is_whitespace))
        .map(|(index, _)| Violation::new(path, index + 1, "the line ends in a blank", "remove it"))
        .collect()
}

fn check_end(path: &str, text: &str) -> Option<Violation> {
    let ends_well = text.is_empty() || text.ends_with('\n');
    (!ends_well).then(|| {
        let line = text.lines().count();
        Violation::new(path, line, "the file does not end with a line break", "add one")
    })
}

fn check_title(path: &str, text: &str) -> Option<Violation> {
    let is_untitled = path.ends_with(".md") && !text.starts_with("# ");
    is_untitled.then(|| {
        Violation::new(path, 1, "the document has no title", "start it with `# ` and a title")
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::violation::lines;

    #[test]
    fn a_clean_file_passes() {
        assert_eq!(check("README.md", "# Title\n\nText.\n"), []);
        assert_eq!(check("empty", ""), []);
    }

    #[test]
    fn machine_paths_fail_in_any_file() {
        for folder in MACHINE_FOLDERS {
            for before in ["", "a ", "\"", "(", "=", "file://"] {
                let text = format!("ok\n{before}/{folder}/x\n");
                assert_eq!(
                    lines(&check("a.json", &text)),
                    [format!(
                        "a.json:2: the line holds a path of one machine, under `/{folder}/`; \
                         write it relative to the repository, or take it from the environment"
                    )],
                    "for {text:?}"
                );
            }
        }
    }

    #[test]
    fn relative_paths_and_addresses_pass() {
        for folder in MACHINE_FOLDERS {
            for before in ["a", "..", ".", "~", "https://example.com", "${base}", "*"] {
                assert_eq!(check("a.json", &format!("{before}/{folder}/x\n")), []);
            }
            assert_eq!(check("a.json", &format!("/{folder}\n/{folder}s/x\n")), []);
        }
    }

    #[test]
    fn trailing_blanks_fail_where_they_mean_nothing() {
        let expected = "the line ends in a blank; remove it";
        for path in ["a.rs", "a.toml", "a.txt", "a.sh"] {
            let found = lines(&check(path, "a\nb \nc\t\n"));
            assert_eq!(found, [format!("{path}:2: {expected}"), format!("{path}:3: {expected}")]);
        }
        assert_eq!(lines(&check("run", "#!/bin/sh \n")), [format!("run:1: {expected}")]);
        assert_eq!(lines(&check("a.rs", "a\r\n")), [format!("a.rs:1: {expected}")]);
        assert_eq!(lines(&check("a.md", "# A\n\nb  \n")), [format!("a.md:3: {expected}")]);
        assert_eq!(check("a.json", "a \n"), []);
    }

    #[test]
    fn a_missing_line_break_at_the_end_fails() {
        assert_eq!(
            lines(&check("a.json", "{\n}")),
            ["a.json:2: the file does not end with a line break; add one"]
        );
    }

    #[test]
    fn a_document_without_a_title_fails() {
        for text in ["", "Text.\n", "## Second\n", "\n# Late\n", "#Tight\n"] {
            assert_eq!(
                lines(&check("a.md", text)),
                ["a.md:1: the document has no title; start it with `# ` and a title"],
                "for {text:?}"
            );
        }
    }
}
