//! The OpenAPI document and the page that shows it; routes and tables agree.

use std::sync::Arc;

use kernel::permissions::Permission as _;
use kernel::{Error, Ids};
use platform::permissions::{AUTH, Anonymous, KeysRead, KeysWrite, OPS};
use serde_json::{Value, json};
use store::SystemRandomness;
use web::{Allowed, Answer, Api, Route, Shell, uncovered};

use super::sample::{Still, ask, shell};

/// R002-6.6b-1: every route is described, with its permission and its errors.
#[test]
fn the_document_describes_every_route_from_its_types() {
    let shell = shell();
    let document = shell.openapi();
    assert_eq!(document["openapi"], "3.1.0");
    for route in shell.routes().filter(|route| &*route.mount == "/sample/v1.0") {
        let method = route.method.as_str().to_ascii_lowercase();
        let operation = &document["paths"][&route.path][&method];
        assert_eq!(operation["operationId"], route.operation);
        assert_eq!(operation["x-permission"], route.rule.name);
        assert!(operation["responses"].get("500").is_some(), "{operation}");
    }
    let create = &document["paths"]["/sample/v1.0/things"]["post"];
    let body = &create["requestBody"]["content"]["application/json"]["schema"];
    assert_eq!(body["$ref"], "#/components/schemas/NewThing");
    let body = &document["components"]["schemas"]["NewThing"];
    assert_eq!(document["components"]["schemas"]["Tag"]["additionalProperties"], false);
    assert_eq!(body["properties"]["name"]["maxLength"], 20);
    assert_eq!(body["additionalProperties"], false);
    assert_eq!(create["security"], json!([{ "bearer": [] }, { "apiKey": [] }]));
    let statuses: Vec<&String> = create["responses"].as_object().unwrap().keys().collect();
    let expected = [
        "201", "400", "401", "403", "404", "408", "409", "413", "415", "422", "429", "431", "500",
        "503", "504",
    ];
    assert_eq!(statuses, expected);
    let headers = |status: &str| -> Vec<String> {
        create["responses"][status]["headers"].as_object().unwrap().keys().cloned().collect()
    };
    for (status, name, has) in [
        ("201", "Location", true),
        ("201", "ETag", true),
        ("201", "Retry-After", false),
        ("429", "Retry-After", true),
        ("404", "Location", false),
    ] {
        assert_eq!(headers(status).iter().any(|one| one == name), has, "{status} {name}");
    }
    let list = &document["paths"]["/sample/v1.0/things"]["get"]["responses"];
    let list = &list["200"]["content"];
    let items = &list["application/json"]["schema"]["properties"]["items"]["items"];
    assert_eq!(items["$ref"], "#/components/schemas/Numbered");
    let remove = &document["paths"]["/sample/v1.0/things/{thingId}"]["delete"];
    let names: Vec<(&Value, &Value)> = remove["parameters"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| (&one["name"], &one["required"]))
        .collect();
    assert_eq!(names, [(&json!("thingId"), &json!(true)), (&json!("If-Match"), &json!(true))]);
    assert_eq!(document["paths"]["/sample/v1.0/greeting"]["get"]["security"], json!([]));
}

#[test]
fn every_reference_of_the_document_leads_somewhere() {
    fn walk(value: &Value, document: &Value) {
        if let Some(path) = value.get("$ref").and_then(Value::as_str) {
            let pointer = path.strip_prefix('#').unwrap();
            assert!(document.pointer(pointer).is_some(), "{path} leads nowhere");
        }
        match value {
            Value::Object(members) => members.values().for_each(|one| walk(one, document)),
            Value::Array(items) => items.iter().for_each(|one| walk(one, document)),
            _ => {}
        }
    }
    let shell = shell();
    walk(shell.openapi(), shell.openapi());
}

#[tokio::test]
async fn the_page_and_all_it_needs_come_from_the_binary() {
    let shell = shell();
    let page = ask(&shell, "GET /docs", &[("authorization", "")], "").await;
    let text = String::from_utf8(page.body.clone()).unwrap();
    assert_eq!((page.status, page.header("content-type")), (200, "text/html; charset=utf-8"));
    assert!(!text.contains("http://") && !text.contains("https://"), "nothing from elsewhere");
    assert!(!text.contains("<style") && !text.contains("style="), "the policy allows none inline");
    let policy = page.header("content-security-policy");
    assert!(policy.contains("script-src 'self'") && !policy.contains("unsafe"), "{policy}");
    for part in text.split('"').filter(|part| part.starts_with("/docs/")) {
        assert_eq!(ask(&shell, &format!("GET {part}"), &[], "").await.status, 200, "{part}");
    }
    let document = ask(&shell, "GET /docs/openapi.json", &[], "").await;
    assert_eq!(&document.json(), shell.openapi());
}

#[test]
fn routes_and_tables_are_compared() {
    let shell = shell();
    let used = [KeysRead::RULE, KeysWrite::RULE, Anonymous::RULE];
    assert_eq!(uncovered(shell.routes(), &[&used]), Vec::<String>::new());
    let problems = uncovered(shell.routes(), &[&used[..2], &OPS[2..3]]);
    assert_eq!(problems.len(), 3, "two greetings in no table, one row unused: {problems:?}");
    assert!(uncovered(shell.routes(), &[OPS, AUTH]).iter().all(|one| one.starts_with("no route")));
}

#[test]
fn mistakes_in_routes_are_found_at_the_start() {
    async fn nothing(_: Allowed<Anonymous>) -> Result<Answer, Error> {
        Ok(Answer::no_content())
    }
    let fine = || Route::get("/a", "getA").answers_empty(204, "Done");
    let built = |api: &Api<()>| {
        let ids = Ids::new(Arc::new(SystemRandomness));
        let built = Shell::builder(Arc::new(Still), ids).mount("/v1", api).build();
        built.err().map(|problem| problem.to_string()).unwrap_or_default()
    };
    assert_eq!(built(&Api::new("s", ()).route(fine(), nothing)), "");
    let twice = Api::new("s", ()).route(fine(), nothing).route(fine(), nothing);
    assert!(built(&twice).contains("twice"));
    let silent = Api::new("s", ()).route(Route::get("/a", "getA"), nothing);
    assert!(built(&silent).contains("answers with"));
}
