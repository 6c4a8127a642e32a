//! Translates AttributeUpdates.

use std::collections::BTreeMap;

use values::{AttributeType, AttributeValue, validate};

use super::{AttributeAction, AttributeValueUpdate};
use crate::error::{ExpressionError, ExpressionKind, LegacyProblem};
use crate::path::Path;
use crate::path_tree::PathTree;
use crate::update::{Action, Change, Operand, SetValue, Update};

/// Translates AttributeUpdates. An empty map is an update that does nothing, and so creates a
/// missing item (rule 42).
pub fn attribute_updates(
    updates: &BTreeMap<String, AttributeValueUpdate>,
) -> Result<Update, ExpressionError> {
    for (name, update) in updates {
        validate::name(name).map_err(LegacyProblem::Value)?;
        if let Some(value) = &update.value {
            validate::value(value).map_err(LegacyProblem::Value)?;
        }
    }
    let mut actions = Vec::with_capacity(updates.len());
    for (name, update) in updates {
        actions.push(Action { path: Path::top(name), change: change(update)? });
    }
    let paths: Vec<Path> = actions.iter().map(|action| action.path.clone()).collect();
    let targets = PathTree::new(ExpressionKind::Update, &paths)?;
    Ok(Update::new(actions, targets, true))
}

fn change(update: &AttributeValueUpdate) -> Result<Change, ExpressionError> {
    let action = update.action.unwrap_or(AttributeAction::Put);
    match (action, &update.value) {
        (AttributeAction::Delete, None) => Ok(Change::Remove),
        (_, None) => Err(LegacyProblem::ActionWithoutValue.into()),
        (AttributeAction::Put, Some(value)) => {
            Ok(Change::Set(SetValue::Operand(Operand::Value(value.clone()))))
        }
        (AttributeAction::Delete, Some(value)) if is_set(value) => {
            Ok(Change::Delete(value.clone()))
        }
        (AttributeAction::Delete, Some(value)) => {
            Err(LegacyProblem::DeleteType(value.attribute_type()).into())
        }
        (AttributeAction::Add, Some(value)) => match value.attribute_type() {
            AttributeType::N | AttributeType::L => Ok(Change::Add(value.clone())),
            _ if is_set(value) => Ok(Change::Add(value.clone())),
            other => Err(LegacyProblem::AddType(other).into()),
        },
    }
}

fn is_set(value: &AttributeValue) -> bool {
    matches!(value, AttributeValue::Ss(_) | AttributeValue::Ns(_) | AttributeValue::Bs(_))
}
