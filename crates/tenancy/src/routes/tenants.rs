//! Tenants over HTTP: made, listed, shown, changed, given up (R002-6.4).

use kernel::error::{CONFLICT, Error};
use serde::Deserialize;
use utoipa::ToSchema;
use web::{
    Allowed, Answer, Api, Body, Context, IfMatch, InPath, PageAnswer, Paging, Params, Route, State,
};

use super::answers::{self, DeletionAnswer, DeprovisionPlan, TenantAnswer, TenantSummary};
use super::inputs::TenantPath;
use crate::Tenancy;
use crate::errors::{
    ACTIVE_RESOURCES_EXIST, INVALID_STATUS_TRANSITION, TENANT_NOT_ACTIVE, TENANT_NOT_FOUND,
};
use crate::lifecycle::{Moved, Transition};
use crate::paths;
use crate::permissions::{TenantsCreate, TenantsRead, TenantsWrite};
use crate::records::Tenant;
use crate::standing::View;
use crate::status::{Status, Way};
use crate::tenants::{NewTenant, TenantFilter, TenantUpdate};

/// Adds the routes.
pub fn routes(api: Api<Tenancy>) -> Api<Tenancy> {
    let create = Route::post(paths::TENANTS, "createTenant")
        .summary("Makes a tenant, which is PENDING until it is provisioned")
        .answers::<TenantAnswer>(201, "The tenant")
        .errors(&[CONFLICT]);
    let list = Route::get(paths::TENANTS, "listTenants")
        .summary("Lists the tenants that the caller may see, newest first")
        .answers_page::<TenantSummary>("The tenants");
    let get = Route::get(paths::TENANT, "getTenant")
        .summary("Gets a tenant")
        .answers::<TenantAnswer>(200, "The tenant")
        .errors(&[TENANT_NOT_FOUND]);
    let update = Route::put(paths::TENANT, "updateTenant")
        .summary("Replaces what may change of a tenant")
        .answers::<TenantAnswer>(200, "The tenant as it is now")
        .errors(&[TENANT_NOT_FOUND, CONFLICT, TENANT_NOT_ACTIVE]);
    let delete = Route::delete(paths::TENANT, "deleteTenant")
        .summary("Gives a tenant up: it stays, DEPROVISIONED; or shows what that would release")
        .answers::<DeletionAnswer>(200, "The tenant as it is now, or what would happen")
        .errors(&[TENANT_NOT_FOUND, CONFLICT, INVALID_STATUS_TRANSITION, ACTIVE_RESOURCES_EXIST]);
    api.route(create, create_tenant)
        .route(list, list_tenants)
        .route(get, get_tenant)
        .route(update, update_tenant)
        .route(delete, delete_tenant)
}

/// How a tenant is given up (R002-4.4-1).
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Deletion {
    /// Although it uses resources.
    #[schema(default = false)]
    force: Option<bool>,
    /// Only shows what would happen.
    #[schema(default = false)]
    dry_run: Option<bool>,
}

fn shown(context: &Context, view: &View<Tenant>) -> Result<Answer, Error> {
    Ok(Answer::ok(&answers::tenant(context, view))?.versioned(view.record.etag()))
}

async fn create_tenant(
    allowed: Allowed<TenantsCreate>,
    State(tenancy): State<Tenancy>,
    Body(new): Body<NewTenant>,
) -> Result<Answer, Error> {
    let request = allowed.replying(|context, view: &View<Tenant>| {
        let answer = answers::tenant(context, view);
        Ok(Answer::created(answer.location(), &answer)?.versioned(view.record.etag()))
    });
    let created = tenancy.create(&request, new).await?;
    request.answer(&created)
}

async fn list_tenants(
    allowed: Allowed<TenantsRead>,
    State(tenancy): State<Tenancy>,
    Params(filter): Params<TenantFilter>,
    Paging(page): Paging,
) -> Result<Answer, Error> {
    let found = tenancy.list(allowed.caller(), &filter, &page).await?;
    let context = allowed.context();
    let summary = |tenant| answers::tenant_summary(context, &tenant);
    Answer::ok(&PageAnswer::new(context, found, summary))
}

async fn get_tenant(
    allowed: Allowed<TenantsRead>,
    State(tenancy): State<Tenancy>,
    InPath(path): InPath<TenantPath>,
) -> Result<Answer, Error> {
    let view = tenancy.see::<TenantsRead>(allowed.caller(), &path.tenant_id).await?;
    shown(allowed.context(), &view)
}

async fn update_tenant(
    allowed: Allowed<TenantsWrite>,
    State(tenancy): State<Tenancy>,
    InPath(path): InPath<TenantPath>,
    IfMatch(expected): IfMatch,
    Body(update): Body<TenantUpdate>,
) -> Result<Answer, Error> {
    let request = allowed.replying(shown);
    let updated = tenancy.update(&request, &path.tenant_id, &update, &expected).await?;
    request.answer(&updated)
}

async fn delete_tenant(
    allowed: Allowed<TenantsWrite>,
    State(tenancy): State<Tenancy>,
    InPath(path): InPath<TenantPath>,
    IfMatch(expected): IfMatch,
    Params(how): Params<Deletion>,
) -> Result<Answer, Error> {
    let (id, is_forced) = (&path.tenant_id, how.force.unwrap_or(false));
    if how.dry_run.unwrap_or(false) {
        let plan = tenancy.plan_deprovision(&allowed.request::<()>(), id, is_forced).await?;
        let shown = |one| answers::resource(allowed.context(), one);
        return Answer::ok(&DeletionAnswer::Plan(DeprovisionPlan {
            resources: plan.resources.iter().map(shown).collect(),
            status: plan.tenant.status,
            would_succeed: plan.would_succeed,
            active_resources: plan.tenant.active_resources,
            tenant_id: plan.tenant.tenant_id,
        }));
    }
    let transition = Transition::new(Way::Delete, Status::Deprovisioned, None, &expected);
    let transition = Transition { is_forced, ..transition };
    let request = allowed.replying(|context, moved: &Moved| {
        let answer = DeletionAnswer::Done(Box::new(answers::tenant(context, &moved.view)));
        Ok(Answer::ok(&answer)?.versioned(moved.view.record.etag()))
    });
    let deleted = tenancy.transition::<TenantsWrite>(&request, id, &transition).await?;
    request.answer(&deleted)
}
