//! Projections: `ProjectionExpression`, the legacy AttributesToGet and PartiQL's select list.

use values::Item;

use crate::cursor::Cursor;
use crate::error::{ExpressionError, ExpressionKind};
use crate::path::{Path, Segment, top_names};
use crate::path_tree::PathTree;
use crate::placeholders::Placeholders;
use crate::token::TokenKind;

/// Which parts of an item a read gives. Keys are not added to what was asked for (rule 36).
#[derive(Clone, Debug, PartialEq)]
pub struct Projection {
    form: Form,
    names: Vec<String>,
    nested_names: Vec<String>,
}

/// In which form the parts are given.
#[derive(Clone, Debug, PartialEq)]
enum Form {
    /// Where they stand in the item.
    Tree(PathTree),
    /// Side by side, each under the last name of its path with the indexes behind it.
    List(Vec<(String, Path)>),
}

impl Projection {
    /// The parts of the item that were asked for. List elements come in the order of their indexes
    /// with the gaps closed (rule 36).
    pub fn apply(&self, item: &Item) -> Item {
        match &self.form {
            Form::Tree(tree) => tree.pick(item),
            Form::List(list) => {
                let part = |(label, path): &(String, Path)| {
                    Some((label.clone(), path.find(item)?.clone()))
                };
                list.iter().filter_map(part).collect()
            }
        }
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
        Projection::in_form(paths, Form::Tree(tree))
    }

    /// A select list: `a.b` is given as `b`, `l[0]` as `l[0]` (DX).
    pub(crate) fn select_list(paths: &[Path]) -> Projection {
        let list = paths.iter().map(|path| (label(path), path.clone())).collect();
        Projection::in_form(paths, Form::List(list))
    }

    fn in_form(paths: &[Path], form: Form) -> Projection {
        let (names, nested_names) = (top_names(paths.iter(), false), top_names(paths.iter(), true));
        Projection { form, names, nested_names }
    }
}

/// The name under which a select list gives what is at a path.
fn label(path: &Path) -> String {
    let mut label = path.name.clone();
    for segment in &path.rest {
        match segment {
            Segment::Name(name) => label.clone_from(name),
            Segment::Index(index) => label.push_str(&format!("[{index}]")),
        }
    }
    label
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
