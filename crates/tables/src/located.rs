//! JSON with the line of every value, by JSON pointer.

use std::collections::BTreeMap;

use jsonc_parser::ast;
use jsonc_parser::common::Ranged as _;
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};
use serde_json::{Map, Value};

use crate::problem::Findings;

/// A JSON text that was read.
#[derive(Debug)]
pub(crate) struct Located {
    /// The value.
    pub value: Value,
    lines: BTreeMap<String, usize>,
}

/// Why a text is not JSON.
#[derive(Debug)]
pub(crate) struct NotJson {
    /// The line, from one.
    pub line: usize,
    /// What the parser says.
    pub message: String,
}

/// Strict JSON: nothing that the parser can do beyond it is wanted.
const STRICT: ParseOptions = ParseOptions {
    allow_comments: false,
    allow_loose_object_property_names: false,
    allow_trailing_commas: false,
    allow_missing_commas: false,
    allow_single_quoted_strings: false,
    allow_hexadecimal_numbers: false,
    allow_unary_plus_numbers: false,
};

impl Located {
    /// Reads a text. Names that occur twice in one object are findings: the last one counts.
    pub fn read(text: &str, findings: &mut Findings) -> Result<Located, NotJson> {
        let parsed = parse_to_ast(text, &CollectOptions::default(), &STRICT).map_err(|error| {
            NotJson { line: error.line_display(), message: error.kind().to_string() }
        })?;
        let Some(root) = parsed.value else {
            return Err(NotJson { line: 1, message: "The file is empty".to_owned() });
        };
        let starts: Vec<usize> = text.match_indices('\n').map(|(at, _)| at + 1).collect();
        let mut reader = Reader { starts, lines: BTreeMap::new(), findings };
        let value = reader.value(&root, String::new());
        Ok(Located { value, lines: reader.lines })
    }

    /// The line of the value at a pointer, or of the nearest thing around it that exists.
    pub fn line(&self, pointer: &str) -> usize {
        let mut pointer = pointer;
        loop {
            if let Some(line) = self.lines.get(pointer) {
                return *line;
            }
            match pointer.rfind('/') {
                Some(at) => pointer = &pointer[..at],
                None => return 1,
            }
        }
    }
}

/// One more step of a JSON pointer.
pub(crate) fn step(pointer: &str, name: &str) -> String {
    format!("{pointer}/{}", name.replace('~', "~0").replace('/', "~1"))
}

struct Reader<'f> {
    /// Where each line but the first starts.
    starts: Vec<usize>,
    lines: BTreeMap<String, usize>,
    findings: &'f mut Findings,
}

impl Reader<'_> {
    fn line_at(&self, byte: usize) -> usize {
        self.starts.partition_point(|start| *start <= byte) + 1
    }

    fn value(&mut self, node: &ast::Value, pointer: String) -> Value {
        let line = self.line_at(node.start());
        let value = match node {
            ast::Value::StringLit(text) => Value::String(text.value.clone().into_owned()),
            ast::Value::NumberLit(number) => {
                serde_json::from_str(number.value).unwrap_or(Value::Null)
            }
            ast::Value::BooleanLit(flag) => Value::Bool(flag.value),
            ast::Value::NullKeyword(_) => Value::Null,
            ast::Value::Array(array) => {
                let elements = array.elements.iter().enumerate();
                elements
                    .map(|(index, element)| self.value(element, format!("{pointer}/{index}")))
                    .collect()
            }
            ast::Value::Object(object) => self.object(object, &pointer),
        };
        self.lines.entry(pointer).or_insert(line);
        value
    }

    fn object(&mut self, object: &ast::Object, pointer: &str) -> Value {
        let mut members = Map::new();
        for property in &object.properties {
            let name = property.name.as_str();
            let at = step(pointer, name);
            // The line of a member is the line of its name.
            let line = self.line_at(property.start());
            self.lines.insert(at.clone(), line);
            let value = self.value(&property.value, at.clone());
            if members.insert(name.to_owned(), value).is_some() {
                let message = format!("`{name}` stands twice in one object");
                self.findings.error(at, message, "Keep one of the two");
            }
        }
        Value::Object(members)
    }
}
