//! Do the routes and the tables of permissions agree?

use kernel::permissions::Rule;

use super::Registered;

/// Every disagreement, as a sentence: a route whose permission is in no table, a row that no route
/// demands, a name that means two things.
pub fn uncovered<'a>(
    routes: impl IntoIterator<Item = &'a Registered>,
    tables: &[&[Rule]],
) -> Vec<String> {
    let mut problems = Vec::new();
    let rows: Vec<&Rule> = tables.iter().copied().flatten().collect();
    let mut demanded = vec![false; rows.len()];
    for route in routes {
        match rows.iter().position(|row| row.name == route.rule.name) {
            None => problems.push(format!(
                "{} {} demands {}, which is in no table",
                route.method, route.path, route.rule.name
            )),
            Some(at) if *rows[at] != route.rule => problems.push(format!(
                "{} {} demands another {} than the table has",
                route.method, route.path, route.rule.name
            )),
            Some(at) => demanded[at] = true,
        }
    }
    for (at, row) in rows.iter().enumerate() {
        if rows[..at].iter().any(|other| other.name == row.name) {
            problems.push(format!("{} is in the tables twice", row.name));
        } else if !demanded[at] {
            problems.push(format!("no route demands {}", row.name));
        }
    }
    problems
}
