//! Guessing over the routes of `/auth` is slow, and their answers tell nobody who has an account.

use std::time::Duration;

use kernel::Role;
use kernel::clock::Clock as _;
use limits::{By, Policies};
use serde_json::{Value, json};

use crate::http::sample::Got;
use crate::platform_world::{PlatformWorld, World};

const PASSWORD: &str = crate::identity::PASSWORD;

/// An address for the n-th request, so that only what is aimed at is counted.
fn elsewhere(n: u8) -> [u8; 4] {
    [198, 51, 100, n]
}

fn refused_by(got: &Got, policy: &str) {
    let json = got.json();
    assert_eq!((got.status, got.code().as_str()), (429, "RATE_LIMITED"), "{json}");
    assert_eq!(json["error"]["details"]["policy"], policy);
    assert!(got.header("ratelimit").starts_with(&format!("\"{policy}\";r=0;t=")), "{got:?}");
    let policies = got.header("ratelimit-policy");
    assert_eq!(policies.matches(&format!("\"{policy}\";q=")).count(), 1, "{policies}");
    for name in ["ratelimit", "ratelimit-policy"] {
        assert_eq!(got.headers.get_all(name).iter().count(), 1, "{got:?}");
    }
    assert!(got.header("retry-after").parse::<u64>().unwrap() >= 1, "{got:?}");
}

/// R003-rate-1: five guesses at one name, whatever addresses they come from, and then not even the right
/// password; a moment later all is well. Of a name that nobody has, the same.
#[tokio::test]
async fn guessing_a_password_is_slow() {
    let world = PlatformWorld::new().await;
    world.person("ada").await;
    let login = async |name: &str, password: &str, n: u8| {
        let body = json!({ "name": name, "password": password });
        world.call("POST /auth/login").from(elsewhere(n)).json(&body).send().await
    };
    for name in ["ada@example.com", "unknown@example.com"] {
        for n in 0..5 {
            let got = login(name, "a wrong password", n).await;
            assert_eq!(got.status, 401, "{name}");
            // How often others guessed, and whether two names are one person's, is not told.
            assert!(!format!("{:?}", got.headers).contains("login-target"), "{got:?}");
        }
        refused_by(&login(name, PASSWORD, 9).await, "login-target");
    }
    // Guesses at the username were counted apart: whoever guessed had five more.
    refused_by(&login("ada", PASSWORD, 9).await, "login-target");
    let wait = login("Ada@Example.com ", PASSWORD, 10).await;
    refused_by(&wait, "login-target");
    let wait: u64 = wait.header("retry-after").parse().unwrap();
    assert!(wait <= 330, "{wait}");
    world.advance(Duration::from_secs(wait));
    assert_eq!(login("ada@example.com", PASSWORD, 11).await.status, 200);
}

/// R003-audit-6: who does not prove to be a user is recorded in that user's account; for a name that nobody
/// has in the platform's, without the name, so that both answers wait for as much.
#[tokio::test]
async fn failed_proofs_are_recorded() {
    let world = PlatformWorld::new().await;
    let ada = world.person("ada").await;
    let wrong = "a wrong password";
    let reset =
        |email: &str| json!({ "email": email, "code": "0000-0000", "newPassword": PASSWORD });
    let verify = |email: &str| json!({ "email": email, "code": "0000-0000" });
    let newcomer = json!({ "email": "newcomer@example.com", "username": "newcomer", "name": "N",
        "password": PASSWORD });
    assert_eq!(world.call("POST /auth/register").json(&newcomer).send().await.status, 202);
    let change = json!({ "currentPassword": wrong, "newPassword": "another long password" });
    for (line, body, status) in [
        ("POST /auth/login", json!({ "name": "ada", "password": wrong }), 401),
        ("POST /auth/login", json!({ "name": "stranger", "password": wrong }), 401),
        ("POST /auth/reset-password", reset("ada@example.com"), 400),
        ("POST /auth/reset-password", reset("stranger@example.com"), 400),
        ("POST /auth/verify-email", verify("ada@example.com"), 400),
        ("POST /auth/verify-email", verify("stranger@example.com"), 400),
        ("POST /auth/password", change, 401),
        ("POST /auth/second-factor", json!({ "password": wrong }), 401),
        ("POST /auth/second-factor", json!({ "password": PASSWORD }), 200),
        ("POST /auth/second-factor/confirm", json!({ "code": "000000" }), 400),
        ("POST /auth/login", json!({ "name": "newcomer", "password": PASSWORD }), 403),
    ] {
        let got = world.call(line).bearer(&ada.access_token).json(&body).send().await;
        assert_eq!(got.status, status, "{line}: {:?}", got.json());
        // Whoever is known already is told what is wrong.
        let names_it = got.json()["error"]["message"] == "The password is not right";
        let knows_them = line.contains("/password") || line.ends_with("/second-factor");
        assert_eq!(names_it, status == 401 && knows_them, "{line}");
    }
    let root = world.token(Role::PlatformAdmin, None).await;
    let failures = async |account: &str| {
        let line = format!("GET /ops/v1.0/audit?accountId={account}&outcome=failure");
        let got = world.call(&line).bearer(&root).send().await;
        assert_eq!(got.status, 200, "{:?}", got.json());
        let items = got.json()["items"].as_array().unwrap().clone();
        let of = |item: &Value| item["resource"]["id"].as_str().unwrap_or_default().to_owned();
        let action = |item: &Value| item["action"].as_str().unwrap().to_owned();
        let text = serde_json::to_string(&items).unwrap();
        assert!(!text.contains(wrong) && !text.contains("stranger"), "{text}");
        items.iter().rev().map(|item| (action(item), of(item))).collect::<Vec<_>>()
    };
    let of_ada = [
        "LOGIN",
        "PASSWORD_RESET",
        "EMAIL_VERIFIED",
        "PASSWORD_CHANGED",
        "SECOND_FACTOR_ENABLED",
        "SECOND_FACTOR_ENABLED",
    ];
    let of_ada = of_ada.map(|action| (action.to_owned(), ada.user_id.clone()));
    assert_eq!(failures(&ada.account_id).await, of_ada);
    let of_nobody = ["LOGIN", "PASSWORD_RESET", "EMAIL_VERIFIED"]
        .map(|action| (action.to_owned(), String::new()));
    assert_eq!(failures("platform").await, of_nobody);
    let all = "GET /ops/v1.0/audit?accountId=*&type=AUTH&action=LOGIN&outcome=failure";
    let all = world.call(all).bearer(&root).send().await.json();
    assert_eq!(all["count"], 3, "one is the newcomer's, who may not log in yet: {all}");
}

/// R003-rate-1: one address cannot try many names.
#[tokio::test]
async fn trying_many_names_is_slow() {
    let world = PlatformWorld::new().await;
    let login = async |n: usize| {
        let body = json!({ "name": format!("user{n}"), "password": "a wrong password" });
        world.call("POST /auth/login").json(&body).send().await
    };
    for n in 0..30 {
        assert_eq!(login(n).await.status, 401, "{n}");
    }
    refused_by(&login(31).await, "login-address");
}

/// R003-rate-1: codes that were mailed, of an app and of challenges; and asking for mails.
#[tokio::test]
async fn guessing_codes_and_asking_for_mails_is_slow() {
    let codes = [
        ("POST /auth/verify-email", json!({ "email": "ada@example.com", "code": "0000-0000" })),
        (
            "POST /auth/reset-password",
            json!({ "email": "ada@example.com", "code": "0", "newPassword": PASSWORD }),
        ),
        ("POST /auth/login/second-factor", json!({ "challenge": "x", "code": "000000" })),
    ];
    let mails = [
        ("POST /auth/resend-code", json!({ "email": "ada@example.com" })),
        ("POST /auth/forgot-password", json!({ "email": "ada@example.com" })),
        (
            "POST /auth/register",
            json!({ "email": "ada@example.com", "username": "other", "name": "A", "password": PASSWORD }),
        ),
    ];
    let codes = codes.map(|(line, body)| (line, body, "code-target"));
    let mails = mails.map(|(line, body)| (line, body, "mail-target"));
    for (line, body, policy) in codes.into_iter().chain(mails) {
        let world = PlatformWorld::new().await;
        world.person("ada").await;
        for n in 0..5 {
            let got = world.call(line).from(elsewhere(n)).json(&body).send().await;
            assert!(got.status < 429, "{line}: {:?}", got.json());
        }
        let got = world.call(line).from(elsewhere(9)).json(&body).send().await;
        refused_by(&got, policy);
    }
}

/// Whoever has the password can begin as many logins as they like, by any name, and still has no more
/// codes to guess than one login gives.
#[tokio::test]
async fn guessing_the_second_factor_over_many_logins_is_slow() {
    let world = PlatformWorld::new().await;
    let ada = world.person("ada").await;
    let own = async |line: &str, body: Value| {
        let got = world.call(line).bearer(&ada.access_token).json(&body).send().await;
        assert_eq!(got.status, 200, "{line}: {got:?}");
        got.json()
    };
    let enrolment = own("POST /auth/second-factor", json!({ "password": PASSWORD })).await;
    let shown = |enrolment: &Value| {
        let seconds = world.clock.now_millis() / 1000;
        crate::identity::app(enrolment["secret"].as_str().unwrap(), seconds)
    };
    own("POST /auth/second-factor/confirm", json!({ "code": shown(&enrolment) })).await;
    world.advance(Duration::from_secs(30));
    let guess = async |name: &str, code: &str, n: u8| {
        let body = json!({ "name": name, "password": PASSWORD });
        let got = world.call("POST /auth/login").from(elsewhere(n)).json(&body).send().await;
        let body = json!({ "challenge": got.json()["challenge"], "code": code });
        let line = "POST /auth/login/second-factor";
        world.call(line).from(elsewhere(n)).json(&body).send().await
    };
    for n in 0..5 {
        let name = if n % 2 == 0 { "ada" } else { "ada@example.com" };
        assert_eq!(guess(name, "000000", n).await.status, 401);
        if n == 2 {
            // As long as it takes that logins are not what is limited.
            world.advance(Duration::from_secs(331));
        }
    }
    refused_by(&guess("ada", &shown(&enrolment), 9).await, "code-target");
    world.advance(Duration::from_secs(1000));
    assert_eq!(guess("ada", &shown(&enrolment), 10).await.status, 200);
}

/// Whoever has a token still has to know the password, and cannot guess it.
#[tokio::test]
async fn guessing_ones_own_password_with_a_token_is_slow() {
    let world = PlatformWorld::new().await;
    let ada = world.person("ada").await;
    let change = json!({ "currentPassword": "wrong", "newPassword": "another sentence of my own" });
    for n in 0..10 {
        let call = world.call("POST /auth/password").from(elsewhere(n)).bearer(&ada.access_token);
        assert_eq!(call.json(&change).send().await.status, 401);
    }
    let off = json!({ "password": PASSWORD, "code": "000000" });
    let call = world.call("DELETE /auth/second-factor").bearer(&ada.access_token);
    refused_by(&call.json(&off).send().await, "secret-user");
}

/// The usual policies name routes that there are, and no route of strangers is without one.
#[tokio::test]
async fn policies_and_routes_agree() {
    let world = PlatformWorld::new().await;
    let routes: Vec<(String, &str)> = world
        .shell
        .routes()
        .map(|route| (format!("{} {}", route.method, route.path), route.rule.name))
        .collect();
    let usual = Policies::usual();
    let named = usual.iter().flat_map(|policy| &policy.routes);
    // Those of a service above the platform are its own tests' to find.
    for named in named.filter(|named| !named.contains(" /v1.0/")) {
        assert!(routes.iter().any(|(route, _)| route == named), "{named} is no route");
    }
    for (route, _) in
        routes.iter().filter(|(route, rule)| *rule == "anonymous" && !route.starts_with("GET "))
    {
        let guards: Vec<By> =
            usual.iter().filter(|policy| policy.covers(route)).map(|policy| policy.by).collect();
        assert!(guards.contains(&By::Address), "{route} is guarded by {guards:?}");
    }
}

/// An answer as somebody sees it who looks for differences: all of it but request id.
fn seen(got: &Got) -> (u16, Vec<(String, String)>, String) {
    let id = got.header("x-request-id");
    let headers = got.headers.iter().filter(|(name, _)| *name != "x-request-id");
    let headers =
        headers.map(|(name, value)| (name.to_string(), value.to_str().unwrap().to_owned()));
    let body = String::from_utf8(got.body.clone()).unwrap();
    (got.status, headers.collect(), if id.is_empty() { body } else { body.replace(id, "ID") })
}

/// R002-9.4-4, C1-29: no answer tells whether an address has an account. The clock stands still, so the
/// answers are byte-equal up to the request id.
#[tokio::test]
async fn answers_do_not_tell_who_has_an_account() {
    let world = World::in_memory().open().await;
    world.person("ada").await;
    let register = |email: &str, username: &str| json!({ "email": email, "username": username, "name": "Name", "password": PASSWORD });
    let call = world.call("POST /auth/register").from(elsewhere(200));
    let got = call.json(&register("waiting@example.com", "waiting")).send().await;
    assert_eq!(got.status, 202);
    world.advance(Duration::from_secs(3600));
    let addresses = ["ada@example.com", "waiting@example.com", "unknown@example.com"];
    type Body = Box<dyn Fn(&str, usize) -> Value>;
    let routes: [(&str, u16, Body); 6] = [
        (
            "POST /auth/register",
            202,
            Box::new(move |email, n| register(email, &format!("free{n}"))),
        ),
        ("POST /auth/resend-code", 202, Box::new(|email, _| json!({ "email": email }))),
        ("POST /auth/forgot-password", 202, Box::new(|email, _| json!({ "email": email }))),
        (
            "POST /auth/verify-email",
            400,
            Box::new(|email, _| json!({ "email": email, "code": "0000-0000" })),
        ),
        (
            "POST /auth/reset-password",
            400,
            Box::new(|email, _| json!({ "email": email, "code": "0", "newPassword": PASSWORD })),
        ),
        (
            "POST /auth/login",
            401,
            Box::new(|email, _| json!({ "name": email, "password": "a wrong password" })),
        ),
    ];
    // The one that nobody has comes last: registering makes it somebody's.
    for (line, status, body) in routes.into_iter().rev() {
        let mut answers = Vec::new();
        for (n, email) in addresses.iter().enumerate() {
            let host = elsewhere(u8::try_from(n).unwrap());
            let got = world.call(line).from(host).json(&body(email, n)).send().await;
            assert_eq!(got.status, status, "{line} {email}: {:?}", got.json());
            answers.push(seen(&got));
        }
        assert_eq!(answers[0], answers[1], "{line}");
        assert_eq!(answers[0], answers[2], "{line}");
        world.advance(Duration::from_secs(3600));
    }
}
