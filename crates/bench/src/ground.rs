//! What services are measured on: a platform on a database in a folder, and somebody who is logged in.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, anyhow, bail};
use database::clock::SystemClock;
use database::{Database, Options};
use identity::mail::Folder;
use identity::{LoggedIn, Login, Registration, UserStatus};
use kernel::Ids;
use limits::{By, Mode, Policies, Policy};
use platform::{Parts, Platform};
use secrets::{LocalKey, MasterKeys, Secret};
use store::{Embedded, Settings, Store, SystemRandomness, TokenKeys};
use tables::{Documents, EmbeddedTarget, Environment, Plan, apply};

/// Refuses nobody. Blocks begin as those of the usual limit of an account, and grow, since it is far away.
const LIMIT: (u64, u64) = (1_000_000_000, 10);

/// A platform, and what is below it.
pub struct Ground {
    pub documents: Documents,
    pub database: Database,
    pub store: Store,
    pub platform: Platform,
}

/// Errors that say more when they are printed for those who program.
pub fn text(error: impl std::fmt::Debug) -> anyhow::Error {
    anyhow!("{error:?}")
}

impl Ground {
    /// Makes a database in a folder, with every table.
    pub async fn open(folder: &Path) -> anyhow::Result<Ground> {
        let documents = Documents::embedded()
            .map_err(|problems| anyhow!("the documents have {} problems", problems.len()))?;
        let database = Database::open(Options::folder(folder.join("data")))?;
        make_tables(&documents, &database).await?;
        let settings = Settings::new(Environment::Dev, TokenKeys::new([1; 32]));
        let store = Store::new(&documents, Embedded::new(database.clone()), settings);
        let platform = platform(&store, folder).await?;
        Ok(Ground { documents, database, store, platform })
    }
}

async fn make_tables(documents: &Documents, database: &Database) -> anyhow::Result<()> {
    let target = EmbeddedTarget::new(database.clone());
    let tables: Vec<_> = documents.tables.iter().collect();
    let plan = Plan::make(documents, &tables, Environment::Dev, &[], &target).await?;
    apply(documents, &plan, false, &target, |_, _| {}).await?;
    Ok(())
}

async fn platform(store: &Store, folder: &Path) -> anyhow::Result<Platform> {
    let ids = Ids::new(Arc::new(SystemRandomness));
    let clock = Arc::new(SystemClock);
    let mailbox = folder.join("mailbox");
    let mailer = Folder::open(&mailbox, "bench", ids.clone(), clock.clone()).await.map_err(text)?;
    let (limit, block) = LIMIT;
    let limit =
        Policy { mode: Mode::Fast { block }, ..Policy::new("account", limit, 1, By::Account) };
    let parts = Parts {
        store: store.clone(),
        clock,
        masters: MasterKeys::new(Arc::new(LocalKey::new(Secret::new([9; 32]), ids.clone()))),
        ids,
        mailer: Arc::new(mailer),
        identity: identity::Settings::new("http://localhost"),
        external: Vec::new(),
        policies: Policies::new(vec![limit])?,
        webhooks: webhooks::Settings::default(),
        destinations: webhooks::Policy::default(),
        lease: Duration::from_secs(60),
    };
    // What records authentication attempts goes on until the process ends.
    let (platform, _recording) = Platform::open(parts).await.map_err(text)?;
    Ok(platform)
}

/// The first administrator's token, with a session, as a person has one.
pub async fn log_in(platform: &Platform) -> anyhow::Result<String> {
    let made = platform.identity().first_start(&platform.commits_as("bench")).await;
    let made = made.map_err(text)?.context("somebody started here before")?;
    tokens_of(platform, Login { name: made.email, password: made.password }).await
}

/// Somebody with an account of their own, logged in.
pub struct Person {
    pub account: String,
    pub token: String,
}

impl Person {
    /// Registers somebody and logs them in.
    pub async fn register(platform: &Platform, number: usize) -> anyhow::Result<Person> {
        let (identity, commits) = (platform.identity(), platform.commits_as("bench"));
        let email = format!("person{number}@example.com");
        let password = Secret::new(format!("a long enough password {number}"));
        let registration = Registration {
            email: email.clone(),
            username: format!("person{number}"),
            name: format!("Person {number}"),
            password: password.clone(),
        };
        identity.register(&commits, registration).await.map_err(text)?;
        let user = identity.user_by_email(&email).await.map_err(text)?;
        let user = user.context("nobody was registered")?;
        let active = identity.set_status(&commits, &user.user_id, UserStatus::Active).await;
        active.map_err(text)?;
        let token = tokens_of(platform, Login { name: email, password }).await?;
        Ok(Person { account: user.account_id, token })
    }
}

async fn tokens_of(platform: &Platform, login: Login) -> anyhow::Result<String> {
    let origin = identity::Origin { address: None, user_agent: None };
    let commits = platform.commits_as("bench");
    match platform.identity().log_in(&commits, &origin, login).await.map_err(text)? {
        LoggedIn::Tokens(tokens) => Ok(tokens.access_token.reveal().to_owned()),
        LoggedIn::SecondStep(_) => bail!("a second factor is asked for"),
    }
}
