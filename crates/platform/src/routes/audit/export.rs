//! A log leaves, whole or of a period, as JSON lines that can be verified anywhere, or as a sheet.
//!
//! It is streamed: a log is as large as it is, and its pieces are made only as fast as the client takes
//! them.

use audit::{Export, Format, Period};
use bytes::Bytes;
use futures_util::stream;
use http::header::CONTENT_DISPOSITION;
use http::{HeaderName, HeaderValue};
use kernel::error::Error;
use kernel::moment::{Moment, in_order};
use serde::Deserialize;
use utoipa::ToSchema;
use web::{Allowed, Answer, Api, Params, Route, State};

use super::{WHOLE_LOG_TIME, record_read};
use crate::permissions::AuditExport;
use crate::platform::Platform;

/// How many events an export of the whole log has, for those who show progress.
const EVENTS: HeaderName = HeaderName::from_static("plinth-export-events");

/// The same with this route.
pub(super) fn routes(api: Api<Platform>) -> Api<Platform> {
    let export = Route::get("/audit/export", "exportAuditLog")
        .summary("Exports the log as JSON lines or CSV. Exporting is itself recorded")
        .answers_text(&["application/x-ndjson", "text/csv"], "The log, streamed")
        .time_max(WHOLE_LOG_TIME);
    api.route(export, export_log)
}

/// How a log is exported.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AuditExportQuestion {
    /// As JSON lines, which `plinth ops audit verify-file` takes, or as a sheet.
    pub format: Option<AuditExportFormat>,
    /// Not before. An export of a period cannot be verified.
    pub from: Option<Moment>,
    /// Not after.
    pub to: Option<Moment>,
    /// Another account than the caller's own, for those who may export everywhere.
    #[schema(max_length = 200, pattern = "^[A-Za-z0-9][A-Za-z0-9._:-]*$")]
    pub account_id: Option<String>,
}

/// How an export is written.
#[derive(Clone, Copy, Debug, Default, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum AuditExportFormat {
    /// One JSON object on each line: header, checkpoints, events, end.
    #[default]
    Jsonl,
    /// Comma-separated values with a heading.
    Csv,
}

async fn export_log(
    allowed: Allowed<AuditExport>,
    State(platform): State<Platform>,
    Params(question): Params<AuditExportQuestion>,
) -> Result<Answer, Error> {
    let account = allowed.account(question.account_id.as_deref())?;
    let period = Period { from: question.from, to: question.to };
    in_order(period.from, period.to)?;
    let (format, kind, ending) = match question.format.unwrap_or_default() {
        AuditExportFormat::Jsonl => (Format::JsonLines, "application/x-ndjson", "jsonl"),
        AuditExportFormat::Csv => (Format::Csv, "text/csv; charset=utf-8", "csv"),
    };
    record_read(&platform, allowed.context(), Export::entry(account, format, period)).await?;
    let mut export = platform.audit().export(account, format, period).await?;
    // What goes wrong at the beginning can still be told.
    let first = export.next().await?;
    let (bytes, total) = first.map_or((Vec::new(), None), |first| (first.bytes, first.total));
    let rest = stream::try_unfold(export, |mut export| async move {
        let piece = export.next().await?;
        Ok::<_, Error>(piece.map(|piece| (Bytes::from(piece.bytes), export)))
    });
    let name = format!("attachment; filename=\"audit-{}.{ending}\"", platform.now().day());
    let name = HeaderValue::try_from(name).map_err(Error::internal)?;
    let mut answer = Answer::bytes(kind, bytes).with(CONTENT_DISPOSITION, name);
    if let Some(total) = total {
        answer = answer.with(EVENTS, HeaderValue::from(total));
    }
    Ok(answer.followed_by(rest))
}
