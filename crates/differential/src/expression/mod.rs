//! Random expressions with their placeholders.

pub mod condition;
pub mod key_condition;
pub mod legacy;
pub mod path;
pub mod projection;
pub mod update;

use serde_json::{Map, Value, json};

use crate::random::Random;
use crate::step::Feature;

/// Names that may stand in an expression as they are.
const BARE: [&str; 16] =
    ["a", "b", "c", "d", "num", "doc", "x", "z", "pk", "sk", "g0", "g1", "g2", "g3", "g4", "g5"];

/// The placeholders of one request, and what its expressions exercise.
#[derive(Default)]
pub struct Placeholders {
    names: Map<String, Value>,
    values: Map<String, Value>,
    features: Vec<Feature>,
}

impl Placeholders {
    /// How an expression calls an attribute: by name if it may, or through a placeholder.
    pub fn name(&mut self, random: &mut Random, name: &str) -> String {
        if BARE.contains(&name) && random.percent(60) {
            return name.to_owned();
        }
        if let Some((placeholder, _)) = self.names.iter().find(|(_, known)| *known == name) {
            return placeholder.clone();
        }
        let placeholder = format!("#n{}", self.names.len());
        self.names.insert(placeholder.clone(), json!(name));
        placeholder
    }

    /// A placeholder for a value.
    pub fn value(&mut self, value: Value) -> String {
        let placeholder = format!(":v{}", self.values.len());
        self.values.insert(placeholder.clone(), value);
        placeholder
    }

    /// Notes a function or operator with the type of what it was used on.
    pub fn uses(&mut self, function: &'static str, kind: &'static str) {
        self.features.push(Feature::Function(function, kind));
    }

    /// Puts the placeholders into the body; gives what the expressions exercise.
    pub fn finish(self, body: &mut Value) -> Vec<Feature> {
        if !self.names.is_empty() {
            body["ExpressionAttributeNames"] = Value::Object(self.names);
        }
        if !self.values.is_empty() {
            body["ExpressionAttributeValues"] = Value::Object(self.values);
        }
        self.features
    }
}
