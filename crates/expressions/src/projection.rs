//! Projections: `ProjectionExpression` and the legacy AttributesToGet.

use values::Item;

use crate::cursor::Cursor;
use crate::error::{ExpressionError, ExpressionKind};
use crate::path::{Path, top_names};
use crate::path_tree::PathTree;
use crate::placeholders::Placeholders;
use crate::token::TokenKind;

/// Which parts of an item a read gives. Keys are not added to what was asked for (rule 36).
#[derive(Clone, Debug, PartialEq)]
pub struct Projection {
    tree: PathTree,
    names: Vec<String>,
    nested_names: Vec<String>,
}

impl Projection {
    /// The parts of the item that were asked for. List elements come in the order of their indexes
    /// with the gaps closed (rule 36).
    pub fn apply(&self, item: &Item) -> Item {
        self.tree.pick(item)
    }

    /// The top-level attributes it gives, or gives parts of; each once.
    pub fn attribute_names(&self) -> impl Iterator<Item = &str> {
        self.names.iter().map(String::as_str)
    }

    /// Those of [`Projection::attribute_names`] that it looks inside, with `.` or `[]`. Key
    /// attributes may not be among them.
    pub fn nested_attribute_names(&self) -> impl Iterator<Item = &str> {
        self.nested_names.iter().map(String::as_str)
    }

    /// A projection of paths that do not overlap.
    pub(crate) fn new(paths: &[Path], tree: PathTree) -> Projection {
        let (names, nested_names) = (top_names(paths.iter(), false), top_names(paths.iter(), true));
        Projection { tree, names, nested_names }
    }
}

/// Reads a `ProjectionExpression`.
pub(crate) fn parse(
    text: &str,
    placeholders: &mut Placeholders<'_>,
) -> Result<Projection, ExpressionError> {
    let kind = ExpressionKind::Projection;
    let mut cursor = Cursor::new(kind, text)?;
    let mut raw_paths = vec![cursor.path()?];
    while cursor.take(TokenKind::Comma) {
        raw_paths.push(cursor.path()?);
    }
    if cursor.peek().is_some() {
        return Err(cursor.syntax_error());
    }
    raw_paths.iter().try_for_each(|path| path.check_words(kind))?;
    let paths: Vec<Path> =
        raw_paths.iter().map(|path| placeholders.path(kind, path)).collect::<Result<_, _>>()?;
    let tree = PathTree::new(kind, &paths)?;
    Ok(Projection::new(&paths, tree))
}
