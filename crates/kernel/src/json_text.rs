//! Trees as JSON text.

use serde::Serialize;

/// The text of a tree, written at once and not piece by piece through a formatter.
pub fn text_of(value: &impl Serialize) -> String {
    // A tree whose names are texts has nothing that JSON cannot say.
    serde_json::to_string(value).unwrap_or_default()
}
