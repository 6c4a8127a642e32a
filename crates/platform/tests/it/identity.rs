//! What the tests of identity share: a store in memory, a clock that stands still, a folder for mail.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on panics")]

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use database::Database;
use identity::mail::Folder;
use identity::{Cost, LoggedIn, Login, Origin, Parts, Registration, Service, Settings, Tokens};
use kernel::clock::ManualClock;
use kernel::{Error, Ids};
use secrets::{Seal, Sealing, Secret};
use store::{Embedded, Store, SystemRandomness, TokenKeys};
use tables::{Documents, EmbeddedTarget, Environment, Plan, apply};
use tempfile::TempDir;

/// Later than any machine's clock, so that the database removes nothing by itself.
pub const START_MILLIS: u64 = 1_900_000_000_000;
pub const PASSWORD: &str = "a sentence nobody else has";
pub const ISSUER: &str = "https://plinth.example";

const TABLES: [&str; 5] = [
    "listbackup/users",
    "listbackup/refresh-tokens",
    "listbackup/notifications",
    "listbackup/users-accounts",
    "listbackup/accounts",
];

pub struct World {
    pub store: Store,
    pub clock: ManualClock,
    pub service: Service,
    pub mailbox: TempDir,
    pub database: Database,
}

/// Seals by turning bits over: what is sealed for one place does not open in another.
pub struct ToySeal;

impl Seal for ToySeal {
    fn seal<'a>(&'a self, account: &'a str, place: &'a str, plain: &'a [u8]) -> Sealing<'a> {
        Box::pin(async move {
            let turned: Vec<u8> = plain.iter().map(|byte| byte ^ 0x5a).collect();
            Ok([format!("{account}|{place}|").into_bytes(), turned].concat())
        })
    }

    fn unseal<'a>(&'a self, account: &'a str, place: &'a str, sealed: &'a [u8]) -> Sealing<'a> {
        Box::pin(async move {
            let turned = sealed.strip_prefix(format!("{account}|{place}|").as_bytes());
            let turned = turned.ok_or_else(|| Error::internal("sealed for another place"))?;
            Ok(turned.iter().map(|byte| byte ^ 0x5a).collect())
        })
    }
}

pub fn settings() -> Settings {
    let mut settings = Settings::new(ISSUER);
    settings.password_cost = Cost { memory_kib: 8, passes: 1, lanes: 1 };
    settings.password_waiting_max = 1000;
    settings.mail_after_answer = false;
    settings
}

pub async fn world() -> World {
    world_with(settings()).await
}

pub async fn world_with(settings: Settings) -> World {
    let documents = Documents::embedded().unwrap();
    let database = Database::in_memory().unwrap();
    let target = EmbeddedTarget::new(database.clone());
    let tables: Vec<_> = TABLES.iter().flat_map(|name| documents.find(name)).collect();
    let plan = Plan::make(&documents, &tables, Environment::Dev, &[], &target).await.unwrap();
    apply(&documents, &plan, false, &target, |_, _| {}).await.unwrap();
    let clock = ManualClock::new(START_MILLIS);
    let mut store_settings = store::Settings::new(Environment::Dev, TokenKeys::new([7; 32]));
    store_settings.clock = Arc::new(clock.clone());
    let store = Store::new(&documents, Embedded::new(database.clone()), store_settings);
    let mailbox = TempDir::new().unwrap();
    let service = service(&store, &clock, mailbox.path(), settings).await;
    World { store, clock, service, mailbox, database }
}

/// Identity on a store, as another instance or with other settings.
pub async fn service(
    store: &Store,
    clock: &ManualClock,
    mailbox: &Path,
    settings: Settings,
) -> Service {
    let ids = Ids::new(Arc::new(SystemRandomness));
    let shared = Arc::new(clock.clone());
    let mailer = Folder::open(mailbox, "Plinth", ids.clone(), Arc::<ManualClock>::clone(&shared));
    Service::new(Parts {
        store: store.clone(),
        seal: Arc::new(ToySeal),
        mailer: Arc::new(mailer.await.unwrap()),
        ids,
        clock: shared,
        settings,
    })
    .unwrap()
}

pub fn secret(text: &str) -> Secret {
    Secret::from(text)
}

pub fn origin(last: u8) -> Origin {
    Origin { address: Some([192, 0, 2, last].into()), user_agent: Some("test/1".to_owned()) }
}

impl World {
    pub fn advance(&self, duration: Duration) {
        self.clock.advance(u64::try_from(duration.as_millis()).unwrap());
    }

    pub async fn register(&self, name: &str) -> Result<(), Error> {
        let registration = Registration {
            email: format!(" {}@Example.com", name.to_uppercase()),
            username: name.to_owned(),
            name: format!("{name} the tester"),
            password: secret(PASSWORD),
        };
        self.service.register(&self.store, registration).await
    }

    /// A user who may log in. Gives their id.
    pub async fn user(&self, name: &str) -> String {
        self.register(name).await.unwrap();
        let email = format!("{name}@example.com");
        let code = self.last_code(&email);
        self.service.verify_email(&self.store, &email, &code).await.unwrap();
        let tokens = self.log_in(name).await;
        let claims = self.service.verify_token(tokens.access_token.reveal()).await.unwrap();
        claims.subject
    }

    pub async fn try_log_in(&self, name: &str, password: &str) -> Result<LoggedIn, Error> {
        let login = Login { name: name.to_owned(), password: secret(password) };
        self.service.log_in(&self.store, &origin(1), login).await
    }

    pub async fn log_in(&self, name: &str) -> Tokens {
        match self.try_log_in(name, PASSWORD).await.unwrap() {
            LoggedIn::Tokens(tokens) => tokens,
            LoggedIn::SecondStep(_) => unreachable!("no second factor is set up"),
        }
    }

    /// The mails to an address, oldest first.
    pub fn mails(&self, to: &str) -> Vec<String> {
        mails_in(self.mailbox.path(), to)
    }

    /// The code in the last mail to an address that has one.
    pub fn last_code(&self, to: &str) -> String {
        last_code_in(self.mailbox.path(), to)
    }
}

/// The mails to an address in a folder, oldest first.
pub fn mails_in(mailbox: &Path, to: &str) -> Vec<String> {
    let mut names: Vec<_> = std::fs::read_dir(mailbox)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "eml"))
        .collect();
    names.sort();
    let texts = names.iter().map(|path| std::fs::read_to_string(path).unwrap());
    texts.filter(|text| text.contains(&format!("To: {to}\r\n"))).collect()
}

/// The code in the last of them that has one.
pub fn last_code_in(mailbox: &Path, to: &str) -> String {
    let mails = mails_in(mailbox, to);
    let code = mails.iter().rev().find_map(|text| text.split("Your code is ").nth(1));
    code.unwrap().split_whitespace().next().unwrap().to_owned()
}

/// What an app that was set up with a secret shows at a time.
pub fn app(secret: &str, seconds: u64) -> String {
    let index = |c: u8| match c {
        b'A'..=b'Z' => c - b'A',
        _ => c - b'2' + 26,
    };
    let (mut bits, mut count, mut key) = (0_u32, 0, Vec::new());
    for sign in secret.bytes() {
        bits = (bits << 5 | u32::from(index(sign))) & 0xffff;
        count += 5;
        if count >= 8 {
            count -= 8;
            key.push(u8::try_from(bits >> count & 255).unwrap());
        }
    }
    let key = ring::hmac::Key::new(ring::hmac::HMAC_SHA1_FOR_LEGACY_USE_ONLY, &key);
    let tag = ring::hmac::sign(&key, &(seconds / 30).to_be_bytes());
    let at = usize::from(tag.as_ref()[19] & 15);
    let four: [u8; 4] = tag.as_ref()[at..at + 4].try_into().unwrap();
    format!("{:06}", (u32::from_be_bytes(four) & 0x7fff_ffff) % 1_000_000)
}
