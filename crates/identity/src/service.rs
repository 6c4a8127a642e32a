//! The people of one store: what every part of identity shares.

use std::net::IpAddr;
use std::sync::Arc;

use audit::Entry;
use changes::Event;
use kernel::PLATFORM;
use kernel::clock::Clock;
use kernel::error::{Code, Error, FORBIDDEN, NOT_FOUND, UNAUTHORIZED};
use kernel::ids::{Ids, is_uuid};
use kernel::moment::Moment;
use kernel::recent::Recent;
use notifications::Notifications;
use secrets::Seal;
use store::Store;

use super::commit::guarded;
use super::known_tokens::KnownTokens;
use super::password::Passwords;
use super::records::{
    AccountRecord, CredentialRecord, MarkerRecord, MembershipRecord, UserRecord, UserStatus,
};
use super::sessions::Live;
use super::settings::Settings;
use super::signing_keys::SigningKeys;
use super::tables::Tables;
use super::{Commit, Noted, email};
use crate::mail::{Mail, Mailer};

/// The user's address is not verified yet: nobody logs in with it.
pub const EMAIL_NOT_VERIFIED: Code = Code::new("EMAIL_NOT_VERIFIED", 403);

/// What identity is made of.
pub struct Parts {
    /// Where everything is kept.
    pub store: Store,
    /// What second factors and signing keys are sealed with.
    pub seal: Arc<dyn Seal>,
    /// Who takes mails.
    pub mailer: Arc<dyn Mailer>,
    /// Where identifiers and secrets come from.
    pub ids: Ids,
    /// Where the time comes from.
    pub clock: Arc<dyn Clock>,
    /// Names, lives and limits.
    pub settings: Settings,
}

/// Where a request comes from, as far as is known.
#[derive(Clone, Debug, Default)]
pub struct Origin {
    /// The client's address.
    pub address: Option<IpAddr>,
    /// The client's own name.
    pub user_agent: Option<String>,
}

/// The people. Cloning is cheap.
#[derive(Clone)]
pub struct Service {
    pub(super) store: Store,
    pub(super) tables: Arc<Tables>,
    pub(super) notifications: Notifications,
    pub(super) seal: Arc<dyn Seal>,
    pub(super) mailer: Arc<dyn Mailer>,
    pub(super) ids: Ids,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) settings: Settings,
    pub(super) passwords: Passwords,
    pub(super) keys: SigningKeys,
    pub(super) known: Arc<KnownTokens>,
    /// By their identifiers.
    pub(super) live: Arc<Recent<String, Arc<Live>>>,
}

impl Service {
    /// Identity on these parts.
    pub fn new(parts: Parts) -> Result<Service, Error> {
        let Parts { store, seal, mailer, ids, clock, settings } = parts;
        let (at_once, waiting) = (settings.password_hashes_max, settings.password_waiting_max);
        let passwords = Passwords::new(ids.clone(), settings.password_cost, at_once, waiting)?;
        let tables = Arc::new(Tables::open(&store)?);
        let notifications = Notifications::open(&store, ids.clone(), Arc::clone(&clock))?;
        let keys = SigningKeys::new(
            Arc::clone(&tables),
            Arc::clone(&seal),
            ids.clone(),
            Arc::clone(&clock),
            settings.clone(),
        );
        let (known, live) = (Arc::default(), Arc::default());
        Ok(Service {
            store,
            tables,
            notifications,
            seal,
            mailer,
            ids,
            clock,
            settings,
            passwords,
            keys,
            known,
            live,
        })
    }

    /// The messages to users.
    pub fn notifications(&self) -> &Notifications {
        &self.notifications
    }

    /// The keys that sign its tokens.
    pub fn keys(&self) -> &SigningKeys {
        &self.keys
    }

    /// A user by their id.
    pub async fn user(&self, user_id: &str) -> Result<Option<UserRecord>, Error> {
        if !is_uuid(user_id) {
            return Ok(None);
        }
        Ok(self.tables.users.get_user(user_id).get().await?)
    }

    /// A user by their address.
    pub async fn user_by_email(&self, email: &str) -> Result<Option<UserRecord>, Error> {
        match self.owner(email).await? {
            Some(user_id) if email.contains('@') => self.user(&user_id).await,
            _ => Ok(None),
        }
    }

    /// What an account is called, if there is one.
    pub async fn account_name(&self, account_id: &str) -> Result<Option<String>, Error> {
        if !is_uuid(account_id) {
            return Ok(None);
        }
        let get = self.tables.accounts.get_account(account_id);
        let account: Option<AccountRecord> = get.get().await?;
        Ok(account.map(|account| account.account_name))
    }

    /// Sets whether a user may log in. Anything but active ends their sessions at once.
    pub async fn set_status(
        &self,
        commit: &dyn Commit,
        user_id: &str,
        status: UserStatus,
    ) -> Result<(), Error> {
        let missing = || Error::new(NOT_FOUND, "There is no such user");
        let user = self.user(user_id).await?.ok_or_else(missing)?;
        let credential = self.credential(user_id).await?.ok_or_else(missing)?;
        let changes = store::Changes::new()
            .set("status", status.as_str())
            .set("updatedAt", self.now().to_string());
        let mut writes = vec![self.update_user(user_id, changes)?];
        if status != UserStatus::Active {
            writes.push(self.end_all(&credential)?);
        }
        let entry = Entry::new("USER", "USER_STATUS_CHANGED", &*user.account_id)
            .of("user", user_id)
            .detail("from", user.status.as_str())
            .detail("to", status.as_str());
        let data = serde_json::json!({ "userId": user_id, "status": status.as_str() });
        let event = Event::new("user.status_changed", &*user.account_id, data);
        Ok(commit.commit(guarded(writes), Noted::entry(entry).and(event)).await?)
    }

    pub(super) fn now(&self) -> Moment {
        Moment::from_millis(self.clock.now_millis())
    }

    /// Whose a name to log in with is: an email address or a username.
    pub(super) async fn owner(&self, name: &str) -> Result<Option<String>, Error> {
        let users = &self.tables.users;
        let get = if name.contains('@') {
            let Ok(address) = email::normalise(name) else { return Ok(None) };
            users.get_email_owner(&address)
        } else {
            users.get_username_owner(&name.trim().to_lowercase())
        };
        Ok(get.get::<MarkerRecord>().await?.map(|marker| marker.reserved_by))
    }

    /// Whom a name to log in with aims at: whose it is, so that guesses at the address and the username of
    /// one person are counted together, or the name itself if it is nobody's.
    pub async fn target_of(&self, name: &str) -> Result<String, Error> {
        Ok(self.owner(name).await?.unwrap_or_else(|| name.to_owned()))
    }

    pub(super) async fn credential(
        &self,
        user_id: &str,
    ) -> Result<Option<CredentialRecord>, Error> {
        Ok(self.tables.users.get_credential(user_id).get().await?)
    }

    /// The user's membership in their primary account, if it holds (C1-15).
    pub(super) async fn membership(
        &self,
        user: &UserRecord,
    ) -> Result<Option<MembershipRecord>, Error> {
        let get = self.tables.memberships.get_membership(&user.user_id, &user.account_id);
        let membership: Option<MembershipRecord> = get.get().await?;
        Ok(membership.filter(|membership| membership.status == "active"))
    }

    pub(super) fn update_user(
        &self,
        user_id: &str,
        changes: store::Changes,
    ) -> Result<store::Write, Error> {
        Ok(self.tables.users.update_user(user_id).update(changes)?)
    }

    /// The write that ends every session of a user, unless somebody else has just done so.
    pub(super) fn end_all(&self, credential: &CredentialRecord) -> Result<store::Write, Error> {
        let end = self.tables.users.end_sessions(&credential.owner, credential.epoch);
        Ok(end.update(store::Changes::new().add("epoch", 1_i64).add("version", 1_i64))?)
    }

    /// Records that somebody did not prove to be a user. For a name that nobody has it is the platform's
    /// to know; not to record it would answer sooner, and so tell which names there are. The name
    /// itself is left out: people type passwords into the wrong field.
    pub(super) async fn note_failure(
        &self,
        commit: &dyn Commit,
        action: &'static str,
        user: Option<&UserRecord>,
    ) -> Result<(), Error> {
        let entry = match user {
            Some(user) => Entry::new("AUTH", action, &*user.account_id).of("user", &*user.user_id),
            None => Entry::new("AUTH", action, PLATFORM).detail("reason", "unknown name"),
        };
        let entry = entry.failed();
        Ok(commit.commit(Vec::new(), Noted::entry(entry)).await?)
    }

    /// Sends a mail that an unknown address would not get, so that the answer does not wait for it. A
    /// mailer that wants to be watched counts its own failures.
    pub(super) async fn mail_known(&self, mail: Mail) -> Result<(), Error> {
        if !self.settings.mail_after_answer {
            return self.mail(mail).await;
        }
        let mailer = Arc::clone(&self.mailer);
        tokio::spawn(async move { mailer.send(mail).await });
        Ok(())
    }

    /// Sends a mail after what it tells of was committed. What was committed stays so if the mail does
    /// not go: the caller can ask for another one.
    pub async fn mail(&self, mail: Mail) -> Result<(), Error> {
        self.mailer.send(mail).await
    }
}

/// Refuses a user who may not log in. Only told to whoever knows the password.
pub(super) fn must_be_active(user: &UserRecord) -> Result<(), Error> {
    match (user.status, user.email_verified_at) {
        (UserStatus::Active, _) => Ok(()),
        (UserStatus::Inactive, None) => Err(Error::new(
            EMAIL_NOT_VERIFIED,
            "The email address is not verified yet: enter the code that was mailed to it",
        )),
        _ => Err(Error::new(FORBIDDEN, "This user may not log in. Ask an administrator")),
    }
}

/// The answer to somebody who is known already and does not know their password.
pub(super) fn wrong_password() -> Error {
    Error::new(UNAUTHORIZED, "The password is not right")
}

/// The one answer to every credential that is not right.
pub(super) fn not_right() -> Error {
    Error::new(UNAUTHORIZED, "The name or the password is not right")
}
