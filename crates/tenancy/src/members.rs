//! Who has a role in a division, group or team (C2-07). It flows down: what a user is in a division,
//! they are in its groups and teams.

use changes::{Change, Conflict, DomainEvent, EventName, Refusal, Rejection, Request};
use kernel::{Error, PageRequest};
use store::{Changes, Page, Record as _};
use values::Item;

use crate::Tenancy;
use crate::errors::{USER_NOT_FOUND, conflict, missing};
use crate::hierarchy::{Level, Place};
use crate::permissions::{UsersRead, UsersWrite};
use crate::records::{Assignment, Membership, Node, UserRole};
use crate::standing::{MEMBERSHIPS_MAX, View, is_id};
use crate::users::{NewUser, must_be_active, normalised};

impl Tenancy {
    /// The users with a role in a part of the tree itself.
    pub(crate) async fn members<T>(
        &self,
        request: &Request<T>,
        tenant_id: &str,
        place: &Place,
        page: &PageRequest,
    ) -> Result<View<Page<Membership>>, Error> {
        let view = self.see_below::<UsersRead>(request.caller(), tenant_id, place).await?;
        let node = self.node(tenant_id, place).await?;
        let list = self.table().list_members(node.level().1);
        let found = list.page(request.caller().id(), page.limit, page.token()).await?;
        Ok(view.of(found))
    }

    /// Gives a user a role in a part of the tree. Who is not assigned to the tenant becomes a Viewer
    /// there, so that they see what they belong to.
    pub(crate) async fn add_member(
        &self,
        request: &Request<View<Membership>>,
        tenant_id: &str,
        place: &Place,
        new: &NewUser,
    ) -> Result<View<Membership>, Error> {
        let added = self.changes().make(request, |mut change| async move {
            let view = self.see_below::<UsersWrite>(request.caller(), tenant_id, place).await?;
            must_be_active(&view.record)?;
            let node = self.node(tenant_id, place).await?;
            let user_id = self.known_user(&new.email).await?;
            let known = self.assignment(tenant_id, &user_id).await?;
            let membership = new_membership(request, &node, &user_id, new);
            let (level, node_id) = node.level();
            let message = format!("User {} has a role in this {} already", new.email, level.kind());
            let create = self.table().membership().create(&membership)?;
            change.add(create, conflict("USER_ALREADY_ASSIGNED", message));
            self.count_members(&mut change, tenant_id, place, 1, level.missing(node_id))?;
            match known.filter(|known| known.active) {
                Some(_) => self.count_membership_in(&mut change, &membership)?,
                None => {
                    let email = Some(membership.email.clone());
                    let viewer = Assignment::new(request, tenant_id, user_id, UserRole::Viewer);
                    let viewer = Assignment { email, memberships: 1, ..viewer };
                    // They were assigned meanwhile.
                    self.assign_in(&mut change, &viewer, Conflict)?;
                }
            }
            let name = EventName::new("MEMBER_ADDED", "tenant.member_added");
            let event = event(&membership, level, name).with("role", new.role.as_str());
            self.publish(&mut change, event, None)?;
            Ok((change, view.of(membership)))
        });
        added.await
    }

    /// Takes a user's role in a part of the tree away. They stay in the tenant.
    pub(crate) async fn remove_member(
        &self,
        request: &Request,
        tenant_id: &str,
        place: &Place,
        user_id: &str,
    ) -> Result<(), Error> {
        let removed = self.changes().make(request, |mut change| async move {
            self.see_below::<UsersWrite>(request.caller(), tenant_id, place).await?;
            let node = self.node(tenant_id, place).await?;
            let (level, node_id) = node.level();
            if !is_id("user", user_id) {
                return Err(missing(USER_NOT_FOUND, "User", user_id).into());
            }
            let found = self.table().get_membership(tenant_id, user_id, node_id);
            let found: Option<Membership> = found.get().await?;
            let membership = found.ok_or_else(|| missing(USER_NOT_FOUND, "User", user_id))?;
            self.leave(&mut change, &membership)?;
            let less = Changes::new().add("memberships", -1_i64);
            let count = self.table().uncount_membership(tenant_id, user_id).update(less)?;
            change.add(count, Conflict);
            let name = EventName::new("MEMBER_REMOVED", "tenant.member_removed");
            self.publish(&mut change, event(&membership, level, name), None)?;
            Ok((change, ()))
        });
        removed.await
    }

    /// Takes a role in the hierarchy away, all but the count on the assignment.
    pub(crate) fn leave(&self, change: &mut Change, membership: &Membership) -> Result<(), Error> {
        let place = Place {
            division: Some(membership.division_id.clone()),
            group: membership.group_id.clone(),
            team: membership.team_id.clone(),
        };
        change.add(self.table().membership().delete(membership)?, Conflict);
        self.count_members(change, &membership.tenant_id, &place, -1, Conflict)
    }

    fn count_members(
        &self,
        change: &mut Change,
        tenant_id: &str,
        place: &Place,
        more: i64,
        refusal: impl Into<Refusal>,
    ) -> Result<(), Error> {
        let changes = Changes::new().add("members", more);
        change.add(self.change_node(tenant_id, place)?.update(changes)?, refusal);
        Ok(())
    }

    fn count_membership_in(
        &self,
        change: &mut Change,
        membership: &Membership,
    ) -> Result<(), Error> {
        let Membership { tenant_id, user_id, .. } = membership;
        let more = Changes::new().add("memberships", 1_i64);
        let count = self.table().count_membership(tenant_id, user_id, i64::from(MEMBERSHIPS_MAX));
        change.add(count.update(more)?, |found: Option<Item>| {
            if !has_most(found) {
                // They were assigned or removed meanwhile.
                return Rejection::Conflict;
            }
            let message = format!("They have {MEMBERSHIPS_MAX} roles in the hierarchy already");
            conflict("TOO_MANY_ROLES", message).into()
        });
        Ok(())
    }
}

fn new_membership<T>(
    request: &Request<T>,
    node: &Node,
    user_id: &str,
    new: &NewUser,
) -> Membership {
    Membership {
        tenant_id: node.tenant_id.clone(),
        user_id: user_id.to_owned(),
        node_id: node.level().1.to_owned(),
        division_id: node.division_id.clone(),
        group_id: node.group_id.clone(),
        team_id: node.team_id.clone(),
        email: normalised(&new.email),
        role: new.role,
        assigned_at: request.now(),
        assigned_by: request.caller().name().to_owned(),
    }
}

/// Whether an assignment was found that holds, and has all the roles in the hierarchy that it can.
fn has_most(found: Option<Item>) -> bool {
    let found = found.and_then(|item| Assignment::from_item(item).ok());
    found.is_some_and(|held| held.active && held.memberships >= i64::from(MEMBERSHIPS_MAX))
}

fn event(membership: &Membership, level: Level, name: EventName) -> DomainEvent {
    DomainEvent::new(&membership.tenant_id, name, level.kind(), &membership.node_id)
        .with("id", &*membership.node_id)
        .with("userId", &*membership.user_id)
        .with("email", &*membership.email)
}
