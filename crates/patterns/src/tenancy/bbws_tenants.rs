//! Tenants as organisations, with their users, hierarchy, invitations, resources and audit events,
//! in one table.
//!
//! Generated from `tables/tenancy/bbws-tenants.json`: do not edit, `ACCEPT=1 cargo nextest run -p
//! tables` writes it anew.

use std::ops::Deref;

use store::{Check, Delete, Error, Get, Kind, List, Marker, Put, Store, TableHandle, Test, Update};
use values::{AttributeValue, Number};

/// The table `tenancy/bbws-tenants`. Cloning is cheap.
#[derive(Clone)]
pub struct BbwsTenants(TableHandle);

impl BbwsTenants {
    /// The table of a store.
    pub fn open(store: &Store) -> Result<BbwsTenants, Error> {
        let fingerprint = 0x6f17_8d05_ecca_c864;
        TableHandle::generated(store, "tenancy/bbws-tenants", fingerprint).map(BbwsTenants)
    }

    /// Get a tenant by id (R002-5.7-1).
    pub fn get_tenant(&self, tenant_id: &str) -> Get {
        Get::new(&self.0, 0, [tenant_id.into()])
    }

    /// Get a tenant by organisation name (R002-5.7-2).
    pub fn get_tenant_by_organization(&self, organization_name: &str) -> List {
        List::new(&self.0, 1, [organization_name.into()])
    }

    /// List tenants of a status, latest change first (R002-5.7-3, C2-14).
    pub fn list_tenants_by_status(&self, status: &str) -> ListTenantsByStatus {
        ListTenantsByStatus(List::new(&self.0, 2, [status.into()]))
    }

    /// List tenants of an environment, newest first (R002-5.7-4, C2-13).
    pub fn list_tenants_by_environment(&self, environment: &str) -> List {
        List::new(&self.0, 3, [environment.into()])
    }

    /// List the tenants of a user (R002-5.7-5).
    pub fn list_tenants_of_user(&self, user_id: &str) -> ListTenantsOfUser {
        ListTenantsOfUser(List::new(&self.0, 4, [user_id.into()]))
    }

    /// List the users of a tenant (R002-5.7-6).
    pub fn list_users(&self, tenant_id: &str) -> ListUsers {
        ListUsers(List::new(&self.0, 5, [tenant_id.into()]))
    }

    /// List the audit events of a tenant, newest first (R002-5.7-7).
    pub fn list_events(
        &self,
        tenant_id: &str,
        from: impl Into<AttributeValue>,
        to: impl Into<AttributeValue>,
    ) -> ListEvents {
        ListEvents(List::new(&self.0, 6, [tenant_id.into(), from.into(), to.into()]))
    }

    /// Get the hierarchy of a tenant (R002-5.7-8).
    pub fn list_hierarchy(&self, tenant_id: &str) -> ListHierarchy {
        ListHierarchy(List::new(&self.0, 7, [tenant_id.into()]))
    }

    /// List all tenants, newest first (R002-6.4b-3, C2-14).
    pub fn list_tenants(&self) -> List {
        List::new(&self.0, 8, [])
    }

    /// List the invitations of a tenant (R002-6.8-1, C2-10).
    pub fn list_invitations(&self, tenant_id: &str) -> List {
        List::new(&self.0, 9, [tenant_id.into()])
    }

    /// Find an invitation by its token (R002-6.8-2, C2-10).
    pub fn get_invitation_by_token(&self, token_hash: &str) -> List {
        List::new(&self.0, 10, [token_hash.into()])
    }

    /// List the resources of a tenant (R002-4.4-3, C2-30).
    pub fn list_resources(&self, tenant_id: &str) -> ListResources {
        ListResources(List::new(&self.0, 11, [tenant_id.into()]))
    }

    /// List what lies under a division (R002-6.6-3, R002-6.6-6, C2-11).
    pub fn list_division(&self, tenant_id: &str, division_id: &str) -> ListDivision {
        ListDivision(List::new(&self.0, 12, [tenant_id.into(), division_id.into()]))
    }

    /// Get a user's assignment (R002-6.7-3).
    pub fn get_assignment(&self, tenant_id: &str, user_id: &str) -> Get {
        Get::new(&self.0, 13, [tenant_id.into(), user_id.into()])
    }

    /// Create a tenant with its marker and audit event (R002-4.1-1, C2-15, C2-39).
    pub fn create_tenant(&self) -> Put {
        Put::new(&self.0, 14, [])
    }

    /// Change a tenant's status, index keys and version together (R002-4.2-1, R002-4.3-1,
    /// R002-7.5-5, C2-18, C2-39, C2-59).
    pub fn change_status(
        &self,
        tenant_id: &str,
        expected: &str,
        version: impl Into<Number>,
    ) -> Update {
        let values = [tenant_id.into(), expected.into(), AttributeValue::N(version.into())];
        Update::new(&self.0, 15, values)
    }

    /// Assign a user (R002-4.5-3, C2-49).
    pub fn assign_user(&self) -> Put {
        Put::new(&self.0, 16, [])
    }

    /// Make sure that a user is not assigned (C2-49).
    pub fn must_not_be_assigned(&self, tenant_id: &str, user_id: &str) -> Check {
        Check::new(&self.0, 17, [tenant_id.into(), user_id.into()])
    }

    /// List the tenants of a customer, newest first (R002-9.2-5, C2-34).
    pub fn list_tenants_of_customer(&self, customer_id: &str) -> ListTenantsOfCustomer {
        ListTenantsOfCustomer(List::new(&self.0, 18, [customer_id.into()]))
    }

    /// Find whose an organisation's name is (C2-15).
    pub fn get_organization_owner(&self, unique_value: &str) -> Get {
        Get::new(&self.0, 19, [unique_value.into()])
    }

    /// Find whose an external identifier is (CX-12).
    pub fn get_external_id_owner(&self, unique_value: &str) -> Get {
        Get::new(&self.0, 20, [unique_value.into()])
    }

    /// Change what a tenant is called and how it is reached (R002-6.4-4, C2-19, C2-59).
    pub fn change_tenant(&self, tenant_id: &str, version: impl Into<Number>) -> Update {
        Update::new(&self.0, 21, [tenant_id.into(), AttributeValue::N(version.into())])
    }

    /// Give a tenant up that uses no resources (R002-4.4-3, R002-4.4-4, C2-29, C2-30).
    pub fn deprovision_tenant(
        &self,
        tenant_id: &str,
        expected: &str,
        version: impl Into<Number>,
    ) -> Update {
        let values = [tenant_id.into(), expected.into(), AttributeValue::N(version.into())];
        Update::new(&self.0, 22, values)
    }

    /// Count an administrator of an active tenant (C2-48).
    pub fn count_admin_in(&self, tenant_id: &str) -> Update {
        Update::new(&self.0, 23, [tenant_id.into()])
    }

    /// Take an administrator away who is not the last (R002-6.7-4).
    pub fn count_admin_out(&self, tenant_id: &str) -> Update {
        Update::new(&self.0, 24, [tenant_id.into()])
    }

    /// Make sure that a tenant is active (C2-48).
    pub fn must_be_active(&self, tenant_id: &str) -> Check {
        Check::new(&self.0, 25, [tenant_id.into()])
    }

    /// Make sure that a tenant was not given up (R002-7.5-1).
    pub fn must_not_be_given_up(&self, tenant_id: &str) -> Check {
        Check::new(&self.0, 26, [tenant_id.into()])
    }

    /// Count a resource of a tenant that was not given up (R002-7.5-1).
    pub fn count_resource_in(&self, tenant_id: &str) -> Update {
        Update::new(&self.0, 27, [tenant_id.into()])
    }

    /// Change or end an assignment as it was read (R002-6.7-4, C2-49).
    pub fn change_assignment(
        &self,
        tenant_id: &str,
        user_id: &str,
        seen: &str,
        memberships: impl Into<Number>,
    ) -> Update {
        let values =
            [tenant_id.into(), user_id.into(), seen.into(), AttributeValue::N(memberships.into())];
        Update::new(&self.0, 28, values)
    }

    /// Count a role of an assigned user in the hierarchy (C2-07).
    pub fn count_membership(
        &self,
        tenant_id: &str,
        user_id: &str,
        most: impl Into<Number>,
    ) -> Update {
        let values = [tenant_id.into(), user_id.into(), AttributeValue::N(most.into())];
        Update::new(&self.0, 29, values)
    }

    /// Count a role in the hierarchy out (C2-07).
    pub fn uncount_membership(&self, tenant_id: &str, user_id: &str) -> Update {
        Update::new(&self.0, 30, [tenant_id.into(), user_id.into()])
    }

    /// List a user's roles in the hierarchy (C2-07).
    pub fn list_memberships(&self, tenant_id: &str, user_id: &str) -> List {
        List::new(&self.0, 31, [tenant_id.into(), user_id.into()])
    }

    /// List the users of a division, group or team (R002-6.2-1, C2-07).
    pub fn list_members(&self, node_id: &str) -> List {
        List::new(&self.0, 32, [node_id.into()])
    }

    /// Get a user's role in a division, group or team (C2-07).
    pub fn get_membership(&self, tenant_id: &str, user_id: &str, node_id: &str) -> Get {
        Get::new(&self.0, 33, [tenant_id.into(), user_id.into(), node_id.into()])
    }

    /// Get a division (R002-6.6-3).
    pub fn get_division(&self, tenant_id: &str, division_id: &str) -> Get {
        Get::new(&self.0, 34, [tenant_id.into(), division_id.into()])
    }

    /// Get a group (C2-08).
    pub fn get_group(&self, tenant_id: &str, division_id: &str, group_id: &str) -> Get {
        Get::new(&self.0, 35, [tenant_id.into(), division_id.into(), group_id.into()])
    }

    /// Get a team (C2-08).
    pub fn get_team(
        &self,
        tenant_id: &str,
        division_id: &str,
        group_id: &str,
        team_id: &str,
    ) -> Get {
        let values = [tenant_id.into(), division_id.into(), group_id.into(), team_id.into()];
        Get::new(&self.0, 36, values)
    }

    /// List the teams of a group (R002-6.6-8).
    pub fn list_group(&self, tenant_id: &str, division_id: &str, group_id: &str) -> List {
        List::new(&self.0, 37, [tenant_id.into(), division_id.into(), group_id.into()])
    }

    /// Change a division (R002-6.6-4).
    pub fn change_division(&self, tenant_id: &str, division_id: &str) -> Update {
        Update::new(&self.0, 38, [tenant_id.into(), division_id.into()])
    }

    /// Change a group (C2-08).
    pub fn change_group(&self, tenant_id: &str, division_id: &str, group_id: &str) -> Update {
        Update::new(&self.0, 39, [tenant_id.into(), division_id.into(), group_id.into()])
    }

    /// Change a team (C2-08).
    pub fn change_team(
        &self,
        tenant_id: &str,
        division_id: &str,
        group_id: &str,
        team_id: &str,
    ) -> Update {
        let values = [tenant_id.into(), division_id.into(), group_id.into(), team_id.into()];
        Update::new(&self.0, 40, values)
    }

    /// Delete a division that is empty (R002-2-8, R002-6.6-5).
    pub fn delete_division(&self, tenant_id: &str, division_id: &str) -> Delete {
        Delete::new(&self.0, 41, [tenant_id.into(), division_id.into()])
    }

    /// Delete a group that is empty (R002-2-8, C2-08).
    pub fn delete_group(&self, tenant_id: &str, division_id: &str, group_id: &str) -> Delete {
        Delete::new(&self.0, 42, [tenant_id.into(), division_id.into(), group_id.into()])
    }

    /// Delete a team that is empty (R002-2-8, C2-08).
    pub fn delete_team(
        &self,
        tenant_id: &str,
        division_id: &str,
        group_id: &str,
        team_id: &str,
    ) -> Delete {
        let values = [tenant_id.into(), division_id.into(), group_id.into(), team_id.into()];
        Delete::new(&self.0, 43, values)
    }

    /// Get an invitation (R002-6.8-3).
    pub fn get_invitation(&self, tenant_id: &str, invitation_id: &str) -> Get {
        Get::new(&self.0, 44, [tenant_id.into(), invitation_id.into()])
    }

    /// Change an invitation that is pending (R002-6.8-4, R002-6.8-5, C2-06, C2-10).
    pub fn change_invitation(&self, tenant_id: &str, invitation_id: &str, seen: &str) -> Update {
        Update::new(&self.0, 45, [tenant_id.into(), invitation_id.into(), seen.into()])
    }

    /// Get the open invitation to an address (C2-10, C2-49).
    pub fn get_invited(&self, tenant_id: &str, unique_value: &str) -> Get {
        Get::new(&self.0, 46, [tenant_id.into(), unique_value.into()])
    }

    /// Reserve an address for an invitation (C2-10).
    pub fn reserve_invited(&self, now: &str, own: &str) -> Put {
        Put::new(&self.0, 47, [now.into(), own.into()])
    }

    /// Give an address free that an invitation reserved (C2-10).
    pub fn release_invited(&self, tenant_id: &str, unique_value: &str, own: &str) -> Delete {
        Delete::new(&self.0, 48, [tenant_id.into(), unique_value.into(), own.into()])
    }

    /// Get a resource (C2-30).
    pub fn get_resource(&self, tenant_id: &str, resource_type: &str, resource_id: &str) -> Get {
        Get::new(&self.0, 49, [tenant_id.into(), resource_type.into(), resource_id.into()])
    }

    /// Count a resource of a tenant out (C2-30).
    pub fn count_resource_out(&self, tenant_id: &str) -> Update {
        Update::new(&self.0, 50, [tenant_id.into()])
    }

    /// Items of the kind `tenant`. One organisation.
    pub fn tenant(&self) -> Kind<'_> {
        Kind::new(&self.0, 0)
    }

    /// Items of the kind `assignment`. A user's role in a tenant.
    pub fn assignment(&self) -> Kind<'_> {
        Kind::new(&self.0, 1)
    }

    /// Items of the kind `division`. A division of a tenant.
    pub fn division(&self) -> Kind<'_> {
        Kind::new(&self.0, 2)
    }

    /// Items of the kind `group`. A group in a division.
    pub fn group(&self) -> Kind<'_> {
        Kind::new(&self.0, 3)
    }

    /// Items of the kind `team`. A team in a group.
    pub fn team(&self) -> Kind<'_> {
        Kind::new(&self.0, 4)
    }

    /// Items of the kind `membership`. A user's role in a division, group or team, which holds for
    /// everything below.
    pub fn membership(&self) -> Kind<'_> {
        Kind::new(&self.0, 5)
    }

    /// Markers of the kind `nodeNameMarker`. Reserves the name of a division, group or team among
    /// its siblings.
    pub fn node_name_marker(&self, tenant_id: &str, parent_id: &str) -> Marker<'_> {
        Marker::new(&self.0, 6, [("tenantId", tenant_id.into()), ("parentId", parent_id.into())])
    }

    /// Items of the kind `auditEvent`. Something that happened to a tenant.
    pub fn audit_event(&self) -> Kind<'_> {
        Kind::new(&self.0, 7)
    }

    /// Items of the kind `invitation`. An invitation to a tenant.
    pub fn invitation(&self) -> Kind<'_> {
        Kind::new(&self.0, 8)
    }

    /// Markers of the kind `invitedMarker`. Reserves an address in a tenant while an invitation to
    /// it is pending.
    pub fn invited_marker(&self, tenant_id: &str, expires_at: &str) -> Marker<'_> {
        Marker::new(&self.0, 9, [("tenantId", tenant_id.into()), ("expiresAt", expires_at.into())])
    }

    /// Items of the kind `resource`. Something a tenant uses; a tenant with active ones is not
    /// given up without force.
    pub fn resource(&self) -> Kind<'_> {
        Kind::new(&self.0, 10)
    }

    /// Markers of the kind `organizationMarker`. Reserves an organisation's name; stays after the
    /// tenant has been given up.
    pub fn organization_marker(&self, tenant_id: &str) -> Marker<'_> {
        Marker::new(&self.0, 11, [("tenantId", tenant_id.into())])
    }

    /// Markers of the kind `externalIdMarker`. Reserves the identifier that a tenant has elsewhere.
    pub fn external_id_marker(&self, tenant_id: &str) -> Marker<'_> {
        Marker::new(&self.0, 12, [("tenantId", tenant_id.into())])
    }
}

/// What [`BbwsTenants::list_tenants_by_status`] gives: a list that can be filtered.
#[derive(Clone)]
pub struct ListTenantsByStatus(List);

impl ListTenantsByStatus {
    /// Lets only items pass of whose `environment` this is true.
    pub fn filter_environment<'a>(self, test: impl Into<Test<&'a str>>) -> Self {
        Self(self.0.filter(0, test.into()))
    }
}

impl Deref for ListTenantsByStatus {
    type Target = List;

    fn deref(&self) -> &List {
        &self.0
    }
}

impl From<ListTenantsByStatus> for List {
    fn from(list: ListTenantsByStatus) -> List {
        list.0
    }
}

/// What [`BbwsTenants::list_tenants_of_user`] gives: a list that can be filtered.
#[derive(Clone)]
pub struct ListTenantsOfUser(List);

impl ListTenantsOfUser {
    /// Lets only items pass of whose `active` this is true.
    pub fn filter_active(self, test: impl Into<Test<bool>>) -> Self {
        Self(self.0.filter(0, test.into()))
    }
}

impl Deref for ListTenantsOfUser {
    type Target = List;

    fn deref(&self) -> &List {
        &self.0
    }
}

impl From<ListTenantsOfUser> for List {
    fn from(list: ListTenantsOfUser) -> List {
        list.0
    }
}

/// What [`BbwsTenants::list_users`] gives: a list that can be filtered.
#[derive(Clone)]
pub struct ListUsers(List);

impl ListUsers {
    /// Lets only items pass of whose `active` this is true.
    pub fn filter_active(self, test: impl Into<Test<bool>>) -> Self {
        Self(self.0.filter(0, test.into()))
    }
}

impl Deref for ListUsers {
    type Target = List;

    fn deref(&self) -> &List {
        &self.0
    }
}

impl From<ListUsers> for List {
    fn from(list: ListUsers) -> List {
        list.0
    }
}

/// What [`BbwsTenants::list_events`] gives: a list that can be filtered.
#[derive(Clone)]
pub struct ListEvents(List);

impl ListEvents {
    /// Lets only items pass of whose `eventType` this is true.
    pub fn filter_event_type<'a>(self, test: impl Into<Test<&'a str>>) -> Self {
        Self(self.0.filter(0, test.into()))
    }

    /// Lets only items pass of whose `actor` this is true.
    pub fn filter_actor<'a>(self, test: impl Into<Test<&'a str>>) -> Self {
        Self(self.0.filter(1, test.into()))
    }
}

impl Deref for ListEvents {
    type Target = List;

    fn deref(&self) -> &List {
        &self.0
    }
}

impl From<ListEvents> for List {
    fn from(list: ListEvents) -> List {
        list.0
    }
}

/// What [`BbwsTenants::list_hierarchy`] gives: a list that can be filtered.
#[derive(Clone)]
pub struct ListHierarchy(List);

impl ListHierarchy {
    /// Lets only items pass of whose `groupId` this is true.
    pub fn filter_group_id<'a>(self, test: impl Into<Test<&'a str>>) -> Self {
        Self(self.0.filter(0, test.into()))
    }
}

impl Deref for ListHierarchy {
    type Target = List;

    fn deref(&self) -> &List {
        &self.0
    }
}

impl From<ListHierarchy> for List {
    fn from(list: ListHierarchy) -> List {
        list.0
    }
}

/// What [`BbwsTenants::list_resources`] gives: a list that can be filtered.
#[derive(Clone)]
pub struct ListResources(List);

impl ListResources {
    /// Lets only items pass of whose `resourceStatus` this is true.
    pub fn filter_resource_status<'a>(self, test: impl Into<Test<&'a str>>) -> Self {
        Self(self.0.filter(0, test.into()))
    }
}

impl Deref for ListResources {
    type Target = List;

    fn deref(&self) -> &List {
        &self.0
    }
}

impl From<ListResources> for List {
    fn from(list: ListResources) -> List {
        list.0
    }
}

/// What [`BbwsTenants::list_division`] gives: a list that can be filtered.
#[derive(Clone)]
pub struct ListDivision(List);

impl ListDivision {
    /// Lets only items pass of whose `teamId` this is true.
    pub fn filter_team_id<'a>(self, test: impl Into<Test<&'a str>>) -> Self {
        Self(self.0.filter(0, test.into()))
    }
}

impl Deref for ListDivision {
    type Target = List;

    fn deref(&self) -> &List {
        &self.0
    }
}

impl From<ListDivision> for List {
    fn from(list: ListDivision) -> List {
        list.0
    }
}

/// What [`BbwsTenants::list_tenants_of_customer`] gives: a list that can be filtered.
#[derive(Clone)]
pub struct ListTenantsOfCustomer(List);

impl ListTenantsOfCustomer {
    /// Lets only items pass of whose `status` this is true.
    pub fn filter_status<'a>(self, test: impl Into<Test<&'a str>>) -> Self {
        Self(self.0.filter(0, test.into()))
    }

    /// Lets only items pass of whose `environment` this is true.
    pub fn filter_environment<'a>(self, test: impl Into<Test<&'a str>>) -> Self {
        Self(self.0.filter(1, test.into()))
    }
}

impl Deref for ListTenantsOfCustomer {
    type Target = List;

    fn deref(&self) -> &List {
        &self.0
    }
}

impl From<ListTenantsOfCustomer> for List {
    fn from(list: ListTenantsOfCustomer) -> List {
        list.0
    }
}
