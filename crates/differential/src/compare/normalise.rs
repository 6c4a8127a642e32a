//! Making answers comparable: what is each implementation's own (times, identifiers, ARNs, places
//! in a stream) is blanked, and what has no order gets one.

use serde_json::{Map, Value, json};

use crate::party::{Failure, Outcome};
use crate::step::{Action, Step};

/// Members whose content is each implementation's own.
const BLANKED: [&str; 14] = [
    "TableId",
    "CreationDateTime",
    "CreationRequestDateTime",
    "LastUpdateToPayPerRequestDateTime",
    "LastIncreaseDateTime",
    "LastDecreaseDateTime",
    "LatestStreamLabel",
    "LatestStreamArn",
    "StreamLabel",
    "StreamArn",
    "eventID",
    "awsRegion",
    "SequenceNumber",
    "ApproximateCreationDateTime",
];

/// Lists that are sets.
const SETS: [&str; 4] = ["SS", "NS", "BS", "NonKeyAttributes"];

/// Lists without a meaningful order, with the member to order them by.
const UNORDERED: [(&str, &str); 6] = [
    ("AttributeDefinitions", "AttributeName"),
    ("GlobalSecondaryIndexes", "IndexName"),
    ("LocalSecondaryIndexes", "IndexName"),
    ("ConsumedCapacity", "TableName"),
    ("Tags", "Key"),
    ("Streams", "TableName"),
];

/// The outcome of a step, made comparable.
pub fn outcome(step: &Step, outcome: Outcome) -> Outcome {
    match outcome {
        // How well-formed requests are answered is compared elsewhere.
        Outcome::Answer(_) if matches!(step.action, Action::Send { .. }) => {
            Outcome::Answer(json!({}))
        }
        Outcome::Answer(mut answer) => {
            walk(&mut answer);
            by_operation(step, &mut answer);
            Outcome::Answer(answer)
        }
        Outcome::Failure(failure) => Outcome::Failure(error(failure)),
    }
}

fn error(mut failure: Failure) -> Failure {
    for value in failure.extra.values_mut() {
        walk(value);
    }
    failure.message = without_arn(&ordered_braces(&failure.message));
    failure
}

/// Blanks and orders everything inside a value.
pub fn walk(value: &mut Value) {
    match value {
        Value::Object(members) => {
            walk_members(members);
        }
        Value::Array(elements) => elements.iter_mut().for_each(walk),
        _ => {}
    }
}

fn walk_members(members: &mut Map<String, Value>) {
    for (name, value) in members.iter_mut() {
        walk(value);
        if BLANKED.contains(&name.as_str()) && (value.is_string() || value.is_number()) {
            *value = json!("*");
        }
        match value {
            Value::Array(elements) if SETS.contains(&name.as_str()) => {
                elements.sort_by_key(Value::to_string);
            }
            Value::Array(elements) => {
                if let Some((_, key)) = UNORDERED.iter().find(|(list, _)| list == name) {
                    elements.sort_by_key(|element| element[*key].to_string());
                }
            }
            Value::String(text) if name.ends_with("Arn") => *text = without_arn(text),
            _ => {}
        }
    }
}

fn by_operation(step: &Step, answer: &mut Value) {
    if step.operation() == "BatchGetItem"
        && let Some(tables) = answer.get_mut("Responses").and_then(Value::as_object_mut)
    {
        for items in tables.values_mut().filter_map(Value::as_array_mut) {
            items.sort_by_key(Value::to_string);
        }
    }
    if step.operation() == "ExecuteStatement" && !has_order(step) {
        // Without ORDER BY a read of several partitions, or of all, has no order.
        if let Some(items) = answer.get_mut("Items").and_then(Value::as_array_mut) {
            items.sort_by_key(Value::to_string);
        }
    }
    if let Some(tables) = answer.get_mut("ItemCollectionMetrics").and_then(Value::as_object_mut) {
        for metrics in tables.values_mut().filter_map(Value::as_array_mut) {
            metrics.sort_by_key(Value::to_string);
        }
    }
    if matches!(step.action, Action::Call { operation: "DescribeStream", .. }) {
        // Shards and the places in them are each implementation's own.
        answer["StreamDescription"]["Shards"] = json!("*");
    }
}

fn has_order(step: &Step) -> bool {
    let statement = step.body().and_then(|body| body["Statement"].as_str());
    statement.is_some_and(|statement| statement.contains(" ORDER BY "))
}

/// Everything before the table's name in an ARN is each implementation's own, as is a stream's
/// label behind it.
fn without_arn(text: &str) -> String {
    let Some(start) = text.find("arn:aws:dynamodb:") else { return text.to_owned() };
    let (before, arn) = text.split_at(start);
    let Some(name) = arn.find(":table/") else { return text.to_owned() };
    let rest = &arn[name..];
    match rest.find("/stream/") {
        Some(label) => format!("{before}arn{}/stream/*", &rest[..label]),
        None => format!("{before}arn{rest}"),
    }
}

/// `{b, a}` as `{a, b}`: names come in the order of a hash table.
fn ordered_braces(text: &str) -> String {
    let (Some(open), Some(close)) = (text.find('{'), text.rfind('}')) else {
        return text.to_owned();
    };
    if close < open || text[open..close].contains('=') {
        return text.to_owned();
    }
    let mut names: Vec<&str> = text[open + 1..close].split(", ").collect();
    names.sort_unstable();
    format!("{}{}{}", &text[..=open], names.join(", "), &text[close..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_each_ones_own_is_blanked() {
        let step = Step::call("DescribeTable", json!({}));
        let answer = json!({"Table": {
            "TableId": "x", "TableArn": "arn:aws:dynamodb:here:1:table/t",
            "AttributeDefinitions": [{"AttributeName": "b"}, {"AttributeName": "a"}],
        }});
        let expected = json!({"Table": {
            "TableId": "*", "TableArn": "arn:table/t",
            "AttributeDefinitions": [{"AttributeName": "a"}, {"AttributeName": "b"}],
        }});
        assert_eq!(outcome(&step, Outcome::Answer(answer)), Outcome::Answer(expected));
    }

    #[test]
    fn sets_and_lists_of_names_are_ordered() {
        let step = Step::call("GetItem", json!({}));
        let answer =
            json!({"Item": {"a": {"SS": ["b", "a"]}, "l": {"L": [{"S": "b"}, {"S": "a"}]}}});
        let expected =
            json!({"Item": {"a": {"SS": ["a", "b"]}, "l": {"L": [{"S": "b"}, {"S": "a"}]}}});
        assert_eq!(outcome(&step, Outcome::Answer(answer)), Outcome::Answer(expected));
        assert_eq!(ordered_braces("unused: {#b, #a}"), "unused: {#a, #b}");
    }
}
