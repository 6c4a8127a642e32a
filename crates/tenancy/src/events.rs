//! What history, audit log and subscribers learn of a change (C2-39).

use std::sync::Arc;

use changes::{Change, DomainEvent, EventName, Journal, RequestFacts};
use kernel::Error;
use patterns::tenancy::BbwsTenants;
use platform::Platform;

use crate::paths;
use crate::records::{HistoryEvent, Operation, OperationState, Tenant};
use crate::status::Work;
use crate::{Settings, Tenancy};

/// How tenancy records what happens: in a tenant's own history, too (R002-5.2-4, R002-5.6-1, C2-37,
/// C2-38).
pub fn journal(platform: &Platform, table: &BbwsTenants, settings: &Settings) -> Journal {
    let (ids, table, kept) = (platform.ids().clone(), table.clone(), settings.history_retention);
    let history = move |event: &DomainEvent, request: &RequestFacts| {
        let now = request.now;
        let event = HistoryEvent {
            tenant_id: event.account_id.clone(),
            event_id: format!("evt-{}", ids.ulid(now)?),
            event_type: event.name.action.to_owned(),
            timestamp: now,
            actor: request.caller.name().to_owned(),
            details: event.details.clone(),
            ttl: kept.map(|kept| now.after(kept).seconds()),
        };
        Ok(table.audit_event().create(&event)?)
    };
    Journal {
        category: "TENANT",
        // R002-8.3-1.
        source: "bbws.tenant-management",
        account_field: "tenantId",
        history: Some(Arc::new(history)),
    }
}

/// Something that happens to a tenant itself.
pub fn of_tenant(tenant: &Tenant, name: EventName) -> DomainEvent {
    DomainEvent::new(&tenant.tenant_id, name, "tenant", &tenant.tenant_id)
}

macro_rules! operations {
    ($work:expr, $state:expr; $($name:ident $upper:literal $lower:literal)*) => {
        match ($work, $state) {$(
            (Work::$name, OperationState::Requested) => EventName::new(
                concat!("TENANT_", $upper, "_REQUESTED"),
                concat!("tenant.", $lower, ".requested"),
            ),
            (Work::$name, OperationState::Succeeded) => EventName::new(
                concat!("TENANT_", $upper, "_SUCCEEDED"),
                concat!("tenant.", $lower, ".succeeded"),
            ),
            (Work::$name, OperationState::Failed) => EventName::new(
                concat!("TENANT_", $upper, "_FAILED"),
                concat!("tenant.", $lower, ".failed"),
            ),
        )*}
    };
}

/// The name of what a provisioner is asked to do, and of what became of it.
pub fn operation_name(operation: &Operation) -> EventName {
    operations! { operation.work, operation.state;
        Provision "PROVISION" "provision"
        Suspend "SUSPEND" "suspend"
        Resume "RESUME" "resume"
        Park "PARK" "park"
        Unpark "UNPARK" "unpark"
        Deprovision "DEPROVISION" "deprovision"
    }
}

impl Tenancy {
    /// Publishes an event, and with it what a provisioner is asked to do, or what became of that.
    pub(crate) fn publish(
        &self,
        change: &mut Change,
        event: DomainEvent,
        operation: Option<&Operation>,
    ) -> Result<(), Error> {
        if let Some(operation) = operation {
            let told = operation_event(change.request(), &event, operation);
            change.publish(self.journal(), told)?;
        }
        change.publish(self.journal(), event)
    }
}

/// What a provisioner is asked is for those who operate the platform; what came of it, for the tenant.
fn operation_event(
    request: &RequestFacts,
    event: &DomainEvent,
    operation: &Operation,
) -> DomainEvent {
    let tenant_id = &*event.account_id;
    let mut told = DomainEvent::new(tenant_id, operation_name(operation), "tenant", tenant_id);
    told.data = event.data.clone();
    let told = told
        .data("operationId", &*operation.operation_id)
        .data("work", operation.work.as_str())
        .only_told();
    match operation.state {
        OperationState::Requested => {
            let callback = request.links.link(paths::CALLBACK, &[("tenantId", tenant_id)]);
            told.data("callback", callback).for_platform()
        }
        OperationState::Succeeded | OperationState::Failed => {
            told.data("message", operation.message.as_deref())
        }
    }
}
