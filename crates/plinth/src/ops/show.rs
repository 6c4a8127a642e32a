//! What people see: tables, and one thing with its properties; or JSON for programs.

use serde_json::Value;

use super::failure::Failure;

/// How answers are printed.
#[derive(Clone, Copy)]
pub struct Output {
    /// As they came.
    pub json: bool,
}

/// A column: its heading, and the members that may hold its value, the first that is there. A name
/// that begins with a slash is a JSON pointer.
pub type Column = (&'static str, &'static [&'static str]);

impl Output {
    /// A list of things.
    pub fn list(self, answer: &Value, columns: &[Column], none: &str) -> Result<(), Failure> {
        let items = answer["items"].as_array().ok_or_else(|| Failure::lacking("items"))?;
        if self.json {
            self.print_json(answer);
            return Ok(());
        }
        if items.is_empty() {
            line(none);
            return Ok(());
        }
        let headings: Vec<String> = columns.iter().map(|(name, _)| (*name).to_owned()).collect();
        let cells =
            |item: &Value| columns.iter().map(|(_, names)| text(member(item, names))).collect();
        let rows: Vec<Vec<String>> =
            std::iter::once(headings).chain(items.iter().map(cells)).collect();
        table(&rows);
        if answer["nextToken"].is_string() {
            line("There are more: --all shows them.");
        }
        Ok(())
    }

    /// One thing: each property on a line. What is nested is shown as JSON.
    pub fn one(self, answer: &Value) -> Result<(), Failure> {
        let members = answer.as_object().ok_or_else(|| Failure::lacking("properties"))?;
        if self.json {
            self.print_json(answer);
            return Ok(());
        }
        let members = members.iter().filter(|(name, value)| *name != "_links" && !value.is_null());
        let rows: Vec<Vec<String>> =
            members.map(|(name, value)| vec![name.clone(), text(value)]).collect();
        table(&rows);
        Ok(())
    }

    /// Something was done: a sentence, or the answer for programs.
    pub fn done(self, answer: &Value, sentence: &str) {
        match self.json {
            true if answer.is_null() => self.print_json(&serde_json::json!({})),
            true => self.print_json(answer),
            false => line(sentence),
        }
    }

    fn print_json(self, answer: &Value) {
        line(&format!("{answer:#}"));
    }
}

/// Prints a line.
pub fn line(text: &str) {
    println!("{text}");
}

/// A member that every good answer has.
pub fn required(answer: &Value, name: &'static str) -> Result<String, Failure> {
    answer[name].as_str().map(clean).ok_or_else(|| Failure::lacking(name))
}

/// The first of these members that is there; see [`Column`].
pub fn member<'v>(item: &'v Value, names: &[&str]) -> &'v Value {
    let mut found = names.iter().filter_map(|name| match name.starts_with('/') {
        true => item.pointer(name),
        false => item.get(name),
    });
    found.find(|value| !value.is_null()).unwrap_or(&Value::Null)
}

/// A value in a cell: control characters would let a stored text draw on the terminal.
pub fn text(value: &Value) -> String {
    let text = match value {
        Value::Null => "-".to_owned(),
        Value::String(text) => text.clone(),
        Value::Bool(is_so) => if *is_so { "yes" } else { "no" }.to_owned(),
        Value::Array(all) if all.iter().all(Value::is_string) => {
            all.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(", ")
        }
        other => other.to_string(),
    };
    clean(&text)
}

fn clean(text: &str) -> String {
    text.replace(char::is_control, "\u{fffd}")
}

fn table(rows: &[Vec<String>]) {
    let columns = rows.iter().map(Vec::len).max().unwrap_or_default();
    let mut widths = vec![0; columns];
    for row in rows {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = cell.chars().count().max(*width);
        }
    }
    for row in rows {
        let cells = row.iter().zip(&widths).map(|(cell, width)| format!("{cell:width$}"));
        line(cells.collect::<Vec<_>>().join("  ").trim_end());
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_stored_text_does_not_draw_on_the_terminal() {
        assert_eq!(text(&json!("a\u{1b}[2Jb\n")), "a\u{fffd}[2Jb\u{fffd}");
        assert_eq!(text(&json!(["a", "b"])), "a, b");
        assert_eq!(text(member(&json!({ "id": null, "keyId": "k" }), &["id", "keyId"])), "k");
    }
}
