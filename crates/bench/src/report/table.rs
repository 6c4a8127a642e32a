//! Text in columns: the first to the left, all others to the right.

use std::fmt;

/// A table that is printed when it is full.
pub struct Table {
    rows: Vec<Row>,
}

enum Row {
    Cells(Vec<String>),
    Rule,
}

impl Table {
    /// A table with these headings.
    pub fn new(headings: &[&str]) -> Table {
        let headings = headings.iter().map(|&heading| heading.to_owned()).collect();
        Table { rows: vec![Row::Cells(headings), Row::Rule] }
    }

    /// One more row.
    pub fn row(&mut self, cells: Vec<String>) {
        self.rows.push(Row::Cells(cells));
    }

    fn widths(&self) -> Vec<usize> {
        let mut widths = Vec::new();
        for row in &self.rows {
            let Row::Cells(cells) = row else { continue };
            widths.resize(widths.len().max(cells.len()), 0);
            for (width, cell) in widths.iter_mut().zip(cells) {
                *width = (*width).max(cell.chars().count());
            }
        }
        widths
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let widths = self.widths();
        for row in &self.rows {
            let mut line = String::new();
            for (column, &width) in widths.iter().enumerate() {
                let cell = match row {
                    Row::Cells(cells) => cells.get(column).cloned().unwrap_or_default(),
                    Row::Rule => "─".repeat(width),
                };
                let gap = if column == 0 { "" } else { "  " };
                line += &match column {
                    0 => format!("{gap}{cell:<width$}"),
                    _ => format!("{gap}{cell:>width$}"),
                };
            }
            writeln!(f, "{}", line.trim_end())?;
        }
        Ok(())
    }
}

/// A figure for people: three digits that matter, thousands apart.
pub fn figure(value: f64) -> String {
    if !value.is_finite() {
        return "?".to_owned();
    }
    match value.abs() {
        size if size < 10.0 => format!("{value:.2}"),
        size if size < 100.0 => format!("{value:.1}"),
        _ => grouped(&format!("{value:.0}")),
    }
}

fn grouped(digits: &str) -> String {
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_line_up() {
        let mut table = Table::new(&["name", "µs"]);
        table.row(vec!["a".to_owned(), "10,000".to_owned()]);
        table.row(vec!["longer".to_owned()]);
        assert_eq!(table.to_string(), "name        µs\n──────  ──────\na       10,000\nlonger\n");
    }

    #[test]
    fn figures_have_the_digits_that_matter() {
        let cases = [(0.0, "0.00"), (1.234, "1.23"), (12.34, "12.3"), (123.4, "123")];
        for (value, text) in cases {
            assert_eq!(figure(value), text);
        }
        assert_eq!(figure(1_234_567.8), "1,234,568");
        assert_eq!(figure(f64::NAN), "?");
    }
}
