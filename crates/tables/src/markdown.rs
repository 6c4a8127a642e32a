//! Documentation: a page per table, and a page per system with its diagram.

use std::fmt::Write as _;

use crate::Documents;
use crate::document::{AccessPattern, Attribute, Environment, SortDirection, System, Table};
use crate::mermaid;
use crate::output::OutputFile;

/// All pages: `README.md`, `<system>/README.md`, `<system>/<table>.md`.
pub fn pages(documents: &Documents) -> Vec<OutputFile> {
    let mut files = vec![OutputFile::new("README.md", index(documents))];
    for system in &documents.systems {
        let name = &system.system;
        files.push(OutputFile::new(format!("{name}/README.md"), system_page(documents, system)));
        for table in documents.tables_of(name) {
            let path = format!("{name}/{}.md", table.table_name);
            files.push(OutputFile::new(path, table_page(documents, table)));
        }
    }
    files
}

fn index(documents: &Documents) -> String {
    let mut text = "# Tables\n\n| system | tables | what it does |\n|---|---|---|\n".to_owned();
    for system in &documents.systems {
        let count = documents.tables_of(&system.system).count();
        let name = &system.system;
        let _ = writeln!(text, "| [{name}]({name}/README.md) | {count} | {} |", system.description);
    }
    text
}

fn system_page(documents: &Documents, system: &System) -> String {
    let mut text = format!("# {}\n\n{}\n\n", system.system, system.description);
    let _ = writeln!(text, "```mermaid\n{}```\n", mermaid::diagram(documents, system));
    text.push_str("| table | key | indexes | what it holds |\n|---|---|---|---|\n");
    for table in documents.tables_of(&system.system) {
        let name = &table.table_name;
        let key = code(&table.key_names().join("` + `"));
        let indexes = table.indexes().count();
        let _ =
            writeln!(text, "| [{name}]({name}.md) | {key} | {indexes} | {} |", table.description);
    }
    text
}

/// The page of one table.
pub fn table_page(documents: &Documents, table: &Table) -> String {
    let mut text = format!("# {}\n\n{}\n\n", table.table_name, table.description);
    settings(documents, table, &mut text);
    text.push_str("\n## Kinds of item\n\n| kind | what it stands for | keys |\n|---|---|---|\n");
    for kind in &table.item_types {
        let keys: Vec<_> =
            kind.keys.iter().map(|(key, pattern)| code(&format!("{key} = {pattern}"))).collect();
        let (name, keys) = (&kind.name, keys.join("<br>"));
        let _ = writeln!(text, "| {name} | {} | {keys} |", kind.description);
    }
    text.push_str(
        "\n## Attributes\n\n| attribute | type | required | what it says |\n|---|---|---|---|\n",
    );
    for attribute in &table.attributes {
        attribute_rows(attribute, "", &mut text);
    }
    if table.indexes().next().is_some() {
        text.push_str(
            "\n## Indexes\n\n| index | key | holds | what it is for |\n|---|---|---|---|\n",
        );
    }
    for index in table.indexes() {
        let key = code(&index.key_names().join("` + `"));
        let holds = index.projection_type.word();
        let (name, why) = (&index.index_name, &index.description);
        let _ = writeln!(text, "| {name} | {key} | {holds} | {why}{} |", cited(&index.decisions));
    }
    text.push_str("\n## Access patterns\n\n| id | what it does | operation | on | key condition |\n|---|---|---|---|---|\n");
    for access in &table.access_patterns {
        access_row(access, &mut text);
    }
    let _ = writeln!(text, "\n## Sources\n\nRequirements: {}", table.requirements.join(", "));
    if !table.decisions.is_empty() {
        let _ = writeln!(text, "\nDecisions: {}", table.decisions.join(", "));
    }
    text
}

fn settings(documents: &Documents, table: &Table, text: &mut String) {
    text.push_str("| | dev | sit | prod |\n|---|---|---|---|\n");
    let mut row = |name: &str, value: &dyn Fn(Environment) -> String| {
        let [dev, sit, prod] = Environment::ALL.map(value);
        let _ = writeln!(text, "| {name} | {dev} | {sit} | {prod} |");
    };
    row("name", &|environment| code(&documents.table_name(table, environment)));
    row("billing mode", &|_| table.capacity_mode.billing_mode().to_owned());
    row("stream", &|_| {
        table.streams.view_type.map_or("off".to_owned(), |view| view.word().to_owned())
    });
    row("TTL", &|_| {
        table.time_to_live.as_ref().map_or("off".to_owned(), |ttl| code(&ttl.attribute))
    });
    row("point-in-time recovery", &|_| match table.pitr.retention_days {
        Some(days) if table.pitr.enabled => format!("{days} days"),
        _ if table.pitr.enabled => "on".to_owned(),
        _ => "off".to_owned(),
    });
    row("backups", &|environment| {
        let backup = table.backup.get(environment);
        let kept = backup.retention_days.map(|days| format!(", kept {days} days"));
        format!("{}{}", backup.frequency.name(), kept.unwrap_or_default())
    });
    row("deletion protection", &|environment| {
        let protected = *table.deletion_protection.get(environment);
        if protected { "on" } else { "off" }.to_owned()
    });
}

fn attribute_rows(attribute: &Attribute, path: &str, text: &mut String) {
    let name = format!("{path}{}", attribute.name);
    let mut notes = attribute.description.clone();
    if !attribute.choices.is_empty() {
        let choices: Vec<_> =
            attribute.choices.iter().map(|choice| code(&choice.to_string())).collect();
        let _ = write!(notes, " One of {}.", choices.join(", "));
    }
    if !attribute.suggested.is_empty() {
        let _ = write!(notes, " Usually {}.", attribute.suggested.join(", "));
    }
    if let Some(format) = attribute.format {
        let _ = write!(notes, " Format {}.", format.name());
    }
    if !attribute.item_types.is_empty() {
        let _ = write!(notes, " In {}.", attribute.item_types.join(", "));
    }
    notes.push_str(&cited(&attribute.decisions));
    let required = if attribute.required { "yes" } else { "" };
    let kind = attribute.attribute_type;
    let _ =
        writeln!(text, "| {} | {kind} | {required} | {} |", code(&name), notes.replace('|', "\\|"));
    for field in &attribute.attributes {
        attribute_rows(field, &format!("{name}."), text);
    }
    for field in attribute.elements.iter().flat_map(|elements| &elements.attributes) {
        attribute_rows(field, &format!("{name}[]."), text);
    }
}

fn access_row(access: &AccessPattern, text: &mut String) {
    let conditions: Vec<_> = access
        .key_condition
        .iter()
        .map(|(key, condition)| code(&condition.describe(key)))
        .collect();
    let mut operation = access.operation.name().to_owned();
    if let Some(action) = access.action {
        let _ = write!(operation, ", {}", action.name());
    }
    if access.consistent_read {
        operation.push_str(", consistent");
    }
    match access.sort_direction {
        Some(SortDirection::Ascending) => operation.push_str(", ascending"),
        Some(SortDirection::Descending) => operation.push_str(", descending"),
        None => {}
    }
    let on = access.index.as_deref().unwrap_or("the table");
    let (id, name, conditions) = (&access.id, &access.name, conditions.join("<br>"));
    let _ = writeln!(
        text,
        "| {id} | {name}{} | {operation} | {on} | {conditions} |",
        cited(&access.decisions)
    );
}

fn cited(decisions: &[String]) -> String {
    if decisions.is_empty() { String::new() } else { format!(" ({})", decisions.join(", ")) }
}

fn code(text: &str) -> String {
    format!("`{text}`")
}
