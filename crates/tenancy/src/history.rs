//! What happened to a tenant, newest first (R002-5.7-7).

use changes::Request;
use kernel::moment::in_order;
use kernel::{Error, Moment, PageRequest};
use serde::Deserialize;
use store::Page;
use utoipa::ToSchema;

use crate::Tenancy;
use crate::records::HistoryEvent;

/// Which events are asked for.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TenantEventFilter {
    /// Those of this type: `TENANT_PARKED`.
    #[schema(min_length = 1, max_length = 100)]
    event_type: Option<String>,
    /// Those by this actor.
    #[schema(min_length = 1, max_length = 254)]
    actor: Option<String>,
    /// Those since then.
    from: Option<Moment>,
    /// Those until then.
    to: Option<Moment>,
}

/// Moments before and after all others, as far as the form of times reaches.
const FIRST: &str = "0000";
const LAST: &str = "9999";

impl Tenancy {
    pub(crate) async fn history<T>(
        &self,
        request: &Request<T>,
        tenant_id: &str,
        filter: &TenantEventFilter,
        page: &PageRequest,
    ) -> Result<Page<HistoryEvent>, Error> {
        in_order(filter.from, filter.to)?;
        let text = |moment: Option<Moment>, usual: &str| {
            moment.map_or_else(|| usual.to_owned(), |moment| moment.to_string())
        };
        // An event's identifier follows the moment: everything of the last moment is included.
        let (from, to) = (text(filter.from, FIRST), format!("{}~", text(filter.to, LAST)));
        let mut list = self.table().list_events(tenant_id, from, to);
        if let Some(event_type) = filter.event_type.as_deref() {
            list = list.filter_event_type(event_type);
        }
        if let Some(actor) = filter.actor.as_deref() {
            list = list.filter_actor(actor);
        }
        Ok(list.page(request.caller().id(), page.limit, page.token()).await?)
    }
}
