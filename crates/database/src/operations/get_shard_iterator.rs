//! GetShardIterator: a place in a shard to read from.
#![expect(missing_docs, reason = "the fields are DynamoDB's own, described in its API reference")]

use crate::catalog::ShardDefinition;
use crate::streams::iterator::ShardIterator;
use crate::streams::position::Position;
use crate::streams::view::StreamView;
use crate::streams::{self, shard};
use crate::{Database, Error, text};

const SEQUENCE_NUMBER_LENGTH_MIN: usize = 21;
const SEQUENCE_NUMBER_LENGTH_MAX: usize = 40;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShardIteratorType {
    TrimHorizon,
    Latest,
    AtSequenceNumber,
    AfterSequenceNumber,
}

#[derive(Clone, Debug, PartialEq)]
pub struct GetShardIteratorRequest {
    pub stream_arn: String,
    pub shard_id: String,
    pub shard_iterator_type: ShardIteratorType,
    pub sequence_number: Option<String>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct GetShardIteratorResponse {
    pub shard_iterator: String,
}

impl Database {
    /// GetShardIterator: a place in a shard to read from.
    pub async fn get_shard_iterator(
        &self,
        request: GetShardIteratorRequest,
    ) -> Result<GetShardIteratorResponse, Error> {
        shard::check_id(&request.shard_id, "shardId")?;
        if let Some(number) = &request.sequence_number {
            streams::check_length(
                number,
                "sequenceNumber",
                SEQUENCE_NUMBER_LENGTH_MIN,
                SEQUENCE_NUMBER_LENGTH_MAX,
            )?;
        }
        let start = start_of(&request)?;
        let stream = self.stream_with_arn(&request.stream_arn)?;
        let view = StreamView::open(self, stream.number)?;
        let view = view
            .ok_or_else(|| Error::ResourceNotFound(text::stream_not_found(&request.stream_arn)))?;
        let shard = view.shard_with_id(&request.shard_id).ok_or_else(|| {
            let message = text::shard_not_found(&request.shard_id, &request.stream_arn);
            Error::ResourceNotFound(message)
        })?;
        let iterator = ShardIterator {
            stream: stream.number,
            shard: shard.number,
            next: first_record(&view, shard, start)?,
            issued: view.now,
        };
        Ok(GetShardIteratorResponse { shard_iterator: iterator.encode() })
    }
}

/// Where the request wants to start.
enum Start {
    TrimHorizon,
    Latest,
    At(Position),
    After(Position),
}

fn start_of(request: &GetShardIteratorRequest) -> Result<Start, Error> {
    let validation = |message: &str| Error::Validation(message.to_owned());
    let number = request.sequence_number.as_deref();
    let required = || {
        let number = number.ok_or_else(|| validation(text::SEQUENCE_NUMBER_MISSING))?;
        Position::parse(number).ok_or_else(|| validation(text::SEQUENCE_NUMBER_INVALID))
    };
    let kind = request.shard_iterator_type;
    match kind {
        ShardIteratorType::TrimHorizon | ShardIteratorType::Latest if number.is_some() => {
            Err(validation(text::SEQUENCE_NUMBER_UNEXPECTED))
        }
        ShardIteratorType::TrimHorizon => Ok(Start::TrimHorizon),
        ShardIteratorType::Latest => Ok(Start::Latest),
        ShardIteratorType::AtSequenceNumber => required().map(Start::At),
        ShardIteratorType::AfterSequenceNumber => required().map(Start::After),
    }
}

/// The first record to read: one that is there, or the end of the shard.
fn first_record(
    view: &StreamView,
    shard: &ShardDefinition,
    start: Start,
) -> Result<Position, Error> {
    let shard_end = shard::end(shard);
    let end = match shard_end {
        Some(end) => end,
        None => view.end()?,
    };
    let from = match start {
        Start::Latest => return Ok(end),
        Start::TrimHorizon => Position::start_of(view.first_kept_sequence()?),
        Start::At(place) | Start::After(place) => {
            let first = Position::start_of(shard.first_sequence);
            if place < first || place > end.max(first) {
                return Err(Error::Validation(text::SEQUENCE_NUMBER_INVALID.to_owned()));
            }
            if view.is_trimmed(place.sequence)? {
                return Err(Error::TrimmedDataAccess(text::TRIMMED_DATA.to_owned()));
            }
            if matches!(start, Start::After(_)) { place.next() } else { place }
        }
    };
    view.records_from(shard, from).next().unwrap_or(Ok(end))
}
