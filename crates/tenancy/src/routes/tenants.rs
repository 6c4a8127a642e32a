//! Tenants over HTTP: made, listed, shown, changed, given up (R002-6.4).

use kernel::error::{CONFLICT, Error};
use kernel::permissions::{Decision, Permission as _, Target, may};
use serde::Deserialize;
use serde_json::{Map, Value};
use utoipa::ToSchema;
use web::{Allowed, Answer, Api, Body, IfMatch, InPath, PageAnswer, Params, Route, State};

use super::inputs::{TenantPath, items};
use super::named::{customer_id, division, external_id, group, organization_name, team};
use super::shapes::{DeletionAnswer, DeprovisionPlan, ResourceAnswer, TenantAnswer, TenantSummary};
use crate::Tenancy;
use crate::errors::{
    ACTIVE_RESOURCES_EXIST, INVALID_STATUS_TRANSITION, TENANT_NOT_ACTIVE, TENANT_NOT_FOUND,
};
use crate::lifecycle::Asked;
use crate::permissions::{TenantsCreate, TenantsRead, TenantsWrite};
use crate::records::Tenant;
use crate::status::{Status, Way, find};
use crate::tenants::{TenantInput, Wanted};

/// Adds the routes.
pub fn routes(api: Api<Tenancy>) -> Api<Tenancy> {
    let create = Route::post("/tenants", "createTenant")
        .summary("Makes a tenant, which is PENDING until it is provisioned")
        .answers::<TenantAnswer>(201, "The tenant")
        .errors(&[CONFLICT]);
    let list = Route::get("/tenants", "listTenants")
        .summary("Lists the tenants that the caller may see, newest first")
        .answers_page::<TenantSummary>("The tenants");
    let get = Route::get("/tenants/{tenantId}", "getTenant")
        .summary("Gets a tenant")
        .answers::<TenantAnswer>(200, "The tenant")
        .errors(&[TENANT_NOT_FOUND]);
    let update = Route::put("/tenants/{tenantId}", "updateTenant")
        .summary("Replaces what may change of a tenant")
        .answers::<TenantAnswer>(200, "The tenant as it is now")
        .errors(&[TENANT_NOT_FOUND, CONFLICT, TENANT_NOT_ACTIVE]);
    let delete = Route::delete("/tenants/{tenantId}", "deleteTenant")
        .summary("Gives a tenant up: it stays, DEPROVISIONED; or shows what that would release")
        .answers::<DeletionAnswer>(200, "The tenant as it is now, or what would happen")
        .errors(&[TENANT_NOT_FOUND, CONFLICT, INVALID_STATUS_TRANSITION, ACTIVE_RESOURCES_EXIST]);
    api.route(create, create_tenant)
        .route(list, list_tenants)
        .route(get, get_tenant)
        .route(update, update_tenant)
        .route(delete, delete_tenant)
}

/// A tenant that is to be made (R002-6.4b-1, R002-5.8-3 to R002-5.8-7).
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NewTenant {
    /// The organisation's name; unique, however it is written.
    #[schema(schema_with = organization_name)]
    organization_name: String,
    /// Where the organisation is reached.
    #[schema(format = "email", min_length = 3, max_length = 254)]
    contact_email: String,
    /// The environment that the tenant lives in.
    #[schema(pattern = "^(dev|sit|prod)$")]
    environment: String,
    /// The division it belongs to.
    #[schema(schema_with = division)]
    division: Option<String>,
    /// The group it belongs to.
    #[schema(schema_with = group)]
    group: Option<String>,
    /// The team it belongs to.
    #[schema(schema_with = team)]
    team: Option<String>,
    /// The customer whose administrators may see it.
    #[schema(schema_with = customer_id)]
    customer_id: Option<String>,
    /// Its identifier in another system; unique.
    #[schema(schema_with = external_id)]
    external_id: Option<String>,
    /// Free fields: up to 16 KB of JSON, 16 objects and lists in each other, numbers up to 9.99e125.
    #[schema(value_type = Option<Object>)]
    metadata: Option<Map<String, Value>>,
}

/// What a tenant is to become. What can change and is left out is removed (C2-19).
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TenantUpdate {
    /// The organisation's name; unique, however it is written.
    #[schema(schema_with = organization_name)]
    organization_name: String,
    /// Where the organisation is reached.
    #[schema(format = "email", min_length = 3, max_length = 254)]
    contact_email: String,
    /// As it is: it cannot change.
    #[schema(pattern = "^(dev|sit|prod)$")]
    environment: Option<String>,
    /// The division it belongs to.
    #[schema(schema_with = division)]
    division: Option<String>,
    /// The group it belongs to.
    #[schema(schema_with = group)]
    group: Option<String>,
    /// The team it belongs to.
    #[schema(schema_with = team)]
    team: Option<String>,
    /// As it is: it cannot change.
    #[schema(min_length = 1, max_length = 200)]
    customer_id: Option<String>,
    /// Its identifier in another system; unique.
    #[schema(schema_with = external_id)]
    external_id: Option<String>,
    /// Free fields: up to 16 KB of JSON, 16 objects and lists in each other, numbers up to 9.99e125.
    #[schema(value_type = Option<Object>)]
    metadata: Option<Map<String, Value>>,
}

impl From<NewTenant> for TenantInput {
    fn from(new: NewTenant) -> TenantInput {
        TenantInput {
            organization_name: new.organization_name,
            contact_email: new.contact_email,
            environment: Some(new.environment),
            division: new.division,
            group: new.group,
            team: new.team,
            customer_id: new.customer_id,
            external_id: new.external_id,
            metadata: new.metadata,
        }
    }
}

impl From<TenantUpdate> for TenantInput {
    fn from(update: TenantUpdate) -> TenantInput {
        TenantInput {
            organization_name: update.organization_name,
            contact_email: update.contact_email,
            environment: update.environment,
            division: update.division,
            group: update.group,
            team: update.team,
            customer_id: update.customer_id,
            external_id: update.external_id,
            metadata: update.metadata,
        }
    }
}

/// Which tenants are asked for (R002-6.4b-3).
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TenantFilter {
    /// Those in this state.
    status: Option<Status>,
    /// Those of this environment.
    #[schema(pattern = "^(dev|sit|prod)$")]
    environment: Option<String>,
    /// The one with this organisation's name, however it is written.
    #[schema(min_length = 2, max_length = 100)]
    organization_name: Option<String>,
    /// The one with this identifier in another system.
    #[schema(min_length = 1, max_length = 200)]
    external_id: Option<String>,
    /// How many at most.
    #[schema(minimum = 1, maximum = 100, default = 20)]
    limit: Option<u32>,
    /// The `nextToken` of the page before.
    #[schema(min_length = 1, max_length = 4096)]
    next_token: Option<String>,
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

async fn create_tenant(
    allowed: Allowed<TenantsCreate>,
    State(tenancy): State<Tenancy>,
    Body(new): Body<NewTenant>,
) -> Result<Answer, Error> {
    tenancy.create(allowed.context(), new.into()).await
}

async fn list_tenants(
    allowed: Allowed<TenantsRead>,
    State(tenancy): State<Tenancy>,
    Params(filter): Params<TenantFilter>,
) -> Result<Answer, Error> {
    let context = allowed.context();
    let wanted = Wanted {
        status: filter.status,
        environment: filter.environment,
        limit: items(filter.limit),
        token: filter.next_token,
    };
    let (name, external) = (filter.organization_name.as_deref(), filter.external_id.as_deref());
    let page = if name.is_some() || external.is_some() {
        let found = match tenancy.owner(name, external).await? {
            Some(id) => tenancy.see_if_any(&allowed, &id).await?,
            None => None,
        };
        let fits = |tenant: &Tenant| {
            wanted.has(tenant) && (external.is_none() || tenant.external_id.as_deref() == external)
        };
        let items = found.map(|found| found.tenant).filter(fits).into_iter().collect();
        store::Page { items, next: None }
    } else {
        // Who may see what they are nothing to, sees everything (R002-9.2-6).
        let nothing = Default::default();
        let decision = may(allowed.caller(), &TenantsRead::RULE, &Target::Held(&nothing));
        tenancy.list(context, decision == Decision::Allowed, &wanted).await?
    };
    Answer::ok(&PageAnswer::new(context, page, |tenant| TenantSummary::of(context, tenant)))
}

async fn get_tenant(
    allowed: Allowed<TenantsRead>,
    State(tenancy): State<Tenancy>,
    InPath(path): InPath<TenantPath>,
) -> Result<Answer, Error> {
    let seen = tenancy.see(&allowed, &path.tenant_id).await?;
    let answer = TenantAnswer::of(allowed.context(), &seen.tenant, &seen.roles);
    Ok(Answer::ok(&answer)?.versioned(seen.tenant.etag()))
}

async fn update_tenant(
    allowed: Allowed<TenantsWrite>,
    State(tenancy): State<Tenancy>,
    InPath(path): InPath<TenantPath>,
    if_match: IfMatch,
    Body(update): Body<TenantUpdate>,
) -> Result<Answer, Error> {
    let seen = tenancy.see(&allowed, &path.tenant_id).await?;
    tenancy.update(allowed.context(), seen, update.into(), &if_match).await
}

async fn delete_tenant(
    allowed: Allowed<TenantsWrite>,
    State(tenancy): State<Tenancy>,
    InPath(path): InPath<TenantPath>,
    if_match: IfMatch,
    Params(how): Params<Deletion>,
) -> Result<Answer, Error> {
    let seen = tenancy.see(&allowed, &path.tenant_id).await?;
    let is_forced = how.force.unwrap_or(false);
    if how.dry_run.unwrap_or(false) {
        let tenant = &seen.tenant;
        let is_possible = find(tenant.status, Way::Delete, Status::Deprovisioned).is_some();
        let resources = tenancy.resources_in_use(&tenant.tenant_id).await?;
        let shown = |one| ResourceAnswer::of(allowed.context(), one);
        return Answer::ok(&DeletionAnswer::Plan(DeprovisionPlan {
            tenant_id: tenant.tenant_id.clone(),
            status: tenant.status,
            would_succeed: is_possible && (is_forced || tenant.active_resources == 0),
            active_resources: tenant.active_resources,
            resources: resources.iter().map(shown).collect(),
        }));
    }
    let (way, to) = (Way::Delete, Status::Deprovisioned);
    let if_match = &if_match;
    let asked = Asked { way, to, reason: None, is_forced, if_match, operation_id: None };
    tenancy.transition(allowed.context(), seen, &asked).await
}
