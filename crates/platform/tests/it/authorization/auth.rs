//! An example of each route of `/auth`.

use std::sync::Arc;

use identity::Registration;
use notifications::{Category, Notification, NotificationStatus, NotificationType, Priority};
use serde_json::json;
use web::matrix::{Example, Subject};

use super::stage::{ALL, ANOTHER, Asked, NONE, Stage, example};
use crate::identity::{PASSWORD, secret};

pub fn examples(stage: &Arc<Stage>) -> Vec<Example> {
    [coming_in(stage), mailed(stage), own(stage), second_factor(stage)]
        .into_iter()
        .flatten()
        .collect()
}

fn coming_in(stage: &Arc<Stage>) -> Vec<Example> {
    vec![
        example(stage, "login", NONE, 200, |stage, _| async move {
            let body = json!({ "name": stage.other.email, "password": PASSWORD });
            Asked::new("POST /auth/login").body(body)
        }),
        example(stage, "loginSecondFactor", NONE, 200, |stage, _| async move {
            let (challenge, code) = stage.challenge().await;
            let body = json!({ "challenge": challenge, "code": code });
            Asked::new("POST /auth/login/second-factor").body(body)
        }),
        example(stage, "refreshTokens", NONE, 200, |stage, _| async move {
            let token = stage.session().await.refresh_token.reveal().to_owned();
            Asked::new("POST /auth/refresh").body(json!({ "refreshToken": token }))
        }),
        example(stage, "logout", NONE, 204, |stage, _| async move {
            let token = stage.session().await.refresh_token.reveal().to_owned();
            Asked::new("POST /auth/logout").body(json!({ "refreshToken": token }))
        }),
        example(stage, "getKeySet", NONE, 200, |_, _| async {
            Asked::new("GET /.well-known/jwks.json")
        }),
    ]
}

fn mailed(stage: &Arc<Stage>) -> Vec<Example> {
    vec![
        example(stage, "register", NONE, 202, |stage, _| async move {
            let name = format!("new-{}", stage.number());
            let body = json!({ "email": format!("{name}@example.com"), "username": name,
                "name": "Somebody", "password": PASSWORD });
            Asked::new("POST /auth/register").body(body)
        }),
        example(stage, "verifyEmail", NONE, 204, |stage, _| async move {
            let name = format!("unproved-{}", stage.number());
            let email = format!("{name}@example.com");
            let (identity, commits) = stage.identity();
            let registration = Registration {
                email: email.clone(),
                username: name,
                name: "Somebody".to_owned(),
                password: secret(PASSWORD),
            };
            identity.register(&commits, registration).await.unwrap();
            let body = json!({ "email": email, "code": stage.world.last_code(&email) });
            Asked::new("POST /auth/verify-email").body(body)
        }),
        example(stage, "resendCode", NONE, 202, |stage, _| async move {
            let email = format!("nobody-{}@example.com", stage.number());
            Asked::new("POST /auth/resend-code").body(json!({ "email": email }))
        }),
        example(stage, "forgotPassword", NONE, 202, |stage, _| async move {
            let email = format!("nobody-{}@example.com", stage.number());
            Asked::new("POST /auth/forgot-password").body(json!({ "email": email }))
        }),
        example(stage, "resetPassword", NONE, 204, |stage, _| async move {
            let (identity, commits) = stage.identity();
            let email = &stage.other.email;
            // One mail after the other.
            stage.world.advance(std::time::Duration::from_secs(60));
            identity.request_password_reset(&commits, email).await.unwrap();
            let code = stage.world.last_code(email);
            let body = json!({ "email": email, "code": code, "newPassword": PASSWORD });
            Asked::new("POST /auth/reset-password").body(body)
        }),
    ]
}

fn own(stage: &Arc<Stage>) -> Vec<Example> {
    vec![
        example(stage, "getMe", NONE, 200, |_, _| async { Asked::new("GET /auth/me") }),
        example(stage, "listSessions", NONE, 200, |_, _| async {
            Asked::new("GET /auth/sessions")
        }),
        example(stage, "logoutEverywhere", NONE, 204, |_, _| async {
            Asked::new("POST /auth/logout-everywhere")
        }),
        example(stage, "changePassword", NONE, 200, |stage, _| async move {
            stage.reset_own().await;
            let body = json!({ "currentPassword": PASSWORD, "newPassword": ANOTHER });
            Asked::new("POST /auth/password").body(body)
        }),
        example(stage, "listNotifications", NONE, 200, |_, _| async {
            Asked::new("GET /auth/notifications")
        }),
        example(stage, "readNotification", ALL, 200, |stage, subject| async move {
            let id = stage.world.platform.ids().uuid().unwrap();
            let created_at = stage.world.platform.now();
            if subject != Subject::Missing {
                tell(&stage, subject, &id).await;
            }
            let path = format!("/auth/notifications/{id}/read?createdAt={created_at}");
            Asked::new(format!("POST {path}")).id(id)
        }),
    ]
}

async fn tell(stage: &Stage, subject: Subject, id: &str) {
    let now = stage.world.platform.now();
    let notification = Notification {
        user_id: stage.person(subject).user_id.clone(),
        notification_id: id.to_owned(),
        account_id: stage.account(subject).to_owned(),
        notification_type: NotificationType::InApp,
        category: Category::System,
        priority: Priority::Low,
        subject: "A message".to_owned(),
        message: "Read it".to_owned(),
        status: NotificationStatus::Delivered,
        created_at: now,
        read_at: None,
        expires_at: now.seconds() + 1_000_000,
    };
    stage.identity().0.notifications().create(&notification).unwrap().run().await.unwrap();
}

fn second_factor(stage: &Arc<Stage>) -> Vec<Example> {
    vec![
        example(stage, "enrolSecondFactor", NONE, 200, |stage, _| async move {
            stage.reset_own().await;
            Asked::new("POST /auth/second-factor").body(json!({ "password": PASSWORD }))
        }),
        example(stage, "confirmSecondFactor", NONE, 200, |stage, _| async move {
            let code = stage.enrol_own().await;
            Asked::new("POST /auth/second-factor/confirm").body(json!({ "code": code }))
        }),
        example(stage, "disableSecondFactor", NONE, 204, |stage, _| async move {
            let code = stage.confirm_own().await;
            let body = json!({ "password": PASSWORD, "code": code });
            Asked::new("DELETE /auth/second-factor").body(body)
        }),
    ]
}
