//! Divisions, groups and teams over HTTP, and who has a role in them (R002-6.6, C2-07, C2-08). The
//! three levels have the same handlers: only their paths differ.

use kernel::error::{CONFLICT, Error};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use utoipa::ToSchema;
use web::{Allowed, Answer, Api, Body, IfMatch, InPath, PageAnswer, Params, Route, State};

use super::inputs::{
    DivisionPath, DivisionUserPath, GroupPath, GroupUserPath, InTree, OfUser, TeamPath,
    TeamUserPath, TenancyPage, TenantPath, UserToAssign,
};
use super::named::node_name;
use super::shapes::{MemberAnswer, NodeAnswer};
use crate::Tenancy;
use crate::errors::{
    DIVISION_NOT_FOUND, GROUP_NOT_FOUND, HIERARCHY_NOT_EMPTY, TEAM_NOT_FOUND, TENANT_NOT_ACTIVE,
    TENANT_NOT_FOUND, USER_NOT_FOUND, missing,
};
use crate::hierarchy::NodeInput;
use crate::permissions::{HierarchyRead, HierarchyWrite, UsersRead, UsersWrite};
use crate::standing::is_id;

const ABSENT: [kernel::Code; 4] =
    [TENANT_NOT_FOUND, DIVISION_NOT_FOUND, GROUP_NOT_FOUND, TEAM_NOT_FOUND];

macro_rules! level {
    ($api:expr, $above:ty, $own:ty, $user:ty, $path:literal, $id:literal,
     $list:literal $add:literal $get:literal $put:literal $delete:literal
     $users:literal $assign:literal $remove:literal, $kind:literal) => {{
        let one = concat!($path, "/{", $id, "}");
        let users = concat!($path, "/{", $id, "}/users");
        let user = concat!($path, "/{", $id, "}/users/{userId}");
        $api.route(
            Route::get($path, $list)
                .summary(concat!("Lists ", $kind, "s"))
                .answers_page::<NodeAnswer>(concat!("The ", $kind, "s"))
                .errors(&ABSENT),
            list_nodes::<$above>,
        )
        .route(
            Route::post($path, $add)
                .summary(concat!("Makes a ", $kind))
                .answers::<NodeAnswer>(201, concat!("The ", $kind))
                .errors(&ABSENT)
                .errors(&[CONFLICT, TENANT_NOT_ACTIVE]),
            add_node::<$above>,
        )
        .route(
            Route::get(one, $get)
                .summary(concat!("Gets a ", $kind))
                .answers::<NodeAnswer>(200, concat!("The ", $kind))
                .errors(&ABSENT),
            get_node::<$own>,
        )
        .route(
            Route::put(one, $put)
                .summary(concat!("Renames a ", $kind, ", and says what it is for"))
                .answers::<NodeAnswer>(200, concat!("The ", $kind, " as it is now"))
                .errors(&ABSENT)
                .errors(&[CONFLICT, TENANT_NOT_ACTIVE]),
            change_node::<$own>,
        )
        .route(
            Route::delete(one, $delete)
                .summary(concat!("Deletes a ", $kind, " that is empty"))
                .answers_empty(204, "It is deleted")
                .errors(&ABSENT)
                .errors(&[CONFLICT, HIERARCHY_NOT_EMPTY]),
            delete_node::<$own>,
        )
        .route(
            Route::get(users, $users)
                .summary(concat!("Lists who has a role in a ", $kind))
                .answers_page::<MemberAnswer>("The users")
                .errors(&ABSENT),
            list_members::<$own>,
        )
        .route(
            Route::post(users, $assign)
                .summary(concat!("Gives somebody a role in a ", $kind, " and all below it"))
                .answers::<MemberAnswer>(201, "Their role")
                .errors(&ABSENT)
                .errors(&[USER_NOT_FOUND, CONFLICT, TENANT_NOT_ACTIVE]),
            add_member::<$own>,
        )
        .route(
            Route::delete(user, $remove)
                .summary(concat!("Takes somebody's role in a ", $kind, " away"))
                .answers_empty(204, "It is taken away")
                .errors(&ABSENT)
                .errors(&[USER_NOT_FOUND, CONFLICT]),
            remove_member::<$user>,
        )
    }};
}

/// Adds the routes.
pub fn routes(api: Api<Tenancy>) -> Api<Tenancy> {
    let api = level!(
        api, TenantPath, DivisionPath, DivisionUserPath,
        "/tenants/{tenantId}/divisions", "divisionId",
        "listDivisions" "createDivision" "getDivision" "updateDivision" "deleteDivision"
        "listDivisionUsers" "assignDivisionUser" "removeDivisionUser", "division"
    );
    let api = level!(
        api, DivisionPath, GroupPath, GroupUserPath,
        "/tenants/{tenantId}/divisions/{divisionId}/groups", "groupId",
        "listGroups" "createGroup" "getGroup" "updateGroup" "deleteGroup"
        "listGroupUsers" "assignGroupUser" "removeGroupUser", "group"
    );
    level!(
        api, GroupPath, TeamPath, TeamUserPath,
        "/tenants/{tenantId}/divisions/{divisionId}/groups/{groupId}/teams", "teamId",
        "listTeams" "createTeam" "getTeam" "updateTeam" "deleteTeam"
        "listTeamUsers" "assignTeamUser" "removeTeamUser", "team"
    )
}

/// What a division, group or team is called and for.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NodeBody {
    /// Its name, unique among its siblings.
    #[schema(schema_with = node_name)]
    name: String,
    /// What it is for.
    #[schema(min_length = 1, max_length = 500)]
    description: Option<String>,
}

impl From<NodeBody> for NodeInput {
    fn from(body: NodeBody) -> NodeInput {
        NodeInput { name: body.name, description: body.description }
    }
}

/// A path to a place in a tenant's tree.
trait TreePath: InTree + DeserializeOwned + ToSchema + Send + Sync + 'static {}

impl<P: InTree + DeserializeOwned + ToSchema + Send + Sync + 'static> TreePath for P {}

async fn list_nodes<P: TreePath>(
    allowed: Allowed<HierarchyRead>,
    State(tenancy): State<Tenancy>,
    InPath(path): InPath<P>,
    Params(page): Params<TenancyPage>,
) -> Result<Answer, Error> {
    let (context, place) = (allowed.context(), path.place());
    let seen = tenancy.see_below(&allowed, path.tenant_id(), &place).await?;
    let (limit, token) = (page.items(), page.next_token.as_deref());
    let found = tenancy.below(context, path.tenant_id(), &place, limit, token).await?;
    let shown = |node| NodeAnswer::of(context, &node, &seen.roles);
    Answer::ok(&PageAnswer::new(context, found, shown))
}

async fn add_node<P: TreePath>(
    allowed: Allowed<HierarchyWrite>,
    State(tenancy): State<Tenancy>,
    InPath(path): InPath<P>,
    Body(body): Body<NodeBody>,
) -> Result<Answer, Error> {
    let place = path.place();
    let seen = tenancy.see_below(&allowed, path.tenant_id(), &place).await?;
    if place.node().is_some() {
        tenancy.node(path.tenant_id(), &place).await?;
    }
    tenancy.add_node(allowed.context(), &seen, &place, body.into()).await
}

async fn get_node<P: TreePath>(
    allowed: Allowed<HierarchyRead>,
    State(tenancy): State<Tenancy>,
    InPath(path): InPath<P>,
) -> Result<Answer, Error> {
    let place = path.place();
    let seen = tenancy.see_below(&allowed, path.tenant_id(), &place).await?;
    let node = tenancy.node(path.tenant_id(), &place).await?;
    let answer = Answer::ok(&NodeAnswer::of(allowed.context(), &node, &seen.roles))?;
    Ok(answer.versioned(node.etag()))
}

async fn change_node<P: TreePath>(
    allowed: Allowed<HierarchyWrite>,
    State(tenancy): State<Tenancy>,
    InPath(path): InPath<P>,
    if_match: IfMatch,
    Body(body): Body<NodeBody>,
) -> Result<Answer, Error> {
    let place = path.place();
    let seen = tenancy.see_below(&allowed, path.tenant_id(), &place).await?;
    tenancy.change_node(allowed.context(), &seen, &place, body.into(), &if_match).await
}

async fn delete_node<P: TreePath>(
    allowed: Allowed<HierarchyWrite>,
    State(tenancy): State<Tenancy>,
    InPath(path): InPath<P>,
) -> Result<Answer, Error> {
    let place = path.place();
    tenancy.see_below(&allowed, path.tenant_id(), &place).await?;
    tenancy.delete_node(allowed.context(), path.tenant_id(), &place).await
}

async fn list_members<P: TreePath>(
    allowed: Allowed<UsersRead>,
    State(tenancy): State<Tenancy>,
    InPath(path): InPath<P>,
    Params(page): Params<TenancyPage>,
) -> Result<Answer, Error> {
    let (context, place) = (allowed.context(), path.place());
    let seen = tenancy.see_below(&allowed, path.tenant_id(), &place).await?;
    let (limit, token) = (page.items(), page.next_token.as_deref());
    let found = tenancy.members(context, path.tenant_id(), &place, limit, token).await?;
    let shown = |held| MemberAnswer::of(context, &held, &place, &seen.roles);
    Answer::ok(&PageAnswer::new(context, found, shown))
}

async fn add_member<P: TreePath>(
    allowed: Allowed<UsersWrite>,
    State(tenancy): State<Tenancy>,
    InPath(path): InPath<P>,
    Body(who): Body<UserToAssign>,
) -> Result<Answer, Error> {
    let place = path.place();
    let seen = tenancy.see_below(&allowed, path.tenant_id(), &place).await?;
    tenancy.add_member(allowed.context(), &seen, &place, &who.email, who.role).await
}

async fn remove_member<P: TreePath + OfUser>(
    allowed: Allowed<UsersWrite>,
    State(tenancy): State<Tenancy>,
    InPath(path): InPath<P>,
) -> Result<Answer, Error> {
    let (place, user_id) = (path.place(), path.user_id());
    tenancy.see_below(&allowed, path.tenant_id(), &place).await?;
    if !is_id("user", user_id) {
        return Err(missing(USER_NOT_FOUND, "User", user_id));
    }
    tenancy.remove_member(allowed.context(), path.tenant_id(), &place, user_id).await
}
