//! Random attribute values, as DynamoDB JSON. Small pools, so that values meet again; the edges of
//! what is allowed among them.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value, json};

use crate::random::Random;

/// The ten types.
pub const TYPES: [&str; 10] = ["S", "N", "B", "BOOL", "NULL", "M", "L", "SS", "NS", "BS"];

const TEXTS: [&str; 10] =
    ["", "a", "ab", "abc", "b", "zebra", "z\u{e9}", "\u{1f600}", "A b", "0123456789"];
const NUMBERS: [&str; 18] = [
    "0",
    "1",
    "2",
    "3",
    "-1",
    "10",
    "42",
    "3.14",
    "-0.5",
    "1.0",
    "00042",
    "1E2",
    "12345678901234567890123456789012345678",
    "-99999999999999999999999999999999999999",
    "9.9999999999999999999999999999999999999E125",
    "1E-130",
    "0.00000000000000000000000000000000000001",
    "-1E125",
];
const BINARIES: [&[u8]; 7] = [b"", b"\0", b"a", b"ab", b"\xff", b"\xff\x00", b"binary value"];
/// Numbers that differ as numbers, for sets.
const DISTINCT: [&str; 8] = ["0", "1", "2", "3", "-1", "10", "42", "3.14"];

/// The type of a value: the name of its one member.
pub fn type_of(value: &Value) -> &'static str {
    let name = value.as_object().and_then(|members| members.keys().next());
    TYPES.iter().find(|kind| name.is_some_and(|name| name == *kind)).copied().unwrap_or("?")
}

/// A value of any type.
pub fn any(random: &mut Random) -> Value {
    let kind = random.weighted(&[
        (20, "S"),
        (20, "N"),
        (8, "B"),
        (6, "BOOL"),
        (5, "NULL"),
        (10, "M"),
        (10, "L"),
        (7, "SS"),
        (7, "NS"),
        (7, "BS"),
    ]);
    of_type(random, kind)
}

/// A value of this type.
pub fn of_type(random: &mut Random, kind: &str) -> Value {
    nested(random, kind, 3)
}

fn nested(random: &mut Random, kind: &str, levels: usize) -> Value {
    match kind {
        "S" => text(random),
        "N" => json!({ "N": random.pick(&NUMBERS) }),
        "B" => json!({ "B": STANDARD.encode(random.pick(&BINARIES)) }),
        "BOOL" => json!({ "BOOL": random.percent(50) }),
        "NULL" => json!({ "NULL": true }),
        "SS" => json!({ "SS": members(random, &TEXTS[1..]) }),
        "NS" => json!({ "NS": members(random, &DISTINCT) }),
        "BS" => {
            let encoded: Vec<String> =
                BINARIES[1..].iter().map(|bytes| STANDARD.encode(bytes)).collect();
            json!({ "BS": members(random, &encoded) })
        }
        "M" => {
            let mut map = Map::new();
            for name in random.some(&["x", "y", "z", "name"], 3) {
                map.insert(name.to_owned(), inner(random, levels));
            }
            json!({ "M": map })
        }
        _ => {
            let length = random.below(5);
            json!({ "L": (0..length).map(|_| inner(random, levels)).collect::<Vec<_>>() })
        }
    }
}

fn members<T: Clone + Into<Value>>(random: &mut Random, among: &[T]) -> Vec<T> {
    let most = random.between(1, 4);
    random.some(among, most)
}

fn inner(random: &mut Random, levels: usize) -> Value {
    let kinds = if levels == 0 { &TYPES[..5] } else { &TYPES[..] };
    let kind = *random.pick(kinds);
    nested(random, kind, levels.saturating_sub(1))
}

fn text(random: &mut Random) -> Value {
    if random.percent(3) {
        let length = random.between(500, 3000);
        return json!({ "S": "x".repeat(length) });
    }
    json!({ "S": random.pick(&TEXTS) })
}

/// A string of about so many bytes, for pages that end by size.
pub fn bulk(length: usize) -> Value {
    json!({ "S": "b".repeat(length) })
}

/// A value that can be a key of this type: not empty, and small.
pub fn key(random: &mut Random, kind: &str) -> Value {
    match kind {
        "S" => json!({ "S": random.pick(&TEXTS[1..]) }),
        "N" => json!({ "N": random.pick(&NUMBERS) }),
        _ => json!({ "B": STANDARD.encode(random.pick(&BINARIES[1..])) }),
    }
}

/// Key values of this type, all different: also as numbers.
pub fn key_pool(random: &mut Random, kind: &str, most: usize) -> Vec<Value> {
    match kind {
        "S" => random.some(&TEXTS[1..], most).iter().map(|text| json!({ "S": text })).collect(),
        "N" => {
            let mut distinct: Vec<&str> = NUMBERS.to_vec();
            // "1.0" is 1, "00042" is 42: the pool holds one spelling of each.
            distinct.retain(|number| !["1.0", "00042"].contains(number));
            random.some(&distinct, most).iter().map(|number| json!({ "N": number })).collect()
        }
        _ => {
            let pool = random.some(&BINARIES[1..], most);
            pool.iter().map(|bytes| json!({ "B": STANDARD.encode(bytes) })).collect()
        }
    }
}

/// Lists inside lists, so many levels deep.
pub fn deep(levels: usize) -> Value {
    (0..levels).fold(json!({ "S": "deep" }), |inner, _| json!({ "L": [inner] }))
}
