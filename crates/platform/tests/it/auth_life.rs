//! The whole life of a user over the routes of `/auth`, with every answer and every secret written
//! down, for the tests that look at it.

use std::time::Duration;

use kernel::clock::Clock as _;
use serde_json::{Value, json};

use crate::http::sample::Got;
use crate::identity::app;
use crate::platform_world::PlatformWorld;

pub const EMAIL: &str = "grace@example.com";
pub const PASSWORD: &str = "CANARY-pass-one-Xk29vQ";
pub const RESET_PASSWORD: &str = "CANARY-pass-two-Lm83rT";
pub const LAST_PASSWORD: &str = "CANARY-pass-three-Wn57yB";
const WRONG_PASSWORD: &str = "CANARY-pass-wrong-Zd46hJ";

/// A life, and what was said in it.
pub struct Life<'w> {
    pub world: &'w PlatformWorld,
    /// Every answer, with the secrets that it was to hand out.
    pub answers: Vec<(String, Got, Vec<String>)>,
    /// Every secret, with what it is.
    pub secrets: Vec<(&'static str, String)>,
    requests: u32,
}

/// A pair of tokens.
#[derive(Clone, Debug)]
pub struct Pair {
    pub access: String,
    pub refresh: String,
}

impl<'w> Life<'w> {
    pub fn new(world: &'w PlatformWorld) -> Life<'w> {
        let passwords = [PASSWORD, RESET_PASSWORD, LAST_PASSWORD, WRONG_PASSWORD];
        let secrets = passwords.map(|password| ("password", password.to_owned())).to_vec();
        Life { world, answers: Vec::new(), secrets, requests: 0 }
    }

    /// Asks, and notes the answer. Every request has an Idempotency-Key, so that whatever is kept for
    /// repetition is kept.
    pub async fn ask(&mut self, line: &str, token: Option<&str>, body: Value) -> &Got {
        self.requests += 1;
        let mut call = self.world.call(line);
        call = call.header("idempotency-key", &format!("life-{}", self.requests));
        if let Some(token) = token {
            call = call.bearer(token);
        }
        if !body.is_null() {
            call = call.json(&body);
        }
        let got = call.send().await;
        self.answers.push((line.to_owned(), got, Vec::new()));
        &self.answers[self.answers.len() - 1].1
    }

    /// The same, and says what is expected.
    pub async fn expect(
        &mut self,
        status: u16,
        line: &str,
        token: Option<&str>,
        body: Value,
    ) -> Value {
        let got = self.ask(line, token, body).await;
        assert_eq!(got.status, status, "{line}: {}", String::from_utf8_lossy(&got.body));
        serde_json::from_slice(&got.body).unwrap_or_default()
    }

    /// Notes that the last answer hands out a secret.
    fn handed_out(&mut self, what: &'static str, secret: &str) {
        self.secrets.push((what, secret.to_owned()));
        self.answers.last_mut().unwrap().2.push(secret.to_owned());
    }

    fn pair(&mut self, answer: &Value) -> Pair {
        let text = |name: &str| answer[name].as_str().unwrap().to_owned();
        let pair = Pair { access: text("accessToken"), refresh: text("refreshToken") };
        self.handed_out("access token", &pair.access);
        self.handed_out("refresh token", &pair.refresh);
        pair
    }

    /// The code that was mailed last.
    fn mailed(&mut self) -> String {
        let code = self.world.last_code(EMAIL);
        self.secrets.push(("mailed code", code.clone()));
        code
    }

    /// What the app shows now. A code is used once.
    fn shown_by_app(&self, secret: &str) -> String {
        app(secret, self.world.clock.now_millis() / 1000)
    }

    /// R001-users-8, R001-users-9, R001-users-10: from nobody to the first session.
    pub async fn join(&mut self) -> Pair {
        let new = json!({ "email": "Grace@Example.com", "username": "grace",
            "name": "Grace Hopper", "password": PASSWORD });
        let answer = self.expect(202, "POST /auth/register", None, new).await;
        assert_eq!(answer["_links"]["verify"]["href"], "/auth/verify-email");
        let login = json!({ "name": EMAIL, "password": PASSWORD });
        let early = self.expect(403, "POST /auth/login", None, login.clone()).await;
        assert_eq!(early["error"]["code"], "EMAIL_NOT_VERIFIED");
        let again = json!({ "email": EMAIL });
        self.expect(202, "POST /auth/resend-code", None, again.clone()).await;
        assert_eq!(self.world.mails(EMAIL).len(), 1, "not sooner than after a minute");
        self.mailed();
        self.world.advance(Duration::from_secs(61));
        self.expect(202, "POST /auth/resend-code", None, again).await;
        let code = self.mailed();
        let wrong = json!({ "email": EMAIL, "code": "0000-0000" });
        let refused = self.expect(400, "POST /auth/verify-email", None, wrong).await;
        assert_eq!(refused["error"]["code"], "CODE_INVALID");
        let proof = json!({ "email": EMAIL, "code": code.to_lowercase() });
        self.expect(204, "POST /auth/verify-email", None, proof.clone()).await;
        self.expect(400, "POST /auth/verify-email", None, proof).await;
        let wrong = json!({ "name": EMAIL, "password": WRONG_PASSWORD });
        self.expect(401, "POST /auth/login", None, wrong).await;
        let answer = self.expect(200, "POST /auth/login", None, login).await;
        assert_eq!((&answer["tokenType"], &answer["expiresIn"]), (&json!("Bearer"), &json!(900)));
        self.pair(&answer)
    }

    /// R001-users-11, R001-users-12: sets up an app. Gives its secret.
    pub async fn set_up_app(&mut self, token: &str) -> String {
        let wrong = json!({ "password": WRONG_PASSWORD });
        self.expect(401, "POST /auth/second-factor", Some(token), wrong).await;
        let body = json!({ "password": PASSWORD });
        let answer = self.expect(200, "POST /auth/second-factor", Some(token), body).await;
        let secret = answer["secret"].as_str().unwrap().to_owned();
        assert!(answer["otpauthUri"].as_str().unwrap().contains(&secret));
        self.handed_out("TOTP secret", &secret);
        let confirm = "POST /auth/second-factor/confirm";
        self.expect(400, confirm, Some(token), json!({ "code": "000000" })).await;
        let code = self.shown_by_app(&secret);
        let answer = self.expect(200, confirm, Some(token), json!({ "code": code })).await;
        let codes = answer["recoveryCodes"].as_array().unwrap().clone();
        assert_eq!(codes.len(), 10);
        codes.iter().for_each(|code| self.handed_out("recovery code", code.as_str().unwrap()));
        secret
    }

    /// Logs in with both factors.
    pub async fn log_in_twice(&mut self, password: &str, secret: &str) -> Pair {
        self.world.advance(Duration::from_secs(30));
        let login = json!({ "name": "grace", "password": password });
        let answer = self.expect(202, "POST /auth/login", None, login).await;
        assert!(answer.get("accessToken").is_none(), "half a login gives no token");
        let challenge = answer["challenge"].as_str().unwrap().to_owned();
        self.handed_out("challenge", &challenge);
        let second = |code: &str| json!({ "challenge": challenge, "code": code });
        let line = "POST /auth/login/second-factor";
        self.expect(401, line, None, second("000000")).await;
        let code = self.shown_by_app(secret);
        let answer = self.expect(200, line, None, second(&code)).await;
        let pair = self.pair(&answer);
        self.expect(401, line, None, second(&code)).await;
        pair
    }

    /// R001-refresh-6, C1-28: each refresh token once; twice ends the family.
    pub async fn refresh(&mut self, pair: &Pair) -> Pair {
        let with = |pair: &Pair| json!({ "refreshToken": pair.refresh });
        let answer = self.expect(200, "POST /auth/refresh", None, with(pair)).await;
        let next = self.pair(&answer);
        assert_ne!(next.refresh, pair.refresh);
        self.expect(200, "GET /auth/me", Some(&next.access), Value::Null).await;
        next
    }

    /// The whole.
    pub async fn live(&mut self) {
        let first = self.join().await;
        let me = self.expect(200, "GET /auth/me", Some(&first.access), Value::Null).await;
        assert_eq!(me["_links"]["enrolSecondFactor"]["href"], "/auth/second-factor");
        let secret = self.set_up_app(&first.access).await;
        self.rest(&first, &secret).await;
    }

    /// From the first login with both factors to the end.
    pub async fn rest(&mut self, first: &Pair, secret: &str) {
        let second = self.log_in_twice(PASSWORD, secret).await;
        let third = self.refresh(&second).await;
        self.world.advance(Duration::from_secs(11));
        let stolen = json!({ "refreshToken": second.refresh });
        self.expect(401, "POST /auth/refresh", None, stolen).await;
        let ended = json!({ "refreshToken": third.refresh });
        self.expect(401, "POST /auth/refresh", None, ended).await;
        self.expect(401, "GET /auth/me", Some(&third.access), Value::Null).await;
        self.read_about_it(first).await;
        self.expect(204, "POST /auth/logout-everywhere", Some(&first.access), Value::Null).await;
        self.expect(401, "GET /auth/me", Some(&first.access), Value::Null).await;
        let late = json!({ "refreshToken": first.refresh });
        self.expect(401, "POST /auth/refresh", None, late).await;
        self.world.advance(Duration::from_secs(600));
        self.new_passwords(secret).await;
    }

    /// The other session of the same person goes on, and tells what happened.
    async fn read_about_it(&mut self, first: &Pair) {
        let token = Some(first.access.as_str());
        let page = self.expect(200, "GET /auth/notifications", token, Value::Null).await;
        let told = page["items"].as_array().unwrap();
        let ended = told.iter().find(|item| item["subject"] == "A session was ended").unwrap();
        assert_eq!(
            (&ended["priority"], &ended["category"]),
            (&json!("critical"), &json!("security"))
        );
        let link = ended["_links"]["read"]["href"].as_str().unwrap().to_owned();
        let read = self.expect(200, &format!("POST {link}"), token, Value::Null).await;
        assert_eq!((&read["status"], &read["_links"]), (&json!("read"), &json!({})));
        let sessions = self.expect(200, "GET /auth/sessions", token, Value::Null).await;
        assert_eq!(
            (&sessions["count"], &sessions["items"][0]["current"]),
            (&json!(1), &json!(true))
        );
    }

    /// Forgotten, set anew, changed; then without the second factor, and out.
    async fn new_passwords(&mut self, secret: &str) {
        self.expect(202, "POST /auth/forgot-password", None, json!({ "email": EMAIL })).await;
        let code = self.mailed();
        let reset = json!({ "email": EMAIL, "code": code, "newPassword": RESET_PASSWORD });
        self.expect(204, "POST /auth/reset-password", None, reset.clone()).await;
        self.expect(400, "POST /auth/reset-password", None, reset).await;
        let old = json!({ "name": EMAIL, "password": PASSWORD });
        self.expect(401, "POST /auth/login", None, old).await;
        let pair = self.log_in_twice(RESET_PASSWORD, secret).await;
        let change = json!({ "currentPassword": RESET_PASSWORD, "newPassword": LAST_PASSWORD });
        let answer = self.expect(200, "POST /auth/password", Some(&pair.access), change).await;
        let last = self.pair(&answer);
        self.expect(401, "GET /auth/me", Some(&pair.access), Value::Null).await;
        self.world.advance(Duration::from_secs(30));
        let both = json!({ "password": LAST_PASSWORD, "code": self.shown_by_app(secret) });
        self.expect(204, "DELETE /auth/second-factor", Some(&last.access), both).await;
        let login = json!({ "name": "Grace", "password": LAST_PASSWORD });
        let answer = self.expect(200, "POST /auth/login", None, login).await;
        let other = self.pair(&answer);
        let out = json!({ "refreshToken": last.refresh });
        self.expect(204, "POST /auth/logout", None, out).await;
        self.expect(401, "GET /auth/me", Some(&last.access), Value::Null).await;
        self.expect(204, "POST /auth/logout", Some(&other.access), json!({})).await;
        self.expect(401, "GET /auth/me", Some(&other.access), Value::Null).await;
        self.expect(401, "POST /auth/logout", None, json!({})).await;
    }
}
