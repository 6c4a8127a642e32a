//! The paths of the service, below its mount: routes, links and events share them.

pub const TENANTS: &str = "/tenants";
pub const TENANT: &str = "/tenants/{tenantId}";
pub const STATUS: &str = "/tenants/{tenantId}/status";
pub const LIFECYCLE: &str = "/tenants/{tenantId}/lifecycle";
pub const SUSPEND: &str = "/tenants/{tenantId}/lifecycle/suspend";
pub const RESUME: &str = "/tenants/{tenantId}/lifecycle/resume";
pub const PARK: &str = "/tenants/{tenantId}/lifecycle/park";
pub const UNPARK: &str = "/tenants/{tenantId}/lifecycle/unpark";
pub const CALLBACK: &str = "/tenants/{tenantId}/lifecycle/callback";
pub const PARK_BEFORE: &str = "/tenants/{tenantId}/park";
pub const UNPARK_BEFORE: &str = "/tenants/{tenantId}/unpark";
pub const EVENTS: &str = "/tenants/{tenantId}/events";
pub const USERS: &str = "/tenants/{tenantId}/users";
pub const USER: &str = "/tenants/{tenantId}/users/{userId}";
pub const USER_TENANTS: &str = "/users/{userId}/tenants";
pub const RESOURCES: &str = "/tenants/{tenantId}/resources";
pub const RESOURCE: &str = "/tenants/{tenantId}/resources/{resourceType}/{resourceId}";
pub const INVITATIONS: &str = "/tenants/{tenantId}/invitations";
pub const INVITATION: &str = "/tenants/{tenantId}/invitations/{invitationId}";
pub const INVITATION_REVOKE: &str = "/tenants/{tenantId}/invitations/{invitationId}/revoke";
pub const INVITATION_RESEND: &str = "/tenants/{tenantId}/invitations/{invitationId}/resend";
pub const INVITATION_ACCEPT: &str = "/tenants/{tenantId}/invitations/{invitationId}/accept";
pub const ACCEPT: &str = "/invitations/accept";
pub const DIVISIONS: &str = "/tenants/{tenantId}/divisions";
pub const DIVISION: &str = "/tenants/{tenantId}/divisions/{divisionId}";
pub const DIVISION_USERS: &str = "/tenants/{tenantId}/divisions/{divisionId}/users";
pub const DIVISION_USER: &str = "/tenants/{tenantId}/divisions/{divisionId}/users/{userId}";
pub const GROUPS: &str = "/tenants/{tenantId}/divisions/{divisionId}/groups";
pub const GROUP: &str = "/tenants/{tenantId}/divisions/{divisionId}/groups/{groupId}";
pub const GROUP_USERS: &str = "/tenants/{tenantId}/divisions/{divisionId}/groups/{groupId}/users";
pub const GROUP_USER: &str =
    "/tenants/{tenantId}/divisions/{divisionId}/groups/{groupId}/users/{userId}";
pub const TEAMS: &str = "/tenants/{tenantId}/divisions/{divisionId}/groups/{groupId}/teams";
pub const TEAM: &str = "/tenants/{tenantId}/divisions/{divisionId}/groups/{groupId}/teams/{teamId}";
pub const TEAM_USERS: &str =
    "/tenants/{tenantId}/divisions/{divisionId}/groups/{groupId}/teams/{teamId}/users";
pub const TEAM_USER: &str =
    "/tenants/{tenantId}/divisions/{divisionId}/groups/{groupId}/teams/{teamId}/users/{userId}";
