//! Statements come from anyone: no text may panic, exhaust the stack or take long.

use std::time::{Duration, Instant};

use expressions::partiql::{self, Statement};
use proptest::prelude::*;
use values::limits::STATEMENT_CHARACTERS_MAX;
use values::{AttributeType, AttributeValue, Item};

/// Reads a text as a statement and uses what comes of it.
fn read(text: &str) -> Result<(), expressions::ExpressionError> {
    let parameters = vec![AttributeValue::from("p"); 5000];
    let item = Item::from([("a", AttributeValue::L(vec![AttributeValue::from(1)]))]);
    let (hash, sort) = (("pk", AttributeType::S), ("sk", AttributeType::S));
    match partiql::parse(text, &parameters)? {
        Statement::Select(select) | Statement::Exists(select) => {
            select.filter.condition().map(|condition| condition.holds(&item)).transpose()?;
            select.filter.exact_key(&[hash, sort]);
            select.filter.reads(hash, Some(sort))?;
        }
        Statement::Update { update, filter, .. } => {
            filter.item_key(&[hash, sort])?;
            update.apply(&item)?;
        }
        Statement::Delete { filter, .. } => drop(filter.item_key(&[hash, sort])?),
        Statement::Insert { .. } => {}
    }
    Ok(())
}

fn filled(head: &str, part: &str, tail: &str) -> String {
    let room = STATEMENT_CHARACTERS_MAX - head.len() - tail.len();
    format!("{head}{}{tail}", part.repeat(room / part.len()))
}

/// A parser that recurses, expands or searches without bounds fails on one of these.
#[test]
fn statements_as_long_as_they_may_be_are_judged_quickly() {
    let where_clause = "SELECT * FROM \"T\" WHERE ";
    let texts = [
        filled(where_clause, "(", "a = 1"),
        filled(where_clause, "NOT ", "a = 1"),
        filled(where_clause, "a = 1 OR ", "a = 1"),
        filled(where_clause, "a = 1 AND ", "a = 1"),
        filled(where_clause, "(pk='a' OR pk='b') AND ", "a = 1"),
        filled(where_clause, "(pk=? OR sk=?) AND ", "a = 1"),
        filled(where_clause, "a = ", "1"),
        filled(where_clause, "1 + ", "1 = 1"),
        filled(where_clause, "- ", "1 = 1"),
        filled(where_clause, "size(", "a"),
        filled(where_clause, "EXISTS(SELECT * FROM \"T\" WHERE ", "a = 1"),
        filled(&format!("{where_clause}pk IN ["), "?,", "?]"),
        filled(&format!("{where_clause}pk = 'a' AND a"), ".b", " = 1"),
        filled("INSERT INTO \"T\" VALUE {'a': ", "[", ""),
        filled("INSERT INTO \"T\" VALUE {'a': ", "{'a':", ""),
        filled("INSERT INTO \"T\" VALUE {'a': ", "<<", ""),
        filled("UPDATE \"T\" SET a = 1", ", a = 1", ""),
        filled("UPDATE \"T\" SET a = ", "list_append(", "a"),
        filled("", "'", ""),
        filled("", "/*", ""),
        filled("", "\n", "SELECT"),
    ];
    for text in texts {
        let start = Instant::now();
        let _ = read(&text);
        let shown: String = text.chars().take(60).collect();
        assert!(start.elapsed() < Duration::from_secs(1), "{shown} took {:?}", start.elapsed());
    }
}

/// Alternatives multiply: six pairs are read as ranges, sixty are read as everything, and both in
/// no time.
#[test]
fn alternatives_that_multiply_are_given_up_in_time() {
    let pairs = |count: usize| vec!["(pk = 'a' OR pk = 'b')"; count].join(" AND ");
    for count in [6, 60] {
        let start = Instant::now();
        let text = format!("SELECT * FROM \"T\" WHERE {}", pairs(count));
        read(&text).unwrap();
        assert!(start.elapsed() < Duration::from_secs(1), "{count}: {:?}", start.elapsed());
    }
}

proptest! {
    #[test]
    fn random_pieces_never_panic(pieces in prop::collection::vec(prop::sample::select(vec![
        "SELECT", "*", "FROM", "\"T\"", ".", "WHERE", "a", "=", "'x'", "1", "AND", "OR", "NOT", "(",
        ")", "[", "]", "{", "}", "<<", ">>", ",", ":", "?", "IS", "MISSING", "NULL", "IN", "BETWEEN",
        "UPDATE", "SET", "REMOVE", "DELETE", "INSERT", "INTO", "VALUE", "RETURNING", "ALL", "OLD",
        "ORDER", "BY", "size(", "-", "+", ";", "`1`", "é", "--", "/*", "\"", "'", ".5", "EXISTS",
    ]), 0..24)) {
        let _ = read(&pieces.join(" "));
        let _ = read(&format!("SELECT * FROM \"T\" WHERE {}", pieces.join(" ")));
    }
}
