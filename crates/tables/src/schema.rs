//! Conformance to a JSON Schema, with an error at every place that breaks it.
//!
//! Only the keywords that the published schemas use are known; a test keeps it so. A library would
//! know all of them, but not say what to write instead.

use std::cell::RefCell;
use std::collections::HashMap;

use regex::Regex;
use serde_json::{Map, Value};

use crate::located::step;
use crate::problem::Findings;

/// The keywords this module knows.
#[cfg(test)]
pub(crate) const KEYWORDS: [&str; 22] = [
    "$schema",
    "$id",
    "$ref",
    "$defs",
    "title",
    "description",
    "type",
    "required",
    "additionalProperties",
    "properties",
    "items",
    "enum",
    "const",
    "pattern",
    "minItems",
    "maxItems",
    "minLength",
    "maxLength",
    "minimum",
    "maximum",
    "minProperties",
    "maxProperties",
];

thread_local! {
    /// The patterns of the published schemas. Compiling them for each text anew was most of the time
    /// that reading the documents took.
    static PATTERNS: RefCell<HashMap<String, Option<Regex>>> = RefCell::default();
}

/// Whether a text has the form of a pattern; nothing has that of a wrong one.
fn fits(pattern: &str, text: &str) -> bool {
    PATTERNS.with_borrow_mut(|known| {
        if !known.contains_key(pattern) {
            known.insert(pattern.to_owned(), Regex::new(pattern).ok());
        }
        known.get(pattern).and_then(Option::as_ref).is_some_and(|regex| regex.is_match(text))
    })
}

/// A schema: its root is where references start.
#[derive(Clone, Copy)]
pub(crate) struct Schema<'s> {
    root: &'s Value,
    here: &'s Value,
    /// What the field is for, in the words nearest to it.
    description: &'s str,
}

impl<'s> Schema<'s> {
    /// A whole schema.
    pub fn new(root: &'s Value) -> Schema<'s> {
        Schema { root, here: root, description: text(root, "description") }
    }

    /// A part of this schema, with its references followed.
    fn at(self, part: &'s Value) -> Schema<'s> {
        let mut here = part;
        let mut description = text(part, "description");
        while let Some(reference) = here.get("$ref").and_then(Value::as_str) {
            let target = self.root.pointer(reference.trim_start_matches('#'));
            let Some(target) = target else { break };
            here = target;
            if description.is_empty() {
                description = text(here, "description");
            }
        }
        Schema { root: self.root, here, description }
    }

    /// Notes every place at which the value breaks the schema.
    pub fn check(self, value: &Value, pointer: &str, findings: &mut Findings) {
        if !self.has_type(value) {
            let message = format!("{} is {}", name(pointer), article(value));
            let remedy = format!("Write {}: {}", self.wanted_types(), self.description);
            findings.error(pointer, message, remedy);
            return;
        }
        self.check_choice(value, pointer, findings);
        match value {
            Value::String(text) => self.check_text(text, pointer, findings),
            Value::Number(number) => {
                self.check_number(number.as_f64().unwrap_or_default(), pointer, findings);
            }
            Value::Array(elements) => self.check_array(elements, pointer, findings),
            Value::Object(members) => self.check_object(members, pointer, findings),
            Value::Null | Value::Bool(_) => {}
        }
    }

    fn types(self) -> Vec<&'s str> {
        match self.here.get("type") {
            Some(Value::String(one)) => vec![one],
            Some(Value::Array(several)) => several.iter().filter_map(Value::as_str).collect(),
            _ => Vec::new(),
        }
    }

    fn has_type(self, value: &Value) -> bool {
        let types = self.types();
        let is = |name: &str| match name {
            "string" => value.is_string(),
            "number" => value.is_number(),
            "integer" => value.is_i64() || value.is_u64(),
            "boolean" => value.is_boolean(),
            "array" => value.is_array(),
            "object" => value.is_object(),
            _ => false,
        };
        types.is_empty() || types.iter().any(|name| is(name))
    }

    fn wanted_types(self) -> String {
        let word = |name: &str| match name {
            "string" => "a text in quotes",
            "number" => "a number",
            "integer" => "a whole number",
            "boolean" => "true or false",
            "array" => "a list in brackets",
            _ => "an object in braces",
        };
        self.types().into_iter().map(word).collect::<Vec<_>>().join(" or ")
    }

    fn check_choice(self, value: &Value, pointer: &str, findings: &mut Findings) {
        if let Some(wanted) = self.here.get("const").filter(|wanted| *wanted != value) {
            findings.error(pointer, is(pointer, value), format!("Write {wanted}"));
        }
        let choices = self.here.get("enum").and_then(Value::as_array);
        if let Some(choices) = choices.filter(|choices| !choices.contains(value)) {
            let choices: Vec<_> = choices.iter().map(Value::to_string).collect();
            let remedy = format!("Write one of {}: {}", choices.join(", "), self.description);
            findings.error(pointer, is(pointer, value), remedy);
        }
    }

    fn check_text(self, text: &str, pointer: &str, findings: &mut Findings) {
        let length = text.chars().count() as f64;
        let value = Value::String(text.to_owned());
        if self.limit("minLength").is_some_and(|least| length < least) {
            let message = format!("{} is empty or too short", name(pointer));
            findings.error(pointer, message, format!("Write it out: {}", self.description));
        } else if self.limit("maxLength").is_some_and(|most| length > most) {
            let message = format!("{} has {length} characters", name(pointer));
            let remedy = format!("Write at most {}", self.limit("maxLength").unwrap_or_default());
            findings.error(pointer, message, remedy);
        }
        let Some(pattern) = self.here.get("pattern").and_then(Value::as_str) else { return };
        if !fits(pattern, text) {
            let remedy = format!("Write what matches {pattern}: {}", self.description);
            findings.error(pointer, is(pointer, &value), remedy);
        }
    }

    fn check_number(self, number: f64, pointer: &str, findings: &mut Findings) {
        for (keyword, word, breaks) in [
            ("minimum", "at least", (|n, limit| n < limit) as fn(f64, f64) -> bool),
            ("maximum", "at most", |n, limit| n > limit),
        ] {
            if let Some(limit) = self.limit(keyword).filter(|limit| breaks(number, *limit)) {
                let message = format!("{} is {number}", name(pointer));
                let remedy = format!("Write {word} {limit}: {}", self.description);
                findings.error(pointer, message, remedy);
            }
        }
    }

    fn check_array(self, elements: &[Value], pointer: &str, findings: &mut Findings) {
        let count = elements.len() as f64;
        let least = self.limit("minItems").filter(|least| count < *least);
        let most = self.limit("maxItems").filter(|most| count > *most);
        for (limit, word) in [(least, "least"), (most, "most")] {
            if let Some(limit) = limit {
                let message = format!("{} has {count} elements", name(pointer));
                let remedy = format!("Write at {word} {limit}: {}", self.description);
                findings.error(pointer, message, remedy);
            }
        }
        if let Some(part) = self.here.get("items") {
            for (index, element) in elements.iter().enumerate() {
                self.at(part).check(element, &format!("{pointer}/{index}"), findings);
            }
        }
    }

    fn check_object(self, members: &Map<String, Value>, pointer: &str, findings: &mut Findings) {
        let none = Map::new();
        let properties = self.here.get("properties").and_then(Value::as_object).unwrap_or(&none);
        let required = self.here.get("required").and_then(Value::as_array);
        for wanted in required.into_iter().flatten().filter_map(Value::as_str) {
            if !members.contains_key(wanted) {
                let meaning = properties.get(wanted).map_or("", |part| self.at(part).description);
                let message = format!("`{wanted}` is missing{}", within(pointer));
                findings.error(pointer, message, format!("Add it: {meaning}"));
            }
        }
        let count = members.len() as f64;
        if self.limit("minProperties").is_some_and(|least| count < least)
            || self.limit("maxProperties").is_some_and(|most| count > most)
        {
            let message = format!("{} has {count} members", name(pointer));
            findings.error(pointer, message, self.description);
        }
        for (member, value) in members {
            let at = step(pointer, member);
            match (properties.get(member), self.here.get("additionalProperties")) {
                (Some(part), _) | (None, Some(part @ Value::Object(_))) => {
                    self.at(part).check(value, &at, findings);
                }
                (None, Some(Value::Bool(false))) => {
                    let known: Vec<_> = properties.keys().map(String::as_str).collect();
                    let message = format!("`{member}` is not known{}", within(pointer));
                    let remedy = format!("Remove it, or use one of {}", known.join(", "));
                    findings.error(at, message, remedy);
                }
                _ => {}
            }
        }
    }

    fn limit(self, keyword: &str) -> Option<f64> {
        self.here.get(keyword).and_then(Value::as_f64)
    }
}

fn text<'v>(value: &'v Value, member: &str) -> &'v str {
    value.get(member).and_then(Value::as_str).unwrap_or_default()
}

/// What a pointer's last step is called in a message.
fn name(pointer: &str) -> String {
    match pointer.rsplit('/').next() {
        None | Some("") => "the document".to_owned(),
        Some(index) if index.bytes().all(|byte| byte.is_ascii_digit()) => {
            let list = pointer.rsplit('/').nth(1).unwrap_or_default();
            format!("element {index} of `{list}`")
        }
        Some(name) => format!("`{}`", name.replace("~1", "/").replace("~0", "~")),
    }
}

fn within(pointer: &str) -> String {
    if pointer.is_empty() { String::new() } else { format!(" in {}", name(pointer)) }
}

fn is(pointer: &str, value: &Value) -> String {
    format!("{} is {value}", name(pointer))
}

fn article(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::embedded;

    fn walk(schema: &Value, seen: &mut Vec<String>) {
        let Some(members) = schema.as_object() else { return };
        for (keyword, part) in members {
            seen.push(keyword.clone());
            match keyword.as_str() {
                "properties" | "$defs" => {
                    part.as_object().unwrap().values().for_each(|part| walk(part, seen));
                }
                "items" | "additionalProperties" => walk(part, seen),
                _ => {}
            }
        }
    }

    /// A keyword in a schema that this module ignores would be a rule that nobody checks.
    #[test]
    fn every_keyword_of_the_published_schemas_is_known() {
        for text in [embedded::TABLE_SCHEMA, embedded::SYSTEM_SCHEMA] {
            let mut seen = Vec::new();
            walk(&serde_json::from_str(text).unwrap(), &mut seen);
            seen.retain(|keyword| !KEYWORDS.contains(&keyword.as_str()));
            assert_eq!(seen, Vec::<String>::new());
        }
    }

    fn described(schema: &Value, at: &str, missing: &mut Vec<String>) {
        for (name, part) in schema["properties"].as_object().into_iter().flatten() {
            let here = format!("{at}/{name}");
            if !part["description"].as_str().is_some_and(|text| text.ends_with('.')) {
                missing.push(here.clone());
            }
            described(part, &here, missing);
        }
        for (name, part) in schema["$defs"].as_object().into_iter().flatten() {
            described(part, &format!("{at}/{name}"), missing);
        }
    }

    #[test]
    fn every_field_of_the_published_schemas_has_a_sentence() {
        for text in [embedded::TABLE_SCHEMA, embedded::SYSTEM_SCHEMA] {
            let mut missing = Vec::new();
            described(&serde_json::from_str(text).unwrap(), "", &mut missing);
            assert_eq!(missing, Vec::<String>::new());
        }
    }
}
