//! Users of tenants over HTTP, and the tenants of a user (R002-6.7).

use kernel::error::{CONFLICT, Error};
use serde::Deserialize;
use utoipa::ToSchema;
use web::{Allowed, Answer, Api, Body, Context, InPath, PageAnswer, Paging, Route, State};

use super::answers::{self, UserAnswer, UserTenantAnswer};
use super::inputs::{TenantPath, TenantUserPath};
use crate::Tenancy;
use crate::errors::{LAST_ADMIN, TENANT_NOT_ACTIVE, TENANT_NOT_FOUND, USER_NOT_FOUND, missing};
use crate::paths;
use crate::permissions::{UserTenantsRead, UsersRead, UsersWrite};
use crate::records::{Assignment, UserRole};
use crate::standing::{View, is_id, user_id};
use crate::users::NewUser;

/// Adds the routes.
pub fn routes(api: Api<Tenancy>) -> Api<Tenancy> {
    let list = Route::get(paths::USERS, "listTenantUsers")
        .summary("Lists who is assigned to a tenant")
        .answers_page::<UserAnswer>("The users")
        .errors(&[TENANT_NOT_FOUND]);
    let assign = Route::post(paths::USERS, "assignTenantUser")
        .summary("Assigns somebody who has an account, by their address")
        .answers::<UserAnswer>(201, "The assignment")
        .errors(&[TENANT_NOT_FOUND, USER_NOT_FOUND, CONFLICT, TENANT_NOT_ACTIVE]);
    let get = Route::get(paths::USER, "getTenantUser")
        .summary("Gets somebody's assignment")
        .answers::<UserAnswer>(200, "The assignment")
        .errors(&[TENANT_NOT_FOUND, USER_NOT_FOUND]);
    let change = Route::patch(paths::USER, "changeTenantUserRole")
        .summary("Gives somebody another role; the last Admin stays one")
        .answers::<UserAnswer>(200, "The assignment as it is now")
        .errors(&[TENANT_NOT_FOUND, USER_NOT_FOUND, CONFLICT, LAST_ADMIN, TENANT_NOT_ACTIVE]);
    let remove = Route::delete(paths::USER, "removeTenantUser")
        .summary("Removes somebody from a tenant; the last Admin stays")
        .answers_empty(204, "They are removed")
        .errors(&[TENANT_NOT_FOUND, USER_NOT_FOUND, CONFLICT, LAST_ADMIN]);
    let tenants = Route::get(paths::USER_TENANTS, "listUserTenants")
        .summary("Lists somebody's tenants: one's own (`me`), or those that one administers")
        .answers_page::<UserTenantAnswer>("The tenants")
        .errors(&[USER_NOT_FOUND]);
    api.route(list, list_users)
        .route(assign, assign_user)
        .route(get, get_user)
        .route(change, change_user)
        .route(remove, remove_user)
        .route(tenants, list_user_tenants)
}

/// A user in a path.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct UserPath {
    /// The user's identifier: `user-` and a UUID, or `me`.
    #[schema(min_length = 1, max_length = 100)]
    pub user_id: String,
}

/// The role that a user is to have.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RoleChange {
    /// The role.
    pub role: UserRole,
}

/// An assignment as the caller sees it.
pub fn shown(context: &Context, view: &View<Assignment>) -> Result<Answer, Error> {
    Answer::ok(&answers::user(context, &view.record, &view.roles))
}

async fn list_users(
    allowed: Allowed<UsersRead>,
    State(tenancy): State<Tenancy>,
    InPath(path): InPath<TenantPath>,
    Paging(page): Paging,
) -> Result<Answer, Error> {
    let (context, request) = (allowed.context(), allowed.request::<()>());
    let View { record, roles } = tenancy.users(&request, &path.tenant_id, &page).await?;
    Answer::ok(&PageAnswer::new(context, record, |held| answers::user(context, &held, &roles)))
}

async fn assign_user(
    allowed: Allowed<UsersWrite>,
    State(tenancy): State<Tenancy>,
    InPath(path): InPath<TenantPath>,
    Body(new): Body<NewUser>,
) -> Result<Answer, Error> {
    let request = allowed.replying(|context, view: &View<Assignment>| {
        let answer = answers::user(context, &view.record, &view.roles);
        Answer::created(answer.location(), &answer)
    });
    let assigned = tenancy.assign(&request, &path.tenant_id, &new).await?;
    request.answer(&assigned)
}

async fn get_user(
    allowed: Allowed<UsersRead>,
    State(tenancy): State<Tenancy>,
    InPath(path): InPath<TenantUserPath>,
) -> Result<Answer, Error> {
    let request = allowed.request::<()>();
    let view = tenancy.see_user(&request, &path.tenant_id, &path.user_id).await?;
    shown(allowed.context(), &view)
}

async fn change_user(
    allowed: Allowed<UsersWrite>,
    State(tenancy): State<Tenancy>,
    InPath(path): InPath<TenantUserPath>,
    Body(change): Body<RoleChange>,
) -> Result<Answer, Error> {
    let request = allowed.replying(shown);
    let TenantUserPath { tenant_id, user_id } = &path;
    let changed = tenancy.change_role(&request, tenant_id, user_id, change.role).await?;
    request.answer(&changed)
}

async fn remove_user(
    allowed: Allowed<UsersWrite>,
    State(tenancy): State<Tenancy>,
    InPath(path): InPath<TenantUserPath>,
) -> Result<Answer, Error> {
    tenancy.remove(&allowed.request(), &path.tenant_id, &path.user_id).await?;
    Ok(Answer::no_content())
}

async fn list_user_tenants(
    allowed: Allowed<UserTenantsRead>,
    State(tenancy): State<Tenancy>,
    InPath(path): InPath<UserPath>,
    Paging(page): Paging,
) -> Result<Answer, Error> {
    let (context, caller) = (allowed.context(), allowed.caller());
    let absent = || missing(USER_NOT_FOUND, "User", &path.user_id);
    let wanted = match (path.user_id.as_str(), user_id(caller)) {
        ("me", Some(own)) => own,
        (other, _) if is_id("user", other) => other.to_owned(),
        _ => return Err(absent()),
    };
    let found = tenancy.tenants_of_user::<UserTenantsRead>(caller, &wanted, &page).await?;
    let found = found.ok_or_else(absent)?;
    Answer::ok(&PageAnswer::new(context, found, |both| answers::user_tenant(context, &both)))
}
