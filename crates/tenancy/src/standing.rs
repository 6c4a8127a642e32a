//! What is a caller to a tenant? Assignments decide; what a token claims is a hint (C2-35).

use std::collections::BTreeSet;

use kernel::ids::{hashed_uuid, is_uuid};
use kernel::permissions::{Permission, Target};
use kernel::{Caller, Error, Identity, Role};
use store::Page;
use web::Allowed;

use crate::Tenancy;
use crate::errors::tenant_not_found;
use crate::hierarchy::Place;
use crate::records::{Assignment, Membership, Tenant};

/// Most roles in the hierarchy that one user has in a tenant.
pub const MEMBERSHIPS_MAX: u32 = 40;

/// A tenant, and what the caller is to it.
pub struct Standing {
    /// The tenant as it is.
    pub tenant: Tenant,
    /// The caller's roles there.
    pub roles: BTreeSet<Role>,
}

impl Standing {
    /// What permissions are asked of.
    pub fn target(&self) -> Target<'_> {
        Target::Held(&self.roles)
    }
}

/// Who somebody is here: `user-` and a UUID, which is the directory's own, or made of the subject that
/// another issuer knows them by.
pub fn user_id(caller: &Caller) -> Option<String> {
    match &caller.identity {
        Identity::User { user_id, .. } => Some(user_id_of(user_id)),
        _ => None,
    }
}

/// The same for a subject.
pub fn user_id_of(subject: &str) -> String {
    if is_uuid(subject) {
        return format!("user-{subject}");
    }
    format!("user-{}", hashed_uuid(subject))
}

/// Whether a text is a prefix and a UUID, as all identifiers of the document are.
pub fn is_id(prefix: &str, text: &str) -> bool {
    text.strip_prefix(prefix).and_then(|rest| rest.strip_prefix('-')).is_some_and(is_uuid)
}

impl Tenancy {
    /// A tenant on which the caller has the permission. To those who are nothing to it, it does not
    /// exist (R002-9.2-4).
    pub(crate) async fn see<P: Permission>(
        &self,
        allowed: &Allowed<P>,
        tenant_id: &str,
    ) -> Result<Standing, Error> {
        let standing = self.standing(allowed.caller(), tenant_id).await?;
        decide(allowed, tenant_id, standing)
    }

    /// The same for a list, which leaves out what the caller may not see.
    pub(crate) async fn see_if_any<P: Permission>(
        &self,
        allowed: &Allowed<P>,
        tenant_id: &str,
    ) -> Result<Option<Standing>, Error> {
        match self.see(allowed, tenant_id).await {
            Ok(standing) => Ok(Some(standing)),
            Err(error) if matches!(error.code().status, 403 | 404) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// The same in a part of the tenant's hierarchy, where roles flow down from above.
    pub(crate) async fn see_below<P: Permission>(
        &self,
        allowed: &Allowed<P>,
        tenant_id: &str,
        place: &Place,
    ) -> Result<Standing, Error> {
        let mut standing = self.standing(allowed.caller(), tenant_id).await?;
        if let (Some(found), Some(user_id)) = (&mut standing, user_id(allowed.caller()))
            && !found.roles.is_empty()
        {
            let held = self.memberships(tenant_id, &user_id).await?;
            let above = held.iter().filter(|held| place.is_in(&held.node_id));
            found.roles.extend(above.map(|held| held.role.role()));
        }
        decide(allowed, tenant_id, standing)
    }

    async fn standing(&self, caller: &Caller, tenant_id: &str) -> Result<Option<Standing>, Error> {
        let (tenant, assignment) = match user_id(caller) {
            Some(user_id) => {
                let assignment = self.assignment(tenant_id, &user_id);
                tokio::try_join!(self.tenant(tenant_id), assignment)?
            }
            None => (self.tenant(tenant_id).await?, None),
        };
        let Some(tenant) = tenant else { return Ok(None) };
        let mut roles = BTreeSet::new();
        roles.extend(assignment.filter(|held| held.active).map(|held| held.role.role()));
        if administers_customer(caller, tenant.customer_id.as_deref()) {
            roles.insert(Role::Admin);
        }
        let is_key = matches!(caller.identity, Identity::ApiKey { .. });
        if is_key && caller.account_id.as_deref() == Some(tenant_id) {
            // What a key of the tenant may do, its scopes say.
            roles.insert(Role::Admin);
        }
        Ok(Some(Standing { tenant, roles }))
    }

    /// A tenant by its id, as it is now.
    pub(crate) async fn tenant(&self, tenant_id: &str) -> Result<Option<Tenant>, Error> {
        if !is_id("tenant", tenant_id) {
            return Ok(None);
        }
        Ok(self.table()?.access("get-tenant")?.with("tenantId", tenant_id)?.get().await?)
    }

    /// A user's assignment, active or not.
    pub(crate) async fn assignment(
        &self,
        tenant_id: &str,
        user_id: &str,
    ) -> Result<Option<Assignment>, Error> {
        let access = self.table()?.access("get-assignment")?;
        Ok(access.with("tenantId", tenant_id)?.with("userId", user_id)?.get().await?)
    }

    /// A user's roles in the hierarchy.
    pub(crate) async fn memberships(
        &self,
        tenant_id: &str,
        user_id: &str,
    ) -> Result<Vec<Membership>, Error> {
        let access = self.table()?.access("list-memberships")?;
        let access = access.with("tenantId", tenant_id)?.with("userId", user_id)?;
        let page: Page<Membership> = access.page("", MEMBERSHIPS_MAX, None).await?;
        Ok(page.items)
    }
}

/// Whether somebody administers a customer, and so all its tenants (R002-9.2-5, C2-34).
pub fn administers_customer(caller: &Caller, customer: Option<&str>) -> bool {
    let is_person = matches!(caller.identity, Identity::User { .. });
    let is_theirs = customer.is_some() && caller.customer_id.as_deref() == customer;
    is_person && is_theirs && caller.roles.contains(&Role::Admin)
}

fn decide<P: Permission>(
    allowed: &Allowed<P>,
    tenant_id: &str,
    standing: Option<Standing>,
) -> Result<Standing, Error> {
    let standing = standing.ok_or_else(|| tenant_not_found(tenant_id))?;
    allowed.on(&standing.target()).map_err(|error| match error.code().status {
        404 => tenant_not_found(tenant_id),
        _ => error,
    })?;
    Ok(standing)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_subject_of_any_form_has_one_id_of_the_document() {
        let uuid = "550e8400-e29b-41d4-a716-446655440000";
        assert_eq!(user_id_of(uuid), format!("user-{uuid}"));
        let other = user_id_of("google|123");
        assert!(is_id("user", &other), "{other}");
        assert_eq!(other, user_id_of("google|123"));
        assert_ne!(other, user_id_of("google|124"));
        for wrong in ["", "user-", "user-550E8400-e29b-41d4-a716-446655440000", "tenant-1"] {
            assert!(!is_id("user", wrong), "{wrong}");
        }
    }
}
