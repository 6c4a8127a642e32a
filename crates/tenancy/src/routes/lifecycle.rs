//! A tenant's life over HTTP: moves, call-backs, where it stands, what happened (R002-6.5, C2-02,
//! C2-09).

use kernel::Moment;
use kernel::error::{CONFLICT, Error};
use kernel::permissions::{Decision, Permission, may};
use serde::Deserialize;
use utoipa::ToSchema;
use web::{Allowed, Answer, Api, Body, IfMatch, InPath, PageAnswer, Params, Route, State};

use super::inputs::{TenantPath, items};
use super::shapes::{LifecycleAnswer, LifecycleState, TenantEventAnswer, lifecycle_links};
use crate::Tenancy;
use crate::errors::{
    ACTIVE_RESOURCES_EXIST, INVALID_STATUS_TRANSITION, OPERATION_NOT_CURRENT, TENANT_NOT_FOUND,
};
use crate::history::Wanted;
use crate::lifecycle::{Asked, CallBack, check_reason};
use crate::permissions::{EventsRead, LifecycleWrite, Provision, TenantsRead, TenantsWrite};
use crate::records::OperationState;
use crate::status::{MOVES, Status, Way};

/// When `/park` and `/unpark` made way for `/lifecycle/…` (C2-01): the first of January 2026.
const SINCE: u64 = 1_767_225_600;
/// Moves that a lifecycle shows.
const HISTORY: u32 = 20;
/// Events of the history that are looked at for them.
const LOOKED_AT: u32 = 100;

/// Adds the routes.
pub fn routes(api: Api<Tenancy>) -> Api<Tenancy> {
    let refusals = [TENANT_NOT_FOUND, INVALID_STATUS_TRANSITION, CONFLICT];
    let done = "The tenant as it is now";
    let status = Route::patch("/tenants/{tenantId}/status", "updateTenantStatus")
        .summary("Moves a tenant to another state")
        .answers::<LifecycleAnswer>(200, done)
        .errors(&refusals)
        .errors(&[ACTIVE_RESOURCES_EXIST]);
    let suspend = Route::post("/tenants/{tenantId}/lifecycle/suspend", "suspendTenant")
        .summary("Suspends an ACTIVE tenant")
        .answers::<LifecycleAnswer>(200, done)
        .errors(&refusals);
    let resume = Route::post("/tenants/{tenantId}/lifecycle/resume", "resumeTenant")
        .summary("Resumes a SUSPENDED tenant")
        .answers::<LifecycleAnswer>(200, done)
        .errors(&refusals);
    let park = Route::post("/tenants/{tenantId}/lifecycle/park", "parkTenant")
        .summary("Parks an ACTIVE tenant: its resources are released, its data is kept")
        .answers::<LifecycleAnswer>(200, done)
        .errors(&refusals);
    let unpark = Route::post("/tenants/{tenantId}/lifecycle/unpark", "unparkTenant")
        .summary("Unparks a PARKED tenant: its resources are made again")
        .answers::<LifecycleAnswer>(200, done)
        .errors(&refusals);
    let old_park = Route::post("/tenants/{tenantId}/park", "parkTenantAsBefore")
        .summary("As …/lifecycle/park")
        .answers::<LifecycleAnswer>(200, done)
        .errors(&refusals)
        .deprecated(SINCE, "/tenants/{tenantId}/lifecycle/park");
    let old_unpark = Route::post("/tenants/{tenantId}/unpark", "unparkTenantAsBefore")
        .summary("As …/lifecycle/unpark")
        .answers::<LifecycleAnswer>(200, done)
        .errors(&refusals)
        .deprecated(SINCE, "/tenants/{tenantId}/lifecycle/unpark");
    let callback = Route::post("/tenants/{tenantId}/lifecycle/callback", "reportTenantOperation")
        .summary("Tells what became of what a provisioner was asked to do")
        .answers::<LifecycleAnswer>(200, done)
        .errors(&refusals)
        .errors(&[OPERATION_NOT_CURRENT]);
    let show = Route::get("/tenants/{tenantId}/lifecycle", "getTenantLifecycle")
        .summary("Shows where a tenant stands, what it may become, and what it was")
        .answers::<LifecycleState>(200, "Its lifecycle")
        .errors(&[TENANT_NOT_FOUND]);
    let events = Route::get("/tenants/{tenantId}/events", "listTenantEvents")
        .summary("Lists what happened to a tenant, newest first")
        .answers_page::<TenantEventAnswer>("The events")
        .errors(&[TENANT_NOT_FOUND]);
    api.route(status, change_status)
        .route(suspend, suspend_tenant)
        .route(resume, resume_tenant)
        .route(park, park_tenant)
        .route(unpark, unpark_tenant)
        .route(old_park, park_tenant)
        .route(old_unpark, unpark_tenant)
        .route(callback, call_back)
        .route(show, show_lifecycle)
        .route(events, list_events)
}

/// The state that a tenant is to have.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct StatusChange {
    /// The state.
    status: Status,
    /// Why; PARKED takes 10 to 500 characters.
    #[schema(min_length = 1, max_length = 500)]
    reason: Option<String>,
}

/// Why a tenant is parked (R002-5.8-9, C2-22).
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ParkRequest {
    /// In the words of whoever does it.
    #[schema(min_length = 10, max_length = 500)]
    reason: String,
}

/// Why a tenant is moved.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct MoveReason {
    /// In the words of whoever does it.
    #[schema(min_length = 1, max_length = 500)]
    reason: Option<String>,
}

/// What a provisioner tells.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct OperationReport {
    /// The identifier that the request event had.
    #[schema(min_length = 1, max_length = 100)]
    operation_id: String,
    /// What became of it.
    outcome: OperationOutcome,
    /// What there is to say of it.
    #[schema(min_length = 1, max_length = 500)]
    message: Option<String>,
}

/// What became of an operation.
#[derive(Clone, Copy, Debug, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum OperationOutcome {
    /// It is done.
    Succeeded,
    /// It could not be done.
    Failed,
}

/// Which events are asked for.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TenantEventFilter {
    /// Those of this type: `TENANT_PARKED`.
    #[schema(min_length = 1, max_length = 100)]
    event_type: Option<String>,
    /// Those by this actor.
    #[schema(min_length = 1, max_length = 254)]
    actor: Option<String>,
    /// Those since then.
    #[schema(value_type = Option<String>, format = "date-time")]
    from: Option<Moment>,
    /// Those until then.
    #[schema(value_type = Option<String>, format = "date-time")]
    to: Option<Moment>,
    /// How many at most.
    #[schema(minimum = 1, maximum = 100, default = 20)]
    limit: Option<u32>,
    /// The `nextToken` of the page before.
    #[schema(min_length = 1, max_length = 4096)]
    next_token: Option<String>,
}

async fn change_status(
    allowed: Allowed<LifecycleWrite>,
    State(tenancy): State<Tenancy>,
    InPath(path): InPath<TenantPath>,
    if_match: IfMatch,
    Body(change): Body<StatusChange>,
) -> Result<Answer, Error> {
    let StatusChange { status: to, reason } = change;
    check_reason(to, reason.as_deref())?;
    let seen = tenancy.see(&allowed, &path.tenant_id).await?;
    // What has a way of its own takes the permission of that way.
    match (seen.tenant.status, to) {
        (_, Status::Deprovisioned) => allowed.also_on::<TenantsWrite>(&seen.target())?,
        (Status::Pending, _) => allowed.also_on::<Provision>(&seen.target())?,
        _ => {}
    }
    let asked = Asked::new(Way::Status, to, reason, &if_match);
    tenancy.transition(allowed.context(), seen, &asked).await
}

async fn suspend_tenant(
    allowed: Allowed<LifecycleWrite>,
    State(tenancy): State<Tenancy>,
    InPath(path): InPath<TenantPath>,
    if_match: IfMatch,
    body: Option<Body<MoveReason>>,
) -> Result<Answer, Error> {
    let reason = body.and_then(|Body(body)| body.reason);
    ask(&tenancy, &allowed, &path, Way::Suspend, Status::Suspended, reason, &if_match).await
}

async fn resume_tenant(
    allowed: Allowed<LifecycleWrite>,
    State(tenancy): State<Tenancy>,
    InPath(path): InPath<TenantPath>,
    if_match: IfMatch,
    body: Option<Body<MoveReason>>,
) -> Result<Answer, Error> {
    let reason = body.and_then(|Body(body)| body.reason);
    ask(&tenancy, &allowed, &path, Way::Resume, Status::Active, reason, &if_match).await
}

async fn park_tenant(
    allowed: Allowed<LifecycleWrite>,
    State(tenancy): State<Tenancy>,
    InPath(path): InPath<TenantPath>,
    if_match: IfMatch,
    Body(request): Body<ParkRequest>,
) -> Result<Answer, Error> {
    check_reason(Status::Parked, Some(&request.reason))?;
    let reason = Some(request.reason);
    ask(&tenancy, &allowed, &path, Way::Park, Status::Parked, reason, &if_match).await
}

async fn unpark_tenant(
    allowed: Allowed<LifecycleWrite>,
    State(tenancy): State<Tenancy>,
    InPath(path): InPath<TenantPath>,
    if_match: IfMatch,
    body: Option<Body<MoveReason>>,
) -> Result<Answer, Error> {
    let reason = body.and_then(|Body(body)| body.reason);
    ask(&tenancy, &allowed, &path, Way::Unpark, Status::Active, reason, &if_match).await
}

async fn ask<P: Permission>(
    tenancy: &Tenancy,
    allowed: &Allowed<P>,
    path: &TenantPath,
    way: Way,
    to: Status,
    reason: Option<String>,
    if_match: &IfMatch,
) -> Result<Answer, Error> {
    let seen = tenancy.see(allowed, &path.tenant_id).await?;
    let asked = Asked::new(way, to, reason, if_match);
    tenancy.transition(allowed.context(), seen, &asked).await
}

async fn call_back(
    allowed: Allowed<Provision>,
    State(tenancy): State<Tenancy>,
    InPath(path): InPath<TenantPath>,
    Body(report): Body<OperationReport>,
) -> Result<Answer, Error> {
    let seen = tenancy.see(&allowed, &path.tenant_id).await?;
    let state = match report.outcome {
        OperationOutcome::Succeeded => OperationState::Succeeded,
        OperationOutcome::Failed => OperationState::Failed,
    };
    let OperationReport { operation_id, message, .. } = report;
    tenancy.call_back(allowed.context(), seen, CallBack { operation_id, state, message }).await
}

async fn show_lifecycle(
    allowed: Allowed<TenantsRead>,
    State(tenancy): State<Tenancy>,
    InPath(path): InPath<TenantPath>,
) -> Result<Answer, Error> {
    let seen = tenancy.see(&allowed, &path.tenant_id).await?;
    let context = allowed.context();
    let wanted = Wanted { limit: LOOKED_AT, ..Wanted::default() };
    let events = tenancy.history(context, &path.tenant_id, &wanted).await?.items;
    let is_move =
        |name: &str| name == "TENANT_CREATED" || MOVES.iter().any(|step| step.event == name);
    let moves = events.into_iter().filter(|event| is_move(&event.event_type));
    let rule = LifecycleWrite::RULE;
    let may_move = may(allowed.caller(), &rule, &seen.target()) == Decision::Allowed;
    let state = LifecycleState {
        tenant_id: seen.tenant.tenant_id.clone(),
        status: seen.tenant.status,
        allowed_transitions: seen.tenant.status.allowed().filter(|_| may_move).collect(),
        operation: seen.tenant.operation.clone(),
        history: moves.take(HISTORY as usize).map(TenantEventAnswer::from).collect(),
        links: lifecycle_links(context, &seen.tenant, &seen.roles),
    };
    Ok(Answer::ok(&state)?.versioned(seen.tenant.etag()))
}

async fn list_events(
    allowed: Allowed<EventsRead>,
    State(tenancy): State<Tenancy>,
    InPath(path): InPath<TenantPath>,
    Params(filter): Params<TenantEventFilter>,
) -> Result<Answer, Error> {
    tenancy.see(&allowed, &path.tenant_id).await?;
    let TenantEventFilter { event_type, actor, from, to, limit, next_token } = filter;
    let wanted = Wanted { event_type, actor, from, to, limit: items(limit), token: next_token };
    let page = tenancy.history(allowed.context(), &path.tenant_id, &wanted).await?;
    Answer::ok(&PageAnswer::new(allowed.context(), page, TenantEventAnswer::from))
}
