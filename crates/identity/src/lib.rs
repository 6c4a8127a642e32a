//! Who are the people? Their accounts, credentials, sessions and tokens, and the tokens of other
//! issuers.
//!
//! Invariants:
//! - Whether an email address has an account is told to nobody but the address itself.
//! - An index is never asked who owns an email address or a username: marker items are.
//! - Passwords, codes, recovery codes and refresh tokens are stored hashed; second factors and
//!   signing keys sealed.
//! - Whether a session is over is read from the store each time, never remembered.

mod authenticator;
mod claims;
mod codes;
mod commit;
mod email;
mod external;
mod first_start;
mod jwks;
mod jws;
pub mod keys;
mod known_tokens;
mod login;
pub mod mail;
mod owners;
mod password;
mod password_change;
mod records;
mod register;
mod second_factor;
mod service;
mod sessions;
mod settings;
mod signing_keys;
mod tables;
mod token;
mod totp;
mod web;

pub use authenticator::{Authenticator, Credential};
pub use codes::CODE_INVALID;
pub use commit::{Commit, Committing, Noted};
pub use email::normalise as normalise_email;
pub use external::{ClaimNames, External, ExternalIssuer, TokenUse};
pub use first_start::FirstAdministrator;
pub use jwks::{Fetch, Fetching, JwksCache, JwksSource, KeyCacheSettings};
pub use jws::{Algorithm, PublicKey, SigningKey};
pub use login::{Attempt, LoggedIn, Login, SecondStep};
pub use owners::ToOwners;
pub use password::{Cost, Passwords};
pub use records::{UserRecord, UserStatus};
pub use register::Registration;
pub use second_factor::{Enrolment, RecoveryCodes};
pub use service::{EMAIL_NOT_VERIFIED, Origin, Parts, Service};
pub use sessions::{SessionSummary, Tokens};
pub use settings::Settings;
pub use signing_keys::SigningKeys;
pub use token::AccessClaims;
pub use web::HttpsFetch;
