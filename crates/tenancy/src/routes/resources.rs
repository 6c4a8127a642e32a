//! What tenants use, over HTTP (C2-30).

use kernel::error::{CONFLICT, Error};
use serde::Deserialize;
use serde_json::{Map, Value};
use utoipa::ToSchema;
use web::{Allowed, Answer, Api, Body, InPath, PageAnswer, Params, Route, State};

use super::inputs::{TenantPath, items};
use super::shapes::ResourceAnswer;
use crate::Tenancy;
use crate::errors::{RESOURCE_NOT_FOUND, TENANT_NOT_ACTIVE, TENANT_NOT_FOUND};
use crate::permissions::{Provision, ResourcesRead};
use crate::records::ResourceStatus;

/// Adds the routes.
pub fn routes(api: Api<Tenancy>) -> Api<Tenancy> {
    const ONE: &str = "/tenants/{tenantId}/resources/{resourceType}/{resourceId}";
    let list = Route::get("/tenants/{tenantId}/resources", "listTenantResources")
        .summary("Lists what a tenant uses")
        .answers_page::<ResourceAnswer>("The resources")
        .errors(&[TENANT_NOT_FOUND]);
    let register = Route::put(ONE, "registerTenantResource")
        .summary("Says that a tenant uses something")
        .answers::<ResourceAnswer>(201, "The resource, which was not known")
        .answers::<ResourceAnswer>(200, "The resource as it is now")
        .errors(&[TENANT_NOT_FOUND, CONFLICT, TENANT_NOT_ACTIVE]);
    let release = Route::delete(ONE, "releaseTenantResource")
        .summary("Says that a tenant uses something no more; the receipt stays")
        .answers::<ResourceAnswer>(200, "The resource as it is now")
        .errors(&[TENANT_NOT_FOUND, RESOURCE_NOT_FOUND, CONFLICT]);
    api.route(list, list_resources)
        .route(register, register_resource)
        .route(release, release_resource)
}

/// A resource in a path.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ResourcePath {
    /// The tenant's identifier.
    #[schema(min_length = 1, max_length = 100)]
    tenant_id: String,
    /// What it is: `ecs-service`.
    #[schema(pattern = "^[A-Za-z0-9][A-Za-z0-9._:-]{0,99}$")]
    resource_type: String,
    /// Which one.
    #[schema(pattern = "^[A-Za-z0-9][A-Za-z0-9._:/+=@-]{0,199}$")]
    resource_id: String,
}

/// What there is to say of a resource.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ResourceBody {
    /// Free fields, such as a region: up to 16 KB of JSON, 16 objects and lists in each other, numbers
    /// up to 9.99e125.
    #[schema(value_type = Option<Object>)]
    attributes: Option<Map<String, Value>>,
}

/// Which resources are asked for.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ResourceFilter {
    /// Those in use, or those released.
    status: Option<ResourceStatus>,
    /// How many at most.
    #[schema(minimum = 1, maximum = 100, default = 20)]
    limit: Option<u32>,
    /// The `nextToken` of the page before.
    #[schema(min_length = 1, max_length = 4096)]
    next_token: Option<String>,
}

async fn list_resources(
    allowed: Allowed<ResourcesRead>,
    State(tenancy): State<Tenancy>,
    InPath(path): InPath<TenantPath>,
    Params(filter): Params<ResourceFilter>,
) -> Result<Answer, Error> {
    tenancy.see(&allowed, &path.tenant_id).await?;
    let context = allowed.context();
    let (limit, token) = (items(filter.limit), filter.next_token.as_deref());
    let found = tenancy.resources(context, &path.tenant_id, filter.status, limit, token).await?;
    let shown = |one| ResourceAnswer::of(context, &one);
    Answer::ok(&PageAnswer::new(context, found, shown))
}

async fn register_resource(
    allowed: Allowed<Provision>,
    State(tenancy): State<Tenancy>,
    InPath(path): InPath<ResourcePath>,
    body: Option<Body<ResourceBody>>,
) -> Result<Answer, Error> {
    let seen = tenancy.see(&allowed, &path.tenant_id).await?;
    let attributes = body.and_then(|Body(body)| body.attributes);
    let named = (path.resource_type.as_str(), path.resource_id.as_str());
    tenancy.register(allowed.context(), &seen, named, attributes).await
}

async fn release_resource(
    allowed: Allowed<Provision>,
    State(tenancy): State<Tenancy>,
    InPath(path): InPath<ResourcePath>,
) -> Result<Answer, Error> {
    tenancy.see(&allowed, &path.tenant_id).await?;
    let named = (path.resource_type.as_str(), path.resource_id.as_str());
    tenancy.release(allowed.context(), &path.tenant_id, named).await
}
