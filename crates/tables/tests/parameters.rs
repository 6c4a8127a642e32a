//! What the caller of an access pattern gives, in which order and of which type.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on panics")]

use tables::document::{AccessPattern, Action, Parameter, Table};
use tables::{Documents, rust};
use values::AttributeType::{Bool, N, S};

fn pattern<'t>(table: &'t Table, id: &str) -> &'t AccessPattern {
    table.access_patterns.iter().find(|access| access.id == id).unwrap()
}

fn shown(parameters: &[Parameter]) -> Vec<(&str, Option<values::AttributeType>)> {
    parameters.iter().map(|one| (one.name.as_str(), one.attribute_type)).collect()
}

#[test]
fn parameters_are_those_of_the_key_and_then_of_the_condition() {
    let documents = Documents::embedded().unwrap();
    let tenants = documents.find("tenancy/bbws-tenants")[0];
    let of = |id: &str| tenants.parameters(pattern(tenants, id));
    let change = of("change-status");
    assert_eq!(shown(&change.key), [("tenantId", Some(S))]);
    assert_eq!(shown(&change.condition), [("expected", Some(S)), ("version", Some(N))]);
    // What the document gives is not asked for.
    let change = of("change-assignment");
    assert_eq!(shown(&change.key), [("tenantId", Some(S)), ("userId", Some(S))]);
    assert_eq!(shown(&change.condition), [("seen", Some(S)), ("memberships", Some(N))]);
    assert_eq!(shown(&of("delete-division").condition), []);
    // A part of a text key that is no attribute may be of any type.
    assert_eq!(
        shown(&of("list-events").key),
        [("tenantId", Some(S)), ("from", None), ("to", None)]
    );
    let logs = documents.find("platform/audit_logs")[0];
    let walk = logs.parameters(pattern(logs, "walk-events-of-account"));
    assert_eq!(shown(&walk.key), [("account", Some(S)), ("from", Some(S)), ("to", Some(S))]);
}

/// A condition of the document that other tests break.
fn with_condition(condition: &str) -> Result<Vec<(String, Option<values::AttributeType>)>, String> {
    let system = include_str!("broken/system/system.json");
    let text = include_str!("broken/valid.json")
        .replace("attribute_exists(PK) AND #status = :new", condition);
    let files = [("shop/system.json", system), ("shop/items.json", &text)];
    let files = files.map(|(path, text)| (path.to_owned(), text.to_owned()));
    let documents = Documents::read(files).map_err(|problems| problems[0].to_string())?;
    let table = &documents.tables[0];
    let parameters = table.parameters(pattern(table, "sell"));
    Ok(parameters.condition.into_iter().map(|one| (one.name, one.attribute_type)).collect())
}

#[test]
fn a_value_has_the_type_of_what_it_is_compared_with() {
    for (condition, expected) in [
        ("price BETWEEN :low AND :high", vec![("low", Some(N)), ("high", Some(N))]),
        (":most >= price AND NOT #status = :old", vec![("most", Some(N)), ("old", Some(S))]),
        ("#status IN (:one, :two)", vec![("one", Some(S)), ("two", Some(S))]),
        ("price = :any OR #status = :any", vec![("any", None)]),
        ("begins_with(#status, :part)", vec![("part", None)]),
    ] {
        let expected = expected.into_iter().map(|(name, of)| (name.to_owned(), of)).collect();
        assert_eq!(with_condition(condition), Ok(expected), "{condition}");
    }
    assert!(with_condition("status = :old").is_err(), "a reserved word");
}

#[test]
fn a_write_says_what_it_does_and_what_kind_of_item_it_stores() {
    let documents = Documents::embedded().unwrap();
    let users = documents.find("listbackup/users")[0];
    let action = |id: &str| pattern(users, id).write_action();
    assert_eq!(action("get-user"), None);
    assert_eq!(action("create-user"), Some(Action::Put));
    assert_eq!(action("check-epoch"), Some(Action::ConditionCheck));
    assert_eq!(action("end-sessions"), Some(Action::Update));
    assert_eq!(action("try-code"), Some(Action::Update));
    let kind = |id: &str| users.kind_named(pattern(users, id));
    assert_eq!(kind("create-user"), Some(0));
    assert_eq!(users.item_types[kind("check-epoch").unwrap()].name, "credential");
    assert_eq!(kind("get-user-by-email"), None);
}

#[test]
fn the_fingerprint_follows_what_functions_are_made_of() {
    let documents = Documents::embedded().unwrap();
    let table = documents.find("listbackup/refresh-tokens")[0];
    let before = table.fingerprint();
    let mut same = table.clone();
    same.description = "Another sentence.".to_owned();
    same.access_patterns[0].requirements.clear();
    assert_eq!(same.fingerprint(), before);
    let mut changes: Vec<Table> = vec![table.clone(); 5];
    changes[0].access_patterns.swap(0, 1);
    changes[1].item_types.swap(0, 1);
    changes[2].access_patterns[1].filter.reverse();
    changes[3].access_patterns[3].values.clear();
    let token = changes[4].attributes.iter_mut().find(|one| one.name == "refreshToken");
    token.unwrap().attribute_type = Bool;
    for changed in changes {
        assert_ne!(changed.fingerprint(), before);
    }
}

/// Of every table there is a file, and in it a function for each pattern and kind of item.
#[test]
fn every_pattern_and_kind_has_a_function() {
    let documents = Documents::embedded().unwrap();
    let files = rust::files(&documents);
    for table in &documents.tables {
        let path = format!("{}/{}.rs", table.system, table.table_name.replace('-', "_"));
        let file = files.iter().find(|file| file.path == path).unwrap();
        let functions = file.text.matches("    pub fn ").count();
        let filters: usize = table.access_patterns.iter().map(|access| access.filter.len()).sum();
        let expected = 1 + table.access_patterns.len() + table.item_types.len() + filters;
        assert_eq!(functions, expected, "{path}");
    }
}
