//! The targets.

use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::sync::Arc;

use database::clock::ManualClock;
use database::{Database, Options};
use expressions::{Placeholders, partiql};
use hyper::Request;
use hyper::http::request::Parts;
use serde_json::json;
use tokio::runtime::Runtime;
use values::{AttributeType, AttributeValue, Item};
use wire::Operation;
use wire::sigv4::{BodyHash, Credentials, Keys, SigningKeys};

/// Something that reads what strangers send.
pub struct Target {
    /// The name on the command line, and of the folder of its inputs.
    pub name: &'static str,
    /// What it is given.
    pub what: &'static str,
    /// Takes any bytes and comes back.
    pub run: fn(&[u8]),
}

/// Every target.
pub const TARGETS: &[Target] = &[
    Target { name: "wire", what: "the name of an operation, a line break, a body", run: wire },
    Target { name: "condition", what: "a condition or filter expression", run: condition },
    Target { name: "key-condition", what: "a key condition expression", run: key_condition },
    Target { name: "projection", what: "a projection expression", run: projection },
    Target { name: "update", what: "an update expression", run: update },
    Target { name: "partiql", what: "a PartiQL statement", run: statement },
    Target { name: "sigv4", what: "an address, a line break, headers line by line", run: sigv4 },
];

/// The target with this name.
pub fn find(name: &str) -> Option<&'static Target> {
    TARGETS.iter().find(|target| target.name == name)
}

/// A database to send requests to. They may change it: what a request meets depends on those before.
struct World {
    runtime: Runtime,
    database: Database,
}

impl World {
    fn new() -> Option<World> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().ok()?;
        let mut options = Options::in_memory();
        options.clock = Arc::new(ManualClock::new(1_700_000_000_000));
        options.background_work = false;
        let database = Database::open(options).ok()?;
        let table = json!({
            "TableName": "Music",
            "AttributeDefinitions": [
                { "AttributeName": "pk", "AttributeType": "S" },
                { "AttributeName": "sk", "AttributeType": "N" },
            ],
            "KeySchema": [
                { "AttributeName": "pk", "KeyType": "HASH" },
                { "AttributeName": "sk", "KeyType": "RANGE" },
            ],
            "BillingMode": "PAY_PER_REQUEST",
            "StreamSpecification": { "StreamEnabled": true, "StreamViewType": "NEW_AND_OLD_IMAGES" },
        });
        runtime
            .block_on(wire::json::execute(&database, Operation::CreateTable, &table.into()))
            .ok()?;
        Some(World { runtime, database })
    }
}

thread_local! {
    static WORLD: OnceCell<Option<World>> = const { OnceCell::new() };
}

fn wire(data: &[u8]) {
    let Some(end) = data.iter().position(|byte| *byte == b'\n') else { return };
    let (name, body) = (String::from_utf8_lossy(&data[..end]), &data[end + 1..]);
    let operation = Operation::named(&name);
    let (Some(operation), Ok(body)) = (operation, wire::json::parse(body)) else { return };
    WORLD.with(|world| {
        let Some(world) = world.get_or_init(World::new) else { return };
        match world.runtime.block_on(wire::json::execute(&world.database, operation, &body)) {
            // Every answer is JSON.
            Ok(answer) => assert!(!answer.to_value().is_null()),
            Err(error) => {
                assert_ne!(error.kind.name(), "InternalServerError", "{error}");
                error.to_json();
            }
        }
    });
}

fn item() -> Item {
    Item::from([
        ("a", AttributeValue::L(vec![AttributeValue::from(1), "x".into()])),
        ("b", AttributeValue::M(Item::from([("c", "x".into())]))),
        ("n", AttributeValue::from(7)),
    ])
}

/// Reads a text with some names and values at hand.
fn with_placeholders(data: &[u8], read: impl FnOnce(&mut Placeholders<'_>, &str)) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let names =
        BTreeMap::from([("#n".to_owned(), "a".to_owned()), ("#m".to_owned(), "b".to_owned())]);
    let values = BTreeMap::from([
        (":v".to_owned(), AttributeValue::from(1)),
        (":s".to_owned(), AttributeValue::from("x")),
        (":l".to_owned(), AttributeValue::L(vec![AttributeValue::Null])),
    ]);
    if let Ok(mut placeholders) = Placeholders::new(Some(&names), Some(&values)) {
        read(&mut placeholders, text);
    }
}

fn condition(data: &[u8]) {
    with_placeholders(data, |placeholders, text| {
        if let Ok(condition) = placeholders.condition(text) {
            let _ = condition.holds(&item());
        }
    });
}

fn key_condition(data: &[u8]) {
    with_placeholders(data, |placeholders, text| {
        if let Ok(condition) = placeholders.key_condition(text) {
            let sort = [("n", AttributeType::N)];
            let _ = condition.resolve(&[("a", AttributeType::S)], &sort);
        }
    });
}

fn projection(data: &[u8]) {
    with_placeholders(data, |placeholders, text| {
        if let Ok(projection) = placeholders.projection(text) {
            projection.apply(&item());
        }
    });
}

fn update(data: &[u8]) {
    with_placeholders(data, |placeholders, text| {
        if let Ok(update) = placeholders.update(text) {
            let _ = update.apply(&item());
            update.touched_old(&item());
        }
    });
}

fn statement(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let parameters = [AttributeValue::from("x"), AttributeValue::from(1)];
    for count in 0..=parameters.len() {
        if let Err(error) = partiql::parse(text, &parameters[..count]) {
            assert!(!error.to_string().is_empty());
        }
    }
}

struct OneKey;

impl Keys for OneKey {
    fn credentials(&self, access_key_id: &str) -> Option<Arc<Credentials>> {
        let secret = "secret".to_owned().into();
        let credentials = Credentials { secret, session_token: None };
        (access_key_id == "AKIDEXAMPLE").then(|| Arc::new(credentials))
    }
}

fn sigv4(data: &[u8]) {
    let Some(head) = head(data) else { return };
    let outcome = wire::sigv4::verify(
        &head,
        BodyHash::of(b"{}"),
        &OneKey,
        &SigningKeys::default(),
        1_440_938_160,
    );
    // Nobody who does not know the secret gets in.
    assert!(outcome.is_err(), "a signature was guessed");
}

fn head(data: &[u8]) -> Option<Parts> {
    let text = std::str::from_utf8(data).ok()?;
    let mut lines = text.lines();
    let mut builder = Request::builder().method("POST").uri(lines.next()?);
    for line in lines {
        let (name, value) = line.split_once(':')?;
        builder = builder.header(name, value.trim());
    }
    Some(builder.body(()).ok()?.into_parts().0)
}
