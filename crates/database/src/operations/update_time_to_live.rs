//! UpdateTimeToLive: name the attribute that says when an item expires.
#![expect(missing_docs, reason = "the fields are DynamoDB's own, described in its API reference")]

use crate::catalog::{TableDefinition, TimeToLiveDefinition};
use crate::definition_checks::{Members, managed_table_name, texts};
use crate::shapes::TimestampMillis;
use crate::{Database, Error, table_description};

/// Time to live is changed once in this time (rule 61).
const INTERVAL_MILLIS: u64 = 3_600_000;

#[derive(Clone, Debug, Default, PartialEq)]
pub struct UpdateTimeToLiveRequest {
    pub table_name: String,
    pub attribute_name: String,
    pub enabled: bool,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct UpdateTimeToLiveResponse {
    pub attribute_name: String,
    pub enabled: bool,
}

impl Database {
    /// UpdateTimeToLive: name the attribute that says when an item expires, or let items stay. Any
    /// attribute will do, also a key (rule 61).
    pub async fn update_time_to_live(
        &self,
        request: UpdateTimeToLiveRequest,
    ) -> Result<UpdateTimeToLiveResponse, Error> {
        let name =
            managed_table_name(self.options(), "UpdateTimeToLive", &request.table_name)?.to_owned();
        let UpdateTimeToLiveRequest { attribute_name, enabled, .. } = request;
        let mut members = Members::default();
        members.length(&attribute_name, "timeToLiveSpecification.attributeName", 1, 255);
        members.finish()?;
        let attribute = attribute_name.clone();
        self.commit(move |transaction| {
            let table = table_description::find(transaction.catalog(), &name)?.clone();
            let mut definition = table.definition().clone();
            let now = transaction.now_millis();
            check(&definition, &attribute, enabled, now)?;
            definition.time_to_live = if enabled {
                let backfilling = transaction.counters_of(&table)?.table.items > 0;
                Some(TimeToLiveDefinition { attribute_name: attribute, backfilling })
            } else {
                None
            };
            definition.time_to_live_changed = Some(now);
            transaction.put_table(definition);
            Ok(())
        })
        .await?;
        self.background().wake();
        Ok(UpdateTimeToLiveResponse { attribute_name, enabled })
    }
}

/// What is so already is said before that it is too soon.
fn check(
    table: &TableDefinition,
    attribute_name: &str,
    enabled: bool,
    now: TimestampMillis,
) -> Result<(), Error> {
    let refused = |text: String| Err(Error::Validation(text));
    match &table.time_to_live {
        None if !enabled => return refused("TimeToLive is already disabled".to_owned()),
        Some(current) if current.attribute_name != attribute_name => {
            return refused(format!(
                "TimeToLive is active on a different AttributeName: current AttributeName is {}",
                current.attribute_name
            ));
        }
        Some(_) if enabled => return refused("TimeToLive is already enabled".to_owned()),
        _ => {}
    }
    let changed = table.time_to_live_changed;
    if changed.is_some_and(|changed| now < changed + INTERVAL_MILLIS) {
        return refused(texts::TIME_TO_LIVE_TOO_SOON.to_owned());
    }
    Ok(())
}
