//! Who has a role in a division, group or team (C2-07). It flows down: what somebody is in a division,
//! they are in its groups and teams.

use changes::CommitError;
use kernel::Error;
use store::{Changes, Page, Record as _, Write};
use values::Item;
use web::{Answer, Context};

use crate::Tenancy;
use crate::again::Miss;
use crate::errors::{USER_NOT_FOUND, conflict, missing, not_active};
use crate::happening::{Happening, Names};
use crate::hierarchy::{Level, Place};
use crate::records::{Assignment, Membership, UserRole};
use crate::routes::shapes::MemberAnswer;
use crate::standing::{MEMBERSHIPS_MAX, Standing};
use crate::users::{assignment, must_be_active, normalised};

impl Tenancy {
    /// The users with a role in a part of the tree itself.
    pub(crate) async fn members(
        &self,
        context: &Context,
        tenant_id: &str,
        place: &Place,
        limit: u32,
        token: Option<&str>,
    ) -> Result<Page<Membership>, Error> {
        let node = self.node(tenant_id, place).await?;
        let access = self.table()?.access("list-members")?.with("nodeId", node.level().1)?;
        Ok(access.page(context.caller.id(), limit, token).await?)
    }

    /// Gives a user a role in a part of the tree. Who is not assigned to the tenant becomes a Viewer
    /// there, so that they see what they belong to.
    pub(crate) async fn add_member(
        &self,
        context: &Context,
        standing: &Standing,
        place: &Place,
        email: &str,
        role: UserRole,
    ) -> Result<Answer, Error> {
        must_be_active(&standing.tenant)?;
        self.until_done(|| self.try_add_member(context, standing, place, email, role)).await
    }

    async fn try_add_member(
        &self,
        context: &Context,
        standing: &Standing,
        place: &Place,
        email: &str,
        role: UserRole,
    ) -> Result<Answer, Miss> {
        let tenant = &standing.tenant;
        let node = self.node(&tenant.tenant_id, place).await?;
        let user_id = self.known_user(email).await?;
        let (level, node_id) = node.level();
        let known = self.assignment(&tenant.tenant_id, &user_id).await?;
        let viewer = assignment(context, tenant, &user_id, email, UserRole::Viewer);
        let membership = Membership {
            tenant_id: tenant.tenant_id.clone(),
            user_id: user_id.clone(),
            node_id: node_id.to_owned(),
            division_id: node.division_id.clone(),
            group_id: node.group_id.clone(),
            team_id: node.team_id.clone(),
            email: normalised(email),
            role,
            assigned_at: context.now,
            assigned_by: context.caller.name().to_owned(),
        };
        let table = self.table()?;
        let mut writes = vec![
            table.create("membership", &membership)?,
            self.members_write(&tenant.tenant_id, place, 1)?,
        ];
        match known.filter(|known| known.active) {
            Some(_) => writes.push(self.membership_count(&membership, 1)?),
            None => {
                let viewer = Assignment { memberships: 1, ..viewer };
                writes.extend(self.assign_writes(&viewer)?);
            }
        }
        let answer = MemberAnswer::of(context, &membership, place, &standing.roles);
        let answer = Answer::created(&answer.location(), &answer)?;
        let names = Names("MEMBER_ADDED", "tenant.member_added");
        let happening = member_happening(&membership, level, names).with("role", role.as_str());
        let done = self.commit(context, writes, happening, answer).await;
        done.map_err(|error| match error {
            CommitError::Condition { index: 0, .. } => {
                let message = format!("User {email} has a role in this {} already", level.kind());
                conflict("USER_ALREADY_ASSIGNED", message).into()
            }
            CommitError::Condition { index: 1, .. } => level.missing(node_id).into(),
            CommitError::Condition { index: 3, .. } => not_active(tenant.status).into(),
            CommitError::Condition { found, .. } if has_most(found.as_ref()) => {
                let message = format!("They have {MEMBERSHIPS_MAX} roles in the hierarchy already");
                conflict("TOO_MANY_ROLES", message).into()
            }
            // They were assigned or removed meanwhile.
            error => Miss::of_any(error),
        })
    }

    /// Takes a user's role in a part of the tree away. They stay in the tenant.
    pub(crate) async fn remove_member(
        &self,
        context: &Context,
        tenant_id: &str,
        place: &Place,
        user_id: &str,
    ) -> Result<Answer, Error> {
        self.until_done(|| self.try_remove_member(context, tenant_id, place, user_id)).await
    }

    async fn try_remove_member(
        &self,
        context: &Context,
        tenant_id: &str,
        place: &Place,
        user_id: &str,
    ) -> Result<Answer, Miss> {
        let node = self.node(tenant_id, place).await?;
        let (level, node_id) = node.level();
        let access = self.table()?.access("get-membership")?.with("tenantId", tenant_id)?;
        let access = access.with("userId", user_id)?.with("nodeId", node_id)?;
        let membership: Option<Membership> = access.get().await?;
        let membership = membership.ok_or_else(|| missing(USER_NOT_FOUND, "User", user_id))?;
        let mut writes = self.leave_writes(&membership)?;
        writes.push(self.membership_count(&membership, -1)?);
        let happening =
            member_happening(&membership, level, Names("MEMBER_REMOVED", "tenant.member_removed"));
        let done = self.commit(context, writes, happening, Answer::no_content()).await;
        done.map_err(Miss::of_any)
    }

    /// What takes a role in the hierarchy away, all but the count on the assignment.
    pub(crate) fn leave_writes(&self, membership: &Membership) -> Result<Vec<Write>, Error> {
        let table = self.table()?;
        let place = Place {
            division: Some(membership.division_id.clone()),
            group: membership.group_id.clone(),
            team: membership.team_id.clone(),
        };
        let key = table.key_of("membership", membership)?;
        let members = self.members_write(&membership.tenant_id, &place, -1)?;
        Ok(vec![table.delete(&key)?, members])
    }

    fn members_write(&self, tenant_id: &str, place: &Place, more: i64) -> Result<Write, Error> {
        let changes = Changes::new().add("members", more);
        Ok(self.node_access(tenant_id, place, 1)?.update(changes)?)
    }

    fn membership_count(&self, membership: &Membership, more: i64) -> Result<Write, Error> {
        let table = self.table()?;
        let access = match more {
            1.. => {
                let access = table.access("count-membership")?.with("true", true)?;
                access.with("most", i64::from(MEMBERSHIPS_MAX))?
            }
            _ => table.access("uncount-membership")?.with("zero", 0_i64)?,
        };
        let access = access.with("tenantId", &*membership.tenant_id)?;
        let access = access.with("userId", &*membership.user_id)?;
        Ok(access.update(Changes::new().add("memberships", more))?)
    }
}

/// Whether an assignment was found that holds, and has all the roles in the hierarchy that it can.
fn has_most(found: Option<&Item>) -> bool {
    let found = found.and_then(|item| Assignment::from_item(item.clone()).ok());
    found.is_some_and(|held| held.active && held.memberships >= i64::from(MEMBERSHIPS_MAX))
}

fn member_happening(membership: &Membership, level: Level, names: Names) -> Happening {
    Happening::new(&membership.tenant_id, names)
        .of(level.kind(), &membership.node_id)
        .with("id", &*membership.node_id)
        .with("userId", &*membership.user_id)
        .with("email", &*membership.email)
}
