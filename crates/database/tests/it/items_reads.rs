//! GetItem, Query, Scan and BatchGetItem.

use std::collections::BTreeMap;

use database::operations::*;
use database::shapes::*;
use serde_json::json;
use values::{Item, Name};

use crate::items_world::*;

/// Forty items in two partitions, half of them with a colour.
fn filled() -> database::Database {
    let database = things();
    for number in 0..20 {
        for pk in ["a", "b"] {
            let mut thing = json!({"pk": {"S": pk}, "sk": {"N": number.to_string()}, "rank": {"N": (100 - number).to_string()}, "note": {"S": format!("n{number}")}});
            if number % 2 == 0 {
                thing["colour"] = json!({"S": "red"});
                thing["keeper"] = json!({"S": "me"});
            }
            put(&database, thing).unwrap();
        }
    }
    database
}

#[test]
fn a_query_gives_the_partition_in_order_of_the_sort_key() {
    let database = filled();
    let cases = [
        ("pk = :p", json!({":p": {"S": "a"}}), 20, "0"),
        ("pk = :p AND sk = :s", json!({":p": {"S": "a"}, ":s": {"N": "7"}}), 1, "7"),
        ("pk = :p AND sk < :s", json!({":p": {"S": "a"}, ":s": {"N": "7"}}), 7, "0"),
        ("pk = :p AND sk <= :s", json!({":p": {"S": "a"}, ":s": {"N": "7"}}), 8, "0"),
        ("pk = :p AND sk > :s", json!({":p": {"S": "a"}, ":s": {"N": "7"}}), 12, "8"),
        ("pk = :p AND sk >= :s", json!({":p": {"S": "a"}, ":s": {"N": "7"}}), 13, "7"),
        (
            "pk = :p AND sk BETWEEN :s AND :t",
            json!({":p": {"S": "a"}, ":s": {"N": "7"}, ":t": {"N": "9"}}),
            3,
            "7",
        ),
        ("pk = :p", json!({":p": {"S": "none"}}), 0, ""),
    ];
    for (condition, values, count, first) in cases {
        let response = wait(database.query(query(None, condition, values))).unwrap();
        let keys = sort_keys(&response.items.unwrap());
        assert_eq!(keys.len(), count, "{condition}");
        assert_eq!(keys.first().map_or("", String::as_str), first, "{condition}");
        assert_eq!(response.count, count as u64);
    }
    let mut backwards = query(None, "pk = :p", json!({":p": {"S": "a"}}));
    backwards.scan_index_forward = Some(false);
    let items = wait(database.query(backwards)).unwrap().items.unwrap();
    assert_eq!(sort_keys(&items)[..3], ["19", "18", "17"]);
}

#[test]
fn nothing_is_asked_of_an_empty_key() {
    let database = filled();
    let text = |key: &str| {
        format!(
            "One or more parameter values are not valid. The AttributeValue for a key attribute \
             cannot contain an empty string value. Key: {key}"
        )
    };
    let cases = [
        (None, "pk = :v", "pk"),
        (Some("by-keeper"), "keeper = :v", "keeper"),
        (Some("by-rank"), "pk = :v", "pk"),
    ];
    for (index, condition, key) in cases {
        let asked = query(index, condition, json!({":v": {"S": ""}}));
        assert_eq!(refusal(wait(database.query(asked))), text(key));
    }
}

/// Rules 27, 28 and 30: pages of every size, both ways, on a table and on every kind of index, give
/// each item once.
#[test]
fn pages_join_without_gap_or_repetition() {
    let database = filled();
    let sources = [
        (None, "pk = :v", json!({":v": {"S": "a"}}), 20),
        (Some("by-colour"), "colour = :v", json!({":v": {"S": "red"}}), 20),
        (Some("by-keeper"), "keeper = :v", json!({":v": {"S": "me"}}), 20),
        (Some("by-rank"), "pk = :v", json!({":v": {"S": "b"}}), 20),
    ];
    for (index, condition, values, total) in sources {
        for limit in [1, 3, 20, 21] {
            for forward in [true, false] {
                let mut seen: Vec<Item> = Vec::new();
                let mut start = None;
                let mut pages = 0;
                loop {
                    let mut request = query(index, condition, values.clone());
                    request.limit = Some(limit);
                    request.scan_index_forward = Some(forward);
                    request.exclusive_start_key = start.take();
                    let page = wait(database.query(request)).unwrap();
                    pages += 1;
                    assert!(pages < 50, "paging does not end");
                    // Rule 28: a page that the limit ended has a key even if nothing follows.
                    assert_eq!(
                        page.last_evaluated_key.is_some(),
                        page.scanned_count == limit as u64
                    );
                    seen.extend(page.items.unwrap());
                    start = page.last_evaluated_key;
                    if start.is_none() {
                        break;
                    }
                }
                let mut keys: Vec<(String, String)> = seen
                    .iter()
                    .map(|item| (format!("{:?}", item["pk"]), format!("{:?}", item["sk"])))
                    .collect();
                assert_eq!(keys.len(), total, "{index:?} {limit} {forward}");
                keys.sort();
                keys.dedup();
                assert_eq!(keys.len(), total, "{index:?} {limit} {forward}");
            }
        }
    }
}

#[test]
fn an_index_shows_what_it_projects() {
    let database = filled();
    let first = |index: &str, condition: &str, values| {
        let response = wait(database.query(query(Some(index), condition, values))).unwrap();
        response.items.unwrap().remove(0)
    };
    let names = |item: Item| item.keys().map(Name::as_str).collect::<Vec<_>>().join(",");
    let red = json!({":v": {"S": "red"}});
    assert_eq!(names(first("by-colour", "colour = :v", red)), "colour,keeper,note,pk,rank,sk");
    let mine = json!({":v": {"S": "me"}});
    assert_eq!(names(first("by-keeper", "keeper = :v", mine.clone())), "keeper,note,pk,sk");
    let of_a = json!({":v": {"S": "a"}});
    assert_eq!(names(first("by-rank", "pk = :v", of_a.clone())), "pk,rank,sk");
    // Rule 32: a local index reads the table for what it does not hold, and that costs.
    let mut all = query(Some("by-rank"), "pk = :v", of_a);
    all.select = Some(Select::AllAttributes);
    let response = wait(database.query(all)).unwrap();
    assert_eq!(names(response.items.unwrap().remove(0)), "note,pk,rank,sk");
    let capacity = response.consumed_capacity.unwrap();
    assert_eq!(capacity.table.unwrap().capacity_units, 0.5);
    assert_eq!(capacity.local_secondary_indexes["by-rank"].capacity_units, 0.5);
    let mut refused = query(Some("by-keeper"), "keeper = :v", mine);
    refused.select = Some(Select::AllAttributes);
    assert_eq!(
        refusal(wait(database.query(refused))),
        "One or more parameter values were invalid: Select type ALL_ATTRIBUTES is not supported for global secondary index by-keeper because its projection type is not ALL"
    );
}

/// Rules 27 and 32: the limit counts before the filter, Count after it.
#[test]
fn a_filter_works_on_what_the_limit_let_through() {
    let database = filled();
    let mut request = query(None, "pk = :p", json!({":p": {"S": "a"}, ":n": {"S": "n3"}}));
    request.filter_expression = Some("note = :n".to_owned());
    request.limit = Some(3);
    let page = wait(database.query(request.clone())).unwrap();
    assert_eq!((page.count, page.scanned_count), (0, 3));
    assert!(page.last_evaluated_key.is_some());
    request.limit = None;
    request.select = Some(Select::Count);
    let page = wait(database.query(request)).unwrap();
    assert_eq!((page.count, page.scanned_count, page.items), (1, 20, None));
}

/// Rule 29.
#[test]
fn a_page_holds_a_megabyte_at_most() {
    let database = things();
    for number in 0..7 {
        put(&database, json!({"pk": {"S": "a"}, "sk": {"N": number.to_string()}, "d": {"S": "x".repeat(300_000)}}))
            .unwrap();
    }
    let request = query(None, "pk = :p", json!({":p": {"S": "a"}}));
    let page = wait(database.query(request)).unwrap();
    assert_eq!(page.count, 3);
    assert_eq!(page.last_evaluated_key, Some(key("a", 2)));
}

/// Rule 29: what a local index reads from the table counts as well.
#[test]
fn a_page_of_a_local_index_holds_a_megabyte_of_what_the_table_gives() {
    let database = things();
    for number in 0..9 {
        let number = number.to_string();
        put(&database, json!({"pk": {"S": "a"}, "sk": {"N": number}, "rank": {"N": number}, "d": {"S": "x".repeat(300_000)}}))
            .unwrap();
    }
    let mut request = query(Some("by-rank"), "pk = :p", json!({":p": {"S": "a"}}));
    request.select = Some(Select::AllAttributes);
    let mut keys = Vec::new();
    loop {
        let page = wait(database.query(request.clone())).unwrap();
        let items = page.items.unwrap();
        assert!((1..=3).contains(&items.len()), "{}", items.len());
        keys.extend(sort_keys(&items));
        let Some(last) = page.last_evaluated_key else { break };
        request.exclusive_start_key = Some(last);
    }
    assert_eq!(keys, ["0", "1", "2", "3", "4", "5", "6", "7", "8"]);
}

/// Of an attribute that an index does not hold, a filter knows nothing.
#[test]
fn a_filter_of_an_index_asks_for_what_it_projects() {
    let database = filled();
    let refused = [
        ("by-rank", "pk = :v", json!({"S": "a"}), "note <> colour", "note, colour"),
        ("by-keeper", "keeper = :v", json!({"S": "me"}), "attribute_exists(colour)", "colour"),
    ];
    for (index, condition, value, filter, missing) in refused {
        let mut request = query(Some(index), condition, json!({":v": value}));
        request.filter_expression = Some(filter.to_owned());
        assert_eq!(
            refusal(wait(database.query(request))),
            format!(
                "One or more parameter values were invalid: Secondary index {index} does not project one or more filter attributes: [{missing}]"
            )
        );
        // A scan of the index asks all the same, and finds nothing.
        let scan = ScanRequest {
            table_name: "things".to_owned(),
            index_name: Some(index.to_owned()),
            filter_expression: Some(filter.to_owned()),
            ..ScanRequest::default()
        };
        assert!(wait(database.scan(scan)).is_ok(), "{index}");
    }
    // The whole item is read from the table, and the filter sees all of it.
    let mut whole = query(Some("by-rank"), "pk = :v", json!({":v": {"S": "a"}}));
    whole.filter_expression = Some("attribute_exists(colour)".to_owned());
    whole.select = Some(Select::AllAttributes);
    assert_eq!(wait(database.query(whole)).unwrap().count, 10);
    let mut fine = query(Some("by-keeper"), "keeper = :v", json!({":v": {"S": "me"}}));
    fine.filter_expression = Some("attribute_exists(note)".to_owned());
    assert_eq!(wait(database.query(fine)).unwrap().count, 20);
}

#[test]
fn nothing_is_inside_a_key() {
    const KEY: &str = "Key attributes must be scalars; list random access '[]' and map lookup '.' are not allowed: ";
    let database = filled();
    let table_name = || "things".to_owned();
    let get = |projection: &str| GetItemRequest {
        table_name: table_name(),
        key: key("a", 1),
        projection_expression: Some(projection.to_owned()),
        ..GetItemRequest::default()
    };
    assert_eq!(refusal(wait(database.get_item(get("pk.x, note")))), format!("{KEY}Key: pk"));
    assert_eq!(refusal(wait(database.get_item(get("colour[0], sk.y")))), format!("{KEY}Key: sk"));
    assert_eq!(
        refusal(wait(database.get_item(get("keeper[0]")))),
        format!("{KEY}IndexKey: keeper")
    );
    assert!(wait(database.get_item(get("note.x, d[0], pk"))).is_ok());

    let mut filtered = query(None, "pk = :p", json!({":p": {"S": "a"}}));
    filtered.filter_expression = Some("attribute_not_exists(colour[0])".to_owned());
    assert_eq!(refusal(wait(database.query(filtered.clone()))), format!("{KEY}IndexKey: colour"));
    let scan = ScanRequest {
        table_name: table_name(),
        filter_expression: Some("attribute_exists(pk.x)".to_owned()),
        ..ScanRequest::default()
    };
    assert_eq!(refusal(wait(database.scan(scan))), format!("{KEY}Key: pk"));

    let put = PutItemRequest {
        table_name: table_name(),
        item: item(json!({"pk": {"S": "a"}, "sk": {"N": "1"}})),
        condition_expression: Some("attribute_not_exists(pk.x)".to_owned()),
        ..PutItemRequest::default()
    };
    assert_eq!(refusal(wait(database.put_item(put))), format!("{KEY}Key: pk"));
    let delete = DeleteItemRequest {
        table_name: table_name(),
        key: key("a", 1),
        condition_expression: Some("attribute_not_exists(keeper.x)".to_owned()),
        ..DeleteItemRequest::default()
    };
    assert_eq!(refusal(wait(database.delete_item(delete))), format!("{KEY}IndexKey: keeper"));
    let into = update("a", 1, "REMOVE colour.x");
    assert_eq!(refusal(wait(database.update_item(into))), format!("{KEY}IndexKey: colour"));
    let gets = KeysAndAttributes {
        keys: vec![key("a", 1)],
        projection_expression: Some("keeper.x".to_owned()),
        ..KeysAndAttributes::default()
    };
    let batch = BatchGetItemRequest {
        request_items: BTreeMap::from([(table_name(), gets)]),
        ..BatchGetItemRequest::default()
    };
    assert_eq!(refusal(wait(database.batch_get_item(batch))), format!("{KEY}IndexKey: keeper"));
}

/// Rule 35: segments are disjoint and together everything.
#[test]
fn segments_of_a_scan_divide_the_table() {
    let database = things();
    for number in 0..200 {
        put(&database, json!({"pk": {"S": format!("p{number}")}, "sk": {"N": "1"}, "colour": {"S": format!("c{number}")}}))
            .unwrap();
    }
    for index in [None, Some("by-colour".to_owned())] {
        let mut seen = BTreeMap::new();
        for segment in 0..7 {
            let mut start = None;
            loop {
                let request = ScanRequest {
                    table_name: "things".to_owned(),
                    index_name: index.clone(),
                    segment: Some(segment),
                    total_segments: Some(7),
                    limit: Some(5),
                    exclusive_start_key: start.take(),
                    ..ScanRequest::default()
                };
                let page = wait(database.scan(request)).unwrap();
                for item in page.items.unwrap() {
                    *seen.entry(format!("{:?}", item["pk"])).or_insert(0) += 1;
                }
                start = page.last_evaluated_key;
                if start.is_none() {
                    break;
                }
            }
        }
        assert_eq!(seen.len(), 200);
        assert!(seen.values().all(|times| *times == 1));
    }
}

#[test]
fn a_start_key_from_another_segment_is_refused() {
    let database = things();
    put(&database, json!({"pk": {"S": "a"}, "sk": {"N": "1"}})).unwrap();
    let scan = |segment| {
        wait(database.scan(ScanRequest {
            table_name: "things".to_owned(),
            segment: Some(segment),
            total_segments: Some(2),
            exclusive_start_key: Some(key("a", 1)),
            ..ScanRequest::default()
        }))
    };
    let refused = [scan(0), scan(1)].into_iter().filter(Result::is_err).count();
    assert_eq!(refused, 1, "the key lies in exactly one of the two segments");
}

#[test]
fn a_batch_get_gives_the_items_there_are_and_charges_for_all() {
    let database = filled();
    let request = BatchGetItemRequest {
        request_items: BTreeMap::from([(
            "things".to_owned(),
            KeysAndAttributes {
                keys: vec![key("a", 1), key("a", 2), key("missing", 1)],
                projection_expression: Some("sk".to_owned()),
                ..KeysAndAttributes::default()
            },
        )]),
        return_consumed_capacity: ReturnConsumedCapacity::Total,
    };
    let response = wait(database.batch_get_item(request)).unwrap();
    assert_eq!(sort_keys(&response.responses["things"]), ["1", "2"]);
    assert!(response.unprocessed_keys.is_empty());
    assert_eq!(response.consumed_capacity.unwrap()[0].capacity_units, 1.5);
}

/// Rule 2: an expression's mistake is reported before the missing table.
#[test]
fn checks_come_in_the_service_s_order() {
    let database = things();
    let mut request = query(None, "pk = :p", json!({":p": {"S": "a"}, ":unused": {"N": "1"}}));
    request.table_name = "missing".to_owned();
    assert_eq!(
        refusal(wait(database.query(request))),
        "Value provided in ExpressionAttributeValues unused in expressions: keys: {:unused}"
    );
    // That there is no key condition comes before what its absence leaves unused.
    let mut request = query(None, "pk = :p", json!({":p": {"S": "a"}}));
    request.table_name = "missing".to_owned();
    request.key_condition_expression = None;
    request.filter_expression = Some("attribute_exists(note)".to_owned());
    assert_eq!(
        refusal(wait(database.query(request))),
        "Either the KeyConditions or KeyConditionExpression parameter must be specified in the request."
    );
    let mut request = query(None, "pk = :p", json!({":p": {"S": "a"}}));
    request.table_name = "missing".to_owned();
    assert_eq!(refusal(wait(database.query(request))), "Requested resource not found");
}
