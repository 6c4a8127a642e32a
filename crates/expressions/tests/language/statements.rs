//! Runs the cases of PartiQL.

use std::collections::BTreeMap;

use expressions::ExpressionError;
use expressions::partiql::{self, Reads, Select, Statement, Where};
use serde_json::{Value, json};
use values::json::{item_to_json, value_from_json};
use values::{AttributeType, AttributeValue, Item};

use crate::case::Case;
use crate::run::{expression_text, parse_json, range_to_json};

type Key<'k> = [(&'k str, AttributeType)];
type Said = BTreeMap<String, Value>;

/// Everything that can be said of a statement, by result key; `None` if the case has none.
pub fn run(
    case: &Case,
    item: &Item,
    hash: &Key<'_>,
    sort: &Key<'_>,
) -> Result<Option<Result<Said, ExpressionError>>, String> {
    let text = match case.subjects.first() {
        Some((subject, text)) if subject == "statement" => statement_text(text)?,
        Some((subject, text)) if subject == "where" => {
            format!("SELECT * FROM \"T\" WHERE {}", statement_text(text)?)
        }
        _ => return Ok(None),
    };
    let parameters = parameters(case, &text)?;
    let outcome = partiql::parse(&text, &parameters)
        .and_then(|statement| results(&statement, item, hash, sort));
    Ok(Some(outcome))
}

/// A statement that begins with a double quote is one, unless it is a whole JSON string.
fn statement_text(text: &str) -> Result<String, String> {
    if text.ends_with('"') { expression_text(text) } else { Ok(text.to_owned()) }
}

fn parameters(case: &Case, text: &str) -> Result<Vec<AttributeValue>, String> {
    let Some(setting) = case.settings.get("parameters") else { return Ok(Vec::new()) };
    let json = parse_json(setting)?;
    let values = json.as_array().ok_or("parameters must be an array")?;
    let value = |json: &Value| value_from_json(&json.into()).map_err(|error| format!("{error:?}"));
    values.iter().take(text.matches('?').count()).map(value).collect()
}

fn results(
    statement: &Statement,
    item: &Item,
    hash: &Key<'_>,
    sort: &Key<'_>,
) -> Result<Said, ExpressionError> {
    let mut said = Said::new();
    let keys: Vec<(&str, AttributeType)> = hash.iter().chain(sort).copied().collect();
    said.insert("table".to_owned(), json!(statement.table_name()));
    let mut say = |key: &str, value: Value| said.insert(key.to_owned(), value);
    match statement {
        Statement::Select(select) | Statement::Exists(select) => {
            let Select { index_name, projection, filter, order, .. } = select;
            say("index", json!(index_name));
            say("holds", holds(filter, item)?);
            if let Some(projection) = projection {
                say("gives", item_to_json(&projection.apply(item)));
            }
            if let Some(hash) = hash.first() {
                let key = filter.exact_key(&keys);
                say("exact key", key.map_or(Value::Null, |key| item_to_json(&key)));
                let sort_name = sort.first().map(|(name, _)| *name);
                order.check_terms(filter, hash.0, sort_name)?;
                let reads = filter.reads(*hash, sort.first().copied())?;
                order.direction(&reads, hash.0, sort_name)?;
                say("reads", reads_to_json(&reads));
            }
        }
        Statement::Insert { item, .. } => {
            say("gives", item_to_json(item));
        }
        Statement::Update { update, filter, returning, .. } => {
            say("holds", holds(filter, item)?);
            say("returning", json!(returning.map(|returning| format!("{returning:?}"))));
            if !keys.is_empty() {
                say("key", item_to_json(&filter.item_key(&keys)?));
            }
            let new = update.apply(item)?;
            say("gives", item_to_json(&new));
            say("new", item_to_json(&update.touched_new(&new)));
        }
        Statement::Delete { filter, returning, .. } => {
            say("holds", holds(filter, item)?);
            say("returning", json!(returning.map(|returning| format!("{returning:?}"))));
            if !keys.is_empty() {
                say("key", item_to_json(&filter.item_key(&keys)?));
            }
        }
    }
    Ok(said)
}

fn holds(filter: &Where, item: &Item) -> Result<Value, ExpressionError> {
    filter.condition().map_or(Ok(json!(true)), |condition| Ok(json!(condition.holds(item)?)))
}

fn reads_to_json(reads: &Reads) -> Value {
    match reads {
        Reads::Everything => json!("everything"),
        Reads::Ranges { ranges, .. } => ranges.iter().map(range_to_json).collect(),
    }
}
