//! What the service refuses, by code (document 002, sections 6.5 and 11; C2-26, C2-27).

use kernel::error::CONFLICT;
use kernel::{Code, Error};
use serde_json::json;

use crate::status::Status;

/// There is no such tenant, or none that the caller may see.
pub const TENANT_NOT_FOUND: Code = Code::new("TENANT_NOT_FOUND", 404);
/// There is no such user, or not here.
pub const USER_NOT_FOUND: Code = Code::new("USER_NOT_FOUND", 404);
/// There is no such division.
pub const DIVISION_NOT_FOUND: Code = Code::new("DIVISION_NOT_FOUND", 404);
/// There is no such group.
pub const GROUP_NOT_FOUND: Code = Code::new("GROUP_NOT_FOUND", 404);
/// There is no such team.
pub const TEAM_NOT_FOUND: Code = Code::new("TEAM_NOT_FOUND", 404);
/// There is no such invitation, or it is somebody else's.
pub const INVITATION_NOT_FOUND: Code = Code::new("INVITATION_NOT_FOUND", 404);
/// There is no such resource.
pub const RESOURCE_NOT_FOUND: Code = Code::new("RESOURCE_NOT_FOUND", 404);
/// The table has no such move.
pub const INVALID_STATUS_TRANSITION: Code = Code::new("INVALID_STATUS_TRANSITION", 422);
/// The tenant uses resources.
pub const ACTIVE_RESOURCES_EXIST: Code = Code::new("ACTIVE_RESOURCES_EXIST", 422);
/// Something is below, or somebody in it.
pub const HIERARCHY_NOT_EMPTY: Code = Code::new("HIERARCHY_NOT_EMPTY", 422);
/// It takes a tenant in another state.
pub const TENANT_NOT_ACTIVE: Code = Code::new("TENANT_NOT_ACTIVE", 422);
/// Somebody must be able to administer the tenant.
pub const LAST_ADMIN: Code = Code::new("LAST_ADMIN", 422);
/// The invitation was accepted or revoked, or is over.
pub const INVITATION_NOT_PENDING: Code = Code::new("INVITATION_NOT_PENDING", 422);
/// The call-back is about something else than what was asked for.
pub const OPERATION_NOT_CURRENT: Code = Code::new("OPERATION_NOT_CURRENT", 409);

/// The service's own codes, for the documentation.
pub const CODES: &[Code] = &[
    TENANT_NOT_FOUND,
    USER_NOT_FOUND,
    DIVISION_NOT_FOUND,
    GROUP_NOT_FOUND,
    TEAM_NOT_FOUND,
    INVITATION_NOT_FOUND,
    RESOURCE_NOT_FOUND,
    INVALID_STATUS_TRANSITION,
    ACTIVE_RESOURCES_EXIST,
    HIERARCHY_NOT_EMPTY,
    TENANT_NOT_ACTIVE,
    LAST_ADMIN,
    INVITATION_NOT_PENDING,
    OPERATION_NOT_CURRENT,
];

/// R002-7.4-1, R002-11.1-2.
pub fn tenant_not_found(tenant_id: &str) -> Error {
    Error::new(TENANT_NOT_FOUND, format!("Tenant {tenant_id} not found"))
        .detail("tenantId", tenant_id)
}

/// Something else that is not there.
pub fn missing(code: Code, kind: &str, id: &str) -> Error {
    Error::new(code, format!("{kind} {id} not found")).detail("id", id)
}

/// Something is in the way, and why (C2-26).
pub fn conflict(reason: &'static str, message: String) -> Error {
    Error::new(CONFLICT, message).detail("reason", reason)
}

/// Somebody else changed it since it was read (C2-59).
pub fn version_mismatch() -> Error {
    let message = "It has been changed since it was read: read it again, then repeat";
    conflict("VERSION_MISMATCH", message.to_owned())
}

/// R002-6.5b-10, R002-11.1-3, C2-24, C2-25.
pub fn invalid_transition(current: Status, requested: Status) -> Error {
    let message = match requested {
        Status::Parked => "Cannot park a tenant that is not ACTIVE".to_owned(),
        _ => format!("Cannot transition from {current} to {requested}"),
    };
    let allowed: Vec<&str> = current.allowed().map(Status::as_str).collect();
    Error::new(INVALID_STATUS_TRANSITION, message)
        .detail("currentStatus", current.as_str())
        .detail("requestedStatus", requested.as_str())
        .detail("allowedTransitions", json!(allowed))
}

/// C2-48: it takes an active tenant.
pub fn not_active(current: Status) -> Error {
    let message = format!("The tenant is {current}: this takes one that is ACTIVE");
    Error::new(TENANT_NOT_ACTIVE, message).detail("currentStatus", current.as_str())
}

/// Nothing of a tenant that was given up can be changed.
pub fn given_up() -> Error {
    Error::new(TENANT_NOT_ACTIVE, "The tenant is DEPROVISIONED, which is for good")
        .detail("currentStatus", Status::Deprovisioned.as_str())
}

/// Somebody must be able to administer the tenant.
pub fn last_admin() -> Error {
    let message = "This is the tenant's last Admin: make somebody else one first";
    Error::new(LAST_ADMIN, message)
}
