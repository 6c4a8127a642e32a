//! Updates: `UpdateExpression` and the legacy AttributeUpdates.
//!
//! [`tree`] reads the text, [`check`] applies every rule that does not need an item and replaces
//! the placeholders, [`apply`] makes the new image of an item with the values from [`value`].

use values::{AttributeValue, Item};

use crate::error::ExpressionError;
use crate::path::{Path, top_names};
use crate::path_tree::PathTree;
use crate::placeholders::Placeholders;

mod apply;
mod check;
mod tree;
mod value;

/// An update, ready to be applied to items. Owns everything it needs.
#[derive(Clone, Debug, PartialEq)]
pub struct Update {
    actions: Vec<Action>,
    targets: PathTree,
    names: Vec<String>,
    nested_names: Vec<String>,
    /// From AttributeUpdates: ADD takes lists too, and type errors have other words.
    legacy: bool,
}

/// One change.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Action {
    pub path: Path,
    pub change: Change,
}

/// What is done at a path.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Change {
    Set(SetValue),
    Remove,
    Add(AttributeValue),
    Delete(AttributeValue),
}

/// The right-hand side of a SET.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum SetValue {
    Operand(Operand),
    Sum(Operand, Operand),
    Difference(Operand, Operand),
}

/// An operand on the right-hand side of a SET.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Operand {
    Path(Path),
    Value(AttributeValue),
    IfNotExists(Path, Box<Operand>),
    ListAppend(Box<Operand>, Box<Operand>),
}

impl Update {
    /// The new image of an item. All right-hand sides, and all list indexes, are of the image
    /// before (rules 37 and 39). The item is not checked for size or nesting.
    ///
    /// For a missing item give one that holds only its key, unless the update
    /// [only removes](Update::only_removes): then there is nothing to do.
    pub fn apply(&self, item: &Item) -> Result<Item, ExpressionError> {
        apply::apply(&self.actions, self.legacy, item)
    }

    /// What `ReturnValues=UPDATED_OLD` gives: what stood before at the paths the update writes.
    pub fn touched_old(&self, old: &Item) -> Item {
        self.targets.pick(old)
    }

    /// What `ReturnValues=UPDATED_NEW` gives: what stands now at the paths the update writes
    /// (rule 43). Taken literally, oddities included: an element appended through an index past
    /// the end is not there, and a removed element shows the one that took its place (ALT).
    pub fn touched_new(&self, new: &Item) -> Item {
        self.targets.pick(new)
    }

    /// The top-level attributes it writes, or writes into; each once.
    pub fn attribute_names(&self) -> impl Iterator<Item = &str> {
        self.names.iter().map(String::as_str)
    }

    /// Those of [`Update::attribute_names`] that it writes into, with `.` or `[]`. Key attributes
    /// may not be among them.
    pub fn nested_attribute_names(&self) -> impl Iterator<Item = &str> {
        self.nested_names.iter().map(String::as_str)
    }

    /// Whether all it does is REMOVE and DELETE, and it does something. Such an update neither
    /// creates a missing item nor fails on one (rules 40 and 42); an empty one, which only the
    /// legacy parameter can be, does create it.
    pub fn only_removes(&self) -> bool {
        let removes = |action: &Action| matches!(action.change, Change::Remove | Change::Delete(_));
        !self.actions.is_empty() && self.actions.iter().all(removes)
    }

    /// An update of actions whose paths make up the tree.
    pub(crate) fn new(actions: Vec<Action>, targets: PathTree, legacy: bool) -> Update {
        let paths = || actions.iter().map(|action| &action.path);
        let (names, nested_names) = (top_names(paths(), false), top_names(paths(), true));
        Update { actions, targets, names, nested_names, legacy }
    }
}

/// Reads an `UpdateExpression`.
pub(crate) fn parse(
    text: &str,
    placeholders: &mut Placeholders<'_>,
) -> Result<Update, ExpressionError> {
    let tree = tree::parse(text)?;
    tree.check_words()?;
    check::compile(&tree, placeholders)
}
