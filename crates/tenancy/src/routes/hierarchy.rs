//! Divisions, groups and teams over HTTP, and who has a role in them (R002-6.6, C2-07, C2-08). The
//! three levels have the same handlers: only their paths differ.

use kernel::error::{CONFLICT, Error};
use serde::de::DeserializeOwned;
use utoipa::ToSchema;
use web::{Allowed, Answer, Api, Body, Context, IfMatch, InPath, PageAnswer, Paging, Route, State};

use super::answers::{self, MemberAnswer, NodeAnswer};
use super::inputs::{
    DivisionPath, DivisionUserPath, GroupPath, GroupUserPath, InTree, OfUser, TeamPath,
    TeamUserPath, TenantPath,
};
use crate::Tenancy;
use crate::errors::{
    DIVISION_NOT_FOUND, GROUP_NOT_FOUND, HIERARCHY_NOT_EMPTY, TEAM_NOT_FOUND, TENANT_NOT_ACTIVE,
    TENANT_NOT_FOUND, USER_NOT_FOUND,
};
use crate::hierarchy::NodeBody;
use crate::paths;
use crate::permissions::{HierarchyRead, HierarchyWrite, UsersRead, UsersWrite};
use crate::records::{Membership, Node};
use crate::standing::View;
use crate::users::NewUser;

const ABSENT: [kernel::Code; 4] =
    [TENANT_NOT_FOUND, DIVISION_NOT_FOUND, GROUP_NOT_FOUND, TEAM_NOT_FOUND];

macro_rules! level {
    ($api:expr, $above:ty, $own:ty, $user:ty, $all:ident $one:ident $all_users:ident $one_user:ident,
     $list:literal $add:literal $get:literal $put:literal $delete:literal
     $users:literal $assign:literal $remove:literal, $kind:literal) => {{
        $api.route(
            Route::get(paths::$all, $list)
                .summary(concat!("Lists ", $kind, "s"))
                .answers_page::<NodeAnswer>(concat!("The ", $kind, "s"))
                .errors(&ABSENT),
            list_nodes::<$above>,
        )
        .route(
            Route::post(paths::$all, $add)
                .summary(concat!("Makes a ", $kind))
                .answers::<NodeAnswer>(201, concat!("The ", $kind))
                .errors(&ABSENT)
                .errors(&[CONFLICT, TENANT_NOT_ACTIVE]),
            add_node::<$above>,
        )
        .route(
            Route::get(paths::$one, $get)
                .summary(concat!("Gets a ", $kind))
                .answers::<NodeAnswer>(200, concat!("The ", $kind))
                .errors(&ABSENT),
            get_node::<$own>,
        )
        .route(
            Route::put(paths::$one, $put)
                .summary(concat!("Renames a ", $kind, ", and says what it is for"))
                .answers::<NodeAnswer>(200, concat!("The ", $kind, " as it is now"))
                .errors(&ABSENT)
                .errors(&[CONFLICT, TENANT_NOT_ACTIVE]),
            change_node::<$own>,
        )
        .route(
            Route::delete(paths::$one, $delete)
                .summary(concat!("Deletes a ", $kind, " that is empty"))
                .answers_empty(204, "It is deleted")
                .errors(&ABSENT)
                .errors(&[CONFLICT, HIERARCHY_NOT_EMPTY]),
            delete_node::<$own>,
        )
        .route(
            Route::get(paths::$all_users, $users)
                .summary(concat!("Lists who has a role in a ", $kind))
                .answers_page::<MemberAnswer>("The users")
                .errors(&ABSENT),
            list_members::<$own>,
        )
        .route(
            Route::post(paths::$all_users, $assign)
                .summary(concat!("Gives somebody a role in a ", $kind, " and all below it"))
                .answers::<MemberAnswer>(201, "Their role")
                .errors(&ABSENT)
                .errors(&[USER_NOT_FOUND, CONFLICT, TENANT_NOT_ACTIVE]),
            add_member::<$own>,
        )
        .route(
            Route::delete(paths::$one_user, $remove)
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
        DIVISIONS DIVISION DIVISION_USERS DIVISION_USER,
        "listDivisions" "createDivision" "getDivision" "updateDivision" "deleteDivision"
        "listDivisionUsers" "assignDivisionUser" "removeDivisionUser", "division"
    );
    let api = level!(
        api, DivisionPath, GroupPath, GroupUserPath,
        GROUPS GROUP GROUP_USERS GROUP_USER,
        "listGroups" "createGroup" "getGroup" "updateGroup" "deleteGroup"
        "listGroupUsers" "assignGroupUser" "removeGroupUser", "group"
    );
    level!(
        api, GroupPath, TeamPath, TeamUserPath,
        TEAMS TEAM TEAM_USERS TEAM_USER,
        "listTeams" "createTeam" "getTeam" "updateTeam" "deleteTeam"
        "listTeamUsers" "assignTeamUser" "removeTeamUser", "team"
    )
}

/// A path to a place in a tenant's tree.
trait TreePath: InTree + DeserializeOwned + ToSchema + Send + Sync + 'static {}

impl<P: InTree + DeserializeOwned + ToSchema + Send + Sync + 'static> TreePath for P {}

fn shown(context: &Context, view: &View<Node>) -> Result<Answer, Error> {
    let answer = answers::node(context, &view.record, &view.roles);
    Ok(Answer::ok(&answer)?.versioned(view.record.etag()))
}

async fn list_nodes<P: TreePath>(
    allowed: Allowed<HierarchyRead>,
    State(tenancy): State<Tenancy>,
    InPath(path): InPath<P>,
    Paging(page): Paging,
) -> Result<Answer, Error> {
    let (context, request) = (allowed.context(), allowed.request::<()>());
    let found = tenancy.nodes_below(&request, path.tenant_id(), &path.place(), &page).await?;
    let View { record, roles } = found;
    Answer::ok(&PageAnswer::new(context, record, |node| answers::node(context, &node, &roles)))
}

async fn add_node<P: TreePath>(
    allowed: Allowed<HierarchyWrite>,
    State(tenancy): State<Tenancy>,
    InPath(path): InPath<P>,
    Body(body): Body<NodeBody>,
) -> Result<Answer, Error> {
    let request = allowed.replying(|context, view: &View<Node>| {
        let answer = answers::node(context, &view.record, &view.roles);
        Ok(Answer::created(answer.location(), &answer)?.versioned(1))
    });
    let added = tenancy.add_node(&request, path.tenant_id(), &path.place(), &body).await?;
    request.answer(&added)
}

async fn get_node<P: TreePath>(
    allowed: Allowed<HierarchyRead>,
    State(tenancy): State<Tenancy>,
    InPath(path): InPath<P>,
) -> Result<Answer, Error> {
    let request = allowed.request::<()>();
    let view = tenancy.see_node(&request, path.tenant_id(), &path.place()).await?;
    shown(allowed.context(), &view)
}

async fn change_node<P: TreePath>(
    allowed: Allowed<HierarchyWrite>,
    State(tenancy): State<Tenancy>,
    InPath(path): InPath<P>,
    IfMatch(expected): IfMatch,
    Body(body): Body<NodeBody>,
) -> Result<Answer, Error> {
    let (request, place) = (allowed.replying(shown), path.place());
    let changed = tenancy.update_node(&request, path.tenant_id(), &place, &body, &expected);
    request.answer(&changed.await?)
}

async fn delete_node<P: TreePath>(
    allowed: Allowed<HierarchyWrite>,
    State(tenancy): State<Tenancy>,
    InPath(path): InPath<P>,
) -> Result<Answer, Error> {
    tenancy.remove_node(&allowed.request(), path.tenant_id(), &path.place()).await?;
    Ok(Answer::no_content())
}

async fn list_members<P: TreePath>(
    allowed: Allowed<UsersRead>,
    State(tenancy): State<Tenancy>,
    InPath(path): InPath<P>,
    Paging(page): Paging,
) -> Result<Answer, Error> {
    let (context, place, request) = (allowed.context(), path.place(), allowed.request::<()>());
    let found = tenancy.members(&request, path.tenant_id(), &place, &page).await?;
    let View { record, roles } = found;
    let shown = |held| answers::member(context, &held, &place, &roles);
    Answer::ok(&PageAnswer::new(context, record, shown))
}

async fn add_member<P: TreePath>(
    allowed: Allowed<UsersWrite>,
    State(tenancy): State<Tenancy>,
    InPath(path): InPath<P>,
    Body(new): Body<NewUser>,
) -> Result<Answer, Error> {
    let place = path.place();
    let request = allowed.replying(move |context, view: &View<Membership>| {
        let answer = answers::member(context, &view.record, &place, &view.roles);
        Answer::created(answer.location(), &answer)
    });
    let added = tenancy.add_member(&request, path.tenant_id(), &path.place(), &new).await?;
    request.answer(&added)
}

async fn remove_member<P: TreePath + OfUser>(
    allowed: Allowed<UsersWrite>,
    State(tenancy): State<Tenancy>,
    InPath(path): InPath<P>,
) -> Result<Answer, Error> {
    let (request, place) = (allowed.request(), path.place());
    tenancy.remove_member(&request, path.tenant_id(), &place, path.user_id()).await?;
    Ok(Answer::no_content())
}
