//! Streams and encryption.

use super::texts;
use crate::Error;
use crate::catalog::TableDefinition;
use crate::shapes::{SseSpecification, SseType, StreamSpecification};

/// CreateTable: a view type belongs to an enabled stream, and only to that (rule 65).
pub fn stream_of_new_table(specification: Option<StreamSpecification>) -> Result<(), Error> {
    let Some(specification) = specification else { return Ok(()) };
    match (specification.stream_enabled, specification.stream_view_type) {
        (true, None) => Err(texts::invalid(
            "Table is being created with a stream enabled, UpdateViewType is required",
        )),
        (false, Some(_)) => Err(texts::invalid(
            "Table is being created with a stream disabled, UpdateViewType should not be specified",
        )),
        _ => Ok(()),
    }
}

/// UpdateTable, before the table is looked at.
pub fn stream_of_update(specification: Option<StreamSpecification>) -> Result<(), Error> {
    let Some(specification) = specification else { return Ok(()) };
    match (specification.stream_enabled, specification.stream_view_type) {
        (true, None) => {
            Err(texts::invalid("If stream is being enabled then UpdateViewType is required"))
        }
        (false, Some(_)) => Err(texts::invalid(
            "If stream is being disabled, then UpdateViewType must not be specified",
        )),
        _ => Ok(()),
    }
}

/// UpdateTable: a stream cannot be enabled or disabled twice, nor its view type changed (rule 59).
pub fn stream_changes(
    table: &TableDefinition,
    specification: Option<StreamSpecification>,
) -> Result<(), Error> {
    let Some(specification) = specification else { return Ok(()) };
    let name = &table.name;
    match (specification.stream_enabled, table.stream) {
        (true, Some(_)) => Err(Error::Validation(format!(
            "Table already has an enabled stream: TableName: {name}"
        ))),
        (false, None) => {
            Err(Error::Validation(format!("Table has no stream to disable: TableName: {name}")))
        }
        _ => Ok(()),
    }
}

/// The members of an encryption specification must agree.
pub fn encryption(specification: Option<&SseSpecification>) -> Result<(), Error> {
    let Some(specification) = specification else { return Ok(()) };
    let SseSpecification { enabled, sse_type, kms_master_key_id } = specification;
    if *enabled == Some(false) {
        if sse_type.is_some() {
            return Err(texts::invalid("SSEType can not be specified if Enabled is false"));
        }
        if kms_master_key_id.is_some() {
            return Err(texts::invalid("KMSMasterKeyId can not be specified if Enabled is false"));
        }
    }
    match (sse_type, kms_master_key_id) {
        (Some(SseType::Aes256), _) => Err(texts::invalid("SSEType AES256 is not supported")),
        (None, Some(_)) => {
            Err(texts::invalid("SSEType KMS is required if KMSMasterKeyId is specified"))
        }
        _ => Ok(()),
    }
}

/// UpdateTable: what a table has already cannot be asked for again. `key_arn` is the requested key.
pub fn encryption_changes(
    table: &TableDefinition,
    specification: &SseSpecification,
    key_arn: Option<&str>,
) -> Result<(), Error> {
    let is_on = specification.enabled == Some(true) || specification.sse_type.is_some();
    if !is_on && table.sse.is_none() {
        return Err(texts::invalid("Table is already encrypted by default"));
    }
    let current = table.sse.as_ref().map(|(_, arn)| arn.as_str());
    if key_arn.is_some() && key_arn == current {
        return Err(texts::invalid(
            "Table is already encrypted with given KMSMasterKeyId. Use KMSMasterKeyId parameter if \
             you want to change Master Key",
        ));
    }
    Ok(())
}
