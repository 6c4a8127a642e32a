//! A tenant moves from state to state: by request, by a provisioner's call-back, or for good.

use changes::{Change, Conflict, DomainEvent, EventName, Rejection, Request};
use kernel::error::VALIDATION_ERROR;
use kernel::permissions::{self, Permission};
use kernel::{Error, ExpectedVersion, Moment};
use serde_json::json;

use crate::Tenancy;
use crate::errors::{
    ACTIVE_RESOURCES_EXIST, OPERATION_NOT_CURRENT, invalid_transition, version_mismatch,
};
use crate::events::{of_tenant, operation_name};
use crate::permissions::{Provision, TenantsRead, TenantsWrite};
use crate::records::{HistoryEvent, Operation, OperationState, Resource, Tenant};
use crate::standing::View;
use crate::status::{MOVES, Move, Status, Way, Work, find};

/// A move that is asked for.
pub struct Transition<'a> {
    pub way: Way,
    pub to: Status,
    pub reason: Option<String>,
    /// Gives a tenant up although it uses resources.
    pub is_forced: bool,
    pub expected: &'a ExpectedVersion,
    /// What a call-back is about: it moves nothing once something else is waited for.
    pub operation_id: Option<String>,
}

impl<'a> Transition<'a> {
    /// A move that forces nothing.
    pub fn new(
        way: Way,
        to: Status,
        reason: Option<String>,
        expected: &'a ExpectedVersion,
    ) -> Transition<'a> {
        Transition { way, to, reason, is_forced: false, expected, operation_id: None }
    }
}

/// A tenant after a move, and which one it was.
pub struct Moved {
    pub view: View<Tenant>,
    /// The move's name; `callback` if a call-back moved nothing.
    pub name: &'static str,
    /// Whether anything changed.
    is_news: bool,
}

/// What a provisioner tells.
pub struct CallBack {
    pub operation_id: String,
    pub state: OperationState,
    pub message: Option<String>,
}

/// What giving a tenant up would do.
pub struct DeprovisionPlan {
    pub tenant: Tenant,
    /// Whether it would happen.
    pub would_succeed: bool,
    /// What would be released, or the beginning of it.
    pub resources: Vec<Resource>,
}

impl Tenancy {
    /// Moves a tenant on which the caller has the permission. Who loses a race is told what the tenant
    /// is then (C2-59).
    pub(crate) async fn transition<P: Permission>(
        &self,
        request: &Request<Moved>,
        tenant_id: &str,
        transition: &Transition<'_>,
    ) -> Result<Moved, Error> {
        let moved = self.changes().make(request, |change| async move {
            let view = self.see::<P>(request.caller(), tenant_id).await?;
            if transition.way == Way::Status {
                check_own_permission(request, &view, transition.to)?;
            }
            self.prepare_move(change, request, view, transition).await
        });
        let moved = moved.await?;
        self.counters().moved(moved.name);
        Ok(moved)
    }

    async fn prepare_move(
        &self,
        mut change: Change,
        request: &Request<Moved>,
        view: View<Tenant>,
        transition: &Transition<'_>,
    ) -> Result<(Change, Moved), Rejection> {
        let before = &view.record;
        let about = transition.operation_id.as_deref();
        if about.is_some() && about != waited_for(before) {
            return Err(not_current(before).into());
        }
        let step = find(before.status, transition.way, transition.to);
        let step = step.ok_or_else(|| self.refused(before, transition))?;
        transition.expected.check(before.etag()).map_err(|_| version_mismatch())?;
        self.check_resources(before, transition).await?;
        let after = self.moved(request, before, step, transition)?;
        // R002-4.2-1, R002-7.5-5, C2-18: status, index keys and version in one conditional update.
        let (id, status, version) = (&before.tenant_id, before.status.as_str(), before.version);
        let must_be_empty = transition.to == Status::Deprovisioned && !transition.is_forced;
        let update = match must_be_empty {
            true => self.table().deprovision_tenant(id, status, version),
            false => self.table().change_status(id, status, version),
        };
        change.add(update.update(before.changed_to(&after)?)?, Conflict);
        let operation = after.operation.as_ref().filter(|_| before.operation != after.operation);
        let event = event(before, &after, step, transition);
        self.publish(&mut change, event, operation)?;
        Ok((change, Moved { view: view.of(after), name: step.name, is_news: true }))
    }

    fn refused(&self, tenant: &Tenant, transition: &Transition<'_>) -> Error {
        let is_unpark = transition.way == Way::Unpark;
        self.counters().refused(tenant.status, transition.to, is_unpark);
        invalid_transition(tenant.status, transition.to)
    }

    /// R002-4.4-3, C2-30.
    async fn check_resources(
        &self,
        tenant: &Tenant,
        transition: &Transition<'_>,
    ) -> Result<(), Error> {
        let is_end = transition.to == Status::Deprovisioned;
        if !is_end || transition.is_forced || tenant.active_resources == 0 {
            return Ok(());
        }
        let resources = self.resources_in_use(&tenant.tenant_id).await?;
        let one = |one: &Resource| json!({ "resourceType": one.resource_type, "resourceId": one.resource_id });
        let listed: Vec<_> = resources.iter().map(one).collect();
        let message = "The tenant uses resources: release them first, or repeat with force=true";
        Err(Error::new(ACTIVE_RESOURCES_EXIST, message)
            .detail("count", tenant.active_resources)
            .detail("resources", listed))
    }

    /// What giving a tenant up would do.
    pub(crate) async fn plan_deprovision<T>(
        &self,
        request: &Request<T>,
        tenant_id: &str,
        is_forced: bool,
    ) -> Result<DeprovisionPlan, Error> {
        let tenant = self.see::<TenantsWrite>(request.caller(), tenant_id).await?.record;
        let is_possible = find(tenant.status, Way::Delete, Status::Deprovisioned).is_some();
        let resources = self.resources_in_use(tenant_id).await?;
        let would_succeed = is_possible && (is_forced || tenant.active_resources == 0);
        Ok(DeprovisionPlan { tenant, would_succeed, resources })
    }

    /// A tenant, and the moves among the last things that happened to it, the newest first.
    pub(crate) async fn lifecycle<T>(
        &self,
        request: &Request<T>,
        tenant_id: &str,
        moves_max: usize,
    ) -> Result<(View<Tenant>, Vec<HistoryEvent>), Error> {
        const LOOKED_AT: u32 = 100;
        let view = self.see::<TenantsRead>(request.caller(), tenant_id).await?;
        let page = kernel::PageRequest::first(LOOKED_AT);
        let events = self.history(request, tenant_id, &Default::default(), &page).await?.items;
        let is_move =
            |name: &str| name == "TENANT_CREATED" || MOVES.iter().any(|step| step.event == name);
        let moves = events.into_iter().filter(|event| is_move(&event.event_type));
        Ok((view, moves.take(moves_max).collect()))
    }

    /// A provisioner tells what became of what it was asked to do.
    pub(crate) async fn call_back(
        &self,
        request: &Request<Moved>,
        tenant_id: &str,
        told: &CallBack,
    ) -> Result<Moved, Error> {
        let moved = self.changes().make(request, |change| async move {
            let view = self.see::<Provision>(request.caller(), tenant_id).await?;
            if is_only_noted(&view.record, told)? {
                return self.note_operation(change, request, view, told);
            }
            let is_done = told.state == OperationState::Succeeded;
            let to = if is_done { Status::Active } else { Status::Failed };
            let (any, reason) = (ExpectedVersion::Any, told.message.clone());
            let transition = Transition {
                operation_id: Some(told.operation_id.clone()),
                ..Transition::new(Way::Callback, to, reason, &any)
            };
            self.prepare_move(change, request, view, &transition).await
        });
        let moved = moved.await?;
        match &moved.view.record.operation {
            Some(operation) if moved.name == "callback" => {
                if moved.is_news && operation.state == OperationState::Failed {
                    self.counters().failed(operation.work);
                }
            }
            _ => self.counters().moved(moved.name),
        }
        Ok(moved)
    }

    /// Notes what became of it. Saying it again changes nothing.
    fn note_operation(
        &self,
        mut change: Change,
        request: &Request<Moved>,
        view: View<Tenant>,
        told: &CallBack,
    ) -> Result<(Change, Moved), Rejection> {
        let (before, name) = (&view.record, "callback");
        let Some(operation) = &before.operation else {
            return Err(Error::internal("an operation vanished").into());
        };
        if operation.state == told.state {
            return Ok((change, Moved { view, name, is_news: false }));
        }
        let mut operation = operation.clone();
        finish(&mut operation, told.state, told.message.clone(), request.now());
        let event = of_tenant(before, operation_name(&operation))
            .with("operationId", &*operation.operation_id)
            .with("work", operation.work.as_str())
            .with("message", operation.message.as_deref());
        let after = Tenant {
            version: before.version + 1,
            updated_at: request.now(),
            updated_by: Some(request.caller().name().to_owned()),
            operation: Some(operation),
            ..before.clone()
        };
        let update = self.table().change_tenant(&before.tenant_id, before.version);
        change.add(update.update(before.changed_to(&after)?)?, Conflict);
        self.publish(&mut change, event, None)?;
        Ok((change, Moved { view: view.of(after), name, is_news: true }))
    }

    /// The tenant after a move.
    fn moved<T>(
        &self,
        request: &Request<T>,
        before: &Tenant,
        step: &Move,
        transition: &Transition<'_>,
    ) -> Result<Tenant, Error> {
        let (now, by) = (request.now(), request.caller().name().to_owned());
        let mut after = before.clone();
        after.status = step.to;
        after.version += 1;
        (after.updated_at, after.updated_by) = (now, Some(by.clone()));
        // What was said of the state before is over (C2-21).
        (after.parked_at, after.parked_by, after.park_reason) = (None, None, None);
        (after.suspended_at, after.suspended_by, after.suspend_reason) = (None, None, None);
        let reason = transition.reason.clone();
        match step.name {
            "park" => {
                (after.parked_at, after.parked_by) = (Some(now), Some(by));
                after.park_reason = reason.clone();
            }
            "unpark" => (after.unparked_at, after.unparked_by) = (Some(now), Some(by)),
            "suspend" => {
                (after.suspended_at, after.suspended_by) = (Some(now), Some(by));
                after.suspend_reason = reason.clone();
            }
            "deprovision" => {
                (after.deprovisioned_at, after.deprovisioned_by) = (Some(now), Some(by));
            }
            _ => {}
        }
        match (step.asks, &mut after.operation) {
            (Some(work), operation) => *operation = Some(self.operation(now, work)?),
            (None, Some(operation)) if operation.state == OperationState::Requested => {
                let is_done = step.to == Status::Active;
                let state =
                    if is_done { OperationState::Succeeded } else { OperationState::Failed };
                finish(operation, state, reason, now);
            }
            _ => {}
        }
        Ok(after)
    }

    /// Something that a provisioner is asked to do now.
    pub(crate) fn operation(&self, now: Moment, work: Work) -> Result<Operation, Error> {
        Ok(Operation {
            operation_id: self.platform().ids().prefixed("op", now)?,
            work,
            state: OperationState::Requested,
            requested_at: now,
            finished_at: None,
            message: None,
        })
    }
}

/// What has a way of its own takes the permission of that way, by `PATCH …/status` too.
fn check_own_permission<T>(
    request: &Request<T>,
    view: &View<Tenant>,
    to: Status,
) -> Result<(), Error> {
    let rule = match (view.record.status, to) {
        (_, Status::Deprovisioned) => TenantsWrite::RULE,
        (Status::Pending, _) => Provision::RULE,
        _ => return Ok(()),
    };
    permissions::check_key(request.caller(), &rule)?;
    permissions::check(request.caller(), &rule, &view.target())
}

/// Whether a call-back moves nothing, and is about what the tenant waits for or was told before.
fn is_only_noted(tenant: &Tenant, told: &CallBack) -> Result<bool, Error> {
    let current = tenant.operation.as_ref();
    let current = current.filter(|one| one.operation_id == told.operation_id);
    let current = current.ok_or_else(|| not_current(tenant))?;
    match current.state {
        state if state == told.state => Ok(true),
        OperationState::Requested => {
            Ok(current.work != Work::Provision || tenant.status != Status::Pending)
        }
        _ => Err(not_current(tenant)),
    }
}

/// The operation whose result a tenant waits for.
fn waited_for(tenant: &Tenant) -> Option<&str> {
    tenant.operation.as_ref().map(|operation| &*operation.operation_id)
}

fn not_current(tenant: &Tenant) -> Error {
    let message = "This is not what the tenant waits for: look at its lifecycle";
    Error::new(OPERATION_NOT_CURRENT, message).detail("operationId", waited_for(tenant))
}

/// R002-5.8-9: parking takes a reason, by whichever way it is asked for.
pub fn check_reason(to: Status, reason: Option<&str>) -> Result<(), Error> {
    let length = reason.map_or(0, |reason| reason.trim().chars().count());
    if to != Status::Parked || (10..=500).contains(&length) {
        return Ok(());
    }
    let why = "should be 10 to 500 characters: parking takes a reason";
    let errors = json!([{ "field": "reason", "message": why }]);
    Err(Error::new(VALIDATION_ERROR, "Request validation failed").detail("errors", errors))
}

fn finish(operation: &mut Operation, state: OperationState, message: Option<String>, now: Moment) {
    operation.state = state;
    operation.finished_at = Some(now);
    operation.message = message;
}

/// R002-7.5-6, R002-7.5-7, R002-8.3-1, R002-8.3-2.
fn event(before: &Tenant, after: &Tenant, step: &Move, transition: &Transition<'_>) -> DomainEvent {
    let by = after.updated_by.as_deref();
    let mut event = of_tenant(after, EventName::new(step.event, step.topic))
        .detail("previousStatus", before.status.as_str())
        .detail("newStatus", after.status.as_str())
        .data("previousStatus", before.status.as_str())
        .data("status", after.status.as_str());
    if let Some(reason) = &transition.reason {
        event = event.with("reason", reason.as_str());
    }
    match step.name {
        "park" => event.data("parkedBy", by),
        "unpark" => event.data("unparkedBy", by),
        "deprovision" => event
            .data("deprovisionedBy", by)
            .with("force", transition.is_forced)
            .with("activeResources", before.active_resources),
        _ => event,
    }
}
