//! Member constraints: what a value may be once its shape is right. Each operation has a table of
//! stages; the rules of one stage are reported together (`2 validation errors detected: …; …`),
//! and the first stage with anything to report is the only one reported.

use values::json::{Members, Node};

use super::echo::{echo, lower_camel};
use super::members::{integer, table_name_of, text};
use super::shape::Shape;
use crate::WireError;

/// The service reports no more than this many at once.
const REPORTED_MAX: usize = 10;

/// Rules that are reported together.
pub(super) struct Stage {
    /// Whether the stage applies to this request at all.
    pub(super) when: fn(&Members) -> bool,
    pub(super) rules: &'static [Rule],
}

impl Stage {
    pub(super) const fn always(rules: &'static [Rule]) -> Stage {
        Stage { when: |_| true, rules }
    }

    pub(super) const fn when(when: fn(&Members) -> bool, rules: &'static [Rule]) -> Stage {
        Stage { when, rules }
    }
}

/// One constraint. The first field is the member's name.
#[derive(Clone, Copy)]
pub(super) enum Rule {
    /// It must be there.
    Required(&'static str),
    /// Text: one of these, which the message lists in this order.
    OneOf(&'static str, &'static [&'static str]),
    /// Text: between so many characters.
    Length(&'static str, usize, usize),
    /// Text: the pattern of table and index names.
    Pattern(&'static str),
    /// A whole number: between these.
    Range(&'static str, i64, i64),
    /// An array: between so many elements. The shape says how to show it.
    Elements(&'static str, usize, usize, &'static Shape),
    /// An object: these hold inside.
    Within(&'static str, &'static [Rule]),
    /// An array of objects: these hold inside each.
    Each(&'static str, &'static [Rule]),
    /// An object with free names: these hold inside each of its values.
    EachEntry(&'static str, &'static [Rule]),
    /// The same in the service's newer words: `Value at 'Limit'`, without the value.
    Newer(&'static Rule),
    /// What has a form of its own.
    Special(fn(&Members) -> Option<Finding>),
}

/// What a rule found.
pub(super) enum Finding {
    /// One entry of `N validation errors detected`.
    Listed(String),
    /// A message of its own.
    Plain(&'static str),
    /// A message of its own with something of the request in it.
    Worded(String),
}

/// Checks the stages in turn.
pub(super) fn check(stages: &'static [Stage], members: &Members) -> Result<(), WireError> {
    for stage in stages.iter().filter(|stage| (stage.when)(members)) {
        let mut collected = Collected::default();
        for rule in stage.rules {
            collected.apply(rule, members, "");
        }
        collected.into_result()?;
    }
    Ok(())
}

/// `N validation errors detected: …`.
pub(super) fn detected(listed: &[String]) -> String {
    let plural = if listed.len() == 1 { "" } else { "s" };
    format!("{} validation error{plural} detected: {}", listed.len(), listed.join("; "))
}

/// Whether text is of the pattern of table and index names.
pub(super) fn is_name(text: &str) -> bool {
    !text.is_empty()
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_.-".contains(&byte))
}

/// One entry: what was found at a path, and what it should have been.
pub(super) fn refusal(shown: Option<&str>, path: &str, constraint: &str) -> String {
    let shown = shown.map_or_else(|| "null".to_owned(), |shown| format!("'{shown}'"));
    format!("Value {shown} at '{path}' failed to satisfy constraint: {constraint}")
}

pub(super) const NOT_NULL: &str = "Member must not be null";
pub(super) const NAME_PATTERN: &str =
    "Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+";

#[derive(Default)]
struct Collected {
    listed: Vec<String>,
    plain: Option<String>,
    newer: bool,
}

impl Collected {
    fn into_result(mut self) -> Result<(), WireError> {
        if let Some(plain) = self.plain {
            return Err(WireError::validation(plain));
        }
        if self.listed.is_empty() {
            return Ok(());
        }
        self.listed.truncate(REPORTED_MAX);
        Err(WireError::validation(detected(&self.listed)))
    }

    fn apply(&mut self, rule: &'static Rule, members: &Members, prefix: &str) {
        let value = |name: &str| members.get(name).filter(|value| !value.is_null());
        match rule {
            Rule::Required(name) if value(name).is_none() => {
                self.list(None, prefix, name, NOT_NULL)
            }
            Rule::Required(_) => {}
            Rule::OneOf(name, accepted) => self.one_of(value(name), prefix, name, accepted),
            Rule::Length(name, least, most) => {
                if let Some(found) = name_or_text(members, name) {
                    self.length(found.chars().count(), (*least, *most), found, prefix, name);
                }
            }
            Rule::Pattern(name) => {
                if let Some(found) = name_or_text(members, name).filter(|found| !is_name(found)) {
                    self.list(Some(found), prefix, name, NAME_PATTERN);
                }
            }
            Rule::Range(name, least, most) => {
                if let Some(found) = integer(members, name) {
                    self.range(found.value, (*least, *most), prefix, name);
                }
            }
            Rule::Elements(name, least, most, shape) => {
                if let Some((whole, found)) = value(name).and_then(|v| Some((v, v.as_array()?))) {
                    let bounds = (*least, *most);
                    if !(bounds.0..=bounds.1).contains(&found.len()) {
                        self.length(found.len(), bounds, &echo(shape, whole), prefix, name);
                    }
                }
            }
            Rule::Within(name, rules) => {
                if let Some(Node::Object(inner)) = value(name) {
                    self.all(rules, inner, &format!("{prefix}{}.", lower_camel(name)));
                }
            }
            Rule::Each(name, rules) => {
                for (index, element) in elements(value(name)).enumerate() {
                    let prefix = format!("{prefix}{}.{}.member.", lower_camel(name), index + 1);
                    self.all(rules, element, &prefix);
                }
            }
            Rule::EachEntry(name, rules) => {
                for (entry, element) in entries(value(name)) {
                    let prefix = format!("{prefix}{}.{entry}.member.", lower_camel(name));
                    self.all(rules, element, &prefix);
                }
            }
            Rule::Newer(rule) => {
                self.newer = true;
                self.apply(rule, members, prefix);
                self.newer = false;
            }
            Rule::Special(find) => self.special(find(members)),
        }
    }

    fn all(&mut self, rules: &'static [Rule], members: &Members, prefix: &str) {
        for rule in rules {
            self.apply(rule, members, prefix);
        }
    }

    fn special(&mut self, finding: Option<Finding>) {
        let plain = match finding {
            None => return,
            Some(Finding::Listed(entry)) => return self.listed.push(entry),
            Some(Finding::Plain(message)) => message.to_owned(),
            Some(Finding::Worded(message)) => message,
        };
        self.plain.get_or_insert(plain);
    }

    fn list(&mut self, shown: Option<&str>, prefix: &str, name: &str, constraint: &str) {
        self.listed.push(if self.newer {
            format!("Value at '{name}' failed to satisfy constraint: {constraint}")
        } else {
            refusal(shown, &format!("{prefix}{}", lower_camel(name)), constraint)
        });
    }

    fn one_of(
        &mut self,
        value: Option<&Node>,
        prefix: &str,
        name: &str,
        accepted: &'static [&'static str],
    ) {
        if let Some(found) = value.and_then(Node::as_str)
            && !accepted.contains(&found)
        {
            let constraint =
                format!("Member must satisfy enum value set: [{}]", accepted.join(", "));
            self.list(Some(found), prefix, name, &constraint);
        }
    }

    fn length(
        &mut self,
        length: usize,
        (least, most): (usize, usize),
        shown: &str,
        prefix: &str,
        name: &str,
    ) {
        if length < least {
            let constraint = format!("Member must have length greater than or equal to {least}");
            self.list(Some(shown), prefix, name, &constraint);
        }
        if length > most {
            let constraint = format!("Member must have length less than or equal to {most}");
            self.list(Some(shown), prefix, name, &constraint);
        }
    }

    fn range(&mut self, found: i64, (least, most): (i64, i64), prefix: &str, name: &str) {
        let shown = found.to_string();
        if found < least {
            let constraint = format!("Member must have value greater than or equal to {least}");
            self.list(Some(&shown), prefix, name, &constraint);
        }
        if found > most {
            let constraint = format!("Member must have value less than or equal to {most}");
            self.list(Some(&shown), prefix, name, &constraint);
        }
    }
}

/// A member's text; of a table's ARN only the name counts.
fn name_or_text<'a>(members: &'a Members, name: &str) -> Option<&'a str> {
    let found = text(members, name)?;
    Some(if name == "TableName" { table_name_of(found) } else { found })
}

fn elements(value: Option<&Node>) -> impl Iterator<Item = &Members> {
    value.and_then(Node::as_array).into_iter().flatten().filter_map(Node::as_object)
}

fn entries(value: Option<&Node>) -> impl Iterator<Item = (&str, &Members)> {
    value
        .and_then(Node::as_object)
        .into_iter()
        .flatten()
        .filter_map(|(name, value)| Some((name, value.as_object()?)))
}
