//! Who is assigned to a tenant. A tenant can always be administered: the last Admin stays.

use changes::{Change, Conflict, DomainEvent, EventName, Refusal, Request};
use identity::normalise_email;
use kernel::{Error, PageRequest};
use serde::Deserialize;
use store::{Changes, Page, Record as _, Test};
use utoipa::ToSchema;
use values::Item;

use crate::Tenancy;
use crate::errors::{USER_NOT_FOUND, conflict, last_admin, missing, not_active, tenant_not_found};
use crate::permissions::{UsersRead, UsersWrite};
use crate::records::{Assignment, Tenant, UserRole};
use crate::standing::{View, is_id, user_id_of};
use crate::status::Status;

/// A user who is to be given a role (R002-5.8-10).
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = UserToAssign)]
pub struct NewUser {
    /// Their address.
    #[schema(format = "email", min_length = 3, max_length = 254)]
    pub email: String,
    /// What they may do.
    pub role: UserRole,
}

impl Tenancy {
    pub(crate) async fn users<T>(
        &self,
        request: &Request<T>,
        tenant_id: &str,
        page: &PageRequest,
    ) -> Result<View<Page<Assignment>>, Error> {
        let view = self.see::<UsersRead>(request.caller(), tenant_id).await?;
        let list = self.table().list_users(tenant_id).filter_active(Test::Equals(true));
        let found = list.page(request.caller().id(), page.limit, page.token()).await?;
        Ok(view.of(found))
    }

    /// A user's assignment as a caller sees it.
    pub(crate) async fn see_user<T>(
        &self,
        request: &Request<T>,
        tenant_id: &str,
        user_id: &str,
    ) -> Result<View<Assignment>, Error> {
        let view = self.see::<UsersRead>(request.caller(), tenant_id).await?;
        let held = self.must_have(tenant_id, user_id).await?;
        Ok(view.of(held))
    }

    /// R002-4.5-1 to R002-4.5-3, C2-48, C2-49.
    pub(crate) async fn assign(
        &self,
        request: &Request<View<Assignment>>,
        tenant_id: &str,
        new: &NewUser,
    ) -> Result<View<Assignment>, Error> {
        let assigned = self.changes().make(request, |mut change| async move {
            let view = self.see::<UsersWrite>(request.caller(), tenant_id).await?;
            must_be_active(&view.record)?;
            let user_id = self.known_user(&new.email).await?;
            let email = Some(normalised(&new.email));
            let assignment = Assignment::new(request, tenant_id, user_id, new.role);
            let assignment = Assignment { email, ..assignment };
            self.assign_in(&mut change, &assignment, already_assigned(&new.email))?;
            let name = EventName::new("USER_ASSIGNED", "tenant.user_assigned");
            self.publish(&mut change, event(&assignment, name), None)?;
            Ok((change, view.of(assignment)))
        });
        assigned.await
    }

    /// The directory's user with an address (R002-4.5-1).
    pub(crate) async fn known_user(&self, email: &str) -> Result<String, Error> {
        let found = self.platform().identity().user_by_email(email).await?;
        let found = found.ok_or_else(|| {
            let message = "No user has this address: invite them with POST …/invitations";
            Error::new(USER_NOT_FOUND, message)
        })?;
        Ok(user_id_of(&found.user_id))
    }

    /// Assigns a user, unless they are assigned; it takes an ACTIVE tenant.
    pub(crate) fn assign_in(
        &self,
        change: &mut Change,
        assignment: &Assignment,
        already: impl Into<Refusal>,
    ) -> Result<(), Error> {
        change.add(self.table().assign_user().put(assignment)?, already);
        match assignment.role {
            UserRole::Admin => self.count_admin_in(change, &assignment.tenant_id),
            _ => self.must_be_active(change, &assignment.tenant_id),
        }
    }

    /// Refuses if the tenant is not ACTIVE any more.
    pub(crate) fn must_be_active(&self, change: &mut Change, tenant_id: &str) -> Result<(), Error> {
        change.add(self.table().must_be_active(tenant_id).check()?, inactive(tenant_id));
        Ok(())
    }

    fn count_admin_in(&self, change: &mut Change, tenant_id: &str) -> Result<(), Error> {
        let more = Changes::new().add("adminCount", 1_i64);
        change.add(self.table().count_admin_in(tenant_id).update(more)?, inactive(tenant_id));
        Ok(())
    }

    fn count_admin_out(&self, change: &mut Change, tenant_id: &str) -> Result<(), Error> {
        let less = Changes::new().add("adminCount", -1_i64);
        let absent = tenant_not_found(tenant_id);
        let refusal = move |found: Option<Item>| match found {
            Some(_) => last_admin(),
            None => absent.clone(),
        };
        change.add(self.table().count_admin_out(tenant_id).update(less)?, refusal);
        Ok(())
    }

    /// Gives a user another role.
    pub(crate) async fn change_role(
        &self,
        request: &Request<View<Assignment>>,
        tenant_id: &str,
        user_id: &str,
        role: UserRole,
    ) -> Result<View<Assignment>, Error> {
        let changed = self.changes().make(request, |mut change| async move {
            let view = self.see::<UsersWrite>(request.caller(), tenant_id).await?;
            let before = self.must_have(tenant_id, user_id).await?;
            let by = request.caller().name();
            let after = Assignment { role, updated_by: Some(by.to_owned()), ..before.clone() };
            if before.role == role {
                return Ok((change, view.of(after)));
            }
            let changes = Changes::new().set("role", role.as_str()).set("updatedBy", by);
            self.change_assignment(&mut change, &before, changes)?;
            match (before.role, role) {
                (UserRole::Admin, _) => self.count_admin_out(&mut change, tenant_id)?,
                (_, UserRole::Admin) => self.count_admin_in(&mut change, tenant_id)?,
                // Who may do more from now on needs an ACTIVE tenant (C2-48).
                (UserRole::Viewer, UserRole::Operator) => {
                    self.must_be_active(&mut change, tenant_id)?;
                }
                _ => {}
            }
            let name = EventName::new("USER_ROLE_CHANGED", "tenant.user_role_changed");
            let event = DomainEvent::new(tenant_id, name, "user", user_id)
                .with("userId", user_id)
                .with("previousRole", before.role.as_str())
                .with("role", role.as_str());
            self.publish(&mut change, event, None)?;
            Ok((change, view.of(after)))
        });
        changed.await
    }

    /// R002-6.7-4, C2-49: ends an assignment, and with it every role in the hierarchy and the
    /// invitation that is open.
    pub(crate) async fn remove(
        &self,
        request: &Request,
        tenant_id: &str,
        user_id: &str,
    ) -> Result<(), Error> {
        let removed = self.changes().make(request, |mut change| async move {
            self.see::<UsersWrite>(request.caller(), tenant_id).await?;
            let before = self.must_have(tenant_id, user_id).await?;
            let changes = Changes::new()
                .set("active", false)
                .set("memberships", 0_i64)
                .set("updatedBy", request.caller().name());
            self.change_assignment(&mut change, &before, changes)?;
            if before.role == UserRole::Admin {
                self.count_admin_out(&mut change, tenant_id)?;
            }
            for membership in self.memberships(tenant_id, user_id).await? {
                self.leave(&mut change, &membership)?;
            }
            let name = EventName::new("USER_REMOVED", "tenant.user_removed");
            self.publish(&mut change, event(&before, name), None)?;
            // Who is removed does not come back with an invitation from before.
            if let Some(email) = &before.email
                && let Some(open) = self.open_invitation(request, tenant_id, email).await?
            {
                self.revoke_in(&mut change, request, &open)?;
            }
            Ok((change, ()))
        });
        removed.await
    }

    /// An assignment that holds.
    async fn must_have(&self, tenant_id: &str, user_id: &str) -> Result<Assignment, Error> {
        let absent = || missing(USER_NOT_FOUND, "User", user_id);
        if !is_id("user", user_id) {
            return Err(absent());
        }
        let found = self.assignment(tenant_id, user_id).await?;
        found.filter(|assignment| assignment.active).ok_or_else(absent)
    }

    /// Changes an assignment if it is as it was read.
    fn change_assignment(
        &self,
        change: &mut Change,
        before: &Assignment,
        changes: Changes,
    ) -> Result<(), Error> {
        let Assignment { tenant_id, user_id, role, memberships, .. } = before;
        let update =
            self.table().change_assignment(tenant_id, user_id, role.as_str(), *memberships);
        change.add(update.update(changes)?, Conflict);
        Ok(())
    }
}

/// C2-48.
pub fn must_be_active(tenant: &Tenant) -> Result<(), Error> {
    match tenant.status {
        Status::Active => Ok(()),
        status => Err(not_active(status)),
    }
}

/// That a tenant is not ACTIVE, or not there.
fn inactive(tenant_id: &str) -> impl Fn(Option<Item>) -> Error + Send + Sync + 'static {
    let absent = tenant_not_found(tenant_id);
    move |found| {
        let found = found.and_then(|item| Tenant::from_item(item).ok());
        found.map_or_else(|| absent.clone(), |tenant| not_active(tenant.status))
    }
}

/// An address by which a user was found, as it is stored.
pub fn normalised(email: &str) -> String {
    normalise_email(email).unwrap_or_else(|_| email.to_owned())
}

/// R002-4.5-3.
pub fn already_assigned(email: &str) -> Error {
    conflict("USER_ALREADY_ASSIGNED", format!("User {email} is already assigned"))
}

fn event(assignment: &Assignment, name: EventName) -> DomainEvent {
    DomainEvent::new(&assignment.tenant_id, name, "user", &assignment.user_id)
        .with("userId", &*assignment.user_id)
        .with("email", assignment.email.clone())
        .with("role", assignment.role.as_str())
}
