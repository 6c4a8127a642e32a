//! What the service shows, with the links that will work for this caller (R002-6.2-2, C2-51).

use kernel::Moment;
use kernel::permissions::Target;
use serde::Serialize;
use serde_json::{Map, Value};
use utoipa::ToSchema;
use web::{Context, Links, view};

use crate::hierarchy::{Level, Place};
use crate::paths;
use crate::permissions::{
    EventsRead, HierarchyRead, HierarchyWrite, InvitationsWrite, LifecycleWrite, ResourcesRead,
    TenantsRead, TenantsWrite, UsersRead, UsersWrite,
};
use crate::records::{
    Assignment, HistoryEvent, Invitation, InvitationStatus, Membership, Node, Operation, Resource,
    ResourceStatus, Tenant, UserRole,
};
use crate::standing::{Roles, View};
use crate::status::{MOVES, Status, Way};

view! {
    /// A tenant (R002-6.4b-2, R002-5.4-1).
    pub struct TenantAnswer of Tenant {
        tenant_id: String,
        organization_name: String,
        contact_email: String,
        environment: String,
        status: Status,
        division: Option<String>,
        group: Option<String>,
        team: Option<String>,
        customer_id: Option<String>,
        external_id: Option<String>,
        created_at: Moment,
        created_by: String,
        updated_at: Moment,
        updated_by: Option<String>,
        parked_at: Option<Moment>,
        parked_by: Option<String>,
        park_reason: Option<String>,
        unparked_at: Option<Moment>,
        unparked_by: Option<String>,
        suspended_at: Option<Moment>,
        suspended_by: Option<String>,
        suspend_reason: Option<String>,
        deprovisioned_at: Option<Moment>,
        deprovisioned_by: Option<String>,
        #[schema(value_type = Option<Object>)]
        metadata: Option<Map<String, Value>>,
        version: i64,
    }
}

/// A tenant as a caller sees it.
pub fn tenant(context: &Context, view: &View<Tenant>) -> TenantAnswer {
    let tenant = &view.record;
    let (held, id) = (view.target(), [("tenantId", &*tenant.tenant_id)]);
    let is_alive = tenant.status != Status::Deprovisioned;
    let links = Links::new(context)
        .to("self", paths::TENANT, &id)
        .offer::<UsersRead>(true, &held, "users", paths::USERS, &id)
        .offer::<HierarchyRead>(true, &held, "divisions", paths::DIVISIONS, &id)
        .offer::<InvitationsWrite>(true, &held, "invitations", paths::INVITATIONS, &id)
        .offer::<ResourcesRead>(true, &held, "resources", paths::RESOURCES, &id)
        .offer::<EventsRead>(true, &held, "events", paths::EVENTS, &id)
        .offer::<TenantsRead>(true, &held, "lifecycle", paths::LIFECYCLE, &id)
        .offer::<TenantsWrite>(is_alive, &held, "delete", paths::TENANT, &id);
    TenantAnswer::of(tenant, moves(links, view).done())
}

/// The moves that the table allows now, to those who may (C2-51).
fn moves<'a>(mut links: Links<'a>, view: &View<Tenant>) -> Links<'a> {
    let id = [("tenantId", &*view.record.tenant_id)];
    let ways = [
        (Way::Suspend, "suspend", paths::SUSPEND),
        (Way::Resume, "resume", paths::RESUME),
        (Way::Park, "park", paths::PARK),
        (Way::Unpark, "unpark", paths::UNPARK),
    ];
    for (way, relation, path) in ways {
        let is_possible = MOVES.iter().any(|step| step.is_from(view.record.status, way));
        links = links.offer::<LifecycleWrite>(is_possible, &view.target(), relation, path, &id);
    }
    links
}

view! {
    /// A tenant in a list (R002-6.4b-4, C2-50).
    pub struct TenantSummary of Tenant {
        tenant_id: String,
        organization_name: String,
        status: Status,
        environment: String,
        created_at: Moment,
    }
}

/// A tenant in a list.
pub fn tenant_summary(context: &Context, tenant: &Tenant) -> TenantSummary {
    let id = [("tenantId", &*tenant.tenant_id)];
    TenantSummary::of(tenant, Links::new(context).to("self", paths::TENANT, &id).done())
}

view! {
    /// What became of a move (R002-6.4b-5, R002-6.4b-6).
    pub struct LifecycleAnswer of Tenant {
        tenant_id: String,
        status: Status,
        #[serde(skip_serializing_if = "Option::is_none")]
        parked_at: Option<Moment>,
        #[serde(skip_serializing_if = "Option::is_none")]
        parked_by: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        park_reason: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        unparked_at: Option<Moment>,
        #[serde(skip_serializing_if = "Option::is_none")]
        unparked_by: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        suspended_at: Option<Moment>,
        #[serde(skip_serializing_if = "Option::is_none")]
        suspended_by: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        suspend_reason: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        deprovisioned_at: Option<Moment>,
        #[serde(skip_serializing_if = "Option::is_none")]
        deprovisioned_by: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        operation: Option<Operation>,
        version: i64,
    } and {
        message: &'static str,
        #[serde(skip_serializing_if = "Option::is_none")]
        warning: Option<&'static str>,
    }
}

/// A tenant after the move of this name.
pub fn lifecycle(context: &Context, view: &View<Tenant>, name: &str) -> LifecycleAnswer {
    let id = [("tenantId", &*view.record.tenant_id)];
    let links =
        Links::new(context).to("self", paths::TENANT, &id).to("lifecycle", paths::LIFECYCLE, &id);
    let is_unpark = name == "unpark";
    let warning = is_unpark.then_some(
        "Full functionality may not be available immediately. Resource reprovisioning in progress.",
    );
    let links = moves(links, view).done();
    let answer = LifecycleAnswer::of(&view.record, links, message(name), warning);
    if is_unpark {
        return answer;
    }
    LifecycleAnswer { unparked_at: None, unparked_by: None, ..answer }
}

/// The words of the document where it has some (C2-47).
fn message(name: &str) -> &'static str {
    match name {
        "park" => "Tenant parked successfully. Resources will be released within 5 minutes.",
        "unpark" => "Tenant unpark initiated. Resources will be reprovisioned within 15 minutes.",
        "suspend" => "Tenant suspended.",
        "resume" => "Tenant resumed.",
        "activate" => "Tenant activated.",
        "fail" => "Tenant marked as failed.",
        "retry" => "Provisioning requested again.",
        "deprovision" => "Tenant deprovisioned. It is kept, and its name stays reserved.",
        _ => "Noted.",
    }
}

view! {
    /// Where a tenant stands, what it may become, and what it was (C2-09, C2-47).
    pub struct LifecycleState of Tenant {
        tenant_id: String,
        status: Status,
        /// What a provisioner was last asked to do, and what became of it.
        operation: Option<Operation>,
    } and {
        /// What this caller may make of it now.
        allowed_transitions: Vec<Status>,
        /// The last moves, the newest first.
        history: Vec<TenantEventAnswer>,
    }
}

/// The links of [`LifecycleState`].
pub fn lifecycle_links(context: &Context, view: &View<Tenant>) -> Value {
    let id = [("tenantId", &*view.record.tenant_id)];
    let links =
        Links::new(context).to("self", paths::LIFECYCLE, &id).to("tenant", paths::TENANT, &id);
    moves(links, view).done()
}

/// Something that happened to a tenant (R002-5.6-1).
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TenantEventAnswer {
    event_id: String,
    event_type: String,
    timestamp: Moment,
    actor: String,
    #[schema(value_type = Object)]
    details: Map<String, Value>,
}

impl From<HistoryEvent> for TenantEventAnswer {
    fn from(event: HistoryEvent) -> TenantEventAnswer {
        let HistoryEvent { event_id, event_type, timestamp, actor, details, .. } = event;
        TenantEventAnswer { event_id, event_type, timestamp, actor, details }
    }
}

view! {
    /// A user of a tenant (R002-5.5-1).
    pub struct UserAnswer of Assignment {
        tenant_id: String,
        user_id: String,
        /// Absent for who made the tenant with a token that tells none.
        #[serde(skip_serializing_if = "Option::is_none")]
        email: Option<String>,
        role: UserRole,
        assigned_at: Moment,
        assigned_by: String,
        active: bool,
    }
}

/// An assignment as a caller with these roles sees it.
pub fn user(context: &Context, held: &Assignment, roles: &Roles) -> UserAnswer {
    let ids = [("tenantId", &*held.tenant_id), ("userId", &*held.user_id)];
    let target = Target::Held(roles);
    let links = Links::new(context)
        .to("self", paths::USER, &ids)
        .to("tenant", paths::TENANT, &ids)
        .offer::<UsersWrite>(held.active, &target, "remove", paths::USER, &ids);
    UserAnswer::of(held, links.done())
}

view! {
    /// A tenant of a user.
    pub struct UserTenantAnswer of Tenant {
        tenant_id: String,
        organization_name: String,
        status: Status,
        environment: String,
    } and {
        role: UserRole,
        assigned_at: Moment,
    }
}

/// A tenant that a user is assigned to.
pub fn user_tenant(context: &Context, (held, tenant): &(Assignment, Tenant)) -> UserTenantAnswer {
    let id = [("tenantId", &*tenant.tenant_id)];
    let links = Links::new(context).to("self", paths::TENANT, &id).done();
    UserTenantAnswer::of(tenant, links, held.role, held.assigned_at)
}

view! {
    /// A division, group or team.
    pub struct NodeAnswer of Node {
        tenant_id: String,
        division_id: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        group_id: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        team_id: Option<String>,
        name: String,
        description: Option<String>,
        /// Groups or teams directly below.
        #[serde(skip_serializing_if = "Option::is_none")]
        children: Option<i64>,
        created_at: Moment,
        created_by: String,
        updated_at: Moment,
        updated_by: Option<String>,
        version: i64,
    } and {
        /// Users with a role here.
        users: i64,
    }
}

/// A part of the tree as a caller with these roles sees it.
pub fn node(context: &Context, node: &Node, roles: &Roles) -> NodeAnswer {
    let (held, place) = (Target::Held(roles), node.place());
    let ids = ids(&node.tenant_id, &place);
    let (own, users, below) = match node.level().0 {
        Level::Division => {
            (paths::DIVISION, paths::DIVISION_USERS, Some(("groups", paths::GROUPS)))
        }
        Level::Group => (paths::GROUP, paths::GROUP_USERS, Some(("teams", paths::TEAMS))),
        Level::Team => (paths::TEAM, paths::TEAM_USERS, None),
    };
    let is_empty = node.members == 0 && node.children.unwrap_or(0) == 0;
    let mut links = Links::new(context)
        .to("self", own, &ids)
        .offer::<UsersRead>(true, &held, "users", users, &ids)
        .offer::<HierarchyWrite>(true, &held, "update", own, &ids)
        .offer::<HierarchyWrite>(is_empty, &held, "delete", own, &ids);
    if let Some((relation, path)) = below {
        links = links.offer::<HierarchyRead>(true, &held, relation, path, &ids);
    }
    NodeAnswer::of(node, links.done(), node.members)
}

fn ids<'a>(tenant_id: &'a str, place: &'a Place) -> Vec<(&'static str, &'a str)> {
    let all = [
        ("tenantId", Some(tenant_id)),
        ("divisionId", place.division.as_deref()),
        ("groupId", place.group.as_deref()),
        ("teamId", place.team.as_deref()),
    ];
    all.into_iter().filter_map(|(name, id)| Some((name, id?))).collect()
}

view! {
    /// A user's role in a division, group or team.
    pub struct MemberAnswer of Membership {
        tenant_id: String,
        user_id: String,
        /// The division, group or team.
        node_id: String,
        email: String,
        role: UserRole,
        assigned_at: Moment,
        assigned_by: String,
    }
}

/// A role in the hierarchy as a caller with these roles sees it.
pub fn member(context: &Context, held: &Membership, place: &Place, roles: &Roles) -> MemberAnswer {
    let mut ids = ids(&held.tenant_id, place);
    ids.push(("userId", &held.user_id));
    let own = match place.node() {
        Some((Level::Team, _)) => paths::TEAM_USER,
        Some((Level::Group, _)) => paths::GROUP_USER,
        _ => paths::DIVISION_USER,
    };
    let links = Links::new(context)
        .to("self", own, &ids)
        .to("user", paths::USER, &ids)
        .offer::<UsersWrite>(true, &Target::Held(roles), "remove", own, &ids);
    MemberAnswer::of(held, links.done())
}

view! {
    /// An invitation, without its token.
    pub struct InvitationAnswer of Invitation {
        invitation_id: String,
        tenant_id: String,
        email: String,
        role: UserRole,
        expires_at: Moment,
        created_at: Moment,
        created_by: String,
        sent_at: Moment,
        resend_count: u32,
        accepted_at: Option<Moment>,
        accepted_by: Option<String>,
        revoked_at: Option<Moment>,
        revoked_by: Option<String>,
    } and {
        status: InvitationStatus,
        /// The token, once, if it was not mailed.
        #[serde(skip_serializing_if = "Option::is_none")]
        token: Option<String>,
    }
}

/// An invitation as it stands now.
pub fn invitation(context: &Context, one: &Invitation, roles: &Roles) -> InvitationAnswer {
    let ids = [("tenantId", &*one.tenant_id), ("invitationId", &*one.invitation_id)];
    let (status, held) = (one.status_at(context.now), Target::Held(roles));
    let is_open = one.status == InvitationStatus::Pending;
    let is_pending = status == InvitationStatus::Pending;
    let (resend, revoke) = (paths::INVITATION_RESEND, paths::INVITATION_REVOKE);
    let links = Links::new(context)
        .to("self", paths::INVITATION, &ids)
        .offer::<InvitationsWrite>(is_open, &held, "resend", resend, &ids)
        .offer::<InvitationsWrite>(is_pending, &held, "revoke", revoke, &ids);
    InvitationAnswer::of(one, links.done(), status, None)
}

view! {
    /// Something that a tenant uses.
    pub struct ResourceAnswer of Resource {
        tenant_id: String,
        resource_type: String,
        resource_id: String,
        resource_status: ResourceStatus,
        registered_at: Moment,
        registered_by: String,
        released_at: Option<Moment>,
        released_by: Option<String>,
        #[schema(value_type = Option<Object>)]
        attributes: Option<Map<String, Value>>,
    }
}

/// A resource.
pub fn resource(context: &Context, one: &Resource) -> ResourceAnswer {
    let ids = [
        ("tenantId", &*one.tenant_id),
        ("resourceType", &*one.resource_type),
        ("resourceId", &*one.resource_id),
    ];
    ResourceAnswer::of(one, Links::new(context).to("self", paths::RESOURCE, &ids).done())
}

/// What became of a request to give a tenant up.
#[derive(Debug, Serialize, ToSchema)]
#[serde(untagged)]
pub enum DeletionAnswer {
    /// It was given up.
    Done(Box<TenantAnswer>),
    /// A dry run was asked for.
    Plan(DeprovisionPlan),
}

/// What giving a tenant up would do.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct DeprovisionPlan {
    pub tenant_id: String,
    pub status: Status,
    /// Whether it would happen.
    pub would_succeed: bool,
    /// How many resources would be released.
    pub active_resources: i64,
    /// Them, or the first hundred.
    pub resources: Vec<ResourceAnswer>,
}
