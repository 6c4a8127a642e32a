//! The OpenAPI 3.1 document, from the routes and the types of their inputs and answers.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use http::Method;
use kernel::error::{
    CONFLICT, Code, FORBIDDEN, INTERNAL_ERROR, NOT_FOUND, PAYLOAD_TOO_LARGE, PRECONDITION_FAILED,
    PRECONDITION_REQUIRED, RATE_LIMITED, REQUEST_TIMEOUT, SERVICE_UNAVAILABLE, TIMEOUT,
    UNAUTHORIZED, UNPROCESSABLE, UNSUPPORTED_MEDIA_TYPE, VALIDATION_ERROR,
};
use kernel::permissions::Reach;
use serde_json::{Map, Value, json};

use super::KeyDemand;
use super::shell::{Entry, placeholders};

const REFERENCE: &str = "#/components/schemas/";
/// The one answer that is not ours: the connection gives it, before there is a request.
const HEAD_TOO_LARGE: &str = "The address and the headers have more than 16 KiB together. There is no \
    body, and the connection ends";

/// The document of all entries, or which two types share a name.
pub(super) fn document(entries: &[Arc<Entry>], version: &str) -> Result<Value, String> {
    let mut schemas = own_schemas();
    let mut paths: BTreeMap<&str, Map<String, Value>> = BTreeMap::new();
    let mut operations = BTreeSet::new();
    for entry in entries {
        let registered = &entry.registered;
        if !operations.insert((registered.service, registered.operation)) {
            continue;
        }
        for (name, schema) in &entry.described.description.definitions {
            let known = schemas.insert(name.clone(), Value::clone(schema));
            if known.is_some_and(|known| known != **schema) {
                return Err(format!("two types are called {name}: rename one"));
            }
        }
        let method = registered.method.as_str().to_ascii_lowercase();
        paths.entry(&registered.path).or_default().insert(method, operation(entry));
    }
    close_requests(entries, &mut schemas);
    Ok(json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Plinth",
            "version": version,
            "description": "Each operation names the permission it demands in x-permission. What a \
                caller may not see answers as what does not exist. Errors come in the envelope \
                Error, or as application/problem+json to those who ask for it.",
            "license": { "name": "Apache-2.0", "identifier": "Apache-2.0" },
        },
        "servers": [{ "url": "/" }],
        "paths": paths,
        "components": {
            "schemas": schemas,
            "headers": HEADERS.map(described_header).into_iter().collect::<Map<_, _>>(),
            "securitySchemes": {
                "bearer": { "type": "http", "scheme": "bearer", "bearerFormat": "JWT" },
                "apiKey": { "type": "apiKey", "in": "header", "name": "X-Api-Key" },
            },
        },
    }))
}

fn operation(entry: &Entry) -> Value {
    let (registered, route) = (&entry.registered, &entry.described.route);
    let rule = &registered.rule;
    let mut operation = json!({
        "operationId": registered.operation,
        "summary": route.summary,
        "tags": [registered.service],
        "parameters": parameters(entry),
        "responses": responses(entry),
        "security": security(entry),
        "x-permission": rule.name,
    });
    if let Some(scope) = rule.scope {
        operation["x-scope"] = json!(scope);
    }
    if route.deprecated.is_some() {
        operation["deprecated"] = json!(true);
    }
    if let Some(name) = &entry.described.description.body_name {
        let schema = json!({ "$ref": format!("{REFERENCE}{name}") });
        let is_required = !entry.described.description.is_body_optional;
        let content = json!({ "application/json": { "schema": schema } });
        operation["requestBody"] = json!({ "required": is_required, "content": content });
    }
    operation
}

fn security(entry: &Entry) -> Value {
    let is_both = entry.registered.keys == KeyDemand::Both;
    match (entry.registered.rule.reach, entry.registered.rule.scope) {
        (Reach::Public, _) => json!([]),
        _ if is_both => json!([{ "bearer": [], "apiKey": [] }]),
        (_, Some(_)) => json!([{ "bearer": [] }, { "apiKey": [] }]),
        (_, None) => json!([{ "bearer": [] }]),
    }
}

fn parameters(entry: &Entry) -> Vec<Value> {
    let description = &entry.described.description;
    let mut parameters = Vec::new();
    let of_path = description.path.as_ref().and_then(|schema| schema.get("properties"));
    for name in placeholders(&entry.registered.path) {
        let schema = of_path.and_then(|all| all.get(name)).cloned();
        let schema = schema.unwrap_or_else(|| json!({ "type": "string" }));
        parameters.push(parameter(name, "path", true, schema, ""));
    }
    let query = description.query.as_ref();
    let required = |name: &str| {
        let all = query.and_then(|schema| schema["required"].as_array());
        all.is_some_and(|all| all.iter().any(|one| one == name))
    };
    let of_query = query.and_then(|schema| schema["properties"].as_object());
    for (name, schema) in of_query.into_iter().flatten() {
        parameters.push(parameter(name, "query", required(name), schema.clone(), ""));
    }
    let text = || json!({ "type": "string" });
    if let Some(is_required) = description.if_match {
        let about = "The ETag of what was read; another version is refused with 412.";
        parameters.push(parameter("If-Match", "header", is_required, text(), about));
    }
    if entry.described.route.is_idempotent {
        let schema = json!({ "type": "string", "minLength": 1, "maxLength": 255,
            "pattern": "^[!-~]+$" });
        let about = "Makes repeating safe: the same key gives the first answer again for a day.";
        parameters.push(parameter("Idempotency-Key", "header", false, schema, about));
    }
    parameters
}

fn parameter(name: &str, place: &str, is_required: bool, mut schema: Value, about: &str) -> Value {
    let described = schema.as_object_mut().and_then(|schema| schema.remove("description"));
    let about = described.unwrap_or_else(|| json!(about));
    json!({ "name": name, "in": place, "required": is_required, "schema": schema,
        "description": about })
}

/// Headers of answers: their names, and what they say.
const HEADERS: [(&str, &str); 7] = [
    ("X-Request-Id", "The request, as the log names it"),
    ("RateLimit", "What is left of the limit that is nearest to its end"),
    ("RateLimit-Policy", "The limits that were asked"),
    ("Retry-After", "After how many seconds it is worth another try"),
    ("Location", "Where the new thing is"),
    ("ETag", "The version, of what has one: for If-Match"),
    ("Idempotent-Replayed", "`true` if it is the answer of an earlier request with this key"),
];

fn described_header((name, about): (&str, &str)) -> (String, Value) {
    (name.to_owned(), json!({ "description": about, "schema": { "type": "string" } }))
}

/// The headers that an answer of this status may have.
fn headers(entry: &Entry, status: u16) -> Value {
    let is_success = status < 300;
    let may_have = |name: &str| match name {
        "Retry-After" => matches!(status, 409 | 429 | 503),
        "Location" => status == 201,
        "ETag" => is_success,
        "Idempotent-Replayed" => entry.described.route.is_idempotent,
        _ => true,
    };
    let names = HEADERS.iter().map(|(name, _)| *name).filter(|name| may_have(name));
    let reference = |name| json!({ "$ref": format!("#/components/headers/{name}") });
    Value::Object(names.map(|name| (name.to_owned(), reference(name))).collect())
}

fn responses(entry: &Entry) -> Map<String, Value> {
    let mut responses = Map::new();
    for answer in &entry.described.route.answers {
        let headers = headers(entry, answer.status);
        let mut response = json!({ "description": answer.description, "headers": headers });
        for (media, schema) in &answer.content {
            response["content"][media] = json!({ "schema": schema });
        }
        responses.insert(answer.status.to_string(), response);
    }
    let mut by_status: BTreeMap<u16, Vec<&str>> = BTreeMap::new();
    for code in codes(entry) {
        let names = by_status.entry(code.status).or_default();
        if !names.contains(&code.name) {
            names.push(code.name);
        }
    }
    for (status, names) in by_status {
        let error = json!({ "schema": { "$ref": format!("{REFERENCE}Error") } });
        let problem = json!({ "schema": { "$ref": format!("{REFERENCE}Problem") } });
        let content = json!({ "application/json": error, "application/problem+json": problem });
        let headers = headers(entry, status);
        let description = names.join(", ");
        let response =
            json!({ "description": description, "headers": headers, "content": content });
        responses.insert(status.to_string(), response);
    }
    responses.insert("431".to_owned(), json!({ "description": HEAD_TOO_LARGE }));
    responses
}

/// Every error that the route may answer with.
fn codes(entry: &Entry) -> Vec<Code> {
    let (description, route) = (&entry.described.description, &entry.described.route);
    let mut codes = vec![VALIDATION_ERROR, UNAUTHORIZED, PAYLOAD_TOO_LARGE, REQUEST_TIMEOUT];
    codes.extend([RATE_LIMITED, INTERNAL_ERROR, SERVICE_UNAVAILABLE, TIMEOUT]);
    if entry.registered.rule.reach != Reach::Public {
        codes.push(FORBIDDEN);
    }
    // Another account's thing, named in the path or by `accountId`, is as one that does not exist.
    if entry.registered.path.contains('{') || entry.registered.rule.reach == Reach::Account {
        codes.push(NOT_FOUND);
    }
    if description.body.is_some() {
        codes.push(UNSUPPORTED_MEDIA_TYPE);
    }
    if description.if_match.is_some() {
        codes.extend([PRECONDITION_FAILED, PRECONDITION_REQUIRED]);
    }
    if route.is_idempotent {
        codes.push(UNPROCESSABLE);
    }
    if route.method != Method::GET {
        codes.push(CONFLICT);
    }
    codes.extend(&route.errors);
    codes
}

/// Requests with members that nobody knows are refused, so their schemas say so.
fn close_requests(entries: &[Arc<Entry>], schemas: &mut BTreeMap<String, Value>) {
    let mut asked = BTreeSet::new();
    for entry in entries {
        let description = &entry.described.description;
        asked.extend(description.body_name.clone());
        if let Some(schema) = &description.body {
            references(schema, schemas, &mut asked);
        }
    }
    for name in asked {
        let Some(schema) = schemas.get_mut(&name).and_then(Value::as_object_mut) else { continue };
        if schema.contains_key("properties") && !schema.contains_key("additionalProperties") {
            schema.insert("additionalProperties".to_owned(), json!(false));
        }
    }
}

fn references(schema: &Value, schemas: &BTreeMap<String, Value>, found: &mut BTreeSet<String>) {
    match schema {
        Value::Object(members) => {
            let path = members.get("$ref").and_then(Value::as_str);
            if let Some(name) = path.and_then(|path| path.strip_prefix(REFERENCE))
                && found.insert(name.to_owned())
                && let Some(schema) = schemas.get(name)
            {
                references(schema, schemas, found);
            }
            members.values().for_each(|member| references(member, schemas, found));
        }
        Value::Array(items) => items.iter().for_each(|item| references(item, schemas, found)),
        _ => {}
    }
}

fn own_schemas() -> BTreeMap<String, Value> {
    let text = json!({ "type": "string" });
    let time = json!({ "type": "string", "format": "date-time" });
    let details = json!({ "type": "object", "additionalProperties": true,
        "description": "For VALIDATION_ERROR `errors`: each field with what is wrong with it." });
    let error = json!({
        "type": "object",
        "required": ["error", "requestId", "timestamp"],
        "properties": {
            "error": {
                "type": "object",
                "required": ["code", "message", "details"],
                "properties": { "code": text, "message": text, "details": details },
            },
            "requestId": text,
            "timestamp": time,
        },
    });
    let problem = json!({
        "type": "object",
        "required": ["type", "title", "status", "detail", "code", "requestId", "timestamp"],
        "properties": {
            "type": text, "title": text, "status": { "type": "integer" }, "detail": text,
            "code": text, "details": details, "requestId": text, "timestamp": time,
        },
    });
    BTreeMap::from([("Error".to_owned(), error), ("Problem".to_owned(), problem)])
}
