//! Access patterns: each is served by the table or by the index it names.

use super::item_types::{REMEDY, unreadable};
use super::{attribute_names, no_duplicates};
use crate::document::{AccessPattern, Index, KeyComparison, Operation, ProjectionType, Table};
use crate::located::step;
use crate::pattern::Pattern;
use crate::problem::Findings;

pub(super) fn check(table: &Table, findings: &mut Findings) {
    let ids = table.access_patterns.iter().map(|pattern| pattern.id.as_str());
    no_duplicates(ids, "access patterns", |at| format!("/accessPatterns/{at}/id"), findings);
    for (at, access) in table.access_patterns.iter().enumerate() {
        let place = Place { table, access, pointer: format!("/accessPatterns/{at}") };
        place.check(findings);
    }
}

/// One access pattern and where it stands.
struct Place<'t> {
    table: &'t Table,
    access: &'t AccessPattern,
    pointer: String,
}

impl Place<'_> {
    fn check(&self, findings: &mut Findings) {
        let Place { table, access, pointer } = self;
        self.check_patterns(findings);
        let index = access.index.as_deref().map(|name| (name, table.index(name)));
        match index {
            Some((name, None)) => {
                let known: Vec<_> = table.indexes().map(|index| &*index.index_name).collect();
                let message = format!("{} uses the index {name}, which does not exist", access.id);
                let remedy =
                    format!("Use one of {}, or add it{}", known.join(", "), self.would_serve());
                findings.error(format!("{pointer}/index"), message, remedy);
                return;
            }
            Some((name, Some(_))) if access.operation != Operation::Query => {
                let operation = access.operation.name();
                let message = format!("{} is a {operation} on the index {name}", access.id);
                findings.error(
                    format!("{pointer}/index"),
                    message,
                    "Only a Query can use an index",
                );
            }
            _ => {}
        }
        let index = index.and_then(|(_, index)| index);
        match index {
            Some(index) => self.check_keys(&index.key_names(), &index.index_name, findings),
            None => self.check_keys(&table.key_names(), "the table", findings),
        }
        self.check_read(index, findings);
        self.check_names(index, findings);
    }

    /// The key condition has the partition key, and nothing but the key.
    fn check_keys(&self, keys: &[&str], of: &str, findings: &mut Findings) {
        let Place { access, pointer, .. } = self;
        let pointer = format!("{pointer}/keyCondition");
        let id = &access.id;
        let partition = keys[0];
        match access.key_condition.get(partition) {
            None => {
                let message =
                    format!("{id} has no condition on {partition}, the partition key of {of}");
                let remedy = format!("Add \"{partition}\"{}", self.would_serve());
                findings.error(&*pointer, message, remedy);
            }
            Some(KeyComparison::Compares(_)) => {
                let message = format!("{id} compares {partition}, the partition key of {of}");
                let remedy = "A partition key can only be equal to something: write a pattern";
                findings.error(step(&pointer, partition), message, remedy);
            }
            Some(KeyComparison::Equals(_)) => {}
        }
        for name in access.key_condition.keys().filter(|name| !keys.contains(&name.as_str())) {
            let message = format!("{id} has a condition on {name}, which is not a key of {of}");
            let remedy = format!("Put it into `filter`{}", self.would_serve());
            findings.error(step(&pointer, name), message, remedy);
        }
        if access.operation == Operation::Query {
            return;
        }
        let whole = |name: &&&str| {
            matches!(access.key_condition.get(**name), Some(KeyComparison::Equals(_)))
        };
        if let Some(missing) = keys[1..].iter().find(|name| !whole(name)) {
            let operation = access.operation.name();
            let message =
                format!("{id} is a {operation} without the whole key: {missing} is missing");
            let remedy = format!("Add a pattern for {missing}, or make it a Query");
            findings.error(&*pointer, message, remedy);
        }
    }

    fn check_read(&self, index: Option<&Index>, findings: &mut Findings) {
        let Place { table, access, pointer } = self;
        let id = &access.id;
        let global = index.filter(|index| {
            table.global_secondary_indexes.iter().any(|known| known.index_name == index.index_name)
        });
        if access.consistent_read && (global.is_some() || !access.operation.reads()) {
            let message = format!("{id} cannot be a consistent read");
            let remedy = "Only reads of the table or of a local index can: write false";
            findings.error(format!("{pointer}/consistentRead"), message, remedy);
        }
        let sorts = match index {
            Some(index) => index.sort_key.is_some(),
            None => table.primary_key.sort_key.is_some(),
        };
        if access.sort_direction.is_some() && (access.operation != Operation::Query || !sorts) {
            let message = format!("{id} has a direction, but nothing that is sorted");
            let remedy = "Remove it; only a Query with a sort key has an order";
            findings.error(format!("{pointer}/sortDirection"), message, remedy);
        }
    }

    /// Filters and returned attributes exist, and the index holds them.
    fn check_names(&self, index: Option<&Index>, findings: &mut Findings) {
        let Place { table, access, pointer } = self;
        let id = &access.id;
        for (member, names) in [("filter", &access.filter), ("returns", &access.returns)] {
            for (at, name) in names.iter().enumerate() {
                let pointer = format!("{pointer}/{member}/{at}");
                if table.attribute(name).is_none() {
                    let message = format!("{id} names {name}, which is not an attribute");
                    let remedy = format!("Use one of {}", attribute_names(table));
                    findings.error(pointer, message, remedy);
                } else if let Some(index) = index.filter(|index| !index.holds(table, name)) {
                    let message =
                        format!("{id} needs {name}, which {} does not hold", index.index_name);
                    let remedy = "Add it to the index's `nonKeyAttributes`, or project ALL";
                    findings.error(pointer, message, remedy);
                }
            }
        }
        let partial = index.filter(|index| index.projection_type != ProjectionType::All);
        if let Some(index) = partial.filter(|_| access.returns.is_empty()) {
            let message =
                format!("{id} returns everything, which {} does not hold", index.index_name);
            let remedy = "Say in `returns` which attributes are needed, or project ALL";
            findings.error(format!("{pointer}/index"), message, remedy);
        }
    }

    /// Placeholders are attributes, or parameters with an explanation.
    fn check_patterns(&self, findings: &mut Findings) {
        let Place { table, access, pointer } = self;
        let mut used = Vec::new();
        for (key, comparison) in &access.key_condition {
            let pointer = step(&format!("{pointer}/keyCondition"), key);
            for text in comparison.patterns() {
                let Ok(pattern) = Pattern::read(text) else {
                    findings.error(&*pointer, unreadable(text), REMEDY);
                    continue;
                };
                for name in pattern.placeholders() {
                    used.push(name.to_owned());
                    if table.attribute(name).is_none() && !access.parameters.contains_key(name) {
                        let message =
                            format!("{} names {name}, which is not an attribute", access.id);
                        let remedy = format!(
                            "Explain it in `parameters`, or use one of {}",
                            attribute_names(table)
                        );
                        findings.error(&*pointer, message, remedy);
                    }
                }
            }
        }
        for name in access.parameters.keys().filter(|name| !used.contains(name)) {
            let pointer = step(&format!("{pointer}/parameters"), name);
            let message = format!("{} explains {name}, but does not use it", access.id);
            findings.error(pointer, message, "Remove it, or use it in the key condition");
        }
    }

    /// A hint at what could serve the pattern, if something could.
    fn would_serve(&self) -> String {
        let Place { table, access, .. } = self;
        let wanted: Vec<_> = access.key_condition.keys().map(String::as_str).collect();
        let serves = |keys: Vec<&str>| {
            wanted.contains(&keys[0]) && wanted.iter().all(|name| keys.contains(name))
        };
        if let Some(index) = table.indexes().find(|index| serves(index.key_names())) {
            format!("; the index {} would serve it", index.index_name)
        } else if serves(table.key_names()) {
            "; the table itself would serve it".to_owned()
        } else {
            format!("; no index has the key {}", wanted.join(" and "))
        }
    }
}
