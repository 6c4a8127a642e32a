//! JSON trees as text.

use serde_json::Value;

/// The text of a tree. As its `Display` gives it, but written at once and not piece by piece through a
/// formatter.
pub fn text_of(value: &Value) -> String {
    // A tree whose names are texts has nothing that JSON cannot say.
    serde_json::to_string(value).unwrap_or_else(|_| value.to_string())
}
