//! What identity is told when it is made: names, lives and limits.

use std::time::Duration;

use super::password::Cost;

/// Settings of identity. Start from [`Settings::new`].
#[derive(Clone, Debug)]
pub struct Settings {
    /// `iss` of the tokens: where this Plinth is reached.
    pub issuer: String,
    /// `aud` of the tokens.
    pub audience: String,
    /// How long an access token is good for.
    pub access_life: Duration,
    /// How long a session lasts, however often it is refreshed (R002-9.1-1).
    pub session_life: Duration,
    /// Within which a refresh may be repeated because its answer was lost. See `sessions.rs`.
    pub refresh_grace: Duration,
    /// By how much `iat` and `nbf` of our own tokens may lie ahead: clocks of several instances.
    pub clock_skew: Duration,
    /// How long a new signing key is published before it signs.
    pub key_publish_ahead: Duration,
    /// How long the signing keys are kept in memory.
    pub key_cache: Duration,
    /// How long a code that was mailed is good for.
    pub code_life: Duration,
    /// How often it may be tried.
    pub code_attempts_max: u32,
    /// Not sooner than this is another code mailed for the same purpose.
    pub code_interval: Duration,
    /// How long the second step of a login may take.
    pub challenge_life: Duration,
    /// What hashing a password costs.
    pub password_cost: Cost,
    /// How many passwords are hashed at once.
    pub password_hashes_max: usize,
    /// How many more may wait for it; others are told to come back.
    pub password_waiting_max: usize,
    /// Whether mails that only known addresses get are sent after the answer: the time that a mail
    /// server takes would tell whether an address has an account.
    pub mail_after_answer: bool,
    /// Address of the administrator whom the first start makes.
    pub admin_email: String,
    /// Name of the product, for mails and authenticator apps.
    pub product: String,
}

impl Settings {
    /// The usual settings for an address under which this Plinth is reached.
    pub fn new(issuer: impl Into<String>) -> Settings {
        let minutes = |minutes: u64| Duration::from_secs(60 * minutes);
        Settings {
            issuer: issuer.into(),
            audience: "plinth".to_owned(),
            access_life: minutes(15),
            session_life: minutes(30 * 24 * 60),
            refresh_grace: Duration::from_secs(10),
            clock_skew: Duration::from_secs(5),
            key_publish_ahead: minutes(10),
            key_cache: minutes(1),
            code_life: minutes(15),
            code_attempts_max: 5,
            code_interval: minutes(1),
            challenge_life: minutes(5),
            password_cost: Cost::default(),
            password_hashes_max: 2,
            password_waiting_max: 64,
            mail_after_answer: true,
            admin_email: "admin@localhost".to_owned(),
            product: "Plinth".to_owned(),
        }
    }
}
