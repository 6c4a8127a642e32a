//! ListStreams: the streams of one table or of all.
#![expect(missing_docs, reason = "the fields are DynamoDB's own, described in its API reference")]

use values::limits;

use crate::catalog::StreamDefinition;
use crate::{Database, Error, streams};

#[derive(Clone, Debug, Default, PartialEq)]
pub struct ListStreamsRequest {
    pub table_name: Option<String>,
    pub limit: Option<i64>,
    pub exclusive_start_stream_arn: Option<String>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct StreamSummary {
    pub stream_arn: String,
    pub stream_label: String,
    pub table_name: String,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct ListStreamsResponse {
    pub streams: Vec<StreamSummary>,
    pub last_evaluated_stream_arn: Option<String>,
}

impl Database {
    /// ListStreams: the streams of one table or of all. In the order of table names and labels, so
    /// that a page can follow a stream that is gone meanwhile. Streams that were disabled, or whose
    /// table was deleted, are listed while they can be read (rule 59).
    pub async fn list_streams(
        &self,
        request: ListStreamsRequest,
    ) -> Result<ListStreamsResponse, Error> {
        let limit = streams::check_limit(request.limit, limits::LIST_STREAMS_MAX)?;
        let start = request.exclusive_start_stream_arn.as_deref();
        let start =
            start.map(|arn| streams::parse_arn(arn, "exclusiveStartStreamArn")).transpose()?;
        self.check_running()?;
        let now = self.clock().now_millis();
        let catalog = self.catalog();
        let mut listed: Vec<_> = catalog
            .streams
            .values()
            .filter(|stream| streams::is_kept(stream, now))
            .filter(|stream| {
                request.table_name.as_ref().is_none_or(|name| *name == stream.table_name)
            })
            .filter(|stream| start.is_none_or(|start| name_and_label(stream) > start))
            .collect();
        listed.sort_by(|one, other| name_and_label(one).cmp(&name_and_label(other)));
        let has_more = listed.len() > limit;
        listed.truncate(limit);
        let summaries: Vec<StreamSummary> = listed
            .into_iter()
            .map(|stream| StreamSummary {
                stream_arn: self.stream_arn_of(stream),
                stream_label: stream.label.clone(),
                table_name: stream.table_name.clone(),
            })
            .collect();
        let last = summaries.last().filter(|_| has_more);
        Ok(ListStreamsResponse {
            last_evaluated_stream_arn: last.map(|summary| summary.stream_arn.clone()),
            streams: summaries,
        })
    }
}

fn name_and_label(stream: &StreamDefinition) -> (&str, &str) {
    (&stream.table_name, &stream.label)
}
