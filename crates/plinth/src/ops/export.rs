//! `plinth ops audit export`: a log into a file, complete or not there.

use std::io::{IsTerminal as _, Write};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::{Args, ValueEnum};
use http_body_util::BodyExt as _;
use hyper::body::Incoming;
use indicatif::{ProgressBar, ProgressStyle};
use kernel::Moment;

use super::client::Client;
use super::failure::Failure;
use super::webhooks::moment;

/// How long each part may take to come.
const TIME_MAX: Duration = Duration::from_secs(60);
/// The header that says how many events there are.
const TOTAL: &str = "plinth-export-events";

/// What is written, and where.
#[derive(Args)]
pub struct Export {
    /// JSON lines or comma-separated values.
    #[arg(long, value_enum, default_value = "jsonl")]
    format: Format,
    /// Not before this moment. An export of a period cannot be verified.
    #[arg(long, value_name = "TIME", value_parser = moment)]
    from: Option<Moment>,
    /// Not after this moment.
    #[arg(long, value_name = "TIME", value_parser = moment)]
    to: Option<Moment>,
    /// The file; `-` is the standard output.
    #[arg(long, value_name = "FILE", default_value = "-")]
    output: PathBuf,
}

#[derive(Clone, Copy, PartialEq, ValueEnum)]
enum Format {
    Jsonl,
    Csv,
}

/// Writes the log. A file gets its name when everything is in it.
pub async fn run(arguments: Export, client: &Client) -> Result<(), Failure> {
    let name = match arguments.format {
        Format::Jsonl => "jsonl",
        Format::Csv => "csv",
    };
    let query = vec![
        ("format", Some(name.to_owned())),
        ("from", arguments.from.map(|from| from.to_string())),
        ("to", arguments.to.map(|to| to.to_string())),
    ];
    let answer = client.stream("/audit/export", query).await?;
    let total = answer.headers().get(TOTAL).and_then(|total| total.to_str().ok()?.parse().ok());
    let bar = bar(total);
    let path = &arguments.output;
    let mut writer = Writer { counted: Counted::default(), bar: &bar, format: arguments.format };
    if path.as_os_str() == "-" {
        writer.copy(answer.into_body(), &mut std::io::stdout().lock(), path).await?;
    } else {
        let part = path.with_extension("part");
        // Who did what, and from where, is for whoever asked and nobody else.
        let mut options = std::fs::OpenOptions::new();
        let options = options.create(true).write(true).truncate(true).mode(0o600);
        let file = options.open(&part).map_err(|error| unwritable(&part, &error))?;
        let mut file = std::io::BufWriter::new(file);
        writer.copy(answer.into_body(), &mut file, &part).await?;
        let synced =
            file.into_inner().map_err(|error| error.into_error()).and_then(|f| f.sync_all());
        synced
            .and_then(|()| std::fs::rename(&part, path))
            .map_err(|error| unwritable(path, &error))?;
    }
    bar.finish_and_clear();
    eprintln!("{} events were exported.", writer.counted.events(arguments.format));
    Ok(())
}

/// What has come so far.
#[derive(Default)]
struct Counted {
    lines: u64,
    /// The beginning of the line that is coming.
    line: Vec<u8>,
    /// Lines that are no events: header and checkpoints.
    others: u64,
    is_complete: bool,
}

impl Counted {
    fn events(&self, format: Format) -> u64 {
        match format {
            Format::Jsonl => self.lines.saturating_sub(self.others),
            Format::Csv => self.lines.saturating_sub(1),
        }
    }

    /// Looks at what came. The members of a line begin with its kind.
    fn add(&mut self, bytes: &[u8]) {
        const KIND_MAX: usize = 64;
        for part in bytes.split_inclusive(|byte| *byte == b'\n') {
            let room = KIND_MAX.saturating_sub(self.line.len());
            self.line.extend(part.iter().take(room));
            if part.ends_with(b"\n") {
                self.lines += 1;
                let starts =
                    |kind: &str| self.line.starts_with(format!("{{\"kind\":\"{kind}\"").as_bytes());
                self.is_complete = starts("head");
                self.others += u64::from(!starts("event"));
                self.line.clear();
            }
        }
    }
}

struct Writer<'b> {
    counted: Counted,
    bar: &'b ProgressBar,
    format: Format,
}

impl Writer<'_> {
    async fn copy(
        &mut self,
        mut body: Incoming,
        output: &mut impl Write,
        path: &Path,
    ) -> Result<(), Failure> {
        loop {
            let frame = tokio::time::timeout(TIME_MAX, body.frame()).await;
            let broke =
                |why: &str| Failure::other(format!("The export broke off: {why}. Run it again."));
            let frame = match frame.map_err(|_| broke("nothing came any more"))? {
                None => break,
                Some(frame) => frame.map_err(|error| broke(&error.to_string()))?,
            };
            if let Some(bytes) = frame.data_ref() {
                output.write_all(bytes).map_err(|error| unwritable(path, &error))?;
                self.counted.add(bytes);
                self.bar.set_position(self.counted.events(self.format));
            }
        }
        output.flush().map_err(|error| unwritable(path, &error))?;
        if self.format == Format::Jsonl && !self.counted.is_complete {
            let why =
                "The export broke off before its end: the server's log says why. Run it again.";
            return Err(Failure::other(why));
        }
        Ok(())
    }
}

fn bar(total: Option<u64>) -> ProgressBar {
    if !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let (bar, template) = match total {
        Some(total) => (ProgressBar::new(total), "{wide_bar} {pos}/{len} events, {eta} left"),
        None => (ProgressBar::new_spinner(), "{spinner} {pos} events, {elapsed}"),
    };
    match ProgressStyle::with_template(template) {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}

fn unwritable(path: &Path, error: &std::io::Error) -> Failure {
    if path.as_os_str() == "-" {
        crate::output::end(error);
    }
    Failure::other(format!("{} cannot be written: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_are_counted_and_a_missing_end_is_noticed_however_the_parts_fall() {
        let text = "{\"kind\":\"header\",\"a\":1}\n{\"kind\":\"checkpoint\"}\n{\"kind\":\"event\",\"x\":\"y\"}\n\
                    {\"kind\":\"event\"}\n{\"kind\":\"head\",\"z\":2}\n";
        for size in [1, 7, 1000] {
            let mut counted = Counted::default();
            text.as_bytes().chunks(size).for_each(|part| counted.add(part));
            assert_eq!((counted.events(Format::Jsonl), counted.is_complete), (2, true), "{size}");
        }
        let mut cut = Counted::default();
        cut.add(&text.as_bytes()[..text.len() - 2]);
        assert!(!cut.is_complete);
    }
}
