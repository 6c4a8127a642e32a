//! Reading documents: from the binary or from a folder, with every problem of all of them at once.

use std::collections::BTreeMap;
use std::path::Path;

use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::document::{Environment, System, Table};
use crate::embedded;
use crate::located::Located;
use crate::problem::{Findings, Problem, Severity};
use crate::schema::Schema;
use crate::{check, located};

/// The name of a system's document in its folder.
const SYSTEM_FILE: &str = "system.json";

/// Documents without errors.
#[derive(Clone, Debug)]
pub struct Documents {
    /// The systems, by name.
    pub systems: Vec<System>,
    /// The tables, by system and name.
    pub tables: Vec<Table>,
    /// What somebody should look at.
    pub warnings: Vec<Problem>,
    /// Prefixes that replace those of the systems.
    prefixes: BTreeMap<String, String>,
}

impl Documents {
    /// The documents inside the binary.
    pub fn embedded() -> Result<Documents, Vec<Problem>> {
        let files = embedded::DOCUMENTS.iter();
        Documents::read(files.map(|(path, text)| ((*path).to_owned(), (*text).to_owned())))
    }

    /// The documents in a folder: `<system>/system.json` and `<system>/<table>.json`.
    pub fn folder(folder: &Path) -> Result<Documents, Vec<Problem>> {
        let mut files = Vec::new();
        for system in entries(folder)? {
            if !folder.join(&system).is_dir() {
                continue;
            }
            for file in entries(&folder.join(&system))? {
                if file.ends_with(".json") {
                    let path = folder.join(&system).join(&file);
                    let text = std::fs::read_to_string(&path);
                    let text = text.map_err(|error| vec![unreadable(&path, &error)])?;
                    files.push((format!("{system}/{file}"), text));
                }
            }
        }
        if files.is_empty() {
            let message = "there are no documents in the folder".to_owned();
            let remedy = "Give the folder that holds a folder for each system".to_owned();
            return Err(vec![Problem {
                file: folder.display().to_string(),
                line: 1,
                severity: Severity::Error,
                message,
                remedy,
            }]);
        }
        // With the folder in front, an editor can open what is named.
        let named = |mut problem: Problem| {
            problem.file = folder.join(&problem.file).display().to_string();
            problem
        };
        match Documents::read(files) {
            Ok(mut documents) => {
                documents.warnings = documents.warnings.into_iter().map(named).collect();
                Ok(documents)
            }
            Err(problems) => Err(problems.into_iter().map(named).collect()),
        }
    }

    /// Documents from texts, by their path `<system>/<file>.json`.
    pub fn read(
        files: impl IntoIterator<Item = (String, String)>,
    ) -> Result<Documents, Vec<Problem>> {
        let mut problems = Vec::new();
        let mut systems = Vec::new();
        let mut tables = Vec::new();
        let mut folders = Vec::new();
        for (path, text) in files {
            let (folder, file) = path.rsplit_once('/').unwrap_or(("", path.as_str()));
            if !folders.iter().any(|known| known == folder) {
                folders.push(folder.to_owned());
            }
            let mut findings = Findings::default();
            let read = if file == SYSTEM_FILE {
                read_system(&text, folder, &mut findings, &mut systems)
            } else {
                let stem = file.trim_end_matches(".json");
                read_table(&path, &text, (folder, stem), &mut findings, &mut tables)
            };
            match read {
                Ok(located) => {
                    problems.extend(findings.into_problems(&path, |at| located.line(at)));
                }
                Err(error) => problems.push(Problem {
                    file: path.clone(),
                    line: error.line,
                    severity: Severity::Error,
                    message: format!("this is not JSON: {}", error.message),
                    remedy: "Correct the text at this line; an editor that knows JSON shows where"
                        .to_owned(),
                }),
            }
        }
        for folder in folders {
            let missing = !systems.iter().any(|system: &System| system.system == folder);
            let broken = problems.iter().any(|problem| problem.file.ends_with(SYSTEM_FILE));
            if missing && !broken {
                problems.push(Problem {
                    file: format!("{folder}/{SYSTEM_FILE}"),
                    line: 1,
                    severity: Severity::Error,
                    message: "the system has no document of its own".to_owned(),
                    remedy: "Write it as tables/system.schema.json says".to_owned(),
                });
            }
        }
        problems.extend(same_names(&systems, &tables));
        problems.sort();
        if problems.iter().any(Problem::is_error) {
            return Err(problems);
        }
        let tables = tables.into_iter().map(|(_, _, table)| table).collect();
        Ok(Documents { systems, tables, warnings: problems, prefixes: BTreeMap::new() })
    }

    /// Replaces the prefix of a system's table names. False if there is no such system.
    pub fn set_prefix(&mut self, system: &str, prefix: &str) -> bool {
        self.prefixes.insert(system.to_owned(), prefix.to_owned());
        self.system(system).is_some()
    }

    /// The system of that name.
    pub fn system(&self, name: &str) -> Option<&System> {
        self.systems.iter().find(|system| system.system == name)
    }

    /// The tables of a system.
    pub fn tables_of<'d>(&'d self, system: &'d str) -> impl Iterator<Item = &'d Table> {
        self.tables.iter().filter(move |table| table.system == system)
    }

    /// The tables that a name means: `system/table`, a logical name, or a system.
    pub fn find(&self, name: &str) -> Vec<&Table> {
        let is_meant = |table: &&Table| match name.split_once('/') {
            Some((system, logical)) => table.system == system && table.table_name == logical,
            None => table.table_name == name || table.system == name,
        };
        self.tables.iter().filter(is_meant).collect()
    }

    /// A table's name in an environment.
    pub fn table_name(&self, table: &Table, environment: Environment) -> String {
        table.name(environment, self.prefix(&table.system))
    }

    /// The prefix of a system's table names.
    pub fn prefix(&self, system: &str) -> &str {
        let own = || self.system(system).map_or("", |system| system.prefix.as_str());
        self.prefixes.get(system).map_or_else(own, String::as_str)
    }
}

fn read_system(
    text: &str,
    folder: &str,
    findings: &mut Findings,
    systems: &mut Vec<System>,
) -> Result<Located, located::NotJson> {
    let located = Located::read(text, findings)?;
    if let Some(system) = typed::<System>(&located.value, embedded::SYSTEM_SCHEMA, findings) {
        if system.system != folder {
            let message = format!("`system` is {}, but the folder is {folder}", system.system);
            findings.error("/system", message, format!("Write {folder:?}"));
        }
        systems.push(system);
    }
    Ok(located)
}

fn read_table(
    path: &str,
    text: &str,
    (folder, stem): (&str, &str),
    findings: &mut Findings,
    tables: &mut Vec<(String, usize, Table)>,
) -> Result<Located, located::NotJson> {
    let located = Located::read(text, findings)?;
    if let Some(table) = typed::<Table>(&located.value, embedded::TABLE_SCHEMA, findings) {
        for (member, found, wanted) in
            [("system", &table.system, folder), ("tableName", &table.table_name, stem)]
        {
            if found != wanted {
                let what = if member == "system" { "folder" } else { "file" };
                let message = format!("`{member}` is {found}, but the {what} is {wanted}");
                findings.error(format!("/{member}"), message, format!("Write {wanted:?}"));
            }
        }
        check::check(&table, findings);
        tables.push((path.to_owned(), located.line("/names"), table));
    }
    Ok(located)
}

/// The value as a document, if it conforms to the schema.
fn typed<T: DeserializeOwned>(value: &Value, schema: &str, findings: &mut Findings) -> Option<T> {
    let schema: Value = serde_json::from_str(schema).unwrap_or_default();
    let mut broken = Findings::default();
    Schema::new(&schema).check(value, "", &mut broken);
    if !broken.is_empty() {
        findings.append(broken);
        return None;
    }
    match serde_json::from_value(value.clone()) {
        Ok(document) => Some(document),
        Err(error) => {
            findings.error("", error.to_string(), "Correct it as the schema says");
            None
        }
    }
}

/// Two tables of one name in one environment would be one table.
fn same_names(systems: &[System], tables: &[(String, usize, Table)]) -> Vec<Problem> {
    let mut problems = Vec::new();
    for environment in Environment::ALL {
        let mut seen = BTreeMap::new();
        for (path, line, table) in tables {
            let system = systems.iter().find(|system| system.system == table.system);
            let prefix = system.map_or("", |system| system.prefix.as_str());
            let name = table.name(environment, prefix);
            if let Some(other) = seen.insert(name.clone(), path) {
                problems.push(Problem {
                    file: path.clone(),
                    line: *line,
                    severity: Severity::Error,
                    message: format!("{other} has the name {name} in {environment}, too"),
                    remedy: "Give one of them another name, or its system another prefix"
                        .to_owned(),
                });
            }
        }
    }
    problems
}

/// Names of what is in a folder, sorted.
fn entries(folder: &Path) -> Result<Vec<String>, Vec<Problem>> {
    let read = std::fs::read_dir(folder).map_err(|error| vec![unreadable(folder, &error)])?;
    let mut names: Vec<String> =
        read.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    Ok(names)
}

fn unreadable(path: &Path, error: &std::io::Error) -> Problem {
    Problem {
        file: path.display().to_string(),
        line: 1,
        severity: Severity::Error,
        message: format!("it cannot be read: {error}"),
        remedy: "Check the path and who may read it".to_owned(),
    }
}
