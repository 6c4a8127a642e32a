//! What is a caller to a tenant? Assignments decide; what a token claims is a hint (C2-35).

use std::collections::BTreeSet;

use kernel::ids::{hashed_uuid, is_uuid};
use kernel::permissions::{self, Decision, Permission, Target, may};
use kernel::{Caller, Error, Identity, Role};

use crate::Tenancy;
use crate::errors::tenant_not_found;
use crate::hierarchy::Place;
use crate::records::{Assignment, Membership, Tenant};

/// Most roles in the hierarchy that one user has in a tenant.
pub const MEMBERSHIPS_MAX: u32 = 40;

/// Roles in a tenant.
pub type Roles = BTreeSet<Role>;

/// A record of a tenant, and the caller's roles there: what is shown of it depends on them.
pub struct View<T> {
    /// The record.
    pub record: T,
    /// The caller's roles.
    pub roles: Roles,
}

impl<T> View<T> {
    /// Another record of the same tenant.
    pub fn of<U>(self, record: U) -> View<U> {
        View { record, roles: self.roles }
    }

    /// What permissions are asked of.
    pub fn target(&self) -> Target<'_> {
        Target::Held(&self.roles)
    }
}

/// A user's identifier here: `user-` and a UUID, which is the directory's own, or made of the subject
/// that another issuer knows them by.
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

/// Whether a caller has a permission on tenants that they are nothing to: on all of them (R002-9.2-6).
pub fn sees_all<P: Permission>(caller: &Caller) -> bool {
    may(caller, &P::RULE, &Target::Held(&Roles::new())) == Decision::Allowed
}

/// Whether a caller administers a customer, and so all its tenants (R002-9.2-5, C2-34).
pub fn administers_customer(caller: &Caller, customer: Option<&str>) -> bool {
    let is_person = matches!(caller.identity, Identity::User { .. });
    let is_theirs = customer.is_some() && caller.customer_id.as_deref() == customer;
    is_person && is_theirs && caller.roles.contains(&Role::Admin)
}

impl Tenancy {
    /// A tenant on which the caller has the permission. To those who are nothing to it, it does not
    /// exist (R002-9.2-4).
    pub(crate) async fn see<P: Permission>(
        &self,
        caller: &Caller,
        tenant_id: &str,
    ) -> Result<View<Tenant>, Error> {
        let view = self.standing(caller, tenant_id).await?;
        decide::<P>(caller, tenant_id, view)
    }

    /// The same for a list, which leaves out what the caller may not see.
    pub(crate) async fn see_if_any<P: Permission>(
        &self,
        caller: &Caller,
        tenant_id: &str,
    ) -> Result<Option<Tenant>, Error> {
        match self.see::<P>(caller, tenant_id).await {
            Ok(view) => Ok(Some(view.record)),
            Err(error) if matches!(error.code().status, 403 | 404) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// The same in a part of the tenant's hierarchy, where roles flow down from above.
    pub(crate) async fn see_below<P: Permission>(
        &self,
        caller: &Caller,
        tenant_id: &str,
        place: &Place,
    ) -> Result<View<Tenant>, Error> {
        let mut view = self.standing(caller, tenant_id).await?;
        if let (Some(view), Some(user_id)) = (&mut view, user_id(caller))
            && !view.roles.is_empty()
        {
            let held = self.memberships(tenant_id, &user_id).await?;
            let above = held.iter().filter(|held| place.is_in(&held.node_id));
            view.roles.extend(above.map(|held| held.role.role()));
        }
        decide::<P>(caller, tenant_id, view)
    }

    async fn standing(
        &self,
        caller: &Caller,
        tenant_id: &str,
    ) -> Result<Option<View<Tenant>>, Error> {
        let (tenant, assignment) = match user_id(caller) {
            Some(user_id) => {
                let assignment = self.assignment(tenant_id, &user_id);
                tokio::try_join!(self.tenant(tenant_id), assignment)?
            }
            None => (self.tenant(tenant_id).await?, None),
        };
        let Some(tenant) = tenant else { return Ok(None) };
        let mut roles = Roles::new();
        roles.extend(assignment.filter(|held| held.active).map(|held| held.role.role()));
        let is_key = matches!(caller.identity, Identity::ApiKey { .. });
        // What a key of the tenant may do, its scopes say.
        if administers_customer(caller, tenant.customer_id.as_deref())
            || is_key && caller.account_id.as_deref() == Some(tenant_id)
        {
            roles.insert(Role::Admin);
        }
        Ok(Some(View { record: tenant, roles }))
    }

    /// A tenant by its id, as it is now.
    pub(crate) async fn tenant(&self, tenant_id: &str) -> Result<Option<Tenant>, Error> {
        if !is_id("tenant", tenant_id) {
            return Ok(None);
        }
        Ok(self.table().get_tenant(tenant_id).get().await?)
    }

    /// A user's assignment, active or not.
    pub(crate) async fn assignment(
        &self,
        tenant_id: &str,
        user_id: &str,
    ) -> Result<Option<Assignment>, Error> {
        Ok(self.table().get_assignment(tenant_id, user_id).get().await?)
    }

    /// A user's roles in the hierarchy.
    pub(crate) async fn memberships(
        &self,
        tenant_id: &str,
        user_id: &str,
    ) -> Result<Vec<Membership>, Error> {
        let list = self.table().list_memberships(tenant_id, user_id);
        Ok(list.page("", MEMBERSHIPS_MAX, None).await?.items)
    }
}

fn decide<P: Permission>(
    caller: &Caller,
    tenant_id: &str,
    view: Option<View<Tenant>>,
) -> Result<View<Tenant>, Error> {
    let view = view.ok_or_else(|| tenant_not_found(tenant_id))?;
    permissions::check(caller, &P::RULE, &view.target()).map_err(|error| {
        if error.code().status == 404 { tenant_not_found(tenant_id) } else { error }
    })?;
    Ok(view)
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
