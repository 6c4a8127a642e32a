//! Objects whose members a caller chooses. What a table cannot keep as it came is refused before it is
//! tried, in the caller's words.

use serde_json::{Map, Value};
use values::Number;

use crate::error::Error;

/// Most bytes of an object, as JSON, unless its owner allows less.
pub const BYTES_MAX: usize = 16 * 1024;
/// Most objects and lists in each other, the object itself among them.
const LEVELS_MAX: usize = 16;

/// Refuses an object that cannot be kept, by the name of its field.
pub fn check(field: &str, members: Option<&Map<String, Value>>) -> Result<(), Error> {
    match members.and_then(|members| problem(members, BYTES_MAX)) {
        Some(problem) => Err(Error::validation([(field, problem)])),
        None => Ok(()),
    }
}

/// What is wrong with an object, if anything is.
pub fn problem(members: &Map<String, Value>, bytes_max: usize) -> Option<String> {
    let bytes = serde_json::to_vec(members).map_or(usize::MAX, |text| text.len());
    if bytes > bytes_max {
        return Some(format!("should have at most {bytes_max} bytes as JSON"));
    }
    in_members(members, 1)
}

fn in_members(members: &Map<String, Value>, level: usize) -> Option<String> {
    if members.contains_key("") {
        return Some("should have no empty names".to_owned());
    }
    members.values().find_map(|value| inside(value, level + 1))
}

fn inside(value: &Value, level: usize) -> Option<String> {
    match value {
        Value::Array(_) | Value::Object(_) if level > LEVELS_MAX => {
            Some(format!("should have at most {LEVELS_MAX} objects and lists in each other"))
        }
        Value::Array(items) => items.iter().find_map(|item| inside(item, level + 1)),
        Value::Object(members) => in_members(members, level),
        Value::Number(number) if number.to_string().parse::<Number>().is_err() => {
            Some("should have no number beyond 9.99e125 or nearer to 0 than 1e-130".to_owned())
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn problem_of(value: Value) -> Option<String> {
        problem(value.as_object().unwrap(), BYTES_MAX)
    }

    fn nested(levels: usize) -> Value {
        (1..levels).fold(json!({}), |inner, level| match level % 2 {
            0 => json!({ "a": inner }),
            _ => json!([inner]),
        })
    }

    #[test]
    fn what_a_table_can_keep_is_fine_and_nothing_beyond() {
        let text = |bytes: usize| json!({ "a": "x".repeat(bytes - r#"{"a":""}"#.len()) });
        let deep = |levels: usize| json!({ "a": nested(levels - 1) });
        let fine =
            [json!({}), text(BYTES_MAX), deep(LEVELS_MAX), json!({ "a": [9.99e125, -1e-130] })];
        for value in fine {
            assert_eq!(problem_of(value.clone()), None, "{value}");
        }
        let wrong = [text(BYTES_MAX + 1), deep(LEVELS_MAX + 1), json!({ "a": [1e126] })];
        for value in
            wrong.into_iter().chain([json!({ "a": { "b": -1e-131 } }), json!({ "a": [{ "": 1 }] })])
        {
            assert!(problem_of(value.clone()).is_some(), "{value}");
        }
    }
}
