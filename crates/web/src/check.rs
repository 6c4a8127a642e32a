//! Is a value as its schema says? Every problem at once, each with the field it is in.
//!
//! The schemas are those that `utoipa` derives from the types, so the vocabulary is the part of JSON
//! Schema that it writes. Values of the caller do not appear in messages: some are secrets. A member
//! that the schema does not name is a problem, unless it says that others are welcome.

use std::collections::BTreeMap;
use std::sync::Arc;

use kernel::moment::Moment;
use regex::Regex;
use serde_json::{Map, Value};

const REFERENCE: &str = "#/components/schemas/";
/// Beyond this many, a caller has not begun to read the documentation.
const PROBLEMS_MAX: usize = 100;

/// A field, and what is wrong with it.
pub(super) type FieldProblem = (String, String);

/// Schemas by name. A description and its checkers share them: there are many, and they stay.
pub(super) type Definitions = BTreeMap<String, Arc<Value>>;

/// A schema with those that it refers to.
#[derive(Clone, Debug, Default)]
pub(super) struct Checker {
    root: Arc<Value>,
    definitions: Definitions,
    patterns: BTreeMap<String, Regex>,
}

impl Checker {
    /// A checker, or which pattern cannot be read.
    pub(super) fn new(root: Arc<Value>, known: &Definitions) -> Result<Checker, String> {
        let (mut definitions, mut patterns) = (BTreeMap::new(), BTreeMap::new());
        collect_definitions(&root, known, &mut definitions);
        for schema in definitions.values().chain([&root]) {
            collect_patterns(schema, &mut patterns)?;
        }
        Ok(Checker { root, definitions, patterns })
    }

    /// What is wrong with a value. `name` is what the whole is called.
    pub(super) fn problems(&self, name: &str, value: &Value) -> Vec<FieldProblem> {
        let mut run = Run { checker: self, whole: name, problems: Vec::new() };
        run.check(&self.root, value, "");
        run.problems
    }

    /// The schema of a member of the whole, for values that come as text.
    pub(super) fn member(&self, name: &str) -> Option<&Value> {
        let schema = self.resolve(self.resolve(&self.root).get("properties")?.get(name)?);
        // An optional reference is `oneOf` null and the other.
        let choices = schema.get("oneOf").and_then(Value::as_array);
        let other = choices.and_then(|all| all.iter().find(|one| one["type"] != "null"));
        Some(other.map_or(schema, |other| self.resolve(other)))
    }

    /// Whether a schema allows a member of this name. One that says nothing of members allows all.
    fn names(&self, schema: &Value, name: &str) -> bool {
        let schema = self.resolve(schema);
        let mut says_nothing = true;
        for list in ["allOf", "oneOf", "anyOf"] {
            for part in schema[list].as_array().into_iter().flatten() {
                if self.resolve(part)["type"] == "null" {
                    continue;
                }
                says_nothing = false;
                if self.names(part, name) {
                    return true;
                }
            }
        }
        match (schema.get("properties"), schema.get("additionalProperties")) {
            (_, Some(Value::Bool(true) | Value::Object(_))) => true,
            (Some(properties), _) => properties.get(name).is_some(),
            (None, Some(_)) => false,
            (None, None) => says_nothing,
        }
    }

    fn resolve<'a>(&'a self, mut schema: &'a Value) -> &'a Value {
        while let Some(name) = referred(schema) {
            match self.definitions.get(name) {
                Some(definition) => schema = definition,
                None => break,
            }
        }
        schema
    }
}

/// Collects those of the known schemas that a schema refers to.
fn collect_definitions(schema: &Value, known: &Definitions, found: &mut Definitions) {
    match schema {
        Value::Object(members) => {
            if let Some((name, definition)) =
                referred(schema).and_then(|name| known.get_key_value(name))
                && found.insert(name.clone(), Arc::clone(definition)).is_none()
            {
                collect_definitions(definition, known, found);
            }
            members.values().for_each(|member| collect_definitions(member, known, found));
        }
        Value::Array(items) => {
            items.iter().for_each(|item| collect_definitions(item, known, found));
        }
        _ => {}
    }
}

/// The name of the schema that this one only refers to.
fn referred(schema: &Value) -> Option<&str> {
    schema["$ref"].as_str()?.strip_prefix(REFERENCE)
}

fn collect_patterns(schema: &Value, patterns: &mut BTreeMap<String, Regex>) -> Result<(), String> {
    match schema {
        Value::Object(members) => {
            if let Some(Value::String(pattern)) = members.get("pattern") {
                let regex = Regex::new(pattern)
                    .map_err(|error| format!("the pattern {pattern} cannot be read: {error}"))?;
                patterns.insert(pattern.clone(), regex);
            }
            members.values().try_for_each(|member| collect_patterns(member, patterns))
        }
        Value::Array(items) => items.iter().try_for_each(|item| collect_patterns(item, patterns)),
        _ => Ok(()),
    }
}

struct Run<'a> {
    checker: &'a Checker,
    whole: &'a str,
    problems: Vec<FieldProblem>,
}

impl Run<'_> {
    fn say(&mut self, path: &str, message: impl Into<String>) {
        let field = if path.is_empty() { self.whole } else { path };
        let problem = (field.to_owned(), message.into());
        if self.problems.len() < PROBLEMS_MAX && !self.problems.contains(&problem) {
            self.problems.push(problem);
        }
    }

    fn check(&mut self, schema: &Value, value: &Value, path: &str) {
        self.look(schema, value, path, false);
    }

    /// Of a part of a description, as a flattened type has them, `is_part` is true: members that it
    /// does not name may be another part's.
    fn look(&mut self, schema: &Value, value: &Value, path: &str, is_part: bool) {
        self.look_inside(schema, value, path, is_part);
        let members = value.as_object().filter(|_| !is_part);
        for name in members.into_iter().flat_map(Map::keys) {
            if !self.checker.names(schema, name) {
                self.say(&below(path, name), "is not a field of this request");
            }
        }
    }

    fn look_inside(&mut self, schema: &Value, value: &Value, path: &str, is_part: bool) {
        let checker = self.checker;
        let schema = checker.resolve(schema);
        for part in schema["allOf"].as_array().into_iter().flatten() {
            self.look(part, value, path, true);
        }
        for choices in [&schema["oneOf"], &schema["anyOf"]] {
            if let Some(choices) = choices.as_array() {
                self.choose(choices, value, path, is_part);
            }
        }
        if !self.has_type(schema, value, path) {
            return;
        }
        if let Some(allowed) = schema["enum"].as_array()
            && !allowed.contains(value)
        {
            let names: Vec<String> = allowed.iter().map(plain).collect();
            self.say(path, format!("should be one of: {}", names.join(", ")));
            return;
        }
        match value {
            Value::String(text) => self.text(schema, text, path),
            Value::Number(_) => self.number(schema, value, path),
            Value::Array(items) => self.items(schema, items, path),
            Value::Object(members) => self.members(schema, members, path),
            Value::Null | Value::Bool(_) => {}
        }
    }

    /// One of several must fit; if none does, the problems of the one that fits best are told.
    fn choose(&mut self, choices: &[Value], value: &Value, path: &str, is_part: bool) {
        let mut best: Option<Vec<FieldProblem>> = None;
        for choice in choices {
            let mut run = Run { checker: self.checker, whole: self.whole, problems: Vec::new() };
            run.look(choice, value, path, is_part);
            if run.problems.is_empty() {
                return;
            }
            let is_null = self.checker.resolve(choice)["type"] == "null";
            let is_better = |best: &Vec<FieldProblem>| run.problems.len() < best.len();
            if !is_null && best.as_ref().is_none_or(is_better) {
                best = Some(run.problems);
            }
        }
        self.problems.extend(best.unwrap_or_default());
    }

    fn has_type(&mut self, schema: &Value, value: &Value, path: &str) -> bool {
        let names: Vec<&str> = match &schema["type"] {
            Value::String(name) => vec![name],
            Value::Array(names) => names.iter().filter_map(Value::as_str).collect(),
            _ => return true,
        };
        let fits = |name: &&str| match *name {
            "string" => value.is_string(),
            "integer" => value.is_i64() || value.is_u64(),
            "number" => value.is_number(),
            "boolean" => value.is_boolean(),
            "array" => value.is_array(),
            "object" => value.is_object(),
            "null" => value.is_null(),
            _ => true,
        };
        if names.iter().any(fits) {
            return true;
        }
        let wanted = names.iter().find(|name| **name != "null").copied().unwrap_or("null");
        let article = if matches!(wanted, "integer" | "array" | "object") { "an" } else { "a" };
        self.say(path, format!("should be {article} {wanted}"));
        false
    }

    fn text(&mut self, schema: &Value, text: &str, path: &str) {
        let length = text.chars().count() as u64;
        if let Some(most) = schema["maxLength"].as_u64().filter(|most| length > *most) {
            self.say(path, format!("should have at most {most} characters, and has {length}"));
        }
        if let Some(least) = schema["minLength"].as_u64().filter(|least| length < *least) {
            self.say(path, format!("should have at least {least} characters, and has {length}"));
        }
        let pattern = schema["pattern"].as_str();
        let regex = pattern.and_then(|pattern| self.checker.patterns.get(pattern));
        if let (Some(pattern), Some(regex)) = (pattern, regex)
            && !regex.is_match(text)
        {
            // Programs read the pattern; what it means may be too much to read for people.
            let said = schema["x-form"].as_str().map(|form| format!("should be {form}"));
            self.say(path, said.unwrap_or_else(|| format!("should have the form {pattern}")));
        }
        let (is_fine, wanted) = match schema["format"].as_str() {
            Some("date-time") => (Moment::parse(text).is_some(), "2026-01-31T23:59:59.000Z"),
            Some("date") => (is_date(text), "2026-01-31"),
            Some("email") => (is_email(text), "somebody@example.com"),
            Some("uuid") => (is_uuid(text), "123e4567-e89b-42d3-a456-426614174000"),
            Some("uri") => (is_url(text), "https://example.com/path"),
            _ => (true, ""),
        };
        if !is_fine {
            self.say(path, format!("should have the form {wanted}"));
        }
    }

    fn number(&mut self, schema: &Value, value: &Value, path: &str) {
        let number = value.as_f64().unwrap_or_default();
        let bound = |name: &str| schema[name].as_f64();
        if let Some(least) = bound("minimum").filter(|least| number < *least) {
            self.say(path, format!("should be at least {least}"));
        }
        if let Some(most) = bound("maximum").filter(|most| number > *most) {
            self.say(path, format!("should be at most {most}"));
        }
        if let Some(least) = bound("exclusiveMinimum").filter(|least| number <= *least) {
            self.say(path, format!("should be more than {least}"));
        }
        if let Some(most) = bound("exclusiveMaximum").filter(|most| number >= *most) {
            self.say(path, format!("should be less than {most}"));
        }
        let fits = match schema["format"].as_str() {
            Some("int32") => value.as_i64().is_some_and(|number| i32::try_from(number).is_ok()),
            Some("int64") => value.is_i64() || value.is_u64(),
            _ => true,
        };
        if !fits {
            self.say(path, "is too large or too small");
        }
    }

    fn items(&mut self, schema: &Value, items: &[Value], path: &str) {
        let count = items.len() as u64;
        if let Some(most) = schema["maxItems"].as_u64().filter(|most| count > *most) {
            self.say(path, format!("should have at most {most} entries, and has {count}"));
            return;
        }
        if let Some(least) = schema["minItems"].as_u64().filter(|least| count < *least) {
            self.say(path, format!("should have at least {least} entries, and has {count}"));
        }
        let is_double = |at: usize| items[..at].contains(&items[at]);
        if schema["uniqueItems"] == true && (1..items.len().min(1000)).any(is_double) {
            self.say(path, "should have every entry once");
        }
        if let Some(wanted) = schema.get("items") {
            for (at, item) in items.iter().enumerate() {
                self.check(wanted, item, &format!("{path}[{at}]"));
            }
        }
    }

    fn members(&mut self, schema: &Value, members: &Map<String, Value>, path: &str) {
        for name in schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str) {
            if !members.contains_key(name) {
                self.say(&below(path, name), "is missing");
            }
        }
        let others = schema.get("additionalProperties").filter(|others| others.is_object());
        for (name, value) in members {
            if let Some(wanted) = schema["properties"].get(name).or(others) {
                self.check(wanted, value, &below(path, name));
            }
        }
    }
}

fn below(path: &str, name: &str) -> String {
    match path {
        "" => name.to_owned(),
        path => format!("{path}.{name}"),
    }
}

fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

fn is_date(text: &str) -> bool {
    text.len() == 10 && Moment::parse(&format!("{text}T00:00:00Z")).is_some()
}

/// What mail can be sent to is known when it was; this keeps out what is certainly none.
fn is_email(text: &str) -> bool {
    let is_plain = |byte: u8| byte > b' ' && byte != 0x7f && !b"<>(),;:\\\"[]".contains(&byte);
    let Some((local, domain)) = text.rsplit_once('@') else { return false };
    (1..=64).contains(&local.len())
        && domain.len() <= 255
        && !local.contains('@')
        && text.bytes().all(is_plain)
        && (domain.contains('.') || domain == "localhost")
        && domain.split('.').all(|label| !label.is_empty())
}

fn is_uuid(text: &str) -> bool {
    let is_digit = |(at, byte): (usize, u8)| match at {
        8 | 13 | 18 | 23 => byte == b'-',
        _ => byte.is_ascii_hexdigit(),
    };
    text.len() == 36 && text.bytes().enumerate().all(is_digit)
}

fn is_url(text: &str) -> bool {
    let uri = text.parse::<http::Uri>();
    uri.is_ok_and(|uri| uri.scheme().is_some() && uri.host().is_some_and(|host| !host.is_empty()))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn problems(schema: Value, value: Value) -> Vec<FieldProblem> {
        Checker::new(Arc::new(schema), &Definitions::new()).unwrap().problems("body", &value)
    }

    #[test]
    fn every_problem_is_told_with_its_field() {
        let schema = json!({
            "type": "object",
            "required": ["name", "size"],
            "properties": {
                "name": { "type": "string", "maxLength": 3 },
                "size": { "type": "integer", "minimum": 1 },
                "tags": { "type": "array", "items": { "type": "string", "pattern": "^[a-z]+$" } },
                "mail": { "type": ["string", "null"], "format": "email" },
                "kind": { "type": "string", "enum": ["a", "b"] },
            },
        });
        let value = json!({ "name": "long", "tags": ["x", "Y"], "mail": "@", "kind": "c", "o": 1 });
        let told = problems(schema, value);
        let fields: Vec<&str> = told.iter().map(|(field, _)| field.as_str()).collect();
        assert_eq!(fields, ["size", "kind", "mail", "name", "tags[1]", "o"]);
    }

    #[test]
    fn nothing_is_something_only_where_it_may_be() {
        let schema = json!({ "oneOf": [{ "type": "null" }, { "type": "string" }] });
        assert!(problems(schema.clone(), Value::Null).is_empty());
        assert_eq!(problems(schema, json!(1))[0].1, "should be a string");
        assert_eq!(problems(json!({ "type": "object" }), Value::Null)[0].0, "body");
    }

    /// What `utoipa` writes for a flattened type.
    #[test]
    fn parts_add_up() {
        let part = |name: &str| {
            json!({ "type": "object", "required": [name],
                "properties": { name: { "type": "string" } } })
        };
        let schema = json!({ "allOf": [part("a"), part("b")] });
        assert!(problems(schema.clone(), json!({ "a": "", "b": "" })).is_empty());
        let told = problems(schema.clone(), json!({ "a": "", "c": 1 }));
        let fields: Vec<&str> = told.iter().map(|(field, _)| field.as_str()).collect();
        assert_eq!(fields, ["b", "c"]);
        let choice = json!({ "oneOf": [part("a"), part("b")] });
        assert!(problems(choice.clone(), json!({ "b": "" })).is_empty());
        assert_eq!(problems(choice.clone(), json!({ "a": "", "c": 1 })).len(), 1);
        assert_eq!(problems(choice.clone(), json!({ "a": "", "b": "" })).len(), 1);
        let mixed = json!({ "allOf": [part("c"), choice] });
        assert!(problems(mixed, json!({ "b": "", "c": "" })).is_empty());
    }

    #[test]
    fn formats_are_looked_at() {
        let fine = [
            ("email", "a@b.c"),
            ("email", "a@localhost"),
            ("date", "2026-02-28"),
            ("uri", "https://a/b"),
        ];
        let wrong = [("email", "a@b"), ("date", "2026-02-30"), ("uri", "/b"), ("uuid", "x")];
        let told = |format: &str, text: &str| {
            problems(json!({ "type": "string", "format": format }), json!(text)).len()
        };
        assert!(fine.iter().all(|(format, text)| told(format, text) == 0));
        assert!(wrong.iter().all(|(format, text)| told(format, text) == 1));
    }
}
