//! The authorization matrix of the sample service, and that the harness sees what it is for.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use kernel::permissions::Target;
use kernel::{Caller, Error, Identity, Ids, Role};
use platform::permissions::KeysRead;
use store::SystemRandomness;
use web::matrix::{Cast, Example, Report, Subject, World, run};
use web::{Allowed, Answer, Api, InPath, Route, Settings, Shell, State};

use super::sample::{Still, ThingPath, Things, Words, request, shell_with};

const WORLD: World = World {
    own_account: "mine",
    other_account: "theirs",
    own_user: "user-1",
    other_user: "user-2",
};
const ALL: &[Subject] = &[Subject::Own, Subject::Others, Subject::Missing, Subject::Deleted];

fn cast() -> Vec<Cast> {
    let refused = |name: &str, header: &str| Cast {
        name: name.to_owned(),
        headers: vec![("authorization", header.to_owned())],
        caller: None,
    };
    let mut cast = vec![
        Cast { name: "nobody".into(), headers: Vec::new(), caller: Some(Caller::anonymous()) },
        refused("a bad token", "Bearer rubbish"),
        refused("no bearer", "Basic x"),
    ];
    for role in Role::ALL {
        let account = if role == Role::PlatformAdmin { "-" } else { "mine" };
        let identity = Identity::User { user_id: "user-1".into(), email: None, session: None };
        let mut caller = Caller::new(identity);
        caller.account_id = (account != "-").then(|| account.to_owned());
        caller.roles.insert(role);
        let header = format!("Bearer {account}/{}", role.as_str());
        let (name, headers) = (role.as_str().to_owned(), vec![("authorization", header)]);
        cast.push(Cast { name, headers, caller: Some(caller) });
    }
    for scope in ["keys:read", "keys:write", "audit:read"] {
        let identity = Identity::ApiKey { key_id: "key-1".into(), environment: "test".into() };
        let mut caller = Caller::new(identity);
        caller.account_id = Some("mine".into());
        caller.scopes = Some([scope.to_owned()].into());
        let headers = vec![("x-api-key", format!("mine/{scope}"))];
        cast.push(Cast { name: format!("key {scope}"), headers, caller: Some(caller) });
    }
    cast
}

fn example(
    things: &Things,
    operation: &'static str,
    line: &'static str,
    subjects: &'static [Subject],
    success: u16,
) -> Example {
    let (things, count) = (things.clone(), Arc::new(AtomicUsize::new(0)));
    let make = move |subject: Subject| {
        let id = format!("{operation}-{}", count.fetch_add(1, Ordering::Relaxed));
        match subject {
            Subject::Own => things.put(&id, "mine", 1),
            Subject::Others => things.put(&id, "theirs", 1),
            Subject::Missing | Subject::Deleted | Subject::None => {}
        }
        let body = if line == "POST /v1.0/things" { r#"{"name":"a","size":3}"# } else { "" };
        let headers = [("if-match", "\"v1\"")];
        let mut request = request(&line.replace("{thingId}", &id), &headers, body);
        request.headers_mut().remove("authorization");
        let made = Ok((request, vec![id]));
        Box::pin(async { made }) as web::seams::Pending<'static, _>
    };
    Example { operation, subjects, request: Box::new(make), success }
}

fn examples(things: &Things) -> Vec<Example> {
    vec![
        example(things, "listThings", "GET /v1.0/things", &[Subject::None], 200),
        example(things, "greet", "GET /v1.0/greeting", &[Subject::None], 204),
        example(things, "getThing", "GET /v1.0/things/{thingId}", ALL, 200),
        example(things, "updateThing", "PATCH /v1.0/things/{thingId}", ALL, 200),
        example(things, "deleteThing", "DELETE /v1.0/things/{thingId}", ALL, 204),
    ]
}

#[tokio::test]
async fn every_cell_is_as_the_table_says() {
    let things = Things::default();
    let shell = shell_with(Settings::default(), &things, 1_000_000);
    let mut report = run(&shell, &WORLD, &cast(), &examples(&things)).await;
    // A platform administrator acts for no account and so cannot make a thing: left out here.
    report.problems.retain(|problem| !problem.ends_with("/things has no example"));
    assert_eq!(report.problems, Vec::<String>::new());
    assert_eq!(report.cells, 13 * 14);
}

async fn leaky(handler_checks: bool) -> Report {
    async fn careless(
        _: Allowed<KeysRead>,
        State(_): State<Things>,
        InPath(_): InPath<ThingPath>,
    ) -> Result<Answer, Error> {
        Ok(Answer::no_content())
    }
    async fn talkative(
        allowed: Allowed<KeysRead>,
        State(things): State<Things>,
        InPath(path): InPath<ThingPath>,
    ) -> Result<Answer, Error> {
        let found = things.0.lock().unwrap().get(&path.thing_id).cloned();
        let gone = || Error::new(kernel::error::NOT_FOUND, "There is really nothing here");
        allowed.on(&Target::Account(&found.ok_or_else(gone)?.0))?;
        Ok(Answer::no_content())
    }
    let things = Things::default();
    let route = Route::get("/things/{thingId}", "getThing").answers_empty(204, "It");
    let api = Api::new("leaky", things.clone());
    let api = if handler_checks { api.route(route, talkative) } else { api.route(route, careless) };
    let shell = Shell::builder(Arc::new(Still), Ids::new(Arc::new(SystemRandomness)))
        .identity(Words)
        .mount("/v1.0", &api)
        .build()
        .unwrap();
    let example = example(&things, "getThing", "GET /v1.0/things/{thingId}", ALL, 204);
    run(&shell, &WORLD, &cast(), &[example]).await
}

#[tokio::test]
async fn a_handler_that_does_not_look_whose_it_is_is_caught() {
    let report = leaky(false).await;
    assert!(report.problems.iter().any(|one| one.contains("on Others: 204 instead of 404")));
}

#[tokio::test]
async fn a_handler_that_tells_what_exists_is_caught() {
    let report = leaky(true).await;
    assert!(!report.problems.is_empty());
    assert!(report.problems.iter().all(|one| one.contains("can be told from")), "{report:?}");
}
