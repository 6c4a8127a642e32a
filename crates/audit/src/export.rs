//! A whole account's log, a piece at a time: as JSON lines that can be verified anywhere, or as a
//! sheet. Or the part of it that a period has, which proves nothing and says so.

use std::collections::VecDeque;

use kernel::error::Error;
use kernel::moment::Moment;
use serde::{Deserialize, Serialize};
use store::{Raw, Record as _};

use super::checkpoint::Checkpoint;
use super::head::Head;
use super::reference::Reference;
use super::row::Row;
use super::signing::PublicKey;
use super::walk::Walk;
use super::{Audit, Entry, sheet};

/// How an export is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// One JSON object on each line: header, checkpoints, events, end.
    JsonLines,
    /// Comma-separated values with a heading.
    Csv,
}

/// A piece of an export.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Progress {
    /// The bytes.
    pub bytes: Vec<u8>,
    /// Events that have been written, this piece included.
    pub done: u64,
    /// Events that there are, those that expired aside. Of a period it is not known beforehand.
    pub total: Option<u64>,
}

/// From when to when, both included; everything by default.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Period {
    /// Not before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<Moment>,
    /// Not after.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<Moment>,
}

impl Period {
    /// Whether nothing is left out.
    pub fn is_everything(&self) -> bool {
        *self == Period::default()
    }
}

/// A line of an export.
#[derive(Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub(super) enum Line {
    Header {
        account: String,
        exported_at: Moment,
        public_keys: Vec<PublicKey>,
        #[serde(flatten)]
        period: Period,
    },
    Checkpoint(Checkpoint),
    Event(Box<Row>),
    Head(Head),
}

/// An export on its way.
pub struct Export {
    audit: Audit,
    format: Format,
    period: Period,
    head: Head,
    opening: Vec<Line>,
    walk: Walk,
    read: VecDeque<Row>,
    began: bool,
    first: Option<u64>,
    done: u64,
    ended: bool,
}

/// Events of one piece.
const PIECE_EVENTS: usize = 200;

impl Audit {
    /// Starts an export. What the chain holds is sealed first, so that a signature covers every event
    /// of it. Exporting is itself recorded: see [`Export::entry`].
    pub async fn export(
        &self,
        account: &str,
        format: Format,
        period: Period,
    ) -> Result<Export, Error> {
        self.seal(account).await?;
        let mut locked = self.lock([account.to_owned()].into()).await;
        locked.load().await?;
        let head = locked.head(account)?.clone();
        drop(locked);
        let header = Line::Header {
            account: account.to_owned(),
            exported_at: self.now(),
            public_keys: self.inner.signing.public_keys(),
            period,
        };
        let checkpoints = self.checkpoints(account).await?.into_iter();
        let checkpoints = checkpoints.filter(|one| one.number() <= head.checkpoint);
        let opening = [header].into_iter().chain(checkpoints.map(Line::Checkpoint)).collect();
        let from = period.from.unwrap_or(Moment::from_millis(0));
        let to = period.to.unwrap_or(Moment::from_millis(u64::MAX));
        Ok(Export {
            audit: self.clone(),
            format,
            period,
            head,
            opening,
            walk: self.walk_between(account, from, to),
            read: VecDeque::new(),
            began: false,
            first: None,
            done: 0,
            ended: false,
        })
    }
}

impl Export {
    /// That somebody exported a log, to be recorded.
    pub fn entry(account: &str, format: Format, period: Period) -> Entry {
        let format = match format {
            Format::JsonLines => "jsonl",
            Format::Csv => "csv",
        };
        let entry = Entry::new("AUDIT", "AUDIT_LOG_EXPORTED", account).detail("format", format);
        let ends = [("from", period.from), ("to", period.to)];
        let given = ends.into_iter().filter_map(|(name, end)| Some((name, end?)));
        given.fold(entry, |entry, (name, end)| entry.detail(name, end.to_string()))
    }

    /// The next piece; nothing at the end.
    pub async fn next(&mut self) -> Result<Option<Progress>, Error> {
        if self.ended {
            return Ok(None);
        }
        let mut bytes = Vec::new();
        if !self.began {
            self.began = true;
            self.open(&mut bytes)?;
        }
        for _ in 0..PIECE_EVENTS {
            let row = self.next_event().await?;
            let Some(row) = row.filter(|row| row.sequence <= self.head.sequence) else {
                self.close(&mut bytes)?;
                break;
            };
            self.first.get_or_insert(row.sequence);
            self.done += 1;
            match self.format {
                Format::Csv => bytes.extend(sheet::row_line(&row)?),
                Format::JsonLines => put(&mut bytes, &Line::Event(Box::new(row)))?,
            }
        }
        let total = self.period.is_everything().then(|| match self.first {
            Some(first) => self.head.sequence + 1 - first,
            None => 0,
        });
        Ok(Some(Progress { bytes, done: self.done, total }))
    }

    /// The next event along the chain that is there.
    async fn next_event(&mut self) -> Result<Option<Row>, Error> {
        while self.read.is_empty() {
            let Some(page) = self.walk.next_page().await? else { break };
            let page = page.map_err(Error::internal)?.into_iter();
            let references = page.map(|Raw(item)| Reference::from_item(item));
            let references = references.collect::<Result<Vec<_>, _>>()?;
            let events = self.audit.events(&self.head.account, &references).await?;
            self.read.extend(events.into_iter().flatten());
        }
        Ok(self.read.pop_front())
    }

    fn open(&mut self, bytes: &mut Vec<u8>) -> Result<(), Error> {
        match self.format {
            Format::Csv => {
                let origin = super::Origin::system("audit");
                let sample = Row::draft(&Entry::new("", "", ""), &origin, self.head.timestamp);
                bytes.extend(sheet::line(sheet::heading(&sample))?);
                Ok(())
            }
            Format::JsonLines => {
                let mut lines = std::mem::take(&mut self.opening).into_iter();
                lines.try_for_each(|line| put(bytes, &line))
            }
        }
    }

    fn close(&mut self, bytes: &mut Vec<u8>) -> Result<(), Error> {
        self.ended = true;
        match self.format {
            Format::Csv => Ok(()),
            Format::JsonLines => put(bytes, &Line::Head(self.head.clone())),
        }
    }
}

fn put(bytes: &mut Vec<u8>, line: &Line) -> Result<(), Error> {
    serde_json::to_writer(&mut *bytes, line).map_err(Error::internal)?;
    bytes.push(b'\n');
    Ok(())
}
