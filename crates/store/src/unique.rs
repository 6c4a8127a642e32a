//! Uniqueness by marker items: a value is taken when its marker can be created, in the transaction
//! that creates what owns it. Asking an index first would not do: two callers can be told no at once.

use values::{AttributeValue, Item};

use crate::error::Error;
use crate::table::TableHandle;
use crate::typed::Raw;
use crate::write::Write;

/// The attributes that every marker has in the documents.
const VALUE: &str = "uniqueValue";
const OWNER: &str = "reservedBy";

impl TableHandle {
    /// Reserves a value for an owner: fails if it is reserved. `kind` is the document's kind of
    /// marker; `more` are attributes that the document asks for besides.
    pub fn reserve(
        &self,
        kind: &str,
        value: &str,
        owner: &str,
        more: Item,
    ) -> Result<Write, Error> {
        self.create(kind, marker(value, owner, more))
    }

    /// Gives a value back: fails if it is not this owner's.
    pub fn release(
        &self,
        kind: &str,
        value: &str,
        owner: &str,
        more: Item,
    ) -> Result<Write, Error> {
        let key = self.key_of(kind, marker(value, owner, more))?;
        let write = self.delete(&key)?;
        Ok(write.also(
            "#owner = :owner",
            [("#owner", OWNER)],
            [(":owner", AttributeValue::from(owner))],
        ))
    }
}

fn marker(value: &str, owner: &str, more: Item) -> Raw {
    let mut item = more;
    item.insert(VALUE, value.into());
    item.insert(OWNER, owner.into());
    Raw(item)
}
