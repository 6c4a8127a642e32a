//! Functions for access patterns and kinds of item: each has a name of its own.

use crate::document::Table;
use crate::problem::Findings;
use crate::rust::function_name;

/// What the type of every table has besides.
const OPEN: &str = "open";

pub(super) fn check(table: &Table, findings: &mut Findings) {
    let kinds = table.item_types.iter().enumerate();
    let kinds = kinds.map(|(at, kind)| (format!("/itemTypes/{at}/name"), kind.name.as_str()));
    let patterns = table.access_patterns.iter().enumerate();
    let patterns =
        patterns.map(|(at, access)| (format!("/accessPatterns/{at}/id"), access.id.as_str()));
    let mut seen = vec![("", OPEN.to_owned())];
    for (pointer, name) in kinds.chain(patterns) {
        let function = function_name(name);
        // Of two of one name the list itself is told.
        if seen.iter().any(|(other, known)| *known == function && *other != name) {
            let message = format!("there are two functions named {function}");
            findings.error(pointer, message, "Rename the access pattern or the kind of item");
        }
        seen.push((name, function));
    }
}
