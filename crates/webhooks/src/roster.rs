//! How many endpoints an account may have, also when several are made at one moment: whoever makes one
//! counts those that there are, and changes the account's roster with it, which only one can do.

use kernel::error::{CONFLICT, Error};
use patterns::platform::WebhookEvents;
use serde::{Deserialize, Serialize};
use store::Write;

use crate::records::Endpoint;

/// Most endpoints of an account. Every event looks at each of them.
pub const ENDPOINTS_MAX: u32 = 50;

/// That endpoints of an account are made one after the other.
#[derive(Serialize, Deserialize)]
struct Roster {
    account_id: String,
    /// Counts the endpoints that were ever made.
    revision: i64,
}

/// The write that goes with making another endpoint. Its condition is false if somebody else has just
/// made one: then count again.
pub(crate) async fn room_for_another(table: &WebhookEvents, account: &str) -> Result<Write, Error> {
    let roster = table.get_roster(account).get::<Roster>().await?;
    let revision = roster.map_or(0, |roster| roster.revision);
    // Read after the roster, so that whatever is missed here changed the roster since.
    let list = table.list_endpoints(account);
    let endpoints = list.page::<Endpoint>("", ENDPOINTS_MAX, None).await?.items.len();
    if endpoints >= ENDPOINTS_MAX as usize {
        let message =
            format!("An account has at most {ENDPOINTS_MAX} webhook endpoints: delete one first");
        return Err(Error::new(CONFLICT, message).detail("limit", ENDPOINTS_MAX));
    }
    let next = Roster { account_id: account.to_owned(), revision: revision + 1 };
    Ok(table.put_roster(revision).put(&next)?)
}
