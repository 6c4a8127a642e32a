//! A table with its keys looked up.

use std::collections::BTreeSet;
use std::ops::Deref;

use values::{AttributeType, AttributeValue, Item};

use super::{IndexDefinition, IndexKind, TableDefinition};
use crate::keys::ItemKey;
use crate::shapes::{AttributeDefinition, KeySchemaElement, KeyType, ProjectionType};

/// A key attribute.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyAttribute {
    /// Its name.
    pub name: String,
    /// Its type.
    pub attribute_type: AttributeType,
}

/// The attributes of a key, in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyAttributes {
    /// One for tables and local indexes, up to four for global indexes.
    pub hash: Vec<KeyAttribute>,
    /// None or one for tables, one for local indexes, up to four for global indexes.
    pub sort: Vec<KeyAttribute>,
}

impl KeyAttributes {
    fn new(schema: &[KeySchemaElement], definitions: &[AttributeDefinition]) -> KeyAttributes {
        let of_type = |key_type: KeyType| {
            let elements = schema.iter().filter(move |element| element.key_type == key_type);
            elements
                .filter_map(|element| {
                    let definition = definitions
                        .iter()
                        .find(|definition| definition.attribute_name == element.attribute_name)?;
                    Some(KeyAttribute {
                        name: element.attribute_name.clone(),
                        attribute_type: definition.attribute_type.into(),
                    })
                })
                .collect()
        };
        KeyAttributes { hash: of_type(KeyType::Hash), sort: of_type(KeyType::Range) }
    }

    /// All key attributes, hash before sort.
    pub fn iter(&self) -> impl Iterator<Item = &KeyAttribute> {
        self.hash.iter().chain(&self.sort)
    }

    /// Is this attribute part of the key?
    pub fn contains(&self, name: &str) -> bool {
        self.iter().any(|attribute| attribute.name == name)
    }

    /// The key attributes of an item that it has.
    pub fn project(&self, item: &Item) -> Item {
        self.iter()
            .filter_map(|attribute| Some((&attribute.name, item.get(&attribute.name)?.clone())))
            .collect()
    }
}

/// An index with its keys looked up.
#[derive(Clone, Debug)]
pub struct Index {
    definition: IndexDefinition,
    /// The index's own key.
    pub keys: KeyAttributes,
    /// The attributes that an entry holds, in the order of their names; nothing if it holds all.
    pub projected: Option<Vec<String>>,
}

impl Deref for Index {
    type Target = IndexDefinition;
    fn deref(&self) -> &IndexDefinition {
        &self.definition
    }
}

impl Index {
    /// Is this a global index?
    pub fn is_global(&self) -> bool {
        self.kind == IndexKind::Global
    }

    fn new(index: &IndexDefinition, table: &TableDefinition, of_table: &KeyAttributes) -> Index {
        let keys = KeyAttributes::new(&index.key_schema, &table.attribute_definitions);
        let key_names = || keys.iter().chain(of_table.iter()).map(|key| key.name.clone());
        let projected: Option<BTreeSet<String>> = match index.projection_type {
            ProjectionType::All => None,
            ProjectionType::KeysOnly => Some(key_names().collect()),
            ProjectionType::Include => {
                Some(key_names().chain(index.non_key_attributes.iter().cloned()).collect())
            }
        };
        let projected = projected.map(|names| names.into_iter().collect());
        Index { definition: index.clone(), keys, projected }
    }

    /// Does an entry of this index hold the attribute?
    pub fn projects(&self, name: &str) -> bool {
        let Some(names) = &self.projected else { return true };
        names.binary_search_by(|projected| projected.as_str().cmp(name)).is_ok()
    }
}

/// A table with its keys looked up. Derefs to its definition.
#[derive(Clone, Debug)]
pub struct Table {
    definition: TableDefinition,
    /// The primary key.
    pub keys: KeyAttributes,
    /// Local and global indexes.
    pub indexes: Vec<Index>,
}

impl Deref for Table {
    type Target = TableDefinition;
    fn deref(&self) -> &TableDefinition {
        &self.definition
    }
}

impl Table {
    /// Looks the keys of a definition up.
    pub fn new(definition: TableDefinition) -> Table {
        let keys = KeyAttributes::new(&definition.key_schema, &definition.attribute_definitions);
        let index = |index| Index::new(index, &definition, &keys);
        let indexes = definition.indexes.iter().map(index).collect();
        Table { definition, keys, indexes }
    }

    /// What is stored of the table.
    pub fn definition(&self) -> &TableDefinition {
        &self.definition
    }

    /// The index with this name.
    pub fn index(&self, name: &str) -> Option<&Index> {
        self.indexes.iter().find(|index| index.name == name)
    }

    /// The hash attribute of the primary key.
    pub fn hash_attribute(&self) -> &KeyAttribute {
        // A definition without a hash key cannot be created.
        &self.keys.hash[0]
    }

    /// The sort attribute of the primary key.
    pub fn sort_attribute(&self) -> Option<&KeyAttribute> {
        self.keys.sort.first()
    }

    /// Has the table local indexes, and so item collections?
    pub fn has_local_indexes(&self) -> bool {
        self.indexes.iter().any(|index| index.kind == IndexKind::Local)
    }

    /// The storage key of an item or key; `None` if a key attribute is missing or of a type that
    /// cannot be a key. Requests are checked before, with an error that says what is wrong.
    pub fn item_key(&self, item: &Item) -> Option<ItemKey> {
        let hash: &AttributeValue = item.get(&self.hash_attribute().name)?;
        let sort = match self.sort_attribute() {
            None => None,
            Some(attribute) => Some(item.get(&attribute.name)?),
        };
        ItemKey::new(self.number, hash, sort)
    }
}
