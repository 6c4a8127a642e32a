//! What tenants use, over HTTP (C2-30).

use changes::Saved;
use kernel::error::{CONFLICT, Error};
use serde::Deserialize;
use serde_json::{Map, Value};
use utoipa::ToSchema;
use web::{Allowed, Answer, Api, Body, Context, InPath, PageAnswer, Paging, Params, Route, State};

use super::answers::{self, ResourceAnswer};
use super::inputs::TenantPath;
use crate::Tenancy;
use crate::errors::{RESOURCE_NOT_FOUND, TENANT_NOT_ACTIVE, TENANT_NOT_FOUND};
use crate::paths;
use crate::permissions::{Provision, ResourcesRead};
use crate::records::{Resource, ResourceStatus};
use crate::resources::ResourcePath;

/// Adds the routes.
pub fn routes(api: Api<Tenancy>) -> Api<Tenancy> {
    let list = Route::get(paths::RESOURCES, "listTenantResources")
        .summary("Lists what a tenant uses")
        .answers_page::<ResourceAnswer>("The resources")
        .errors(&[TENANT_NOT_FOUND]);
    let register = Route::put(paths::RESOURCE, "registerTenantResource")
        .summary("Says that a tenant uses something")
        .answers::<ResourceAnswer>(201, "The resource, which was not known")
        .answers::<ResourceAnswer>(200, "The resource as it is now")
        .errors(&[TENANT_NOT_FOUND, CONFLICT, TENANT_NOT_ACTIVE]);
    let release = Route::delete(paths::RESOURCE, "releaseTenantResource")
        .summary("Says that a tenant uses something no more; the receipt stays")
        .answers::<ResourceAnswer>(200, "The resource as it is now")
        .errors(&[TENANT_NOT_FOUND, RESOURCE_NOT_FOUND, CONFLICT]);
    api.route(list, list_resources)
        .route(register, register_resource)
        .route(release, release_resource)
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
#[serde(rename_all = "camelCase")]
pub struct ResourceFilter {
    /// Those in use, or those released.
    status: Option<ResourceStatus>,
}

fn shown(context: &Context, saved: &Saved<Resource>) -> Result<Answer, Error> {
    let answer = answers::resource(context, &saved.record);
    match saved.is_new {
        true => Answer::created(answer.location(), &answer),
        false => Answer::ok(&answer),
    }
}

async fn list_resources(
    allowed: Allowed<ResourcesRead>,
    State(tenancy): State<Tenancy>,
    InPath(path): InPath<TenantPath>,
    Params(filter): Params<ResourceFilter>,
    Paging(page): Paging,
) -> Result<Answer, Error> {
    let (context, request) = (allowed.context(), allowed.request::<()>());
    let found = tenancy.resources(&request, &path.tenant_id, filter.status, &page).await?;
    Answer::ok(&PageAnswer::new(context, found, |one| answers::resource(context, &one)))
}

async fn register_resource(
    allowed: Allowed<Provision>,
    State(tenancy): State<Tenancy>,
    InPath(path): InPath<ResourcePath>,
    body: Option<Body<ResourceBody>>,
) -> Result<Answer, Error> {
    let request = allowed.replying(shown);
    let attributes = body.and_then(|Body(body)| body.attributes);
    let registered = tenancy.register(&request, &path, attributes.as_ref()).await?;
    request.answer(&registered)
}

async fn release_resource(
    allowed: Allowed<Provision>,
    State(tenancy): State<Tenancy>,
    InPath(path): InPath<ResourcePath>,
) -> Result<Answer, Error> {
    let request = allowed.replying(shown);
    let released = tenancy.release(&request, &path).await?;
    request.answer(&released)
}
