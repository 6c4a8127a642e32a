//! A diagram of a system: its tables with their keys and indexes, and which refers to which.

use std::fmt::Write as _;

use crate::Documents;
use crate::document::{System, Table};
use crate::output::snake;

/// The diagram, in Mermaid's language.
pub fn diagram(documents: &Documents, system: &System) -> String {
    let mut text = "graph LR\n".to_owned();
    let tables: Vec<_> = documents.tables_of(&system.system).collect();
    for table in &tables {
        let mut lines = vec![format!("<b>{}</b>", table.table_name)];
        lines.push(format!("key: {}", table.key_names().join(" + ")));
        for index in table.indexes() {
            lines.push(format!("{}: {}", index.index_name, index.key_names().join(" + ")));
        }
        lines.extend(table.time_to_live.as_ref().map(|ttl| format!("TTL: {}", ttl.attribute)));
        // A number sign would begin an entity.
        let label = lines.join("<br/>").replace('#', "#35;");
        let _ = writeln!(text, "    {}[\"{label}\"]", snake(&table.table_name));
    }
    for from in &tables {
        for (to, attribute) in references(from, &tables) {
            let label = attribute.replace('#', "#35;");
            let (from, to) = (snake(&from.table_name), snake(&to.table_name));
            let _ = writeln!(text, "    {from} -->|{label}| {to}");
        }
    }
    text
}

/// A table refers to another by an attribute that is called after it: `sourceId` after `sources`.
fn references<'t>(from: &'t Table, tables: &[&'t Table]) -> Vec<(&'t Table, &'t str)> {
    let mut found = Vec::new();
    for to in tables.iter().filter(|to| to.table_name != from.table_name) {
        let single = to.table_name.trim_end_matches('s');
        let is_reference = |name: &str| {
            let name = name.to_ascii_lowercase().replace('_', "");
            name.strip_suffix("id").is_some_and(|name| name.ends_with(single))
        };
        let attribute = from.attributes.iter().find(|attribute| is_reference(&attribute.name));
        found.extend(attribute.map(|attribute| (*to, attribute.name.as_str())));
    }
    found
}
