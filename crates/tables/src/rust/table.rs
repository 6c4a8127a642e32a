//! The Rust source of one table.

use std::fmt::Write as _;

use values::AttributeType;

use super::MARK;
use super::names::{WIDTH, comment, function_name};
use crate::document::{
    AccessPattern, Action, Attribute, ItemType, MARKER_OWNER, MARKER_VALUE, Operation, Parameter,
    Parameters, Table,
};
use crate::output::camel;

/// The file of a table.
pub(super) fn file(table: &Table) -> String {
    let mut body = String::new();
    opening(table, &mut body);
    for (at, access) in table.access_patterns.iter().enumerate() {
        pattern(table, at, access, &mut body);
    }
    for (at, kind) in table.item_types.iter().enumerate() {
        item_type(table, at, kind, &mut body);
    }
    body.push_str("}\n");
    for access in table.access_patterns.iter().filter(|access| is_filtered(access)) {
        filters(table, access, &mut body);
    }
    let mut text = String::new();
    comment(&mut text, "//!", &table.description);
    let path = format!("tables/{}/{}.json", table.system, table.table_name);
    text.push_str("//!\n");
    comment(&mut text, "//!", &format!("Generated from `{path}`: {MARK}."));
    text.push('\n');
    imports(&body, &mut text);
    text + &body
}

/// The names that the body uses.
fn imports(body: &str, text: &mut String) {
    let code = || body.lines().filter(|line| !line.trim_start().starts_with("//"));
    let uses = |name: &&&str| {
        let mut words =
            code().flat_map(|line| line.split(|c: char| !c.is_ascii_alphanumeric() && c != '_'));
        words.any(|word| word == **name)
    };
    if body.contains("Deref") {
        text.push_str("use std::ops::Deref;\n\n");
    }
    let names = [
        "Check",
        "Delete",
        "Error",
        "Get",
        "Kind",
        "List",
        "Marker",
        "Put",
        "Store",
        "TableHandle",
        "Test",
        "Update",
    ];
    let names: Vec<_> = names.iter().filter(uses).copied().collect();
    let _ = writeln!(text, "use store::{{{}}};", names.join(", "));
    let names: Vec<_> = ["AttributeValue", "Number"].iter().filter(uses).copied().collect();
    match &names[..] {
        [] => {}
        [name] => {
            let _ = writeln!(text, "use values::{name};");
        }
        names => {
            let _ = writeln!(text, "use values::{{{}}};", names.join(", "));
        }
    }
    text.push('\n');
}

fn opening(table: &Table, text: &mut String) {
    let (name, logical) =
        (camel(&table.table_name), format!("{}/{}", table.system, table.table_name));
    comment(text, "///", &format!("The table `{logical}`. Cloning is cheap."));
    let fingerprint = grouped(table.fingerprint());
    let _ = write!(
        text,
        "#[derive(Clone)]
pub struct {name}(TableHandle);

impl {name} {{
    /// The table of a store.
    pub fn open(store: &Store) -> Result<{name}, Error> {{
        let fingerprint = {fingerprint};
        TableHandle::generated(store, \"{logical}\", fingerprint).map({name})
    }}
"
    );
}

/// A number in hexadecimal, in groups of four as Rust writes them.
fn grouped(number: u64) -> String {
    let groups = [48, 32, 16, 0].map(|shift| format!("{:04x}", number >> shift & 0xffff));
    format!("0x{}", groups.join("_"))
}

fn is_filtered(access: &AccessPattern) -> bool {
    access.operation == Operation::Query && !access.filter.is_empty()
}

/// The function of an access pattern.
fn pattern(table: &Table, at: usize, access: &AccessPattern, text: &mut String) {
    let Parameters { mut key, condition } = table.parameters(access);
    let what = match access.write_action() {
        None if access.operation == Operation::Query => "List",
        None => "Get",
        Some(Action::Put) => {
            // The item that is stored has its key.
            key.clear();
            "Put"
        }
        Some(Action::Update) => "Update",
        Some(Action::Delete) => "Delete",
        Some(Action::ConditionCheck) => "Check",
    };
    let sources = access.requirements.iter().chain(&access.decisions);
    let sources: Vec<_> = sources.map(String::as_str).collect();
    let mut sentence = access.name.clone();
    if !sources.is_empty() {
        let _ = write!(sentence, " ({})", sources.join(", "));
    }
    text.push('\n');
    comment(text, "    ///", &format!("{sentence}."));
    let parameters: Vec<Parameter> = key.into_iter().chain(condition).collect();
    let typed = parameters.iter().map(|parameter| {
        format!("{}: {}", function_name(&parameter.name), type_of(parameter.attribute_type))
    });
    let values: Vec<_> = parameters
        .iter()
        .map(|parameter| value_of(&function_name(&parameter.name), parameter.attribute_type))
        .collect();
    let (gives, wrapped) = if is_filtered(access) {
        let name = camel(&access.id);
        (name.clone(), Some(name))
    } else {
        (what.to_owned(), None)
    };
    signature(&function_name(&access.id), "&self", typed, &gives, text);
    let call = |values: &str| {
        let call = format!("{what}::new(&self.0, {at}, {values})");
        wrapped.as_ref().map_or_else(|| call.clone(), |name| format!("{name}({call})"))
    };
    let one_line = format!("        {}\n", call(&format!("[{}]", values.join(", "))));
    if one_line.len() <= WIDTH {
        text.push_str(&one_line);
    } else {
        bound("values", &values, text);
        let _ = writeln!(text, "        {}", call("values"));
    }
    text.push_str("    }\n");
}

/// The handle of a kind of item.
fn item_type(table: &Table, at: usize, kind: &ItemType, text: &mut String) {
    text.push('\n');
    let name = function_name(&kind.name);
    let description = kind.description.trim_end_matches('.');
    if !table.is_marker(kind) {
        comment(text, "    ///", &format!("Items of the kind `{}`. {description}.", kind.name));
        signature(&name, "&self", std::iter::empty(), "Kind<'_>", text);
        let _ = writeln!(text, "        Kind::new(&self.0, {at})\n    }}");
        return;
    }
    comment(text, "    ///", &format!("Markers of the kind `{}`. {description}.", kind.name));
    let more: Vec<&Attribute> = marker_attributes(table, kind).collect();
    let typed = more.iter().map(|attribute| {
        format!("{}: {}", function_name(&attribute.name), type_of(Some(attribute.attribute_type)))
    });
    signature(&name, "&self", typed, "Marker<'_>", text);
    let value = |attribute: &&Attribute| {
        let value = value_of(&function_name(&attribute.name), Some(attribute.attribute_type));
        format!("(\"{}\", {value})", attribute.name)
    };
    let more: Vec<_> = more.iter().map(value).collect();
    let one_line = format!("        Marker::new(&self.0, {at}, [{}])\n", more.join(", "));
    if one_line.len() <= WIDTH {
        text.push_str(&one_line);
    } else {
        bound("more", &more, text);
        let _ = writeln!(text, "        Marker::new(&self.0, {at}, more)");
    }
    text.push_str("    }\n");
}

/// What a marker has besides its value and owner, and besides keys that are made.
fn marker_attributes<'t>(
    table: &'t Table,
    kind: &'t ItemType,
) -> impl Iterator<Item = &'t Attribute> {
    table.attributes.iter().filter(|attribute| {
        attribute.required
            && attribute.is_in(&kind.name)
            && ![MARKER_VALUE, MARKER_OWNER].contains(&attribute.name.as_str())
            && !kind.keys.contains_key(&attribute.name)
    })
}

/// The type of a list that can be filtered.
fn filters(table: &Table, access: &AccessPattern, text: &mut String) {
    let (list, table_name) = (camel(&access.id), camel(&table.table_name));
    let function = function_name(&access.id);
    let _ = write!(
        text,
        "
/// What [`{table_name}::{function}`] gives: a list that can be filtered.
#[derive(Clone)]
pub struct {list}(List);

impl {list} {{
"
    );
    for (at, name) in access.filter.iter().enumerate() {
        let attribute_type = match type_of(table.attribute_type(name)) {
            "impl Into<Number>" => "Number",
            "impl Into<AttributeValue>" => "AttributeValue",
            "&str" => "&'a str",
            other => other,
        };
        let lifetime = if attribute_type.contains("'a") { "<'a>" } else { "" };
        if at > 0 {
            text.push('\n');
        }
        comment(text, "    ///", &format!("Lets only items pass of whose `{name}` this is true."));
        let function = format!("filter_{}{lifetime}", function_name(name));
        let test = format!("test: impl Into<Test<{attribute_type}>>");
        signature(&function, "self", std::iter::once(test), "Self", text);
        let _ = writeln!(text, "        Self(self.0.filter({at}, test.into()))\n    }}");
    }
    let _ = write!(
        text,
        "}}

impl Deref for {list} {{
    type Target = List;

    fn deref(&self) -> &List {{
        &self.0
    }}
}}

impl From<{list}> for List {{
    fn from(list: {list}) -> List {{
        list.0
    }}
}}
"
    );
}

/// The first line of a function, or its first lines.
fn signature(
    name: &str,
    first: &str,
    parameters: impl Iterator<Item = String>,
    gives: &str,
    text: &mut String,
) {
    let parameters: Vec<_> = std::iter::once(first.to_owned()).chain(parameters).collect();
    let one_line = format!("    pub fn {name}({}) -> {gives} {{", parameters.join(", "));
    if one_line.len() <= WIDTH {
        let _ = writeln!(text, "{one_line}");
        return;
    }
    let _ = writeln!(text, "    pub fn {name}(");
    for parameter in parameters {
        let _ = writeln!(text, "        {parameter},");
    }
    let _ = writeln!(text, "    ) -> {gives} {{");
}

/// An array in a variable, on one line or on several.
fn bound(name: &str, values: &[String], text: &mut String) {
    let one_line = format!("        let {name} = [{}];", values.join(", "));
    if one_line.len() <= WIDTH {
        let _ = writeln!(text, "{one_line}");
        return;
    }
    let second_line = format!("            [{}];", values.join(", "));
    if second_line.len() <= WIDTH {
        let _ = writeln!(text, "        let {name} =\n{second_line}");
        return;
    }
    let _ = writeln!(text, "        let {name} = [");
    for value in values {
        let _ = writeln!(text, "            {value},");
    }
    text.push_str("        ];\n");
}

fn type_of(attribute_type: Option<AttributeType>) -> &'static str {
    match attribute_type {
        Some(AttributeType::S) => "&str",
        Some(AttributeType::N) => "impl Into<Number>",
        Some(AttributeType::Bool) => "bool",
        _ => "impl Into<AttributeValue>",
    }
}

fn value_of(name: &str, attribute_type: Option<AttributeType>) -> String {
    match attribute_type {
        Some(AttributeType::N) => format!("AttributeValue::N({name}.into())"),
        _ => format!("{name}.into()"),
    }
}
