//! Registering, proving an address, logging in, passwords, second factor, first start.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on panics")]

use std::future::Future as _;
use std::task::Poll;
use std::time::Duration;

use database::operations::ScanRequest;
use futures_util::future::join_all;
use identity::{Cost, LoggedIn, Login, ToOwners, UserStatus};
use kernel::Role;
use notifications::Priority;
use patterns::listbackup::{Accounts, Users};
use store::Raw;
use values::AttributeValue;

use crate::identity::{PASSWORD, World, app, origin, secret, service, settings, world, world_with};

/// R001-users-2 to R001-users-11, C1-12, C1-15, C1-29, C1-34: what a registered user is made of.
#[tokio::test]
async fn a_user_registers_verifies_and_logs_in() {
    let world = world().await;
    world.register("ada").await.unwrap();
    let unverified = world.try_log_in("ada", PASSWORD).await.unwrap_err();
    assert_eq!(unverified.code().name, "EMAIL_NOT_VERIFIED");
    let code = world.last_code("ada@example.com");
    world.service.verify_email(&world.store, "Ada@Example.com ", &code).await.unwrap();
    let again = world.service.verify_email(&world.store, "ada@example.com", &code).await;
    assert_eq!(again.unwrap_err().code().name, "CODE_INVALID", "a code is used once");
    let tokens = world.log_in("ada").await;
    let by_email = world.try_log_in("ADA@example.com", PASSWORD).await.unwrap();
    assert!(matches!(by_email, LoggedIn::Tokens(_)));
    let claims = world.service.verify_token(tokens.access_token.reveal()).await.unwrap();
    assert_eq!(claims.roles, [Role::Owner]);
    let user = world.service.user(&claims.subject).await.unwrap().unwrap();
    assert_eq!((user.email.as_str(), user.username.as_str()), ("ada@example.com", "ada"));
    assert_eq!((user.status, user.role.as_str()), (UserStatus::Active, "user"));
    assert_eq!(claims.account_id.as_ref(), Some(&user.account_id));
    assert!(user.last_login_at.is_some() && user.email_verified_at.is_some());
    let account = Accounts::open(&world.store).unwrap().get_account(&user.account_id);
    assert!(account.get::<Raw>().await.unwrap().is_some());
    let item = Users::open(&world.store).unwrap().get_user(&user.user_id);
    let Raw(item) = item.get().await.unwrap().unwrap();
    assert!(!item.contains_key("passwordHash"), "credentials are items of their own");
}

/// C1-14: markers, not an index, keep email addresses and usernames unique.
#[tokio::test]
async fn of_64_registrations_of_one_email_one_is_a_user() {
    let world = world().await;
    let one = |number: usize| {
        let registration = identity::Registration {
            email: "Grace@Example.com".to_owned(),
            username: format!("grace{number}"),
            name: "Grace".to_owned(),
            password: secret(&format!("{PASSWORD} {number}")),
        };
        world.service.register(&world.store, registration)
    };
    let answers = join_all((0..64).map(one)).await;
    for answer in answers {
        answer.unwrap();
    }
    let usernames = Users::open(&world.store).unwrap();
    let mut users = 0;
    for number in 0..64 {
        let owner = usernames.get_username_owner(&format!("grace{number}"));
        users += usize::from(owner.get::<Raw>().await.unwrap().is_some());
    }
    assert_eq!(users, 1, "nothing by half");
    let mails = world.mails("grace@example.com");
    assert_eq!(mails.len(), 64, "whoever asked cannot tell from the mails either");
    assert_eq!(mails.iter().filter(|mail| mail.contains("Your code is")).count(), 1);
}

/// Whether an address has an account is told to nobody; whether a username is taken, to anybody.
#[tokio::test]
async fn answers_do_not_tell_whether_an_address_exists() {
    let world = world().await;
    world.user("ada").await;
    let wrong = world.try_log_in("ada@example.com", "not the password").await.unwrap_err();
    let nobody = world.try_log_in("nobody@example.com", "not the password").await.unwrap_err();
    let no_address = world.try_log_in("no @ address", "not the password").await.unwrap_err();
    for other in [nobody, no_address] {
        assert_eq!(wrong.to_string(), other.to_string());
        assert_eq!((wrong.code(), wrong.details()), (other.code(), other.details()));
    }
    let (service, store) = (&world.service, &world.store);
    let known = service.verify_email(store, "ada@example.com", "WRONG").await.unwrap_err();
    let unknown = service.verify_email(store, "nobody@example.com", "WRONG").await.unwrap_err();
    assert_eq!(known.to_string(), unknown.to_string());
    service.request_password_reset(store, "nobody@example.com").await.unwrap();
    service.request_password_reset(store, "ada@example.com").await.unwrap();
    service.resend_code(store, "nobody@example.com").await.unwrap();
    assert!(world.mails("nobody@example.com").is_empty());
    let taken = world.register("ada").await.unwrap_err();
    assert_eq!(taken.code().status, 409);
}

/// What is wrong is named, and nothing is stored.
#[tokio::test]
async fn bad_registrations_are_refused_by_field() {
    let world = world().await;
    let cases = [
        ("email", "no address", "ada", "Ada", PASSWORD),
        ("username", "ada@example.com", "a b", "Ada", PASSWORD),
        ("username", "ada@example.com", "#first-administrator", "Ada", PASSWORD),
        ("name", "ada@example.com", "ada", "A\r\nBcc: x", PASSWORD),
        ("password", "ada@example.com", "ada", "Ada", "password1234"),
    ];
    for (field, email, username, name, password) in cases {
        let registration = identity::Registration {
            email: email.to_owned(),
            username: username.to_owned(),
            name: name.to_owned(),
            password: secret(password),
        };
        let error = world.service.register(&world.store, registration).await.unwrap_err();
        assert_eq!(error.details()["errors"][0]["field"], field, "{error:?}");
    }
}

/// A code is good for a few attempts and some minutes, however many try at once.
#[tokio::test]
async fn codes_cannot_be_guessed() {
    let world = world().await;
    world.register("ada").await.unwrap();
    let code = world.last_code("ada@example.com");
    async fn verify(world: &World, code: &str) -> bool {
        world.service.verify_email(&world.store, "ada@example.com", code).await.is_ok()
    }
    for number in 0..5_u32 {
        assert!(!verify(&world, &format!("{number:08}")).await);
    }
    assert!(!verify(&world, &code).await, "the attempts are used up");
    world.service.resend_code(&world.store, "ada@example.com").await.unwrap();
    assert_eq!(world.last_code("ada@example.com"), code, "not so soon");
    world.advance(Duration::from_secs(61));
    world.service.resend_code(&world.store, "ada@example.com").await.unwrap();
    let late = world.last_code("ada@example.com");
    world.advance(Duration::from_secs(15 * 60));
    assert!(!verify(&world, &late).await, "it is too old");
    world.service.resend_code(&world.store, "ada@example.com").await.unwrap();
    let typed = world.last_code("ada@example.com").to_lowercase().replace('-', " ");
    assert!(verify(&world, &typed).await, "as people type it");
}

/// A reset ends every session, proves the address, and its code is used once.
#[tokio::test]
async fn a_password_is_reset_by_mail_and_every_session_ends() {
    let world = world().await;
    let user_id = world.user("ada").await;
    let tokens = world.log_in("ada").await;
    world.service.request_password_reset(&world.store, "ada@example.com").await.unwrap();
    let code = world.last_code("ada@example.com");
    let new = secret("another sentence of mine");
    let reset = |code: String| {
        let (service, store, new) = (&world.service, &world.store, new.clone());
        async move { service.reset_password(store, "ada@example.com", &code, &new).await }
    };
    assert!(reset("WRON-GWRO".to_owned()).await.is_err());
    let answers = join_all((0..4).map(|_| reset(code.clone()))).await;
    assert_eq!(answers.iter().filter(|answer| answer.is_ok()).count(), 1, "once");
    assert!(!world.service.is_live(&user_id, &tokens.session).await.unwrap());
    assert!(world.service.refresh(&world.store, &tokens.refresh_token).await.is_err());
    assert!(world.try_log_in("ada", PASSWORD).await.is_err());
    assert!(world.try_log_in("ada", new.reveal()).await.is_ok());
    assert!(world.mails("ada@example.com").iter().any(|mail| mail.contains("was changed")));
}

/// Somebody who registers another's address gains nothing: its owner resets the password.
#[tokio::test]
async fn the_owner_of_an_address_gets_it_back_from_a_squatter() {
    let world = world().await;
    world.register("ada").await.unwrap();
    world.service.request_password_reset(&world.store, "ada@example.com").await.unwrap();
    let code = world.last_code("ada@example.com");
    let new = secret("another sentence of mine");
    world.service.reset_password(&world.store, "ada@example.com", &code, &new).await.unwrap();
    assert!(world.try_log_in("ada", new.reveal()).await.is_ok());
    assert!(world.try_log_in("ada", PASSWORD).await.is_err());
}

/// A stranger registered with somebody's address, and then its owner did. The owner, sent to enter a code,
/// entered one, and the stranger's password was the account's.
#[tokio::test]
async fn nobody_gets_in_with_a_password_that_another_code_made_good() {
    let world = world().await;
    let register = |username: &str, password: &str| {
        let registration = identity::Registration {
            email: "lucy@example.com".to_owned(),
            username: username.to_owned(),
            name: "Lucy".to_owned(),
            password: secret(password),
        };
        world.service.register(&world.store, registration)
    };
    register("stranger", "the stranger's password").await.unwrap();
    let code = world.last_code("lucy@example.com");
    register("lucy", "the owner's password").await.unwrap();
    assert!(world.mails("lucy@example.com").last().unwrap().contains("choose one"));
    world.service.verify_email(&world.store, "lucy@example.com", &code).await.unwrap();
    for password in ["the stranger's password", "the owner's password"] {
        assert!(world.try_log_in("lucy@example.com", password).await.is_err(), "{password}");
    }
    world.service.request_password_reset(&world.store, "lucy@example.com").await.unwrap();
    let code = world.last_code("lucy@example.com");
    let new = secret("a sentence of the owner");
    world.service.reset_password(&world.store, "lucy@example.com", &code, &new).await.unwrap();
    assert!(world.try_log_in("lucy@example.com", new.reveal()).await.is_ok());
    register("late", "somebody else's password").await.unwrap();
    assert!(world.try_log_in("lucy@example.com", new.reveal()).await.is_ok(), "it is hers now");
}

/// A change ends every session but gives the one that asked a new one.
#[tokio::test]
async fn a_password_is_changed_by_who_knows_it() {
    let world = world().await;
    let user_id = world.user("ada").await;
    let before = world.log_in("ada").await;
    let new = secret("another sentence of mine");
    let change = |current: &'static str, new: &'static str| {
        let (service, store, user_id) = (&world.service, &world.store, user_id.clone());
        let (current, new) = (secret(current), secret(new));
        async move { service.change_password(store, &origin(1), &user_id, &current, &new).await }
    };
    assert!(change("wrong", "another sentence of mine").await.is_err());
    assert!(change(PASSWORD, "password1234").await.is_err());
    let after = change(PASSWORD, "another sentence of mine").await.unwrap();
    assert!(!world.service.is_live(&user_id, &before.session).await.unwrap());
    assert!(world.service.is_live(&user_id, &after.session).await.unwrap());
    assert!(world.try_log_in("ada", new.reveal()).await.is_ok());
}

/// R001-users-7: who is suspended or inactive is out at once, and stays out.
#[tokio::test]
async fn suspended_and_inactive_users_are_refused() {
    let world = world().await;
    let user_id = world.user("ada").await;
    for status in [UserStatus::Suspended, UserStatus::Inactive] {
        let tokens = world.log_in("ada").await;
        world.service.set_status(&world.store, &user_id, status).await.unwrap();
        assert!(!world.service.is_live(&user_id, &tokens.session).await.unwrap());
        assert!(world.service.refresh(&world.store, &tokens.refresh_token).await.is_err());
        let refused = world.try_log_in("ada", PASSWORD).await.unwrap_err();
        assert_eq!(refused.code().status, 403);
        let wrong = world.try_log_in("ada", "wrong password").await.unwrap_err();
        assert_eq!(wrong.code().status, 401, "only who knows the password is told");
        world.service.set_status(&world.store, &user_id, UserStatus::Active).await.unwrap();
        world.log_in("ada").await;
    }
}

/// The cost of passwords can be raised: a login stores a new hash.
#[tokio::test]
async fn a_login_hashes_again_at_a_raised_cost() {
    let world = world().await;
    let user_id = world.user("ada").await;
    let mut raised = settings();
    raised.password_cost = Cost { memory_kib: 16, passes: 2, lanes: 1 };
    let raised = service(&world.store, &world.clock, world.mailbox.path(), raised).await;
    let login = Login { name: "ada".to_owned(), password: secret(PASSWORD) };
    raised.log_in(&world.store, &origin(1), login).await.unwrap();
    let users = Users::open(&world.store).unwrap();
    let Raw(item) = users.get_credential(&user_id).get().await.unwrap().unwrap();
    let Some(AttributeValue::S(hash)) = item.get("passwordHash") else { panic!("{item:?}") };
    assert!(hash.starts_with("$argon2id$v=19$m=16,t=2,p=1$"), "{hash}");
    world.log_in("ada").await;
}

/// R001-users-11, R001-users-12: set up, confirm, log in in two steps, each code once, recovery, off.
#[tokio::test]
async fn the_second_factor_from_enrolment_to_its_end() {
    use kernel::clock::Clock as _;
    let world = world().await;
    let user_id = world.user("ada").await;
    let (service, store) = (&world.service, &world.store);
    assert!(service.enrol_second_factor(store, &user_id, &secret("wrong")).await.is_err());
    let enrolment = service.enrol_second_factor(store, &user_id, &secret(PASSWORD)).await.unwrap();
    assert!(enrolment.address.reveal().starts_with("otpauth://totp/Plinth:ada@example.com?"));
    world.log_in("ada").await;
    let code = || app(enrolment.secret.reveal(), world.clock.now_millis() / 1000);
    assert!(service.confirm_second_factor(store, &user_id, "000000").await.is_err());
    let first = code();
    let recovery = service.confirm_second_factor(store, &user_id, &first).await.unwrap();
    assert_eq!(recovery.0.len(), 10);
    let step = || async {
        match world.try_log_in("ada", PASSWORD).await.unwrap() {
            LoggedIn::SecondStep(step) => step.challenge,
            LoggedIn::Tokens(_) => panic!("the second factor was not asked for"),
        }
    };
    let second = |challenge: secrets::Secret, code: String| async move {
        let attempt = service.attempt(&challenge).await?;
        service.log_in_second(store, &origin(1), attempt, &code).await
    };
    assert!(second(step().await, first).await.is_err(), "each code is accepted once");
    world.advance(Duration::from_secs(30));
    let challenge = step().await;
    let answers = join_all((0..4).map(|_| second(challenge.clone(), code()))).await;
    assert_eq!(answers.iter().filter(|answer| answer.is_ok()).count(), 1, "once, also at once");
    assert!(second(challenge, recovery.0[0].reveal().to_owned()).await.is_err(), "used up");
    let recover = recovery.0[1].reveal().to_lowercase();
    second(step().await, recover.clone()).await.unwrap();
    assert!(second(step().await, recover).await.is_err(), "each recovery code is accepted once");
    let guessed = step().await;
    for _ in 0..5 {
        assert!(second(guessed.clone(), "000000".to_owned()).await.is_err());
    }
    world.advance(Duration::from_secs(30));
    assert!(second(guessed, code()).await.is_err(), "five attempts");
    let slow = step().await;
    world.advance(Duration::from_secs(5 * 60));
    assert!(second(slow, code()).await.is_err(), "five minutes");
    let password = secret(PASSWORD);
    assert!(service.disable_second_factor(store, &user_id, &password, "000000").await.is_err());
    world.advance(Duration::from_secs(30));
    service.disable_second_factor(store, &user_id, &password, &code()).await.unwrap();
    world.log_in("ada").await;
}

/// R001-users-11: an enrolment that began before another one was confirmed changes nothing any more.
#[tokio::test]
async fn a_confirmed_second_factor_is_not_replaced_by_a_late_enrolment() {
    use kernel::clock::Clock as _;
    // Checking the password takes longer than everything else.
    let mut slow = settings();
    slow.password_cost = Cost { memory_kib: 16 << 10, passes: 2, lanes: 1 };
    let world = world_with(slow).await;
    let user_id = world.user("ada").await;
    let (service, store, password) = (&world.service, &world.store, secret(PASSWORD));
    let first = service.enrol_second_factor(store, &user_id, &password).await.unwrap();
    let mut late = std::pin::pin!(service.enrol_second_factor(store, &user_id, &password));
    let begun = std::future::poll_fn(|context| Poll::Ready(late.as_mut().poll(context)));
    assert!(begun.await.is_pending(), "it checks the password");
    let code = || app(first.secret.reveal(), world.clock.now_millis() / 1000);
    let recovery = service.confirm_second_factor(store, &user_id, &code()).await.unwrap();
    assert_eq!(late.await.unwrap_err().code().status, 409);
    world.advance(Duration::from_secs(30));
    assert!(service.confirm_second_factor(store, &user_id, &code()).await.is_err(), "it is on");
    let recovery = recovery.0[0].reveal();
    service.disable_second_factor(store, &user_id, &password, recovery).await.unwrap();
    // What was begun and not confirmed can be begun again.
    service.enrol_second_factor(store, &user_id, &password).await.unwrap();
    service.enrol_second_factor(store, &user_id, &password).await.unwrap();
}

/// One administrator, told once, however many instances start at once.
#[tokio::test]
async fn the_first_start_makes_one_administrator() {
    let world = world().await;
    let starts = join_all((0..8).map(|_| world.service.first_start(&world.store))).await;
    let mut told: Vec<_> = starts.into_iter().filter_map(|start| start.unwrap()).collect();
    assert_eq!(told.len(), 1);
    let admin = told.remove(0);
    assert_eq!(admin.email, "admin@localhost");
    let LoggedIn::Tokens(tokens) =
        world.try_log_in(&admin.email, admin.password.reveal()).await.unwrap()
    else {
        panic!("no second factor is set up");
    };
    let claims = world.service.verify_token(tokens.access_token.reveal()).await.unwrap();
    assert!(claims.roles.contains(&Role::PlatformAdmin));
    assert!(world.service.first_start(&world.store).await.unwrap().is_none());
    assert!(!format!("{admin:?}").contains(admin.password.reveal()));
    // Accounts that nobody owns, the platform's own and those of tenants, are theirs to hear of.
    let priority = Priority::High;
    for account_id in ["platform", "tenant-1"] {
        let told = ToOwners { account_id, priority, subject: "Trouble", message: "Look at it" };
        let (writes, mails) = world.service.tell_owners(told).await.unwrap();
        assert_eq!((writes.len(), mails.len()), (1, 1), "{account_id}");
    }
}

/// R001-notifications-1 to R001-notifications-13: written, listed newest first, read, over in 30 days.
#[tokio::test]
async fn notifications_are_listed_and_read() {
    let world = world().await;
    let user_id = world.user("ada").await;
    let login = Login { name: "ada".to_owned(), password: secret(PASSWORD) };
    world.advance(Duration::from_secs(1));
    world.service.log_in(&world.store, &origin(99), login).await.unwrap();
    let page = world.service.notifications().list(&user_id, 10, None).await.unwrap();
    assert_eq!(page.items.len(), 1);
    let one = &page.items[0];
    assert!(one.message.contains("192.0.2.99") && one.read_at.is_none());
    assert_eq!(one.expires_at, one.created_at.seconds() + 2_592_000);
    assert!(world.mails("ada@example.com").iter().any(|mail| mail.contains("192.0.2.99")));
    let service = &world.service;
    let read = service
        .notifications()
        .mark_read(&user_id, one.created_at, &one.notification_id)
        .await
        .unwrap();
    assert_eq!(read.status, notifications::NotificationStatus::Read);
    let again = service
        .notifications()
        .mark_read(&user_id, one.created_at, &one.notification_id)
        .await
        .unwrap();
    assert_eq!(again.read_at, read.read_at);
    let other = "00000000-0000-4000-8000-000000000000";
    let error = service
        .notifications()
        .mark_read(other, one.created_at, &one.notification_id)
        .await
        .unwrap_err();
    assert_eq!(error.code().status, 404, "somebody else's");
    world.advance(Duration::from_secs(2_592_000));
    assert!(service.notifications().list(&user_id, 10, None).await.unwrap().items.is_empty());
}

/// Nothing that must stay secret is in the store: no password, code, recovery code, token or key.
#[tokio::test]
async fn nothing_secret_is_stored_in_the_clear() {
    let world = world().await;
    let user_id = world.user("ada").await;
    let tokens = world.log_in("ada").await;
    world.service.request_password_reset(&world.store, "ada@example.com").await.unwrap();
    let code = world.last_code("ada@example.com");
    let password = secret(PASSWORD);
    let enrolment =
        world.service.enrol_second_factor(&world.store, &user_id, &password).await.unwrap();
    let mut everything = String::new();
    for table in ["users", "refresh-tokens"] {
        let name = world.store.table(&format!("listbackup/{table}")).unwrap().name().to_owned();
        everything.push_str(&scan(&world, &name).await);
    }
    assert!(everything.contains("ada@example.com"), "the scan finds what is there");
    let code_signs = code.replace('-', "");
    for hidden in [
        PASSWORD,
        &code,
        &code_signs,
        tokens.refresh_token.reveal(),
        tokens.access_token.reveal(),
        enrolment.secret.reveal(),
    ] {
        assert!(!everything.contains(hidden), "{hidden}");
    }
    for shown in [format!("{tokens:?}"), format!("{enrolment:?}"), format!("{password:?}")] {
        assert!(!shown.contains(tokens.refresh_token.reveal()) && !shown.contains(PASSWORD));
        assert!(!shown.contains(enrolment.secret.reveal()), "{shown}");
    }
}

async fn scan(world: &World, table: &str) -> String {
    let request = ScanRequest { table_name: table.to_owned(), ..Default::default() };
    format!("{:?}", world.database.scan(request).await.unwrap().items)
}
