//! Registering, and proving that an email address is one's own.
//!
//! The answer does not tell whether the address has an account: its owner learns it by mail. It does
//! tell whether the username is taken, whatever the address, since usernames are shown to others.

use audit::Entry;
use changes::Event;
use changes::{Conflict, Refusal, Rejection};
use kernel::error::{CONFLICT, Error};
use secrets::Secret;
use serde_json::json;
use store::{Changes, Write};

use super::codes::{Purpose, invalid};
use super::commit::{Commit, Noted, first_decides, guarded};
use super::records::{AccountRecord, CredentialRecord, MembershipRecord, UserRecord, UserStatus};
use super::service::Service;
use super::tables::Tables;
use super::{email, password};
use crate::mail::Mail;

/// Who wants to register.
#[derive(Clone, Debug)]
pub struct Registration {
    /// Their address.
    pub email: String,
    /// The name that they want to log in with.
    pub username: String,
    /// Their full name.
    pub name: String,
    /// Their password.
    pub password: Secret,
}

/// A registration that is checked, with its password hashed.
pub(super) struct NewUser {
    pub email: String,
    pub username: String,
    pub name: String,
    pub password_hash: String,
    /// `admin`, `user` or `readonly`.
    pub role: &'static str,
    /// Whether the address needs no proof.
    pub verified: bool,
}

/// A user who is to be made: the record, its writes, and what is noted of it.
pub(super) type PreparedUser = (UserRecord, Vec<(Write, Refusal)>, Noted);

impl Service {
    /// Registers a user, with an account of their own, and mails a code to the address. The answer is
    /// the same if the address is taken; its owner is mailed something else.
    pub async fn register(
        &self,
        commit: &dyn Commit,
        registration: Registration,
    ) -> Result<(), Error> {
        let email = email::normalise(&registration.email)?;
        let username = username(&registration.username)?;
        let name = full_name(&registration.name)?;
        password::check("password", &registration.password, &email)?;
        let password_hash = self.passwords.hash(&registration.password).await?;
        let user = NewUser { email, username, name, password_hash, role: "user", verified: false };
        let (user, mut writes, noted) = self.new_user(user)?;
        let (code, code_write) = self.new_code(Purpose::VerifyEmail, &user.user_id)?;
        writes.extend(guarded([code_write]));
        let product = &self.settings.product;
        match commit.commit(writes, noted).await {
            Ok(()) => self.mail(Mail::verify_email(product, &user.email, code)).await,
            // The address is taken.
            Err(Rejection::Conflict) => self.registered_again(commit, &user.email).await,
            Err(rejection) => Err(rejection.into()),
        }
    }

    /// Somebody registers with an address that is taken. While nobody has proved that it is theirs, it
    /// cannot be told whose the first password is: a stranger may have registered before the owner, who
    /// would let them in by entering a code. So nobody's password counts from here on, and the owner
    /// chooses one by mail.
    async fn registered_again(&self, commit: &dyn Commit, email: &str) -> Result<(), Error> {
        let product = &self.settings.product;
        let user = self.user_by_email(email).await?;
        let Some(user) = user.filter(|user| user.email_verified_at.is_none()) else {
            return self.mail(Mail::already_registered(product, email)).await;
        };
        if let Some(mut credential) = self.credential(&user.user_id).await? {
            credential.password_hash = self.passwords.of_nobody().to_owned();
            let forget = self.tables.users.credential().replace_version(&credential)?;
            let entry = Entry::new("USER", "REGISTRATION_CONTESTED", &*user.account_id)
                .of("user", &*user.user_id);
            match commit.commit(first_decides([forget]), Noted::entry(entry)).await {
                // Another one who registered did the same, or the owner has chosen a password.
                Err(Rejection::Conflict) => {}
                result => result?,
            }
        }
        self.mail(Mail::registered_again(product, email)).await
    }

    /// Proves with the mailed code that an address is its user's, who may then log in.
    pub async fn verify_email(
        &self,
        commit: &dyn Commit,
        email: &str,
        code: &str,
    ) -> Result<(), Error> {
        let email = email::normalise(email)?;
        let (user, used) = self.proved_by(commit, Purpose::VerifyEmail, &email, code).await?;
        let mut writes = vec![(used, invalid().into())];
        writes.extend(guarded([self.verified(&user)?]));
        let entry =
            Entry::new("USER", "EMAIL_VERIFIED", &*user.account_id).of("user", &*user.user_id);
        Ok(commit.commit(writes, Noted::entry(entry)).await?)
    }

    /// Mails another code to an address whose user is not verified. The answer is always the same.
    pub async fn resend_code(&self, commit: &dyn Commit, email: &str) -> Result<(), Error> {
        let email = email::normalise(email)?;
        let Some(owner) = self.owner(&email).await? else { return Ok(()) };
        let Some(user) = self.user(&owner).await? else { return Ok(()) };
        let purpose = Purpose::VerifyEmail;
        if user.email_verified_at.is_some() || self.code_is_fresh(purpose, &owner).await? {
            return Ok(());
        }
        let (code, write) = self.new_code(purpose, &owner)?;
        commit.commit(guarded([write]), Noted::default()).await?;
        self.mail_known(Mail::verify_email(&self.settings.product, &email, code)).await
    }

    /// The change of a user whose address is proved to be theirs. Whom an administrator made inactive
    /// stays so.
    pub(super) fn verified(&self, user: &UserRecord) -> Result<Write, Error> {
        let now = self.now().to_string();
        let mut changes = Changes::new().set("updatedAt", &*now);
        if user.email_verified_at.is_none() {
            changes = changes.set("emailVerifiedAt", &*now);
            if user.status == UserStatus::Inactive {
                changes = changes.set("status", UserStatus::Active.as_str());
            }
        }
        self.update_user(&user.user_id, changes)
    }

    /// The writes of a new user: themselves, both markers, credential, account and membership. An
    /// address that is taken is a conflict.
    pub(super) fn new_user(&self, new: NewUser) -> Result<PreparedUser, Error> {
        let now = self.now();
        let (user_id, account_id) = (self.ids.uuid()?, self.ids.uuid()?);
        let user = UserRecord {
            user_id: user_id.clone(),
            email: new.email,
            username: new.username,
            name: new.name,
            account_id: account_id.clone(),
            status: if new.verified { UserStatus::Active } else { UserStatus::Inactive },
            role: new.role.to_owned(),
            created_at: now,
            updated_at: now,
            last_login_at: None,
            email_verified_at: new.verified.then_some(now),
            mfa_enabled: false,
            mfa_secret: None,
        };
        let credential = CredentialRecord {
            owner: user_id.clone(),
            password_hash: new.password_hash,
            password_changed_at: now,
            epoch: 0,
            version: 1,
        };
        let membership = MembershipRecord {
            user_id: user_id.clone(),
            account_id: account_id.clone(),
            role: "owner".to_owned(),
            joined_at: now,
            status: "active".to_owned(),
        };
        let account = personal_account(&user);
        let Tables { users, accounts, memberships, .. } = &*self.tables;
        let username = users.username_marker().reserve(&user.username, &user_id)?;
        let email = users.email_marker().reserve(&user.email, &user_id)?;
        let mut writes = guarded([users.create_user().put(&user)?]);
        writes.push((username, username_taken().into()));
        writes.push((email, Conflict.into()));
        writes.extend(guarded([
            users.credential().create(&credential)?,
            accounts.account().create(&account)?,
            memberships.membership().create(&membership)?,
        ]));
        let data = json!({ "userId": user_id, "accountId": account_id, "username": user.username });
        let entry = Entry::new("USER", "USER_REGISTERED", &*account_id)
            .of("user", &*user_id)
            .changed(None, Some(data.clone()));
        let noted = Noted::entry(entry).and(Event::new("user.registered", &*account_id, data));
        Ok((user, writes, noted))
    }
}

fn username_taken() -> Error {
    Error::new(CONFLICT, "This username is taken: choose another").detail("field", "username")
}

/// The account that every user has of their own: the root of a tree of one.
fn personal_account(user: &UserRecord) -> AccountRecord {
    AccountRecord {
        account_id: user.account_id.clone(),
        account_name: user.name.clone(),
        root_account_id: user.account_id.clone(),
        account_path: format!("/{}/", user.account_id),
        account_type: "conglomerate".to_owned(),
        level: 0,
        status: "active".to_owned(),
        plan: "free".to_owned(),
        created_at: user.created_at,
        updated_at: user.created_at,
        created_by: user.user_id.clone(),
    }
}

fn username(text: &str) -> Result<String, Error> {
    let name = text.trim().to_lowercase();
    let sign = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
    if (3..=64).contains(&name.len()) && name.chars().all(sign) {
        return Ok(name);
    }
    let why = "it should be 3 to 64 letters, digits, dots, hyphens or underscores";
    Err(Error::validation([("username", why.to_owned())]))
}

fn full_name(text: &str) -> Result<String, Error> {
    let name = text.trim();
    if (1..=200).contains(&name.chars().count()) && !name.contains(char::is_control) {
        return Ok(name.to_owned());
    }
    let why = "it should be 1 to 200 characters, all of them visible";
    Err(Error::validation([("name", why.to_owned())]))
}
