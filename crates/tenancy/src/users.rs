//! Who is assigned to a tenant. Somebody can always administer it: the last Admin stays.

use changes::CommitError;
use identity::normalise_email;
use kernel::Error;
use store::{Changes, Record as _, Write};
use web::{Answer, Context};

use crate::Tenancy;
use crate::again::Miss;
use crate::errors::{USER_NOT_FOUND, conflict, last_admin, missing, not_active, tenant_not_found};
use crate::happening::{Happening, Names};
use crate::records::{Assignment, Tenant, UserRole};
use crate::routes::shapes::UserAnswer;
use crate::standing::{Standing, user_id_of};
use crate::status::Status;

impl Tenancy {
    /// R002-4.5-1 to R002-4.5-3, C2-48, C2-49.
    pub(crate) async fn assign(
        &self,
        context: &Context,
        standing: Standing,
        email: &str,
        role: UserRole,
    ) -> Result<Answer, Error> {
        let Standing { tenant, roles } = standing;
        must_be_active(&tenant)?;
        let user_id = self.known_user(email).await?;
        let assignment = assignment(context, &tenant, &user_id, email, role);
        let writes = self.assign_writes(&assignment)?;
        let answer = UserAnswer::of(context, &assignment, &roles);
        let location = context.link(
            "/tenants/{tenantId}/users/{userId}",
            &[("tenantId", &tenant.tenant_id), ("userId", &user_id)],
        );
        let answer = Answer::created(&location, &answer)?;
        let happening = assigned(&assignment);
        let done = self.commit(context, writes, happening, answer).await;
        done.map_err(|error| not_assigned(error, &tenant, email))
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

    /// What assigns a user: the first write finds those who are assigned, the second a tenant that is
    /// not active.
    pub(crate) fn assign_writes(&self, assignment: &Assignment) -> Result<Vec<Write>, Error> {
        let table = self.table()?;
        let access = table.access("assign-user")?.with("tenantId", &*assignment.tenant_id)?;
        let access = access.with("userId", &*assignment.user_id)?.with("false", false)?;
        let active = |pattern: &str| {
            let access = table.access(pattern)?.with("tenantId", &*assignment.tenant_id)?;
            access.with("active", Status::Active.as_str())
        };
        let tenant = match assignment.role {
            UserRole::Admin => {
                active("count-admin-in")?.update(Changes::new().add("adminCount", 1_i64))?
            }
            _ => active("must-be-active")?.check()?,
        };
        Ok(vec![access.put("assignment", assignment)?, tenant])
    }

    /// Gives a user another role.
    pub(crate) async fn change_role(
        &self,
        context: &Context,
        standing: &Standing,
        user_id: &str,
        role: UserRole,
    ) -> Result<Answer, Error> {
        let tenant_id = &*standing.tenant.tenant_id;
        let mut attempts = self.attempts();
        loop {
            let before = self.must_have(tenant_id, user_id).await?;
            let mut after = before.clone();
            (after.role, after.updated_by) = (role, Some(context.caller.name().to_owned()));
            let answer = Answer::ok(&UserAnswer::of(context, &after, &standing.roles))?;
            if before.role == role {
                return Ok(answer);
            }
            let changes =
                Changes::new().set("role", role.as_str()).set("updatedBy", context.caller.name());
            let mut writes = vec![self.assignment_write(&before, changes)?];
            writes.extend(self.admins_write(&before, Some(role))?);
            let names = Names("USER_ROLE_CHANGED", "tenant.user_role_changed");
            let happening = Happening::new(tenant_id, names)
                .of("user", user_id)
                .with("userId", user_id)
                .with("previousRole", before.role.as_str())
                .with("role", role.as_str());
            let miss = match self.commit(context, writes, happening, answer).await {
                Ok(answer) => return Ok(answer),
                Err(CommitError::Condition { index: 0, found }) => Miss::Lost(found),
                Err(error) => not_removed(error, tenant_id, is_raised(before.role, role)).into(),
            };
            attempts.after(miss).await?;
        }
    }

    /// R002-6.7-4, C2-49: ends an assignment, and with it every role in the hierarchy and the
    /// invitation that is open.
    pub(crate) async fn remove(
        &self,
        context: &Context,
        tenant_id: &str,
        user_id: &str,
    ) -> Result<Answer, Error> {
        let mut attempts = self.attempts();
        loop {
            let before = self.must_have(tenant_id, user_id).await?;
            let held = self.memberships(tenant_id, user_id).await?;
            let changes = Changes::new()
                .set("active", false)
                .set("memberships", 0_i64)
                .set("updatedBy", context.caller.name());
            let mut writes = vec![self.assignment_write(&before, changes)?];
            writes.extend(self.admins_write(&before, None)?);
            for membership in &held {
                writes.extend(self.leave_writes(membership)?);
            }
            let removed = Happening::new(tenant_id, Names("USER_REMOVED", "tenant.user_removed"))
                .of("user", user_id)
                .with("userId", user_id)
                .with("email", before.email.clone())
                .with("role", before.role.as_str());
            let mut happenings = vec![removed];
            // Who is removed does not come back with an invitation from before.
            let open = match &before.email {
                Some(email) => self.open_invitation(context, tenant_id, email).await?,
                None => None,
            };
            if let Some(open) = open {
                let (_, revoking, revoked) = self.revocation(context, &open)?;
                writes.extend(revoking);
                happenings.push(revoked);
            }
            let count = 1 + usize::from(before.role == UserRole::Admin);
            let done = self.commit_all(context, writes, happenings, Answer::no_content()).await;
            let miss = match done {
                Ok(answer) => return Ok(answer),
                // A role in the hierarchy or the invitation came or went meanwhile.
                Err(CommitError::Condition { index, found }) if index == 0 || index >= count => {
                    Miss::Lost(found)
                }
                Err(error) => not_removed(error, tenant_id, false).into(),
            };
            attempts.after(miss).await?;
        }
    }

    /// An assignment that holds.
    pub(crate) async fn must_have(
        &self,
        tenant_id: &str,
        user_id: &str,
    ) -> Result<Assignment, Error> {
        let found = self.assignment(tenant_id, user_id).await?;
        let found = found.filter(|assignment| assignment.active);
        found.ok_or_else(|| missing(USER_NOT_FOUND, "User", user_id))
    }

    /// Changes an assignment if it is as it was read.
    fn assignment_write(&self, before: &Assignment, changes: Changes) -> Result<Write, Error> {
        let access = self.table()?.access("change-assignment")?;
        let access = access.with("tenantId", &*before.tenant_id)?;
        let access = access.with("userId", &*before.user_id)?.with("true", true)?;
        let access = access.with("seen", before.role.as_str())?;
        Ok(access.with("memberships", before.memberships)?.update(changes)?)
    }

    /// Counts an Admin in or out, if there is one more or less; who only rises needs an ACTIVE tenant.
    fn admins_write(
        &self,
        before: &Assignment,
        after: Option<UserRole>,
    ) -> Result<Option<Write>, Error> {
        let (was, is) = (before.role == UserRole::Admin, after == Some(UserRole::Admin));
        let table = self.table()?;
        let tenant_id = &*before.tenant_id;
        Ok(match (was, is) {
            (true, false) => {
                let access = table.access("count-admin-out")?.with("tenantId", tenant_id)?;
                let less = Changes::new().add("adminCount", -1_i64);
                Some(access.with("one", 1_i64)?.update(less)?)
            }
            (false, true) => {
                let access = table.access("count-admin-in")?.with("tenantId", tenant_id)?;
                let more = Changes::new().add("adminCount", 1_i64);
                Some(access.with("active", Status::Active.as_str())?.update(more)?)
            }
            _ if after.is_some_and(|after| is_raised(before.role, after)) => {
                let access = table.access("must-be-active")?.with("tenantId", tenant_id)?;
                Some(access.with("active", Status::Active.as_str())?.check()?)
            }
            _ => None,
        })
    }
}

/// Whether somebody may do more from now on, which takes an ACTIVE tenant (C2-48).
fn is_raised(before: UserRole, after: UserRole) -> bool {
    let rank = |role| match role {
        UserRole::Viewer => 0,
        UserRole::Operator => 1,
        UserRole::Admin => 2,
    };
    rank(after) > rank(before)
}

/// C2-48.
pub fn must_be_active(tenant: &Tenant) -> Result<(), Error> {
    match tenant.status {
        Status::Active => Ok(()),
        status => Err(not_active(status)),
    }
}

/// An assignment of today.
pub fn assignment(
    context: &Context,
    tenant: &Tenant,
    user_id: &str,
    email: &str,
    role: UserRole,
) -> Assignment {
    Assignment {
        tenant_id: tenant.tenant_id.clone(),
        user_id: user_id.to_owned(),
        email: Some(normalised(email)),
        role,
        assigned_at: context.now,
        assigned_by: context.caller.name().to_owned(),
        updated_by: None,
        active: true,
        memberships: 0,
    }
}

/// The address of somebody who was found by it, as it is stored.
pub fn normalised(email: &str) -> String {
    normalise_email(email).unwrap_or_else(|_| email.to_owned())
}

/// Somebody is assigned.
pub fn assigned(assignment: &Assignment) -> Happening {
    Happening::new(&assignment.tenant_id, Names("USER_ASSIGNED", "tenant.user_assigned"))
        .of("user", &assignment.user_id)
        .with("userId", &*assignment.user_id)
        .with("email", assignment.email.clone())
        .with("role", assignment.role.as_str())
}

/// R002-4.5-3.
pub fn already_assigned(email: &str) -> Error {
    conflict("USER_ALREADY_ASSIGNED", format!("User {email} is already assigned"))
}

/// Why somebody was not assigned: see [`Tenancy::assign_writes`].
pub fn not_assigned(error: CommitError, tenant: &Tenant, email: &str) -> Error {
    match error {
        CommitError::Condition { index: 0, .. } => already_assigned(email),
        CommitError::Condition { index: 1, found } => {
            let found = found.and_then(|item| Tenant::from_item(item).ok());
            found.map_or_else(
                || tenant_not_found(&tenant.tenant_id),
                |tenant| not_active(tenant.status),
            )
        }
        error => error.into(),
    }
}

/// Why somebody was not removed, demoted, or made an Admin.
fn not_removed(error: CommitError, tenant_id: &str, is_promotion: bool) -> Error {
    match error {
        CommitError::Condition { index: 1, found: Some(item) } if is_promotion => {
            Tenant::from_item(item).map_or_else(Error::from, |tenant| not_active(tenant.status))
        }
        CommitError::Condition { index: 1, found: Some(_) } => last_admin(),
        CommitError::Condition { index: 1, found: None } => tenant_not_found(tenant_id),
        error => error.into(),
    }
}
