//! Users of tenants over HTTP, and the tenants of a user (R002-6.7).

use kernel::error::{CONFLICT, Error};
use kernel::permissions::{Decision, Permission as _, Target, may};
use serde::Deserialize;
use store::{Page, Test};
use utoipa::ToSchema;
use web::{Allowed, Answer, Api, Body, InPath, PageAnswer, Params, Route, State};

use super::inputs::{TenancyPage, TenantPath, TenantUserPath, UserToAssign};
use super::shapes::{UserAnswer, UserTenantAnswer};
use crate::Tenancy;
use crate::errors::{LAST_ADMIN, TENANT_NOT_ACTIVE, TENANT_NOT_FOUND, USER_NOT_FOUND, missing};
use crate::permissions::{UserTenantsRead, UsersRead, UsersWrite};
use crate::records::{Assignment, Tenant, UserRole};
use crate::standing::{is_id, user_id};

/// How many of another's tenants a request looks at for one that the caller may see.
const LOOKED_AT_MAX: usize = 200;

/// Adds the routes.
pub fn routes(api: Api<Tenancy>) -> Api<Tenancy> {
    let list = Route::get("/tenants/{tenantId}/users", "listTenantUsers")
        .summary("Lists who is assigned to a tenant")
        .answers_page::<UserAnswer>("The users")
        .errors(&[TENANT_NOT_FOUND]);
    let assign = Route::post("/tenants/{tenantId}/users", "assignTenantUser")
        .summary("Assigns somebody who has an account, by their address")
        .answers::<UserAnswer>(201, "The assignment")
        .errors(&[TENANT_NOT_FOUND, USER_NOT_FOUND, CONFLICT, TENANT_NOT_ACTIVE]);
    let get = Route::get("/tenants/{tenantId}/users/{userId}", "getTenantUser")
        .summary("Gets somebody's assignment")
        .answers::<UserAnswer>(200, "The assignment")
        .errors(&[TENANT_NOT_FOUND, USER_NOT_FOUND]);
    let change = Route::patch("/tenants/{tenantId}/users/{userId}", "changeTenantUserRole")
        .summary("Gives somebody another role; the last Admin stays one")
        .answers::<UserAnswer>(200, "The assignment as it is now")
        .errors(&[TENANT_NOT_FOUND, USER_NOT_FOUND, CONFLICT, LAST_ADMIN, TENANT_NOT_ACTIVE]);
    let remove = Route::delete("/tenants/{tenantId}/users/{userId}", "removeTenantUser")
        .summary("Removes somebody from a tenant; the last Admin stays")
        .answers_empty(204, "They are removed")
        .errors(&[TENANT_NOT_FOUND, USER_NOT_FOUND, CONFLICT, LAST_ADMIN]);
    let tenants = Route::get("/users/{userId}/tenants", "listUserTenants")
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

/// The role that somebody is to have.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RoleChange {
    /// The role.
    pub role: UserRole,
}

async fn list_users(
    allowed: Allowed<UsersRead>,
    State(tenancy): State<Tenancy>,
    InPath(path): InPath<TenantPath>,
    Params(page): Params<TenancyPage>,
) -> Result<Answer, Error> {
    let seen = tenancy.see(&allowed, &path.tenant_id).await?;
    let context = allowed.context();
    let access = tenancy.table()?.access("list-users")?.with("tenantId", &*path.tenant_id)?;
    let access = access.filter("active", Test::Equals(true.into()))?;
    let found: Page<Assignment> =
        access.page(allowed.caller().id(), page.items(), page.next_token.as_deref()).await?;
    let shown = |held| UserAnswer::of(context, &held, &seen.roles);
    Answer::ok(&PageAnswer::new(context, found, shown))
}

async fn assign_user(
    allowed: Allowed<UsersWrite>,
    State(tenancy): State<Tenancy>,
    InPath(path): InPath<TenantPath>,
    Body(who): Body<UserToAssign>,
) -> Result<Answer, Error> {
    let seen = tenancy.see(&allowed, &path.tenant_id).await?;
    tenancy.assign(allowed.context(), seen, &who.email, who.role).await
}

async fn get_user(
    allowed: Allowed<UsersRead>,
    State(tenancy): State<Tenancy>,
    InPath(path): InPath<TenantUserPath>,
) -> Result<Answer, Error> {
    let seen = tenancy.see(&allowed, &path.tenant_id).await?;
    let held = tenancy.must_have(&path.tenant_id, known(&path.user_id)?).await?;
    Answer::ok(&UserAnswer::of(allowed.context(), &held, &seen.roles))
}

async fn change_user(
    allowed: Allowed<UsersWrite>,
    State(tenancy): State<Tenancy>,
    InPath(path): InPath<TenantUserPath>,
    Body(change): Body<RoleChange>,
) -> Result<Answer, Error> {
    let seen = tenancy.see(&allowed, &path.tenant_id).await?;
    let user_id = known(&path.user_id)?;
    tenancy.change_role(allowed.context(), &seen, user_id, change.role).await
}

async fn remove_user(
    allowed: Allowed<UsersWrite>,
    State(tenancy): State<Tenancy>,
    InPath(path): InPath<TenantUserPath>,
) -> Result<Answer, Error> {
    tenancy.see(&allowed, &path.tenant_id).await?;
    tenancy.remove(allowed.context(), &path.tenant_id, known(&path.user_id)?).await
}

/// A user's identifier that can be one.
fn known(user_id: &str) -> Result<&str, Error> {
    match is_id("user", user_id) {
        true => Ok(user_id),
        false => Err(missing(USER_NOT_FOUND, "User", user_id)),
    }
}

/// Another's tenants are shown to those who administer them, and only those. Who may see none is not
/// told that there are any, nor how many: pages without one that they may see are passed over.
async fn visible(
    tenancy: &Tenancy,
    allowed: &Allowed<UserTenantsRead>,
    user_id: &str,
    page: &TenancyPage,
) -> Result<Page<(Assignment, Tenant)>, Error> {
    let (asker, mut token) = (allowed.caller().id(), page.next_token.clone());
    let mut looked_at = 0;
    loop {
        let found = tenancy.assigned(asker, user_id, page.items(), token.as_deref()).await?;
        looked_at += found.items.len().max(1);
        let mut items = Vec::new();
        for (held, tenant) in found.items {
            if tenancy.see_if_any(allowed, &tenant.tenant_id).await?.is_some() {
                items.push((held, tenant));
            }
        }
        let is_over = found.next.is_none() || looked_at >= LOOKED_AT_MAX;
        if items.is_empty() && is_over && page.next_token.is_none() {
            return Err(missing(USER_NOT_FOUND, "User", user_id));
        }
        if !items.is_empty() || is_over {
            return Ok(Page { items, next: found.next });
        }
        token = found.next;
    }
}

async fn list_user_tenants(
    allowed: Allowed<UserTenantsRead>,
    State(tenancy): State<Tenancy>,
    InPath(path): InPath<UserPath>,
    Params(page): Params<TenancyPage>,
) -> Result<Answer, Error> {
    let (context, caller) = (allowed.context(), allowed.caller());
    let own = user_id(caller);
    let wanted = match (path.user_id.as_str(), &own) {
        ("me", Some(own)) => own.clone(),
        (other, _) => known(other)?.to_owned(),
    };
    let nothing = Default::default();
    let decision = may(caller, &UserTenantsRead::RULE, &Target::Held(&nothing));
    let found = match own.as_ref() == Some(&wanted) || decision == Decision::Allowed {
        true => {
            let token = page.next_token.as_deref();
            tenancy.assigned(caller.id(), &wanted, page.items(), token).await?
        }
        false => visible(&tenancy, &allowed, &wanted, &page).await?,
    };
    Answer::ok(&PageAnswer::new(context, found, |both| UserTenantAnswer::of(context, both)))
}
