//! Document paths: into an item that is there, or nowhere.

use serde_json::{Map, Value};

use super::Placeholders;
use crate::random::Random;
use crate::world::ATTRIBUTES;

/// A step into a document.
#[derive(Clone, Debug, PartialEq)]
pub enum Segment {
    /// An attribute, or an entry of a map.
    Name(String),
    /// An element of a list.
    Index(usize),
}

/// A path and what is there.
#[derive(Clone, Debug)]
pub struct Place {
    /// The steps.
    pub segments: Vec<Segment>,
    /// The value at the end, if there is one.
    pub value: Option<Value>,
}

impl Place {
    /// An attribute of an item.
    pub fn attribute(item: &Map<String, Value>, name: &str) -> Self {
        Place { segments: vec![Segment::Name(name.to_owned())], value: item.get(name).cloned() }
    }

    /// The path as an expression writes it.
    pub fn text(&self, random: &mut Random, placeholders: &mut Placeholders) -> String {
        let mut text = String::new();
        for segment in &self.segments {
            match segment {
                Segment::Name(name) => {
                    if !text.is_empty() {
                        text.push('.');
                    }
                    text.push_str(&placeholders.name(random, name));
                }
                Segment::Index(index) => text.push_str(&format!("[{index}]")),
            }
        }
        text
    }

    /// The top-level attribute.
    pub fn root(&self) -> &str {
        match self.segments.first() {
            Some(Segment::Name(name)) => name,
            _ => "",
        }
    }
}

/// Every place in an item, the nested ones too.
pub fn places(item: &Map<String, Value>) -> Vec<Place> {
    let mut found = Vec::new();
    for (name, value) in item {
        descend(&[Segment::Name(name.clone())], value, &mut found);
    }
    found
}

fn descend(segments: &[Segment], value: &Value, found: &mut Vec<Place>) {
    found.push(Place { segments: segments.to_vec(), value: Some(value.clone()) });
    let inside = |segment| [segments, &[segment]].concat();
    if let Some(entries) = value.get("M").and_then(Value::as_object) {
        for (name, value) in entries {
            descend(&inside(Segment::Name(name.clone())), value, found);
        }
    }
    if let Some(elements) = value.get("L").and_then(Value::as_array) {
        for (index, value) in elements.iter().enumerate() {
            descend(&inside(Segment::Index(index)), value, found);
        }
    }
}

/// A place in the item, mostly; or one where there is nothing.
pub fn place(random: &mut Random, item: Option<&Map<String, Value>>, except: &[&str]) -> Place {
    let empty = Map::new();
    let item = item.unwrap_or(&empty);
    let there: Vec<Place> =
        places(item).into_iter().filter(|place| !except.contains(&place.root())).collect();
    if !there.is_empty() && random.percent(80) {
        return random.pick(&there).clone();
    }
    let names: Vec<&str> =
        ATTRIBUTES.iter().copied().filter(|name| !except.contains(name)).collect();
    let name: &str = random.pick::<&str>(&names);
    let mut place = Place::attribute(item, name);
    if place.value.is_none() && random.percent(20) {
        let segment =
            if random.percent(50) { Segment::Index(0) } else { Segment::Name("x".to_owned()) };
        place.segments.push(segment);
    }
    place
}
