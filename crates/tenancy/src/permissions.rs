//! Who may do what with a tenant, as data (R002-6.4 to 6.8, R002-9.2).
//!
//! A role is held where somebody is assigned: in a tenant, or in a part of its hierarchy and below.

kernel::permissions! {
    /// What `/v1.0` asks for.
    pub TENANCY {
        /// Makes tenants (R002-6.4-1, R002-9.2-1, R002-9.2-2).
        TenantsCreate = "tenants:create", Platform, roles [], everywhere [Operator Admin],
            scope "tenants:create";
        /// Sees tenants (R002-6.4-2, R002-6.4-3, R002-9.2-3).
        TenantsRead = "tenants:read", Assigned, roles [Admin Operator Viewer], everywhere [],
            scope "tenants:read";
        /// Changes and gives up tenants (R002-6.4-4, R002-6.4-5).
        TenantsWrite = "tenants:write", Assigned, roles [Admin], everywhere [],
            scope "tenants:write";
        /// Suspends, resumes, parks and unparks tenants (R002-6.5-1 to R002-6.5-4).
        LifecycleWrite = "lifecycle:write", Assigned, roles [Admin], everywhere [],
            scope "lifecycle:write";
        /// Tells what became of provisioning, and which resources there are.
        Provision = "tenants:provision", Assigned, roles [Admin], everywhere [],
            scope "tenants:provision";
        /// Sees divisions, groups and teams (R002-6.6-1, R002-6.6-3, R002-6.6-6, R002-6.6-8, C2-33).
        HierarchyRead = "hierarchy:read", Assigned, roles [Admin Operator], everywhere [],
            scope "hierarchy:read";
        /// Makes and changes divisions, groups and teams (R002-6.6-2, R002-6.6-4, R002-6.6-5).
        HierarchyWrite = "hierarchy:write", Assigned, roles [Admin], everywhere [],
            scope "hierarchy:write";
        /// Sees who is assigned (R002-6.7-1, R002-6.7-3, C2-33).
        UsersRead = "users:read", Assigned, roles [Admin Operator], everywhere [],
            scope "users:read";
        /// Assigns and removes users (R002-6.7-2, R002-6.7-4).
        UsersWrite = "users:write", Assigned, roles [Admin], everywhere [], scope "users:write";
        /// Sees, sends and revokes invitations (R002-6.8-1 to R002-6.8-5).
        InvitationsWrite = "invitations:write", Assigned, roles [Admin], everywhere [],
            scope "invitations:write";
        /// Accepts an invitation to oneself.
        InvitationsAccept = "invitations:accept", Own, roles [], everywhere [];
        /// Reads what happened to a tenant.
        EventsRead = "events:read", Assigned, roles [Admin Operator], everywhere [],
            scope "events:read";
        /// Sees what a tenant uses.
        ResourcesRead = "resources:read", Assigned, roles [Admin Operator], everywhere [],
            scope "resources:read";
        /// Sees whose tenants somebody's are: one's own, or those one administers (R002-6.7-5).
        UserTenantsRead = "user-tenants:read", Assigned, roles [Admin], everywhere [],
            scope "users:read";
    }
}
