//! Items against their documents.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on panics")]

use tables::{Documents, Table};
use values::Item;
use values::json::item_from_json;

use serde_json::{Value, json};

fn table(name: &str) -> Table {
    let documents = Documents::embedded().unwrap();
    documents.find(name)[0].clone()
}

fn item(json: Value) -> Item {
    item_from_json(&json.into()).unwrap()
}

#[track_caller]
fn check(table: &Table, json: Value, expected: &[&str]) {
    let problems = table.validate(&item(json)).err().unwrap_or_default();
    let problems: Vec<_> = problems.iter().map(ToString::to_string).collect();
    assert_eq!(problems, expected);
}

const ID: &str = "prod_550e8400-e29b-41d4-a716-446655440000";

fn product() -> Value {
    json!({
        "PK": { "S": format!("PRODUCT#{ID}") }, "SK": { "S": "METADATA" }, "id": { "S": ID },
        "name": { "S": "Plan" }, "description": { "S": "A plan" }, "price": { "N": "299.99" },
        "features": { "L": [{ "S": "One" }] }, "billingCycle": { "S": "monthly" },
        "active": { "S": "true" }, "dateCreated": { "S": "2025-12-25T10:30:00.000Z" },
        "dateLastUpdated": { "S": "2025-12-25T10:30:00.000Z" },
        "lastUpdatedBy": { "S": "admin@example.com" },
    })
}

fn changed(mut json: Value, change: impl FnOnce(&mut Value)) -> Value {
    change(&mut json);
    json
}

#[test]
fn an_item_as_described_is_accepted() {
    check(&table("products"), product(), &[]);
}

/// C0-01: `active` is a text because it is an index key; a boolean would never be indexed.
#[test]
fn wrong_types_values_and_formats_are_all_reported() {
    let json = changed(product(), |json| {
        json["active"] = json!({ "BOOL": true });
        json["billingCycle"] = json!({ "S": "weekly" });
        json["price"] = json!({ "N": "0.001" });
        json["dateCreated"] = json!({ "S": "2025-12-25T10:30:00Z" });
        json["features"] = json!({ "L": [{ "N": "1" }] });
        json.as_object_mut().unwrap().remove("name");
    });
    let expected = [
        "active: it has type BOOL, and should have type S",
        "billingCycle: it should be one of \"monthly\", \"yearly\"",
        "dateCreated: it should be a time in UTC with milliseconds, such as 2026-01-05T14:30:00.000Z",
        "features[0]: it has type N, and should have type S",
        "name: it is missing. Name of the product.",
        "price: it should be a number with at most two decimal places",
        "price: it is 0.001, and should be at least 0.01",
    ];
    check(&table("products"), json, &expected);
}

#[test]
fn a_key_is_what_its_pattern_gives() {
    let json = changed(product(), |json| json["PK"] = json!({ "S": "PRODUCT#other" }));
    check(
        &table("products"),
        json,
        &[&format!("PK: it should be PRODUCT#{ID}, as PRODUCT#{{id}} says")],
    );
}

#[test]
fn a_key_of_no_kind_is_refused() {
    let json = changed(product(), |json| json["SK"] = json!({ "S": "OTHER" }));
    let expected = [
        "PK: no kind of item has such a key; it is one of PRODUCT#{id}",
        "SK: no kind of item has such a key; it is one of METADATA",
    ];
    check(&table("products"), json, &expected);
}

/// R000-4.2.1-20: the storefront's tables take further attributes; others do not.
#[test]
fn further_attributes_are_accepted_where_the_document_says_so() {
    let json = changed(product(), |json| json["colour"] = json!({ "S": "red" }));
    check(&table("products"), json, &[]);
    let share = json!({
        "profileId": { "S": "p" }, "targetAccountId": { "S": "a" }, "permissions": { "SS": ["READ"] },
        "createdAt": { "S": "2025-12-25T10:30:00.000Z" },
        "updatedAt": { "S": "2025-12-25T10:30:00.000Z" }, "colour": { "S": "red" },
    });
    check(&table("shares"), share, &["colour: items of the kind share have no such attribute"]);
}

/// Kinds are told apart by their keys, the most specific first.
#[test]
fn the_kind_of_an_item_follows_from_its_key() {
    let table = table("bbws-tenants");
    for (sort, kind) in [
        ("METADATA", "tenant"),
        ("USER#u", "assignment"),
        ("HIERARCHY#d", "division"),
        ("HIERARCHY#d#g", "group"),
        ("HIERARCHY#d#g#t", "team"),
        ("EVENT#2026-01-05T14:30:00.000Z#evt-1", "auditEvent"),
    ] {
        let json = json!({ "PK": { "S": "TENANT#x" }, "SK": { "S": sort } });
        assert_eq!(table.kind_of(&item(json)).map(|kind| &*kind.name), Some(kind), "{sort}");
    }
    let json = json!({ "PK": { "S": "ORG#acme" }, "SK": { "S": "UNIQUE" } });
    assert_eq!(table.kind_of(&item(json)).map(|kind| &*kind.name), Some("organizationMarker"));
}

/// Also in a table of one kind of item: a key that is another's, and a key with nothing in it.
#[test]
fn keys_are_what_their_patterns_give() {
    let table = table("products");
    let other = changed(product(), |json| json["PK"] = json!({ "S": "PRODUCT#prod_1" }));
    check(&table, other, &[&format!("PK: it should be PRODUCT#{ID}, as PRODUCT#{{id}} says")]);
    let empty = changed(product(), |json| {
        json["PK"] = json!({ "S": "PRODUCT#" });
        json["id"] = json!({ "S": "" });
    });
    let unknown = [
        "PK: no kind of item has such a key; it is one of PRODUCT#{id}",
        "SK: no kind of item has such a key; it is one of METADATA",
    ];
    check(&table, empty, &unknown);
}

/// An index key whose parts are all there must be there, too, or the item is never found.
#[test]
fn an_index_key_must_not_be_forgotten() {
    let campaign = json!({
        "profileId": { "S": "p" }, "campaignId": { "S": "c" }, "campaignName": { "S": "Fall" },
        "campaignYear": { "N": "2025" }, "catalogId": { "S": "k" }, "unitType": { "S": "Troop" },
        "unitNumber": { "N": "123" }, "city": { "S": "Denver" }, "state": { "S": "CO" },
        "isActive": { "BOOL": true }, "totalOrders": { "N": "0" }, "totalRevenue": { "N": "0" },
        "createdAt": { "S": "2025-12-25T10:30:00.000Z" },
        "updatedAt": { "S": "2025-12-25T10:30:00.000Z" },
    });
    let table = table("popcorn/campaigns");
    let missing = "unitCampaignKey: it is missing, and should be Troop#123#Denver#CO#2025";
    check(&table, campaign.clone(), &[missing]);
    let whole = changed(campaign, |json| {
        json["unitCampaignKey"] = json!({ "S": "Troop#123#Denver#CO#2025" });
    });
    check(&table, whole, &[]);
}
