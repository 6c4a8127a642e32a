//! A service as small as can be with every kind of input, and real, small implementations of what
//! the shell asks others for.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::body::Body as HttpBody;
use http::request::Parts;
use http::{HeaderMap, Request};
use http_body_util::BodyExt as _;
use kernel::clock::Clock;
use kernel::error::{CONFLICT, NOT_FOUND, UNAUTHORIZED, UNPROCESSABLE};
use kernel::permissions::Target;
use kernel::{Caller, Error, Identity, Ids, Moment, Role};
use limits::{Decision, Verdict};
use platform::permissions::{Anonymous, KeysRead, KeysWrite};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use store::SystemRandomness;
use tower::ServiceExt as _;
use utoipa::ToSchema;
use web::seams::{Attempt, Authenticate, Claim, Claimed, Idempotency, Limit, Pending};
use web::{
    Allowed, Answer, Api, Body, Context, IfMatch, InPath, Links, MustMatch, PageAnswer, Params,
    RateLimitHeaders, Route, Settings, Shell, State,
};

/// A clock that stands still.
pub struct Still;

impl Clock for Still {
    fn now_millis(&self) -> u64 {
        1_763_200_000_123
    }
}

#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Thing {
    pub thing_id: String,
    pub name: String,
    pub account_id: String,
    pub version: u64,
    #[serde(rename = "_links")]
    #[schema(value_type = Object)]
    pub links: Value,
}

#[expect(dead_code, reason = "its fields are there to be checked")]
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NewThing {
    /// What it is called.
    #[schema(min_length = 1, max_length = 20)]
    pub name: String,
    #[schema(minimum = 1, maximum = 10)]
    pub size: u32,
    #[schema(format = "email")]
    pub owner: Option<String>,
    pub kind: Option<Kind>,
    #[schema(max_items = 3)]
    #[serde(default)]
    pub tags: Vec<Tag>,
}

#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    Round,
    Square,
}

#[expect(dead_code, reason = "its fields are there to be checked")]
#[derive(Debug, Deserialize, ToSchema)]
pub struct Tag {
    #[schema(pattern = "^[a-z]{1,8}$")]
    pub label: String,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct Numbered {
    number: u32,
}

#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Listing {
    #[schema(minimum = 1, maximum = 100)]
    pub limit: Option<u32>,
    pub next_token: Option<String>,
}

#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ThingPath {
    #[schema(max_length = 40)]
    pub thing_id: String,
}

/// Things by id: account and version.
#[derive(Clone, Default)]
pub struct Things(pub Arc<Mutex<HashMap<String, (String, u64)>>>);

impl Things {
    pub fn put(&self, id: &str, account: &str, version: u64) {
        self.0.lock().unwrap().insert(id.to_owned(), (account.to_owned(), version));
    }

    fn find(&self, id: &str) -> Result<(String, u64), Error> {
        let missing =
            || Error::new(NOT_FOUND, "There is nothing here, or nothing that you may see");
        self.0.lock().unwrap().get(id).cloned().ok_or_else(missing)
    }
}

fn shown(context: &Context, id: &str, account: &str, version: u64) -> Thing {
    let (target, values) = (Target::Account(account), [("thingId", id)]);
    let links = Links::new(context)
        .to("self", "/things/{thingId}", &values)
        .offer::<KeysWrite>(true, &target, "update", "/things/{thingId}", &values)
        .offer::<KeysWrite>(version > 1, &target, "undo", "/things/{thingId}/undo", &values)
        .done();
    let (thing_id, account_id) = (id.to_owned(), account.to_owned());
    Thing { thing_id, name: "thing".to_owned(), account_id, version, links }
}

async fn create(
    allowed: Allowed<KeysWrite>,
    State(things): State<Things>,
    Body(new): Body<NewThing>,
) -> Result<Answer, Error> {
    if new.name == "panic" {
        panic!("the secret is swordfish");
    }
    if new.name == "slow" {
        tokio::time::sleep(Duration::from_secs(3600)).await;
    }
    let account = allowed.account(None)?.to_owned();
    let id = format!("thing-{}", things.0.lock().unwrap().len() + 1);
    things.put(&id, &account, 1);
    let context = allowed.context();
    let location = context.link("/things/{thingId}", &[("thingId", &id)]);
    Ok(Answer::created(&location, &shown(context, &id, &account, 1))?.versioned(1))
}

async fn read(
    allowed: Allowed<KeysRead>,
    State(things): State<Things>,
    InPath(path): InPath<ThingPath>,
) -> Result<Answer, Error> {
    let (account, version) = things.find(&path.thing_id)?;
    allowed.on(&Target::Account(&account))?;
    let thing = shown(allowed.context(), &path.thing_id, &account, version);
    Ok(Answer::ok(&thing)?.versioned(version))
}

async fn update(
    allowed: Allowed<KeysWrite>,
    State(things): State<Things>,
    InPath(path): InPath<ThingPath>,
    if_match: IfMatch,
) -> Result<Answer, Error> {
    let (account, version) = things.find(&path.thing_id)?;
    allowed.on(&Target::Account(&account))?;
    if_match.0.check(version)?;
    things.put(&path.thing_id, &account, version + 1);
    let thing = shown(allowed.context(), &path.thing_id, &account, version + 1);
    Ok(Answer::ok(&thing)?.versioned(version + 1))
}

async fn remove(
    allowed: Allowed<KeysWrite>,
    State(things): State<Things>,
    InPath(path): InPath<ThingPath>,
    must_match: MustMatch,
) -> Result<Answer, Error> {
    let (account, version) = things.find(&path.thing_id)?;
    allowed.on(&Target::Account(&account))?;
    must_match.0.check(version)?;
    things.0.lock().unwrap().remove(&path.thing_id);
    Ok(Answer::no_content())
}

async fn list(
    _: Allowed<KeysRead>,
    context: Context,
    Params(listing): Params<Listing>,
) -> Result<Answer, Error> {
    let limit = listing.limit.unwrap_or(20);
    let next = listing.next_token.is_none().then(|| "to ken".to_owned());
    let page = store::Page { items: (0..limit).collect(), next };
    Answer::ok(&PageAnswer::new(&context, page, |number| Numbered { number }))
}

async fn greet(_: Allowed<Anonymous>) -> Result<Answer, Error> {
    Ok(Answer::no_content())
}

pub fn api(things: &Things) -> Api<Things> {
    let made = Route::post("/things", "createThing").summary("Makes a thing");
    Api::new("sample", things.clone())
        .route(made.answers::<Thing>(201, "The thing").errors(&[CONFLICT]), create)
        .route(Route::get("/things", "listThings").answers_page::<Numbered>("Numbers"), list)
        .route(Route::get("/things/{thingId}", "getThing").answers::<Thing>(200, "It"), read)
        .route(Route::patch("/things/{thingId}", "updateThing").answers::<Thing>(200, "It"), update)
        .route(Route::delete("/things/{thingId}", "deleteThing").answers_empty(204, "Gone"), remove)
        .route(Route::get("/greeting", "greet").answers_empty(204, "Hello"), greet)
}

/// Takes `Authorization: Bearer <account>/<role>` at its word, and `X-Api-Key: <account>/<scope>`.
pub struct Words;

impl Authenticate for Words {
    fn authenticate<'a>(&'a self, head: &'a Parts, _: &'a RateLimitHeaders) -> Pending<'a, Caller> {
        let caller = caller(&head.headers);
        Box::pin(async { caller })
    }
}

fn caller(headers: &HeaderMap) -> Result<Caller, Error> {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    let refused = || Error::new(UNAUTHORIZED, "The token is not accepted").because("canary-token");
    let split = |words: &str| {
        words.split_once('/').map(|(a, b)| (a.to_owned(), b.to_owned())).ok_or_else(refused)
    };
    if let Some(words) = text("x-api-key") {
        let (account, scope) = split(words)?;
        let identity = Identity::ApiKey { key_id: "key-1".into(), environment: "test".into() };
        let mut caller = Caller::new(identity);
        caller.account_id = Some(account);
        caller.scopes = Some([scope].into());
        return Ok(caller);
    }
    let Some(words) = text("authorization") else { return Ok(Caller::anonymous()) };
    let (account, role) = split(words.strip_prefix("Bearer ").ok_or_else(refused)?)?;
    let identity = Identity::User { user_id: "user-1".into(), email: None, session: None };
    let mut caller = Caller::new(identity);
    caller.account_id = (account != "-").then_some(account);
    caller.roles.insert(Role::parse(&role).ok_or_else(refused)?);
    Ok(caller)
}

/// Admits so many requests.
pub struct Most(pub Mutex<u32>);

impl Limit for Most {
    fn admit<'a>(&'a self, _: &'a Context) -> Pending<'a, Decision> {
        let mut left = self.0.lock().unwrap();
        let verdict = Verdict {
            policy: "all".to_owned(),
            limit: 2,
            window_seconds: 60,
            admitted: *left > 0,
            shadow: false,
            remaining: u64::from(*left),
            reset: Duration::from_secs(60),
            retry_after: (*left == 0).then_some(Duration::from_millis(1500)),
            at: Moment::from_millis(0),
            degraded: false,
        };
        *left = left.saturating_sub(1);
        Box::pin(async { Ok(Decision { verdicts: vec![verdict] }) })
    }
}

/// What is kept for a key: the body, and the answer once there is one.
type Kept = (Vec<u8>, Option<Answer>);

/// Remembers answers in memory.
#[derive(Clone, Default)]
pub struct Memory(pub Arc<Mutex<HashMap<String, Kept>>>);

impl Idempotency for Memory {
    fn claim<'a>(&'a self, attempt: Attempt<'a>) -> Pending<'a, Claimed> {
        let mut kept = self.0.lock().unwrap();
        let claimed = match kept.get(attempt.key) {
            None => {
                kept.insert(attempt.key.to_owned(), (attempt.body.to_vec(), None));
                Ok(Claimed::Fresh(Claim::new(attempt.key.to_owned())))
            }
            Some((body, _)) if *body != attempt.body[..] => {
                Err(Error::new(UNPROCESSABLE, "The key was used for another request"))
            }
            Some((_, None)) => Err(Error::new(CONFLICT, "In progress")),
            Some((_, Some(answer))) => Ok(Claimed::Done(answer.clone())),
        };
        Box::pin(async { claimed })
    }

    fn settle<'a>(&'a self, claim: Claim, answer: &'a Answer) -> Pending<'a, ()> {
        let mut kept = self.0.lock().unwrap();
        let key = claim.get::<String>().unwrap();
        if answer.status.is_server_error() {
            kept.remove(key);
        } else if let Some(entry) = kept.get_mut(key) {
            entry.1 = Some(answer.clone());
        }
        Box::pin(async { Ok(()) })
    }
}

pub fn shell_with(settings: Settings, things: &Things, most: u32) -> Shell {
    Shell::builder(Arc::new(Still), Ids::new(Arc::new(SystemRandomness)))
        .settings(settings)
        .identity(Words)
        .limits(Most(Mutex::new(most)))
        .idempotency(Memory::default())
        .mount("/sample/v1.0", &api(things))
        .mount("/v1.0", &api(things))
        .build()
        .unwrap()
}

pub fn shell() -> Shell {
    shell_with(Settings::default(), &Things::default(), 1_000_000)
}

/// An answer, read.
#[derive(Debug)]
pub struct Got {
    pub status: u16,
    pub headers: HeaderMap,
    pub body: Vec<u8>,
}

impl Got {
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|_| panic!("{self:?} is no JSON"))
    }

    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().unwrap())
    }

    pub fn code(&self) -> String {
        self.json()["error"]["code"].as_str().unwrap_or_default().to_owned()
    }

    /// The fields that are complained about.
    pub fn fields(&self) -> Vec<String> {
        let json = self.json();
        let errors = json["error"]["details"]["errors"].as_array().cloned().unwrap_or_default();
        errors.iter().map(|error| error["field"].as_str().unwrap().to_owned()).collect()
    }
}

/// `POST /path`, by an administrator of the account `mine`, with JSON if there is a body.
pub fn request(line: &str, headers: &[(&str, &str)], body: &str) -> Request<HttpBody> {
    let (method, path) = line.split_once(' ').unwrap();
    let mut request = Request::builder().method(method).uri(path);
    if !headers.iter().any(|(name, _)| ["authorization", "x-api-key"].contains(name)) {
        request = request.header("authorization", "Bearer mine/admin");
    }
    if !body.is_empty() && !headers.iter().any(|(name, _)| *name == "content-type") {
        request = request.header("content-type", "application/json");
    }
    for (name, value) in headers.iter().filter(|(_, value)| !value.is_empty()) {
        request = request.header(*name, *value);
    }
    request.body(HttpBody::from(body.to_owned())).unwrap()
}

pub async fn send(shell: &Shell, request: Request<HttpBody>) -> Got {
    let answer = shell.router().oneshot(request).await.unwrap();
    let (head, body) = answer.into_parts();
    let body = body.collect().await.unwrap().to_bytes().to_vec();
    Got { status: head.status.as_u16(), headers: head.headers, body }
}

pub async fn ask(shell: &Shell, line: &str, headers: &[(&str, &str)], body: &str) -> Got {
    send(shell, request(line, headers, body)).await
}
