//! Copies of requests that are broken in one place, as only a wire can carry them: JSON of another
//! shape at any depth, bodies that are no JSON, targets and content types that do not exist.

use serde_json::{Value, json};

use crate::party::Message;
use crate::random::Random;
use crate::step::{Action, Step};

/// Breaks the request's JSON: `body` at a place that `random` chooses.
type BreakJson = fn(random: &mut Random, body: &mut Value) -> bool;
/// Breaks the request as it is sent.
type BreakMessage = fn(random: &mut Random, message: &mut Message);

/// These may still be carried out.
const IN_JSON: &[(&str, BreakJson)] = &[
    ("broken: another JSON type", |random, body| {
        let others =
            [json!(7), json!(1.5), json!(true), json!(false), json!("text"), json!([]), json!({})];
        let other = random.pick(&others).clone();
        replace(random, body, other)
    }),
    ("broken: null", |random, body| replace(random, body, Value::Null)),
    ("broken: null in a list", |random, body| {
        change(random, body, |value| {
            value.as_array_mut().map(|elements| elements.push(Value::Null)).is_some()
        })
    }),
    ("broken: left out", |random, body| {
        let choice = random.below(100);
        change(random, body, |value| match value {
            Value::Object(members) if !members.is_empty() => {
                let name = members.keys().nth(choice % members.len()).cloned();
                name.is_some_and(|name| members.remove(&name).is_some())
            }
            Value::Array(elements) if !elements.is_empty() => {
                elements.remove(choice % elements.len());
                true
            }
            _ => false,
        })
    }),
    ("broken: something more", |random, body| {
        change(random, body, |value| {
            let Value::Object(members) = value else { return false };
            members.insert("NoSuchMember".to_owned(), json!("text"));
            true
        })
    }),
];

/// These are refused in any case.
const REFUSED: &[(&str, BreakMessage)] = &[
    ("broken: cut off", |random, message| {
        let ends: Vec<usize> = message.body.char_indices().map(|(at, _)| at).skip(1).collect();
        message.body.truncate(*random.pick(&ends));
    }),
    ("broken: something behind", |random, message| {
        let more = *random.pick(&["}", "{}", ",", "x", "\0"]);
        message.body.push_str(more);
    }),
    ("broken: comma", |random, message| {
        let more = *random.pick(&[",}", ",,}", ":}", ",\"x\"}", ",\"x\":}", ",x:1}", ",'x':1}"]);
        message.body.replace_range(message.body.len() - 1.., more);
    }),
    ("broken: no JSON value", |random, message| {
        let values = ["01", "+1", ".5", "1.", "0x1", "NaN", "TRUE", "'x'", "\"\\x\"", "\"\n\""];
        let more = format!(",\"NoSuchMember\":{}}}", random.pick(&values));
        message.body.replace_range(message.body.len() - 1.., &more);
    }),
    ("broken: no object", |random, message| {
        let bodies = ["[]", "[{}]", "\"text\"", "1", "true", "null"];
        message.body = (*random.pick(&bodies)).to_owned();
    }),
    ("broken: no body", |_, message| message.body.clear()),
    ("broken: white space only", |_, message| message.body = " \n".to_owned()),
    ("broken: target", |random, message| {
        let name = message.target.as_deref().and_then(|target| target.split_once('.'));
        let name = name.map(|(_, name)| name).unwrap_or_default();
        message.target = match random.below(7) {
            0 => None,
            1 => Some(String::new()),
            2 => Some(name.to_owned()),
            3 => Some(format!("DynamoDB_20990101.{name}")),
            4 => Some("DynamoDB_20120810.NoSuchOperation".to_owned()),
            5 => Some(format!("DynamoDB_20120810.{}", name.to_lowercase())),
            _ => Some(format!("DynamoDB_20120810.{name}.")),
        };
    }),
    ("broken: content type", |random, message| {
        let kinds =
            [None, Some("text/plain"), Some("application/x-amz-json-1.1"), Some("application")];
        message.content_type = *random.pick(&kinds);
    }),
];

/// These may be answered, and so they are put into some reads only.
const TAKEN: &[(&str, BreakMessage)] = &[
    ("unusual: content type", |random, message| {
        let kinds = [
            "application/json",
            "application/json; charset=utf-8",
            "application/x-amz-json-1.0;charset=utf-8",
            "application/x-amz-json-1.0 ; x=y",
            "Application/X-Amz-JSON-1.0",
        ];
        message.content_type = Some(*random.pick(&kinds));
    }),
    ("unusual: member twice", |random, message| {
        let Ok(Value::Object(members)) = serde_json::from_str(&message.body) else { return };
        let names: Vec<&String> = members.keys().collect();
        if names.is_empty() {
            return;
        }
        let name = *random.pick(&names);
        message.body.replace_range(..1, &format!("{{{}:{},", json!(name), members[name]));
    }),
    ("unusual: white space", |_, message| message.body = format!(" \r\n\t{}\n ", message.body)),
    ("unusual: target of streams", |_, message| {
        message.target = message
            .target
            .as_ref()
            .map(|target| target.replacen("DynamoDB_20120810", "DynamoDBStreams_20120810", 1));
    }),
];

/// Reads of which an answer is compared with ease.
const READS: [&str; 6] = [
    "GetItem",
    "BatchGetItem",
    "TransactGetItems",
    "DescribeTable",
    "DescribeTimeToLive",
    "ListTables",
];

/// What the generator keeps in mind changes with these: a broken copy must not be carried out.
const KEPT_IN_MIND: [&str; 2] = ["UpdateTable", "UpdateTimeToLive"];

/// A broken copy of a step, if it is one request and has no fault yet.
pub fn copy(random: &mut Random, step: &Step) -> Option<Step> {
    let operation = step.operation();
    let is_request = matches!(step.action, Action::Call { .. } | Action::Pages { .. });
    let mut copy = step.clone();
    let body = copy.body_mut().filter(|_| is_request && step.fault.is_none())?;
    if random.percent(50) && !KEPT_IN_MIND.contains(&operation) {
        let (name, change) = *random.pick(IN_JSON);
        copy.fault = change(random, body).then_some(name);
        return copy.fault.map(|_| copy);
    }
    let mut message = Message::new(operation, body);
    let is_read = READS.contains(&operation);
    let among = if is_read && random.percent(40) { TAKEN } else { REFUSED };
    let (name, change) = *random.pick(among);
    change(random, &mut message);
    Some(Step {
        action: Action::Send { operation, message },
        features: Vec::new(),
        fault: Some(name),
    })
}

/// Puts another value somewhere, unless it is of the same type.
fn replace(random: &mut Random, body: &mut Value, other: Value) -> bool {
    change(random, body, |value| {
        let is_other = std::mem::discriminant(value) != std::mem::discriminant(&other);
        *value = other;
        is_other
    })
}

/// Changes a value somewhere inside: a member, or anything below it.
fn change(random: &mut Random, body: &mut Value, change: impl FnOnce(&mut Value) -> bool) -> bool {
    let mut place = body;
    loop {
        let inner: Vec<&mut Value> = match place {
            Value::Object(members) => members.values_mut().collect(),
            Value::Array(elements) => elements.iter_mut().collect(),
            _ => return false,
        };
        let count = inner.len();
        let Some(next) = inner.into_iter().nth(random.below(count.max(1))) else { return false };
        let is_leaf = !next.is_object() && !next.is_array();
        if is_leaf || random.percent(40) {
            return change(next);
        }
        place = next;
    }
}
