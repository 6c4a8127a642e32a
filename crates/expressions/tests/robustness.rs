//! Expressions come from anyone: no text may panic, exhaust the stack or take long, and the limits
//! on their size hold (rules 8 and 9).

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use expressions::legacy::{AttributeAction, AttributeValueUpdate, attribute_updates};
use expressions::{ExpressionError, Placeholders};
use proptest::prelude::*;
use values::{AttributeValue, Item};

/// Reads a text as every kind of expression and uses what comes of it.
fn read_all(text: &str) -> Result<(), ExpressionError> {
    let names = BTreeMap::from([("#n".to_owned(), "a".to_owned())]);
    let values = BTreeMap::from([(":v".to_owned(), AttributeValue::from(1))]);
    let mut placeholders = Placeholders::new(Some(&names), Some(&values))?;
    let item = Item::from([
        ("a", AttributeValue::L(vec![AttributeValue::from(1)])),
        ("b", AttributeValue::M(Item::from([("a", "x".into())]))),
    ]);
    if let Ok(condition) = placeholders.condition(text) {
        condition.holds(&item)?;
    }
    if let Ok(condition) = placeholders.key_condition(text) {
        let _ = condition.resolve(&[("a", values::AttributeType::S)], &[]);
    }
    if let Ok(projection) = placeholders.projection(text) {
        projection.apply(&item);
    }
    if let Ok(update) = placeholders.update(text) {
        let _ = update.apply(&item);
        update.touched_old(&item);
    }
    Ok(())
}

/// Conditions and updates are evaluated on other threads than the one that read them.
#[test]
fn what_was_read_can_be_sent_and_shared() {
    fn shareable<T: Send + Sync + 'static>() {}
    shareable::<expressions::Condition>();
    shareable::<expressions::KeyCondition>();
    shareable::<expressions::Projection>();
    shareable::<expressions::Update>();
    shareable::<ExpressionError>();
}

/// Pieces of expressions, so that random sequences of them often are some.
fn pieces() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "a",
        "b",
        "#n",
        ":v",
        "(",
        ")",
        "[",
        "]",
        "0",
        "1",
        ".",
        ",",
        "=",
        "<>",
        "<",
        "+",
        "-",
        "AND",
        "OR",
        "NOT",
        "IN",
        "BETWEEN",
        "SET",
        "REMOVE",
        "ADD",
        "DELETE",
        "size",
        "contains",
        "attribute_exists",
        "if_not_exists",
        "list_append",
        "begins_with",
        "é",
        " ",
    ]);
    prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.join(" "))
}

proptest! {
    #[test]
    fn any_text_is_read_or_refused(text in any::<String>()) {
        prop_assert_eq!(read_all(&text), Ok(()));
    }

    #[test]
    fn any_sequence_of_tokens_is_read_or_refused(text in pieces()) {
        prop_assert_eq!(read_all(&text), Ok(()));
    }

    #[test]
    fn a_refusal_says_something(text in pieces()) {
        let mut placeholders = Placeholders::new(None, None).unwrap();
        for result in [
            placeholders.condition(&text).map(|_| ()),
            placeholders.update(&text).map(|_| ()),
        ] {
            if let Err(error) = result {
                prop_assert!(!error.to_string().is_empty());
            }
        }
    }
}

fn condition(text: &str) -> Result<(), ExpressionError> {
    Placeholders::new(None, None)?.condition(text).map(|_| ())
}

fn refusal(text: &str) -> String {
    condition(text).err().map_or_else(|| "accepted".to_owned(), |error| error.to_string())
}

/// As many copies of a text as fit into an expression.
fn filled(head: &str, part: &str, tail: &str) -> String {
    let count = (4096 - head.len() - tail.len()) / part.len();
    format!("{head}{}{tail}", part.repeat(count))
}

#[test]
fn an_expression_has_at_most_4096_bytes() {
    let name = "a".repeat(4096 - " = b".len());
    assert_eq!(condition(&format!("{name} = b")), Ok(()));
    let too_long = "Expression size has exceeded the maximum allowed size;";
    let text = format!("{name}a = b");
    assert_eq!(refusal(&text), format!("Invalid ConditionExpression: {too_long}"));
    let mut placeholders = Placeholders::new(None, None).unwrap();
    let error = placeholders.update(&"x".repeat(4097)).unwrap_err();
    assert_eq!(error.to_string(), format!("Invalid UpdateExpression: {too_long}"));
    let error = placeholders.projection(&"é".repeat(2049)).unwrap_err();
    assert_eq!(error.to_string(), format!("Invalid ProjectionExpression: {too_long}"));
}

#[test]
fn an_expression_has_at_most_300_operators() {
    // 150 comparisons and 149 times OR, as deep as they go.
    let nested = |depth: usize| format!("a<b {}{}", "or (a<b ".repeat(depth), ")".repeat(depth));
    assert_eq!(condition(&nested(149)), Ok(()));
    let too_many = "The expression contains too many operators; operator count: 301";
    assert_eq!(refusal(&nested(150)), format!("Invalid ConditionExpression: {too_many}"));
    assert_eq!(refusal(&nested(454)), format!("Invalid ConditionExpression: {too_many}"));
    assert_eq!(condition(&format!("{}a<b", "not ".repeat(299))), Ok(()));
    assert_eq!(
        refusal(&format!("{}a<b", "not ".repeat(300))),
        format!("Invalid ConditionExpression: {too_many}")
    );
    let sums: Vec<String> = (0..301).map(|index| format!("a{index}=b+c")).collect();
    let mut placeholders = Placeholders::new(None, None).unwrap();
    let error = placeholders.update(&format!("SET {}", sums.join(","))).unwrap_err();
    assert_eq!(error.to_string(), format!("Invalid UpdateExpression: {too_many}"));
    assert!(placeholders.update(&format!("SET {}", sums[1..].join(","))).is_ok());
}

#[test]
fn in_has_at_most_100_operands() {
    let list = |count: usize| vec!["b"; count].join(",");
    assert_eq!(condition(&format!("a IN ({})", list(100))), Ok(()));
    assert_eq!(
        refusal(&format!("a IN ({})", list(101))),
        "Invalid ConditionExpression: The IN operator is provided with too many operands; number \
         of operands: 101"
    );
}

#[test]
fn a_placeholder_has_at_most_255_bytes() {
    let key = format!("#{}", "n".repeat(254));
    let names = BTreeMap::from([(key.clone(), "a".to_owned())]);
    let mut placeholders = Placeholders::new(Some(&names), None).unwrap();
    assert!(placeholders.projection(&key).is_ok());
    let names = BTreeMap::from([(format!("{key}n"), "a".to_owned())]);
    assert_eq!(
        Placeholders::new(Some(&names), None).unwrap_err().to_string(),
        "ExpressionAttributeNames contains invalid key: The expression attribute map contains a \
         key that is too long; size of key: 256"
    );
}

#[test]
fn a_value_nests_at_most_32_levels() {
    let nested = |levels: usize| {
        (1..levels).fold(AttributeValue::from(1), |value, _| AttributeValue::L(vec![value]))
    };
    let values = BTreeMap::from([(":v".to_owned(), nested(32))]);
    assert!(Placeholders::new(None, Some(&values)).is_ok());
    let values = BTreeMap::from([(":v".to_owned(), nested(33))]);
    let error = Placeholders::new(None, Some(&values)).unwrap_err();
    assert!(error.in_envelope_of_writes());
    assert_eq!(
        error.to_string(),
        "Nesting Levels have exceeded supported limits: Attributes in the item have nested levels \
         beyond supported limit"
    );
}

#[test]
fn no_depth_exhausts_the_stack() {
    let redundant = "Invalid ConditionExpression: The expression has redundant parentheses;";
    let depth = 2046;
    let text = format!("{}a<b{}", "(".repeat(depth), ")".repeat(depth));
    assert_eq!(refusal(&text), redundant);
    let text = format!("{}a{}<b", "(".repeat(depth), ")".repeat(depth));
    assert_eq!(refusal(&text), redundant);
    let text = format!("a<{}b{}", "(".repeat(depth), ")".repeat(depth));
    assert_eq!(refusal(&text), redundant);
    let depth = 1355;
    let text = format!("a < {}b{}", "f(".repeat(depth), ")".repeat(depth));
    assert_eq!(refusal(&text), "Invalid ConditionExpression: Invalid function name; function: f");
    let depth = 680;
    let text = format!("a < {}b{}", "size(".repeat(depth), ")".repeat(depth));
    assert_eq!(
        refusal(&text),
        "Invalid ConditionExpression: Incorrect operand type for operator or function; operator or \
         function: size, operand type: N"
    );
    let depth = 240;
    let call = "if_not_exists(a,";
    let text = format!("SET a={}b{}", call.repeat(depth), ")".repeat(depth));
    let mut placeholders = Placeholders::new(None, None).unwrap();
    let update = placeholders.update(&text).unwrap();
    assert!(update.apply(&Item::new()).is_err());
}

/// An expression takes about a millisecond to read in an unoptimised build, whatever it holds. The
/// bound allows for a busy machine (the fastest of several readings counts), but not for a time that
/// grows with the square of the length.
#[test]
fn no_text_takes_long_to_read() {
    let paths: Vec<String> = (0..800).map(|index| format!("a{index}")).collect();
    let texts = [
        filled("", "(", ""),
        filled("", "not ", ""),
        filled("a < ", "f(", ""),
        filled("a < ", "size(", ""),
        filled("a", ".b", " = c"),
        filled("a", "[1]", " = c"),
        filled("a = b", " or a = b", ""),
        filled("a IN (b", ",b", ")"),
        filled("SET a = b", ", c = b", ""),
        filled("REMOVE a", ", a[7]", ""),
        filled("", "!", ""),
        filled("", "é", ""),
        paths.join(","),
        format!("REMOVE {}", paths.join(",")),
    ];
    for text in texts {
        let time = |_| {
            let start = Instant::now();
            assert_eq!(read_all(&text), Ok(()));
            start.elapsed()
        };
        let fastest = (0..10).map(time).min().unwrap_or(Duration::MAX);
        assert!(fastest < Duration::from_millis(100), "{fastest:?} for {text}");
    }
}

/// AttributeUpdates may name as many attributes as a request has room for: each that comes or goes by
/// itself would move all that follow it.
#[test]
fn an_update_of_many_attributes_does_not_take_long() {
    const COUNT: usize = 50_000;
    let name = |letter: char, number: usize| format!("{letter}{number:05}");
    let stored = |letter| (0..COUNT).map(move |number| (name(letter, number), "x".into()));
    let item: Item = stored('b').chain(stored('c')).collect();
    let value = || Some(AttributeValue::from("y"));
    let put = |number| (name('a', number), AttributeValueUpdate { value: value(), action: None });
    let replace =
        |number| (name('c', number), AttributeValueUpdate { value: value(), action: None });
    let removal = AttributeValueUpdate { value: None, action: Some(AttributeAction::Delete) };
    let remove = |number| (name('b', number), removal.clone());
    let updates: BTreeMap<_, _> = (0..COUNT)
        .map(put)
        .chain((0..COUNT).step_by(2).map(remove))
        .chain((0..COUNT).step_by(3).map(replace))
        .collect();
    let update = attribute_updates(&updates).unwrap();

    let time = |_| {
        let start = Instant::now();
        let new = update.apply(&item).unwrap();
        (start.elapsed(), new)
    };
    let (fastest, new) = (0..3).map(time).min_by_key(|(time, _)| *time).unwrap();
    assert!(fastest < Duration::from_secs(2), "{fastest:?}");

    let mut expected: BTreeMap<String, AttributeValue> = stored('b').chain(stored('c')).collect();
    for (name, update) in updates {
        match update.value {
            Some(value) => drop(expected.insert(name, value)),
            None => drop(expected.remove(&name)),
        }
    }
    assert_eq!(new, expected.into_iter().collect());
}
