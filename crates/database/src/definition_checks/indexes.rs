//! Local and global indexes as CreateTable defines them.

use super::{key_schema, texts};
use crate::Error;
use crate::shapes::{
    GlobalSecondaryIndex, KeySchemaElement, KeyType, LocalSecondaryIndex, Projection,
    ProjectionType,
};

/// Global indexes of one table.
pub const GLOBAL_INDEXES_MAX: usize = 20;

/// Local indexes of one table.
const LOCAL_INDEXES_MAX: usize = 5;

/// Names projected by all indexes of a table together (rule 47).
pub const PROJECTED_NAMES_MAX: usize = 100;

/// The local indexes of a new table, apart from whether their attributes are defined.
pub fn local(indexes: &[LocalSecondaryIndex], table_key: &[KeySchemaElement]) -> Result<(), Error> {
    let table_hash = hash_name(table_key);
    for index in indexes {
        let name = &index.index_name;
        key_schema::one_or_two(&index.key_schema)?;
        if !has_range(&index.key_schema) {
            return Err(texts::invalid(format!(
                "Index KeySchema does not have a range key for index: {name}"
            )));
        }
        let index_hash = hash_name(&index.key_schema);
        if index_hash != table_hash {
            return Err(texts::invalid(format!(
                "Index KeySchema does not have the same leading hash key as table KeySchema \
                 for index: {name}. index hash key: {index_hash}, table hash key: {table_hash}"
            )));
        }
        projection(&index.projection)?;
    }
    distinct_names(indexes.iter().map(|index| index.index_name.as_str()))?;
    if indexes.len() > LOCAL_INDEXES_MAX {
        return Err(texts::invalid(format!(
            "Number of LocalSecondaryIndexes exceeds per-table limit of {LOCAL_INDEXES_MAX}"
        )));
    }
    Ok(())
}

/// The global indexes of a new table, apart from definitions and throughput.
pub fn global(indexes: &[GlobalSecondaryIndex]) -> Result<(), Error> {
    for index in indexes {
        key_schema::up_to_four(&index.key_schema)?;
        projection(&index.projection)?;
    }
    distinct_names(indexes.iter().map(|index| index.index_name.as_str()))?;
    if indexes.len() > GLOBAL_INDEXES_MAX {
        return Err(texts::invalid(format!(
            "GlobalSecondaryIndex count exceeds the per-table limit of {GLOBAL_INDEXES_MAX}"
        )));
    }
    Ok(())
}

/// Local indexes stand beside the table's own order, so the table must have one.
pub fn table_has_range(table_key: &[KeySchemaElement]) -> Result<(), Error> {
    if has_range(table_key) {
        return Ok(());
    }
    Err(texts::invalid(
        "Table KeySchema does not have a range key, which is required when specifying a \
         LocalSecondaryIndex",
    ))
}

/// Local and global indexes share their names.
pub fn distinct_names<'a>(names: impl Iterator<Item = &'a str>) -> Result<(), Error> {
    let mut seen: Vec<&str> = Vec::new();
    for name in names {
        if seen.contains(&name) {
            return Err(texts::invalid(format!("Duplicate index name: {name}")));
        }
        seen.push(name);
    }
    Ok(())
}

/// INCLUDE needs names, ALL and KEYS_ONLY must not have any (rule 47).
pub fn projection(projection: &Projection) -> Result<(), Error> {
    let Some(projection_type) = projection.projection_type else {
        return Err(texts::invalid("Unknown ProjectionType: null"));
    };
    match (projection_type, &projection.non_key_attributes) {
        (ProjectionType::All, Some(_)) => {
            Err(texts::invalid("ProjectionType is ALL, but NonKeyAttributes is specified"))
        }
        (ProjectionType::KeysOnly, Some(_)) => {
            Err(texts::invalid("ProjectionType is KEYS_ONLY, but NonKeyAttributes is specified"))
        }
        (ProjectionType::Include, None) => {
            Err(texts::invalid("ProjectionType is INCLUDE, but NonKeyAttributes is not specified"))
        }
        (ProjectionType::Include, Some(names)) => distinct_projection(names),
        _ => Ok(()),
    }
}

fn distinct_projection(names: &[String]) -> Result<(), Error> {
    for (position, name) in names.iter().enumerate() {
        if names[..position].contains(name) {
            return Err(texts::invalid(format!("Duplicate element in NonKeyAttributes: {name}")));
        }
    }
    Ok(())
}

/// All indexes together may project so many names (rule 47; the text is not captured).
pub fn projected_names(count: usize) -> Result<(), Error> {
    if count <= PROJECTED_NAMES_MAX {
        return Ok(());
    }
    Err(texts::invalid(format!(
        "Number of projected attributes in all indexes exceeds per-table limit of \
         {PROJECTED_NAMES_MAX}"
    )))
}

/// How many names a projection adds to that count.
pub fn names_in(projection: &Projection) -> usize {
    projection.non_key_attributes.as_ref().map_or(0, Vec::len)
}

fn has_range(schema: &[KeySchemaElement]) -> bool {
    schema.iter().any(|element| element.key_type == KeyType::Range)
}

fn hash_name(schema: &[KeySchemaElement]) -> &str {
    schema.first().map_or("null", |element| element.attribute_name.as_str())
}
