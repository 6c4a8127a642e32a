//! Something happens to a tenant: its writes, its history, the audit log and the events that others
//! hear are one transaction (C2-39).

use audit::Entry;
use changes::{Change, CommitError, Event};
use kernel::{Error, Moment, PLATFORM};
use serde_json::{Map, Value, json};
use store::Write;
use web::{Answer, Context};

use crate::Tenancy;
use crate::records::{HistoryEvent, Operation, OperationState};
use crate::status::Work;

/// The source of events on a bus (R002-8.3-1).
const SOURCE: &str = "bbws.tenant-management";

/// What happens.
pub struct Happening {
    tenant_id: String,
    /// What history, audit and the event bus call it, and what webhooks do.
    names: Names,
    /// The kind of thing it happens to, and which one.
    of: (&'static str, String),
    details: Map<String, Value>,
    told: Map<String, Value>,
    before: Option<Value>,
    after: Option<Value>,
    operation: Option<Operation>,
}

/// An event's name on the bus and in the history, and for webhooks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Names(pub &'static str, pub &'static str);

macro_rules! operations {
    ($work:expr, $state:expr; $($name:ident $upper:literal $lower:literal)*) => {
        match ($work, $state) {$(
            (Work::$name, OperationState::Requested) => Names(
                concat!("TENANT_", $upper, "_REQUESTED"),
                concat!("tenant.", $lower, ".requested"),
            ),
            (Work::$name, OperationState::Succeeded) => Names(
                concat!("TENANT_", $upper, "_SUCCEEDED"),
                concat!("tenant.", $lower, ".succeeded"),
            ),
            (Work::$name, OperationState::Failed) => Names(
                concat!("TENANT_", $upper, "_FAILED"),
                concat!("tenant.", $lower, ".failed"),
            ),
        )*}
    };
}

impl Names {
    /// Of what a provisioner is asked to do, and of what became of it.
    pub fn of(operation: &Operation) -> Names {
        operations! { operation.work, operation.state;
            Provision "PROVISION" "provision"
            Suspend "SUSPEND" "suspend"
            Resume "RESUME" "resume"
            Park "PARK" "park"
            Unpark "UNPARK" "unpark"
            Deprovision "DEPROVISION" "deprovision"
        }
    }
}

impl Happening {
    /// Something happens to a tenant.
    pub fn new(tenant_id: &str, names: Names) -> Happening {
        Happening {
            tenant_id: tenant_id.to_owned(),
            names,
            of: ("tenant", tenant_id.to_owned()),
            details: Map::new(),
            told: Map::new(),
            before: None,
            after: None,
            operation: None,
        }
    }

    /// To something of it.
    pub fn of(mut self, kind: &'static str, id: &str) -> Happening {
        self.of = (kind, id.to_owned());
        self
    }

    /// With a detail, in the history, in the audit log, and told to others.
    pub fn with(self, name: &str, value: impl Into<Value>) -> Happening {
        let value = value.into();
        self.noted(name, value.clone()).told(name, value)
    }

    /// With a detail in the history and the audit log alone.
    pub fn noted(mut self, name: &str, value: impl Into<Value>) -> Happening {
        self.details.insert(name.to_owned(), value.into());
        self
    }

    /// With a detail that is only told to others.
    pub fn told(mut self, name: &str, value: impl Into<Value>) -> Happening {
        self.told.insert(name.to_owned(), value.into());
        self
    }

    /// The thing before and after, for the audit log.
    pub fn changed(mut self, before: Option<Value>, after: Option<Value>) -> Happening {
        (self.before, self.after) = (before, after);
        self
    }

    /// With what a provisioner is asked to do, or what became of it.
    pub fn operation(mut self, operation: Option<&Operation>) -> Happening {
        self.operation = operation.cloned();
        self
    }
}

impl Tenancy {
    /// Does it all, or nothing. Conditions are named by the place of their write.
    pub(crate) async fn commit(
        &self,
        context: &Context,
        writes: Vec<Write>,
        happening: Happening,
        answer: Answer,
    ) -> Result<Answer, CommitError> {
        self.commit_all(context, writes, vec![happening], answer).await
    }

    /// The same when several things happen at once.
    pub(crate) async fn commit_all(
        &self,
        context: &Context,
        writes: Vec<Write>,
        happenings: Vec<Happening>,
        answer: Answer,
    ) -> Result<Answer, CommitError> {
        let mut change = self.platform().begin(context);
        for write in writes {
            change.add(write);
        }
        for happening in happenings {
            self.tell(context, &mut change, happening)?;
        }
        change.commit(answer).await
    }

    /// Adds what the history, the audit log and others learn of it.
    fn tell(
        &self,
        context: &Context,
        change: &mut Change,
        happening: Happening,
    ) -> Result<(), Error> {
        let Happening { tenant_id, names, of, details, told, before, after, operation } = happening;
        let (now, actor) = (context.now, context.caller.name());
        change.add(self.history_write(&tenant_id, names, now, actor, &details)?);
        let mut entry = Entry::new("TENANT", names.0, &*tenant_id).of(of.0, of.1);
        entry.details = details;
        change.record(entry.changed(before, after));
        // C2-40: every event says of which tenant, when and by whom.
        let mut data = told;
        data.insert("tenantId".to_owned(), json!(tenant_id));
        data.insert("timestamp".to_owned(), json!(now));
        data.insert("actor".to_owned(), json!(actor));
        if let Some(operation) = operation {
            change.emit(self.operation_event(context, &tenant_id, &operation, data.clone()));
        }
        let event = Event::new(names.1, &*tenant_id, Value::Object(data));
        change.emit(event.on_bus(SOURCE, names.0));
        Ok(())
    }

    /// What a provisioner is asked is for whoever operates the platform; what came of it, for the
    /// tenant.
    fn operation_event(
        &self,
        context: &Context,
        tenant_id: &str,
        operation: &Operation,
        mut data: Map<String, Value>,
    ) -> Event {
        let names = Names::of(operation);
        data.insert("operationId".to_owned(), json!(operation.operation_id));
        data.insert("work".to_owned(), json!(operation.work));
        let account = match operation.state {
            OperationState::Requested => {
                let template = "/tenants/{tenantId}/lifecycle/callback";
                let link = context.link(template, &[("tenantId", tenant_id)]);
                data.insert("callback".to_owned(), json!(link));
                PLATFORM
            }
            OperationState::Succeeded | OperationState::Failed => {
                data.insert("message".to_owned(), json!(operation.message));
                tenant_id
            }
        };
        Event::new(names.1, account, Value::Object(data)).on_bus(SOURCE, names.0)
    }

    /// R002-5.2-4, R002-5.6-1, C2-37, C2-38.
    fn history_write(
        &self,
        tenant_id: &str,
        names: Names,
        now: Moment,
        actor: &str,
        details: &Map<String, Value>,
    ) -> Result<Write, Error> {
        let kept = self.settings().history_retention;
        let event = HistoryEvent {
            tenant_id: tenant_id.to_owned(),
            event_id: format!("evt-{}", self.platform().ids().ulid(now)?),
            event_type: names.0.to_owned(),
            timestamp: now,
            actor: actor.to_owned(),
            details: details.clone(),
            ttl: kept.map(|kept| now.after(kept).seconds()),
        };
        Ok(self.table()?.create("auditEvent", &event)?)
    }
}
