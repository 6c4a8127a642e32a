//! Divisions, groups and teams: a tree of names with identifiers (C2-11, C2-12). Only what is empty is
//! deleted, which counters on each part decide within the transaction.

use changes::CommitError;
use kernel::{Code, Error};
use store::{Access, Changes, Page, Record as _, Test, Write};
use values::Item;
use web::{Answer, Context, IfMatch};

use crate::Tenancy;
use crate::again::Miss;
use crate::errors::{
    DIVISION_NOT_FOUND, GROUP_NOT_FOUND, HIERARCHY_NOT_EMPTY, TEAM_NOT_FOUND, conflict, given_up,
    missing, tenant_not_found, version_mismatch,
};
use crate::happening::{Happening, Names};
use crate::names::folded;
use crate::records::{Node, shown};
use crate::routes::shapes::NodeAnswer;
use crate::standing::{Standing, is_id};
use crate::status::Status;

const NAME: &str = "nodeNameMarker";

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

    fn names(self) -> [Names; 3] {
        match self {
            Level::Division => [
                Names("DIVISION_CREATED", "tenant.division_created"),
                Names("DIVISION_UPDATED", "tenant.division_updated"),
                Names("DIVISION_DELETED", "tenant.division_deleted"),
            ],
            Level::Group => [
                Names("GROUP_CREATED", "tenant.group_created"),
                Names("GROUP_UPDATED", "tenant.group_updated"),
                Names("GROUP_DELETED", "tenant.group_deleted"),
            ],
            Level::Team => [
                Names("TEAM_CREATED", "tenant.team_created"),
                Names("TEAM_UPDATED", "tenant.team_updated"),
                Names("TEAM_DELETED", "tenant.team_deleted"),
            ],
        }
    }

    /// The access patterns that read, change and delete one.
    fn patterns(self) -> [&'static str; 3] {
        match self {
            Level::Division => ["get-division", "change-division", "delete-division"],
            Level::Group => ["get-group", "change-group", "delete-group"],
            Level::Team => ["get-team", "change-team", "delete-team"],
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

/// What a part of the tree is called and for.
pub struct NodeInput {
    pub name: String,
    pub description: Option<String>,
}

impl Tenancy {
    /// A part of the tree as it is, or that it is missing.
    pub(crate) async fn node(&self, tenant_id: &str, place: &Place) -> Result<Node, Error> {
        let Some((level, id)) = place.node() else { return Err(tenant_not_found(tenant_id)) };
        if !place.is_well_formed() {
            return Err(level.missing(id));
        }
        let access = self.node_access(tenant_id, place, 0)?;
        access.get().await?.ok_or_else(|| level.missing(id))
    }

    /// An access pattern of a part of the tree: 0 reads, 1 changes, 2 deletes.
    pub(crate) fn node_access(
        &self,
        tenant_id: &str,
        place: &Place,
        verb: usize,
    ) -> Result<Access, Error> {
        let Some((level, id)) = place.node() else { return Err(tenant_not_found(tenant_id)) };
        if !place.is_well_formed() {
            return Err(level.missing(id));
        }
        let access = self.table()?.access(level.patterns()[verb])?.with("tenantId", tenant_id)?;
        let ids =
            [("divisionId", &place.division), ("groupId", &place.group), ("teamId", &place.team)];
        ids.into_iter().try_fold(access, |access, (name, id)| match id {
            Some(id) => Ok(access.with(name, id.as_str())?),
            None => Ok(access),
        })
    }

    /// What is directly below a place (R002-6.6-1, R002-6.6-6, R002-6.6-8).
    pub(crate) async fn below(
        &self,
        context: &Context,
        tenant_id: &str,
        place: &Place,
        limit: u32,
        token: Option<&str>,
    ) -> Result<Page<Node>, Error> {
        if place.node().is_some() {
            self.node(tenant_id, place).await?;
        }
        let (pattern, is_directly_below) = match place.node() {
            None => ("list-hierarchy", Some("groupId")),
            Some((Level::Division, _)) => ("list-division", Some("teamId")),
            Some(_) => ("list-group", None),
        };
        let mut access = self.table()?.access(pattern)?.with("tenantId", tenant_id)?;
        for (name, id) in [("divisionId", &place.division), ("groupId", &place.group)] {
            if let Some(id) = id {
                access = access.with(name, id.as_str())?;
            }
        }
        if let Some(absent) = is_directly_below {
            access = access.filter(absent, Test::Absent)?;
        }
        Ok(access.page(context.caller.id(), limit, token).await?)
    }

    /// R002-6.6-2, R002-6.6-7, R002-6.6-9.
    pub(crate) async fn add_node(
        &self,
        context: &Context,
        standing: &Standing,
        parent: &Place,
        input: NodeInput,
    ) -> Result<Answer, Error> {
        let tenant_id = &*standing.tenant.tenant_id;
        let place = parent.child(&self.platform().ids().uuid()?);
        let place = place.ok_or_else(|| Error::internal("a team has nothing below it"))?;
        let Some((level, id)) = place.node() else { return Err(tenant_not_found(tenant_id)) };
        let node = Node {
            tenant_id: tenant_id.to_owned(),
            division_id: place.division.clone().unwrap_or_default(),
            group_id: place.group.clone(),
            team_id: place.team.clone(),
            name: input.name.trim().to_owned(),
            description: input.description,
            created_at: context.now,
            created_by: context.caller.name().to_owned(),
            updated_at: context.now,
            updated_by: None,
            version: 1,
            children: (level != Level::Team).then_some(0),
            members: 0,
        };
        let table = self.table()?;
        let mut writes = vec![
            self.not_given_up(tenant_id)?.check()?,
            table.reserve(NAME, &folded(&node.name), id, marker(tenant_id, parent))?,
            table.create(level.kind(), &node)?,
        ];
        writes.extend(self.children_write(tenant_id, parent, 1)?);
        let answer = NodeAnswer::of(context, &node, &standing.roles);
        let location = answer.location();
        let answer = Answer::created(&location, &answer)?.versioned(1);
        let happening =
            happening(&node, 0).with("name", &*node.name).changed(None, Some(shown(&node)?));
        let done = self.commit(context, writes, happening, answer).await;
        done.map_err(|error| refused(error, &node, parent, 1))
    }

    /// R002-6.6-4: renames, and says what it is for.
    pub(crate) async fn change_node(
        &self,
        context: &Context,
        standing: &Standing,
        place: &Place,
        input: NodeInput,
        if_match: &IfMatch,
    ) -> Result<Answer, Error> {
        self.until_done(|| self.try_change(context, standing, place, &input, if_match)).await
    }

    async fn try_change(
        &self,
        context: &Context,
        standing: &Standing,
        place: &Place,
        input: &NodeInput,
        if_match: &IfMatch,
    ) -> Result<Answer, Miss> {
        let tenant_id = &*standing.tenant.tenant_id;
        let before = self.node(tenant_id, place).await?;
        if_match.check(before.etag()).map_err(|_| version_mismatch())?;
        let mut after = before.clone();
        after.name = input.name.trim().to_owned();
        after.description.clone_from(&input.description);
        (after.updated_at, after.updated_by) =
            (context.now, Some(context.caller.name().to_owned()));
        after.version += 1;
        let mut changes = Changes::new()
            .expect_version(before.version)
            .set("name", &*after.name)
            .set("updatedAt", after.updated_at.to_string())
            .set("updatedBy", context.caller.name());
        changes = match &after.description {
            Some(description) => changes.set("description", description.as_str()),
            None => changes.remove("description"),
        };
        // Its own version comes first: who renames it to what it is called by now has lost a race, and
        // no name is taken.
        let own = self.node_access(tenant_id, place, 1)?.update(changes)?;
        let mut writes = vec![self.not_given_up(tenant_id)?.check()?, own];
        let (old, new) = (folded(&before.name), folded(&after.name));
        let (table, parent) = (self.table()?, place.parent());
        let (_, id) = before.level();
        if old != new {
            writes.push(table.reserve(NAME, &new, id, marker(tenant_id, &parent))?);
            writes.push(table.release(NAME, &old, id, marker(tenant_id, &parent))?);
        }
        let answer = Answer::ok(&NodeAnswer::of(context, &after, &standing.roles))?;
        let answer = answer.versioned(after.etag());
        let happening = happening(&after, 1)
            .with("name", &*after.name)
            .changed(Some(shown(&before)?), Some(shown(&after)?));
        let done = self.commit(context, writes, happening, answer).await;
        done.map_err(|error| match error {
            CommitError::Condition { index: 1, found } => Miss::Lost(found),
            error => refused(error, &after, &parent, 2).into(),
        })
    }

    /// R002-2-8, R002-6.6-5.
    pub(crate) async fn delete_node(
        &self,
        context: &Context,
        tenant_id: &str,
        place: &Place,
    ) -> Result<Answer, Error> {
        self.until_done(|| self.try_delete(context, tenant_id, place)).await
    }

    async fn try_delete(
        &self,
        context: &Context,
        tenant_id: &str,
        place: &Place,
    ) -> Result<Answer, Miss> {
        let node = self.node(tenant_id, place).await?;
        let (level, id) = node.level();
        let parent = place.parent();
        let delete = self.node_access(tenant_id, place, 2)?.with("zero", 0_i64)?.delete()?;
        let table = self.table()?;
        let marker = marker(tenant_id, &parent);
        let mut writes = vec![delete, table.release(NAME, &folded(&node.name), id, marker)?];
        writes.extend(self.children_write(tenant_id, &parent, -1)?);
        let happening =
            happening(&node, 2).with("name", &*node.name).changed(Some(shown(&node)?), None);
        let done = self.commit(context, writes, happening, Answer::no_content()).await;
        done.map_err(|error| match error {
            CommitError::Condition { index: 0, found: Some(item) } => not_empty(item).into(),
            CommitError::Condition { index: 0, found: None } => level.missing(id).into(),
            // It was renamed meanwhile: another name is given back.
            error => Miss::of_any(error),
        })
    }

    /// That the tenant was not given up meanwhile.
    pub(crate) fn not_given_up(&self, tenant_id: &str) -> Result<Access, Error> {
        let access = self.table()?.access("must-not-be-given-up")?.with("tenantId", tenant_id)?;
        Ok(access.with("deprovisioned", Status::Deprovisioned.as_str())?)
    }

    /// Counts what is directly below a part of the tree. Nobody counts divisions.
    fn children_write(
        &self,
        tenant_id: &str,
        parent: &Place,
        more: i64,
    ) -> Result<Option<Write>, Error> {
        if parent.node().is_none() {
            return Ok(None);
        }
        let changes = Changes::new().add("children", more);
        Ok(Some(self.node_access(tenant_id, parent, 1)?.update(changes)?))
    }
}

/// What a name is reserved below.
fn marker(tenant_id: &str, parent: &Place) -> Item {
    let parent = parent.node().map_or(tenant_id, |(_, id)| id);
    Item::from([("tenantId", tenant_id.into()), ("parentId", parent.into())])
}

fn happening(node: &Node, verb: usize) -> Happening {
    let (level, id) = node.level();
    let happening =
        Happening::new(&node.tenant_id, level.names()[verb]).of(level.kind(), id).with("id", id);
    match &node.group_id {
        Some(_) => happening.with("divisionId", &*node.division_id),
        None => happening,
    }
}

/// Why a part of the tree could not be made or renamed. `name` is the place of the write that may find
/// the name taken.
fn refused(error: CommitError, node: &Node, parent: &Place, name: usize) -> Error {
    match error {
        CommitError::Condition { index: 0, found: Some(_) } => given_up(),
        CommitError::Condition { index: 0, found: None } => tenant_not_found(&node.tenant_id),
        CommitError::Condition { index, .. } if index == name => {
            let (level, name) = (node.level().0.kind(), &node.name);
            conflict("NAME_EXISTS", format!("There is a {level} '{name}' here already"))
        }
        CommitError::Condition { .. } => match parent.node() {
            Some((level, id)) => level.missing(id),
            None => version_mismatch(),
        },
        error => error.into(),
    }
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
