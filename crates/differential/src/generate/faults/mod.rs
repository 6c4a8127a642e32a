//! Faults put into requests on purpose: one in each request, so that there is one right answer.

mod bodies;
mod expressions;
mod keys;
mod reads;
mod several;
mod values;

use serde_json::{Map, Value};

use crate::random::Random;
use crate::step::{Action, Step};
use crate::world::{Table, World};

/// A fault: changes the body, and says whether it could.
type Fault = fn(&mut Request<'_>) -> bool;

/// A request to be spoilt.
struct Request<'a> {
    random: &'a mut Random,
    operation: &'static str,
    table: &'a Table,
    body: &'a mut Map<String, Value>,
}

/// Every fault by name.
const FAULTS: &[&[(&str, Fault)]] = &[
    bodies::FAULTS,
    keys::FAULTS,
    values::FAULTS,
    expressions::FAULTS,
    reads::FAULTS,
    several::FAULTS,
];

/// Puts a fault into a step, if one fits.
pub(super) fn insert(random: &mut Random, world: &World, step: &mut Step) {
    let all: Vec<(&str, Fault)> = FAULTS.iter().flat_map(|group| group.iter().copied()).collect();
    let operation = step.operation();
    // A step that changes the generator's tables stays as it is, and so does one with a fault.
    let is_fit = matches!(step.action, Action::Call { .. } | Action::Pages { .. });
    if !is_fit || step.fault.is_some() || operation == "UpdateTable" {
        return;
    }
    let Some(Value::Object(body)) = step.body_mut() else { return };
    let mut original = body.clone();
    // A place to start from may be at fault itself, and which fault is told is each one's own.
    original.remove("ExclusiveStartKey");
    let named = |table: &&Table| original.get("TableName").is_some_and(|name| *name == table.name);
    let table = world.tables.iter().find(named).unwrap_or(&world.tables[0]);
    for _ in 0..30 {
        *body = original.clone();
        let (name, fault) = *random.pick(&all);
        let mut request = Request { random, operation, table, body };
        if fault(&mut request) {
            step.fault = Some(name);
            return;
        }
    }
}

impl Request<'_> {
    /// The object under a name.
    fn object(&mut self, name: &str) -> Option<&mut Map<String, Value>> {
        self.body.get_mut(name)?.as_object_mut()
    }

    /// The item or key of a request on one item.
    fn attributes(&mut self) -> Option<&mut Map<String, Value>> {
        let name = if self.body.contains_key("Item") { "Item" } else { "Key" };
        self.object(name)
    }

    fn set(&mut self, name: &str, value: impl Into<Value>) -> bool {
        self.body.insert(name.to_owned(), value.into());
        true
    }
}
