//! A tenant moves from state to state: by request, by a provisioner's call-back, or for good.

use kernel::Error;
use kernel::error::VALIDATION_ERROR;
use serde_json::json;
use store::{Changes, Record as _, Test, Write};
use web::{Answer, Context, IfMatch};

use crate::Tenancy;
use crate::again::Miss;
use crate::errors::{
    ACTIVE_RESOURCES_EXIST, OPERATION_NOT_CURRENT, invalid_transition, tenant_not_found,
    version_mismatch,
};
use crate::happening::{Happening, Names};
use crate::records::{Operation, OperationState, Resource, Tenant};
use crate::routes::shapes::LifecycleAnswer;
use crate::standing::Standing;
use crate::status::{Move, Status, Way, Work, find};

/// Resources that a refusal or a dry run lists.
pub const RESOURCES_SHOWN: u32 = 100;

/// What is asked for.
pub struct Asked<'a> {
    pub way: Way,
    pub to: Status,
    pub reason: Option<String>,
    /// Gives a tenant up although it uses resources.
    pub is_forced: bool,
    pub if_match: &'a IfMatch,
    /// What a call-back is about: it moves nothing once something else is waited for.
    pub operation_id: Option<String>,
}

impl<'a> Asked<'a> {
    /// A move that somebody asks for, and forces nothing.
    pub fn new(way: Way, to: Status, reason: Option<String>, if_match: &'a IfMatch) -> Asked<'a> {
        Asked { way, to, reason, is_forced: false, if_match, operation_id: None }
    }
}

impl Tenancy {
    /// Moves a tenant. Who loses a race is told what the tenant is then (C2-59).
    pub(crate) async fn transition(
        &self,
        context: &Context,
        standing: Standing,
        asked: &Asked<'_>,
    ) -> Result<Answer, Error> {
        let Standing { mut tenant, roles } = standing;
        let mut attempts = self.attempts();
        loop {
            if asked.operation_id.is_some() && asked.operation_id.as_deref() != waited_for(&tenant)
            {
                return Err(not_current(&tenant));
            }
            let step = find(tenant.status, asked.way, asked.to);
            let step = step.ok_or_else(|| self.refused(&tenant, asked))?;
            asked.if_match.check(tenant.etag()).map_err(|_| version_mismatch())?;
            self.check_resources(&tenant, asked).await?;
            let after = moved(self, context, &tenant, step, asked)?;
            let write = self.move_write(&tenant, &after, asked)?;
            let answer = LifecycleAnswer::of(context, &after, &roles, step.name);
            let answer = Answer::ok(&answer)?.versioned(after.etag());
            let happening = happening(&tenant, &after, step, asked);
            match self.commit(context, vec![write], happening, answer).await {
                Ok(answer) => {
                    self.counters().moved(step.name);
                    return Ok(answer);
                }
                Err(error) => {
                    let found = attempts.after(Miss::of_any(error)).await?;
                    let found = found.ok_or_else(|| tenant_not_found(&tenant.tenant_id))?;
                    tenant = Tenant::from_item(found)?;
                }
            }
        }
    }

    fn refused(&self, tenant: &Tenant, asked: &Asked<'_>) -> Error {
        let is_unpark = asked.way == Way::Unpark;
        self.counters().refused(tenant.status, asked.to, is_unpark);
        invalid_transition(tenant.status, asked.to)
    }

    /// R002-4.4-3, C2-30.
    async fn check_resources(&self, tenant: &Tenant, asked: &Asked<'_>) -> Result<(), Error> {
        let is_end = asked.to == Status::Deprovisioned;
        if !is_end || asked.is_forced || tenant.active_resources == 0 {
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

    /// What a tenant uses, or the beginning of it.
    pub(crate) async fn resources_in_use(&self, tenant_id: &str) -> Result<Vec<Resource>, Error> {
        let access = self.table()?.access("list-resources")?.with("tenantId", tenant_id)?;
        let access = access.filter("resourceStatus", Test::Equals("ACTIVE".into()))?;
        Ok(access.page("", RESOURCES_SHOWN, None).await?.items)
    }

    /// R002-4.2-1, R002-7.5-5, C2-18: status, index keys and version in one conditional update.
    fn move_write(
        &self,
        before: &Tenant,
        after: &Tenant,
        asked: &Asked<'_>,
    ) -> Result<Write, Error> {
        let is_empty_needed = asked.to == Status::Deprovisioned && !asked.is_forced;
        let pattern = if is_empty_needed { "deprovision-tenant" } else { "change-status" };
        let mut access = self.table()?.access(pattern)?;
        access = access.with("tenantId", &*before.tenant_id)?;
        access = access.with("expected", before.status.as_str())?;
        access = access.with("version", before.version)?;
        if is_empty_needed {
            access = access.with("resources", 0_i64)?;
        }
        Ok(access.update(differences(before, after)?)?)
    }

    /// A provisioner tells what became of what it was asked to do.
    pub(crate) async fn call_back(
        &self,
        context: &Context,
        mut standing: Standing,
        told: CallBack,
    ) -> Result<Answer, Error> {
        let mut attempts = self.attempts();
        while is_only_noted(&standing.tenant, &told)? {
            match self.note_operation(context, &standing, &told).await {
                Ok(answer) => return Ok(answer),
                Err(miss) => {
                    let found = attempts.after(miss).await?;
                    let id = &standing.tenant.tenant_id;
                    let found = found.ok_or_else(|| tenant_not_found(id))?;
                    standing.tenant = Tenant::from_item(found)?;
                }
            }
        }
        let is_done = told.state == OperationState::Succeeded;
        let to = if is_done { Status::Active } else { Status::Failed };
        let if_match = IfMatch::none();
        let (way, reason, is_forced) = (Way::Callback, told.message, false);
        let operation_id = Some(told.operation_id);
        let asked = Asked { way, to, reason, is_forced, if_match: &if_match, operation_id };
        self.transition(context, standing, &asked).await
    }

    /// Notes what became of it, if the tenant is as it was read. Saying it again changes nothing.
    async fn note_operation(
        &self,
        context: &Context,
        standing: &Standing,
        told: &CallBack,
    ) -> Result<Answer, Miss> {
        let Standing { tenant, roles } = standing;
        if tenant.operation.as_ref().is_some_and(|one| one.state == told.state) {
            let answer = LifecycleAnswer::of(context, tenant, roles, "callback");
            return Ok(Answer::ok(&answer)?.versioned(tenant.etag()));
        }
        let mut after = tenant.clone();
        after.version += 1;
        after.updated_at = context.now;
        after.updated_by = Some(context.caller.name().to_owned());
        if let Some(operation) = &mut after.operation {
            finish(operation, told.state, told.message.clone(), context);
        }
        let access = self.table()?.access("change-tenant")?;
        let access =
            access.with("tenantId", &*tenant.tenant_id)?.with("version", tenant.version)?;
        let write = access.update(differences(tenant, &after)?)?;
        let answer = LifecycleAnswer::of(context, &after, roles, "callback");
        let answer = Answer::ok(&answer)?.versioned(after.etag());
        let Some(operation) = &after.operation else {
            return Err(Error::internal("an operation vanished").into());
        };
        let happening = Happening::new(&tenant.tenant_id, Names::of(operation))
            .with("operationId", &*operation.operation_id)
            .with("work", operation.work.as_str())
            .with("message", operation.message.as_deref());
        let done = self.commit(context, vec![write], happening, answer).await;
        if done.is_ok() && operation.state == OperationState::Failed {
            self.counters().failed(operation.work);
        }
        done.map_err(Miss::of_any)
    }
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

/// What a provisioner tells.
pub struct CallBack {
    pub operation_id: String,
    pub state: OperationState,
    pub message: Option<String>,
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

/// The tenant after a move.
fn moved(
    tenancy: &Tenancy,
    context: &Context,
    before: &Tenant,
    step: &Move,
    asked: &Asked<'_>,
) -> Result<Tenant, Error> {
    let (now, by) = (context.now, context.caller.name().to_owned());
    let mut after = before.clone();
    after.status = step.to;
    after.version += 1;
    (after.updated_at, after.updated_by) = (now, Some(by.clone()));
    // What was said of the state before is over (C2-21).
    (after.parked_at, after.parked_by, after.park_reason) = (None, None, None);
    (after.suspended_at, after.suspended_by, after.suspend_reason) = (None, None, None);
    match step.name {
        "park" => {
            (after.parked_at, after.parked_by) = (Some(now), Some(by));
            after.park_reason.clone_from(&asked.reason);
        }
        "unpark" => (after.unparked_at, after.unparked_by) = (Some(now), Some(by)),
        "suspend" => {
            (after.suspended_at, after.suspended_by) = (Some(now), Some(by));
            after.suspend_reason.clone_from(&asked.reason);
        }
        "deprovision" => (after.deprovisioned_at, after.deprovisioned_by) = (Some(now), Some(by)),
        _ => {}
    }
    match (step.asks, &mut after.operation) {
        (Some(work), operation) => *operation = Some(tenancy.operation(context, work)?),
        (None, Some(operation)) if operation.state == OperationState::Requested => {
            let is_done = step.to == Status::Active;
            let state = if is_done { OperationState::Succeeded } else { OperationState::Failed };
            finish(operation, state, asked.reason.clone(), context);
        }
        _ => {}
    }
    Ok(after)
}

impl Tenancy {
    /// Something that a provisioner is asked to do now.
    pub(crate) fn operation(&self, context: &Context, work: Work) -> Result<Operation, Error> {
        Ok(Operation {
            operation_id: self.platform().ids().prefixed("op", context.now)?,
            work,
            state: OperationState::Requested,
            requested_at: context.now,
            finished_at: None,
            message: None,
        })
    }
}

fn finish(
    operation: &mut Operation,
    state: OperationState,
    message: Option<String>,
    context: &Context,
) {
    operation.state = state;
    operation.finished_at = Some(context.now);
    operation.message = message;
}

/// R002-7.5-6, R002-7.5-7, R002-8.3-1, R002-8.3-2.
fn happening(before: &Tenant, after: &Tenant, step: &Move, asked: &Asked<'_>) -> Happening {
    let by = after.updated_by.as_deref();
    let mut happening = Happening::new(&after.tenant_id, Names(step.event, step.topic))
        .noted("previousStatus", before.status.as_str())
        .noted("newStatus", after.status.as_str())
        .told("previousStatus", before.status.as_str())
        .told("status", after.status.as_str());
    if let Some(reason) = &asked.reason {
        happening = happening.with("reason", reason.as_str());
    }
    match step.name {
        "park" => happening = happening.told("parkedBy", by),
        "unpark" => happening = happening.told("unparkedBy", by),
        "deprovision" => {
            happening = happening
                .told("deprovisionedBy", by)
                .with("force", asked.is_forced)
                .with("activeResources", before.active_resources);
        }
        _ => {}
    }
    let is_news = before.operation != after.operation;
    happening.operation(after.operation.as_ref().filter(|_| is_news))
}

/// What differs between two forms of a tenant, as an update. The version is counted by it.
pub fn differences(before: &Tenant, after: &Tenant) -> Result<Changes, Error> {
    let (old, mut new) = (before.to_item()?, after.to_item()?);
    let mut changes = Changes::new().add("version", 1_i64);
    new.remove("version");
    for name in old.keys().filter(|name| *name != "version" && !new.contains_key(name)) {
        changes = changes.remove(name);
    }
    for (name, value) in new {
        // Counted elsewhere, at the same time.
        let is_counter = name == "adminCount" || name == "activeResources";
        // Index keys are made of these two together.
        let is_part_of_key = name == "status" || name == "updatedAt";
        if !is_counter && (is_part_of_key || old.get(&name) != Some(&value)) {
            changes = changes.set(&name, value);
        }
    }
    Ok(changes)
}
