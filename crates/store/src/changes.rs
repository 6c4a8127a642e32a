//! What an update does: attributes that are set, removed or added to.
//!
//! Every value is checked against the document before it is sent, and keys of indexes that are made
//! of a changed attribute change with it. Whether the whole item is as the document says can be told
//! only of the answer: it is checked like anything read.

use std::collections::BTreeMap;

use values::{AttributeValue, Item, Name, Number};

use crate::backend::Change;
use crate::error::Error;
use crate::key_condition::bad;
use crate::kind::VERSION;
use crate::table::TableHandle;
use crate::write::Write;

/// Changes to one item.
#[derive(Clone, Debug, Default)]
pub struct Changes {
    set: Item,
    removed: Vec<String>,
    added: BTreeMap<String, Number>,
    expected_version: Option<i64>,
}

impl Changes {
    /// None yet.
    pub fn new() -> Changes {
        Changes::default()
    }

    /// Sets an attribute.
    pub fn set(mut self, name: &str, value: impl Into<AttributeValue>) -> Changes {
        self.set.insert(name, value.into());
        self
    }

    /// Removes an attribute.
    pub fn remove(mut self, name: &str) -> Changes {
        self.removed.push(name.to_owned());
        self
    }

    /// Adds to a number; one that is not there counts as zero.
    pub fn add(mut self, name: &str, number: impl Into<Number>) -> Changes {
        self.added.insert(name.to_owned(), number.into());
        self
    }

    /// Only if the item has this version, which becomes the next.
    pub fn expect_version(mut self, version: i64) -> Changes {
        self.expected_version = Some(version);
        self
    }

    /// The update of the item with this key. It must exist, unless it may be absent. `given` are the
    /// values of the access pattern's parameters.
    pub(crate) fn write<'v>(
        mut self,
        table: &TableHandle,
        key: Item,
        given: impl Fn(&str) -> Option<&'v AttributeValue>,
        may_be_absent: bool,
    ) -> Result<Write, Error> {
        self.complete_keys(table, &key, given)?;
        self.check(table, &key)?;
        let mut update = Update::default();
        for (name, value) in self.set {
            let (name, value) = (update.name(&name), update.value(value));
            update.sets.push(format!("{name} = {value}"));
        }
        for name in &self.removed {
            let name = update.name(name);
            update.removes.push(name);
        }
        for (name, number) in self.added {
            let (name, value) = (update.name(&name), update.value(number.into()));
            update.adds.push(format!("{name} {value}"));
        }
        let mut version_is = None;
        if let Some(version) = self.expected_version {
            let name = update.name(VERSION);
            let (expected, one) = (update.value(version.into()), update.value(1_i64.into()));
            update.sets.push(format!("{name} = {name} + {one}"));
            version_is = Some(format!("{name} = {expected}"));
        }
        let expression = update.expression()?;
        let mut write = table.write(Change::Update { key, expression });
        if !may_be_absent {
            write = write.also("attribute_exists(#key)", [("#key", table.partition_key())], []);
        }
        if let Some(version_is) = version_is {
            write = write.also(&version_is, [], []);
        }
        write.action.names.extend(update.names);
        write.action.values.extend(update.values);
        Ok(write)
    }

    /// Keys of indexes that are made of what changes, and of what the access pattern was given.
    fn complete_keys<'v>(
        &mut self,
        table: &TableHandle,
        key: &Item,
        given: impl Fn(&str) -> Option<&'v AttributeValue>,
    ) -> Result<(), Error> {
        let document = table.document();
        let Some(kind) = document.kind_of(key) else { return Ok(()) };
        for (name, pattern) in kind.patterns() {
            let is_own = pattern.to_string() == format!("{{{name}}}");
            if is_own
                || document.key_names().contains(&name.as_str())
                || self.set.contains_key(name)
            {
                continue;
            }
            let removed = |part: &str| self.removed.iter().any(|removed| removed == part);
            let touched = |part: &str| self.set.contains_key(part) || removed(part);
            if !pattern.placeholders().any(touched) {
                continue;
            }
            if pattern.placeholders().any(removed) {
                self.removed.push(name.clone());
                continue;
            }
            let known =
                |name: &str| self.set.get(name).or_else(|| key.get(name)).or_else(|| given(name));
            let rendered = pattern.render_with(known);
            match rendered {
                Ok(value) => {
                    self.set.insert(name, value.into());
                }
                Err(lacking) => {
                    let message =
                        format!("{name} is made as {pattern} says: set {lacking} too, or {name}");
                    return Err(bad(&lacking, message));
                }
            }
        }
        Ok(())
    }

    fn check(&self, table: &TableHandle, key: &Item) -> Result<(), Error> {
        let document = table.document();
        let others = self.removed.iter().chain(self.added.keys()).map(String::as_str);
        for name in self.set.keys().map(Name::as_str).chain(others) {
            if document.key_names().contains(&name) {
                return Err(bad(name, "a primary key cannot change".to_owned()));
            }
            if self.expected_version.is_some() && name == VERSION {
                return Err(bad(name, "the store counts it".to_owned()));
            }
        }
        let mut part = key.clone();
        part.extend(self.set.clone());
        document
            .validate_part(&part)
            .map_err(|problems| table.prepared().invalid(problems, false))?;
        let kind = document.kind_of(key);
        let needed = |name: &&String| {
            kind.is_some_and(|kind| {
                document
                    .attributes_of(kind)
                    .any(|attribute| attribute.name == **name && attribute.required)
            })
        };
        match self.removed.iter().find(needed) {
            Some(name) => Err(bad(name, "every such item has it: it cannot be removed".to_owned())),
            None => Ok(()),
        }
    }
}

/// An update expression in the making.
#[derive(Default)]
struct Update {
    sets: Vec<String>,
    removes: Vec<String>,
    adds: Vec<String>,
    names: BTreeMap<String, String>,
    values: BTreeMap<String, AttributeValue>,
}

impl Update {
    fn name(&mut self, name: &str) -> String {
        let known = self.names.iter().find(|(_, known)| *known == name);
        if let Some((alias, _)) = known {
            return alias.clone();
        }
        let alias = format!("#u{}", self.names.len());
        self.names.insert(alias.clone(), name.to_owned());
        alias
    }

    fn value(&mut self, value: AttributeValue) -> String {
        let alias = format!(":u{}", self.values.len());
        self.values.insert(alias.clone(), value);
        alias
    }

    fn expression(&self) -> Result<String, Error> {
        let clauses = [("SET", &self.sets), ("REMOVE", &self.removes), ("ADD", &self.adds)];
        let clauses = clauses.into_iter().filter(|(_, parts)| !parts.is_empty());
        let clauses: Vec<_> =
            clauses.map(|(word, parts)| format!("{word} {}", parts.join(", "))).collect();
        if clauses.is_empty() {
            return Err(bad("changes", "there are none".to_owned()));
        }
        Ok(clauses.join(" "))
    }
}
