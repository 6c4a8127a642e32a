//! ExecuteStatement, BatchExecuteStatement and ExecuteTransaction. Values come as parameters or as
//! literals, by chance.

use serde_json::{Map, Value, json};

use super::{Generator, touched};
use crate::random::Random;
use crate::step::{Feature, Step};
use crate::world::{ATTRIBUTES, Table, value};

pub(super) fn execute_statement(this: &mut Generator<'_>) -> Step {
    let table = this.table();
    let key = table.key(this.random);
    let kind = this.random.weighted(&[(5, "SELECT"), (2, "INSERT"), (4, "UPDATE"), (2, "DELETE")]);
    let mut text = Text::default();
    let is_select = kind == "SELECT";
    if is_select && !table.is_large {
        select(this, &mut text, &table, &key);
    } else {
        let kind = if is_select { "UPDATE" } else { kind };
        write(this, &mut text, kind, &table, &key);
        if kind != "INSERT" && this.random.percent(40) {
            let clauses: &[&str] = match kind {
                "DELETE" => &["ALL OLD"],
                _ => &["ALL OLD", "ALL NEW", "MODIFIED OLD", "MODIFIED NEW"],
            };
            text.push(&format!(" RETURNING {} *", this.random.pick(clauses)));
        }
    }
    let mut body = text.body();
    this.capacity(&mut body);
    if this.random.percent(30) {
        body["ReturnValuesOnConditionCheckFailure"] = json!("ALL_OLD");
    }
    if is_select && this.random.percent(30) {
        body["ConsistentRead"] = json!(true);
    }
    Step::call("ExecuteStatement", body).with(touched(&table))
}

pub(super) fn batch_execute_statement(this: &mut Generator<'_>) -> Step {
    let (statements, mut features) = members(this, 4);
    let mut body = json!({ "Statements": statements });
    this.capacity(&mut body);
    features.push(Feature::Index("table"));
    Step::call("BatchExecuteStatement", body).with(features)
}

pub(super) fn execute_transaction(this: &mut Generator<'_>) -> Step {
    let (statements, features) = members(this, 3);
    let mut body = json!({ "TransactStatements": statements });
    this.capacity(&mut body);
    Step::call("ExecuteTransaction", body).with(features)
}

/// Statements that all read or all write, mostly.
fn members(this: &mut Generator<'_>, most: usize) -> (Vec<Value>, Vec<Feature>) {
    let reads = this.random.percent(40);
    let (mut statements, mut features) = (Vec::new(), Vec::new());
    for _ in 0..this.random.between(1, most) {
        let table = this.table();
        let key = table.key(this.random);
        let mut text = Text::default();
        if reads != this.random.percent(3) {
            text.push(&format!("SELECT * FROM \"{}\" WHERE ", table.name));
            text.key(this.random, &key);
        } else {
            let kind = *this.random.pick(&["INSERT", "UPDATE", "DELETE"]);
            write(this, &mut text, kind, &table, &key);
        }
        let mut statement = text.body();
        if this.random.percent(30) {
            statement["ReturnValuesOnConditionCheckFailure"] = json!("ALL_OLD");
        }
        statements.push(statement);
        features.extend(touched(&table));
    }
    (statements, features)
}

fn select(this: &mut Generator<'_>, text: &mut Text, table: &Table, key: &Map<String, Value>) {
    let shown = if this.random.percent(30) { "\"a\", \"doc\".x, \"num\"" } else { "*" };
    text.push(&format!("SELECT {shown} FROM \"{}\"", table.name));
    let there = this.peek(table, key);
    match this.random.below(4) {
        0 => {
            text.push(" WHERE ");
            condition(this.random, text, there.as_ref(), 2);
        }
        1 => {
            text.push(" WHERE ");
            text.key(this.random, key);
        }
        _ => {
            text.push(" WHERE ");
            text.comparison(this.random, &table.hash.name, "=", &key[&table.hash.name]);
            if let Some(sort) = table.sort.as_ref().filter(|_| this.random.percent(50)) {
                text.push(" AND ");
                let operator = *this.random.pick(&["=", "<", "<=", ">", ">="]);
                text.comparison(this.random, &sort.name, operator, &key[&sort.name]);
            }
            if this.random.percent(50) {
                text.push(" AND ");
                condition(this.random, text, there.as_ref(), 1);
            }
            if let Some(sort) = table.sort.as_ref().filter(|_| this.random.percent(40)) {
                let direction = *this.random.pick(&["", " ASC", " DESC"]);
                text.push(&format!(" ORDER BY \"{}\"{direction}", sort.name));
            }
        }
    }
}

fn write(
    this: &mut Generator<'_>,
    text: &mut Text,
    kind: &str,
    table: &Table,
    key: &Map<String, Value>,
) {
    let there = this.peek(table, key);
    let name = &table.name;
    match kind {
        "INSERT" => {
            let item = table.item(this.random, key.clone());
            text.push(&format!("INSERT INTO \"{name}\" VALUE {{"));
            for (position, (attribute, content)) in item.iter().enumerate() {
                text.push(if position > 0 { ", " } else { "" });
                text.push(&format!("'{attribute}': "));
                text.value(this.random, content);
            }
            text.push("}");
            return;
        }
        "UPDATE" => {
            text.push(&format!("UPDATE \"{name}\""));
            actions(this.random, text);
        }
        _ => text.push(&format!("DELETE FROM \"{name}\"")),
    }
    text.push(" WHERE ");
    text.key(this.random, key);
    if this.random.percent(40) {
        text.push(" AND ");
        condition(this.random, text, there.as_ref(), 1);
    }
}

fn actions(random: &mut Random, text: &mut Text) {
    let count = random.between(1, 3);
    for name in random.some(&ATTRIBUTES, count) {
        match random.below(6) {
            0 => text.push(&format!(" REMOVE \"{name}\"")),
            1 => {
                text.push(&format!(" SET \"{name}\" = num {} ", random.pick(&["+", "-"])));
                text.value(random, &json!({ "N": "1" }));
            }
            2 => {
                let function = random.pick(&["set_add", "set_delete"]);
                text.push(&format!(" SET \"{name}\" = {function}(\"{name}\", "));
                let kind = *random.pick(&["SS", "NS", "BS"]);
                let set = value::of_type(random, kind);
                text.value(random, &set);
                text.push(")");
            }
            _ => {
                text.push(&format!(" SET \"{name}\" = "));
                let content = value::any(random);
                text.value(random, &content);
            }
        }
    }
}

fn condition(
    random: &mut Random,
    text: &mut Text,
    there: Option<&Map<String, Value>>,
    levels: usize,
) {
    match random.below(if levels > 0 { 10 } else { 7 }) {
        7 => {
            text.push("NOT ");
            condition(random, text, there, 0);
        }
        8 | 9 => {
            text.push("(");
            condition(random, text, there, levels - 1);
            let joint: &str = random.pick::<&str>(&[" AND ", " OR "]);
            text.push(joint);
            condition(random, text, there, levels - 1);
            text.push(")");
        }
        _ => test(random, text, there),
    }
}

fn test(random: &mut Random, text: &mut Text, there: Option<&Map<String, Value>>) {
    let name = *random.pick(&ATTRIBUTES);
    let known = there.and_then(|item| item.get(name)).filter(|_| random.percent(60)).cloned();
    let content = known.unwrap_or_else(|| value::any(random));
    match random.below(9) {
        0 | 1 => text.comparison(random, name, "=", &content),
        2 => {
            let operator = *random.pick(&["<>", "!=", "<", "<=", ">", ">="]);
            text.comparison(random, name, operator, &content);
        }
        3 => {
            let test = random.pick(&["MISSING", "NULL", "STRING", "NUMERIC", "LIST", "STRUCT"]);
            text.push(&format!("\"{name}\" IS {}{test}", random.pick(&["", "NOT "])));
        }
        4 => {
            text.push(&format!("\"{name}\" IN ["));
            text.value(random, &content);
            text.push(", ");
            let other = value::any(random);
            text.value(random, &other);
            text.push("]");
        }
        5 => {
            text.push(&format!("{}(\"{name}\", ", random.pick(&["begins_with", "contains"])));
            text.value(random, &content);
            text.push(")");
        }
        6 => text.push(&format!("attribute_type(\"{name}\", '{}')", random.pick(&value::TYPES))),
        7 => text.push(&format!("size(\"{name}\") {} 2", random.pick(&["=", "<", ">", "<>"]))),
        _ => {
            let function = random.pick(&["attribute_exists", "attribute_not_exists"]);
            text.push(&format!("{function}(\"{name}\")"));
        }
    }
}

/// A statement under construction.
#[derive(Default)]
struct Text {
    statement: String,
    parameters: Vec<Value>,
}

impl Text {
    fn push(&mut self, text: &str) {
        self.statement.push_str(text);
    }

    fn body(self) -> Value {
        let mut body = json!({ "Statement": self.statement });
        if !self.parameters.is_empty() {
            body["Parameters"] = json!(self.parameters);
        }
        body
    }

    /// A value: as a literal if it has one and chance says so.
    fn value(&mut self, random: &mut Random, content: &Value) {
        match literal(content).filter(|_| random.percent(50)) {
            Some(literal) => self.push(&literal),
            None => {
                self.push("?");
                self.parameters.push(content.clone());
            }
        }
    }

    fn comparison(&mut self, random: &mut Random, name: &str, operator: &str, content: &Value) {
        self.push(&format!("\"{name}\" {operator} "));
        self.value(random, content);
    }

    fn key(&mut self, random: &mut Random, key: &Map<String, Value>) {
        for (position, (name, content)) in key.iter().enumerate() {
            self.push(if position > 0 { " AND " } else { "" });
            self.comparison(random, name, "=", content);
        }
    }
}

/// The literal of a value that has one; binaries and what holds them have none.
fn literal(content: &Value) -> Option<String> {
    let (kind, inner) = content.as_object()?.iter().next()?;
    let quoted = |text: &Value| Some(format!("'{}'", text.as_str()?.replace('\'', "''")));
    let list = |members: Option<Vec<String>>| Some(members?.join(", "));
    match kind.as_str() {
        "S" => quoted(inner),
        "N" => inner.as_str().map(str::to_owned),
        "BOOL" => Some(inner.to_string()),
        "NULL" => Some("null".to_owned()),
        "SS" => {
            let members = inner.as_array()?.iter().map(quoted).collect();
            Some(format!("<<{}>>", list(members)?))
        }
        "NS" => {
            let member = |number: &Value| Some(number.as_str()?.to_owned());
            let members = inner.as_array()?.iter().map(member).collect();
            Some(format!("<<{}>>", list(members)?))
        }
        "L" => Some(format!("[{}]", list(inner.as_array()?.iter().map(literal).collect())?)),
        "M" => {
            let entry = |(name, content): (&String, &Value)| {
                Some(format!("'{name}': {}", literal(content)?))
            };
            let entries = inner.as_object()?.iter().map(entry).collect();
            Some(format!("{{{}}}", list(entries)?))
        }
        _ => None,
    }
}
