//! GetRecords: the change records from a place in a shard.
#![expect(missing_docs, reason = "the fields are DynamoDB's own, described in its API reference")]

use values::{Item, limits};

use crate::log::Change;
use crate::shapes::{StreamViewType, TimestampMillis};
use crate::streams::iterator::ShardIterator;
use crate::streams::position::Position;
use crate::streams::view::{StreamView, damaged};
use crate::streams::{self, record, shard};
use crate::{Database, Error, text};

#[derive(Clone, Debug, Default, PartialEq)]
pub struct GetRecordsRequest {
    pub shard_iterator: String,
    pub limit: Option<i64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventName {
    Insert,
    Modify,
    Remove,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Record {
    pub event_id: String,
    pub event_name: EventName,
    pub aws_region: String,
    pub approximate_creation_date_time: TimestampMillis,
    pub keys: Item,
    pub new_image: Option<Item>,
    pub old_image: Option<Item>,
    pub sequence_number: String,
    pub size_bytes: u64,
    pub stream_view_type: StreamViewType,
    /// True for a deletion by time to live: `userIdentity` names the service.
    pub by_time_to_live: bool,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct GetRecordsResponse {
    pub records: Vec<Record>,
    /// Absent at the end of a closed shard.
    pub next_shard_iterator: Option<String>,
}

impl Database {
    /// GetRecords: the change records from a place in a shard.
    pub async fn get_records(
        &self,
        request: GetRecordsRequest,
    ) -> Result<GetRecordsResponse, Error> {
        let limit = streams::check_limit(request.limit, limits::GET_RECORDS_MAX)?;
        let iterator = ShardIterator::decode(&request.shard_iterator, self.clock().now_millis())?;
        let trimmed = || Error::TrimmedDataAccess(text::TRIMMED_DATA.to_owned());
        let view = StreamView::open(self, iterator.stream)?
            .ok_or_else(|| Error::ResourceNotFound(text::RESOURCE_NOT_FOUND.to_owned()))?;
        let shard = view.shard(iterator.shard).ok_or_else(trimmed)?;
        if shard::end(shard).is_some_and(|end| iterator.next >= end) {
            return Ok(GetRecordsResponse::default());
        }
        if view.is_trimmed(iterator.next.sequence)? {
            return Err(trimmed());
        }
        let mut page = Page { records: Vec::new(), size_bytes: 0, limit };
        let region = &self.options().region;
        let rest = page.fill(&view, region, view.records_from(shard, iterator.next))?;
        let next = match (rest, shard::end(shard)) {
            (Some(place), _) => Some(place),
            (None, Some(_)) => None,
            // Nothing is left for now: go on after everything this snapshot holds, so that a reader
            // who polls an idle stream never falls behind the trim point.
            (None, None) => Some(view.end()?.max(iterator.next)),
        };
        let next_iterator = |next| ShardIterator { next, issued: view.now, ..iterator }.encode();
        Ok(GetRecordsResponse {
            records: page.records,
            next_shard_iterator: next.map(next_iterator),
        })
    }
}

/// The records of one answer.
struct Page {
    records: Vec<Record>,
    size_bytes: u64,
    limit: usize,
}

impl Page {
    /// Takes records until the page is full; gives the place of the first that found no room.
    fn fill(
        &mut self,
        view: &StreamView,
        region: &str,
        places: impl Iterator<Item = Result<Position, Error>>,
    ) -> Result<Option<Position>, Error> {
        let mut places = places.peekable();
        while let Some(place) = places.next() {
            let place = place?;
            let sequence = place.sequence;
            let Some(commit) = view.commit(sequence)? else { return Err(damaged()) };
            let mut wanted = Some(place);
            for (number, change) in commit.changes().enumerate() {
                let Some(place) = wanted else { break };
                if usize::from(place.change) != number {
                    continue;
                }
                let Some(Change::Item(change)) = change else { return Err(damaged()) };
                let record = record::build(&view.stream, region, &commit, place, &change)?;
                if !self.takes(&record) {
                    return Ok(Some(place));
                }
                self.size_bytes += record.size_bytes;
                self.records.push(record);
                let same_commit = |next: &Result<Position, Error>| {
                    next.as_ref().map_or(true, |next| next.sequence == sequence)
                };
                wanted = places.next_if(same_commit).transpose()?;
            }
            if wanted.is_some() {
                return Err(damaged());
            }
        }
        Ok(None)
    }

    /// A page holds up to `Limit` records and 1 MB (rule 60); a single record always fits.
    fn takes(&self, record: &Record) -> bool {
        let size_bytes_max = limits::GET_RECORDS_BYTES_MAX as u64;
        self.records.is_empty()
            || (self.records.len() < self.limit
                && self.size_bytes + record.size_bytes <= size_bytes_max)
    }
}
