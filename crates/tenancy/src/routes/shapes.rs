//! What the service shows, with the links that will work for this caller (R002-6.2-2, C2-51).

use std::collections::BTreeSet;

use kernel::permissions::Target;
use kernel::{Moment, Role};
use serde::Serialize;
use serde_json::{Map, Value};
use utoipa::ToSchema;
use web::{Context, Links};

use crate::hierarchy::{Level, Place};
use crate::permissions::{
    EventsRead, HierarchyRead, HierarchyWrite, InvitationsWrite, LifecycleWrite, ResourcesRead,
    TenantsRead, TenantsWrite, UsersRead, UsersWrite,
};
use crate::records::{
    Assignment, HistoryEvent, Invitation, InvitationStatus, Membership, Node, Operation, Resource,
    ResourceStatus, Tenant, UserRole,
};
use crate::status::{MOVES, Status, Way};

type Roles = BTreeSet<Role>;

/// A tenant (R002-6.4b-2, R002-5.4-1).
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TenantAnswer {
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
    #[schema(value_type = String, format = "date-time")]
    created_at: Moment,
    created_by: String,
    #[schema(value_type = String, format = "date-time")]
    updated_at: Moment,
    updated_by: Option<String>,
    #[schema(value_type = Option<String>, format = "date-time")]
    parked_at: Option<Moment>,
    parked_by: Option<String>,
    park_reason: Option<String>,
    #[schema(value_type = Option<String>, format = "date-time")]
    unparked_at: Option<Moment>,
    unparked_by: Option<String>,
    #[schema(value_type = Option<String>, format = "date-time")]
    suspended_at: Option<Moment>,
    suspended_by: Option<String>,
    suspend_reason: Option<String>,
    #[schema(value_type = Option<String>, format = "date-time")]
    deprovisioned_at: Option<Moment>,
    deprovisioned_by: Option<String>,
    #[schema(value_type = Option<Object>)]
    metadata: Option<Map<String, Value>>,
    version: i64,
    #[serde(rename = "_links")]
    #[schema(value_type = Object)]
    links: Value,
}

impl TenantAnswer {
    /// A tenant as a caller with these roles sees it.
    pub fn of(context: &Context, tenant: &Tenant, roles: &Roles) -> TenantAnswer {
        let links = tenant_links(context, tenant, roles);
        let tenant = tenant.clone();
        TenantAnswer {
            tenant_id: tenant.tenant_id,
            organization_name: tenant.organization_name,
            contact_email: tenant.contact_email,
            environment: tenant.environment,
            status: tenant.status,
            division: tenant.division,
            group: tenant.group,
            team: tenant.team,
            customer_id: tenant.customer_id,
            external_id: tenant.external_id,
            created_at: tenant.created_at,
            created_by: tenant.created_by,
            updated_at: tenant.updated_at,
            updated_by: tenant.updated_by,
            parked_at: tenant.parked_at,
            parked_by: tenant.parked_by,
            park_reason: tenant.park_reason,
            unparked_at: tenant.unparked_at,
            unparked_by: tenant.unparked_by,
            suspended_at: tenant.suspended_at,
            suspended_by: tenant.suspended_by,
            suspend_reason: tenant.suspend_reason,
            deprovisioned_at: tenant.deprovisioned_at,
            deprovisioned_by: tenant.deprovisioned_by,
            metadata: tenant.metadata,
            version: tenant.version,
            links,
        }
    }
}

fn tenant_links(context: &Context, tenant: &Tenant, roles: &Roles) -> Value {
    let (held, id) = (Target::Held(roles), [("tenantId", &*tenant.tenant_id)]);
    let is_alive = tenant.status != Status::Deprovisioned;
    let links = Links::new(context)
        .to("self", "/tenants/{tenantId}", &id)
        .offer::<UsersRead>(true, &held, "users", "/tenants/{tenantId}/users", &id)
        .offer::<HierarchyRead>(true, &held, "divisions", "/tenants/{tenantId}/divisions", &id)
        .offer::<InvitationsWrite>(
            true,
            &held,
            "invitations",
            "/tenants/{tenantId}/invitations",
            &id,
        )
        .offer::<ResourcesRead>(true, &held, "resources", "/tenants/{tenantId}/resources", &id)
        .offer::<EventsRead>(true, &held, "events", "/tenants/{tenantId}/events", &id)
        .offer::<TenantsRead>(true, &held, "lifecycle", "/tenants/{tenantId}/lifecycle", &id)
        .offer::<TenantsWrite>(is_alive, &held, "delete", "/tenants/{tenantId}", &id);
    moves(links, tenant, roles).done()
}

/// The moves that the table allows now, to those who may (C2-51).
fn moves<'a>(mut links: Links<'a>, tenant: &Tenant, roles: &Roles) -> Links<'a> {
    let (held, id) = (Target::Held(roles), [("tenantId", &*tenant.tenant_id)]);
    let ways = [
        (Way::Suspend, "suspend", "/tenants/{tenantId}/lifecycle/suspend"),
        (Way::Resume, "resume", "/tenants/{tenantId}/lifecycle/resume"),
        (Way::Park, "park", "/tenants/{tenantId}/lifecycle/park"),
        (Way::Unpark, "unpark", "/tenants/{tenantId}/lifecycle/unpark"),
    ];
    for (way, relation, template) in ways {
        let is_possible = MOVES.iter().any(|step| step.is_from(tenant.status, way));
        links = links.offer::<LifecycleWrite>(is_possible, &held, relation, template, &id);
    }
    links
}

/// A tenant in a list (R002-6.4b-4, C2-50).
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TenantSummary {
    tenant_id: String,
    organization_name: String,
    status: Status,
    environment: String,
    #[schema(value_type = String, format = "date-time")]
    created_at: Moment,
    #[serde(rename = "_links")]
    #[schema(value_type = Object)]
    links: Value,
}

impl TenantSummary {
    /// A tenant in a list.
    pub fn of(context: &Context, tenant: Tenant) -> TenantSummary {
        let id = [("tenantId", &*tenant.tenant_id)];
        let links = Links::new(context).to("self", "/tenants/{tenantId}", &id).done();
        TenantSummary {
            organization_name: tenant.organization_name,
            status: tenant.status,
            environment: tenant.environment,
            created_at: tenant.created_at,
            links,
            tenant_id: tenant.tenant_id,
        }
    }
}

/// What became of a move (R002-6.4b-5, R002-6.4b-6).
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct LifecycleAnswer {
    tenant_id: String,
    status: Status,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, format = "date-time")]
    parked_at: Option<Moment>,
    #[serde(skip_serializing_if = "Option::is_none")]
    parked_by: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    park_reason: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, format = "date-time")]
    unparked_at: Option<Moment>,
    #[serde(skip_serializing_if = "Option::is_none")]
    unparked_by: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, format = "date-time")]
    suspended_at: Option<Moment>,
    #[serde(skip_serializing_if = "Option::is_none")]
    suspended_by: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    suspend_reason: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, format = "date-time")]
    deprovisioned_at: Option<Moment>,
    #[serde(skip_serializing_if = "Option::is_none")]
    deprovisioned_by: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    operation: Option<Operation>,
    version: i64,
    message: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    warning: Option<&'static str>,
    #[serde(rename = "_links")]
    #[schema(value_type = Object)]
    links: Value,
}

impl LifecycleAnswer {
    /// A tenant after the move of this name.
    pub fn of(context: &Context, tenant: &Tenant, roles: &Roles, name: &str) -> LifecycleAnswer {
        let id = [("tenantId", &*tenant.tenant_id)];
        let links = Links::new(context).to("self", "/tenants/{tenantId}", &id).to(
            "lifecycle",
            "/tenants/{tenantId}/lifecycle",
            &id,
        );
        let links = moves(links, tenant, roles).done();
        let is_unpark = name == "unpark";
        let tenant = tenant.clone();
        LifecycleAnswer {
            tenant_id: tenant.tenant_id,
            status: tenant.status,
            parked_at: tenant.parked_at,
            parked_by: tenant.parked_by,
            park_reason: tenant.park_reason,
            unparked_at: tenant.unparked_at.filter(|_| is_unpark),
            unparked_by: tenant.unparked_by.filter(|_| is_unpark),
            suspended_at: tenant.suspended_at,
            suspended_by: tenant.suspended_by,
            suspend_reason: tenant.suspend_reason,
            deprovisioned_at: tenant.deprovisioned_at,
            deprovisioned_by: tenant.deprovisioned_by,
            operation: tenant.operation,
            version: tenant.version,
            message: message(name),
            warning: is_unpark.then_some(
                "Full functionality may not be available immediately. Resource reprovisioning in \
                 progress.",
            ),
            links,
        }
    }
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

/// Where a tenant stands, what it may become, and what it was (C2-09, C2-47).
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct LifecycleState {
    pub tenant_id: String,
    pub status: Status,
    /// What this caller may make of it now.
    pub allowed_transitions: Vec<Status>,
    /// What a provisioner was last asked to do, and what became of it.
    pub operation: Option<Operation>,
    /// The last moves, the newest first.
    pub history: Vec<TenantEventAnswer>,
    #[serde(rename = "_links")]
    #[schema(value_type = Object)]
    pub links: Value,
}

/// The links of [`LifecycleState`].
pub fn lifecycle_links(context: &Context, tenant: &Tenant, roles: &Roles) -> Value {
    let id = [("tenantId", &*tenant.tenant_id)];
    let links = Links::new(context).to("self", "/tenants/{tenantId}/lifecycle", &id).to(
        "tenant",
        "/tenants/{tenantId}",
        &id,
    );
    moves(links, tenant, roles).done()
}

/// Something that happened to a tenant (R002-5.6-1).
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TenantEventAnswer {
    event_id: String,
    event_type: String,
    #[schema(value_type = String, format = "date-time")]
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

/// A user of a tenant (R002-5.5-1).
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct UserAnswer {
    tenant_id: String,
    user_id: String,
    /// Absent for who made the tenant with a token that tells none.
    #[serde(skip_serializing_if = "Option::is_none")]
    email: Option<String>,
    role: UserRole,
    #[schema(value_type = String, format = "date-time")]
    assigned_at: Moment,
    assigned_by: String,
    active: bool,
    #[serde(rename = "_links")]
    #[schema(value_type = Object)]
    links: Value,
}

impl UserAnswer {
    /// An assignment as a caller with these roles sees it.
    pub fn of(context: &Context, held: &Assignment, roles: &Roles) -> UserAnswer {
        let ids = [("tenantId", &*held.tenant_id), ("userId", &*held.user_id)];
        let links = Links::new(context)
            .to("self", "/tenants/{tenantId}/users/{userId}", &ids)
            .to("tenant", "/tenants/{tenantId}", &ids)
            .offer::<UsersWrite>(
                held.active,
                &Target::Held(roles),
                "remove",
                "/tenants/{tenantId}/users/{userId}",
                &ids,
            )
            .done();
        UserAnswer {
            tenant_id: held.tenant_id.clone(),
            user_id: held.user_id.clone(),
            email: held.email.clone(),
            role: held.role,
            assigned_at: held.assigned_at,
            assigned_by: held.assigned_by.clone(),
            active: held.active,
            links,
        }
    }
}

/// A tenant of a user.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct UserTenantAnswer {
    tenant_id: String,
    organization_name: String,
    status: Status,
    environment: String,
    role: UserRole,
    #[schema(value_type = String, format = "date-time")]
    assigned_at: Moment,
    #[serde(rename = "_links")]
    #[schema(value_type = Object)]
    links: Value,
}

impl UserTenantAnswer {
    /// A tenant that somebody is assigned to.
    pub fn of(context: &Context, (held, tenant): (Assignment, Tenant)) -> UserTenantAnswer {
        let id = [("tenantId", &*tenant.tenant_id)];
        UserTenantAnswer {
            links: Links::new(context).to("self", "/tenants/{tenantId}", &id).done(),
            organization_name: tenant.organization_name,
            status: tenant.status,
            environment: tenant.environment,
            role: held.role,
            assigned_at: held.assigned_at,
            tenant_id: tenant.tenant_id,
        }
    }
}

/// A division, group or team.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct NodeAnswer {
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
    /// Users with a role here.
    users: i64,
    #[schema(value_type = String, format = "date-time")]
    created_at: Moment,
    created_by: String,
    #[schema(value_type = String, format = "date-time")]
    updated_at: Moment,
    updated_by: Option<String>,
    version: i64,
    #[serde(rename = "_links")]
    #[schema(value_type = Object)]
    links: Value,
}

const DIVISION: &str = "/tenants/{tenantId}/divisions/{divisionId}";
const GROUPS: &str = "/tenants/{tenantId}/divisions/{divisionId}/groups";
const GROUP: &str = "/tenants/{tenantId}/divisions/{divisionId}/groups/{groupId}";
const TEAMS: &str = "/tenants/{tenantId}/divisions/{divisionId}/groups/{groupId}/teams";
const TEAM: &str = "/tenants/{tenantId}/divisions/{divisionId}/groups/{groupId}/teams/{teamId}";
const DIVISION_USERS: &str = "/tenants/{tenantId}/divisions/{divisionId}/users";
const GROUP_USERS: &str = "/tenants/{tenantId}/divisions/{divisionId}/groups/{groupId}/users";
const TEAM_USERS: &str =
    "/tenants/{tenantId}/divisions/{divisionId}/groups/{groupId}/teams/{teamId}/users";

impl NodeAnswer {
    /// A part of the tree as a caller with these roles sees it.
    pub fn of(context: &Context, node: &Node, roles: &Roles) -> NodeAnswer {
        let held = Target::Held(roles);
        let place = node.place();
        let ids = ids(&node.tenant_id, &place);
        let (own, users, below) = match node.level().0 {
            Level::Division => (DIVISION, DIVISION_USERS, Some(("groups", GROUPS))),
            Level::Group => (GROUP, GROUP_USERS, Some(("teams", TEAMS))),
            Level::Team => (TEAM, TEAM_USERS, None),
        };
        let mut links = Links::new(context)
            .to("self", own, &ids)
            .offer::<UsersRead>(true, &held, "users", users, &ids)
            .offer::<HierarchyWrite>(true, &held, "update", own, &ids)
            .offer::<HierarchyWrite>(
                node.members == 0 && node.children.unwrap_or(0) == 0,
                &held,
                "delete",
                own,
                &ids,
            );
        if let Some((relation, template)) = below {
            links = links.offer::<HierarchyRead>(true, &held, relation, template, &ids);
        }
        NodeAnswer {
            tenant_id: node.tenant_id.clone(),
            division_id: node.division_id.clone(),
            group_id: node.group_id.clone(),
            team_id: node.team_id.clone(),
            name: node.name.clone(),
            description: node.description.clone(),
            children: node.children,
            users: node.members,
            created_at: node.created_at,
            created_by: node.created_by.clone(),
            updated_at: node.updated_at,
            updated_by: node.updated_by.clone(),
            version: node.version,
            links: links.done(),
        }
    }

    /// Where it is.
    pub fn location(&self) -> String {
        location(&self.links)
    }
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

fn location(links: &Value) -> String {
    links["self"]["href"].as_str().unwrap_or_default().to_owned()
}

/// A user's role in a division, group or team.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct MemberAnswer {
    tenant_id: String,
    user_id: String,
    /// The division, group or team.
    node_id: String,
    email: String,
    role: UserRole,
    #[schema(value_type = String, format = "date-time")]
    assigned_at: Moment,
    assigned_by: String,
    #[serde(rename = "_links")]
    #[schema(value_type = Object)]
    links: Value,
}

impl MemberAnswer {
    /// A role in the hierarchy as a caller with these roles sees it.
    pub fn of(context: &Context, held: &Membership, place: &Place, roles: &Roles) -> MemberAnswer {
        let mut ids = ids(&held.tenant_id, place);
        ids.push(("userId", &held.user_id));
        let own = match place.node() {
            Some((Level::Team, _)) => format!("{TEAM_USERS}/{{userId}}"),
            Some((Level::Group, _)) => format!("{GROUP_USERS}/{{userId}}"),
            _ => format!("{DIVISION_USERS}/{{userId}}"),
        };
        let links = Links::new(context)
            .to("self", &own, &ids)
            .to("user", "/tenants/{tenantId}/users/{userId}", &ids)
            .offer::<UsersWrite>(true, &Target::Held(roles), "remove", &own, &ids)
            .done();
        MemberAnswer {
            tenant_id: held.tenant_id.clone(),
            user_id: held.user_id.clone(),
            node_id: held.node_id.clone(),
            email: held.email.clone(),
            role: held.role,
            assigned_at: held.assigned_at,
            assigned_by: held.assigned_by.clone(),
            links,
        }
    }

    /// Where it is.
    pub fn location(&self) -> String {
        location(&self.links)
    }
}

/// An invitation, without its token.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct InvitationAnswer {
    invitation_id: String,
    tenant_id: String,
    email: String,
    role: UserRole,
    status: InvitationStatus,
    #[schema(value_type = String, format = "date-time")]
    expires_at: Moment,
    #[schema(value_type = String, format = "date-time")]
    created_at: Moment,
    created_by: String,
    #[schema(value_type = String, format = "date-time")]
    sent_at: Moment,
    resend_count: u32,
    #[schema(value_type = Option<String>, format = "date-time")]
    accepted_at: Option<Moment>,
    accepted_by: Option<String>,
    #[schema(value_type = Option<String>, format = "date-time")]
    revoked_at: Option<Moment>,
    revoked_by: Option<String>,
    /// The token, once, if it was not mailed.
    #[serde(skip_serializing_if = "Option::is_none")]
    token: Option<String>,
    #[serde(rename = "_links")]
    #[schema(value_type = Object)]
    links: Value,
}

impl InvitationAnswer {
    /// An invitation as it stands now.
    pub fn of(context: &Context, invitation: &Invitation, roles: &Roles) -> InvitationAnswer {
        let own = "/tenants/{tenantId}/invitations/{invitationId}";
        let ids =
            [("tenantId", &*invitation.tenant_id), ("invitationId", &*invitation.invitation_id)];
        let status = invitation.status_at(context.now);
        let is_open = invitation.status == InvitationStatus::Pending;
        let is_pending = status == InvitationStatus::Pending;
        let held = Target::Held(roles);
        let links = Links::new(context)
            .to("self", own, &ids)
            .offer::<InvitationsWrite>(is_open, &held, "resend", &format!("{own}/resend"), &ids)
            .offer::<InvitationsWrite>(is_pending, &held, "revoke", &format!("{own}/revoke"), &ids)
            .done();
        let invitation = invitation.clone();
        InvitationAnswer {
            invitation_id: invitation.invitation_id,
            tenant_id: invitation.tenant_id,
            email: invitation.email,
            role: invitation.role,
            status,
            expires_at: invitation.expires_at,
            created_at: invitation.created_at,
            created_by: invitation.created_by,
            sent_at: invitation.sent_at,
            resend_count: invitation.resend_count,
            accepted_at: invitation.accepted_at,
            accepted_by: invitation.accepted_by,
            revoked_at: invitation.revoked_at,
            revoked_by: invitation.revoked_by,
            token: None,
            links,
        }
    }

    /// With its token.
    pub fn with(self, token: Option<String>) -> InvitationAnswer {
        InvitationAnswer { token, ..self }
    }

    /// Where it is.
    pub fn location(&self) -> String {
        location(&self.links)
    }
}

/// Something that a tenant uses.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ResourceAnswer {
    tenant_id: String,
    resource_type: String,
    resource_id: String,
    resource_status: ResourceStatus,
    #[schema(value_type = String, format = "date-time")]
    registered_at: Moment,
    registered_by: String,
    #[schema(value_type = Option<String>, format = "date-time")]
    released_at: Option<Moment>,
    released_by: Option<String>,
    #[schema(value_type = Option<Object>)]
    attributes: Option<Map<String, Value>>,
    #[serde(rename = "_links")]
    #[schema(value_type = Object)]
    links: Value,
}

impl ResourceAnswer {
    /// A resource.
    pub fn of(context: &Context, resource: &Resource) -> ResourceAnswer {
        let ids = [
            ("tenantId", &*resource.tenant_id),
            ("resourceType", &*resource.resource_type),
            ("resourceId", &*resource.resource_id),
        ];
        let own = "/tenants/{tenantId}/resources/{resourceType}/{resourceId}";
        let links = Links::new(context).to("self", own, &ids).done();
        let resource = resource.clone();
        ResourceAnswer {
            tenant_id: resource.tenant_id,
            resource_type: resource.resource_type,
            resource_id: resource.resource_id,
            resource_status: resource.resource_status,
            registered_at: resource.registered_at,
            registered_by: resource.registered_by,
            released_at: resource.released_at,
            released_by: resource.released_by,
            attributes: resource.attributes,
            links,
        }
    }

    /// Where it is.
    pub fn location(&self) -> String {
        location(&self.links)
    }
}

/// What became of a request to give a tenant up.
#[derive(Debug, Serialize, ToSchema)]
#[serde(untagged)]
pub enum DeletionAnswer {
    /// It was given up.
    #[expect(dead_code, reason = "the move makes this answer; here it is for the documentation")]
    Done(Box<LifecycleAnswer>),
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
