//! Expressions that do not parse, name what is not there, or break a rule of the language.

use serde_json::{Map, Value, json};

use super::{Fault, Request};

const EXPRESSIONS: [&str; 5] = [
    "ConditionExpression",
    "UpdateExpression",
    "FilterExpression",
    "KeyConditionExpression",
    "ProjectionExpression",
];

pub(super) const FAULTS: &[(&str, Fault)] = &[
    ("syntax error", |request| {
        let endings = [" AND", " (", ")", " $", " =", ",", " a b"];
        let ending = *request.random.pick(&endings);
        append(request, ending)
    }),
    ("undefined name", |request| condition(request, "attribute_exists(#undefined)", &[])),
    ("undefined value", |request| condition(request, "a = :undefined", &[])),
    ("unused name", |request| {
        has_expression(request) && {
            add(request, "ExpressionAttributeNames", "#unused", json!("unused"));
            true
        }
    }),
    ("unused value", |request| {
        let takes_values = request.body.contains_key("ExpressionAttributeValues");
        takes_values && {
            add(request, "ExpressionAttributeValues", ":unused", json!({ "S": "x" }));
            true
        }
    }),
    ("placeholders without expression", |request| {
        let takes = ["PutItem", "DeleteItem", "GetItem"].contains(&request.operation);
        takes && !has_expression(request) && {
            add(request, "ExpressionAttributeNames", "#unused", json!("unused"));
            true
        }
    }),
    ("malformed placeholder", |request| {
        has_expression(request) && {
            add(request, "ExpressionAttributeNames", "unused", json!("unused"));
            true
        }
    }),
    ("empty placeholders", |request| {
        has_expression(request) && request.set("ExpressionAttributeNames", json!({}))
    }),
    ("empty expression", |request| {
        let Some(name) = pick_expression(request) else { return false };
        request.set(name, "")
    }),
    ("reserved word", |request| condition(request, "status = :x", &[(":x", json!({ "S": "x" }))])),
    ("redundant parentheses", |request| {
        condition(request, "((a = :x))", &[(":x", json!({ "S": "x" }))])
    }),
    ("operand of a wrong type", |request| {
        let texts = ["begins_with(a, :x)", "a < :y", "contains(a, a)", "size(a)", "a = a"];
        let text = *request.random.pick(&texts);
        let values = [(":x", json!({ "N": "1" })), (":y", json!({ "BOOL": true }))];
        let used: Vec<(&str, Value)> =
            values.into_iter().filter(|(name, _)| text.contains(name)).collect();
        condition(request, text, &used)
    }),
    ("unknown function", |request| condition(request, "attribute_missing(a)", &[])),
    ("invalid attribute type", |request| {
        condition(request, "attribute_type(a, :x)", &[(":x", json!({ "S": "Z" }))])
    }),
    ("bounds the wrong way round", |request| {
        let values = [(":x", json!({ "N": "2" })), (":y", json!({ "N": "1" }))];
        condition(request, "a BETWEEN :x AND :y", &values)
    }),
    ("too many operators", |request| {
        let text = vec!["a = :x"; 302].join(" OR ");
        condition(request, &text, &[(":x", json!({ "S": "x" }))])
    }),
    ("expression too long", |request| {
        let text = format!("attribute_exists({})", "a".repeat(4096));
        condition(request, &text, &[])
    }),
    ("overlapping paths", |request| update(request, "SET a.b = :x, a = :x")),
    ("repeated clause", |request| update(request, "SET a = :x SET b = :x")),
    ("wrong operand in update", |request| {
        let texts = ["ADD a :x", "DELETE a :x", "SET a = b + :x", "SET a = list_append(b, :x)"];
        let text = *request.random.pick(&texts);
        update(request, text)
    }),
    ("path into nothing", |request| update(request, "SET nowhere.at.all = :x")),
    ("overlapping projection", |request| {
        let reads = ["GetItem", "Query", "Scan"].contains(&request.operation);
        reads
            && !request.body.contains_key("AttributesToGet")
            && !request.body.contains_key("Select")
            && request.set("ProjectionExpression", "a.b, a")
    }),
];

fn pick_expression(request: &mut Request<'_>) -> Option<&'static str> {
    let there: Vec<&'static str> =
        EXPRESSIONS.into_iter().filter(|name| request.body.contains_key(*name)).collect();
    (!there.is_empty()).then(|| *request.random.pick(&there))
}

fn has_expression(request: &mut Request<'_>) -> bool {
    pick_expression(request).is_some()
}

fn append(request: &mut Request<'_>, ending: &str) -> bool {
    let Some(name) = pick_expression(request) else { return false };
    let text = request.body[name].as_str().unwrap_or_default();
    let spoilt = format!("{text}{ending}");
    request.set(name, spoilt)
}

fn add(request: &mut Request<'_>, member: &str, name: &str, value: Value) {
    let entries = request.body.entry(member.to_owned()).or_insert_with(|| json!({}));
    if let Value::Object(entries) = entries {
        entries.insert(name.to_owned(), value);
    }
}

/// Replaces the condition or filter with this one, and its placeholders with these.
fn condition(request: &mut Request<'_>, text: &str, values: &[(&str, Value)]) -> bool {
    let member = match request.operation {
        "PutItem" | "DeleteItem" => "ConditionExpression",
        "Scan" => "FilterExpression",
        _ => return false,
    };
    let old = [
        "ConditionalOperator",
        "Expected",
        "ScanFilter",
        "AttributesToGet",
        "ProjectionExpression",
        "Select",
        "ExpressionAttributeNames",
        "ExpressionAttributeValues",
    ];
    for name in old {
        request.body.remove(name);
    }
    request.set(member, text);
    let values: Map<String, Value> =
        values.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect();
    if !values.is_empty() {
        request.set("ExpressionAttributeValues", values);
    }
    true
}

fn update(request: &mut Request<'_>, text: &str) -> bool {
    if request.operation != "UpdateItem" {
        return false;
    }
    let old = [
        "ConditionExpression",
        "AttributeUpdates",
        "Expected",
        "ConditionalOperator",
        "ExpressionAttributeNames",
    ];
    for name in old {
        request.body.remove(name);
    }
    request.set("UpdateExpression", text);
    request.set("ExpressionAttributeValues", json!({ ":x": { "S": "x" } }))
}
