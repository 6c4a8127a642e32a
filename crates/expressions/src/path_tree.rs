//! Several document paths as one tree: to see whether they overlap, and to pick what they lead to.

use std::collections::BTreeMap;

use values::{AttributeValue, Item};

use crate::error::{ExpressionError, ExpressionKind, Problem};
use crate::path::{Path, Segment};

/// Document paths none of which lies on the way of another.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct PathTree(BTreeMap<String, Branch>);

/// What is wanted of a value.
#[derive(Clone, Debug, PartialEq)]
enum Branch {
    Whole,
    Names(BTreeMap<String, Branch>),
    Indexes(BTreeMap<usize, Branch>),
}

/// How a path fails to fit into a tree.
enum Clash {
    /// It is in the tree, ends on the way of another path, or passes the end of one.
    Overlap,
    /// It takes a list for a map, or a map for a list.
    Conflict,
}

impl PathTree {
    /// Joins the paths of an expression. Overlaps are reported before conflicts (rule 37).
    pub fn new(kind: ExpressionKind, paths: &[Path]) -> Result<PathTree, ExpressionError> {
        let mut tree = PathTree::default();
        let mut conflict = None;
        for (position, path) in paths.iter().enumerate() {
            let earlier = || paths.iter().take(position);
            match tree.insert(path) {
                Ok(()) => {}
                Err(Clash::Overlap) => {
                    let other = earlier().find(|other| overlap(other, path)).unwrap_or(path);
                    let problem = Problem::PathsOverlap(other.to_string(), path.to_string());
                    return Err(ExpressionError::Expression(kind, problem));
                }
                Err(Clash::Conflict) if conflict.is_none() => {
                    let other = earlier().find(|other| conflicts(other, path)).unwrap_or(path);
                    conflict = Some(Problem::PathsConflict(other.to_string(), path.to_string()));
                }
                Err(Clash::Conflict) => {}
            }
        }
        conflict.map_or(Ok(tree), |problem| Err(ExpressionError::Expression(kind, problem)))
    }

    fn insert(&mut self, path: &Path) -> Result<(), Clash> {
        insert(self.0.entry(path.name.clone()), &path.rest)
    }

    /// The parts of the item that the paths lead to.
    pub fn pick(&self, item: &Item) -> Item {
        pick_names(&self.0, item)
    }
}

fn insert<K: Ord>(
    entry: std::collections::btree_map::Entry<'_, K, Branch>,
    rest: &[Segment],
) -> Result<(), Clash> {
    use std::collections::btree_map::Entry;
    let branch = match entry {
        Entry::Vacant(vacant) => {
            vacant.insert(Branch::along(rest));
            return Ok(());
        }
        Entry::Occupied(occupied) => occupied.into_mut(),
    };
    match (branch, rest.split_first()) {
        (Branch::Whole, _) | (_, None) => Err(Clash::Overlap),
        (Branch::Names(branches), Some((Segment::Name(name), rest))) => {
            insert(branches.entry(name.clone()), rest)
        }
        (Branch::Indexes(branches), Some((Segment::Index(index), rest))) => {
            insert(branches.entry(*index), rest)
        }
        _ => Err(Clash::Conflict),
    }
}

impl Branch {
    /// The branch that only leads along these segments.
    fn along(rest: &[Segment]) -> Branch {
        rest.iter().rev().fold(Branch::Whole, |branch, segment| match segment {
            Segment::Name(name) => Branch::Names(BTreeMap::from([(name.clone(), branch)])),
            Segment::Index(index) => Branch::Indexes(BTreeMap::from([(*index, branch)])),
        })
    }

    /// What is wanted of this value; `None` if nothing of it is there. As deep as a path may be.
    fn pick(&self, value: &AttributeValue) -> Option<AttributeValue> {
        match (self, value) {
            (Branch::Whole, value) => Some(value.clone()),
            (Branch::Names(branches), AttributeValue::M(map)) => {
                let picked = pick_names(branches, map);
                (!picked.is_empty()).then_some(AttributeValue::M(picked))
            }
            (Branch::Indexes(branches), AttributeValue::L(list)) => {
                let picked: Vec<AttributeValue> = branches
                    .iter()
                    .filter_map(|(index, branch)| branch.pick(list.get(*index)?))
                    .collect();
                (!picked.is_empty()).then_some(AttributeValue::L(picked))
            }
            _ => None,
        }
    }
}

fn pick_names(branches: &BTreeMap<String, Branch>, map: &Item) -> Item {
    let picked = branches.iter().filter_map(|(name, branch)| {
        let value = branch.pick(map.get(name)?)?;
        Some((name.as_str(), value))
    });
    picked.collect()
}

/// Whether one path is the other or lies on its way.
fn overlap(one: &Path, two: &Path) -> bool {
    one.name == two.name && one.rest.iter().zip(&two.rest).all(|(one, two)| one == two)
}

/// Whether the paths part at a value that one takes for a map and the other for a list.
fn conflicts(one: &Path, two: &Path) -> bool {
    let parting = one.rest.iter().zip(&two.rest).find(|(one, two)| one != two);
    let differ = matches!(
        parting,
        Some((Segment::Name(_), Segment::Index(_)) | (Segment::Index(_), Segment::Name(_)))
    );
    one.name == two.name && differ
}
