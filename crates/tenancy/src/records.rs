//! The items of the table as types. What they mean is in `tables/tenancy/bbws-tenants.json`.

use changes::Request;
use kernel::{Error, Moment, Role};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use store::{Changes, Record};
use utoipa::ToSchema;

use crate::status::{Status, Work};

/// An organisation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Tenant {
    pub tenant_id: String,
    pub organization_name: String,
    pub contact_email: String,
    pub environment: String,
    pub status: Status,
    pub division: Option<String>,
    pub group: Option<String>,
    pub team: Option<String>,
    pub customer_id: Option<String>,
    pub external_id: Option<String>,
    pub created_at: Moment,
    pub created_by: String,
    pub updated_at: Moment,
    pub updated_by: Option<String>,
    pub parked_at: Option<Moment>,
    pub parked_by: Option<String>,
    pub park_reason: Option<String>,
    pub unparked_at: Option<Moment>,
    pub unparked_by: Option<String>,
    pub suspended_at: Option<Moment>,
    pub suspended_by: Option<String>,
    pub suspend_reason: Option<String>,
    pub deprovisioned_at: Option<Moment>,
    pub deprovisioned_by: Option<String>,
    pub metadata: Option<Map<String, Value>>,
    pub version: i64,
    pub admin_count: i64,
    pub active_resources: i64,
    pub operation: Option<Operation>,
}

impl Tenant {
    /// Its version, as ETags have it.
    pub fn etag(&self) -> u64 {
        u64::try_from(self.version).unwrap_or(0)
    }

    /// What makes another form of it, with the next version.
    pub fn changed_to(&self, after: &Tenant) -> Result<Changes, Error> {
        let never = ["version", "adminCount", "activeResources"];
        let changes = differences(self, after, &["status", "updatedAt"], &never)?;
        Ok(changes.add("version", 1_i64))
    }
}

/// What a provisioner was asked to do, and what became of it (C2-47).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Operation {
    /// Its identifier, which the call-back names.
    pub operation_id: String,
    /// What was asked for.
    pub work: Work,
    /// What became of it.
    pub state: OperationState,
    /// When it was asked for.
    pub requested_at: Moment,
    /// When the provisioner answered.
    pub finished_at: Option<Moment>,
    /// What the provisioner said.
    pub message: Option<String>,
}

/// What became of what a provisioner was asked to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum OperationState {
    /// It has not answered yet.
    Requested,
    /// It is done.
    Succeeded,
    /// It could not be done.
    Failed,
}

/// What somebody may do in a tenant or a part of it (R002-5.8-2).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub enum UserRole {
    /// Everything.
    Admin,
    /// Sees tenants, hierarchy and users.
    Operator,
    /// Sees the tenant.
    Viewer,
}

impl UserRole {
    /// As it is stored and shown.
    pub fn as_str(self) -> &'static str {
        match self {
            UserRole::Admin => "Admin",
            UserRole::Operator => "Operator",
            UserRole::Viewer => "Viewer",
        }
    }

    /// The role as the table of permissions knows it.
    pub fn role(self) -> Role {
        match self {
            UserRole::Admin => Role::Admin,
            UserRole::Operator => Role::Operator,
            UserRole::Viewer => Role::Viewer,
        }
    }
}

/// A user's role in a tenant. A removed one stays, inactive (C2-49).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Assignment {
    pub tenant_id: String,
    pub user_id: String,
    /// Of a tenant's creator only if their token tells it.
    pub email: Option<String>,
    pub role: UserRole,
    pub assigned_at: Moment,
    pub assigned_by: String,
    pub updated_by: Option<String>,
    pub active: bool,
    #[serde(default)]
    pub memberships: i64,
}

impl Assignment {
    /// An assignment of now, without an address.
    pub fn new<T>(
        request: &Request<T>,
        tenant_id: &str,
        user_id: String,
        role: UserRole,
    ) -> Assignment {
        Assignment {
            tenant_id: tenant_id.to_owned(),
            user_id,
            email: None,
            role,
            assigned_at: request.now(),
            assigned_by: request.caller().name().to_owned(),
            updated_by: None,
            active: true,
            memberships: 0,
        }
    }
}

/// A user's role in a division, group or team.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Membership {
    pub tenant_id: String,
    pub user_id: String,
    pub node_id: String,
    pub division_id: String,
    pub group_id: Option<String>,
    pub team_id: Option<String>,
    pub email: String,
    pub role: UserRole,
    pub assigned_at: Moment,
    pub assigned_by: String,
}

/// A division, group or team: what it is follows from which identifiers it has.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Node {
    pub tenant_id: String,
    pub division_id: String,
    pub group_id: Option<String>,
    pub team_id: Option<String>,
    pub name: String,
    pub description: Option<String>,
    pub created_at: Moment,
    pub created_by: String,
    pub updated_at: Moment,
    pub updated_by: Option<String>,
    pub version: i64,
    pub children: Option<i64>,
    pub members: i64,
}

/// Something that happened to a tenant (R002-5.6-1).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct HistoryEvent {
    pub tenant_id: String,
    pub event_id: String,
    pub event_type: String,
    pub timestamp: Moment,
    pub actor: String,
    pub details: Map<String, Value>,
    pub ttl: Option<u64>,
}

/// An invitation. That it is over shows when it is read (C2-10).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Invitation {
    pub tenant_id: String,
    pub invitation_id: String,
    pub email: String,
    pub role: UserRole,
    pub status: InvitationStatus,
    pub token_hash: String,
    pub expires_at: Moment,
    pub created_at: Moment,
    pub created_by: String,
    pub updated_at: Moment,
    pub updated_by: Option<String>,
    pub sent_at: Moment,
    pub accepted_at: Option<Moment>,
    pub accepted_by: Option<String>,
    pub revoked_at: Option<Moment>,
    pub revoked_by: Option<String>,
    #[serde(default)]
    pub resend_count: u32,
    pub version: i64,
    pub ttl: Option<u64>,
}

/// Where an invitation stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "UPPERCASE")]
pub enum InvitationStatus {
    /// It can be accepted.
    Pending,
    /// It was.
    Accepted,
    /// It was taken back.
    Revoked,
    /// Nobody accepted it in time.
    Expired,
}

impl InvitationStatus {
    /// As it is stored and shown.
    pub fn as_str(self) -> &'static str {
        match self {
            InvitationStatus::Pending => "PENDING",
            InvitationStatus::Accepted => "ACCEPTED",
            InvitationStatus::Revoked => "REVOKED",
            InvitationStatus::Expired => "EXPIRED",
        }
    }
}

impl Invitation {
    /// Where it stands at a moment.
    pub fn status_at(&self, now: Moment) -> InvitationStatus {
        match self.status {
            InvitationStatus::Pending if self.expires_at <= now => InvitationStatus::Expired,
            status => status,
        }
    }
}

/// Something that a tenant uses (C2-30).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Resource {
    pub tenant_id: String,
    pub resource_type: String,
    pub resource_id: String,
    pub resource_status: ResourceStatus,
    pub registered_at: Moment,
    pub registered_by: String,
    pub released_at: Option<Moment>,
    pub released_by: Option<String>,
    pub attributes: Option<Map<String, Value>>,
    pub version: i64,
}

/// Whether a resource is in use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "UPPERCASE")]
pub enum ResourceStatus {
    /// It is.
    Active,
    /// It was.
    Released,
}

impl ResourceStatus {
    /// As it is stored and shown.
    pub fn as_str(self) -> &'static str {
        match self {
            ResourceStatus::Active => "ACTIVE",
            ResourceStatus::Released => "RELEASED",
        }
    }
}

/// Whose a reserved value is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Marker {
    pub reserved_by: String,
}

/// What differs between two forms of a record, as an update. Some attributes are set always, because
/// keys of indexes are made of them together; some never, because they are counted elsewhere.
pub fn differences(
    before: &impl Record,
    after: &impl Record,
    always: &[&str],
    never: &[&str],
) -> Result<Changes, Error> {
    let (old, new) = (before.to_item()?, after.to_item()?);
    let is_kept = |name: &str| !never.contains(&name);
    let mut changes = Changes::new();
    for name in old.keys().filter(|name| is_kept(name) && !new.contains_key(name)) {
        changes = changes.remove(name);
    }
    for (name, value) in new {
        if is_kept(&name) && (always.contains(&&*name) || old.get(&name) != Some(&value)) {
            changes = changes.set(&name, value);
        }
    }
    Ok(changes)
}
