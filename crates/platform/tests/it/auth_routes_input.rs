//! Every class of bad input of every route of `/auth`: a status of the 400 range, in the envelope, with
//! each field that is wrong (R002-9.4-4, R002-6.5b-1).

use http::Method;
use serde_json::{Value, json};

use crate::http::sample::Got;
use crate::platform_world::{Person, PlatformWorld, World};

const PASSWORD: &str = crate::identity::PASSWORD;

/// A route that takes a body: whether it is for people who are logged in, and a body that is in order.
fn with_bodies() -> Vec<(&'static str, bool, Value)> {
    vec![
        (
            "POST /auth/register",
            false,
            json!({ "email": "new@example.com", "username": "new", "name": "New", "password": PASSWORD }),
        ),
        (
            "POST /auth/verify-email",
            false,
            json!({ "email": "ada@example.com", "code": "0000-0000" }),
        ),
        ("POST /auth/resend-code", false, json!({ "email": "ada@example.com" })),
        ("POST /auth/login", false, json!({ "name": "ada", "password": PASSWORD })),
        ("POST /auth/login/second-factor", false, json!({ "challenge": "x", "code": "000000" })),
        ("POST /auth/refresh", false, json!({ "refreshToken": "plr_x" })),
        ("POST /auth/logout", false, json!({ "refreshToken": "plr_x" })),
        ("POST /auth/forgot-password", false, json!({ "email": "ada@example.com" })),
        (
            "POST /auth/reset-password",
            false,
            json!({ "email": "ada@example.com", "code": "0", "newPassword": PASSWORD }),
        ),
        (
            "POST /auth/password",
            true,
            json!({ "currentPassword": "wrong", "newPassword": "another sentence of my own" }),
        ),
        ("POST /auth/second-factor", true, json!({ "password": "wrong" })),
        ("POST /auth/second-factor/confirm", true, json!({ "code": "000000" })),
        ("DELETE /auth/second-factor", true, json!({ "password": "wrong", "code": "000000" })),
    ]
}

struct Tried {
    world: PlatformWorld,
    ada: Person,
}

impl Tried {
    async fn new() -> Tried {
        let world = World::in_memory().unlimited().open().await;
        let ada = world.person("ada").await;
        Tried { world, ada }
    }

    async fn ask(&self, line: &str, is_person: bool, kind: &str, body: &str) -> Got {
        let mut call = self.world.call(line).text(body);
        if !kind.is_empty() {
            call = call.header("content-type", kind);
        }
        if is_person {
            call = call.bearer(&self.ada.access_token);
        }
        call.send().await
    }

    /// The fields that are complained about, after a look at the rest of the refusal.
    async fn wrong(&self, line: &str, is_person: bool, body: &Value) -> Vec<String> {
        let got = self.ask(line, is_person, "application/json", &body.to_string()).await;
        assert_eq!((got.status, got.code().as_str()), (400, "VALIDATION_ERROR"), "{line} {body}");
        assert!(
            !got.json().to_string().contains(PASSWORD),
            "{line}: what was sent is not repeated"
        );
        got.fields()
    }
}

fn is_optional(line: &str) -> bool {
    line == "POST /auth/logout"
}

#[tokio::test]
async fn the_bodies_that_are_in_order_are_understood() {
    let tried = Tried::new().await;
    for (line, is_person, body) in with_bodies() {
        let got = tried.ask(line, is_person, "application/json", &body.to_string()).await;
        assert!(got.status != 400 || got.code() == "CODE_INVALID", "{line}: {:?}", got.json());
        assert!(got.status < 500, "{line}: {:?}", got.json());
    }
}

#[tokio::test]
async fn each_wrong_field_of_each_route_is_named() {
    let tried = Tried::new().await;
    let mut tries = 0;
    for (line, is_person, body) in with_bodies() {
        let names: Vec<String> = body.as_object().unwrap().keys().cloned().collect();
        for name in &names {
            let long = json!("x".repeat(5000));
            for wrong in [json!(7), json!([]), json!({ "a": 1 }), json!(true), long] {
                let mut body = body.clone();
                body[name] = wrong;
                assert_eq!(tried.wrong(line, is_person, &body).await, [name.as_str()], "{line}");
                tries += 1;
            }
            if !is_optional(line) {
                let mut body = body.clone();
                body.as_object_mut().unwrap().remove(name);
                assert_eq!(tried.wrong(line, is_person, &body).await, [name.as_str()], "{line}");
                body[name] = Value::Null;
                assert_eq!(tried.wrong(line, is_person, &body).await, [name.as_str()], "{line}");
                body[name] = json!("");
                assert_eq!(tried.wrong(line, is_person, &body).await, [name.as_str()], "{line}");
                tries += 3;
            }
        }
        let mut more = body.clone();
        more["colour"] = json!("red");
        assert_eq!(tried.wrong(line, is_person, &more).await, ["colour"], "{line}");
        if !is_optional(line) {
            assert_eq!(
                tried.wrong(line, is_person, &json!({})).await,
                names,
                "{line}: all at once"
            );
        }
        tries += 2;
    }
    println!("wrong fields: {tries} requests");
}

#[tokio::test]
async fn what_is_no_json_object_and_what_is_no_json_is_refused() {
    let tried = Tried::new().await;
    for (line, is_person, body) in with_bodies() {
        let body = body.to_string();
        for broken in ["", "[]", "null", "\"text\"", &body[1..], &format!("{body}{body}")] {
            let got = tried.ask(line, is_person, "application/json", broken).await;
            assert_eq!(
                (got.status, got.fields()),
                (400, vec!["body".to_owned()]),
                "{line} {broken}"
            );
        }
        for kind in ["", "text/plain", "application/x-www-form-urlencoded"] {
            let got = tried.ask(line, is_person, kind, &body).await;
            let refusal = (got.status, got.code());
            assert_eq!(refusal, (415, "UNSUPPORTED_MEDIA_TYPE".to_owned()), "{line} {kind}");
        }
        let large = format!("{{\"x\":\"{}\"}}", "x".repeat(1 << 20));
        let got = tried.ask(line, is_person, "application/json", &large).await;
        assert_eq!((got.status, got.code().as_str()), (413, "PAYLOAD_TOO_LARGE"), "{line}");
    }
}

#[tokio::test]
async fn every_other_method_is_refused_by_name() {
    let tried = Tried::new().await;
    let routes: Vec<_> =
        tried.world.shell.routes().filter(|route| route.service == "auth").cloned().collect();
    let all = [Method::GET, Method::POST, Method::PUT, Method::PATCH, Method::DELETE];
    let mut tries = 0;
    for route in &routes {
        let path = route.path.replace(['{', '}'], "");
        let known = |method: &Method| {
            routes.iter().any(|other| other.path == route.path && other.method == *method)
        };
        for method in all.iter().filter(|method| !known(method)) {
            let got = tried.ask(&format!("{method} {path}"), true, "", "").await;
            let refusal = (got.status, got.code());
            assert_eq!(refusal, (405, "METHOD_NOT_ALLOWED".to_owned()), "{method} {path}");
            assert!(got.header("allow").contains(route.method.as_str()), "{method} {path}");
            tries += 1;
        }
    }
    assert_eq!(tries, 79, "20 routes, one path of two methods");
}

#[tokio::test]
async fn what_the_form_does_not_show_is_refused_by_its_field_too() {
    let tried = Tried::new().await;
    let new = |name: &str, value: &str| {
        let mut body = with_bodies()[0].2.clone();
        body[name] = json!(value);
        body
    };
    let wrong = [
        ("email", "ada"),
        ("email", "ada@host"),
        ("email", "a b@example.com"),
        ("email", "ada@example.com\r\nBcc: eve@example.com"),
        ("username", "ab"),
        ("username", "a b c"),
        ("username", "<script>"),
        ("name", " "),
        ("name", "a\u{7}b"),
        ("password", "short"),
        ("password", "aaaaaaaaaaaaaaaa"),
        ("password", "passwordpassword"),
        ("password", "new@example.com!"),
    ];
    for (name, value) in wrong {
        let fields = tried.wrong("POST /auth/register", false, &new(name, value)).await;
        assert_eq!(fields, [name], "{value}");
    }
    let taken = tried.world.call("POST /auth/register").json(&new("username", "ADA")).send().await;
    assert_eq!(
        (taken.status, &taken.json()["error"]["details"]["field"]),
        (409, &json!("username"))
    );
    let weak = json!({ "currentPassword": PASSWORD, "newPassword": "aaaaaaaaaaaaaaaa" });
    assert_eq!(tried.wrong("POST /auth/password", true, &weak).await, ["newPassword"]);
}

#[tokio::test]
async fn queries_and_paths_are_checked() {
    let tried = Tried::new().await;
    let fields = async |line: &str| {
        let got = tried.ask(line, true, "", "").await;
        assert_eq!(got.status, 400, "{line}");
        got.fields()
    };
    let id = "123e4567-e89b-42d3-a456-426614174000";
    let at = "2030-01-01T00:00:00.000Z";
    let list = "GET /auth/notifications";
    assert_eq!(fields(&format!("{list}?limit=0&colour=red")).await, ["limit", "colour"]);
    assert_eq!(fields(&format!("{list}?limit=many")).await, ["limit"]);
    assert_eq!(fields(&format!("{list}?limit=101")).await, ["limit"]);
    assert_eq!(fields(&format!("{list}?limit=1&limit=2")).await, ["limit"]);
    assert_eq!(fields(&format!("{list}?nextToken=nonsense")).await, ["nextToken"]);
    assert_eq!(fields(&format!("{list}?nextToken={}", "x".repeat(5000))).await, ["nextToken"]);
    let read = "POST /auth/notifications";
    assert_eq!(fields(&format!("{read}/x/read?createdAt={at}")).await, ["notificationId"]);
    assert_eq!(fields(&format!("{read}/{id}/read")).await, ["createdAt"]);
    assert_eq!(fields(&format!("{read}/{id}/read?createdAt=yesterday")).await, ["createdAt"]);
    assert_eq!(fields(&format!("{read}/{id}/read?createdAt={at}&x=1")).await, ["x"]);
    let got = tried.ask(&format!("{read}/{id}/read?createdAt={at}"), true, "", "").await;
    assert_eq!((got.status, got.code().as_str()), (404, "NOT_FOUND"));
}
