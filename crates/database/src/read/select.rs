//! `Select` and the projection: which attributes of an entry are shown.

use expressions::Projection;
use values::Item;

use super::Target;
use crate::shapes::Select;
use crate::{Error, item_checks, text};

/// What is shown of each entry.
pub struct Shown {
    /// Only how many there are.
    pub count_only: bool,
    /// These attributes; all that the entry has if `None`.
    pub projection: Option<Projection>,
    /// The entry does not hold all that is asked for: read the item from the table.
    pub from_table: bool,
}

/// `Select` against the other parameters, before the table is looked up.
pub fn check_select(
    select: Option<Select>,
    attributes_to_get: bool,
    projection_expression: bool,
    has_index: bool,
) -> Result<(), Error> {
    let parameter = match (attributes_to_get, projection_expression) {
        (true, _) => Some("AttributesToGet"),
        (false, true) => Some("ProjectionExpression"),
        (false, false) => None,
    };
    let message = match (select, parameter) {
        (None, _) | (Some(Select::SpecificAttributes), Some(_)) => return Ok(()),
        (Some(Select::SpecificAttributes), None) => {
            "Must specify the AttributesToGet or ProjectionExpression when choosing to get SPECIFIC_ATTRIBUTES".to_owned()
        }
        (Some(select), Some(parameter)) => {
            let what = match select {
                Select::Count => "only the Count",
                Select::AllAttributes => "ALL_ATTRIBUTES",
                _ => "ALL_PROJECTED_ATTRIBUTES",
            };
            format!("Cannot specify the {parameter} when choosing to get {what}")
        }
        (Some(Select::AllProjectedAttributes), None) if !has_index => {
            "ALL_PROJECTED_ATTRIBUTES can be used only when Querying using an IndexName".to_owned()
        }
        (Some(_), None) => return Ok(()),
    };
    Err(Error::Validation(text::enveloped(&message)))
}

impl Shown {
    /// What is shown of a target's entries.
    pub fn new(
        target: &Target<'_>,
        select: Option<Select>,
        projection: Option<Projection>,
    ) -> Result<Shown, Error> {
        let nested = projection.iter().flat_map(Projection::nested_attribute_names);
        item_checks::no_path_into_keys(target.table, nested)?;
        let count_only = select == Some(Select::Count);
        let from_table = match target.index {
            Some(index) if !target.holds_all() => {
                let wants_all = select == Some(Select::AllAttributes);
                if wants_all && index.is_global() {
                    return Err(Error::Validation(text::all_attributes_of_index(&index.name)));
                }
                let names = projection.iter().flat_map(Projection::attribute_names);
                let missing: Vec<&str> = names.filter(|name| !index.projects(name)).collect();
                if index.is_global() && !missing.is_empty() {
                    let message = text::not_projected(&index.name, &missing.join(", "));
                    return Err(Error::Validation(message));
                }
                wants_all || !missing.is_empty()
            }
            _ => false,
        };
        Ok(Shown { count_only, projection, from_table })
    }

    /// The shown part of an entry.
    pub fn apply(&self, item: Item) -> Item {
        match &self.projection {
            None => item,
            Some(projection) => projection.apply(&item),
        }
    }
}
