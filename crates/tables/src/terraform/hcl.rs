//! HCL as `terraform fmt` would write it.

use std::fmt::Write as _;

/// A value.
#[derive(Clone, Debug)]
pub(super) enum Hcl {
    /// A text in quotes.
    Text(String),
    /// Anything that is written as it is: a number, a reference, true or false.
    Raw(String),
    /// A list, on one line if it is short.
    List(Vec<Hcl>),
    /// An object over several lines.
    Object(Vec<(String, Hcl)>),
    /// An object over several lines whose names are references.
    References(Vec<(String, Hcl)>),
    /// An object on one line.
    Inline(Vec<(String, Hcl)>),
}

/// What stands between two braces, or in a file.
#[derive(Clone, Debug, Default)]
pub(super) struct Body {
    entries: Vec<Entry>,
}

#[derive(Clone, Debug)]
enum Entry {
    Attribute(String, Hcl),
    Block(String, Body),
    Comment(String),
    Blank,
}

const WIDTH: usize = 100;

impl Hcl {
    pub fn text(text: impl Into<String>) -> Hcl {
        Hcl::Text(text.into())
    }

    pub fn raw(text: impl ToString) -> Hcl {
        Hcl::Raw(text.to_string())
    }

    fn render(&self, indent: usize) -> String {
        match self {
            Hcl::Text(text) => quoted(text),
            Hcl::Raw(text) => text.clone(),
            Hcl::List(elements) => list(elements, indent),
            Hcl::Object(members) | Hcl::References(members) => {
                let mut body = Body::default();
                let quotes = matches!(self, Hcl::Object(_));
                for (name, value) in members {
                    let name = if quotes { key(name) } else { name.clone() };
                    body.attribute(&name, value.clone());
                }
                if members.is_empty() {
                    return "{}".to_owned();
                }
                format!("{{\n{}{}}}", body.render(indent + 2), " ".repeat(indent))
            }
            Hcl::Inline(members) => {
                let member = |(name, value): &(String, Hcl)| {
                    format!("{} = {}", key(name), value.render(indent))
                };
                format!("{{ {} }}", members.iter().map(member).collect::<Vec<_>>().join(", "))
            }
        }
    }
}

impl Body {
    pub fn attribute(&mut self, name: &str, value: Hcl) -> &mut Body {
        self.entries.push(Entry::Attribute(name.to_owned(), value));
        self
    }

    pub fn block(&mut self, header: &str, body: Body) -> &mut Body {
        self.entries.push(Entry::Block(header.to_owned(), body));
        self
    }

    pub fn comment(&mut self, text: &str) -> &mut Body {
        self.entries.push(Entry::Comment(text.to_owned()));
        self
    }

    pub fn blank(&mut self) -> &mut Body {
        self.entries.push(Entry::Blank);
        self
    }

    pub fn render(&self, indent: usize) -> String {
        let pad = " ".repeat(indent);
        let mut text = String::new();
        let mut at = 0;
        while at < self.entries.len() {
            let group = self.single_lines(at, indent);
            if group.is_empty() {
                match &self.entries[at] {
                    Entry::Attribute(name, value) => {
                        let _ = writeln!(text, "{pad}{name} = {}", value.render(indent));
                    }
                    Entry::Block(header, body) => {
                        let _ =
                            writeln!(text, "{pad}{header} {{\n{}{pad}}}", body.render(indent + 2));
                    }
                    Entry::Comment(comment) => {
                        let _ = writeln!(text, "{pad}# {comment}");
                    }
                    Entry::Blank => text.push('\n'),
                }
                at += 1;
                continue;
            }
            let width = group.iter().map(|(name, _)| name.len()).max().unwrap_or_default();
            for (name, value) in &group {
                let _ = writeln!(text, "{pad}{name:width$} = {value}");
            }
            at += group.len();
        }
        text
    }

    /// The attributes from here on that take one line each: their values are aligned.
    fn single_lines(&self, at: usize, indent: usize) -> Vec<(&str, String)> {
        let mut group = Vec::new();
        for entry in &self.entries[at..] {
            let Entry::Attribute(name, value) = entry else { break };
            let value = value.render(indent);
            if value.contains('\n') {
                break;
            }
            group.push((name.as_str(), value));
        }
        group
    }
}

fn list(elements: &[Hcl], indent: usize) -> String {
    let rendered: Vec<_> = elements.iter().map(|element| element.render(indent + 2)).collect();
    let line = format!("[{}]", rendered.join(", "));
    let is_plain = elements.iter().all(|element| matches!(element, Hcl::Text(_) | Hcl::Raw(_)));
    if is_plain && indent + line.len() <= WIDTH {
        return line;
    }
    let pad = " ".repeat(indent + 2);
    let lines: String = rendered.iter().map(|element| format!("{pad}{element},\n")).collect();
    format!("[\n{lines}{}]", " ".repeat(indent))
}

fn quoted(text: &str) -> String {
    let escaped = text.replace('\\', "\\\\").replace('"', "\\\"");
    format!("\"{}\"", escaped.replace("${", "$${").replace("%{", "%%{"))
}

/// A member's name, in quotes if it is not a word.
fn key(name: &str) -> String {
    let is_word = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        && name.starts_with(|c: char| c.is_ascii_alphabetic());
    if is_word { name.to_owned() } else { quoted(name) }
}
