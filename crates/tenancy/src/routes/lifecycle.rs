//! A tenant's life over HTTP: moves, call-backs, where it stands, what happened (R002-6.5, C2-02,
//! C2-09).

use kernel::error::{CONFLICT, Error};
use kernel::permissions::{Decision, Permission as _, may};
use serde::Deserialize;
use utoipa::ToSchema;
use web::{
    Allowed, Answer, Api, Body, Context, IfMatch, InPath, PageAnswer, Paging, Params, Route, State,
};

use super::answers::{self, LifecycleAnswer, LifecycleState, TenantEventAnswer};
use super::inputs::TenantPath;
use crate::Tenancy;
use crate::errors::{
    ACTIVE_RESOURCES_EXIST, INVALID_STATUS_TRANSITION, OPERATION_NOT_CURRENT, TENANT_NOT_FOUND,
};
use crate::history::TenantEventFilter;
use crate::lifecycle::{CallBack, Moved, Transition, check_reason};
use crate::paths;
use crate::permissions::{EventsRead, LifecycleWrite, Provision, TenantsRead};
use crate::records::OperationState;
use crate::status::{Status, Way};

/// When `/park` and `/unpark` made way for `/lifecycle/…` (C2-01): the first of January 2026.
const SINCE: u64 = 1_767_225_600;
/// Moves that a lifecycle shows.
const HISTORY: usize = 20;

/// Adds the routes.
pub fn routes(api: Api<Tenancy>) -> Api<Tenancy> {
    let moves = |route: Route| {
        let done = "The tenant as it is now";
        let refusals = [TENANT_NOT_FOUND, INVALID_STATUS_TRANSITION, CONFLICT];
        route.answers::<LifecycleAnswer>(200, done).errors(&refusals)
    };
    let status = moves(Route::patch(paths::STATUS, "updateTenantStatus"))
        .summary("Moves a tenant to another state")
        .errors(&[ACTIVE_RESOURCES_EXIST]);
    let suspend =
        moves(Route::post(paths::SUSPEND, "suspendTenant")).summary("Suspends an ACTIVE tenant");
    let resume =
        moves(Route::post(paths::RESUME, "resumeTenant")).summary("Resumes a SUSPENDED tenant");
    let park = moves(Route::post(paths::PARK, "parkTenant"))
        .summary("Parks an ACTIVE tenant: its resources are released, its data is kept");
    let unpark = moves(Route::post(paths::UNPARK, "unparkTenant"))
        .summary("Unparks a PARKED tenant: its resources are made again");
    let old_park = moves(Route::post(paths::PARK_BEFORE, "parkTenantAsBefore"))
        .summary("As …/lifecycle/park")
        .deprecated(SINCE, paths::PARK);
    let old_unpark = moves(Route::post(paths::UNPARK_BEFORE, "unparkTenantAsBefore"))
        .summary("As …/lifecycle/unpark")
        .deprecated(SINCE, paths::UNPARK);
    let callback = moves(Route::post(paths::CALLBACK, "reportTenantOperation"))
        .summary("Tells what became of what a provisioner was asked to do")
        .errors(&[OPERATION_NOT_CURRENT]);
    let show = Route::get(paths::LIFECYCLE, "getTenantLifecycle")
        .summary("Shows where a tenant stands, what it may become, and what it was")
        .answers::<LifecycleState>(200, "Its lifecycle")
        .errors(&[TENANT_NOT_FOUND]);
    let events = Route::get(paths::EVENTS, "listTenantEvents")
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

/// The tenant after a move.
fn moved(context: &Context, moved: &Moved) -> Result<Answer, Error> {
    let answer = answers::lifecycle(context, &moved.view, moved.name);
    Ok(Answer::ok(&answer)?.versioned(moved.view.record.etag()))
}

async fn change(
    tenancy: &Tenancy,
    allowed: &Allowed<LifecycleWrite>,
    path: &TenantPath,
    transition: &Transition<'_>,
) -> Result<Answer, Error> {
    let request = allowed.replying(moved);
    let id = &path.tenant_id;
    let moved = tenancy.transition::<LifecycleWrite>(&request, id, transition).await?;
    request.answer(&moved)
}

async fn change_status(
    allowed: Allowed<LifecycleWrite>,
    State(tenancy): State<Tenancy>,
    InPath(path): InPath<TenantPath>,
    IfMatch(expected): IfMatch,
    Body(StatusChange { status: to, reason }): Body<StatusChange>,
) -> Result<Answer, Error> {
    check_reason(to, reason.as_deref())?;
    change(&tenancy, &allowed, &path, &Transition::new(Way::Status, to, reason, &expected)).await
}

async fn suspend_tenant(
    allowed: Allowed<LifecycleWrite>,
    State(tenancy): State<Tenancy>,
    InPath(path): InPath<TenantPath>,
    IfMatch(expected): IfMatch,
    body: Option<Body<MoveReason>>,
) -> Result<Answer, Error> {
    let reason = body.and_then(|Body(body)| body.reason);
    let transition = Transition::new(Way::Suspend, Status::Suspended, reason, &expected);
    change(&tenancy, &allowed, &path, &transition).await
}

async fn resume_tenant(
    allowed: Allowed<LifecycleWrite>,
    State(tenancy): State<Tenancy>,
    InPath(path): InPath<TenantPath>,
    IfMatch(expected): IfMatch,
    body: Option<Body<MoveReason>>,
) -> Result<Answer, Error> {
    let reason = body.and_then(|Body(body)| body.reason);
    let transition = Transition::new(Way::Resume, Status::Active, reason, &expected);
    change(&tenancy, &allowed, &path, &transition).await
}

async fn park_tenant(
    allowed: Allowed<LifecycleWrite>,
    State(tenancy): State<Tenancy>,
    InPath(path): InPath<TenantPath>,
    IfMatch(expected): IfMatch,
    Body(ParkRequest { reason }): Body<ParkRequest>,
) -> Result<Answer, Error> {
    check_reason(Status::Parked, Some(&reason))?;
    let transition = Transition::new(Way::Park, Status::Parked, Some(reason), &expected);
    change(&tenancy, &allowed, &path, &transition).await
}

async fn unpark_tenant(
    allowed: Allowed<LifecycleWrite>,
    State(tenancy): State<Tenancy>,
    InPath(path): InPath<TenantPath>,
    IfMatch(expected): IfMatch,
    body: Option<Body<MoveReason>>,
) -> Result<Answer, Error> {
    let reason = body.and_then(|Body(body)| body.reason);
    let transition = Transition::new(Way::Unpark, Status::Active, reason, &expected);
    change(&tenancy, &allowed, &path, &transition).await
}

async fn call_back(
    allowed: Allowed<Provision>,
    State(tenancy): State<Tenancy>,
    InPath(path): InPath<TenantPath>,
    Body(report): Body<OperationReport>,
) -> Result<Answer, Error> {
    let OperationReport { operation_id, outcome, message } = report;
    let state = match outcome {
        OperationOutcome::Succeeded => OperationState::Succeeded,
        OperationOutcome::Failed => OperationState::Failed,
    };
    let told = CallBack { operation_id, state, message };
    let request = allowed.replying(moved);
    let moved = tenancy.call_back(&request, &path.tenant_id, &told).await?;
    request.answer(&moved)
}

async fn show_lifecycle(
    allowed: Allowed<TenantsRead>,
    State(tenancy): State<Tenancy>,
    InPath(path): InPath<TenantPath>,
) -> Result<Answer, Error> {
    let request = allowed.request::<()>();
    let (view, moves) = tenancy.lifecycle(&request, &path.tenant_id, HISTORY).await?;
    let tenant = &view.record;
    let may_move = may(allowed.caller(), &LifecycleWrite::RULE, &view.target());
    let may_move = may_move == Decision::Allowed;
    let transitions = tenant.status.allowed().filter(|_| may_move).collect();
    let links = answers::lifecycle_links(allowed.context(), &view);
    let moves = moves.into_iter().map(TenantEventAnswer::from).collect();
    let state = LifecycleState::of(tenant, links, transitions, moves);
    Ok(Answer::ok(&state)?.versioned(tenant.etag()))
}

async fn list_events(
    allowed: Allowed<EventsRead>,
    State(tenancy): State<Tenancy>,
    InPath(path): InPath<TenantPath>,
    Params(filter): Params<TenantEventFilter>,
    Paging(page): Paging,
) -> Result<Answer, Error> {
    tenancy.see::<EventsRead>(allowed.caller(), &path.tenant_id).await?;
    let request = allowed.request::<()>();
    let found = tenancy.history(&request, &path.tenant_id, &filter, &page).await?;
    Answer::ok(&PageAnswer::new(allowed.context(), found, TenantEventAnswer::from))
}
