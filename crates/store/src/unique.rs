//! Uniqueness by marker items: a value is taken when its marker can be created, in the transaction
//! that creates what owns it. Asking an index first would not do: two callers can be told no at once.

use tables::document::{MARKER_OWNER, MARKER_VALUE};
use values::{AttributeValue, Item};

use crate::error::Error;
use crate::kind::Kind;
use crate::table::TableHandle;
use crate::typed::Raw;
use crate::write::Write;

/// A kind of marker, with what its items have besides value and owner.
#[derive(Clone)]
pub struct Marker<'t> {
    kind: Kind<'t>,
    more: Item,
}

/// The writes that reserve a value in place of another.
#[derive(Clone, Default)]
#[must_use = "writes do nothing until they are run"]
pub struct MovedMarker {
    /// Gives the old value back: fails if it is not the owner's.
    pub release: Option<Write>,
    /// Takes the new one: fails if it is reserved.
    pub reserve: Option<Write>,
}

impl<'t> Marker<'t> {
    /// The kind of marker in this place of the table's document, with the attributes that it has
    /// besides. For generated functions.
    pub fn new<const N: usize>(
        table: &'t TableHandle,
        at: usize,
        more: [(&str, AttributeValue); N],
    ) -> Marker<'t> {
        Marker { kind: Kind::new(table, at), more: Item::from(more) }
    }

    /// Reserves a value for an owner: fails if it is reserved.
    pub fn reserve(&self, value: &str, owner: &str) -> Result<Write, Error> {
        self.kind.create(self.item(value, owner))
    }

    /// Gives a value back: fails if it is not this owner's.
    pub fn release(&self, value: &str, owner: &str) -> Result<Write, Error> {
        let write = self.kind.key_of(self.item(value, owner))?.delete();
        Ok(write.also(
            "#owner = :owner",
            [("#owner", MARKER_OWNER)],
            [(":owner", AttributeValue::from(owner))],
        ))
    }

    /// Reserves a value for an owner in place of another, either of which may be missing. Nothing is
    /// to be done if they are equal.
    pub fn moved(
        &self,
        old: Option<&str>,
        new: Option<&str>,
        owner: &str,
    ) -> Result<MovedMarker, Error> {
        if old == new {
            return Ok(MovedMarker::default());
        }
        Ok(MovedMarker {
            release: old.map(|old| self.release(old, owner)).transpose()?,
            reserve: new.map(|new| self.reserve(new, owner)).transpose()?,
        })
    }

    fn item(&self, value: &str, owner: &str) -> Raw {
        let mut item = self.more.clone();
        item.insert(MARKER_VALUE, value.into());
        item.insert(MARKER_OWNER, owner.into());
        Raw(item)
    }
}
