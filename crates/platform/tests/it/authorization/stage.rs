//! Who is on stage: two people with an account each, one more with a second factor, everybody who
//! calls, and how a request is made for a cell.

use std::future::Future;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::body::Body;
use http::Request;
use identity::{LoggedIn, Login, Origin, Tokens};
use kernel::clock::Clock as _;
use kernel::{Caller, Identity, Role};
use limits::{By, Policies, Policy};
use platform::permissions::OPS;
use serde_json::Value;
use web::matrix::{Cast, Example, Subject};

use crate::identity::{PASSWORD, app, secret};
use crate::platform_world::{Person, PlatformWorld, World};

/// What a password is changed to.
pub const ANOTHER: &str = "another sentence of my own";
/// Tokens outlive the test, although its clock moves.
const LIFE: Duration = Duration::from_secs(24 * 60 * 60);

/// Whose things lists and new things are about: there is no account that does not exist.
pub const BOTH: &[Subject] = &[Subject::Own, Subject::Others];
/// Whose a thing can be.
pub const ALL: &[Subject] = &[Subject::Own, Subject::Others, Subject::Missing];
/// For routes that are about nothing in particular.
pub const NONE: &[Subject] = &[Subject::None];

/// The rate limit that routes are tried with.
pub const LIMIT: &str = "account";

pub struct Stage {
    pub world: PlatformWorld,
    pub own: Person,
    pub other: Person,
    /// Has a second factor.
    pub careful: Person,
    expired: String,
    careful_secret: String,
    own_secret: Mutex<Option<String>>,
    count: AtomicUsize,
}

/// A request for a cell: line, body and the ids that it asks for.
pub struct Asked {
    line: String,
    headers: Vec<(&'static str, String)>,
    body: Option<Value>,
    ids: Vec<String>,
}

impl Asked {
    pub fn new(line: impl Into<String>) -> Asked {
        Asked { line: line.into(), headers: Vec::new(), body: None, ids: Vec::new() }
    }

    pub fn body(self, body: Value) -> Asked {
        Asked { body: Some(body), ..self }
    }

    pub fn header(mut self, name: &'static str, value: impl Into<String>) -> Asked {
        self.headers.push((name, value.into()));
        self
    }

    /// An id that must not tell another's from nobody's.
    pub fn id(mut self, id: impl Into<String>) -> Asked {
        self.ids.push(id.into());
        self
    }

    fn made(self) -> (Request<Body>, Vec<String>) {
        let (method, path) = self.line.split_once(' ').unwrap();
        let mut request = Request::builder().method(method).uri(path);
        for (name, value) in &self.headers {
            request = request.header(*name, value);
        }
        let body = match self.body {
            Some(body) => {
                request = request.header("content-type", "application/json");
                Body::from(body.to_string())
            }
            None => Body::empty(),
        };
        (request.body(body).unwrap(), self.ids)
    }
}

/// An example whose requests are made by a function of the stage and the subject.
pub fn example<F, Out>(
    stage: &Arc<Stage>,
    operation: &'static str,
    subjects: &'static [Subject],
    success: u16,
    make: F,
) -> Example
where
    F: Fn(Arc<Stage>, Subject) -> Out + Send + Sync + 'static,
    Out: Future<Output = Asked> + Send + 'static,
{
    let stage = Arc::clone(stage);
    let request = move |subject: Subject| {
        let asked = make(Arc::clone(&stage), subject);
        Box::pin(async move { Ok(asked.await.made()) }) as web::seams::Pending<'static, _>
    };
    Example { operation, subjects, request: Box::new(request), success }
}

impl Stage {
    pub async fn open() -> Arc<Stage> {
        let mut settings = World::in_memory();
        // There is a limit to be asked about, and nobody reaches it.
        let limit = Policy::new(LIMIT, 1_000_000, 60, By::Account);
        settings.policies = Policies::new(vec![limit]).unwrap();
        settings.identity.access_life = LIFE;
        let world = settings.open().await;
        let account = world.person("eve").await.account_id;
        let expired = world.token(Role::Owner, Some(&account)).await;
        world.advance(LIFE * 2);
        let (own, other) = (world.person("ada").await, world.person("bob").await);
        let careful = world.person("carol").await;
        let identity = world.platform.identity();
        let commits = world.platform.commits_as("test");
        let enrolled =
            identity.enrol_second_factor(&commits, &careful.user_id, &secret(PASSWORD)).await;
        let careful_secret = enrolled.unwrap().secret.reveal().to_owned();
        let code = app(&careful_secret, world.clock.now_millis() / 1000);
        identity.confirm_second_factor(&commits, &careful.user_id, &code).await.unwrap();
        let (own_secret, count) = (Mutex::default(), AtomicUsize::new(0));
        let stage =
            Stage { world, own, other, careful, expired, careful_secret, own_secret, count };
        Arc::new(stage)
    }

    /// A number that was not given before.
    pub fn number(&self) -> usize {
        self.count.fetch_add(1, Ordering::Relaxed)
    }

    /// The account of a subject. What is nobody's is looked for in one's own.
    pub fn account(&self, subject: Subject) -> &str {
        if subject == Subject::Others { &self.other.account_id } else { &self.own.account_id }
    }

    pub fn person(&self, subject: Subject) -> &Person {
        if subject == Subject::Others { &self.other } else { &self.own }
    }

    /// Everybody who calls.
    pub async fn cast(&self) -> Vec<Cast> {
        let bearer = |token: &str| vec![("authorization", format!("Bearer {token}"))];
        let refused = |name: &str, token: &str| Cast {
            name: name.to_owned(),
            headers: bearer(token),
            caller: None,
        };
        let (nobody, anonymous) = ("nobody".to_owned(), Some(Caller::anonymous()));
        let mut cast = vec![
            Cast { name: nobody, headers: Vec::new(), caller: anonymous },
            refused("a bad token", "rubbish"),
            refused("an expired token", &self.expired),
            refused("a key that was never made", "plk_test_00000000000000000000000000000000"),
        ];
        let account = self.own.account_id.as_str();
        let mut people: Vec<(Role, Option<&str>)> =
            Role::ALL.into_iter().map(|role| (role, Some(account))).collect();
        // Held for no account in particular, these reach further.
        people
            .extend([Role::PlatformAdmin, Role::Operator, Role::Auditor].map(|role| (role, None)));
        for (role, account) in people {
            let identity = self.world.platform.identity();
            let token = identity.sign_script_token(&self.own.email, role, account).await.unwrap();
            let user_id = self.own.user_id.clone();
            let mut caller = Caller::new(Identity::User { user_id, email: None, session: None });
            caller.account_id = account.map(str::to_owned);
            caller.roles.insert(role);
            let everywhere = if account.is_none() { " of no account" } else { "" };
            let name = format!("{}{everywhere}", role.as_str());
            cast.push(Cast { name, headers: bearer(token.reveal()), caller: Some(caller) });
        }
        let mut scopes: Vec<&str> = OPS.iter().filter_map(|rule| rule.scope).collect();
        scopes.push("nothing:read");
        for scope in scopes {
            let key = self.world.key(account, &[scope]).await;
            let identity = Identity::ApiKey { key_id: String::new(), environment: "test".into() };
            let mut caller = Caller::new(identity);
            caller.account_id = Some(account.to_owned());
            caller.scopes = Some([scope.to_owned()].into());
            let headers = vec![("x-api-key", key)];
            cast.push(Cast { name: format!("a key for {scope}"), headers, caller: Some(caller) });
        }
        cast
    }

    /// A new session of the one who has no second factor and calls nobody.
    pub async fn session(&self) -> Tokens {
        match self.log_in(&self.other).await {
            LoggedIn::Tokens(tokens) => tokens,
            LoggedIn::SecondStep(_) => panic!("no second factor is set up"),
        }
    }

    /// A challenge, and a code that answers it.
    pub async fn challenge(&self) -> (String, String) {
        self.next_step();
        let LoggedIn::SecondStep(step) = self.log_in(&self.careful).await else {
            panic!("a second factor is set up")
        };
        (step.challenge.reveal().to_owned(), self.code(&self.careful_secret))
    }

    async fn log_in(&self, person: &Person) -> LoggedIn {
        let (identity, commits) = self.identity();
        let login = Login { name: person.email.clone(), password: secret(PASSWORD) };
        identity.log_in(&commits, &ORIGIN, login).await.unwrap()
    }

    /// Makes the caller's password the usual one, and takes their second factor away.
    pub async fn reset_own(&self) {
        let (identity, commits) = self.identity();
        let (user, usual, changed) = (&self.own.user_id, secret(PASSWORD), secret(ANOTHER));
        // Refused if it is the usual one already.
        let _ = identity.change_password(&commits, &ORIGIN, user, &changed, &usual).await;
        let kept = self.own_secret.lock().unwrap().take();
        if let Some(kept) = kept {
            self.next_step();
            let code = self.code(&kept);
            // Refused if nobody confirmed it.
            let _ = identity.disable_second_factor(&commits, user, &usual, &code).await;
        }
    }

    /// Begins to set up the caller's second factor. Gives the first code.
    pub async fn enrol_own(&self) -> String {
        self.reset_own().await;
        let (identity, commits) = self.identity();
        let enrolled =
            identity.enrol_second_factor(&commits, &self.own.user_id, &secret(PASSWORD)).await;
        let kept = enrolled.unwrap().secret.reveal().to_owned();
        let code = self.code(&kept);
        *self.own_secret.lock().unwrap() = Some(kept);
        code
    }

    /// Sets up the caller's second factor. Gives the next code.
    pub async fn confirm_own(&self) -> String {
        let code = self.enrol_own().await;
        let (identity, commits) = self.identity();
        identity.confirm_second_factor(&commits, &self.own.user_id, &code).await.unwrap();
        self.next_step();
        let kept = self.own_secret.lock().unwrap().clone().unwrap();
        self.code(&kept)
    }

    fn code(&self, of: &str) -> String {
        app(of, self.world.clock.now_millis() / 1000)
    }

    /// Each code is good once, for half a minute.
    fn next_step(&self) {
        self.world.advance(Duration::from_secs(30));
    }

    pub fn identity(&self) -> (&identity::Service, platform::Commits) {
        (self.world.platform.identity(), self.world.platform.commits_as("test"))
    }
}

const ORIGIN: Origin = Origin { address: None, user_agent: None };
