//! The format of the language test files.

use std::collections::BTreeMap;

type Settings = BTreeMap<String, String>;

/// One case: what is given and what is expected of it.
#[derive(Clone, Debug, Default)]
pub struct Case {
    /// Where it begins in its file.
    pub line: usize,
    /// The heading of its group.
    pub reason: String,
    /// `item`, `names` and so on.
    pub settings: Settings,
    /// The expressions and legacy parameters, in order.
    pub subjects: Vec<(String, String)>,
    /// What is expected: result lines by their key.
    pub results: BTreeMap<String, String>,
}

const SETTINGS: [&str; 8] = [
    "item",
    "names",
    "values",
    "parameters",
    "hash",
    "sort",
    "ConditionalOperator",
    "all placeholders",
];
const SUBJECTS: [&str; 12] = [
    "condition",
    "filter",
    "key-condition",
    "projection",
    "update",
    "Expected",
    "ScanFilter",
    "KeyConditions",
    "AttributeUpdates",
    "AttributesToGet",
    "statement",
    "where",
];
const RESULTS: [&str; 15] = [
    "holds",
    "gives",
    "old",
    "new",
    "attributes",
    "nested",
    "only removes",
    "table",
    "index",
    "key",
    "exact key",
    "reads",
    "returning",
    "refused",
    "envelope",
];

/// Reads a file; the error is a line and what is wrong with it.
pub fn read(text: &str) -> Result<Vec<Case>, (usize, String)> {
    let mut cases: Vec<Case> = Vec::new();
    // Settings of the whole file, and those of the group on top of them.
    let (mut file, mut group): (Settings, Settings) = Default::default();
    let mut reason = String::new();
    let mut open = false;
    for (index, raw) in text.lines().enumerate() {
        let line = index + 1;
        let trimmed = raw.trim();
        if trimmed.is_empty() || trimmed.starts_with('#') {
            continue;
        }
        if let Some(heading) = trimmed.strip_prefix("== ") {
            reason = heading.to_owned();
            group = file.clone();
            open = false;
            continue;
        }
        let (key, value) =
            trimmed.split_once(':').ok_or((line, format!("no colon in {trimmed:?}")))?;
        let (key, value) = (key.trim(), value.trim().to_owned());
        let begin = |subject: &str, settings: &Settings| Case {
            line,
            reason: reason.clone(),
            settings: settings.clone(),
            subjects: vec![(subject.to_owned(), value.clone())],
            results: BTreeMap::new(),
        };
        if SETTINGS.contains(&key) {
            let scope = if reason.is_empty() { &mut file } else { &mut group };
            scope.insert(key.to_owned(), value);
            open = false;
        } else if let Some((subject, holds)) = whole_case(key) {
            let mut case = begin(subject, &group);
            case.results.insert("holds".to_owned(), holds.to_owned());
            cases.push(case);
            open = false;
        } else if SUBJECTS.contains(&key) {
            if reason.is_empty() {
                return Err((line, "a case before the first heading".to_owned()));
            }
            cases.push(begin(key, &group));
            open = true;
        } else if let Some(case) = cases.last_mut().filter(|_| open) {
            match key.strip_prefix("with ") {
                Some(subject) if SUBJECTS.contains(&subject) => {
                    case.subjects.push((subject.to_owned(), value));
                }
                _ if RESULTS.contains(&key) => {
                    case.results.insert(key.to_owned(), value);
                }
                _ => return Err((line, format!("unknown key {key:?}"))),
            }
        } else {
            return Err((line, format!("{key:?} belongs to no case")));
        }
    }
    match cases.iter().find(|case| case.results.is_empty()) {
        Some(case) => Err((case.line, "expects nothing".to_owned())),
        None => Ok(cases),
    }
}

/// The keys that are a whole case each: what is asked and what comes of it.
fn whole_case(key: &str) -> Option<(&'static str, &'static str)> {
    match key {
        "true" => Some(("condition", "true")),
        "false" => Some(("condition", "false")),
        "where true" => Some(("where", "true")),
        "where false" => Some(("where", "false")),
        _ => None,
    }
}
