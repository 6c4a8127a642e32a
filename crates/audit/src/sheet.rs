//! Events as rows of a sheet. A cell that a spreadsheet would take for a formula begins with an
//! apostrophe, which makes it text.

use kernel::error::Error;

use super::row::Row;

/// The names of the columns.
pub(super) fn heading(row: &Row) -> Vec<&'static str> {
    row.fields().iter().map(|(name, _)| *name).chain(["hash"]).collect()
}

/// One line.
pub(super) fn line<'a>(cells: impl IntoIterator<Item = &'a str>) -> Result<Vec<u8>, Error> {
    let mut writer =
        csv::WriterBuilder::new().terminator(csv::Terminator::CRLF).from_writer(vec![]);
    let cells: Vec<String> = cells.into_iter().map(harmless).collect();
    writer.write_record(&cells).map_err(Error::internal)?;
    writer.into_inner().map_err(Error::internal)
}

/// An event's line.
pub(super) fn row_line(row: &Row) -> Result<Vec<u8>, Error> {
    let fields = row.fields();
    let cells = fields.iter().map(|(_, text)| text.as_deref().unwrap_or_default());
    line(cells.chain([row.hash.as_str()]))
}

fn harmless(cell: &str) -> String {
    let dangerous =
        cell.starts_with(['=', '+', '-', '@', '\t', '\r', '\n', '＝', '＋', '－', '＠']);
    if dangerous { format!("'{cell}") } else { cell.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formulas_become_text_and_quotes_are_doubled() {
        let line = line(["=HYPERLINK(\"x\")", "a,b", "@SUM", "plain"]).unwrap();
        let text = String::from_utf8(line).unwrap();
        assert_eq!(text, "\"'=HYPERLINK(\"\"x\"\")\",\"a,b\",'@SUM,plain\r\n");
    }
}
