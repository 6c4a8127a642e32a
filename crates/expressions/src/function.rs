//! The eight functions: where each may be used and how many operands it takes.

use crate::error::{ExpressionError, ExpressionKind, Problem};

/// A function of the expression languages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Function {
    AttributeExists,
    AttributeNotExists,
    AttributeType,
    BeginsWith,
    Contains,
    Size,
    IfNotExists,
    ListAppend,
}

/// What a function gives, or what a place in an expression wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Gives {
    /// True or false.
    Truth,
    /// A value to compare or to store.
    Value,
}

impl Function {
    /// The function of this name, in exactly this case.
    pub fn named(name: &str) -> Option<Function> {
        Some(match name {
            "attribute_exists" => Function::AttributeExists,
            "attribute_not_exists" => Function::AttributeNotExists,
            "attribute_type" => Function::AttributeType,
            "begins_with" => Function::BeginsWith,
            "contains" => Function::Contains,
            "size" => Function::Size,
            "if_not_exists" => Function::IfNotExists,
            "list_append" => Function::ListAppend,
            _ => return None,
        })
    }

    /// The function of this name, if it may stand at this place of this expression.
    pub fn find(
        kind: ExpressionKind,
        name: &str,
        place: Gives,
    ) -> Result<Function, ExpressionError> {
        let name_owned = || name.to_owned();
        let problem = match Function::named(name) {
            None => Problem::UnknownFunction(name_owned()),
            Some(function) => {
                let for_updates = matches!(function, Function::IfNotExists | Function::ListAppend);
                match (kind == ExpressionKind::Update, for_updates) {
                    (true, false) => Problem::NotForUpdates(name_owned()),
                    (false, true) => Problem::NotForConditions(name_owned()),
                    _ if function.gives() != place => Problem::MisplacedFunction(name_owned()),
                    _ => return Ok(function),
                }
            }
        };
        Err(ExpressionError::Expression(kind, problem))
    }

    /// How many operands the function takes.
    pub fn operand_count(self) -> usize {
        match self {
            Function::AttributeExists | Function::AttributeNotExists | Function::Size => 1,
            Function::AttributeType
            | Function::BeginsWith
            | Function::Contains
            | Function::IfNotExists
            | Function::ListAppend => 2,
        }
    }

    fn gives(self) -> Gives {
        match self {
            Function::Size | Function::IfNotExists | Function::ListAppend => Gives::Value,
            _ => Gives::Truth,
        }
    }
}
