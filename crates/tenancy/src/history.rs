//! What happened to a tenant, newest first (R002-5.7-7).

use kernel::moment::in_order;
use kernel::{Error, Moment};
use store::{Page, Test};
use web::Context;

use crate::Tenancy;
use crate::records::HistoryEvent;

/// Which part of the history is asked for.
#[derive(Clone, Debug, Default)]
pub struct Wanted {
    pub event_type: Option<String>,
    pub actor: Option<String>,
    pub from: Option<Moment>,
    pub to: Option<Moment>,
    pub limit: u32,
    pub token: Option<String>,
}

/// Moments before and after all others, as far as the form of times reaches.
const FIRST: &str = "0000";
const LAST: &str = "9999";

impl Tenancy {
    pub(crate) async fn history(
        &self,
        context: &Context,
        tenant_id: &str,
        wanted: &Wanted,
    ) -> Result<Page<HistoryEvent>, Error> {
        in_order(wanted.from, wanted.to)?;
        let text = |moment: Option<Moment>, usual: &str| {
            moment.map_or_else(|| usual.to_owned(), |moment| moment.to_string())
        };
        // An event's identifier follows the moment: everything of the last moment is included.
        let (from, to) = (text(wanted.from, FIRST), format!("{}~", text(wanted.to, LAST)));
        let mut access = self.table()?.access("list-events")?;
        access = access.with("tenantId", tenant_id)?.with("from", from)?.with("to", to)?;
        let filters = [("eventType", &wanted.event_type), ("actor", &wanted.actor)];
        for (name, value) in filters {
            if let Some(value) = value {
                access = access.filter(name, Test::Equals(value.as_str().into()))?;
            }
        }
        Ok(access.page(context.caller.id(), wanted.limit, wanted.token.as_deref()).await?)
    }
}
