//! Services read and write through the functions of `patterns`: a pattern that is named by a text is
//! found wrong only when it runs.

use crate::Violation;
use crate::mask::line_at;

/// The crate that has patterns by name, and those that know a pattern only from its document.
const BY_NAME: [&str; 4] = ["bench", "campaigns", "store", "tables"];

/// Tables of document 001 that another crate than `listbackup` owns: others change them through its
/// functions.
const OWNED: [(&str, &str); 5] = [
    ("Accounts", "identity"),
    ("Notifications", "notifications"),
    ("RefreshTokens", "identity"),
    ("Users", "identity"),
    ("UsersAccounts", "identity"),
];

/// Where masked `code` of a crate's source looks an access pattern up.
pub(crate) fn check(path: &str, code: &str) -> Vec<Violation> {
    let Some((name, rest)) = path.strip_prefix("crates/").and_then(|path| path.split_once('/'))
    else {
        return Vec::new();
    };
    if BY_NAME.contains(&name) || !rest.starts_with("src/") {
        return Vec::new();
    }
    let violation = |(at, _): (usize, &str)| {
        let remedy = "call its function in `patterns`";
        Violation::new(path, line_at(code, at), "an access pattern is named by a text", remedy)
    };
    code.match_indices(".access(").map(violation).chain(foreign_tables(path, name, code)).collect()
}

/// Where a crate opens a table that another one owns.
fn foreign_tables(path: &str, name: &str, code: &str) -> Vec<Violation> {
    let is_foreign = |table: &str| OWNED.iter().any(|owned| owned.0 == table && owned.1 != name);
    let mut found = Vec::new();
    for (at, prefix) in code.match_indices("patterns::listbackup::") {
        let rest = &code[at + prefix.len()..];
        let end = rest.find(';').unwrap_or(rest.len());
        let words = rest[..end].split(|c: char| !c.is_alphanumeric());
        for table in words.filter(|word| is_foreign(word)) {
            let problem = format!("the table {table} is another crate's");
            let remedy = "call its owner's function";
            found.push(Violation::new(path, line_at(code, at), &problem, remedy));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::violation::lines;

    const CODE: &str = "//! A.\nfn a() {\n    table.access(         )?.get();\n}\n";

    #[test]
    fn a_service_that_names_a_pattern_fails() {
        assert_eq!(
            lines(&check("crates/audit/src/a.rs", CODE)),
            ["crates/audit/src/a.rs:3: an access pattern is named by a text; \
              call its function in `patterns`"]
        );
    }

    #[test]
    fn a_table_is_opened_by_its_owner_alone() {
        let code = "use patterns::listbackup::{Jobs, Users};\nuse patterns::tenancy::Users;\n";
        assert_eq!(check("crates/identity/src/a.rs", code), []);
        assert_eq!(
            lines(&check("crates/listbackup/src/a.rs", code)),
            ["crates/listbackup/src/a.rs:1: the table Users is another crate's; \
              call its owner's function"]
        );
    }

    #[test]
    fn tools_and_tests_may_and_functions_pass() {
        for path in ["crates/store/src/a.rs", "crates/audit/tests/a.rs", "src/a.rs"] {
            assert_eq!(check(path, CODE), [], "{path}");
        }
        assert_eq!(check("crates/audit/src/a.rs", "table.get_event(id).get()\n"), []);
        assert_eq!(check("crates/audit/src/a.rs", "fn access(&self) {}\n"), []);
    }
}
