//! The items of identity, as the table documents describe them.

use kernel::caller::Role;
use kernel::moment::Moment;
use ring::digest::{SHA256, digest};
use serde::{Deserialize, Serialize};
use values::hexadecimal;

pub(super) const USERS: &str = "listbackup/users";

/// A user (R001-users-2 to R001-users-12).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct UserRecord {
    /// Who.
    pub user_id: String,
    /// Their address, normalised.
    pub email: String,
    /// Their name to log in with, in lower case.
    pub username: String,
    /// Their full name.
    pub name: String,
    /// Their primary account.
    pub account_id: String,
    /// Whether they may log in.
    pub status: UserStatus,
    /// `admin`, `user` or `readonly`, for the platform as a whole (C1-12).
    pub role: String,
    /// When they registered.
    pub created_at: Moment,
    /// When the item was last changed.
    pub updated_at: Moment,
    /// When they last logged in.
    pub last_login_at: Option<Moment>,
    /// When they proved that the address is theirs.
    pub email_verified_at: Option<Moment>,
    /// Whether a second factor is asked for.
    pub mfa_enabled: bool,
    /// The second factor's secret, sealed.
    pub mfa_secret: Option<String>,
}

/// Whether a user may log in (R001-users-7).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum UserStatus {
    /// They may.
    Active,
    /// They may not, or not yet.
    Inactive,
    /// They may not any more.
    Suspended,
}

impl UserStatus {
    /// Its name in the table.
    pub fn as_str(self) -> &'static str {
        match self {
            UserStatus::Active => "active",
            UserStatus::Inactive => "inactive",
            UserStatus::Suspended => "suspended",
        }
    }
}

#[derive(Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct CredentialRecord {
    pub owner: String,
    pub password_hash: String,
    pub password_changed_at: Moment,
    pub epoch: i64,
    pub version: i64,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct MarkerRecord {
    pub reserved_by: String,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct AccountRecord {
    pub account_id: String,
    pub account_name: String,
    pub root_account_id: String,
    pub account_path: String,
    pub account_type: String,
    pub level: i64,
    pub status: String,
    pub plan: String,
    pub created_at: Moment,
    pub updated_at: Moment,
    pub created_by: String,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct MembershipRecord {
    pub user_id: String,
    pub account_id: String,
    pub role: String,
    pub joined_at: Moment,
    pub status: String,
}

#[derive(Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct TokenRecord {
    pub refresh_token: String,
    pub user_id: String,
    pub account_id: String,
    pub token_family: String,
    pub issued_at: Moment,
    pub expires_at: u64,
    pub last_used_at: Option<Moment>,
    pub user_agent: Option<String>,
    pub ip_address: Option<String>,
    pub revoked: bool,
    pub rotated_to: Option<String>,
    pub rotated_from: Option<String>,
    pub successor_salt: Option<String>,
}

#[derive(Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SessionRecord {
    pub session: String,
    pub owner: String,
    pub account: String,
    pub epoch: i64,
    pub started_at: Moment,
    pub expires_at: u64,
    pub ended: bool,
    pub user_agent: Option<String>,
    pub ip_address: Option<String>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ChallengeRecord {
    pub challenge_hash: String,
    pub owner: String,
    pub epoch: i64,
    pub attempts: i64,
    pub started_at: Moment,
    pub expires_at: u64,
}

/// SHA-256 of parts, none of which can run into the next, in hexadecimal digits.
pub(super) fn sha256_hex(parts: &[&str]) -> String {
    let mut bytes = Vec::new();
    for part in parts {
        bytes.extend((part.len() as u64).to_be_bytes());
        bytes.extend(part.as_bytes());
    }
    hexadecimal::encode(digest(&SHA256, &bytes).as_ref())
}

/// SHA-256 of a text alone, as the documents ask for refresh tokens.
pub(super) fn sha256_of(text: &str) -> String {
    hexadecimal::encode(digest(&SHA256, text.as_bytes()).as_ref())
}

/// Whether two texts are the same, in a time that does not tell where they differ.
pub(super) fn same(one: &str, other: &str) -> bool {
    let differs = one.bytes().zip(other.bytes()).fold(0, |all, (a, b)| all | (a ^ b));
    one.len() == other.len() && std::hint::black_box(differs) == 0
}

/// What a membership's role is called here.
pub(super) fn role_of(membership: &str) -> Option<Role> {
    Role::parse(membership)
}
