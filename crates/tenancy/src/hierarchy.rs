//! Divisions, groups and teams: a tree of names with identifiers (C2-11, C2-12). Only what is empty is
//! deleted, which counters on each part decide within the transaction.

use changes::{Change, Conflict, DomainEvent, EventName, Rejection, Request};
use kernel::{Code, Error, ExpectedVersion, PageRequest};
use serde::Deserialize;
use store::{Changes, Delete, Get, Page, Record as _, Test, Update};
use utoipa::ToSchema;
use values::Item;

use crate::Tenancy;
use crate::errors::{
    DIVISION_NOT_FOUND, GROUP_NOT_FOUND, HIERARCHY_NOT_EMPTY, TEAM_NOT_FOUND, conflict, given_up,
    missing, tenant_not_found, version_mismatch,
};
use crate::names::folded;
use crate::permissions::{HierarchyRead, HierarchyWrite};
use crate::records::Node;
use crate::schemas::node_name;
use crate::standing::{View, is_id};

/// A place in a tenant's tree: the tenant itself, or a part of it by the identifiers on the way.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Place {
    pub division: Option<String>,
    pub group: Option<String>,
    pub team: Option<String>,
}

/// What a part of the tree is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    Division,
    Group,
    Team,
}

impl Level {
    /// As items and audit entries name it.
    pub fn kind(self) -> &'static str {
        match self {
            Level::Division => "division",
            Level::Group => "group",
            Level::Team => "team",
        }
    }

    fn prefix(self) -> &'static str {
        match self {
            Level::Division => "div",
            Level::Group => "grp",
            Level::Team => "team",
        }
    }

    fn created(self) -> EventName {
        match self {
            Level::Division => EventName::new("DIVISION_CREATED", "tenant.division_created"),
            Level::Group => EventName::new("GROUP_CREATED", "tenant.group_created"),
            Level::Team => EventName::new("TEAM_CREATED", "tenant.team_created"),
        }
    }

    fn updated(self) -> EventName {
        match self {
            Level::Division => EventName::new("DIVISION_UPDATED", "tenant.division_updated"),
            Level::Group => EventName::new("GROUP_UPDATED", "tenant.group_updated"),
            Level::Team => EventName::new("TEAM_UPDATED", "tenant.team_updated"),
        }
    }

    fn deleted(self) -> EventName {
        match self {
            Level::Division => EventName::new("DIVISION_DELETED", "tenant.division_deleted"),
            Level::Group => EventName::new("GROUP_DELETED", "tenant.group_deleted"),
            Level::Team => EventName::new("TEAM_DELETED", "tenant.team_deleted"),
        }
    }

    /// That there is none.
    pub fn missing(self, id: &str) -> Error {
        let (code, name): (Code, &str) = match self {
            Level::Division => (DIVISION_NOT_FOUND, "Division"),
            Level::Group => (GROUP_NOT_FOUND, "Group"),
            Level::Team => (TEAM_NOT_FOUND, "Team"),
        };
        missing(code, name, id)
    }
}

impl Place {
    /// What it is, and its identifier; nothing if it is the tenant.
    pub fn node(&self) -> Option<(Level, &str)> {
        match (&self.division, &self.group, &self.team) {
            (_, _, Some(id)) => Some((Level::Team, id)),
            (_, Some(id), None) => Some((Level::Group, id)),
            (Some(id), None, None) => Some((Level::Division, id)),
            (None, None, None) => None,
        }
    }

    /// Whether it is a part of the tree, or below it.
    pub fn is_in(&self, node_id: &str) -> bool {
        [&self.division, &self.group, &self.team]
            .into_iter()
            .any(|one| one.as_deref() == Some(node_id))
    }

    /// Its identifier; the tenant's, if it is the tenant.
    fn id_or<'a>(&'a self, tenant_id: &'a str) -> &'a str {
        self.node().map_or(tenant_id, |(_, id)| id)
    }

    fn parent(&self) -> Place {
        let mut parent = self.clone();
        match self.node() {
            Some((Level::Team, _)) => parent.team = None,
            Some((Level::Group, _)) => parent.group = None,
            _ => parent.division = None,
        }
        parent
    }

    /// A new part below.
    fn child(&self, uuid: &str) -> Option<Place> {
        let mut child = self.clone();
        let level = self.below()?;
        let id = Some(format!("{}-{uuid}", level.prefix()));
        match level {
            Level::Division => child.division = id,
            Level::Group => child.group = id,
            Level::Team => child.team = id,
        }
        Some(child)
    }

    /// What is below it.
    fn below(&self) -> Option<Level> {
        match self.node() {
            None => Some(Level::Division),
            Some((Level::Division, _)) => Some(Level::Group),
            Some((Level::Group, _)) => Some(Level::Team),
            Some((Level::Team, _)) => None,
        }
    }

    fn is_well_formed(&self) -> bool {
        let is_fine =
            |prefix, id: &Option<String>| id.as_deref().is_none_or(|id| is_id(prefix, id));
        is_fine("div", &self.division) && is_fine("grp", &self.group) && is_fine("team", &self.team)
    }
}

impl Node {
    /// Where it is.
    pub fn place(&self) -> Place {
        Place {
            division: Some(self.division_id.clone()),
            group: self.group_id.clone(),
            team: self.team_id.clone(),
        }
    }

    /// What it is, and its identifier.
    pub fn level(&self) -> (Level, &str) {
        match (&self.group_id, &self.team_id) {
            (_, Some(id)) => (Level::Team, id),
            (Some(id), None) => (Level::Group, id),
            (None, None) => (Level::Division, &self.division_id),
        }
    }

    /// Its version, as ETags have it.
    pub fn etag(&self) -> u64 {
        u64::try_from(self.version).unwrap_or(0)
    }
}

/// What a division, group or team is called and for.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NodeBody {
    /// Its name, unique among its siblings.
    #[schema(schema_with = node_name)]
    name: String,
    /// What it is for.
    #[schema(min_length = 1, max_length = 500)]
    description: Option<String>,
}

/// A well-formed place below a tenant, by the identifiers on the way.
enum Path<'p> {
    Division(&'p str),
    Group(&'p str, &'p str),
    Team(&'p str, &'p str, &'p str),
}

impl Place {
    fn path(&self, tenant_id: &str) -> Result<Path<'_>, Error> {
        let Some((level, id)) = self.node() else { return Err(tenant_not_found(tenant_id)) };
        if !self.is_well_formed() {
            return Err(level.missing(id));
        }
        match (self.division.as_deref(), self.group.as_deref(), self.team.as_deref()) {
            (Some(division), None, None) => Ok(Path::Division(division)),
            (Some(division), Some(group), None) => Ok(Path::Group(division, group)),
            (Some(division), Some(group), Some(team)) => Ok(Path::Team(division, group, team)),
            _ => Err(level.missing(id)),
        }
    }
}

impl Tenancy {
    /// A part of the tree as it is, or that it is missing.
    pub(crate) async fn node(&self, tenant_id: &str, place: &Place) -> Result<Node, Error> {
        let found: Get = match place.path(tenant_id)? {
            Path::Division(division) => self.table().get_division(tenant_id, division),
            Path::Group(division, group) => self.table().get_group(tenant_id, division, group),
            Path::Team(division, group, team) => {
                self.table().get_team(tenant_id, division, group, team)
            }
        };
        let absent = || match place.node() {
            Some((level, id)) => level.missing(id),
            None => tenant_not_found(tenant_id),
        };
        found.get().await?.ok_or_else(absent)
    }

    /// A change of a part of the tree, which must exist.
    pub(crate) fn change_node(&self, tenant_id: &str, place: &Place) -> Result<Update, Error> {
        Ok(match place.path(tenant_id)? {
            Path::Division(division) => self.table().change_division(tenant_id, division),
            Path::Group(division, group) => self.table().change_group(tenant_id, division, group),
            Path::Team(division, group, team) => {
                self.table().change_team(tenant_id, division, group, team)
            }
        })
    }

    /// The deletion of a part of the tree, which must be empty.
    fn delete_node(&self, tenant_id: &str, place: &Place) -> Result<Delete, Error> {
        Ok(match place.path(tenant_id)? {
            Path::Division(division) => self.table().delete_division(tenant_id, division),
            Path::Group(division, group) => self.table().delete_group(tenant_id, division, group),
            Path::Team(division, group, team) => {
                self.table().delete_team(tenant_id, division, group, team)
            }
        })
    }

    /// What is directly below a place (R002-6.6-1, R002-6.6-6, R002-6.6-8).
    pub(crate) async fn nodes_below<T>(
        &self,
        request: &Request<T>,
        tenant_id: &str,
        place: &Place,
        page: &PageRequest,
    ) -> Result<View<Page<Node>>, Error> {
        let view = self.see_below::<HierarchyRead>(request.caller(), tenant_id, place).await?;
        if place.node().is_some() {
            self.node(tenant_id, place).await?;
        }
        let (caller, limit, token) = (request.caller().id(), page.limit, page.token());
        let found = match place.node() {
            None => {
                let list = self.table().list_hierarchy(tenant_id).filter_group_id(Test::Absent);
                list.page(caller, limit, token).await
            }
            Some((Level::Division, id)) => {
                let list = self.table().list_division(tenant_id, id).filter_team_id(Test::Absent);
                list.page(caller, limit, token).await
            }
            Some((_, id)) => {
                let division = place.division.as_deref().unwrap_or_default();
                self.table().list_group(tenant_id, division, id).page(caller, limit, token).await
            }
        };
        Ok(view.of(found?))
    }

    /// A part of the tree as a caller sees it.
    pub(crate) async fn see_node<T>(
        &self,
        request: &Request<T>,
        tenant_id: &str,
        place: &Place,
    ) -> Result<View<Node>, Error> {
        let view = self.see_below::<HierarchyRead>(request.caller(), tenant_id, place).await?;
        let node = self.node(tenant_id, place).await?;
        Ok(view.of(node))
    }

    /// R002-6.6-2, R002-6.6-7, R002-6.6-9.
    pub(crate) async fn add_node(
        &self,
        request: &Request<View<Node>>,
        tenant_id: &str,
        parent: &Place,
        input: &NodeBody,
    ) -> Result<View<Node>, Error> {
        let place = parent.child(&self.platform().ids().uuid()?);
        let place = &place.ok_or_else(|| Error::internal("a team has nothing below it"))?;
        let added = self.changes().make(request, |mut change| async move {
            let caller = request.caller();
            let view = self.see_below::<HierarchyWrite>(caller, tenant_id, parent).await?;
            if parent.node().is_some() {
                self.node(tenant_id, parent).await?;
            }
            let node = new_node(request, tenant_id, place, input);
            let (level, id) = node.level();
            self.must_live(&mut change, tenant_id)?;
            let marker = self.table().node_name_marker(tenant_id, parent.id_or(tenant_id));
            change.add(marker.reserve(&folded(&node.name), id)?, name_taken(level, &node.name));
            let kind = match level {
                Level::Division => self.table().division(),
                Level::Group => self.table().group(),
                Level::Team => self.table().team(),
            };
            change.add(kind.create(&node)?, Conflict);
            self.count_children(&mut change, tenant_id, parent, 1)?;
            let event = event(&node, level.created()).changed(None, Some(&node))?;
            self.publish(&mut change, event, None)?;
            Ok((change, view.of(node)))
        });
        added.await
    }

    /// R002-6.6-4: renames, and says what it is for.
    pub(crate) async fn update_node(
        &self,
        request: &Request<View<Node>>,
        tenant_id: &str,
        place: &Place,
        input: &NodeBody,
        expected: &ExpectedVersion,
    ) -> Result<View<Node>, Error> {
        let changed = self.changes().make(request, |mut change| async move {
            let caller = request.caller();
            let view = self.see_below::<HierarchyWrite>(caller, tenant_id, place).await?;
            let before = self.node(tenant_id, place).await?;
            expected.check(before.etag()).map_err(|_| version_mismatch())?;
            let after = Node {
                name: input.name.trim().to_owned(),
                description: input.description.clone(),
                updated_at: request.now(),
                updated_by: Some(caller.name().to_owned()),
                version: before.version + 1,
                ..before.clone()
            };
            let mut changes = Changes::new()
                .expect_version(before.version)
                .set("name", &*after.name)
                .set("updatedAt", after.updated_at.to_string())
                .set("updatedBy", caller.name());
            changes = match &after.description {
                Some(description) => changes.set("description", description.as_str()),
                None => changes.remove("description"),
            };
            self.must_live(&mut change, tenant_id)?;
            // Its own version comes first: a rename to the present name has lost a race, and no name
            // is taken.
            change.add(self.change_node(tenant_id, place)?.update(changes)?, Conflict);
            let (level, id) = after.level();
            let marker = self.table().node_name_marker(tenant_id, place.parent().id_or(tenant_id));
            let (old, new) = (folded(&before.name), folded(&after.name));
            let moved = marker.moved(Some(&old), Some(&new), id)?;
            change.add_moved(moved, name_taken(level, &after.name));
            let event = event(&after, level.updated()).changed(Some(&before), Some(&after))?;
            self.publish(&mut change, event, None)?;
            Ok((change, view.of(after)))
        });
        changed.await
    }

    /// R002-2-8, R002-6.6-5.
    pub(crate) async fn remove_node(
        &self,
        request: &Request,
        tenant_id: &str,
        place: &Place,
    ) -> Result<(), Error> {
        let removed = self.changes().make(request, |mut change| async move {
            self.see_below::<HierarchyWrite>(request.caller(), tenant_id, place).await?;
            let node = self.node(tenant_id, place).await?;
            let (level, id) = node.level();
            let absent = level.missing(id);
            change
                .add(self.delete_node(tenant_id, place)?.delete()?, move |found: Option<Item>| {
                    found.map_or_else(|| absent.clone(), not_empty)
                });
            let parent = place.parent();
            let marker = self.table().node_name_marker(tenant_id, parent.id_or(tenant_id));
            // A node that was renamed meanwhile has another name to give back.
            change.add(marker.release(&folded(&node.name), id)?, Conflict);
            self.count_children(&mut change, tenant_id, &parent, -1)?;
            let event = event(&node, level.deleted()).changed(Some(&node), None)?;
            self.publish(&mut change, event, None)?;
            Ok((change, ()))
        });
        removed.await
    }

    /// Refuses if the tenant was given up meanwhile.
    pub(crate) fn must_live(&self, change: &mut Change, tenant_id: &str) -> Result<(), Error> {
        let check = self.table().must_not_be_given_up(tenant_id).check()?;
        change.add(check, given_up_or_missing(tenant_id));
        Ok(())
    }

    /// Counts what is directly below a part of the tree. Divisions are not counted.
    fn count_children(
        &self,
        change: &mut Change,
        tenant_id: &str,
        parent: &Place,
        more: i64,
    ) -> Result<(), Error> {
        let Some((level, id)) = parent.node() else { return Ok(()) };
        let changes = Changes::new().add("children", more);
        let write = self.change_node(tenant_id, parent)?.update(changes)?;
        change.add(write, level.missing(id));
        Ok(())
    }
}

/// That a tenant was given up, or is not there.
pub fn given_up_or_missing(
    tenant_id: &str,
) -> impl Fn(Option<Item>) -> Rejection + Send + Sync + 'static {
    let absent = tenant_not_found(tenant_id);
    move |found| match found {
        Some(_) => given_up().into(),
        None => absent.clone().into(),
    }
}

fn new_node<T>(request: &Request<T>, tenant_id: &str, place: &Place, input: &NodeBody) -> Node {
    Node {
        tenant_id: tenant_id.to_owned(),
        division_id: place.division.clone().unwrap_or_default(),
        group_id: place.group.clone(),
        team_id: place.team.clone(),
        name: input.name.trim().to_owned(),
        description: input.description.clone(),
        created_at: request.now(),
        created_by: request.caller().name().to_owned(),
        updated_at: request.now(),
        updated_by: None,
        version: 1,
        children: place.team.is_none().then_some(0),
        members: 0,
    }
}

fn event(node: &Node, name: EventName) -> DomainEvent {
    let (level, id) = node.level();
    let event = DomainEvent::new(&node.tenant_id, name, level.kind(), id)
        .with("id", id)
        .with("name", &*node.name);
    match &node.group_id {
        Some(_) => event.with("divisionId", &*node.division_id),
        None => event,
    }
}

fn name_taken(level: Level, name: &str) -> Error {
    conflict("NAME_EXISTS", format!("There is a {} '{name}' here already", level.kind()))
}

/// C2-27.
fn not_empty(item: Item) -> Error {
    match Node::from_item(item) {
        Ok(node) => {
            let message = "It is not empty: move or delete what is below it, and remove its users";
            Error::new(HIERARCHY_NOT_EMPTY, message)
                .detail("children", node.children.unwrap_or(0))
                .detail("users", node.members)
        }
        Err(error) => error.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_in_everything_above_it() {
        let division = Place::default().child("a").unwrap();
        let group = division.child("b").unwrap();
        let team = group.child("c").unwrap();
        assert_eq!(team.node(), Some((Level::Team, "team-c")));
        assert!(team.is_in("div-a") && team.is_in("grp-b") && team.is_in("team-c"));
        assert!(group.is_in("div-a") && !group.is_in("team-c"));
        assert_eq!((team.child("d"), team.parent(), group.parent()), (None, group, division));
    }
}
